/* What sanitizers say while the process lives on: undefined behaviour that was only printed, and leaks.
 *
 * UBSan by default prints a line and goes on; here it is a failure of the running case, at the place it names. The
 * runtime calls __ubsan_on_report if the program has one. It holds a lock then, so the case is not left at once; it
 * fails when it ends. */
#include "exec/sanitizer.h"

#include <string.h>

#define WEAK __attribute__((weak))
extern WEAK void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file,
                                                 unsigned *line, unsigned *column, char **address);
extern WEAK int __lsan_do_recoverable_leak_check(void);

_Thread_local sonde *sonde_running_case __attribute__((tls_model("initial-exec"), visibility("hidden")));

void __ubsan_on_report(void);

__attribute__((visibility("default"))) void __ubsan_on_report(void)
{
    const char *kind = "", *message = "", *file = NULL;
    unsigned line = 0, column = 0;
    char *address;
    sonde *t = sonde_running_case;
    if (!t || !t->owner || !__ubsan_get_current_report_data) return;
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
    sonde_case_undefined(t, kind, message, file, (int)line);
}

bool sonde_leaks_can_be_found(void)
{
    return __lsan_do_recoverable_leak_check != NULL;
}

bool sonde_leaks_are_there(void)
{
    return __lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check() != 0;
}
