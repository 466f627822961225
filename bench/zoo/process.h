/* Processes that the zoo starts: compilers, probes, searches. None of them outlives the program that started it, however that ends. */
#ifndef BENCH_ZOO_PROCESS_H
#define BENCH_ZOO_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

enum { ZOO_JOBS_MAX = 16 };

/* Like fork; the child leads a new process group, is ended with it when its parent ends, and may use so much processor
 * time (0: any). The parent must wait for it by zoo_wait. -1: no process is to be had. */
pid_t zoo_fork(double cpu_seconds);
/* True if it ended with status 0. */
bool zoo_wait(pid_t child);
/* Runs a command; what it prints goes to the file `log`. True if it ended with status 0. */
bool zoo_command(char *const *argv, const char *log);

#endif
