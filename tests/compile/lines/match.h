#include "lines.h"
bool match(const char *pattern, const char *text);
