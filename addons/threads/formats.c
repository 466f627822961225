#define _GNU_SOURCE /* vasprintf */
/* Wrappers of printf, scanf and similar functions; libc.h describes what a wrapper does.
 * The format is parsed, to find the strings that %s reads and the memory that %n or a conversion of scanf writes. */
#include "libc.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* ---- Conversions in a format: % flags width . precision length kind */

/* One conversion. */
struct conversion {
    char kind;                         /* letter of the conversion; '\0': there are no more */
    char length;                       /* 'H' for hh, 'q' for ll; other lengths as written; '\0': none */
    bool is_suppressed;                /* scanf: %*d assigns nothing */
    bool takes_width, takes_precision; /* printf: a * takes the number from an argument */
    long width, precision;             /* -1: not given */
};

/* Reads a number; -1 if there is none. Stops adding digits before it could overflow. */
static long digits(const char **at)
{
    long n = -1;
    for (; **at >= '0' && **at <= '9'; ++*at) n = (n < 0 ? 0 : n > 100000 ? n : n * 10) + (**at - '0');
    return n;
}

/* Reads a length modifier. */
static char length_of(const char **at)
{
    char c = **at;
    if (!c || !strchr("hlqjztL", c)) return '\0';
    ++*at;
    if ((c != 'h' && c != 'l') || **at != c) return c;
    ++*at;
    return c == 'h' ? 'H' : 'q';
}

/* Reads the next conversion and moves *at past it. Formats that number their arguments (%1$s) are not supported:
 * the list of conversions ends there. */
static struct conversion next(const char **at, bool scans)
{
    struct conversion c = {.width = -1, .precision = -1};
    for (*at = strchr(*at, '%'); *at && (*at)[1] == '%'; *at = strchr(*at + 2, '%')) continue;
    if (!*at) {
        *at = "";
        return c;
    }
    ++*at;
    c.is_suppressed = scans && **at == '*' && ++*at;
    while (!scans && **at && strchr("-+ #0'I", **at)) ++*at;
    c.takes_width = !scans && **at == '*' && ++*at;
    c.width = digits(at);
    if (**at == '$') return (struct conversion){0};
    if (!scans && **at == '.') {
        ++*at;
        c.takes_precision = **at == '*' && ++*at;
        c.precision = c.takes_precision ? -1 : digits(at);
        if (c.precision < 0 && !c.takes_precision) c.precision = 0;
    }
    if (scans && **at == 'm') return (struct conversion){0}; /* not supported: scanf allocates the memory */
    c.length = length_of(at);
    c.kind = **at;
    if (**at) ++*at;
    if (scans && c.kind == '[') {
        if (**at == '^') ++*at;
        if (**at == ']') ++*at;
        while (**at && **at != ']') ++*at;
        if (**at) ++*at;
    }
    return c;
}

/* Returns the size of an integer with this length modifier. */
static size_t number_size(char length)
{
    switch (length) {
    case 'H': return sizeof(char);
    case 'h': return sizeof(short);
    case 'l': return sizeof(long);
    case 'q':
    case 'j':
    case 'L': return sizeof(long long);
    case 'z':
    case 't': return sizeof(size_t);
    default: return sizeof(int);
    }
}

/* ---- printf */

/* A va_list that can be passed by pointer: on some machines the type is an array. */
struct arguments {
    va_list list;
};

/* Skips the argument of a conversion. */
static void skip_argument(struct arguments *a, const struct conversion *c)
{
    if (strchr("aAeEfFgG", c->kind)) {
        if (c->length == 'L') (void)va_arg(a->list, long double);
        else (void)va_arg(a->list, double);
    } else if (c->kind == 'p' || c->kind == 'S' || c->kind == 's') {
        (void)va_arg(a->list, void *);
    } else if (number_size(c->length) > sizeof(int)) {
        (void)va_arg(a->list, long long);
    } else {
        (void)va_arg(a->list, int);
    }
}

