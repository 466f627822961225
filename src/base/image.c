#define _GNU_SOURCE /* dl_iterate_phdr */
/* See image.h. Called when a label or a module is first met, never in a hot path. */
#include "base/image.h"

#include "base/hash.h"

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/* Returns whether an address is in a loaded segment that has none of `flags`. For an address below the segment the
 * difference wraps around, so one comparison is enough. */
static bool holds(const struct dl_phdr_info *info, uintptr_t address, unsigned flags)
{
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        bool matches = p->p_type == PT_LOAD && !(p->p_flags & flags);
        if (matches && address - (info->dlpi_addr + p->p_vaddr) < p->p_memsz) return true;
    }
    return false;
}

bool sonde_image_holds(const struct dl_phdr_info *info, const void *address)
{
    return holds(info, (uintptr_t)address, 0);
}

static int holds_constant(struct dl_phdr_info *info, size_t size, void *address)
{
    (void)size;
    return holds(info, (uintptr_t)address, PF_W);
}

/* Callers may remember such a string by its address, as long as no module is unloaded. */
bool sonde_is_immutable(const void *address)
{
    return dl_iterate_phdr(holds_constant, (void *)(uintptr_t)address) != 0;
}

static int count_unloads(struct dl_phdr_info *info, size_t size, void *data)
{
    uint64_t *unloads = data;
    /* Older C libraries have a shorter struct. */
    if (size >= offsetof(struct dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs) *unloads = info->dlpi_subs;
    return 1; /* stops at the first module: all modules report the same number */
}

/* Callers compare two counts: if they differ, an address may now belong to another module. */
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

/* Two processes have the same hash only if all modules have the same addresses; then the processes can exchange
 * pointers to code (--spawn). */
uint64_t sonde_image_layout(void)
{
    uint64_t hash = 0;
    dl_iterate_phdr(add_base, &hash);
    return sonde_hash_add(hash, (uintptr_t)&sonde_image_layout); /* a program that is not relocated has base 0 */
}

/* ---- Modules */

/* Returns the size with padding: names and contents of ELF notes are padded to four bytes. */
static size_t padded(size_t n)
{
    return (n + 3) & ~(size_t)3;
}

/* Never returns 0, which build_among returns if there is no build id. */
uint64_t sonde_build_hash(const uint8_t *id, size_t n)
{
    return sonde_hash_bytes(1, id, n) | 1;
}

/* Returns the hash of the build id among ELF notes; 0 if there is no build id. */
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

/* Returns a hash of the build id, which is the same in every process that runs this build. Without a build id
 * (-Wl,--build-id=none), hashes name and layout instead. */
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

/* A query for the module at an address. The program is the first module visited. */
struct query {
    const void *address;
    unsigned nth;
    struct sonde_image *image; /* or NULL */
    char *path;                /* or NULL */
    size_t size;               /* size of `path` */
};

/* Writes the path of a module. The program has no name in dl_phdr_info, so its link in /proc is read; readlink writes
 * no NUL. */
static void read_path(const struct dl_phdr_info *info, const struct query *q, bool is_program)
{
    if (is_program) {
        ssize_t n = readlink("/proc/self/exe", q->path, q->size - 1);
        q->path[n > 0 ? n : 0] = 0;
    } else if (info->dlpi_name && strlen(info->dlpi_name) < q->size) {
        memcpy(q->path, info->dlpi_name, strlen(info->dlpi_name) + 1);
    }
}

static int visit_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    struct query *q = data;
    bool is_program = q->nth++ == 0;
    if (!sonde_image_holds(info, q->address)) return 0;
    if (q->path) read_path(info, q, is_program);
    if (q->image)
        *q->image = (struct sonde_image){.id = image_id(info), .base = info->dlpi_addr, .is_program = is_program};
    return 1;
}

/* Returns false for an address outside all modules, such as code generated at run time. */
bool sonde_image_at(const void *address, struct sonde_image *image)
{
    return dl_iterate_phdr(visit_module, &(struct query){.address = address, .image = image}) != 0;
}

void sonde_image_path(const void *address, char *out, size_t size)
{
    out[0] = 0;
    dl_iterate_phdr(visit_module, &(struct query){.address = address, .path = out, .size = size});
}
