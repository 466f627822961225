#define _GNU_SOURCE /* etext */
/* memcpy and its relatives; see libc.h.
 *
 * The linker sends sonde's own calls here, too. They are told by where they come from: `sonde cc` links sonde behind the code under
 * test, so all of the program's code from this archive's first function on is sonde's. */
#include "libc.h"

#include <string.h>

extern const char etext[] __attribute__((visibility("hidden")));

bool sonde_is_ours(const void *site)
{
    return (uintptr_t)site >= (uintptr_t)sonde_tls_look && (uintptr_t)site < (uintptr_t)etext;
}

/* ---- Pieces */

enum {
    WORD = 8,  /* bytes that are copied at once, as a machine does at the least */
    PIECES = 8 /* of one copy: more would only make schedules longer */
};

static size_t piece_of(size_t n)
{
    size_t words = (n + WORD - 1) / WORD;
    return (words + PIECES - 1) / PIECES * WORD;
}

static void *real_move(void *to, const void *from, size_t n)
{
    extern void *__real_memmove(void *, const void *, size_t) __attribute__((weak));
    return __real_memmove ? __real_memmove(to, from, n) : memmove(to, from, n);
}

static void *real_fill(void *to, int byte, size_t n)
{
    extern void *__real_memset(void *, int, size_t) __attribute__((weak));
    return __real_memset ? __real_memset(to, byte, n) : memset(to, byte, n);
}

static void copy_piece(char *to, const char *from, size_t n, const void *site)
{
    sonde_access_seen(from, n, false, site);
    sonde_access_seen(to, n, true, site);
    real_move(to, from, n);
}

static void copy_in_pieces(void *to, const void *from, size_t n, const void *site)
{
    size_t piece = piece_of(n), start;
    if ((uintptr_t)to - (uintptr_t)from >= n) {
        for (size_t at = 0; at < n; at += piece)
            copy_piece((char *)to + at, (const char *)from + at, n - at < piece ? n - at : piece, site);
        return;
    }
    for (size_t end = n; end > 0; end = start) { /* from the end: the two overlap */
        start = (end - 1) / piece * piece;
        copy_piece((char *)to + start, (const char *)from + start, end - start, site);
    }
}

static void fill_in_pieces(void *to, int byte, size_t n, const void *site)
{
    size_t piece = piece_of(n);
    for (size_t at = 0; at < n; at += piece) {
        size_t size = n - at < piece ? n - at : piece;
        sonde_access_seen((char *)to + at, size, true, site);
        real_fill((char *)to + at, byte, size);
    }
}

/* ---- Copies of bytes */

void *sonde_move(void *to, const void *from, size_t n, const void *site)
{
    if (sonde_is_watched(site)) copy_in_pieces(to, from, n, site);
    else real_move(to, from, n);
    return to;
}

void *sonde_fill(void *to, int byte, size_t n, const void *site)
{
    if (sonde_is_watched(site)) fill_in_pieces(to, byte, n, site);
    else real_fill(to, byte, n);
    return to;
}

/* sonde's own copies come through here, too: the quick way for these. */
WRAP(void *, memcpy, void *to, const void *from, size_t n)
{
    if (!sonde_is_watched(SONDE_CALLER)) return __real_memcpy(to, from, n);
    return sonde_move(to, from, n, SONDE_CALLER);
}

WRAP(void *, memmove, void *to, const void *from, size_t n)
{
    if (!sonde_is_watched(SONDE_CALLER)) return __real_memmove(to, from, n);
    return sonde_move(to, from, n, SONDE_CALLER);
}

WRAP(void *, mempcpy, void *to, const void *from, size_t n)
{
    return (char *)sonde_move(to, from, n, SONDE_CALLER) + n;
}

WRAP(void, bcopy, const void *from, void *to, size_t n)
{
    sonde_move(to, from, n, SONDE_CALLER);
}

WRAP(void *, memset, void *to, int byte, size_t n)
{
    if (!sonde_is_watched(SONDE_CALLER)) return __real_memset(to, byte, n);
    return sonde_fill(to, byte, n, SONDE_CALLER);
}

WRAP(void, bzero, void *to, size_t n)
{
    sonde_fill(to, 0, n, SONDE_CALLER);
}

WRAP(void *, memccpy, void *to, const void *from, int byte, size_t n)
{
    const void *site = SONDE_CALLER;
    if (!sonde_is_watched(site)) return __real_memccpy(to, from, byte, n);
    if (n) sonde_touch(from, false, site);
    const char *end = memchr(from, byte, n);
    size_t size = end ? (size_t)(end - (const char *)from) + 1 : n;
    sonde_move(to, from, size, site);
    return end ? (char *)to + size : NULL;
}

