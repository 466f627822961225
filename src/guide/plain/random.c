/* The guide `random`: small inputs first, values that programs often get wrong, no input twice.
 *
 * Small first: the first case is the simplest of all. Over the first hundred cases the size grows from 0 to 100. The
 * lengths of lists and blobs and the width of wide integers grow with it. Later cases are large, but one in four has
 * a random size.
 *
 * Special values are switched on per case. Half of the cases have none; in the others each number or blob is special
 * with a fixed probability. So whole inputs stay plain often enough, and one random word per draw decides everything.
 * Narrow domains need special values less, because every value turns up there anyway. In a long run over narrow domains
 * seven cases of eight are plain. Plain cases without a trie draw numbers without calling the guide.
 *
 * No repeats: a trie holds the inputs that were tried. If no untried input is left below an answer, another answer is
 * taken. So a small space is walked without a repeat until it is exhausted. The trie costs time and memory, and in a
 * large space it never finds a repeat. A trie that found no repeat for long, or that is full and was of little use, is
 * freed, and testing continues without it. If a full trie was useful, its exhausted subtrees stay and are avoided.
 * Only an exact trie can claim exhaustion. */
#include "guide/plain/answers.h"
#include "guide/guides.h"
#include "guide/plain/special.h"

#include "base/mem.h"
#include "base/wide.h"
#include "tape/trie.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    RAMP = 100,         /* number of cases until the size is full */
    NARROW = 255,       /* domains up to this maximum get a quarter as many special values */
    WIDE = 1 << 16,     /* from this maximum on, integers are also drawn by bit length */
    ALWAYS = 256,       /* a gate above every byte: sends each draw to the slow path */
    SILENCE = 1 << 13,  /* a trie that found no repeat in this many cases is freed at once */
    WINDOW = 1 << 16,   /* number of cases after which the usefulness of the trie is judged */
    USEFUL = 1024,      /* a useful trie avoids at least one repeat in this many cases */
    REDRAWS = 16,       /* number of draws by the policy before the next untried index is taken */
    FULL = 100,         /* the size of a large case */
    HALF_RATE = 128,    /* rate, in 256ths, at which half of the draws are special */
    SMALL_DOMAIN = 128, /* up to this maximum, small cases use a part of the domain, and lengths are drawn evenly */
    EVEN_OFTEN = 1024,  /* up to this maximum, half of the lengths are drawn evenly; above it, one in 16 is */
    LONG_LENGTH = 4096, /* maximum length, one time in 64, of a list or blob that the user has not bounded */
    EXPONENTS = 128,    /* number of exponents for doubles drawn by exponent; half of these doubles are below 1 */
    MANTISSA = 53       /* number of bits in the mantissa of a double */
};

/* Right shifts of a 64-bit random word: the remaining top bits are 0 one time in 8, 16, 64. */
enum { EIGHTH = 61, SIXTEENTH = 60, SIXTY_FOURTH = 58 };

/* The state of `random`. `gate` and `rate` are in 256ths and are compared with the lowest byte of a random word.
 * `guide.plain` is &rng in cases that draw numbers without calling the guide; the trie, the ramp and special values
 * turn it off. */
struct random {
    struct sonde_guide guide;
    struct sonde_rng rng;
    uint32_t gate[2]; /* draws with a low byte below this take the slow path: [0] narrow domains, [1] others */
    uint32_t rate;    /* rate of special values in this case */
    uint32_t size;    /* size of this case, 0..100 */
    bool is_first;
    bool has_wide;  /* the property draws from wide domains */
    bool is_frozen; /* the trie accepts no more inputs */
    struct sonde_trie *trie;
    struct sonde_trie_cursor cursor;
    struct sonde_answers answers; /* used while there is a trie */
    struct sonde_special special;
    uint64_t cases, ramp;
    uint64_t seen, avoided; /* number of cases, and of avoided repeats, in this window */
    uint64_t all_avoided;
    uint32_t difference; /* index of the choice at which the property was nondeterministic; UINT32_MAX: none */
};

