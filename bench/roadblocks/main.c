/* The subjects as a test program: the bug is a crash. */
#include "bug.h"

#include <sonde.h>

#include <stdlib.h>

void bug(void)
{
    abort();
}

SONDE_MAIN()
