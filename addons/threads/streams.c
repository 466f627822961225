#define _GNU_SOURCE     /* getdelim */
#define __NO_INLINE__ 1 /* headers must not define what is defined here */
/* Reading from streams in a thread under control. The C library reads the descriptor by itself where nobody sees it, and would wait there for what
 * another thread is to write. So whenever a stream has nothing left, others go on until there is something to be read. Functions that take more than
 * one character are made of the one that takes one. */
#include "access.h"
#include "sync.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __GLIBC__

/* What the stream holds already. */
static size_t held(const FILE *f)
{
    return f->_IO_read_ptr < f->_IO_read_end ? (size_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
}

static void wait_for(FILE *f, const char *function, const void *site)
{
    int fd = held(f) || feof_unlocked(f) ? -1 : fileno_unlocked(f);
    if (fd >= 0) sonde_descriptor_wait(fd, POLLIN, function, site);
}

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
        size_t done = SONDE_REAL(fread)((char *)to + got, 1, part ? part : 1, f); /* one: the stream is filled again */
        if (!done) break;
        got += done;
    }
    if (got) sonde_access(to, got, true, SONDE_CALLER);
    return got / size;
}

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

/* What getline is in headers that are compiled with optimisation. */
ssize_t __getdelim(char **line, size_t *size, int end, FILE *f)
{
    return sonde_running() ? take_line(line, size, end, f, SONDE_CALLER) : SONDE_REAL(getdelim)(line, size, end, f);
}

ssize_t getline(char **line, size_t *size, FILE *f)
{
    return sonde_running() ? take_line(line, size, '\n', f, SONDE_CALLER) : SONDE_REAL(getline)(line, size, f);
}

#endif
