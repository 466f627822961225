/* The guide `crowbar`: AFL on the random numbers of the generator, like Crowbar and QcCrowbar (FuzzChick, section
 * 2.3 and algorithm 2), in this process. It shows what structure is worth: the bits that feed a generator are
 * mutated as if they were the data.
 *
 * There is one queue, for valid and discarded inputs. An input is interesting if some counter has a new count, in
 * AFL's classes. The queue is walked in rounds. At its first turn an input goes through the deterministic stages:
 * - one, two and four bits flipped at every bit;
 * - one, two and four bytes flipped, small numbers added and subtracted, interesting numbers stored, at every byte.
 * At every turn it goes through havoc: 256 mutants times AFL's score (quick and wide inputs get more), each of 2 to
 * 128 random edits. After a round that found nothing, mutants are first spliced with another input.
 *
 * Differences from AFL: cost replaces time, and there are no trimming, calibration, favoured inputs or dictionary. The
 * deterministic stages use arithmetic and interesting numbers of one byte only. Missing bytes are drawn at random,
 * where Crowbar ends the test. */
#include "params.h"

#include <inttypes.h>

struct seed {
    struct sonde_kept *kept;
    uint64_t energy; /* number of havoc mutants per turn */
    bool is_flipped; /* the deterministic stages are done */
};

struct crowbar {
    struct sonde_guide guide;
    struct sonde_guide *fresh; /* the guide `uniform`: chooses where bytes are missing */
    struct sonde_guide_setup setup;
    struct sonde_rng rng;
    struct classic_params params;
    struct seed *queue; /* oldest first */
    uint32_t n, cap;
    uint32_t turn;        /* index of the input that is mutated */
    uint64_t done, found; /* number of mutants in this turn; number of inputs added in this round */
    bool splices;
    uint8_t *bits; /* for each feature, the classes of its counts that were seen */
    uint32_t cap_bits;
    uint8_t *other; /* bytes of the input to splice with */
    uint32_t cap_other;
    double all_cost, all_runs, edges;
    uint64_t cases;
    size_t used, limit;
    double havoc; /* knob */
};

#define KNOB(name, field, ...) SONDE_KNOB(struct crowbar, field, name, __VA_ARGS__)

static const struct sonde_knob knobs[] = {
    KNOB("havoc", havoc, 256, 1, 1e9,
         "number of mutants of an average input in each of its turns; each mutant has several random edits",
         "AFL, HAVOC_CYCLES"),
    {0},
};

static struct sonde_guide *crowbar_create(const struct sonde_guide_setup *setup)
{
    struct crowbar *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_crowbar;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_knobs_read(knobs, setup->options, g);
    g->setup = sonde_guide_part(setup, 1);
    g->fresh = sonde_guide_find("uniform")->create(&g->setup);
    g->limit = setup->memory;
    return &g->guide;
}

static void crowbar_destroy(struct sonde_guide *guide)
{
    struct crowbar *g = (struct crowbar *)guide;
    for (uint32_t i = 0; i < g->n; i++) sonde_corpus_drop(g->setup.corpus, g->queue[i].kept);
    g->fresh->ops->destroy(g->fresh);
    classic_params_clear(&g->params);
    sonde_free(g->queue);
    sonde_free(g->bits);
    sonde_free(g->other);
    sonde_free(g);
}

static uint32_t below(struct crowbar *g, uint64_t n)
{
    return (uint32_t)sonde_rng_upto(&g->rng, n - 1);
}

/* ---- Deterministic stages: mutants are numbered */

static const int8_t interesting[] = {-128, -1, 0, 1, 16, 32, 64, 100, 127};
enum { ARITH = 35, N_INTERESTING = sizeof interesting };

static void flip_bits(struct classic_params *p, uint64_t first, unsigned n)
{
    for (uint64_t i = first; i < first + n && i < (uint64_t)p->n * 8; i++) p->bytes[i / 8] ^= (uint8_t)(128u >> i % 8);
}