static struct sonde_guide *random_create(const struct sonde_guide_setup *setup)
{
    struct random *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_random;
    sonde_rng_seed(&g->rng, setup->seed, setup->stream);
    sonde_special_init(&g->special, setup);
    g->ramp = setup->tests > 0 && setup->tests < 2 * RAMP ? setup->tests / 2 : RAMP;
    g->difference = UINT32_MAX;
    if (setup->memory > 0) g->trie = sonde_trie_create(setup->memory);
    return &g->guide;
}

static void random_destroy(struct sonde_guide *guide)
{
    struct random *g = (struct random *)guide;
    sonde_trie_free(g->trie);
    sonde_answers_clear(&g->answers);
    sonde_free(g);
}

/* Frees the trie. From here on repeats are possible and exhaustion cannot be claimed. */
static void drop_trie(struct random *g)
{
    g->difference = sonde_trie_difference(g->trie);
    sonde_trie_free(g->trie);
    g->trie = NULL;
}

/* Keeps only the exhausted subtrees, which can still be avoided; the rest only takes memory. */
static void freeze_trie(struct random *g)
{
    sonde_trie_prune(g->trie);
    sonde_trie_begin(g->trie, &g->cursor);
    g->is_frozen = true;
}

static enum sonde_plan random_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    (void)script;
    struct random *g = (struct random *)guide;
    /* Half of the cases have no special values, a quarter few, an eighth many; in an eighth every second draw is
     * special. */
    static const uint8_t rates[8] = {0, 0, 0, 0, 16, 16, 64, 128};
    if (g->trie && sonde_trie_is_exhausted(g->trie)) {
        if (sonde_trie_is_exact(g->trie)) return SONDE_PLAN_DONE;
        drop_trie(g);
    }
    /* One random word decides the case: its top bits the rate, its low bits the size. */
    uint64_t x = sonde_rng_next(&g->rng), n = g->cases++;
    g->is_first = n == 0;
    g->rate = g->trie || g->has_wide ? rates[x >> EIGHTH] : x >> EIGHTH == 7 ? HALF_RATE : 0;
    g->size = n < g->ramp ? (uint32_t)(n * FULL / g->ramp)
              : x & 3     ? FULL
                          : (uint32_t)((x >> 8 & 0xffffff) * (FULL + 1) >> 24);
    sonde_assert(g->size <= FULL);
    g->guide.plain = g->trie || g->is_first || g->rate > 0 || n < g->ramp ? NULL : &g->rng;
    g->gate[1] = g->trie || g->is_first ? ALWAYS : g->rate;
    g->gate[0] = g->trie || g->is_first ? ALWAYS : g->rate / 4;
    sonde_answers_begin(&g->answers);
    if (g->trie) sonde_trie_begin(g->trie, &g->cursor);
    return SONDE_PLAN_FRESH;
}

/* ---- Policy: which value to draw, as if nothing had been tried. */

/* Returns the largest index that the size of the case allows: a share of small domains, some of the bits of large
 * ones. */
static uint64_t within_size(uint64_t max, uint32_t size)
{
    if (size >= FULL) return max;
    if (max <= SMALL_DOMAIN) return (max * size + FULL - 1) / FULL;
    return (UINT64_C(1) << (sonde_bit_length(max) * size / FULL)) - 1;
}

/* Draws every bit length with equal probability. An even draw from a wide domain would hardly ever give small
 * numbers. */
static uint64_t by_bits(struct sonde_rng *rng, uint64_t max)
{
    uint64_t bits = sonde_rng_upto(rng, sonde_bit_length(max));
    uint64_t x = bits ? sonde_rng_next(rng) >> (64 - bits) : 0;
    return x <= max ? x : sonde_rng_upto(rng, max);
}

/* Draws half evenly and half by bit length in large cases, and only by bit length in small cases. */
static uint64_t wide_index(struct random *g, uint64_t max)
{
    if (g->size >= FULL && sonde_rng_next(&g->rng) >> 63) return sonde_rng_upto(&g->rng, max);
    return by_bits(&g->rng, within_size(max, g->size));
}

