/* See settings.h. */
#include "guide/settings.h"

#include "base/decimal.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static const struct {
    const char *guides;
    const struct sonde_setting *settings;
} tables[] = {
    {"auto", sonde_auto_settings},     {"cgpt", sonde_cgpt_settings},     {"cgpt, target", sonde_mutate_settings},
    {"target", sonde_target_settings}, {"seeded", sonde_seeded_settings}, {"rl-classic", sonde_rl_classic_settings},
};

void sonde_settings_each(void (*each)(void *to, const char *guides, const struct sonde_setting *setting), void *to)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct sonde_setting *s = tables[i].settings; s->name; s++) each(to, tables[i].guides, s);
}

/* One NAME=VALUE of the options. */
struct part {
    const char *name, *value; /* value NULL: there is no = */
    size_t n_name, n_value;
};

/* The part that begins at *options, which moves behind it; false at the end. */
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

static bool read_word(const struct sonde_setting *s, const struct part *part, double *value)
{
    for (unsigned i = 0; i <= s->max; i++) {
        if (!is_word(part->value, part->n_value, s->words[i])) continue;
        *value = i;
        return true;
    }
    return false;
}

static bool read_value(const struct sonde_setting *s, const struct part *part, double *value)
{
    if (!part->value) return false;
    if (s->words) return read_word(s, part, value);
    bool negative = part->n_value && *part->value == '-';
    size_t n = part->n_value - negative;
    double x = 0;
    if (n == 0 || sonde_read_decimal(part->value + negative, n, &x) != n) return false;
    *value = negative ? -x : x;
    return *value >= s->min && *value <= s->max;
}

void sonde_settings_read(const struct sonde_setting *of, const char *options, void *into)
{
    for (const struct sonde_setting *s = of; s->name; s++) {
        double value = s->preset, given;
        const char *at = options;
        struct part part;
        while (next_part(&at, &part))
            if (is_word(part.name, part.n_name, s->name) && read_value(s, &part, &given)) value = given;
        memcpy((char *)into + s->offset, &value, sizeof value);
    }
}

void sonde_setting_range(const struct sonde_setting *s, char *out, size_t size)
{
    if (!s->words) {
        snprintf(out, size, "a number from %g to %g", s->min, s->max);
        return;
    }
    size_t n = (size_t)snprintf(out, size, "one of");
    for (unsigned i = 0; i <= s->max && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s %s", i ? "," : "", s->words[i]);
}

/* Looks for the setting; several guides may have one of a name, each with a range of its own. */
static int check_part(const struct part *part, char *message, size_t size)
{
    bool is_known = false;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct sonde_setting *s = tables[i].settings; s->name; s++) {
            double value;
            if (!is_word(part->name, part->n_name, s->name)) continue;
            is_known = true;
            if (read_value(s, part, &value)) continue;
            char range[256];
            sonde_setting_range(s, range, sizeof range);
            snprintf(message, size, "%.*s='%.*s' is not allowed; give %s", (int)part->n_name, part->name,
                     (int)part->n_value, part->value ? part->value : "", range);
            return -EINVAL;
        }
    }
    if (is_known) return 0;
    snprintf(message, size, "no guide has a setting '%.*s'; --guide-options help lists them", (int)part->n_name,
             part->name);
    return -EINVAL;
}

int sonde_settings_check(const char *options, char *message, size_t size)
{
    struct part part;
    while (next_part(&options, &part)) {
        int error = check_part(&part, message, size);
        if (error) return error;
    }
    return 0;
}