/* ---- Copies of strings. How long the string is, is found out behind a step; the copy then has that length. */

static size_t length(const char *text, size_t most, const void *site)
{
    if (sonde_is_watched(site) && most) sonde_touch(text, false, site);
    return strnlen(text, most);
}

static char *copy_text(char *to, const char *from, const void *site)
{
    return sonde_move(to, from, length(from, SIZE_MAX, site) + 1, site);
}

static char *copy_part(char *to, const char *from, size_t most, const void *site)
{
    size_t n = length(from, most, site), end = n < most ? n + 1 : n;
    sonde_move(to, from, end, site);
    if (end < most) sonde_fill(to + end, 0, most - end, site);
    return to + n;
}

static char *append(char *to, const char *from, size_t most, const void *site)
{
    size_t n = length(from, most, site);
    if (sonde_is_watched(site)) sonde_read_text(to, SIZE_MAX, site);
    char *end = to + strlen(to);
    sonde_move(end, from, n, site);
    sonde_fill(end + n, 0, 1, site);
    return to;
}

WRAP(char *, strcpy, char *to, const char *from)
{
    return copy_text(to, from, SONDE_CALLER);
}

WRAP(char *, stpcpy, char *to, const char *from)
{
    size_t n = length(from, SIZE_MAX, SONDE_CALLER);
    return (char *)sonde_move(to, from, n + 1, SONDE_CALLER) + n;
}

WRAP(char *, strncpy, char *to, const char *from, size_t n)
{
    copy_part(to, from, n, SONDE_CALLER);
    return to;
}

WRAP(char *, stpncpy, char *to, const char *from, size_t n)
{
    return copy_part(to, from, n, SONDE_CALLER);
}

WRAP(char *, strcat, char *to, const char *from)
{
    return append(to, from, SIZE_MAX, SONDE_CALLER);
}

WRAP(char *, strncat, char *to, const char *from, size_t n)
{
    return append(to, from, n, SONDE_CALLER);
}

/* ---- The same where they are called with the size of what is written to (_FORTIFY_SOURCE) */

/* Ends the process as the C library does, by calling the function that compares the sizes. */
#define CHECKED(type, name, is_right, call, ...)                                                                       \
    WRAP(type, __##name##_chk, __VA_ARGS__)                                                                            \
    {                                                                                                                  \
        const void *site = SONDE_CALLER;                                                                               \
        if (!sonde_is_watched(site) || !(is_right)) return __real___##name##_chk call;                                 \
        return (type)checked_##name(to, from, n, site);                                                                \
    }

static void *checked_memcpy(void *to, const void *from, size_t n, const void *site)
{
    return sonde_move(to, from, n, site);
}
#define checked_memmove checked_memcpy

static char *checked_mempcpy(void *to, const void *from, size_t n, const void *site)
{
    return (char *)sonde_move(to, from, n, site) + n;
}

CHECKED(void *, memcpy, n <= room, (to, from, n, room), void *to, const void *from, size_t n, size_t room)
CHECKED(void *, memmove, n <= room, (to, from, n, room), void *to, const void *from, size_t n, size_t room)
CHECKED(void *, mempcpy, n <= room, (to, from, n, room), void *to, const void *from, size_t n, size_t room)

static char *checked_strncpy(char *to, const char *from, size_t n, const void *site)
{
    copy_part(to, from, n, site);
    return to;
}
CHECKED(char *, strncpy, n <= room, (to, from, n, room), char *to, const char *from, size_t n, size_t room)

WRAP(void *, __memset_chk, void *to, int byte, size_t n, size_t room)
{
    return n <= room ? sonde_fill(to, byte, n, SONDE_CALLER) : __real___memset_chk(to, byte, n, room);
}

WRAP(char *, __strcpy_chk, char *to, const char *from, size_t room)
{
    return strlen(from) < room ? copy_text(to, from, SONDE_CALLER) : __real___strcpy_chk(to, from, room);
}

WRAP(char *, __stpcpy_chk, char *to, const char *from, size_t room)
{
    if (strlen(from) >= room) return __real___stpcpy_chk(to, from, room);
    size_t n = length(from, SIZE_MAX, SONDE_CALLER);
    return (char *)sonde_move(to, from, n + 1, SONDE_CALLER) + n;
}

WRAP(char *, __strcat_chk, char *to, const char *from, size_t room)
{
    if (strlen(to) + strlen(from) >= room) return __real___strcat_chk(to, from, room);
    return append(to, from, SIZE_MAX, SONDE_CALLER);
}

WRAP(char *, __strncat_chk, char *to, const char *from, size_t n, size_t room)
{
    if (strlen(to) + strnlen(from, n) >= room) return __real___strncat_chk(to, from, n, room);
    return append(to, from, n, SONDE_CALLER);
}
