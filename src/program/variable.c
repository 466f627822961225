#define _GNU_SOURCE /* dl_iterate_phdr */
/* Finds which variable an address belongs to (place.h), by the symbol table of its module. Thread-local variables are
 * found in the block of the calling thread. */
#include "program/elf.h"
#include "program/place.h"

#include "base/command.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The search for one address in one module. `base` is added to the values of symbols of the wanted type. */
struct wanted {
    uintptr_t address, base;
    unsigned type;
    struct sonde_variable *variable;
};

static bool is_wanted(const ElfW(Sym) * s, const char *name, const char *file, void *user)
{
    const struct wanted *w = user;
    uintptr_t start = w->base + s->st_value;
    if ((s->st_info & 0xf) != w->type || w->address < start || w->address - start >= s->st_size) return false;
    snprintf(w->variable->name, sizeof w->variable->name, "%.120s", name);
    snprintf(w->variable->file, sizeof w->variable->file, "%.500s", file);
    w->variable->at = (uint8_t *)start;
    w->variable->size = s->st_size;
    return true;
}

static bool search(const char *path, struct wanted *w)
{
    struct sonde_elf elf;
    if (!sonde_elf_open(&elf, path)) return false;
    bool is_found = sonde_elf_variables(&elf, is_wanted, w);
    sonde_elf_close(&elf);
    return is_found;
}

/* Searches a module whose thread-local block of this thread holds the address. */
static int search_thread(struct dl_phdr_info *info, size_t size, void *user)
{
    struct wanted *w = user;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        w->base = (uintptr_t)info->dlpi_tls_data;
        if (p->p_type != PT_TLS || !w->base || w->address < w->base || w->address - w->base >= p->p_memsz) continue;
        return search(path, w);
    }
    return 0;
}

void sonde_variable_of(const void *address, struct sonde_variable *v)
{
    struct sonde_module m = {.address = (uintptr_t)address};
    struct wanted w = {.address = m.address, .type = STT_OBJECT, .variable = v};
    *v = (struct sonde_variable){.at = (uint8_t *)(uintptr_t)address, .size = 1};
    sonde_module_find(&m);
    w.base = m.base;
    if (m.is_found && search(m.path, &w)) return;
    w.type = STT_TLS;
    dl_iterate_phdr(search_thread, &w);
}

/* Reads a line of nm: VALUE TYPE NAME<tab>FILE:LINE. */
static bool read_line(char *line, unsigned long value, struct sonde_variable *v)
{
    char *end, *tab = strchr(line, '\t'), *colon = tab ? strrchr(tab, ':') : NULL;
    if (!colon || strtoul(line, &end, 16) != value || strncmp(end, " ", 1) != 0) return false;
    *tab = *colon = '\0';
    if (strcmp(end + strlen(" b "), v->name) != 0) return false;
    v->line = atoi(colon + 1);
    snprintf(v->file, sizeof v->file, "%.500s", tab + 1);
    return true;
}

void sonde_variable_locate(struct sonde_variable *v)
{
    const double patience = 10; /* seconds; a large program has many symbols */
    struct sonde_module m = {.address = (uintptr_t)v->at};
    char *text = NULL;
    size_t n;
    sonde_module_find(&m);
    if (!*v->name || !m.is_found) return;
    /* The link itself: in another process it would name that process's program. */
    char *path = realpath(m.path, NULL);
    const char *const argv[] = {"nm", "-l", "--defined-only", path ? path : m.path, NULL};
    struct sonde_command command = {.argv = argv, .input = -1, .seconds = patience, .max = 64 << 20};
    int status = sonde_command_run(&command, &text, &n);
    for (char *line = text, *next; status == 0 && line && *line; line = next) {
        size_t length = strcspn(line, "\n");
        next = line + length + (line[length] != '\0');
        line[length] = '\0';
        if (read_line(line, (unsigned long)((uintptr_t)v->at - m.base), v)) break;
    }
    sonde_free(text);
    free(path);
}