/* Makes the mutant with this number; numbers run through all stages. Returns false if there are fewer mutants. */
static bool flip(struct classic_params *p, uint64_t number)
{
    uint64_t n = p->n;
    for (unsigned bits = 1; bits <= 4; bits *= 2) {
        if (number < 8 * n) return flip_bits(p, number, bits), true;
        number -= 8 * n;
    }
    for (unsigned bytes = 1; bytes <= 4; bytes *= 2) {
        if (number < n) return flip_bits(p, 8 * number, 8 * bytes), true;
        number -= n;
    }
    if (number < n * 2 * ARITH) {
        uint64_t by = 1 + number / 2 % ARITH;
        uint8_t *byte = &p->bytes[number / (2 * ARITH)];
        *byte = (uint8_t)(number & 1 ? *byte - by : *byte + by);
        return true;
    }
    number -= n * 2 * ARITH;
    if (number >= n * N_INTERESTING) return false;
    p->bytes[number / N_INTERESTING] = (uint8_t)interesting[number % N_INTERESTING];
    return true;
}

/* ---- Havoc */

/* Returns the length of a stretch of bytes, chosen as in AFL; it is mostly short. */
static uint32_t stretch(struct crowbar *g, uint32_t n)
{
    uint32_t most = below(g, 3) ? 32 : 128;
    return 1 + below(g, n < most ? n : most);
}

static void delete_stretch(struct crowbar *g)
{
    struct classic_params *p = &g->params;
    if (p->n < 2) return;
    uint32_t length = stretch(g, p->n - 1), at = below(g, (uint64_t)p->n - length + 1);
    memmove(p->bytes + at, p->bytes + at + length, p->n - at - length);
    p->n -= length;
}

enum { LONGEST = 1 << 20 };

/* Inserts or overwrites a stretch: three times in four with a copy of the input's bytes, otherwise with one byte
 * repeated. */
static void clone_stretch(struct crowbar *g, bool inserts)
{
    struct classic_params *p = &g->params;
    uint32_t length = stretch(g, p->n), from = below(g, (uint64_t)p->n - length + 1);
    uint32_t at = below(g, (uint64_t)p->n - (inserts ? 0 : length) + 1);
    bool copies = below(g, 4) > 0;
    uint8_t block[128], value = (uint8_t)sonde_rng_next(&g->rng);
    for (uint32_t i = 0; i < length; i++) block[i] = copies ? p->bytes[from + i] : value;
    if (inserts && p->n + length > LONGEST) return;
    if (inserts) {
        p->bytes = classic_grow(p->bytes, &p->cap, p->n + length, 1);
        memmove(p->bytes + at + length, p->bytes + at, p->n - at);
        p->n += length;
    }
    memcpy(p->bytes + at, block, length);
}

static void add_to_word(struct crowbar *g)
{
    struct classic_params *p = &g->params;
    unsigned width = 1u << below(g, 3);
    if (p->n < width) return;
    uint32_t at = below(g, (uint64_t)p->n - width + 1), word = 0, by = 1 + below(g, ARITH);
    for (unsigned i = 0; i < width; i++) word |= (uint32_t)p->bytes[at + i] << (8 * i);
    word = below(g, 2) ? word + by : word - by;
    for (unsigned i = 0; i < width; i++) p->bytes[at + i] = (uint8_t)(word >> (8 * i));
}

static void edit(struct crowbar *g)
{
    struct classic_params *p = &g->params;
    if (p->n == 0) return;
    switch (below(g, 8)) {
    case 0: flip_bits(p, below(g, (uint64_t)p->n * 8), 1); break;
    case 1: p->bytes[below(g, p->n)] = (uint8_t)interesting[below(g, N_INTERESTING)]; break;
    case 2:
    case 3: add_to_word(g); break;
    case 4: p->bytes[below(g, p->n)] ^= (uint8_t)(1 + below(g, 255)); break;
    case 5: delete_stretch(g); break;
    case 6: clone_stretch(g, true); break;
    default: clone_stretch(g, false); break;
    }
}

/* Joins the first part of this input and the last part of another. Both are cut at the same random position, after the
 * first byte in which they differ and before the last. */
