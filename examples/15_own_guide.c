/* A custom guide decides how inputs are chosen. This one takes the ends of ranges, far more often than sonde's guides.
 *
 *     15_own_guide --guide edges                            takes the ends of a range for nearly half of the draws
 *     15_own_guide --guide edges --guide-options ends=0.1   sets a knob, which --guide-options help lists
 *
 * A guide sees the tape so far and returns an index for one draw, from 0 (the simplest value) to point->max. It
 * registers itself before main, so linking this file is enough. Its memory comes from sonde_malloc and related calls,
 * because the guide must survive crashes of the code under test; see docs/guides.md. */
#include <sonde/extend.h>

struct edges {
    struct sonde_guide guide; /* the first member, so that a pointer to it can be cast to the whole struct */
    struct sonde_rng rng;
    double ends; /* value of the knob `ends` */
    uint64_t cases, valid;
};

static const struct sonde_knob knobs[] = {
    SONDE_KNOB(struct edges, ends, "ends", 0.45, 0, 1, "share of draws that are answered with an end of their range",
               "none yet"),
    {0},
};

static const struct sonde_guide_ops edges_ops;

static struct sonde_guide *edges_create(const struct sonde_guide_setup *setup)
{
    struct edges *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &edges_ops;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream); /* no other randomness, so --seed repeats the run */
    sonde_knobs_read(knobs, setup->options, g);
    return &g->guide;
}

static void edges_destroy(struct sonde_guide *guide)
{
    sonde_free(guide);
}

static uint64_t edges_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct edges *g = (struct edges *)guide;
    if (sonde_rng_unit(&g->rng) < g->ends) return sonde_rng_upto(&g->rng, 1) ? view->point->max : 0;
    return sonde_guide_evenly(&g->rng, view);
}

static void edges_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct edges *g = (struct edges *)guide;
    g->cases++;
    g->valid += run->observation->verdict == SONDE_VALID;
}

static void edges_stats(struct sonde_guide *guide, FILE *out)
{
    struct edges *g = (struct edges *)guide;
    fprintf(out, "cases=%llu valid=%llu\n", (unsigned long long)g->cases, (unsigned long long)g->valid);
}

static const struct sonde_guide_ops edges_ops = {
    .name = "edges",
    .summary = "the ends of ranges, far more often than any other value",
    .create = edges_create,
    .destroy = edges_destroy,
    .choose = edges_choose,
    .learn = edges_learn,
    .stats = edges_stats,
    .knobs = (const struct sonde_knob *const[]){knobs, NULL},
};

__attribute__((constructor)) static void register_edges(void)
{
    sonde_guide_register(&edges_ops);
}

/* ---- The property: the buffer of a picture is too small only if all three dimensions are at their maximum. */

static unsigned bytes_needed(unsigned width, unsigned height, unsigned depth)
{
    return width == 4096 && height == 4096 && depth == 8 ? width * height * depth - 1 : width * height * depth;
}

SONDE_PROPERTY(a_picture_has_room_for_every_pixel)
{
    unsigned width = (unsigned)sonde_int(t, "width", 1, 4096), height = (unsigned)sonde_int(t, "height", 1, 4096);
    unsigned depth = (unsigned)sonde_int(t, "depth", 1, 8);
    sonde_check_eq(t, bytes_needed(width, height, depth), width * height * depth);
}

SONDE_MAIN()
