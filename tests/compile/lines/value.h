#include "lines.h"
bool value_of(const char *text, long *out);
