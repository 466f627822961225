/* The settings of guides: "name=value,name=value" as --guide-options gives them.
 *
 * A file that has settings declares them in one table beside the code that uses them: name, default, range, a sentence,
 * and the field that receives the value. Reading, the check of what a user gives, --guide-options help and the manual
 * page follow from the tables, so a setting that is read but not known, or known but not read, cannot be written. */
#ifndef SONDE_GUIDE_SETTINGS_H
#define SONDE_GUIDE_SETTINGS_H

#include <stddef.h>
#include <stdio.h>

struct sonde_setting {
    const char *name;
    size_t offset;            /* of a double in the struct that is read into */
    double preset;            /* without a value of the user's */
    double min, max;          /* inclusive */
    const char *meaning;      /* completes "NAME: ", without a full stop */
    const char *const *words; /* not NULL: the value is one of max + 1 words, and the field receives its index */
};

/* One per file that has settings. Each ends with a NULL name. */
extern const struct sonde_setting sonde_auto_settings[], sonde_cgpt_settings[], sonde_mutate_settings[],
    sonde_target_settings[], sonde_seeded_settings[], sonde_rl_classic_settings[];

/* Sets the fields of `into`, a struct that `of` was declared for. `options` may be NULL and may hold settings of other
 * guides. What is out of range is an error that sonde_settings_check finds before any guide is made; here it is left at its
 * default. */
void sonde_settings_read(const struct sonde_setting *of, const char *options, void *into);
/* 0, or -EINVAL with a sentence on the first part of the options that is wrong and on what would be right. */
int sonde_settings_check(const char *options, char *message, size_t size);
/* The tables, one after the other: calls each() with the guides that a table is for and one of its settings. */
void sonde_settings_each(void (*each)(void *to, const char *guides, const struct sonde_setting *setting), void *to);
/* "a number from 0 to 1, 0.4 if not given" or the words. */
void sonde_setting_range(const struct sonde_setting *setting, char *out, size_t size);

#endif
