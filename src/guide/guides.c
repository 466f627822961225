/* The table of guides. A new guide is one file and one or two lines here.
 *
 * sonde_guides is the only list of guides: --guide, --help, the manual page, knobs and sonde_run walk
 * it. Registration appends; nothing is ever removed. Programs register guides before options are read, in constructors
 * or at the start of main. base/refusal.h remembers a refused guide; sonde_main or sonde_run reports it. */
#include "guide/guides.h"

#include "base/refusal.h"

#include <string.h>

const struct sonde_guide_ops *sonde_guides[SONDE_GUIDES_MAX + 1] = {
    /* clang-format off */
    &sonde_guide_auto,
    &sonde_guide_random,
    &sonde_guide_uniform,
    &sonde_guide_enumerate,
    &sonde_guide_rl,
    &sonde_guide_cgpt,
    &sonde_guide_zest,
    &sonde_guide_seeded,
    &sonde_guide_target,
    &sonde_guide_goal,
    &sonde_guide_simplest,
    /* clang-format on */
};

/* Published baselines of addons/classic, which few programs need. They are named here so that the error message can
 * name the library to link. */
static const char *const elsewhere[] = {"rl-classic",     "cgpt-classic", "zest-bytes", "crowbar",
                                        "target-classic", "hill",         "anneal"};

const struct sonde_guide_ops *const sonde_guides_common[] = {
    &sonde_guide_auto,
    &sonde_guide_random,
    &sonde_guide_enumerate,
    &sonde_guide_rl,
    &sonde_guide_cgpt,
    &sonde_guide_target,
    NULL,
};

const struct sonde_guide_ops *sonde_guide_find(const char *name)
{
    for (size_t i = 0; sonde_guides[i]; i++) {
        if (strcmp(sonde_guides[i]->name, name) == 0) return sonde_guides[i];
    }
    return NULL;
}

bool sonde_guide_is_elsewhere(const char *name)
{
    if (sonde_guide_find(name)) return false;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(elsewhere[i], name) == 0) return true;
    return false;
}

void sonde_guide_missing(const char *name, char *out, size_t size)
{
    if (sonde_guide_is_elsewhere(name)) {
        snprintf(out, size,
                 "the guide '%s' is in libsonde_classic, which this program lacks; link it with `sonde cc`, or add "
                 "`pkg-config --libs sonde-classic`",
                 name);
        return;
    }
    size_t n = (size_t)snprintf(out, size, "there is no guide '%s'; the guides are", name);
    for (size_t i = 0; sonde_guides[i] && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s %s", i ? "," : "", sonde_guides[i]->name);
}

/* ---- Custom guides */

/* Returns the first required operation that a guide lacks; NULL if it has all. start, fill, learn, stats
 * and explain are optional; save and load may be missing only together. */
static const char *missing_operation(const struct sonde_guide_ops *ops)
{
    if (!ops->create) return "create";
    if (!ops->destroy) return "destroy";
    if (!ops->choose) return "choose";
    if (ops->save && !ops->load) return "load, which save needs";
    if (ops->load && !ops->save) return "save, which load needs";
    return NULL;
}

/* Returns the first wrong knob, or NULL. The comparisons are written so that a NaN counts as wrong, too. */
static const struct sonde_knob *wrong_knob(const struct sonde_guide_ops *ops)
{
    for (const struct sonde_knob *const *t = ops->knobs; t && *t; t++)
        for (const struct sonde_knob *k = *t; k->name; k++)
            if (!(k->min <= k->preset && k->preset <= k->max) || !k->meaning || !k->evidence) return k;
    return NULL;
}

/* Checks the version first: if the guide was compiled for another version, no field can be trusted. */
int sonde_guide_register_(unsigned version, const struct sonde_guide_ops *ops)
{
    size_t n = 0;
    if (version != SONDE_EXTEND_VERSION)
        return sonde_refuse("sonde_guide_register: the guide was compiled for version %u of sonde/extend.h, and this "
                            "is version %u; compile it again",
                            version, (unsigned)SONDE_EXTEND_VERSION);
    if (!ops || !ops->name || !*ops->name || !ops->summary)
        return sonde_refuse("sonde_guide_register: a guide has no name or no summary; set both");
    const char *missing = missing_operation(ops);
    if (missing) return sonde_refuse("sonde_guide_register: the guide '%s' has no operation %s", ops->name, missing);
    const struct sonde_knob *k = wrong_knob(ops);
    if (k)
        return sonde_refuse("sonde_guide_register: the knob '%s' of the guide '%s' is wrong: its default %g must be "
                            "from %g to %g, and it needs a meaning and evidence (\"none yet\" is allowed)",
                            k->name, ops->name, k->preset, k->min, k->max);
    for (; sonde_guides[n]; n++)
        if (strcmp(sonde_guides[n]->name, ops->name) == 0)
            return sonde_refuse("sonde_guide_register: there is already a guide '%s'", ops->name);
    if (n == SONDE_GUIDES_MAX)
        return sonde_refuse("sonde_guide_register: cannot add the guide '%s': there are %d already", ops->name,
                            SONDE_GUIDES_MAX);
    sonde_guides[n] = ops;
    return 0;
}
