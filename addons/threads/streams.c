#define _GNU_SOURCE     /* getdelim */
#define __NO_INLINE__ 1 /* headers must not define what is defined here */
/* Replaces functions that read from streams. The C library reads the descriptor internally, and would wait there
 * for data that another thread is to write, which blocks all threads. So whenever the buffer of a stream is empty,
 * other threads run until the descriptor is readable. Functions that read a line are built from fgetc. */
#include "access.h"
#include "sync.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __GLIBC__

/* Returns how many bytes the buffer of the stream holds. */
static size_t held(const FILE *f)
{
    return f->_IO_read_ptr < f->_IO_read_end ? (size_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
}

/* Lets other threads run until a read from the stream does not wait. */
static void wait_for(FILE *f, const char *function, const void *site)
{
    int fd = held(f) || feof_unlocked(f) ? -1 : fileno_unlocked(f);
    if (fd >= 0) sonde_descriptor_wait(fd, POLLIN, function, site);
}

/* Reads one character. */
static int take(FILE *f, const char *function, const void *site)
{
    wait_for(f, function, site);
    return SONDE_REAL(fgetc)(f);
}

int fgetc(FILE *f)
{
    return sonde_running() ? take(f, "fgetc()", SONDE_CALLER) : SONDE_REAL(fgetc)(f);
}

#undef getc
int getc(FILE *f)
{
    return sonde_running() ? take(f, "getc()", SONDE_CALLER) : SONDE_REAL(fgetc)(f);
}

#undef getchar
int getchar(void)
{
    return sonde_running() ? take(stdin, "getchar()", SONDE_CALLER) : SONDE_REAL(fgetc)(stdin);
}

char *fgets(char *to, int size, FILE *f)
{
    int n = 0, c = 0;
    if (!sonde_running() || size < 1) return SONDE_REAL(fgets)(to, size, f);
    while (n < size - 1 && c != '\n') {
        c = take(f, "fgets()", SONDE_CALLER);
        if (c == EOF) break;
        to[n++] = (char)c;
    }
    if (c == EOF && (n == 0 || ferror_unlocked(f))) return NULL;
    to[n] = '\0';
    sonde_access(to, (size_t)n + 1, true, SONDE_CALLER);
    return to;
}

size_t fread(void *to, size_t size, size_t n, FILE *f)
{
    size_t all, got = 0;
    if (!sonde_running() || !size || __builtin_mul_overflow(size, n, &all)) return SONDE_REAL(fread)(to, size, n, f);
    while (got < all) {
        wait_for(f, "fread()", SONDE_CALLER);
        size_t part = held(f) < all - got ? held(f) : all - got;
        /* Read what the buffer holds; if it is empty, one byte, for which the C library fills it again. */
        size_t done = SONDE_REAL(fread)((char *)to + got, 1, part ? part : 1, f);
        if (!done) break;
        got += done;
    }
    if (got) sonde_access(to, got, true, SONDE_CALLER);
    return got / size;
}

/* Makes sure that the line has space for `wanted` bytes; returns false if there is no memory. */
static bool has_room(char **line, size_t *size, size_t wanted)
{
    if (*line && *size >= wanted) return true;
    size_t new = wanted < 120 ? 120 : 2 * wanted;
    char *larger = realloc(*line, new);
    if (!larger) return false;
    *line = larger;
    *size = new;
    return true;
}

/* Reads a line as getdelim does. */
static ssize_t take_line(char **line, size_t *size, int end, FILE *f, const void *site)
{
    size_t n = 0;
    int c = EOF;
    if (!line || !size) {
        errno = EINVAL;
        return -1;
    }
    do {
        if (!has_room(line, size, n + 2)) return -1;
        c = take(f, "getline()", site);
        if (c != EOF) (*line)[n++] = (char)c;
    } while (c != EOF && c != end);
    (*line)[n] = '\0';
    sonde_access(*line, n + 1, true, site);
    return n ? (ssize_t)n : -1;
}

ssize_t getdelim(char **line, size_t *size, int end, FILE *f)
{
    return sonde_running() ? take_line(line, size, end, f, SONDE_CALLER) : SONDE_REAL(getdelim)(line, size, end, f);
}

/* With optimisation, headers of glibc turn getline into a call of this function. */
ssize_t __getdelim(char **line, size_t *size, int end, FILE *f)
{
    return sonde_running() ? take_line(line, size, end, f, SONDE_CALLER) : SONDE_REAL(getdelim)(line, size, end, f);
}

ssize_t getline(char **line, size_t *size, FILE *f)
{
    return sonde_running() ? take_line(line, size, '\n', f, SONDE_CALLER) : SONDE_REAL(getline)(line, size, f);
}

#endif
