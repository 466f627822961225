#define _GNU_SOURCE /* dl_iterate_phdr */
/* Thread-locals of the code under test: each thread has its own, though all of them run in one OS thread. The bytes are exchanged
 * when the turn is.
 *
 * Only those of the program itself, and of these only what was linked before this file: behind it come sonde's own, which belong to
 * the OS thread. `sonde cc` links in that order. Two marks say where sonde's begin, since initialised and zeroed ones lie apart.
 * Thread-locals of shared libraries are one for all threads. */
#include "control.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

static SONDE_TLS volatile char data_mark = 1;
static SONDE_TLS volatile char zero_mark;

static struct {
    bool is_known;
    char *data, *zero; /* of this thread */
    size_t n_data, n_zero;
    const char *image;
} layout;

static int look(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_TLS || !info->dlpi_tls_data) continue;
        char *block = info->dlpi_tls_data, *zero = block + h->p_filesz;
        const char *data_end = (const char *)&data_mark, *zero_end = (const char *)&zero_mark;
        if (data_end < block || zero_end >= block + h->p_memsz) continue;
        layout.image = (const char *)(info->dlpi_addr + h->p_vaddr);
        layout.data = block;
        layout.n_data = (size_t)(data_end - block);
        layout.zero = zero;
        layout.n_zero = zero_end > zero ? (size_t)(zero_end - zero) : 0;
    }
    return 1; /* the program comes first */
}

void sonde_tls_begin(struct sonde_fiber *f)
{
    if (!layout.is_known) dl_iterate_phdr(look, NULL);
    layout.is_known = true;
    if (layout.n_data + layout.n_zero == 0) return;
    if (!f->tls) f->tls = malloc(layout.n_data + layout.n_zero);
    if (!f->tls) abort();
    if (f->id == 0) return; /* it has those of the case */
    memcpy(f->tls, layout.image, layout.n_data);
    memset(f->tls + layout.n_data, 0, layout.n_zero);
}

void sonde_tls_exchange(struct sonde_fiber *from, struct sonde_fiber *to)
{
    if (layout.n_data + layout.n_zero == 0 || from == to) return;
    memcpy(from->tls, layout.data, layout.n_data);
    memcpy(from->tls + layout.n_data, layout.zero, layout.n_zero);
    memcpy(layout.data, to->tls, layout.n_data);
    memcpy(layout.zero, to->tls + layout.n_data, layout.n_zero);
}
