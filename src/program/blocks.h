/* Blocks that the code under test has allocated since a moment and not freed, as a sanitizer reports them to its hooks. More than none
 * may be a leak, or a cache; none is no leak. LeakSanitizer on its own says of realloc only that the old block is gone, so blocks
 * are known one by one, and what was there before does not count. */
#ifndef SONDE_PROGRAM_BLOCKS_H
#define SONDE_PROGRAM_BLOCKS_H

#include <stdbool.h>

/* False if there is no sanitizer that has such hooks and can find leaks. */
bool sonde_blocks_watch(void);
/* The moment. */
void sonde_blocks_begin(void);
/* Whether there are any. Ends the watch until it begins again. */
bool sonde_blocks_are_left(void);

#endif
