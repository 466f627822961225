/* What sanitizers say while the process lives on. */
#ifndef SONDE_EXEC_SANITIZER_H
#define SONDE_EXEC_SANITIZER_H

#include "case/case.h"

/* The case that reports are about, in this thread. */
extern _Thread_local sonde *sonde_running_case __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Whether the program was built with LeakSanitizer; whether it knows of leaks that it has not told of before. */
bool sonde_leaks_can_be_found(void);
bool sonde_leaks_are_there(void);

#endif
