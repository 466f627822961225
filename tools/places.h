/* The block sonde-places of a page of --report html (report/page.h), read back. The page may come from anywhere: any
 * bytes are read, and lines that make no sense are passed over. */
#ifndef SONDE_TOOLS_PLACES_H
#define SONDE_TOOLS_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct sonde_page_place {
    uint64_t offset;
    uint32_t by, first; /* first: index + 1 */
    uint32_t property;
};

/* One for each file, whatever its number in each property. */
struct sonde_page_module {
    uint64_t id;
    char *path;
    bool is_called;
    struct sonde_page_place *places;
    uint32_t n, cap;
};

struct sonde_page_modules {
    struct sonde_page_module *modules;
    uint32_t n, cap;
};

/* Reads the block, whose lines it cuts; clear *to afterwards. */
void sonde_page_modules_read(struct sonde_page_modules *to, char *text);
void sonde_page_modules_clear(struct sonde_page_modules *modules);
void sonde_page_add_place(struct sonde_page_module *m, struct sonde_page_place place);

#endif
