/* See bank.h. */
#include "mutate/bank.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static size_t words_of(const struct sonde_bank *b)
{
    return b->n_sites / 64 + 1u;
}

void sonde_bank_init(struct sonde_bank *b, uint32_t n_sites, size_t limit)
{
    *b = (struct sonde_bank){.n_sites = n_sites, .limit = limit};
    b->have = sonde_calloc(n_sites + 1u, sizeof *b->have);
    b->reached = sonde_calloc(n_sites + 1u, sizeof *b->reached);
}

static void clear_input(struct sonde_banked *input)
{
    sonde_tape_clear(&input->tape);
    sonde_free(input->sites);
}

void sonde_bank_clear(struct sonde_bank *b)
{
    for (uint32_t i = 0; i < b->n; i++) clear_input(&b->inputs[i]);
    sonde_free(b->inputs);
    sonde_free(b->have);
    sonde_free(b->reached);
    memset(b, 0, sizeof *b);
}

#ifdef SONDE_CHECKED
void sonde_bank_check(const struct sonde_bank *b)
{
    for (uint32_t s = 1; s <= b->n_sites; s++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < b->n; i++) n += sonde_set_has(b->inputs[i].sites, s);
        sonde_assert(n == b->have[s]);
        sonde_assert(!n || b->reached[s]);
    }
}
#endif

static void add(struct sonde_bank *b, const struct sonde_tape *tape, const uint64_t *sites, uint32_t n)
{
    b->inputs = sonde_grow(b->inputs, &b->cap, (size_t)b->n + 1, sizeof *b->inputs);
    struct sonde_banked *new = &b->inputs[b->n++];
    *new = (struct sonde_banked){.n_sites = n, .size = sonde_tape_size(tape)};
    sonde_tape_init(&new->tape);
    sonde_tape_copy(&new->tape, tape);
    new->sites = sonde_calloc(words_of(b), sizeof *new->sites);
    memcpy(new->sites, sites, words_of(b) * sizeof *new->sites);
    b->bytes += sonde_tape_bytes(tape) + words_of(b) * sizeof *new->sites;
}

/* Adds 1 to the counts of all sites in the set. Returns the least number of kept inputs among them. */
static uint32_t count_reached(struct sonde_bank *b, const uint64_t *sites)
{
    uint32_t least = UINT32_MAX;
    for (size_t w = 0; w < words_of(b); w++) {
        for (uint64_t left = sites[w]; left; left &= left - 1) {
            uint32_t site = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
            b->reached[site]++;
            if (b->have[site] < least) least = b->have[site];
        }
    }
    return least;
}

static void count_kept(struct sonde_bank *b, const uint64_t *sites, int by)
{
    for (uint32_t s = 1; s <= b->n_sites; s++)
        if (sonde_set_has(sites, s)) b->have[s] += (uint32_t)by;
}

void sonde_bank_add(struct sonde_bank *b, const struct sonde_tape *tape, const uint64_t *sites, uint32_t n)
{
    add(b, tape, sites, n);
    count_kept(b, sites, 1);
}

void sonde_bank_offer(struct sonde_bank *b, const struct sonde_tape *tape, const uint64_t *sites, uint32_t n,
                      bool is_news)
{
    uint32_t least = count_reached(b, sites);
    bool has_room = b->bytes < b->limit, is_wanted = is_news && has_room && b->n < SONDE_BANK_NEWS;
    if (least >= (has_room ? SONDE_BANK_QUOTA : SONDE_BANK_LEAST) && !is_wanted) return;
    sonde_bank_add(b, tape, sites, n);
    if (sonde_is_milestone(b->n)) sonde_bank_check(b);
}

void sonde_bank_copy(struct sonde_bank *to, const struct sonde_bank *from)
{
    sonde_bank_init(to, from->n_sites, from->limit);
    for (uint32_t i = 0; i < from->n; i++) {
        const struct sonde_banked *input = &from->inputs[i];
        add(to, &input->tape, input->sites, input->n_sites);
        to->inputs[i].kills = input->kills;
    }
    memcpy(to->have, from->have, (from->n_sites + 1u) * sizeof *to->have);
    memcpy(to->reached, from->reached, (from->n_sites + 1u) * sizeof *to->reached);
}

void sonde_bank_remove(struct sonde_bank *b, const unsigned char *is_bad)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->n; i++) {
        if (!is_bad[i]) {
            b->inputs[kept++] = b->inputs[i];
            continue;
        }
        count_kept(b, b->inputs[i].sites, -1);
        clear_input(&b->inputs[i]);
    }
    b->n = kept;
    sonde_bank_check(b);
}

/* Returns whether input x comes before y. */
static bool is_better(const struct sonde_bank *b, enum sonde_bank_by by, uint32_t x, uint32_t y)
{
    const struct sonde_banked *p = &b->inputs[x], *q = &b->inputs[y];
    if (by == SONDE_BANK_BY_SIZE) return p->size != q->size ? p->size < q->size : x < y;
    if (p->kills != q->kills) return p->kills > q->kills;
    return p->n_sites != q->n_sites ? p->n_sites > q->n_sites : x < y;
}

/* Insertion into a sorted array: it stays short, and most inputs do not enter it. */
uint32_t sonde_bank_order(const struct sonde_bank *b, uint32_t site, enum sonde_bank_by by, uint32_t *order,
                          uint32_t max)
{
    uint32_t n = 0;
    for (uint32_t i = 0; max && i < b->n; i++) {
        if (!sonde_set_has(b->inputs[i].sites, site) || (n == max && !is_better(b, by, i, order[n - 1]))) continue;
        uint32_t at = n < max ? n++ : n - 1;
        for (; at > 0 && is_better(b, by, i, order[at - 1]); at--) order[at] = order[at - 1];
        order[at] = i;
    }
    return n;
}
