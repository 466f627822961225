/* See corpus.h. Views call keep and drop; the engine calls init, clear and abandon. Keeping costs one copy of the
 * tape. Finding an equal tape costs a lookup and, on a hit, a comparison of the bytes. One process writes, as for
 * everything in the heap of a search. */
#include "corpus/corpus.h"

#include "base/mem.h"
#include "tape/numbers.h"

#include <string.h>

void sonde_corpus_init(struct sonde_corpus *c)
{
    memset(c, 0, sizeof *c);
}

void sonde_corpus_abandon(struct sonde_corpus *c)
{
    memset(c, 0, sizeof *c);
}

static void free_kept(struct sonde_kept *k)
{
    sonde_tape_clear(&k->tape);
    sonde_free(k);
}

void sonde_corpus_clear(struct sonde_corpus *c)
{
    sonde_corpus_check(c);
    /* Views are cleared before the corpus that they borrow from. */
    sonde_assert(c->refs == 0);
    for (uint32_t i = 0; i < c->n_spare; i++) free_kept(c->spare[i]);
    sonde_free(c->slots);
    sonde_free(c->free);
    sonde_map_clear(&c->by_identity);
    memset(c, 0, sizeof *c);
}

/* ---- Finding tapes by identity. The map cannot delete entries. Entries of dropped tapes are skipped, and discarded
 * when they are the majority. */

static void rebuild_index(struct sonde_corpus *c)
{
    sonde_map_empty(&c->by_identity);
    for (uint32_t i = 0; i < c->n_slots; i++)
        if (c->slots[i]) *sonde_map_at(&c->by_identity, c->slots[i]->identity) = i + 1;
}

static void index_slot(struct sonde_corpus *c, uint32_t slot)
{
    enum { FEW = 64 }; /* outdated entries that are always tolerated, so that a small index is rarely rebuilt */
    if (c->by_identity.n > 2 * (c->n_slots - c->n_free) + FEW) rebuild_index(c);
    *sonde_map_at(&c->by_identity, c->slots[slot]->identity) = slot + 1;
}

static bool has_same_bytes(const void *a, const void *b, size_t n)
{
    return n == 0 || memcmp(a, b, n) == 0;
}

/* Returns whether a kept tape is the tape of a run. Compares the tapes themselves, because a hash may collide, and
 * identities may come from the user (sonde_characteristic). Spans are only counted: equal choices of one generator open
 * equal spans. */
static bool is_tape_of(const struct sonde_kept *k, const struct sonde_run *run)
{
    const struct sonde_tape *a = &k->tape, *b = run->tape;
    return k->identity == run->observation->identity && k->is_valid == (run->observation->verdict == SONDE_VALID)
           && a->n_choices == b->n_choices && a->n_spans == b->n_spans && a->n_bytes == b->n_bytes
           && has_same_bytes(a->choices, b->choices, a->n_choices * sizeof *a->choices)
           && has_same_bytes(a->bytes, b->bytes, a->n_bytes);
}

static struct sonde_kept *find(const struct sonde_corpus *c, const struct sonde_run *run)
{
    uint32_t at = sonde_map_get(&c->by_identity, run->observation->identity);
    struct sonde_kept *k = at ? c->slots[at - 1] : NULL;
    return k && is_tape_of(k, run) ? k : NULL;
}

/* ---- Facts about a tape. Shapes are computed only for kept tapes, because most runs are not kept. */

/* Keeps the last comparisons with a side that is in the input, then the last other comparisons, as far as there is
 * room. Late comparisons are those that the input has not passed yet. */
static void write_hints(struct sonde_kept *k, const struct sonde_coverage_view *view)
{
    const struct sonde_hint *others[SONDE_KEPT_HINTS];
    uint32_t n = 0, n_others = 0;
    struct sonde_numbers numbers;
    sonde_numbers_of(&numbers, &k->tape);
    for (size_t i = view->n_hints; i-- > 0 && n < SONDE_KEPT_HINTS;) {
        const struct sonde_hint *hint = &view->hints[i];
        if (sonde_numbers_has_side(&numbers, hint)) k->hints[n++] = *hint;
        else if (n_others < SONDE_KEPT_HINTS) others[n_others++] = hint;
    }
    for (uint32_t i = 0; i < n_others && n < SONDE_KEPT_HINTS; i++) k->hints[n++] = *others[i];
    k->n_hints = (uint8_t)n;
}

static void note_run(struct sonde_kept *k, const struct sonde_observation *seen)
{
    k->identity = seen->identity;
    k->is_valid = seen->verdict == SONDE_VALID;
    k->cost = seen->cost;
    if (!seen->coverage) return;
    k->n_edges = seen->coverage->n_edges;
    if (seen->coverage->n_hints) write_hints(k, seen->coverage);
}

