/* See mutants.h. */
#include "program/mutants.h"

static struct sonde_mutants_ *first;

void sonde_mutants_add_(struct sonde_mutants_ *mutants)
{
    mutants->next = first;
    first = mutants;
}

struct sonde_mutants_ *sonde_mutants_first(void)
{
    return first;
}
