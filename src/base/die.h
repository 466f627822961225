/* Fatal messages, for misuse and lack of memory, after which any result would be wrong. Functions report every other
 * outcome as a value or a negative errno. */
#ifndef SONDE_BASE_DIE_H
#define SONDE_BASE_DIE_H

#include <sonde.h>

/* Prints "sonde: ..." on standard error and ends the process with `status`: SONDE_USAGE for misuse, SONDE_INTERNAL
 * otherwise. The message says what happened and what to do. */
SONDE_NORETURN void sonde_die(enum sonde_status status, const char *format, ...) SONDE_PRINTF(2, 3);

/* Prints one line on standard error: "sonde: ...", "sonde: warning: ..." or just "...". Characters that a terminal
 * would interpret are shown as \xNN (base/visible.h), so any string may be an argument. */
void sonde_say(const char *format, ...) SONDE_PRINTF(1, 2);
void sonde_warn(const char *format, ...) SONDE_PRINTF(1, 2);
void sonde_complain(const char *format, ...) SONDE_PRINTF(1, 2);

/* Ends the process because the code under test has overwritten sonde's memory. In a worker, the case fails. */
SONDE_NORETURN void sonde_die_overwritten(void);
/* Sets the function that sonde_die_overwritten calls, which must not return. NULL: sonde_die_overwritten prints a
 * message. */
void sonde_die_set_overwritten(void (*act)(void));

/* Sets the function that receives the message of sonde_die, which is then not printed. In a worker it passes the
 * message to the supervisor. NULL: sonde_die prints. */
void sonde_die_set_receiver(void (*receiver)(enum sonde_status status, const char *words));

/* Sets a function to call before the process ends for lack of memory or by a defect of sonde; NULL: none. */
void sonde_die_set_last_act(void (*act)(void));

/* Called first when a case ends its process, to save what the process has recorded; NULL: there is nothing to save. It
 * is a pointer, not a direct call, so that a program linked with a fuzzer does not link sonde's coverage beside the
 * fuzzer's. */
extern void (*sonde_at_death)(void);

#endif
