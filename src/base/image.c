#define _GNU_SOURCE /* dl_iterate_phdr */
/* See image.h. Looked at when a label or a module is first met, never in a hot path. */
#include "base/image.h"

#include "base/hash.h"

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct query {
    uintptr_t address;
    bool found;
    uint64_t unloads;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
    struct query *q = data;
    /* Older C libraries have a shorter struct. */
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) q->unloads = info->dlpi_subs;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || info->dlpi_phdr[i].p_flags & PF_W) continue;
        if (q->address >= start && q->address - start < info->dlpi_phdr[i].p_memsz) q->found = true;
    }
    return q->found;
}

/* In a segment that is loaded and not writable: such a text can be kept by its address as long as
 * nothing is unloaded. */
bool sonde_is_immutable(const void *address)
{
    struct query q = {.address = (uintptr_t)address};
    dl_iterate_phdr(look, &q);
    return q.found;
}

static int count_unloads(struct dl_phdr_info *info, size_t size, void *data)
{
    uint64_t *unloads = data;
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) *unloads = info->dlpi_subs;
    return 1; /* every module tells the same */
}

/* If it has changed, an address may stand for something else by now. */
uint64_t sonde_unload_count(void)
{
    uint64_t unloads = 0;
    dl_iterate_phdr(count_unloads, &unloads);
    return unloads;
}

static int add_base(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    uint64_t *hash = data;
    *hash = sonde_hash_add(*hash, info->dlpi_addr);
    return 0;
}

/* Equal in two processes only if everything lies at the same place: then pointers to code can be passed
 * on (--spawn). */
uint64_t sonde_image_layout(void)
{
    uint64_t hash = 0;
    dl_iterate_phdr(add_base, &hash);
    return sonde_hash_add(hash, (uintptr_t)&sonde_image_layout); /* a program that is not relocated has no base */
}

/* ---- Modules */

struct image_query {
    uintptr_t address;
    unsigned nth; /* the program is the first module */
    struct sonde_image *image;
};

/* The difference wraps around for an address below, so one comparison does. */
static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && address - start < info->dlpi_phdr[i].p_memsz) return true;
    }
    return false;
}

/* Names and contents of notes are padded to four bytes. */
static size_t padded(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* The hash of the build id among the notes of one segment; 0 if it is not there. */
uint64_t sonde_build_hash(const uint8_t *id, size_t n)
{
    return sonde_hash_bytes(1, id, n) | 1;
}

/* The hash of the build id among notes; 0 if it is not there. */
static uint64_t build_among(const uint8_t *note, size_t left)
{
    while (left >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        memcpy(&head, note, sizeof head);
        size_t name = padded(head.n_namesz), size = sizeof head + name + padded(head.n_descsz);
        if (size > left) return 0;
        if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && memcmp(note + sizeof head, "GNU", 4) == 0)
            return sonde_build_hash(note + sizeof head + name, head.n_descsz);
        note += size;
        left -= size;
    }
    return 0;
}

/* The build id is the same in every process that runs this build. Without one (-Wl,--build-id=none)
 * name and layout must do. */
static uint64_t image_id(const struct dl_phdr_info *info)
{
    uint64_t id = 0;
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    uint64_t otherwise = sonde_hash_text(2, slash ? slash : "");
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type == PT_NOTE && id == 0)
            id = build_among((const uint8_t *)(info->dlpi_addr + p->p_vaddr), (size_t)p->p_memsz);
        otherwise = sonde_hash_add(otherwise, p->p_type == PT_LOAD ? p->p_memsz ^ p->p_vaddr : p->p_type);
    }
    return id ? id : otherwise;
}

static int look_for_image(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct image_query *q = data;
    unsigned nth = q->nth++;
    if (!holds(info, q->address)) return 0;
    *q->image = (struct sonde_image){.id = image_id(info), .base = info->dlpi_addr, .is_program = nth == 0};
    return 1;
}

/* False for an address that no module has, such as one of code that was made at run time. */
bool sonde_image_at(const void *address, struct sonde_image *image)
{
    struct image_query q = {.address = (uintptr_t)address, .image = image};
    return dl_iterate_phdr(look_for_image, &q) != 0;
}

struct path_query {
    uintptr_t address;
    unsigned nth;
    char *out;
    size_t size;
};

/* The program has no name here, and the link to it no end. */
static int look_for_path(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct path_query *q = data;
    unsigned nth = q->nth++;
    if (!holds(info, q->address)) return 0;
    if (nth == 0) {
        ssize_t n = readlink("/proc/self/exe", q->out, q->size - 1);
        q->out[n > 0 ? n : 0] = 0;
    } else if (info->dlpi_name && strlen(info->dlpi_name) < q->size) {
        memcpy(q->out, info->dlpi_name, strlen(info->dlpi_name) + 1);
    }
    return 1;
}

void sonde_image_path(const void *address, char *out, size_t size)
{
    struct path_query q = {.address = (uintptr_t)address, .out = out, .size = size};
    out[0] = 0;
    dl_iterate_phdr(look_for_path, &q);
}
