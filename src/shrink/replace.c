/* A pass for programs: an alternative is replaced by one that makes fewer draws, such as `dup` for a second `push`. The
 * result is smaller because it is shorter, even if the new alternative is a later one. It may do less than the old one,
 * so a number before it may have to make up for that.
 *
 * The remembered runs show how many draws follow each alternative. So calls are spent only on alternatives with fewer
 * draws, and on those that no run has drawn. */
#include "shrink/pass.h"

#include "base/hash.h"

#include <string.h>

enum {
    ALTERNATIVES = 32, /* a choice with more values selects no alternative */
    PARTNERS = 2,      /* number of numbers before it that are raised, one at a time */
    SLOTS = 256,       /* size of the table of alternatives; a collision only costs a call */
    PATIENCE = 64,     /* the pass gives up after this many calls without an improvement */
};
#define NONE UINT32_MAX

/* How many draws followed an alternative in its span: a hash table without probing. At the end of a run draws may be
 * missing, because the case ended there, so such numbers count only if there are no others. */
struct lengths {
    uint64_t keys[SLOTS];
    uint32_t least[SLOTS];    /* the least number; UINT32_MAX: none is known */
    uint32_t most_cut[SLOTS]; /* the greatest number at the end of a run */
};

static uint64_t key_of(const struct sonde_choice *c, uint64_t alternative)
{
    return sonde_mix(sonde_hash_add(c->site, alternative + 1));
}

static bool is_alternative(const struct sonde_choice *c)
{
    return (c->kind == SONDE_KIND_PICK || c->kind == SONDE_KIND_WEIGHTED) && c->max > 0 && c->max < ALTERNATIVES;
}

/* Returns the end of the draws that may belong to alternative i. They end with its span, or at the next choice there of
 * the same label, where a loop without spans begins its next round. */
static uint32_t end_of(const struct sonde_tape *t, uint32_t i)
{
    uint32_t span = t->choices[i].span, k = i + 1;
    while (k < t->spans[span].end && (t->choices[k].span != span || t->choices[k].label != t->choices[i].label)) k++;
    return k;
}

/* Learns from all remembered runs how many draws follow each alternative. */
static void learn(const struct sonde_shrinker *s, struct lengths *lengths)
{
    uint32_t n_runs;
    const struct sonde_tape *runs = sonde_known_runs(s->known, &n_runs);
    memset(lengths, 0, sizeof *lengths);
    for (uint32_t r = 0; r < n_runs; r++)
        for (uint32_t i = 0; i < runs[r].n_choices; i++) {
            const struct sonde_choice *c = &runs[r].choices[i];
            if (!is_alternative(c)) continue;
            uint64_t key = key_of(c, c->index);
            uint32_t slot = key % SLOTS, end = end_of(&runs[r], i), n = end - i - 1;
            if (lengths->keys[slot] != key) {
                lengths->keys[slot] = key;
                lengths->least[slot] = UINT32_MAX;
                lengths->most_cut[slot] = 0;
            }
            bool is_cut = end == runs[r].n_choices;
            if (is_cut && n > lengths->most_cut[slot]) lengths->most_cut[slot] = n;
            if (!is_cut && n < lengths->least[slot]) lengths->least[slot] = n;
        }
}

/* Reports whether an alternative may be followed by fewer than n draws. */
static bool may_be_shorter(const struct lengths *lengths, const struct sonde_choice *c, uint64_t alternative,
                           uint32_t n)
{
    uint64_t key = key_of(c, alternative);
    uint32_t slot = key % SLOTS;
    if (lengths->keys[slot] != key) return true;
    return (lengths->least[slot] != UINT32_MAX ? lengths->least[slot] : lengths->most_cut[slot]) < n;
}

/* A number that is raised, and its new value; number NONE: no number is raised. */
struct raised {
    uint32_t number;
    sonde_wide value;
};

/* Tries another alternative for choice i, without the draws that followed the old one. */
static bool replace(struct sonde_shrinker *s, uint32_t i, uint64_t alternative, struct raised raised)
{
    const struct sonde_tape *t = &s->best;
    uint32_t end = end_of(t, i);
    sonde_edit_begin(s);
    sonde_edit_set(s, i, alternative);
    if (raised.number != NONE && !sonde_edit_amount(s, raised.number, raised.value)) return false;
    for (uint32_t k = i + 1; k < end; k++) {
        uint32_t span = t->choices[k].span;
        while (span != t->choices[i].span && t->spans[span].parent != t->choices[i].span) span = t->spans[span].parent;
        if (span == t->choices[i].span) sonde_edit_drop_choice(s, k);
        else sonde_edit_drop_span(s, span); /* does nothing if the span is marked already */
    }
    return sonde_edit_try(s);
}

/* Tries another alternative with one of the numbers before it raised. New values are the number that is dropped, the
 * end of the domain, and the mean of both numbers. */
