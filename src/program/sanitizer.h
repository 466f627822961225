/* What sanitizers and valgrind say while the process lives on.
 *
 * AddressSanitizer and its like end the process: their reports are death.h's. Here are those after which it goes
 * on: UndefinedBehaviorSanitizer where it recovers, ThreadSanitizer, and valgrind, which can only be
 * asked how many errors it has counted. */
#ifndef SONDE_PROGRAM_SANITIZER_H
#define SONDE_PROGRAM_SANITIZER_H

#include "case/case.h"

#include <signal.h>
#include <stdbool.h>

/* The case that reports are about: in this thread; and of threads that the property started, the last one begun. */
extern _Thread_local sonde *sonde_running_case __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern sonde *volatile sonde_last_case __attribute__((visibility("hidden")));
/* Not 0 if a tool has said something, or can only be asked. */
extern volatile int sonde_tools_spoke __attribute__((visibility("hidden")));
/* Called with what a tool reported just before that tool ends the process; NULL where nobody wants to know. */
extern void (*volatile sonde_tools_at_the_end)(const char *report) __attribute__((visibility("hidden")));

/* Where that is so: before the property, and after all of its code has run. A case that a tool reported has failed. */
void sonde_tools_begin(void);
void sonde_tools_end(sonde *t);
/* In the supervisor, of a case that died: turns a report of a race into its claim; false if there was none. */
bool sonde_tools_claim_race(sonde *t);
/* Whether a tool of this process has said something that it says once per process: then another one must go on. */
bool sonde_tools_are_worn(void);
/* Where there can be no other one: starts the program anew so that its tools repeat themselves. Returns if they do, or
 * if that cannot be done. */
void sonde_tools_repeat(char *const *argv);
/* sigaction, for a handler that must run wherever the code under test is. ThreadSanitizer keeps back what no fault of an
 * instruction raised until the code makes a call that it watches, which a loop may never do; this goes past it. What is put
 * back must be put back in the same way. */
int sonde_tools_sigaction(int signal, const struct sigaction *action, struct sigaction *before);
/* The same for a handler that somebody has set up already, and that is never taken back. */
void sonde_tools_hasten(int signal);

/* Whether there is LeakSanitizer or valgrind. */
bool sonde_leaks_can_be_found(void);
/* Returns whether a tool watches accesses to memory: AddressSanitizer, MemorySanitizer or valgrind. */
bool sonde_tools_watch_memory(void);
/* Returns whether LeakSanitizer reports a leak that is there: options may switch it off, and it does not work under a tracer.
 * Leaks in a child process, once. */
bool sonde_leaks_are_reported(void);
/* What has leaked so far is no case's fault, here and in processes that this one makes. */
void sonde_leaks_begin(void);
/* In a process that ends when something has leaked: whether it has; the tool prints its report. */
bool sonde_leaks_are_there(void);
/* For a process that goes on after a leak: whether more bytes have leaked than when this was last asked. LeakSanitizer
 * prints nothing meanwhile. */
bool sonde_leaks_grew(void);
/* LeakSanitizer prints its report of all that has leaked. */
void sonde_leaks_report(void);

/* ---- Blocks that the code under test has allocated since a moment and not freed, as a sanitizer reports them to its hooks. More than none
 * may be a leak, or a cache; none is no leak. LeakSanitizer on its own says of realloc only that the old block is gone, so blocks
 * are known one by one, and what was there before does not count. */

/* False if there is no sanitizer that has such hooks and can find leaks. */
bool sonde_blocks_watch(void);
/* The moment. */
void sonde_blocks_begin(void);
/* Whether there are any. Ends the watch until it begins again. */
bool sonde_blocks_are_left(void);

#endif
