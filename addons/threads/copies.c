#define _GNU_SOURCE /* etext */
/* Wrappers of memcpy, strcpy and other functions that copy or fill memory; libc.h describes what a wrapper does.
 *
 * The linker redirects calls of sonde here, too. Their address distinguishes them: `sonde cc` links sonde after
 * the code under test. So all code of the program from the first function of this archive on belongs to sonde. */
#include "libc.h"

#include <string.h>

extern const char etext[] __attribute__((visibility("hidden")));

/* tls.o is the first member of the archive, so one of its functions is the lower bound. */
bool sonde_is_ours(const void *site)
{
    return (uintptr_t)site >= (uintptr_t)sonde_tls_look && (uintptr_t)site < (uintptr_t)etext;
}

/* ---- Pieces */

enum {
    WORD = 8,  /* smallest number of bytes that a machine copies at once */
    PIECES = 8 /* maximum number of pieces of one copy; more would only make schedules longer */
};

/* Returns the size of a piece for a copy of n bytes: a multiple of WORD. */
static size_t piece_of(size_t n)
{
    size_t words = (n + WORD - 1) / WORD;
    return (words + PIECES - 1) / PIECES * WORD;
}

/* Calls the memmove of the C library. __real_memmove exists only if the linker wraps memmove. */
static void *real_move(void *to, const void *from, size_t n)
{
    extern void *__real_memmove(void *, const void *, size_t) __attribute__((weak));
    return __real_memmove ? __real_memmove(to, from, n) : memmove(to, from, n);
}

/* Calls the memset of the C library. */
static void *real_fill(void *to, int byte, size_t n)
{
    extern void *__real_memset(void *, int, size_t) __attribute__((weak));
    return __real_memset ? __real_memset(to, byte, n) : memset(to, byte, n);
}

/* Copies one piece, after a step for the read and one for the write. */
static void copy_piece(char *to, const char *from, size_t n, const void *site)
{
    sonde_access_seen(from, n, false, site);
    sonde_access_seen(to, n, true, site);
    real_move(to, from, n);
}

/* Copies like memmove: from the end if a copy from the beginning would overwrite bytes that are still to be read. */
static void copy_in_pieces(void *to, const void *from, size_t n, const void *site)
{
    size_t piece = piece_of(n), start;
    if ((uintptr_t)to - (uintptr_t)from >= n) {
        for (size_t at = 0; at < n; at += piece)
            copy_piece((char *)to + at, (const char *)from + at, n - at < piece ? n - at : piece, site);
        return;
    }
    for (size_t end = n; end > 0; end = start) {
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

/* Calls of sonde come through here, too, so there is a short path for them. */
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

/* ---- Copies of strings. The length is determined once, after a step. Another thread may change the string before it
 * is copied; the copy still has that length. */

/* Returns the length of a string, at most `most`, after a step. */
static size_t length(const char *text, size_t most, const void *site)
{
    if (sonde_is_watched(site) && most) sonde_touch(text, false, site);
    return strnlen(text, most);
}

static char *copy_text(char *to, const char *from, const void *site)
{
    return sonde_move(to, from, length(from, SIZE_MAX, site) + 1, site);
}

/* Copies like strncpy, filling up with zeros. Returns the end of the string in `to`, as stpncpy does. */
static char *copy_part(char *to, const char *from, size_t most, const void *site)
{
    size_t n = length(from, most, site), end = n < most ? n + 1 : n;
    sonde_move(to, from, end, site);
    if (end < most) sonde_fill(to + end, 0, most - end, site);
    return to + n;
}

/* Appends like strncat. */
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

/* ---- Variants that _FORTIFY_SOURCE calls, with the size of the destination (room) */

/* Defines such a variant. If the size is too small, the function of the C library is called, which ends the
 * process. */
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