/* Reports what the arguments make printf read (%s) and write (%n). */
static void read_arguments(const char *format, va_list list, const void *site)
{
    struct arguments a;
    va_copy(a.list, list);
    for (const char *at = format;;) {
        struct conversion c = next(&at, false);
        if (!c.kind) break;
        if (c.takes_width) (void)va_arg(a.list, int);
        if (c.takes_precision) c.precision = va_arg(a.list, int);
        if (c.kind == 'm') continue;
        if (c.kind == 's' && !c.length) {
            const char *text = va_arg(a.list, const char *);
            if (text) sonde_read_text(text, c.precision < 0 ? SIZE_MAX : (size_t)c.precision, site);
        } else if (c.kind == 'n') {
            const void *to = va_arg(a.list, const void *);
            sonde_access_seen(to, number_size(c.length), true, site);
        } else {
            skip_argument(&a, &c);
        }
    }
    va_end(a.list);
}

/* Reports the accesses to the format and to its arguments; does nothing outside of threads under control. */
static void see_format(const char *format, va_list list, const void *site)
{
    if (!sonde_is_watched(site)) return;
    sonde_read_text(format, SIZE_MAX, site);
    read_arguments(format, list, site);
}

extern int __real_vsnprintf(char *to, size_t size, const char *format, va_list list) __attribute__((weak));
extern int __real_vfprintf(FILE *to, const char *format, va_list list) __attribute__((weak));

/* Prints to a buffer of sonde, and copies the string from there in pieces, each with a step. A longer string is
 * written directly, with one step. */
static int print_to(char *to, size_t size, const char *format, va_list list, const void *site)
{
    char text[512];
    va_list again;
    if (!sonde_is_watched(site)) return __real_vsnprintf(to, size, format, list);
    see_format(format, list, site);
    va_copy(again, list);
    int n = __real_vsnprintf(text, size < sizeof text ? size : sizeof text, format, list);
    size_t used = n < 0 || !size ? 0 : (size_t)n < size ? (size_t)n + 1 : size;
    if (used && used <= sizeof text) {
        sonde_move(to, text, used, site);
    } else if (used) {
        sonde_touch(to, true, site);
        sonde_cover(to, used, true, site);
        n = __real_vsnprintf(to, size, format, again);
    }
    va_end(again);
    return n;
}

/* The body of a function with variable arguments: `call` gets them as `list`. */
#define WITH_ARGUMENTS(last, call)                                                                                     \
    va_list list;                                                                                                      \
    va_start(list, last);                                                                                              \
    int n = call;                                                                                                      \
    va_end(list);                                                                                                      \
    return n

WRAP(int, vsnprintf, char *to, size_t size, const char *format, va_list list)
{
    return print_to(to, size, format, list, SONDE_CALLER);
}
WRAP(int, vsprintf, char *to, const char *format, va_list list)
{
    return print_to(to, INT32_MAX, format, list, SONDE_CALLER);
}
WRAP(int, snprintf, char *to, size_t size, const char *format, ...)
{
    WITH_ARGUMENTS(format, print_to(to, size, format, list, SONDE_CALLER));
}
WRAP(int, sprintf, char *to, const char *format, ...)
{
    WITH_ARGUMENTS(format, print_to(to, INT32_MAX, format, list, SONDE_CALLER));
}

static int print_stream(FILE *to, const char *format, va_list list, const void *site)
{
    see_format(format, list, site);
    return __real_vfprintf(to, format, list);
}

WRAP(int, vfprintf, FILE *to, const char *format, va_list list)
{
    return print_stream(to, format, list, SONDE_CALLER);
}
WRAP(int, vprintf, const char *format, va_list list)
{
    return print_stream(stdout, format, list, SONDE_CALLER);
}
WRAP(int, fprintf, FILE *to, const char *format, ...)
{
    WITH_ARGUMENTS(format, print_stream(to, format, list, SONDE_CALLER));
}
WRAP(int, printf, const char *format, ...)
{
    WITH_ARGUMENTS(format, print_stream(stdout, format, list, SONDE_CALLER));
}

