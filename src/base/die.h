/* Fatal messages: for misuse and for lack of memory, where going on would lie. Everything else is a value or a
 * negative errno (STYLE: three kinds of errors, never mixed). */
#ifndef SONDE_BASE_DIE_H
#define SONDE_BASE_DIE_H

#include <sonde.h>

/* Prints "sonde: ..." on standard error and ends the process with `status` (SONDE_USAGE for misuse, SONDE_INTERNAL
 * otherwise). The message says what happened and what to do. */
SONDE_NORETURN void sonde_die(enum sonde_status status, const char *format, ...) SONDE_PRINTF(2, 3);

/* Print "sonde: ...", "sonde: warning: ..." and just "..." on standard error: one line each. What a terminal would take
 * for a command is shown as \xNN (base/visible.h), so any string may be among the arguments. */
void sonde_say(const char *format, ...) SONDE_PRINTF(1, 2);
void sonde_warn(const char *format, ...) SONDE_PRINTF(1, 2);
void sonde_complain(const char *format, ...) SONDE_PRINTF(1, 2);

/* Ends the process because memory in reach of the code under test holds what sonde did not write there. In a worker its case fails. */
SONDE_NORETURN void sonde_die_overwritten(void);
/* Sets what sonde_die_overwritten calls; it must not return. NULL: a message is printed. */
void sonde_die_set_overwritten(void (*act)(void));

/* Who hears the last words instead of standard error: in a worker, its supervisor. NULL: nobody. */
void sonde_die_set_heir(void (*heir)(enum sonde_status status, const char *words));

/* What is done before the process ends for want of memory or by a fault of sonde's own; NULL: nothing. */
void sonde_die_set_last_act(void (*act)(void));

/* What a case that ends its process does first; NULL: nothing. Set by whoever has something to save. A pointer, because a program that is
 * linked with a fuzzer has the fuzzer's coverage, and must not be given ours by a call from here. */
extern void (*sonde_at_death)(void);

#endif