/* Draws a length that the user has not bounded: at most a hundred, with few exceptions. */
static uint64_t open_length(struct random *g, uint64_t max)
{
    uint64_t top = g->size, x = sonde_rng_next(&g->rng);
    if (g->size >= FULL && x >> SIXTY_FOURTH == 0) top = LONG_LENGTH;
    return by_bits(&g->rng, top < max ? top : max);
}

static uint64_t length_index(struct random *g, const struct sonde_choice *point)
{
    if (point->flags & SONDE_CHOICE_OPEN) return open_length(g, point->max);
    uint64_t top = within_size(point->max, g->size), x = sonde_rng_next(&g->rng);
    /* Special lengths: the longest allowed, one, none. */
    if ((uint8_t)x < g->rate) return x & 0x100 ? top : x & 0x200 && top > 0 ? 1 : 0;
    bool evenly = top <= SMALL_DOMAIN || (top <= EVEN_OFTEN ? x >> 63 : x >> SIXTEENTH == 0);
    return evenly ? sonde_rng_upto(&g->rng, top) : by_bits(&g->rng, top);
}

/* Two draws are two statements: C does not define the order in which the arguments of one call are evaluated. */
static double plain_any_double(struct sonde_rng *rng)
{
    uint64_t x = sonde_rng_next(rng);
    double sign = x & 4 ? -1 : 1;
    double value;
    switch (x & 3) {
    case 0: return sign * (double)by_bits(rng, UINT64_C(1) << MANTISSA);
    case 1: value = (double)by_bits(rng, UINT64_C(1) << 32); return sign * ldexp(value, -(int)sonde_rng_upto(rng, 32));
    case 2:
        value = 1 + sonde_rng_unit(rng);
        return sign * ldexp(value, (int)sonde_rng_upto(rng, EXPONENTS) - EXPONENTS / 2);
    default: break;
    }
    x = sonde_rng_next(rng);
    memcpy(&value, &x, sizeof value);
    return value;
}

/* A quarter of the values are whole. */
static uint64_t double_index(struct sonde_rng *rng, const struct sonde_view *view)
{
    struct sonde_double_bounds bounds = sonde_choice_bounds(view->tape, view->point);
    if (isinf(bounds.lo)) return sonde_double_index(bounds, plain_any_double(rng));
    double value = sonde_double_between(bounds, sonde_rng_unit(rng));
    if (sonde_rng_upto(rng, 3) == 0) value = floor(value);
    return sonde_double_index(bounds, value < bounds.lo ? bounds.lo : value > bounds.hi ? bounds.hi : value);
}

/* Returns an answer by the policy alone. x is a random word: its lowest byte decides whether the answer is special, the
 * rest decides the answer in small domains. */
static uint64_t propose(struct random *g, const struct sonde_view *view, uint64_t x)
{
    const struct sonde_choice *point = view->point;
    bool is_special = (uint8_t)x < (point->max > NARROW ? g->rate : g->rate / 4);
    switch (point->kind) {
    case SONDE_KIND_INT:
    case SONDE_KIND_UINT:
        if (is_special) return sonde_special_index(&g->special, &g->rng, view);
        if (point->max < WIDE) return sonde_rng_scale(x, point->max);
        g->has_wide = true;
        return wide_index(g, point->max);
    case SONDE_KIND_DOUBLE:
        return is_special ? sonde_special_index(&g->special, &g->rng, view) : double_index(&g->rng, view);
    case SONDE_KIND_LENGTH:
    case SONDE_KIND_BLOB: return length_index(g, point);
    case SONDE_KIND_SIZE: return point->max * g->size / FULL;
    default: return sonde_guide_evenly(&g->rng, view);
    }
}

/* ---- No repeats. */