WRAP(int, vasprintf, char **to, const char *format, va_list list)
{
    see_format(format, list, SONDE_CALLER);
    if (sonde_is_watched(SONDE_CALLER)) sonde_access_seen(to, sizeof *to, true, SONDE_CALLER);
    return __real_vasprintf(to, format, list);
}
WRAP(int, asprintf, char **to, const char *format, ...)
{
    const void *site = SONDE_CALLER;
    va_list list;
    va_start(list, format);
    see_format(format, list, site);
    if (sonde_is_watched(site)) sonde_access_seen(to, sizeof *to, true, site);
    int n = (__real_vasprintf ? __real_vasprintf : vasprintf)(to, format, list);
    va_end(list);
    return n;
}

/* ---- Variants that _FORTIFY_SOURCE calls, with a flag and the size of the destination (room) */

WRAP(int, __vsnprintf_chk, char *to, size_t size, int flag, size_t room, const char *format, va_list list)
{
    if (size > room || !sonde_is_watched(SONDE_CALLER))
        return __real___vsnprintf_chk(to, size, flag, room, format, list);
    return print_to(to, size, format, list, SONDE_CALLER);
}

static int print_within(char *to, size_t room, const char *format, va_list list, const void *site)
{
    int n = print_to(to, room < INT32_MAX ? room : INT32_MAX, format, list, site);
    if (n >= 0 && (size_t)n >= room) abort(); /* the C library would end a program that overflows its buffer, too */
    return n;
}

WRAP(int, __vsprintf_chk, char *to, int flag, size_t room, const char *format, va_list list)
{
    (void)flag;
    return print_within(to, room, format, list, SONDE_CALLER);
}
WRAP(int, __sprintf_chk, char *to, int flag, size_t room, const char *format, ...)
{
    (void)flag;
    WITH_ARGUMENTS(format, print_within(to, room, format, list, SONDE_CALLER));
}
WRAP(int, __snprintf_chk, char *to, size_t size, int flag, size_t room, const char *format, ...)
{
    (void)flag;
    if (size > room) abort();
    WITH_ARGUMENTS(format, print_to(to, size, format, list, SONDE_CALLER));
}
WRAP(int, __vfprintf_chk, FILE *to, int flag, const char *format, va_list list)
{
    (void)flag;
    return print_stream(to, format, list, SONDE_CALLER);
}
WRAP(int, __vprintf_chk, int flag, const char *format, va_list list)
{
    (void)flag;
    return print_stream(stdout, format, list, SONDE_CALLER);
}
WRAP(int, __fprintf_chk, FILE *to, int flag, const char *format, ...)
{
    (void)flag;
    WITH_ARGUMENTS(format, print_stream(to, format, list, SONDE_CALLER));
}
WRAP(int, __printf_chk, int flag, const char *format, ...)
{
    (void)flag;
    WITH_ARGUMENTS(format, print_stream(stdout, format, list, SONDE_CALLER));
}

/* ---- scanf. The memory that it has written is known only afterwards, so it is reported then. */

/* Returns how many bytes a conversion has written. */
static size_t scanned_size(const struct conversion *c, const void *to)
{
    if (c->kind == 'c') return c->width < 0 ? 1 : (size_t)c->width;
    if (c->kind == 's' || c->kind == '[') return strlen(to) + 1;
    if (c->kind == 'p') return sizeof(void *);
    if (strchr("aAeEfFgG", c->kind))
        return c->length == 'L' ? sizeof(long double) : c->length == 'l' ? sizeof(double) : sizeof(float);
    return number_size(c->length);
}

/* Reports the memory that the first n conversions have written. Wide characters are left out: their size is not
 * known. */
