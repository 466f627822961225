#define _GNU_SOURCE /* dl_iterate_phdr */
/* See notes.h. */
#include "program/notes.h"

#include <link.h>
#include <string.h>

struct walk {
    const char *name;
    void (*each)(const struct sonde_note *note, void *user);
    void *user;
};

/* The format of ELF notes: head, name and content, each padded to four bytes. What does not fit ends
 * the walk. */
static void read_notes(const struct walk *w, const struct dl_phdr_info *info, const uint8_t *note, size_t left)
{
    size_t n_name = strlen(w->name) + 1;
    while (left >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, note, sizeof head);
        size_t name = (head.n_namesz + 3U) & ~3U, content = (head.n_descsz + 3U) & ~3U;
        size_t size = sizeof head + name + content;
        if (size > left) return;
        if (head.n_namesz == n_name && memcmp(note + sizeof head, w->name, n_name) == 0)
            w->each(&(struct sonde_note){.type = head.n_type,
                                         .content = note + sizeof head + name,
                                         .n = head.n_descsz,
                                         .thread = info->dlpi_tls_data},
                    w->user);
        note += size;
        left -= size;
    }
}

static int read_module(struct dl_phdr_info *info, size_t size, void *walk)
{
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE)
            read_notes(walk, info, (const uint8_t *)(info->dlpi_addr + p->p_vaddr), (size_t)p->p_memsz);
    }
    return 0;
}

void sonde_notes_each(const char *name, void (*each)(const struct sonde_note *note, void *user), void *user)
{
    struct walk walk = {.name = name, .each = each, .user = user};
    dl_iterate_phdr(read_module, &walk);
}
