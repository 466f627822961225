#define _GNU_SOURCE /* dl_iterate_phdr */
/* Finds libraries, and objects of the program, that were not compiled by `sonde cc --threads`. No thread is
 * interrupted in them, so the report names them. Libraries of the C and C++ compilers are left out, because every
 * program has them. */
#include "control.h"

#include <link.h>
#include <stdio.h>
#include <string.h>

/* Returns whether a library belongs to the compilers or to the C library. */
static bool is_expected(const char *name)
{
    static const char *const names[] = {"libc.",    "libm.",      "libpthread", "libdl",     "librt",
                                        "ld-linux", "libgcc_s",   "ld.",        "libstdc++", "linux-vdso",
                                        "ld-",      "linux-gate", "libatomic.", "libc-"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Returns whether a library is instrumented: then the table of its dynamic symbols has names of ThreadSanitizer's
 * functions. */
static bool mentions_us(const struct dl_phdr_info *info)
{
    const char *names = NULL;
    size_t n = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; d->d_tag != DT_NULL; d++) {
            if (d->d_tag == DT_STRTAB) names = (const char *)d->d_un.d_ptr;
            if (d->d_tag == DT_STRSZ) n = d->d_un.d_val;
        }
    }
    if (!names || (uintptr_t)names < info->dlpi_addr) return true; /* unknown: do not report it */
    return memmem(names, n, "__tsan_", 7) != NULL;
}

/* Names of objects and archives in the program that are not instrumented. `sonde cc` defines it when it links the
 * program. */
extern const char sonde_plain_objects_[] __attribute__((weak, visibility("hidden")));

/* State of the search over all loaded modules. */
struct search {
    unsigned long long *loaded; /* number of modules ever loaded, at the last search */
    bool is_program;            /* the next module is the program, which comes first */
    char *out;
    size_t size;
};

/* Looks at one module; returns 1 to end the search. It ends at the program if no module was loaded since the last
 * search. */
static int look(struct dl_phdr_info *info, size_t unused, void *arg)
{
    struct search *s = arg;
    (void)unused;
    if (s->is_program) {
        s->is_program = false;
        if (*s->loaded == info->dlpi_adds) return 1;
        *s->loaded = info->dlpi_adds;
        *s->out = '\0';
        return 0;
    }
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    if (!*name || is_expected(name) || mentions_us(info)) return 0;
    size_t n = strlen(name) < s->size ? strlen(name) : s->size - 1;
    memcpy(s->out, name, n);
    s->out[n] = '\0';
    return 1;
}

void sonde_find_uninstrumented(char *out, size_t size)
{
    if (sonde_plain_objects_) {
        snprintf(out, size, "%s", sonde_plain_objects_);
        return;
    }
    static unsigned long long loaded;
    struct search s = {.loaded = &loaded, .is_program = true, .out = out, .size = size};
    dl_iterate_phdr(look, &s);
}