/* Returns the next index, cyclically from i, below which an untried input is left. Every known node has one: otherwise
 * the trie would have folded the node, and a different answer would have been taken above it.
 * Special values are often followed by long runs of tried indices. So in a wide domain a walk that finds nothing
 * restarts at a random index. Each walk is twice as long as the last, so that even a single remaining index is
 * found. */
static uint64_t next_open(struct random *g, const struct sonde_trie_cursor *cursor, struct sonde_trie_point point,
                          uint64_t i)
{
    enum {
        WALK = 8,          /* number of steps of the first walk */
        WIDE_DOMAIN = 4096 /* in a domain with a smaller maximum, one walk visits every value */
    };
    uint64_t steps = 0, most = WALK;
    while (sonde_trie_is_done(g->trie, cursor, point, i)) {
        i = i == point.max ? 0 : i + 1;
        if (point.max < WIDE_DOMAIN || ++steps < most) continue;
        i = sonde_rng_upto(&g->rng, point.max);
        steps = 0;
        most *= 2;
    }
    return i;
}

/* Returns `index`, or another one if nothing untried is left below it. Asks the policy a few times before taking the
 * next untried index, so that sizes stay small while they should. */
static uint64_t fresh_index(struct random *g, const struct sonde_view *view, uint64_t index)
{
    struct sonde_trie_point point = sonde_trie_point(view->point);
    sonde_trie_follow(g->trie, &g->cursor, view->tape);
    if (sonde_trie_is_done(g->trie, &g->cursor, point, index)) {
        g->avoided++;
        for (int i = 0; i < REDRAWS && sonde_trie_is_done(g->trie, &g->cursor, point, index); i++)
            index = propose(g, view, sonde_rng_next(&g->rng));
        index = next_open(g, &g->cursor, point, index);
    }
    sonde_answers_add(&g->answers, view->tape, index);
    if (view->weights) sonde_answers_exclude(&g->answers, view);
    return index;
}

static void fresh_length(struct random *g, const struct sonde_view *view, struct sonde_text *text)
{
    struct sonde_trie_point point = sonde_trie_point(view->point);
    uint64_t extra = text->n - text->min;
    for (int i = 0; i < REDRAWS && sonde_trie_is_done(g->trie, &g->cursor, point, extra); i++)
        extra = length_index(g, view->point);
    size_t n = text->min + (size_t)next_open(g, &g->cursor, point, extra);
    g->avoided += n != text->n;
    for (; text->n < n; text->n++) text->symbols[text->n] = sonde_special_symbol(&g->rng, view->alphabet);
    text->n = n;
}

/* Replaces symbols below which nothing untried is left. The cursor walks ahead of the tape: first the length, then
 * symbol by symbol. */
static void fresh_text(struct random *g, const struct sonde_view *view, struct sonde_text *text)
{
    sonde_trie_follow(g->trie, &g->cursor, view->tape);
    fresh_length(g, view, text);
    struct sonde_trie_cursor at = g->cursor;
    sonde_trie_step(g->trie, &at, sonde_trie_point(view->point), text->n - text->min);
    struct sonde_trie_point point = sonde_trie_symbol_point(view->point->site, view->alphabet->size);
    for (size_t i = 0; i < text->n && at.at != 0; i++) {
        uint64_t symbol = text->symbols[i];
        for (int k = 0; k < REDRAWS && sonde_trie_is_done(g->trie, &at, point, symbol); k++)
            symbol = sonde_special_symbol(&g->rng, view->alphabet);
        symbol = next_open(g, &at, point, symbol);
        g->avoided += symbol != text->symbols[i];
        text->symbols[i] = (uint32_t)symbol;
        sonde_trie_step(g->trie, &at, point, symbol);
    }
}

/* ---- The guide operations. */

/* noinline: keeps register saves out of the fast path. */
static __attribute__((noinline)) uint64_t choose_slowly(struct random *g, const struct sonde_view *view, uint64_t x)
{
    uint64_t index = g->is_first ? 0 : propose(g, view, x);
    return g->trie ? fresh_index(g, view, index) : index;
}

