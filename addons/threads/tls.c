#define _GNU_SOURCE /* dl_iterate_phdr */
/* Thread-locals of the code under test: each thread has its own, though all of them run in one OS thread. The bytes are exchanged
 * when the turn is.
 *
 * Of the program itself only what was linked before this file: behind it come sonde's own, which belong to the OS thread. `sonde cc` links
 * in that order. Two marks say where sonde's begin, since initialised and zeroed ones lie apart. Of shared libraries all, but for the C library's,
 * which has the OS thread's own things there (errno is kept apart, in control.c). The C++ library keeps there which exceptions are being
 * handled, and what std::call_once is about to call. */
#include "os.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static SONDE_TLS volatile char data_mark = 1;
static SONDE_TLS volatile char zero_mark;

enum { PARTS = 32 };

/* Bytes of this OS thread: of one module the initialised ones and the zeroed ones. */
static struct part {
    char *at;
    size_t n;
    const char *image; /* what they are at first; NULL: zeros */
} parts[PARTS];
static uint32_t n_parts;
static size_t size;                   /* of all parts */
static unsigned long long generation; /* of what is loaded */
static volatile char *looked_in;      /* the thread whose addresses these are */
static const int *errno_here;         /* of that thread, too */

static const char *lowest, *highest; /* all parts are between them */

/* What is sonde's in the program: behind the marks. Bytes, and where they are while the baton is on its way. */
enum { OURS = 4096 };
static struct {
    size_t n_data, n_zero;
    char data[OURS], zero[OURS];
} ours;

static void add(char *at, size_t n, const char *image)
{
    if (!n || n_parts == PARTS) return;
    parts[n_parts++] = (struct part){at, n, image};
    if (!lowest || at < lowest) lowest = at;
    if (at + n > highest) highest = at + n;
    size += n;
}

static void add_program(char *block, const ElfW(Phdr) * h, const char *image)
{
    char *zero = block + h->p_filesz, *end = block + h->p_memsz;
    char *data_end = (char *)(uintptr_t)&data_mark, *zero_end = (char *)(uintptr_t)&zero_mark;
    if (data_end < block || zero_end >= end) return;
    ours.n_data = (size_t)(zero - data_end);
    ours.n_zero = (size_t)(end - zero_end);
    if (ours.n_data > OURS || ours.n_zero > OURS) abort(); /* sonde has less than 200 bytes */
    add(block, (size_t)(data_end - block), image);
    if (zero_end > zero) add(zero, (size_t)(zero_end - zero), NULL);
}

static bool is_c_library(const char *path)
{
    static const char *const names[] = {"libc.", "libc-", "ld-", "ld.", "libpthread", "libm.", "libm-", "libdl"};
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static int look(struct dl_phdr_info *info, size_t unused, void *is_program)
{
    (void)unused;
    bool is_first = *(bool *)is_program;
    *(bool *)is_program = false; /* the program comes first */
    if (is_first && looked_in == &data_mark && generation == info->dlpi_adds + info->dlpi_subs) return 1;
    if (is_first) {
        generation = info->dlpi_adds + info->dlpi_subs;
        looked_in = &data_mark;
        errno_here = &errno;
        n_parts = 0;
        lowest = highest = NULL;
        size = 0;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_TLS || !info->dlpi_tls_data) continue;
        const char *image = (const char *)(info->dlpi_addr + h->p_vaddr);
        char *block = info->dlpi_tls_data;
        if (is_first) {
            add_program(block, h, image);
        } else if (!is_c_library(info->dlpi_name)) {
            add(block, h->p_filesz, image);
            add(block + h->p_filesz, h->p_memsz - h->p_filesz, NULL);
        }
    }
    return 0;
}

void sonde_tls_look(void)
{
    bool is_program = true;
    size_t before = size;
    dl_iterate_phdr(look, &is_program);
    if (size == before) return;
    for (uint32_t i = 0; i < SONDE_THREADS_MAX; i++) { /* of another size now */
        free(sonde_control.fibers[i].tls);
        sonde_control.fibers[i].tls = NULL;
    }
}

/* In whichever OS thread: parts that were there when it began lie as far from the mark in each. */
bool sonde_is_local(const void *p)
{
    const char *at = p;
    if (p == (sonde_is_os() ? &errno : errno_here)) return true;
    if (sonde_is_os()) at = (const char *)looked_in + (at - (const char *)&data_mark);
    if (at < lowest || at >= highest) return false;
    for (const struct part *part = parts; part < parts + n_parts; part++)
        if (at >= part->at && at < part->at + part->n) return true;
    return false;
}

void sonde_tls_begin(struct sonde_fiber *f)
{
    if (!size) return;
    if (!f->tls) f->tls = malloc(size);
    if (!f->tls) abort();
    if (f->id == 0) return; /* it has those of the case */
    char *to = f->tls;
    for (const struct part *p = parts; p < parts + n_parts; to += p->n, p++) {
        if (p->image) memcpy(to, p->image, p->n);
        else memset(to, 0, p->n);
    }
}

void sonde_tls_exchange(struct sonde_fiber *from, struct sonde_fiber *to)
{
    if (!size || from == to) return;
    size_t at = 0;
    for (const struct part *p = parts; p < parts + n_parts; at += p->n, p++) {
        memcpy(from->tls + at, p->at, p->n);
        memcpy(p->at, to->tls + at, p->n);
    }
}

void sonde_tls_give(void)
{
    memcpy(ours.data, (char *)(uintptr_t)&data_mark, ours.n_data);
    memcpy(ours.zero, (char *)(uintptr_t)&zero_mark, ours.n_zero);
}

void sonde_tls_take(void)
{
    memcpy((char *)(uintptr_t)&data_mark, ours.data, ours.n_data);
    memcpy((char *)(uintptr_t)&zero_mark, ours.zero, ours.n_zero);
}
