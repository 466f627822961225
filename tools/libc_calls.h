/* Functions of the C library that read or write memory of their caller. `sonde cc --threads` sends calls of them to addons/threads/, where each
 * is an access to memory like one that instrumented code makes (addons/threads/libc.h). Each has a __wrap_ function there. */
#ifndef SONDE_TOOLS_LIBC_CALLS_H
#define SONDE_TOOLS_LIBC_CALLS_H

#include <stddef.h>

/* Compilers expand these in place unless they are told not to know them. */
static const char *const libc_builtins[] = {"memcpy",   "memmove",    "mempcpy",     "memset", "memcmp",  "bcmp",
                                            "memchr",   "bcopy",      "bzero",       "strlen", "strnlen", "strcpy",
                                            "stpcpy",   "strncpy",    "stpncpy",     "strcat", "strncat", "strcmp",
                                            "strncmp",  "strcasecmp", "strncasecmp", "strchr", "strrchr", "strstr",
                                            "strspn",   "strcspn",    "strpbrk",     "strdup", "strndup", "sprintf",
                                            "snprintf", "vsprintf",   "vsnprintf",   "printf", "fprintf", "vprintf",
                                            "vfprintf", "puts",       "fputs",       "fwrite", "sscanf",  "vsscanf",
                                            NULL};

static const char *const libc_others[] = {
    "memrchr", "memmem", "memccpy", "strtok", "strtok_r", "strsep", "atoi", "atol", "atoll", "atof", "strtol",
    "strtoul", "strtoll", "strtoull", "strtod", "strtof", "__isoc23_strtol", "__isoc23_strtoul", "__isoc23_strtoll",
    "__isoc23_strtoull", "__isoc99_sscanf", "__isoc23_sscanf", "__isoc99_vsscanf", "__isoc23_vsscanf", "asprintf",
    "vasprintf", "qsort", "bsearch", "getenv", "setenv", "unsetenv", "putenv", "clearenv", "localtime", "gmtime",
    "ctime", "asctime", "localtime_r", "gmtime_r", "strftime", "mktime", "pread", "pwrite", "send",
    /* What they are where headers check sizes (_FORTIFY_SOURCE). */
    "__memcpy_chk", "__memmove_chk", "__mempcpy_chk", "__memset_chk", "__strcpy_chk", "__stpcpy_chk", "__strncpy_chk",
    "__strcat_chk", "__strncat_chk", "__sprintf_chk", "__snprintf_chk", "__vsprintf_chk", "__vsnprintf_chk",
    "__printf_chk", "__fprintf_chk", "__vprintf_chk", "__vfprintf_chk", NULL};

#endif