#define PLAIN_KINDS (1u << SONDE_KIND_INT | 1u << SONDE_KIND_UINT | 1u << SONDE_KIND_BOOL | 1u << SONDE_KIND_PICK)

/* The fast path costs one random word and one multiplication. It is taken if the lowest byte of the word is not below
 * `gate`. */
static uint64_t random_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct random *g = (struct random *)guide;
    const struct sonde_choice *point = view->point;
    if (guide->plain && PLAIN_KINDS >> point->kind & 1) return sonde_rng_upto(&g->rng, point->max);
    uint64_t x = sonde_rng_next(&g->rng);
    if ((uint8_t)x >= g->gate[point->max > NARROW] && point->kind <= SONDE_KIND_UINT && point->max < WIDE)
        return sonde_rng_scale(x, point->max);
    return choose_slowly(g, view, x);
}

static size_t random_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                          size_t max)
{
    struct random *g = (struct random *)guide;
    struct sonde_text text = {.symbols = symbols, .n = min, .min = min, .max = max};
    if (!g->is_first) text.n += (size_t)length_index(g, view->point);
    for (size_t i = 0; i < text.n; i++) symbols[i] = g->is_first ? 0 : sonde_special_symbol(&g->rng, view->alphabet);
    if ((uint8_t)sonde_rng_next(&g->rng) < g->rate && !g->is_first)
        sonde_special_text(&g->special, &g->rng, view, &text);
    if (g->trie) fresh_text(g, view, &text);
    return text.n;
}

/* Enters the case into the trie, and decides whether the trie is still worth its cost. A case that overran is not
 * entered: how it would have continued is not known, so exhaustion cannot be claimed any more. An input of another
 * guide is not entered if its indices have so many bits that this guide will hardly ever draw it. */
static void random_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    enum { FAR = 32 };
    struct random *g = (struct random *)guide;
    if (!g->trie || g->is_frozen) return;
    if (run->observation->verdict == SONDE_OVERRUN) {
        sonde_trie_doubt(g->trie);
        return;
    }
    if (run->author == guide) sonde_answers_close(&g->answers, g->trie, run->tape);
    bool is_far = run->author != guide && sonde_trie_is_far(g->trie, run->tape, FAR);
    enum sonde_trie_result result = is_far ? SONDE_TRIE_NEW : sonde_trie_insert(g->trie, run->tape);
    sonde_trie_begin(g->trie, &g->cursor);
    g->seen++;
    if (result == SONDE_TRIE_DIFFERS) {
        drop_trie(g); /* the property is nondeterministic, so the trie is wrong */
    } else if (result == SONDE_TRIE_LOST) {
        if (g->avoided * USEFUL < g->seen) drop_trie(g);
        else freeze_trie(g);
    } else if (g->seen == SILENCE && g->avoided + g->all_avoided == 0) {
        /* the space is large: with fewer than ten million inputs, two of the cases would probably have been equal */
        drop_trie(g);
    } else if (g->seen == WINDOW) {
        if (g->avoided * USEFUL < g->seen) drop_trie(g);
        g->all_avoided += g->avoided;
        g->seen = g->avoided = 0;
    }
}

static void random_stats(struct sonde_guide *guide, FILE *out)
{
    struct random *g = (struct random *)guide;
    fprintf(out, "cases=%" PRIu64 " repeats_avoided=%" PRIu64, g->cases, g->all_avoided + g->avoided);
    if (g->trie)
        fprintf(out, " trie_inputs=%" PRIu64 " trie_bytes=%zu", sonde_trie_inputs(g->trie), sonde_trie_bytes(g->trie));
    if (g->difference != UINT32_MAX) fprintf(out, " differs_at=%" PRIu32, g->difference);
    fputc('\n', out);
}

const struct sonde_guide_ops sonde_guide_random = {
    .name = "random",
    .summary = "small inputs first, boundary values, no repeats",
    .create = random_create,
    .destroy = random_destroy,
    .start = random_start,
    .choose = random_choose,
    .fill = random_fill,
    .learn = random_learn,
    .stats = random_stats,
};
