/* Functions of the C library that read or write memory of their caller. `sonde cc --threads` redirects calls of these
 * to __wrap_ functions in addons/threads. There each counts as a memory access, like one by instrumented code
 * (addons/threads/libc.h). */
#ifndef SONDE_TOOLS_LIBC_CALLS_H
#define SONDE_TOOLS_LIBC_CALLS_H

#include <stddef.h>

/* Functions that compilers expand inline, unless -fno-builtin-NAME is given. Ends with NULL. */
static const char *const libc_builtins[] = {"memcpy",   "memmove",    "mempcpy",     "memset", "memcmp",  "bcmp",
                                            "memchr",   "bcopy",      "bzero",       "strlen", "strnlen", "strcpy",
                                            "stpcpy",   "strncpy",    "stpncpy",     "strcat", "strncat", "strcmp",
                                            "strncmp",  "strcasecmp", "strncasecmp", "strchr", "strrchr", "strstr",
                                            "strspn",   "strcspn",    "strpbrk",     "strdup", "strndup", "sprintf",
                                            "snprintf", "vsprintf",   "vsnprintf",   "printf", "fprintf", "vprintf",
                                            "vfprintf", "puts",       "fputs",       "fwrite", "sscanf",  "vsscanf",
                                            NULL};

/* Functions that are always called. Ends with NULL. */
static const char *const libc_others[] = {
    "memrchr", "memmem", "memccpy", "strtok", "strtok_r", "strsep", "atoi", "atol", "atoll", "atof", "strtol",
    "strtoul", "strtoll", "strtoull", "strtod", "strtof", "__isoc23_strtol", "__isoc23_strtoul", "__isoc23_strtoll",
    "__isoc23_strtoull", "__isoc99_sscanf", "__isoc23_sscanf", "__isoc99_vsscanf", "__isoc23_vsscanf", "asprintf",
    "vasprintf", "qsort", "bsearch", "getenv", "setenv", "unsetenv", "putenv", "clearenv", "localtime", "gmtime",
    "ctime", "asctime", "localtime_r", "gmtime_r", "strftime", "mktime", "pread", "pwrite", "send",
    /* Names that functions have where headers check sizes (_FORTIFY_SOURCE). */
    "__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "__memset_chk", "__strcpy_chk", "__stpcpy_chk", "__strncpy_chk",
    "__strcat_chk", "__strncat_chk", "__sprintf_chk", "__snprintf_chk", "__vsprintf_chk", "__vsnprintf_chk",
    "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk", NULL};

#endif