static bool replace_and_raise(struct sonde_shrinker *s, uint32_t i, uint64_t alternative)
{
    sonde_wide dropped = 0, v, lo, hi;
    uint32_t end = end_of(&s->best, i), found = 0;
    uint32_t own = i + 1;
    while (own < end
           && (s->best.choices[own].span != s->best.choices[i].span || !sonde_amount(&s->best, own, &dropped)))
        own++;
    if (own == end) return false; /* without a number that is dropped there is nothing to make up for */
    for (uint32_t k = i; k-- > 0 && !sonde_is_past(s, found, PARTNERS) && !sonde_is_tired(s, PATIENCE);) {
        if (is_alternative(&s->best.choices[k]) || !sonde_amount(&s->best, k, &v)) continue;
        found++;
        sonde_amount_range(&s->best, k, &lo, &hi);
        const sonde_wide raised[] = {dropped, hi, v + (dropped - v + 1) / 2};
        for (size_t n = 0; n < sizeof raised / sizeof *raised; n++)
            if (raised[n] > v && replace(s, i, alternative, (struct raised){k, raised[n]})) return true;
    }
    return false;
}

/* Tries the other alternatives of choice i; returns whether one helped. */
static bool replace_once(struct sonde_shrinker *s, const struct lengths *lengths, uint32_t i)
{
    const struct sonde_choice c = s->best.choices[i];
    uint32_t n = is_alternative(&c) ? end_of(&s->best, i) - i - 1 : 0;
    for (uint64_t other = 0; n && other <= c.max && !sonde_is_tired(s, PATIENCE); other++) {
        if (other == c.index || !may_be_shorter(lengths, &c, other, n)) continue;
        if (replace(s, i, other, (struct raised){.number = NONE})) return true;
        /* the run has shown how many draws follow, if it got that far */
        bool is_longer = s->tried_length != UINT32_MAX && s->tried_length >= s->best.n_choices;
        if (!is_longer && replace_and_raise(s, i, other)) return true;
    }
    return false;
}

/* ---- Fewer alternatives: items are gone, and a number before them is at its end. */

/* Tries to remove items [from, to) of sequence q, with one of the numbers before them at the end of its domain. */
static bool drop_and_raise(struct sonde_shrinker *s, uint32_t q, uint32_t from, uint32_t to)
{
    sonde_wide v, lo, hi;
    uint32_t piece = s->pieces[s->starts[s->seqs[q].first + from]], found = 0;
    uint32_t start = piece & SONDE_PIECE_SPAN ? s->best.spans[piece & ~SONDE_PIECE_SPAN].start : piece;
    if (start >= s->best.n_choices || !is_alternative(&s->best.choices[start])) return false;
    for (uint32_t k = start; k-- > 0 && !sonde_is_past(s, found, PARTNERS) && !sonde_is_tired(s, PATIENCE);) {
        if (k == s->seqs[q].length || is_alternative(&s->best.choices[k]) || !sonde_amount(&s->best, k, &v)) continue;
        found++;
        sonde_amount_range(&s->best, k, &lo, &hi);
        if (v == hi) continue;
        sonde_edit_begin(s);
        sonde_edit_amount(s, k, hi);
        sonde_edit_drop_items(s, &s->seqs[q], from, to);
        if (sonde_edit_try(s)) return true;
    }
    return false;
}

/* Reports whether the items of a sequence may be instructions: a list or a counted loop. An alternative that equals the
 * number of its parts by chance is not a count. */
static bool may_be_program(const struct sonde_shrinker *s, const struct sonde_seq *seq)
{
    return seq->kind != SONDE_SEQ_FREE && !is_alternative(&s->best.choices[seq->length]);
}

/* Removes one item or two neighbours; returns whether that helped. */
static bool drop_once(struct sonde_shrinker *s)
{
    sonde_seqs(s);
    for (uint32_t q = 0; q < s->n_seqs; q++) {
        if (!may_be_program(s, &s->seqs[q])) continue;
        for (uint32_t i = s->seqs[q].n; i-- > 0 && !sonde_is_tired(s, PATIENCE);)
            for (uint32_t n = 1; n <= 2 && i + n <= s->seqs[q].n; n++)
                if (drop_and_raise(s, q, i, i + n)) return true;
    }
    return false;
}

/* `push 100, push 200, add` becomes `push 200, dup, add`; other passes then lower the number. */
void sonde_pass_replace(struct sonde_shrinker *s)
{
    struct lengths lengths;
    learn(s, &lengths);
    for (uint32_t i = s->best.n_choices; i-- > 0 && !sonde_is_tired(s, PATIENCE);)
        while (i < s->best.n_choices && replace_once(s, &lengths, i)) continue;
    while (drop_once(s)) continue;
}
