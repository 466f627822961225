/* How far a string may be read that the code under test compared. */
#ifndef SONDE_OBSERVE_READABLE_H
#define SONDE_OBSERVE_READABLE_H

#include <stddef.h>

/* Returns the length of a string of at most n bytes. The first `known` bytes were compared, so they can be read. Later
 * bytes need not belong to the string: strncmp stops at the first difference, even in a buffer that ends there. So they
 * are read only as far as AddressSanitizer allows, and within the page. */
size_t sonde_readable_length(const char *text, size_t known, size_t n);

#endif
