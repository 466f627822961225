/* The knobs of guides (guides.h). The option string is parsed each time a guide is created and never stored in another
 * form. So a guide inside a guide reads the same string and takes the names of its tables. sonde_knobs_check has
 * refused wrong options earlier; sonde_knobs_read therefore ignores options that it cannot use. */
#include "guide/guides.h"

#include "base/decimal.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Reports whether a guide reads a table. */
static bool has_table(const struct sonde_guide_ops *guide, const struct sonde_knob *table)
{
    const struct sonde_knob *const *t = guide->knobs;
    while (t && *t && *t != table) t++;
    return t && *t;
}

/* Writes the names of the guides that read a table. Returns false if a guide before number i reads the table: a shared
 * table is listed once, under the first guide that reads it. */
static bool readers_of(const struct sonde_knob *table, size_t i, char *names, size_t size)
{
    size_t n = 0;
    for (size_t k = 0; sonde_guides[k] && n < size; k++) {
        if (!has_table(sonde_guides[k], table)) continue;
        if (k < i) return false;
        n += (size_t)snprintf(names + n, size - n, "%s%s", n ? ", " : "", sonde_guides[k]->name);
    }
    return true;
}

void sonde_knobs_each(void (*each)(void *to, const char *guides, const struct sonde_knob *knob), void *to)
{
    char names[256];
    for (size_t i = 0; sonde_guides[i]; i++)
        for (const struct sonde_knob *const *t = sonde_guides[i]->knobs; t && *t; t++) {
            if (!readers_of(*t, i, names, sizeof names)) continue;
            for (const struct sonde_knob *k = *t; k->name; k++) each(to, names, k);
        }
}

/* One NAME=VALUE of the options. */
struct part {
    const char *name, *value; /* not terminated by NUL; value is NULL if there is no '=' */
    size_t n_name, n_value;
};

/* Reads the part that begins at *options and moves *options past it; returns false at the end. */
static bool next_part(const char **options, struct part *part)
{
    const char *p = *options;
    if (!p || !*p) return false;
    size_t n = strcspn(p, ","), name = strcspn(p, "=,");
    *part = (struct part){.name = p, .n_name = name};
    if (name < n) part->value = p + name + 1, part->n_value = n - name - 1;
    *options = p + n + (p[n] == ',');
    return true;
}

static bool is_word(const char *text, size_t n, const char *word)
{
    return strncmp(text, word, n) == 0 && word[n] == '\0';
}

static bool read_word(const struct sonde_knob *k, const struct part *part, double *value)
{
    for (unsigned i = 0; i <= k->max; i++) {
        if (!is_word(part->value, part->n_value, k->words[i])) continue;
        *value = i;
        return true;
    }
    return false;
}

static bool read_value(const struct sonde_knob *k, const struct part *part, double *value)
{
    if (!part->value) return false;
    if (k->words) return read_word(k, part, value);
    bool negative = part->n_value && *part->value == '-';
    size_t n = part->n_value - negative;
    double x = 0;
    if (n == 0 || sonde_read_decimal(part->value + negative, n, &x) != n) return false;
    *value = negative ? -x : x;
    return *value >= k->min && *value <= k->max;
}

void sonde_knobs_read(const struct sonde_knob *table, const char *options, void *into)
{
    for (const struct sonde_knob *k = table; k->name; k++) {
        double value = k->preset, given;
        const char *at = options;
        struct part part;
        /* The last value for a name wins, as on a command line. */
        while (next_part(&at, &part))
            if (is_word(part.name, part.n_name, k->name) && read_value(k, &part, &given)) value = given;
        memcpy((char *)into + k->offset, &value, sizeof value);
    }
}

void sonde_knob_range(const struct sonde_knob *k, char *out, size_t size)
{
    if (!k->words) {
        snprintf(out, size, "a number from %g to %g", k->min, k->max);
        return;
    }
    size_t n = (size_t)snprintf(out, size, "one of");
    for (unsigned i = 0; i <= k->max && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s %s", i ? "," : "", k->words[i]);
}

void sonde_knob_preset(const struct sonde_knob *k, char *out, size_t size)
{
    if (k->words) snprintf(out, size, "%s", k->words[(size_t)k->preset]);
    else snprintf(out, size, "%.15g", k->preset);
}

/* The verdict on one part of the options, collected from all knobs of its name. */
struct check {
    const struct part *part;
    bool is_known;
    const struct sonde_knob *refuses; /* the first knob that refuses the value: ranges may differ between guides */
    const char *missing;              /* the value names a guide of a library that is not linked */
};

/* Checks the part against one knob. A value must suit every guide with a knob of this name: which guide will read it is
 * not known yet. */
static void check_knob(void *to, const char *guides, const struct sonde_knob *k)
{
    struct check *c = to;
    double value;
    (void)guides;
    if (!is_word(c->part->name, c->part->n_name, k->name)) return;
    c->is_known = true;
    bool is_allowed = read_value(k, c->part, &value);
    if (!is_allowed && !c->refuses) c->refuses = k;
    if (is_allowed && k->words && sonde_guide_is_elsewhere(k->words[(size_t)value]))
        c->missing = k->words[(size_t)value];
}

static int check_part(const struct part *part, char *message, size_t size)
{
    struct check c = {.part = part};
    char range[256];
    sonde_knobs_each(check_knob, &c);
    if (c.refuses) {
        sonde_knob_range(c.refuses, range, sizeof range);
        snprintf(message, size, "%.*s='%.*s' is not allowed; give %s", (int)part->n_name, part->name,
                 (int)part->n_value, part->value ? part->value : "", range);
        return -EINVAL;
    }
    if (c.missing) {
        sonde_guide_missing(c.missing, message, size);
        return -EINVAL;
    }
    if (c.is_known) return 0;
    snprintf(message, size, "no guide has a knob '%.*s'; --guide-options help lists them", (int)part->n_name,
             part->name);
    return -EINVAL;
}

int sonde_knobs_check(const char *options, char *message, size_t size)
{
    struct part part;
    while (next_part(&options, &part)) {
        int error = check_part(&part, message, size);
        if (error) return error;
    }
    return 0;
}

/* Meanings and evidence are string literals without quotes or backslashes, so nothing is escaped. */
static void list_knob(void *to, const char *guides, const struct sonde_knob *k)
{
    char preset[64];
    sonde_knob_preset(k, preset, sizeof preset);
    const char *quote = k->words ? "\"" : "";
    fprintf(to, "{\"guides\": \"%s\", \"name\": \"%s\", \"preset\": %s%s%s, \"min\": %.15g, \"max\": %.15g", guides,
            k->name, quote, preset, quote, k->min, k->max);
    for (unsigned i = 0; k->words && i <= k->max; i++)
        fprintf(to, "%s\"%s\"%s", i ? ", " : ", \"words\": [", k->words[i], i == k->max ? "]" : "");
    fprintf(to, ", \"meaning\": \"%s\", \"evidence\": \"%s\"}\n", k->meaning, k->evidence);
}

void sonde_knobs_list(FILE *out)
{
    sonde_knobs_each(list_knob, out);
}
