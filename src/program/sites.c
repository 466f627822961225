#define _GNU_SOURCE /* dl_iterate_phdr */
/* See sites.h. */
#include "program/sites.h"

#include "base/image.h"
#include "program/place.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

/* ---- Notes */

struct notes_walk {
    const char *name;
    void (*each)(const struct sonde_note *note, void *user);
    void *user;
};

/* The format of ELF notes: head, name and content, each padded to four bytes. A note that does not fit ends the
 * walk. */
static void read_notes(const struct notes_walk *w, const struct dl_phdr_info *info, const uint8_t *note, size_t left)
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
    struct notes_walk walk = {.name = name, .each = each, .user = user};
    dl_iterate_phdr(read_module, &walk);
}

/* ---- Sites */

struct walk {
    void (*each)(const struct sonde_declared *site, void *user);
    void *user;
};

/* Returns the target of word i. Words are distances relative to their own address. */
static const void *target(const uint8_t *words, size_t i)
{
    int32_t distance;
    memcpy(&distance, words + 4 * i, 4);
    return words + 4 * i + distance;
}

static int32_t number(const uint8_t *words, size_t i)
{
    int32_t n;
    memcpy(&n, words + 4 * i, 4);
    return n;
}

static void read_note(const struct sonde_note *note, void *user)
{
    const struct walk *w = user;
    if (note->type != 1 || note->n != 24) return;
    const uint8_t *words = note->content;
    struct sonde_declared site = {.file = target(words, 0),
                                  .text = target(words, 1),
                                  .function = target(words, 2),
                                  .code = target(words, 3),
                                  .line = number(words, 4),
                                  .kind = number(words, 5)};
    w->each(&site, w->user);
}

void sonde_sites_each(void (*each)(const struct sonde_declared *site, void *user), void *user)
{
    struct walk walk = {.each = each, .user = user};
    sonde_notes_each("sondeat", read_note, &walk);
}

struct wanted {
    int kind;
    bool is_there;
};

static void look(const struct sonde_declared *site, void *user)
{
    struct wanted *w = user;
    w->is_there |= site->kind == w->kind;
}

bool sonde_sites_has(int kind)
{
    struct wanted w = {.kind = kind};
    sonde_sites_each(look, &w);
    return w.is_there;
}

/* For C++, `function` is sondecpp::property<f>, and its mangled name contains the mangled name of f. */
static bool is_named(const char *mangled, const char *function)
{
    char part[160];
    snprintf(part, sizeof part, "%zu%s", strlen(function), function);
    return strstr(mangled, part) != NULL;
}

bool sonde_sites_is_in(const struct sonde_declared *site, sonde_property_fn *function)
{
    struct sonde_symbol its, wanted;
    sonde_symbol_of((const void *)(uintptr_t)function, &wanted);
    bool is_cxx = strncmp(wanted.name, "_Z", 2) == 0;
    if (is_cxx ? !is_named(wanted.name, site->function) : strcmp(wanted.name, site->function) != 0) return false;
    sonde_symbol_of(site->code, &its);
    if (strcmp(its.module, wanted.module) != 0) return false;
    bool is_same = strcmp(its.name, wanted.name) == 0;
    return is_cxx ? is_same || (strncmp(its.name, "_Z", 2) == 0 && strstr(wanted.name, its.name)) : is_same;
}

bool sonde_sites_is_loaded(const struct sonde_site_ *site)
{
    struct sonde_image image;
    return sonde_image_at(site, &image);
}
