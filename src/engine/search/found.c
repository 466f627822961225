/* See found.h. Identities are hashes and are part of file names in the store, so they must not change from build to
 * build. They depend on kind, file and line, or on function names, never on addresses. */
#include "engine/search/found.h"

#include "base/hash.h"
#include "base/heap.h"
#include "case/case.h"
#include "base/mem.h"

/* ---- Claims */

/* A failed check is identified by its location, a death by its kind and the functions it happened in. The lowest bit is
 * set because 0 means none. */
uint64_t sonde_claim_identity(const struct sonde_claim *claim)
{
    if (claim->functions) return claim->functions | 1;
    uint64_t hash = sonde_hash_text((uint64_t)claim->kind, claim->file);
    hash = sonde_hash_add(hash, (uint64_t)claim->line);
    return sonde_mix(hash) | 1;
}

uint64_t sonde_claim_brief(const struct sonde_claim *claim)
{
    return claim->innermost ? claim->innermost | 1 : sonde_claim_identity(claim);
}

/* Two hangs are compared only to the depth of the shallower stack: a loop is interrupted anywhere inside. */
bool sonde_claim_same(const struct sonde_claim *a, const struct sonde_claim *b)
{
    if (a->kind != SONDE_CLAIM_HANG || b->kind != SONDE_CLAIM_HANG)
        return sonde_claim_identity(a) == sonde_claim_identity(b);
    uint32_t n = a->n_way < b->n_way ? a->n_way : b->n_way;
    sonde_assert(n <= sizeof a->way / sizeof *a->way);
    return n == 0 || a->way[n - 1] == b->way[n - 1];
}

/* ---- Failures */

