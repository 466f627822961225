/* Kinds of files, by their names. */
#ifndef SONDE_CLI_FILENAMES_H
#define SONDE_CLI_FILENAMES_H

#include "program/place.h"

#include <stdbool.h>

bool sonde_filename_is_header(const char *path);
/* Returns whether a file is a source of C, C++ or the assembler, or a header. */
bool sonde_filename_is_source(const char *path);
/* Returns whether a file is one of make, autotools, CMake, Meson, Ninja, Bazel, GN or SCons. */
bool sonde_filename_is_build_file(const char *path);
/* Returns whether nothing is generated from a file: it is documentation, an image, or a setting of git or a CI. */
bool sonde_filename_is_document(const char *path);
/* Returns whether a file is in a directory of headers of the system. */
bool sonde_filename_is_system(const char *path);
/* Returns whether a file of the table belongs to sonde: it is a public header, or one of sonde's sources. */
bool sonde_filename_is_of_sonde(const struct sonde_line_table *table, const char *path);

#endif
