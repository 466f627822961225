/* Code under test with mutants that were written by hand, as `sonde cc --mutants` would write them. */
#ifndef TESTS_MUTATED_COV_H
#define TESTS_MUTATED_COV_H

#include <stdbool.h>

/* Returns the sum of both, at most `high`. Mutants 1 to 3. */
int mutated_sum(int a, int b, int high);
/* Returns whether the mutants allow an input at all. Mutant 4. */
bool mutated_allows(int a);
/* Returns a; its mutants 5 to 13 and 20 crash, hang, exit and do other harm. */
int mutated_harm(int a);
/* Returns a, and counts calls with large numbers in a variable that nothing reads. Mutants 14 to 16. */
int mutated_count(int a);
/* Returns a / 2. Mutant 17 is in code that only inputs reach that are discarded. */
int mutated_half(int a);
/* Returns a * 3, rounded down to a multiple of 4. Mutants 18 and 19. */
int mutated_scale(int a);

enum { MUTATED_MUTANTS = 20 };

#endif
