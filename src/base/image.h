/* What is loaded into this process: which memory can never change, whether something was unloaded, and what a module
 * is called by other processes. */
#ifndef SONDE_BASE_IMAGE_H
#define SONDE_BASE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the address lies in a read-only segment of the program or of a loaded library, as string literals do: what
 * is there stays there until that library is unloaded. False where that cannot be told. */
bool sonde_is_immutable(const void *address);
/* Grows whenever a library is unloaded. */
uint64_t sonde_unload_count(void);

/* A hash of where everything is loaded: two processes in which it is equal may exchange pointers to code and constants. */
uint64_t sonde_image_layout(void);

/* The module that an address lies in. */
struct sonde_image {
    uint64_t id;    /* hash of its build id; of its name and segments where it has none */
    uintptr_t base; /* where it is loaded: offsets from here are the same in every process */
    bool is_program;
};
/* Returns whether the module that dl_iterate_phdr tells of has the address. */
struct dl_phdr_info;
bool sonde_image_holds(const struct dl_phdr_info *info, const void *address);
/* False if the address is in none. */
bool sonde_image_at(const void *address, struct sonde_image *image);
/* The hash of a build id of n bytes, as id has it. For readers of files. */
uint64_t sonde_build_hash(const uint8_t *id, size_t n);
/* The file that it was loaded from, "" if that is not known. */
void sonde_image_path(const void *address, char *out, size_t size);

#endif