static void splice(struct crowbar *g)
{
    struct classic_params *p = &g->params;
    uint32_t n = p->n, first = 0, last, n_other;
    if (g->n < 2) return;
    g->other = classic_grow(g->other, &g->cap_other, n, 1);
    if (n) memcpy(g->other, p->bytes, n);
    uint32_t with = (g->turn + 1 + below(g, (uint64_t)g->n - 1)) % g->n;
    classic_params_of(p, &g->queue[with].kept->tape);
    n_other = p->n;
    last = n < n_other ? n : n_other;
    while (first < last && g->other[first] == p->bytes[first]) first++;
    while (last > first && g->other[last - 1] == p->bytes[last - 1]) last--;
    if (last < first + 2) return;
    memcpy(p->bytes, g->other, first + 1 + below(g, (uint64_t)last - first - 1));
}

static void wreak_havoc(struct crowbar *g)
{
    if (g->splices) splice(g);
    for (uint32_t edits = 2u << below(g, 7); edits > 0; edits--) edit(g);
}

/* ---- The next input to mutate */

static void next_turn(struct crowbar *g)
{
    g->done = 0;
    g->queue[g->turn].is_flipped = true;
    if (++g->turn < g->n) return;
    g->turn = 0;
    g->splices = g->found == 0;
    g->found = 0;
}

static bool is_turn_over(const struct crowbar *g)
{
    return g->queue[g->turn].is_flipped && g->done >= g->queue[g->turn].energy;
}

/* Plans the next case: the next mutant, or first random bytes, the seed that AFL needs. */
static enum sonde_plan crowbar_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct crowbar *g = (struct crowbar *)guide;
    (void)script;
    g->params.n = g->params.at = 0;
    if (g->cases++ == 0 || g->n == 0) return SONDE_PLAN_FRESH;
    if (is_turn_over(g)) next_turn(g);
    struct seed *s = &g->queue[g->turn];
    classic_params_of(&g->params, &s->kept->tape);
    if (!s->is_flipped && flip(&g->params, g->done)) {
        g->done++;
        return SONDE_PLAN_FRESH;
    }
    if (!s->is_flipped) s->is_flipped = true, g->done = 0;
    g->done++;
    wreak_havoc(g);
    return SONDE_PLAN_FRESH; /* bytes are taken by position, so there is no script */
}

static uint64_t crowbar_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct crowbar *g = (struct crowbar *)guide;
    return classic_params_choose(&g->params, g->fresh, view);
}

static size_t crowbar_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                           size_t max)
{
    struct crowbar *g = (struct crowbar *)guide;
    (void)max; /* `max` equals min + point->max */
    return classic_params_fill(&g->params, g->fresh, view, symbols, min);
}

/* ---- Learning */

static void crowbar_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    struct crowbar *g = (struct crowbar *)guide;
    const struct sonde_observation *o = run->observation;
    if (!o->coverage || o->verdict > SONDE_DISCARDED) return;
    g->all_cost += (double)o->cost + 1;
    g->all_runs++;
    if (!classic_shows_new_classes(&g->bits, &g->cap_bits, o->coverage) || g->used > g->limit) return;
    g->edges += o->coverage->n_edges + 1;
    g->found++;
    g->queue = classic_grow(g->queue, &g->cap, g->n + 1, sizeof *g->queue);
    double score = classic_score((double)o->cost / (g->all_cost / g->all_runs),
                                 (double)o->coverage->n_edges / (g->edges / (g->n + 1)));
    double mutants = g->havoc * score / 100;
    g->queue[g->n++] =
        (struct seed){.kept = sonde_corpus_keep(g->setup.corpus, run), .energy = mutants < 16 ? 16 : (uint64_t)mutants};
    g->used += sizeof *g->queue + sonde_tape_bytes(run->tape);
}

static void crowbar_stats(struct sonde_guide *guide, FILE *out)
{
    const struct crowbar *g = (const struct crowbar *)guide;
    fprintf(out, "cases=%" PRIu64 " queue=%" PRIu32 " bytes=%zu\n", g->cases, g->n, g->used);
}

const struct sonde_guide_ops sonde_guide_crowbar = {
    .name = "crowbar",
    .summary = "AFL on the generator's random numbers (QcCrowbar), for comparison",
    .create = crowbar_create,
    .destroy = crowbar_destroy,
    .start = crowbar_start,
    .choose = crowbar_choose,
    .fill = crowbar_fill,
    .learn = crowbar_learn,
    .wants = SONDE_NEW_COVERAGE,
    .stats = crowbar_stats,
    .knobs = (const struct sonde_knob *const[]){knobs, NULL},
};
