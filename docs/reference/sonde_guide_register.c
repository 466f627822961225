/* sonde_guide_register: add a custom guide.
 * Also: sonde_guide_find sonde_guide_part sonde_guide_evenly sonde_guide_double sonde_guide_double_bits sonde_guide_fill_evenly sonde_knobs_read SONDE_KNOB
 * See also: sonde_rng_seed sonde_malloc sonde_corpus_keep sonde_reporter_register */
#include <sonde/extend.h>

struct low {
    struct sonde_guide base;
    struct sonde_rng rng;
};

static struct sonde_guide *create(const struct sonde_guide_setup *setup);

static void destroy(struct sonde_guide *guide)
{
    sonde_free(guide);
}

/* The smaller of two indices: simple values are drawn more often. */
static uint64_t choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct low *low = (struct low *)guide;
    uint64_t a = sonde_guide_evenly(&low->rng, view), b = sonde_guide_evenly(&low->rng, view);
    return a < b ? a : b;
}

static const struct sonde_guide_ops ops = {
    .name = "low", .summary = "prefers simple values", .create = create, .destroy = destroy, .choose = choose};

static struct sonde_guide *create(const struct sonde_guide_setup *setup)
{
    struct low *low = sonde_calloc(1, sizeof *low);
    low->base.ops = &ops;
    sonde_rng_seed(&low->rng, setup->seed, setup->stream);
    return &low->base;
}

static void small_numbers(sonde *t)
{
    sonde_check_le(t, sonde_int(t, "x", 0, 100), 100);
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {{.name = "small_numbers", .run = small_numbers, .guide = "low"}};
    if (sonde_guide_register(&ops) != 0) return SONDE_USAGE;
    return sonde_main(argc, argv, properties, 1);
}
