/* Reads the block sonde-places of an HTML report (--report html, report/page.h): which code each property reached. The
 * page may come from anywhere, so any bytes are accepted, and lines that make no sense are skipped.
 *
 * Example of the block:
 *
 *     property 0 list_is_sorted
 *     module 0 1f2e3d4c5b6a7988 /home/u/test%20program
 *     called 0
 *     0 1a40 3 1
 *
 * The last line: code at offset 0x1a40 of module 0 was reached. 3 is a set of bits for the kinds of inputs that reached
 * it; 1 means that input 0 was the first. */
#ifndef SONDE_TOOLS_PLACES_H
#define SONDE_TOOLS_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/* A piece of code that has a counter, and the inputs of one property that reached it. */
struct sonde_page_place {
    uint64_t offset;    /* in the module */
    uint32_t by, first; /* by: bits of enum sonde_reached_by; first: index of the first input, + 1 */
    uint32_t property;
};

/* A program or library. Each file has one entry, although its number may differ between properties. */
struct sonde_page_module {
    uint64_t id;
    char *path;
    bool is_called;
    struct sonde_page_place *places;
    uint32_t n, cap;
};

/* All modules of a page. */
struct sonde_page_modules {
    struct sonde_page_module *modules;
    uint32_t n, cap;
};

/* Reads the block into *to, which the caller clears. Overwrites the line ends of the block. */
void sonde_page_modules_read(struct sonde_page_modules *to, char *text);
/* Frees the modules. */
void sonde_page_modules_clear(struct sonde_page_modules *modules);
/* Appends a piece of code to a module. */
void sonde_page_add_place(struct sonde_page_module *m, struct sonde_page_place place);

#endif
