#include "lines.h"
bool read_ranges(const char *p, unsigned long long *set);
