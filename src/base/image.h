/* What is loaded into this process: which memory can never change, and whether something was unloaded. */
#ifndef SONDE_BASE_IMAGE_H
#define SONDE_BASE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

/* True if the address lies in a read-only segment of the program or of a loaded library, as string literals do: what
 * is there stays there until that library is unloaded. False where that cannot be told. */
bool sonde_is_immutable(const void *address);
/* Grows whenever a library is unloaded. */
uint64_t sonde_unload_count(void);

#endif