static void see_scanned(const char *format, va_list list, int n, const void *site)
{
    for (const char *at = format; n > 0;) {
        struct conversion c = next(&at, true);
        if (!c.kind) return;
        if (c.is_suppressed) continue;
        const void *to = va_arg(list, const void *);
        bool is_wide = c.length == 'l' && (c.kind == 'c' || c.kind == 's' || c.kind == '[');
        if (!is_wide) sonde_access_seen(to, scanned_size(&c, to), true, site);
        if (c.kind != 'n') n--;
    }
}

extern int __real_vsscanf(const char *text, const char *format, va_list list) __attribute__((weak));

static int scan(const char *text, const char *format, va_list list, const void *site)
{
    va_list again;
    va_copy(again, list);
    bool is_watched = sonde_is_watched(site);
    if (is_watched) sonde_read_text(text, SIZE_MAX, site);
    int n = __real_vsscanf ? __real_vsscanf(text, format, list) : vsscanf(text, format, list);
    if (is_watched) see_scanned(format, again, n, site);
    va_end(again);
    return n;
}

/* Defines the wrappers of a scanf function and of its variant with a va_list. */
#define SCANS(one, all)                                                                                                \
    WRAP(int, all, const char *text, const char *format, va_list list)                                                 \
    {                                                                                                                  \
        return scan(text, format, list, SONDE_CALLER);                                                                 \
    }                                                                                                                  \
    WRAP(int, one, const char *text, const char *format, ...)                                                          \
    {                                                                                                                  \
        WITH_ARGUMENTS(format, scan(text, format, list, SONDE_CALLER));                                                \
    }
SCANS(sscanf, vsscanf)
SCANS(__isoc99_sscanf, __isoc99_vsscanf)
SCANS(__isoc23_sscanf, __isoc23_vsscanf)

/* ---- Output to streams and descriptors */

WRAP(int, puts, const char *text)
{
    if (sonde_is_watched(SONDE_CALLER)) sonde_read_text(text, SIZE_MAX, SONDE_CALLER);
    return __real_puts(text);
}

WRAP(int, fputs, const char *text, FILE *to)
{
    if (sonde_is_watched(SONDE_CALLER)) sonde_read_text(text, SIZE_MAX, SONDE_CALLER);
    return __real_fputs(text, to);
}

/* Reports the use of n bytes, with a step before it. */
static void see_bytes(const void *p, size_t n, bool writes, const void *site)
{
    if (!sonde_is_watched(site) || !n) return;
    sonde_touch(p, writes, site);
    sonde_cover(p, n, writes, site);
}

/* Lets libsonde_faults report accesses: it replaces the functions below if the program is linked with both. */
__attribute__((visibility("default"))) void sonde_bytes_seen_(const void *p, size_t n, bool writes, const void *site);
void sonde_bytes_seen_(const void *p, size_t n, bool writes, const void *site)
{
    see_bytes(p, n, writes, site);
}

#pragma weak __wrap_fwrite
#pragma weak __wrap_pwrite
#pragma weak __wrap_pread
#pragma weak __wrap_send

WRAP(size_t, fwrite, const void *from, size_t size, size_t n, FILE *to)
{
    see_bytes(from, size * n, false, SONDE_CALLER);
    return __real_fwrite(from, size, n, to);
}

WRAP(ssize_t, pwrite, int fd, const void *from, size_t n, off_t at)
{
    see_bytes(from, n, false, SONDE_CALLER);
    return __real_pwrite(fd, from, n, at);
}

WRAP(ssize_t, pread, int fd, void *to, size_t n, off_t at)
{
    ssize_t got = __real_pread(fd, to, n, at);
    if (got > 0) see_bytes(to, (size_t)got, true, SONDE_CALLER);
    return got;
}

WRAP(ssize_t, send, int fd, const void *from, size_t n, int flags)
{
    see_bytes(from, n, false, SONDE_CALLER);
    return __real_send(fd, from, n, flags);
}
