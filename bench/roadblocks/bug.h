/* Roadblocks: small functions with a bug behind a condition that no assume or check names. A file of subjects is plain C and
 * draws by <sonde.h>; linked with main.c it is a test program, with bytes.c a target of libFuzzer. */
#ifndef BENCH_ROADBLOCKS_BUG_H
#define BENCH_ROADBLOCKS_BUG_H

/* Ends the case: the input has reached the bug. */
_Noreturn void bug(void);

/* Keeps the code under test apart from the property that calls it. */
#define APART __attribute__((noinline)) static

#endif
