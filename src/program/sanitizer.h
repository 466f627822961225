/* Collects what sanitizers and valgrind report while the process continues.
 *
 * AddressSanitizer and similar tools end the process: death.h handles their reports. Here are the tools after which the
 * process continues: UndefinedBehaviorSanitizer if it recovers, ThreadSanitizer, and valgrind. Valgrind can only be
 * asked how many errors it has counted. */
#ifndef SONDE_PROGRAM_SANITIZER_H
#define SONDE_PROGRAM_SANITIZER_H

#include "case/case.h"

#include <signal.h>
#include <stdbool.h>

/* Holds the case that reports are about: the one running in this thread. Threads that the property started use
 * sonde_last_case, the case begun last. */
extern _Thread_local sonde *sonde_running_case __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern sonde *volatile sonde_last_case __attribute__((visibility("hidden")));
/* Differs from 0 if a tool has reported something, or if the tool only counts errors and must be asked. */
extern volatile int sonde_tools_spoke __attribute__((visibility("hidden")));
/* Called with a tool's report just before that tool ends the process; may be NULL. */
extern void (*volatile sonde_tools_at_the_end)(const char *report) __attribute__((visibility("hidden")));

/* Begins, or ends, the watch over a case: before the property, and after all of its code has run. Called only if
 * sonde_tools_spoke differs from 0. A case that a tool reported has failed. */
void sonde_tools_begin(void);
void sonde_tools_end(sonde *t);
/* Turns a report of a race into the failure of a case that died; for the supervisor. Returns false if there was no
 * report. */
bool sonde_tools_claim_race(sonde *t);
/* Returns whether a tool has reported something that it reports only once per process. Then the search must continue in
 * another process. */
bool sonde_tools_report_no_more(void);
/* Restarts the program so that its tools report repeatedly, for runs without workers. Returns only if the tools already
 * do, or if the program cannot be restarted. */
void sonde_tools_repeat(char *const *argv);
/* Calls sigaction, for a handler that must run wherever the code under test is. ThreadSanitizer delays signals that are
 * not faults until the code makes a call that it intercepts, which a loop may never do. This function bypasses
 * ThreadSanitizer. Restore the old action by the same function. */
int sonde_tools_sigaction(int signal, const struct sigaction *action, struct sigaction *before);
/* Makes a handler that is already installed run without that delay. This is never undone. */
void sonde_tools_hasten(int signal);

/* Returns whether LeakSanitizer or valgrind is present. */
bool sonde_leaks_can_be_found(void);
/* Returns whether a tool watches accesses to memory: AddressSanitizer, MemorySanitizer or valgrind. */
bool sonde_tools_watch_memory(void);
/* Returns whether AddressSanitizer or HWAddressSanitizer is present. Each watches only the code compiled for it. */
bool sonde_tools_has_address(void);
/* Returns whether LeakSanitizer reports an actual leak: options may switch it off, and it does not work under a tracer.
 * To determine this, leaks memory in a child process, once. */
bool sonde_leaks_are_reported(void);
/* Excludes earlier leaks, so that no case is blamed for them, in this process and in processes that it starts. */
void sonde_leaks_begin(void);
/* Returns whether memory has leaked; the tool prints its report. Only for a process that ends afterwards. */
bool sonde_leaks_are_there(void);
/* Returns whether more bytes have leaked than at the last call, for a process that continues after a leak.
 * LeakSanitizer prints nothing. */
bool sonde_leaks_grew(void);
/* Makes LeakSanitizer print its report of all leaks so far. */
void sonde_leaks_report(void);

/* ---- Blocks that the code under test has allocated since a moment and not freed, as a sanitizer reports them to its
 * hooks. If there are any, that may be a leak or a cache; if there are none, nothing leaked. For realloc, LeakSanitizer
 * alone reports only that the old block is gone. So blocks are tracked one by one, and older ones do not count. */

/* Installs the hooks. Returns false if there is no sanitizer that has such hooks and can find leaks. */
bool sonde_blocks_watch(void);
/* Begins to watch blocks. */
void sonde_blocks_begin(void);
/* Returns whether blocks allocated since sonde_blocks_begin are left, and stops watching. */
bool sonde_blocks_are_left(void);

#endif
