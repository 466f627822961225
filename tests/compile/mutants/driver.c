/* Takes the place of the library: chooses the mutant that MUTANT numbers, or the null mutant of SITE, and prints at exit
 * what was counted if COUNT is set. LIST prints all mutants instead of running. */
#include <sonde/mutants.h>

#include <stdio.h>
#include <stdlib.h>

static struct sonde_mutants_ *first;

static unsigned number(const char *name)
{
    const char *text = getenv(name);
    return text ? (unsigned)atoi(text) : 0;
}

static void list(const struct sonde_mutants_ *all)
{
    for (unsigned i = 0; i < all->n_mutants; i++) {
        const struct sonde_mutant_ *m = &all->mutants[i];
        printf("%s:%u:%u %s %s [%s] -> [%s] kind %d hints %d\n", m->file, m->line, m->column, m->function,
               m->macro ? m->macro : "-", m->before, m->after, m->kind, m->hints);
    }
}

void sonde_mutants_add_(struct sonde_mutants_ *all)
{
    unsigned mutant = number("MUTANT");
    all->next = first;
    first = all;
    if (getenv("LIST")) list(all);
    if (mutant && mutant <= all->n_mutants) {
        all->now->mutant = mutant;
        all->now->site = all->mutants[mutant - 1].site;
    } else all->now->site = number("SITE");
    all->now->watch = number("WATCH");
}

__attribute__((destructor)) static void end(void)
{
    for (; first && getenv("COUNT"); first = first->next) {
        unsigned reached = 0;
        for (unsigned i = 1; i <= first->n_sites; i++) reached += first->reached[i];
        printf("%s: %u mutants, %u sites, %u reached, %llu compared, %llu differed\n", first->source, first->n_mutants,
               first->n_sites, reached, (unsigned long long)first->now->compared,
               (unsigned long long)first->now->differed);
    }
}
