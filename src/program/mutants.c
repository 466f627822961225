/* See mutants.h. Constructors call sonde_mutants_add_ before main, in any order, so the list is sorted when it is first
 * read. A library that is loaded later adds its table then, and the list is sorted again: numbers must not be taken
 * before. */
#include "program/mutants.h"

#include "base/check.h"
#include "base/die.h"
#include "base/hash.h"

#include <string.h>

static struct sonde_mutants_ *first; /* registered tables, sorted if `is_sorted` */
static bool is_sorted;
static uint64_t hash;
static uint32_t n_mutants, n_sites;

void sonde_mutants_add_(struct sonde_mutants_ *mutants)
{
    if (mutants->version != SONDE_MUTANTS_VERSION_)
        sonde_die(SONDE_USAGE, "%s was compiled by another version of sonde cc --mutants; compile it again",
                  mutants->source);
    mutants->next = first;
    first = mutants;
    is_sorted = false;
}

static bool comes_before(const struct sonde_mutants_ *a, const struct sonde_mutants_ *b)
{
    int order = strcmp(a->source, b->source);
    return order ? order < 0 : a->text < b->text;
}

/* Insertion into a sorted list: programs have a few tables. */
static void insert(struct sonde_mutants_ **list, struct sonde_mutants_ *table)
{
    while (*list && !comes_before(table, *list)) list = &(*list)->next;
    table->next = *list;
    *list = table;
}

static void sort(void)
{
    struct sonde_mutants_ *sorted = NULL, *next;
    for (struct sonde_mutants_ *t = first; t; t = next) {
        next = t->next;
        insert(&sorted, t);
    }
    first = sorted;
    hash = n_mutants = n_sites = 0;
    for (struct sonde_mutants_ *t = first; t; t = t->next) {
        n_mutants += t->n_mutants;
        n_sites += t->n_sites;
        hash = sonde_hash_add(sonde_hash_text(hash, t->source), t->text ^ t->n_mutants);
    }
    is_sorted = true;
}

static struct sonde_mutants_ *tables(void)
{
    if (!is_sorted) sort();
    return first;
}

uint32_t sonde_mutants_count(void)
{
    tables();
    return n_mutants;
}

uint32_t sonde_mutants_sites(void)
{
    tables();
    return n_sites;
}

uint64_t sonde_mutants_hash(void)
{
    tables();
    return hash;
}

/* The table of a mutant, the mutant's number in it, and what comes before the table. */
struct position {
    struct sonde_mutants_ *table;
    uint32_t mutant, sites_before;
};

static struct position find(uint32_t number)
{
    struct position p = {tables(), number, 0};
    sonde_assert(number >= 1 && number <= n_mutants);
    for (; p.mutant > p.table->n_mutants; p.table = p.table->next) {
        p.mutant -= p.table->n_mutants;
        p.sites_before += p.table->n_sites;
    }
    return p;
}

const struct sonde_mutant_ *sonde_mutants_at(uint32_t number)
{
    struct position p = find(number);
    return &p.table->mutants[p.mutant - 1];
}

uint32_t sonde_mutants_site_of(uint32_t number)
{
    struct position p = find(number);
    return p.sites_before + p.table->mutants[p.mutant - 1].site;
}

/* Statements are counted in each object. The sites before the object tell objects apart. */
uint64_t sonde_mutants_statement_of(uint32_t number)
{
    struct position p = find(number);
    return (uint64_t)p.sites_before << 32 | p.table->mutants[p.mutant - 1].statement;
}

void sonde_mutants_choose(uint32_t number, enum sonde_mutant_mode mode)
{
    for (struct sonde_mutants_ *t = tables(); t; t = t->next) *t->now = (struct sonde_mutants_now_){0};
    if (mode == SONDE_MUTANT_OFF) return;
    struct position p = find(number);
    p.table->now->mutant = mode == SONDE_MUTANT_NULL ? 0 : p.mutant;
    p.table->now->watch = mode == SONDE_MUTANT_WATCHED;
    p.table->now->site = p.table->mutants[p.mutant - 1].site;
}

void sonde_mutants_choose_(uint32_t number)
{
    if (number < 1 || number > sonde_mutants_count())
        sonde_die(SONDE_USAGE, "there is no mutant %u; compile the code under test with sonde cc --mutants", number);
    sonde_mutants_choose(number, SONDE_MUTANT_ON);
}

uint64_t sonde_mutants_differed(uint32_t number)
{
    return find(number).table->now->differed;
}

volatile unsigned char *sonde_mutants_flag(uint32_t number)
{
    struct position p = find(number);
    return &p.table->reached[p.table->mutants[p.mutant - 1].site];
}

void sonde_mutants_forget_reached(void)
{
    for (struct sonde_mutants_ *t = tables(); t; t = t->next)
        memset((void *)(uintptr_t)t->reached, 0, (size_t)t->n_sites + 1);
}

uint32_t sonde_mutants_words(void)
{
    return sonde_mutants_sites() / 64 + 1;
}

uint32_t sonde_mutants_reached(uint64_t *bits)
{
    uint32_t before = 0, n = 0;
    memset(bits, 0, sonde_mutants_words() * sizeof *bits);
    for (struct sonde_mutants_ *t = tables(); t; before += t->n_sites, t = t->next) {
        for (uint32_t s = 1; s <= t->n_sites; s++) {
            if (!t->reached[s]) continue;
            uint32_t site = before + s;
            bits[site / 64] |= UINT64_C(1) << site % 64;
            n++;
        }
    }
    return n;
}
