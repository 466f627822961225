/* sonde_faults: make calls of the code under test fail.
 * Also: sonde_faults_end sonde_oom sonde_crash sonde_power_cut
 * See also: sonde_threads sonde_defer
 * Link with: sonde-faults sonde-oom */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

/* The code under test: a copy of a string, or NULL without memory. */
static char *duplicate(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static void duplicates_are_equal_or_missing(sonde *t)
{
    const char *text = sonde_string(t, "text", 0, 20);
    bool fails = sonde_oom(t, "fails", 3) == 1; /* the first allocation fails */
    char *copy = duplicate(text);
    sonde_check(t, fails ? !copy : !strcmp(copy, text));
    free(copy);
}

static void short_reads_lose_nothing(sonde *t)
{
    sonde_faults(t, "faults", SONDE_FAULT_SHORT);
    FILE *file = tmpfile();
    sonde_faults_end(t);
    if (file) fclose(file);
}

SONDE_MAIN(duplicates_are_equal_or_missing, short_reads_lose_nothing)
