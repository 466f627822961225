/* Settings of a project: the file sonde.conf at the root of the repository that holds the test's source.
 *
 *     tests = 20k          # before the first section: for every profile
 *     [ci]
 *     time = 30
 *
 * A line is `option = value`, with the names that --help lists; `#` and `;` begin comments. One profile applies:
 * the one that --profile or SONDE_PROFILE names, else `ci` if the variable CI is true, else `dev`. Lines of its
 * section override lines before the first section; the environment and the command line override both. */
#ifndef SONDE_CLI_PROFILE_H
#define SONDE_CLI_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

/* One line of the file. */
struct sonde_setting {
    const char *key, *value; /* both point into the profile's `text`; a missing value is "" */
    int line;
    bool applies; /* the line is before the first section, or in the section of the profile that applies */
};

/* The profile that applies, with every setting of the file. */
struct sonde_profile {
    const char *name;               /* borrowed from argv or the environment */
    bool is_ci;                     /* the profile's name is `ci` */
    char *file;                     /* path of sonde.conf; NULL: there is none */
    char *text;                     /* the content of sonde.conf, cut into strings */
    struct sonde_setting *settings; /* in the order of the file; includes settings of other profiles */
    size_t n;
};

/* Finds sonde.conf and reads it into *profile. `program` is the path of the executable. `source` is the file of
 * the properties as the compiler named it; NULL if not known. Returns 0, or -1 with a message. Clear the profile
 * in either case. */
int sonde_profile_read(struct sonde_profile *profile, int argc, char *const *argv, const char *program,
                       const char *source, char *message, size_t size);
/* Frees the profile's memory, including the strings of its settings. */
void sonde_profile_clear(struct sonde_profile *profile);

/* Returns the commit that a CI service tests, in hex digits, from its environment variables; NULL if none is set. */
const char *sonde_profile_commit(void);

#endif