/* Allocates missing arrays in the exact size: kept tapes are many, most of them are short, and they do not grow. */
static void copy_tightly(struct sonde_tape *to, const struct sonde_tape *from)
{
    if (!to->choices && from->n_choices) {
        to->choices = sonde_malloc(from->n_choices * sizeof *to->choices);
        to->cap_choices = from->n_choices;
    }
    if (!to->spans && from->n_spans) {
        to->spans = sonde_malloc(from->n_spans * sizeof *to->spans);
        to->cap_spans = from->n_spans;
    }
    sonde_tape_copy(to, from);
}

/* Fills an entry with the tape of a run. `k` may be a spare entry, whose arrays are reused; NULL: allocates one. Hints
 * and edges of its former tape must not remain. */
static struct sonde_kept *new_kept(struct sonde_kept *k, const struct sonde_run *run)
{
    if (!k) k = sonde_calloc(1, sizeof *k);
    k->n_hints = 0;
    k->n_edges = 0;
    k->refs = 0;
    copy_tightly(&k->tape, run->tape);
    sonde_tape_end(&k->tape);
    note_run(k, run->observation);
    return k;
}

/* ---- Keeping */

static uint32_t free_slot(struct sonde_corpus *c)
{
    if (c->n_free) return c->free[--c->n_free];
    c->slots = sonde_grow(c->slots, &c->cap_slots, (size_t)c->n_slots + 1, sizeof *c->slots);
    return c->n_slots++;
}

static struct sonde_kept *add(struct sonde_corpus *c, const struct sonde_run *run)
{
    struct sonde_kept *k = new_kept(c->n_spare ? c->spare[--c->n_spare] : NULL, run);
    k->slot = free_slot(c);
    c->slots[k->slot] = k;
    c->bytes += sonde_kept_bytes(&k->tape);
    index_slot(c, k->slot);
    return k;
}

/* Without a corpus (c NULL; a guide in a unit test) every tape is a separate copy. */
struct sonde_kept *sonde_corpus_keep(struct sonde_corpus *c, const struct sonde_run *run)
{
    struct sonde_kept *k = c ? find(c, run) : NULL;
    /* The same input was run again: the newest observation replaces the older one. */
    if (k) note_run(k, run->observation);
    else k = c ? add(c, run) : new_kept(NULL, run);
    k->refs++;
    if (!c) return k;
    c->refs++;
    if (sonde_is_milestone(c->refs)) sonde_corpus_check(c);
    return k;
}

struct sonde_kept *sonde_corpus_share(struct sonde_corpus *c, struct sonde_kept *k)
{
    sonde_assert(k->refs > 0);
    k->refs++;
    if (c) c->refs++;
    return k;
}

/* Returns whether to keep a dropped tape for reuse. A large tape is freed: another tape as large is unlikely to come
 * soon. */
static bool is_worth_sparing(const struct sonde_corpus *c, const struct sonde_tape *tape)
{
    enum { LARGE = 1 << 16 }; /* bytes of a tape */
    return c->n_spare < SONDE_CORPUS_SPARE && sonde_tape_bytes(tape) < LARGE;
}

void sonde_corpus_drop(struct sonde_corpus *c, struct sonde_kept *k)
{
    sonde_assert(k->refs > 0);
    bool is_here = c && k->slot < c->n_slots && c->slots[k->slot] == k; /* k is not in c if c was abandoned */
    if (is_here) c->refs--;
    if (--k->refs) return;
    if (!is_here) {
        free_kept(k);
        return;
    }
    c->slots[k->slot] = NULL;
    c->free = sonde_grow(c->free, &c->cap_free, (size_t)c->n_free + 1, sizeof *c->free);
    c->free[c->n_free++] = k->slot;
    c->bytes -= sonde_kept_bytes(&k->tape);
    if (is_worth_sparing(c, &k->tape)) c->spare[c->n_spare++] = k;
    else free_kept(k);
}

/* ---- Checks */

#ifdef SONDE_CHECKED

void sonde_corpus_check(const struct sonde_corpus *c)
{
    size_t bytes = 0;
    uint64_t refs = 0;
    uint32_t n_free = 0;
    for (uint32_t i = 0; i < c->n_slots; i++) {
        const struct sonde_kept *k = c->slots[i];
        n_free += k == NULL;
        if (!k) continue;
        sonde_assert(k->slot == i && k->refs > 0 && k->n_hints <= SONDE_KEPT_HINTS);
        sonde_tape_check(&k->tape);
        bytes += sonde_kept_bytes(&k->tape);
        refs += k->refs;
    }
    sonde_assert(bytes == c->bytes && refs == c->refs && n_free == c->n_free);
    for (uint32_t i = 0; i < c->n_free; i++) sonde_assert(c->slots[c->free[i]] == NULL);
    sonde_map_check(&c->by_identity);
}

#endif