/* Copies the tapes of earlier cases, oldest first. Shapes are filled in here, because the ring leaves them out. */
static void keep_earlier(struct sonde_found *f, sonde *t, unsigned long long own)
{
    uint32_t n = 0;
    while (n + 1 < SONDE_CASE_RING && n + 1 < own && sonde_case_earlier(t, n + 1)) n++;
    f->earlier = sonde_calloc(n, sizeof *f->earlier);
    f->n_earlier = n;
    for (uint32_t i = 0; i < n; i++) {
        struct sonde_tape *tape = sonde_case_earlier(t, n - i);
        sonde_tape_end(tape);
        sonde_tape_copy(&f->earlier[i], tape);
    }
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The draws between a failed expect and the limit that ended the case are many, and have nothing to do with the
 * failure. */
void sonde_found_tape(struct sonde_tape *to, sonde *t)
{
    const struct sonde_case_mark *at = &t->failed_at;
    sonde_tape_end(&t->tape);
    sonde_tape_copy(to, &t->tape);
    if (!t->overrun || !at->spans) return;
    to->n_choices = smaller(to->n_choices, at->choices);
    to->n_spans = smaller(to->n_spans, at->spans);
    for (uint32_t i = 0; i < to->n_spans; i++) {
        to->spans[i].end = smaller(to->spans[i].end, to->n_choices);
        to->spans[i].next = smaller(to->spans[i].next, to->n_spans);
    }
    sonde_tape_end(to);
}

struct sonde_found *sonde_found_create(sonde *t, uint64_t test, unsigned long long own)
{
    struct sonde_found *f = sonde_calloc(1, sizeof *f);
    sonde_found_tape(&f->tape, t);
    f->identity = sonde_claim_identity(&t->claim);
    f->claim = t->claim;
    f->test = test;
    f->hits = 1;
    f->size = sonde_tape_size(&f->tape);
    keep_earlier(f, t, own);
    return f;
}

static bool is_sound_or_empty(const struct sonde_tape *tape)
{
    return tape->n_spans == 0 || sonde_tape_is_sound(tape, true);
}

bool sonde_found_is_sound(const struct sonde_found *f, bool has_ended)
{
    if (!sonde_claim_is_sound(&f->claim) || !is_sound_or_empty(&f->tape)) return false;
    if (has_ended && !is_sound_or_empty(&f->smaller)) return false;
    if (has_ended && f->n_others > SONDE_FOUND_OTHERS) return false;
    for (uint32_t i = 0; has_ended && i < f->n_others; i++)
        if (!is_sound_or_empty(&f->others[i])) return false;
    if (!sonde_heap_holds(f, f->earlier, f->n_earlier * sizeof *f->earlier)) return false;
    for (uint32_t i = 0; i < f->n_earlier; i++)
        if (!is_sound_or_empty(&f->earlier[i])) return false;
    return true;
}

static void free_earlier(struct sonde_found *f)
{
    for (uint32_t k = 0; k < f->n_earlier; k++) sonde_tape_clear(&f->earlier[k]);
    sonde_free(f->earlier);
}

void sonde_found_keep_earlier(struct sonde_found *f, const struct sonde_tape *tapes, uint32_t n)
{
    free_earlier(f);
    f->earlier = sonde_calloc(n, sizeof *f->earlier);
    f->n_earlier = n;
    for (uint32_t i = 0; i < n; i++) sonde_tape_copy(&f->earlier[i], &tapes[i]);
}

void sonde_found_free(struct sonde_found *f)
{
    free_earlier(f);
    sonde_free(f->regression);
    sonde_tape_clear(&f->tape);
    sonde_tape_clear(&f->smaller);
    for (uint32_t k = 0; k < f->n_others; k++) sonde_tape_clear(&f->others[k]);
    sonde_free(f);
}

static const struct sonde_tape *smallest(const struct sonde_found *f)
{
    return f->smaller.n_spans ? &f->smaller : &f->tape;
}

/* Keeps a smaller tape, since it has less to shrink. The first tape stays as it is: the supervisor may be reading
 * it. */
void sonde_found_again(struct sonde_found *f, sonde *t)
{
    f->hits++;
    if (sonde_tape_compare(&t->tape, smallest(f)) < 0) sonde_found_tape(&f->smaller, t);
}

void sonde_found_sample(struct sonde_found *f, sonde *t)
{
    uint64_t n = f->hits - 1; /* later tapes, with this one */
    uint64_t at = f->n_others < SONDE_FOUND_OTHERS ? f->n_others : sonde_mix(n) % n;
    if (at >= SONDE_FOUND_OTHERS) return;
    sonde_found_tape(&f->others[at], t);
    if (at == f->n_others) f->n_others++;
}

/* Copies the struct by value, then replaces every pointer: nothing may point to the other heap. */
struct sonde_found *sonde_found_copy(const struct sonde_found *theirs, bool has_ended)
{
    struct sonde_found *f = sonde_calloc(1, sizeof *f);
    *f = *theirs;
    if (!has_ended) f->hits = 1;
    f->regression = theirs->regression ? sonde_strdup(theirs->regression) : NULL;
    f->earlier = sonde_calloc(theirs->n_earlier, sizeof *f->earlier);
    for (uint32_t k = 0; k < theirs->n_earlier; k++) sonde_tape_copy(&f->earlier[k], &theirs->earlier[k]);
    sonde_tape_init(&f->tape);
    sonde_tape_init(&f->smaller);
    sonde_tape_copy(&f->tape, &theirs->tape);
    if (has_ended && theirs->smaller.n_spans) sonde_tape_copy(&f->smaller, &theirs->smaller);
    memset(f->others, 0, sizeof f->others);
    f->n_others = has_ended ? theirs->n_others : 0;
    for (uint32_t k = 0; k < f->n_others; k++) sonde_tape_copy(&f->others[k], &theirs->others[k]);
    return f;
}

void sonde_found_merge(struct sonde_found *f, const struct sonde_found *theirs)
{
    f->hits += theirs->hits;
    if (theirs->test < f->test) f->test = theirs->test;
    if (f->tape.n_spans == 0) sonde_tape_copy(&f->tape, &theirs->tape);
    const struct sonde_tape *best = smallest(theirs);
    if (sonde_tape_compare(best, smallest(f)) < 0) sonde_tape_copy(&f->smaller, best);
    /* Where both samples are full, half of each is kept. */
    for (uint32_t k = 0; k < theirs->n_others; k++) {
        if (f->n_others == SONDE_FOUND_OTHERS && k % 2) continue;
        uint32_t at = f->n_others < SONDE_FOUND_OTHERS ? f->n_others++ : k;
        sonde_tape_copy(&f->others[at], &theirs->others[k]);
    }
}
