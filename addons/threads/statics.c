#define _GNU_SOURCE
/* Wrappers of functions of the C library that have a state which all threads share: the environment, the string of
 * strtok, the buffer of localtime. Here each state is a byte that the functions read or write. So threads that use
 * it at the same time interleave, and have a data race; libc.h describes what a wrapper does. */
#include "libc.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The environment; the position of strtok; the struct tm of localtime and gmtime; the string of ctime and asctime. */
static char environment, token, broken_down, printed_time;

/* Reports an access to a shared state. */
static void see(const char *state, bool writes, const void *site)
{
    if (sonde_is_watched(site)) sonde_access_seen(state, 1, writes, site);
}

/* Reports that a string is read; does nothing for NULL. */
static void read_text(const char *text, const void *site)
{
    if (text && sonde_is_watched(site)) sonde_read_text(text, SIZE_MAX, site);
}

/* ---- The environment */

WRAP(char *, getenv, const char *name)
{
    see(&environment, false, SONDE_CALLER);
    read_text(name, SONDE_CALLER);
    return __real_getenv(name);
}

WRAP(int, setenv, const char *name, const char *value, int replaces)
{
    see(&environment, true, SONDE_CALLER);
    read_text(name, SONDE_CALLER);
    read_text(value, SONDE_CALLER);
    return __real_setenv(name, value, replaces);
}

WRAP(int, unsetenv, const char *name)
{
    see(&environment, true, SONDE_CALLER);
    read_text(name, SONDE_CALLER);
    return __real_unsetenv(name);
}

WRAP(int, putenv, char *text)
{
    see(&environment, true, SONDE_CALLER);
    return __real_putenv(text);
}

WRAP(int, clearenv, void)
{
    see(&environment, true, SONDE_CALLER);
    return __real_clearenv();
}

/* ---- Strings */

WRAP(char *, strtok, char *text, const char *set)
{
    see(&token, true, SONDE_CALLER);
    read_text(text, SONDE_CALLER);
    read_text(set, SONDE_CALLER);
    return __real_strtok(text, set);
}

/* ---- Times */

/* Reports an access to a time of the caller. */
static void see_time(const void *p, size_t size, bool writes, const void *site)
{
    if (p && sonde_is_watched(site)) sonde_access_seen(p, size, writes, site);
}

WRAP(struct tm *, localtime, const time_t *at)
{
    see_time(at, sizeof *at, false, SONDE_CALLER);
    see(&broken_down, true, SONDE_CALLER);
    return __real_localtime(at);
}

WRAP(struct tm *, gmtime, const time_t *at)
{
    see_time(at, sizeof *at, false, SONDE_CALLER);
    see(&broken_down, true, SONDE_CALLER);
    return __real_gmtime(at);
}

WRAP(struct tm *, localtime_r, const time_t *at, struct tm *to)
{
    see_time(at, sizeof *at, false, SONDE_CALLER);
    see_time(to, sizeof *to, true, SONDE_CALLER);
    return __real_localtime_r(at, to);
}

WRAP(struct tm *, gmtime_r, const time_t *at, struct tm *to)
{
    see_time(at, sizeof *at, false, SONDE_CALLER);
    see_time(to, sizeof *to, true, SONDE_CALLER);
    return __real_gmtime_r(at, to);
}

WRAP(char *, ctime, const time_t *at)
{
    see_time(at, sizeof *at, false, SONDE_CALLER);
    see(&broken_down, true, SONDE_CALLER);
    see(&printed_time, true, SONDE_CALLER);
    return __real_ctime(at);
}

WRAP(char *, asctime, const struct tm *at)
{
    see_time(at, sizeof *at, false, SONDE_CALLER);
    see(&printed_time, true, SONDE_CALLER);
    return __real_asctime(at);
}

WRAP(time_t, mktime, struct tm *at)
{
    see_time(at, sizeof *at, true, SONDE_CALLER);
    return __real_mktime(at);
}

WRAP(size_t, strftime, char *to, size_t size, const char *format, const struct tm *at)
{
    read_text(format, SONDE_CALLER);
    see_time(at, sizeof *at, false, SONDE_CALLER);
    size_t n = __real_strftime(to, size, format, at);
    if (n) see_time(to, n + 1, true, SONDE_CALLER);
    return n;
}
