#include "lines.h"
int decode(const unsigned char *text, size_t n, unsigned long *code);
