#define _GNU_SOURCE /* dl_iterate_phdr */
/* Gives each fiber a private copy of the thread-locals of the code under test. All fibers run in one OS thread, so
 * the bytes are exchanged with the turn.
 *
 * Which bytes are exchanged:
 * - Of the program, thread-locals that were linked before this file. sonde's come after them, because `sonde cc`
 *   links in that order; they belong to the OS thread. Two marks show where they begin: initialised and zeroed
 *   thread-locals are in separate areas.
 * - Of shared libraries, all. The C++ library, for example, keeps there which exceptions are being handled.
 * - Of the C library, none: it keeps the state of the OS thread there. control.c exchanges errno. */
#include "os.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

static SONDE_TLS volatile char data_mark = 1;
static SONDE_TLS volatile char zero_mark;

enum { PARTS = 32 }; /* maximum number of areas, two per module; areas of further modules are not exchanged */

/* Areas of this OS thread's thread-locals: the initialised and the zeroed ones of each module. */
static struct part {
    char *at;
    size_t n;
    const char *image; /* initial values of the area; NULL: zeros */
} parts[PARTS];
static uint32_t n_parts;
static size_t size;                   /* bytes of all parts together */
static unsigned long long generation; /* changes when a library is loaded or unloaded */
static volatile char *looked_in;      /* address of data_mark in the OS thread that `parts` belongs to */
static const int *errno_here;         /* address of errno in that OS thread */

static const char *lowest, *highest; /* all parts lie between these addresses */

enum { OURS = 4096 }; /* maximum size of sonde's thread-locals in bytes; they take less than 200 */
/* Copies of sonde's thread-locals, which follow the marks, while the baton passes from one OS thread to another. */
static struct {
    size_t n_data, n_zero;
    char data[OURS], zero[OURS];
} ours;

/* Adds an area to `parts`. */
static void add(char *at, size_t n, const char *image)
{
    if (!n || n_parts == PARTS) return;
    parts[n_parts++] = (struct part){at, n, image};
    if (!lowest || at < lowest) lowest = at;
    if (at + n > highest) highest = at + n;
    size += n;
}

/* Adds the thread-locals of the program up to the marks, and records how many bytes of sonde follow them. */
static void add_program(char *block, const ElfW(Phdr) * h, const char *image)
{
    char *zero = block + h->p_filesz, *end = block + h->p_memsz;
    char *data_end = (char *)(uintptr_t)&data_mark, *zero_end = (char *)(uintptr_t)&zero_mark;
    if (data_end < block || zero_end >= end) return;
    ours.n_data = (size_t)(zero - data_end);
    ours.n_zero = (size_t)(end - zero_end);
    if (ours.n_data > OURS || ours.n_zero > OURS) abort(); /* sonde's thread-locals take far less */
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

/* Adds the thread-locals of one module. dl_iterate_phdr calls it for the program first, then for each library.
 * Stops at the program if nothing was loaded or unloaded since the last time. */
static int look(struct dl_phdr_info *info, size_t unused, void *is_program)
{
    (void)unused;
    bool is_first = *(bool *)is_program;
    *(bool *)is_program = false;
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
    for (uint32_t i = 0; i < SONDE_THREADS_MAX; i++) { /* the copies have another size now */
        free(sonde_control.fibers[i].tls);
        sonde_control.fibers[i].tls = NULL;
    }
}

/* With --threads=os, first translates the address to the OS thread that `parts` belongs to. That works because an area
 * that existed when a thread began is at the same distance from the mark in every thread. */
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
    if (f->id == 0) return; /* thread 0 uses the thread-locals of the case as they are */
    char *to = f->tls;
    for (const struct part *p = parts; p < parts + n_parts; to += p->n, p++) {
        if (p->image) memcpy(to, p->image, p->n);
        else memset(to, 0, p->n);
    }
}

/* The bytes of the running fiber are where the compiler expects them; `from->tls` and `to->tls` hold copies, part
 * after part. */
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
