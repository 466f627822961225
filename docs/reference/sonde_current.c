/* sonde_current: report failures from other frameworks and helpers.
 * Also: sonde_fail_at sonde_failed_at
 * See also: sonde_check */
#include <sonde.h>

/* An assertion of the project, which its helpers use inside and outside of properties. */
#define PROJECT_ASSERT(condition) project_assert((condition), #condition, __FILE__, __LINE__)

static void project_assert(bool holds, const char *condition, const char *file, int line)
{
    if (holds) return;
    sonde *t = sonde_current();
    if (t) sonde_fail_at(t, file, line, "%s does not hold", condition);
    fprintf(stderr, "%s:%d: %s does not hold\n", file, line, condition);
}

static void squares_are_positive(sonde *t)
{
    int x = sonde_int(t, "x", -100, 100);
    PROJECT_ASSERT(x * x >= 0);
}

SONDE_MAIN(squares_are_positive)
