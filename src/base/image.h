/* The modules (program and libraries) loaded into this process. Tells which of their memory never changes and whether
 * one was unloaded. Gives each an id that is the same in other processes. */
#ifndef SONDE_BASE_IMAGE_H
#define SONDE_BASE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns whether an address lies in a read-only segment of the program or of a library, as string literals do. Its
 * bytes cannot change until that library is unloaded. False if unknown. */
bool sonde_is_immutable(const void *address);
/* Returns a number that grows whenever a library is unloaded. */
uint64_t sonde_unload_count(void);

/* Returns a hash of the addresses of all modules. Two processes with equal hashes may exchange pointers to code and
 * constants. */
uint64_t sonde_image_layout(void);

/* A module. */
struct sonde_image {
    uint64_t id;    /* hash of the build id, or of name and segments if the module has no build id */
    uintptr_t base; /* load address; offsets from this address are the same in every process */
    bool is_program;
};
struct dl_phdr_info;
/* Returns whether an address lies in a loaded segment of the module that `info` describes. For callbacks of
 * dl_iterate_phdr. */
bool sonde_image_holds(const struct dl_phdr_info *info, const void *address);
/* Fills `image` with the module that an address lies in; returns false if there is no such module. */
bool sonde_image_at(const void *address, struct sonde_image *image);
/* Returns the hash of a build id of n bytes, as in `id`. For code that reads build ids from files. */
uint64_t sonde_build_hash(const uint8_t *id, size_t n);
/* Fills `out` with the path of the file that the module at `address` was loaded from; "" if unknown. */
void sonde_image_path(const void *address, char *out, size_t size);

#endif
