/* Programs with planted blockers: branches that valid cases reach and never take, five in each. A comment at each branch
 * names the cause:
 *
 *   blocked: range LABEL...    no value in the range of these draws gets there
 *   blocked: constant          no draw influences what is compared
 *   blocked: assume NAME       the assume that is marked `assume: NAME` keeps the values away
 *   blocked: open LABEL...     these draws influence it and an input gets there, but nothing leads to it
 *
 * witnesses.txt has an input that takes each branch. It does so in the program as it is if the blocker is open, else in
 * one that is compiled with UNBLOCKED, in which the cause is gone. */
#ifndef BENCH_BLOCKERS_BLOCKERS_H
#define BENCH_BLOCKERS_BLOCKERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef UNBLOCKED
#define HELD(blocked, open) (open)
#else
#define HELD(blocked, open) (blocked)
#endif

/* Keeps the code under test apart from the property that calls it. Settings of a program are variables that other files
 * could change, so that compilers do not take them for constants. */
#define APART __attribute__((noinline)) static

/* Marks the code behind a blocker. Prints the name if BLOCKERS is set in the environment. */
void passed(const char *name);

/* A hash that cannot be inverted step by step: three rounds of multiplications and shifts on all bytes. */
uint64_t digest(const void *data, size_t n);

#endif
