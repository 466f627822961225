/* Settings that a project keeps in a file: sonde.conf at the root of the repository that holds the test's source.
 *
 *     tests = 20k          # before the first section: for every profile
 *     [ci]
 *     time = 30
 *
 * A line is `option = value`, with the names of --help; `#` and `;` begin comments. One profile is in force: that of --profile
 * or SONDE_PROFILE, else `ci` where CI says so, else `dev`. Its lines count more than those before the first section, and
 * less than environment and command line. */
#ifndef SONDE_CLI_PROFILE_H
#define SONDE_CLI_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

struct sonde_setting {
    const char *key, *value; /* a value that is not given is "" */
    int line;
    bool applies; /* it stands before the first section, or in that of the profile in force */
};

struct sonde_profile {
    const char *name; /* the one in force */
    bool is_ci;       /* it is `ci`: see sonde_profile_commit */
    char *file;       /* NULL: there is none */
    char *text;
    struct sonde_setting *settings; /* in the order of the file; those of other profiles too */
    size_t n;
};

/* Finds and reads it. `program` is the path of the executable, `source` the file of the properties as the compiler knew it
 * (NULL: not known). 0, or -1 with a sentence in `message`. Clear it in either case; what the settings say dies with it. */
int sonde_profile_read(struct sonde_profile *profile, int argc, char *const *argv, const char *program,
                       const char *source, char *message, size_t size);
void sonde_profile_clear(struct sonde_profile *profile);

/* The commit that a CI service tests, in hex digits; NULL if none says. */
const char *sonde_profile_commit(void);

#endif
