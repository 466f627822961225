/* The guide `enumerate`: every input once, the simplest first. It is a uniform-cost search over the trie of tried
 * inputs. The cost of an answer is the bit length of its index, so zeros are free, and wide values and long inputs come
 * later. Where the trie knows nothing yet, the answer is 0.
 *
 * When nothing is left and the trie is exact, every input has been tried. The trie is not exact if a case overran, the
 * memory was too small, or the property is not deterministic. Then nothing can be claimed and there may be no next
 * input, but testing must not stop: a random guide without a trie takes over.
 *
 * The trie does the search (tape/trie.c: `least`, `next`, update); this file only connects it to the guide operations.
 * `learn` sees the cases of all guides, so inputs that other guides tried are not tried again.
 *
 * Example: `n = draw 0..2, then n booleans`, with the cost in parentheses. 0 (0); 1 false (1); 1 true and
 * 2 false false (2); 2 with one true (3); 2 true true (4). Then every input has been tried. A property that held for
 * all of them is proven for this generator. */
#include "guide/plain/answers.h"
#include "guide/guides.h"

#include "base/mem.h"
#include "tape/trie.h"

#include <inttypes.h>

/* The state of `enumerate`. */
struct enumerate {
    struct sonde_guide guide;
    struct sonde_guide_setup setup;
    struct sonde_trie *trie;
    struct sonde_trie_cursor cursor; /* follows the running case */
    struct sonde_guide *rest;        /* the random guide, once it has taken over; NULL before */
    struct sonde_answers answers;    /* used to close an answer in the trie that the case cannot record */
};

static struct sonde_guide *enumerate_create(const struct sonde_guide_setup *setup)
{
    struct enumerate *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &sonde_guide_enumerate;
    g->setup = *setup;
    g->trie = sonde_trie_create(setup->memory);
    return &g->guide;
}

static void enumerate_destroy(struct sonde_guide *guide)
{
    struct enumerate *g = (struct enumerate *)guide;
    if (g->rest) g->rest->ops->destroy(g->rest);
    sonde_trie_free(g->trie);
    sonde_answers_clear(&g->answers);
    sonde_free(g);
}

/* Creates the random guide with a memory limit of 0: otherwise it would build a second trie. */
static void take_over(struct enumerate *g)
{
    g->setup.memory = 0;
    g->rest = sonde_guide_random.create(&g->setup);
}

static enum sonde_plan enumerate_start(struct sonde_guide *guide, struct sonde_tape *script)
{
    struct enumerate *g = (struct enumerate *)guide;
    bool is_exhausted = sonde_trie_is_exhausted(g->trie), is_exact = sonde_trie_is_exact(g->trie);
    /* A full or contradictory trie cannot say what is untried. */
    bool is_stuck = sonde_trie_is_full(g->trie) || sonde_trie_difference(g->trie) != UINT32_MAX;
    if (is_exhausted && is_exact) return SONDE_PLAN_DONE;
    if (!g->rest && (is_exhausted || is_stuck)) take_over(g);
    if (g->rest) return g->rest->ops->start(g->rest, script);
    sonde_trie_begin(g->trie, &g->cursor);
    sonde_answers_begin(&g->answers);
    return SONDE_PLAN_FRESH;
}

static uint64_t enumerate_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct enumerate *g = (struct enumerate *)guide;
    if (g->rest) return g->rest->ops->choose(g->rest, view);
    sonde_trie_follow(g->trie, &g->cursor, view->tape);
    uint64_t answer = sonde_trie_cheapest(g->trie, &g->cursor, sonde_trie_point(view->point));
    sonde_answers_add(&g->answers, view->tape, answer);
    return answer;
}

static size_t enumerate_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                             size_t max)
{
    struct enumerate *g = (struct enumerate *)guide;
    if (g->rest) return g->rest->ops->fill(g->rest, view, symbols, min, max);
    sonde_trie_follow(g->trie, &g->cursor, view->tape);
    /* Walk with a copy of the cursor: the blob is not on the tape yet, and sonde_trie_follow will walk it later from
     * the old position. */
    struct sonde_trie_cursor at = g->cursor;
    struct sonde_trie_point point = sonde_trie_point(view->point);
    uint64_t extra = point.max > 0 ? sonde_trie_cheapest(g->trie, &at, point) : 0;
    sonde_trie_step(g->trie, &at, point, extra);
    point = sonde_trie_symbol_point(view->point->site, view->alphabet->size);
    size_t n = min + (size_t)extra;
    for (size_t i = 0; i < n; i++) {
        symbols[i] = point.max > 0 ? (uint32_t)sonde_trie_cheapest(g->trie, &at, point) : 0;
        sonde_trie_step(g->trie, &at, point, symbols[i]);
    }
    return n;
}

/* Enters the case into the trie, so that inputs of other guides are not run again. Skips inputs of other guides that
 * enumeration will not reach soon. Each bit of cost at least doubles the number of inputs, so an input 16 bits ahead is
 * not reached within 2^16 cases. */
static void enumerate_learn(struct sonde_guide *guide, const struct sonde_run *run)
{
    enum { FAR = 16 };
    struct enumerate *g = (struct enumerate *)guide;
    if (g->rest) return;
    if (run->observation->verdict == SONDE_OVERRUN) sonde_trie_doubt(g->trie);
    if (run->author != guide && sonde_trie_is_far(g->trie, run->tape, FAR)) return;
    if (run->author == guide) {
        /* Update twice: an update covers only the path of the last insertion. A closed answer and the tape end at
         * different nodes of the trie. */
        sonde_answers_close(&g->answers, g->trie, run->tape);
        sonde_trie_update(g->trie);
    }
    sonde_trie_insert(g->trie, run->tape);
    sonde_trie_update(g->trie);
    sonde_trie_begin(g->trie, &g->cursor);
}

static void enumerate_stats(struct sonde_guide *guide, FILE *out)
{
    struct enumerate *g = (struct enumerate *)guide;
    fprintf(out, "inputs=%" PRIu64 " trie_bytes=%zu exact=%s", sonde_trie_inputs(g->trie), sonde_trie_bytes(g->trie),
            sonde_trie_is_exact(g->trie) ? "yes" : "no");
    if (sonde_trie_difference(g->trie) != UINT32_MAX)
        fprintf(out, " differs_at=%" PRIu32, sonde_trie_difference(g->trie));
    fputc('\n', out);
}

const struct sonde_guide_ops sonde_guide_enumerate = {
    .name = "enumerate",
    .summary = "every input once, the simplest first; knows when it has tried all",
    .create = enumerate_create,
    .destroy = enumerate_destroy,
    .start = enumerate_start,
    .choose = enumerate_choose,
    .fill = enumerate_fill,
    .learn = enumerate_learn,
    .stats = enumerate_stats,
};
