/* The parts of AFL that cgpt-classic and crowbar use: which counts are new, and how much an input is worth. */
#include "classic.h"

/* Returns AFL's class of a count, as a bit. */
static uint8_t class_of(uint8_t count)
{
    static const uint8_t starts[] = {1, 2, 3, 4, 8, 16, 32, 128};
    unsigned n = 0;
    while (n < sizeof starts && count >= starts[n]) n++;
    return (uint8_t)(n ? 1u << (n - 1) : 0u);
}

static bool note_bits(uint8_t **bits, uint32_t *cap, const struct sonde_coverage_view *view, bool raw)
{
    bool is_new = false;
    *bits = classic_grow(*bits, cap, view->n_ids, 1);
    for (size_t i = 0; i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        uint8_t shown = raw ? f->value : class_of(f->value);
        if (f->kind != SONDE_FEATURE_COUNTER || !(shown & ~(*bits)[f->id])) continue;
        (*bits)[f->id] |= shown;
        is_new = true;
    }
    return is_new;
}

bool classic_shows_new_classes(uint8_t **bits, uint32_t *cap, const struct sonde_coverage_view *view)
{
    return note_bits(bits, cap, view, false);
}

bool classic_shows_new_bits(uint8_t **bits, uint32_t *cap, const struct sonde_coverage_view *view)
{
    return note_bits(bits, cap, view, true);
}

double classic_score(double speed, double size)
{
    double score = 100;
    score *= speed > 10        ? 0.1
             : speed > 4       ? 0.25
             : speed > 2       ? 0.5
             : speed > 4.0 / 3 ? 0.75
             : speed < 0.25    ? 3
             : speed < 1.0 / 3 ? 2
             : speed < 0.5     ? 1.5
                               : 1;
    score *= size > 3.3       ? 3
             : size > 2       ? 2
             : size > 4.0 / 3 ? 1.5
             : size < 1.0 / 3 ? 0.25
             : size < 0.5     ? 0.5
             : size < 2.0 / 3 ? 0.75
                              : 1;
    return score;
}
