/* A program under test with the guides of sonde: an ordinary test program. Validity is only an assume. With
 * PROGRAMS_CALIBRATE it determines, on independent inputs, which counters differ between equal runs; with
 * PROGRAMS_FEEDBACK coverage is also a feedback of the property's own. */
#include "programs/measure.h"
#include "programs/program.h"

#include <sonde/extend.h>

#include <stdlib.h>
#include <string.h>

static struct text text;

/* A property of the program's own, in place of what is valid. */
void program_property(sonde *t) __attribute__((weak));
/* Where there is one, these need not be. */
void program_generate(sonde *t, struct text *out) __attribute__((weak));
void program_start(void) __attribute__((weak));
bool program_run(const char *text, size_t n) __attribute__((weak));

static void program_is_right(sonde *t)
{
    measure_tick();
    program_property(t);
}

static void program_survives(sonde *t)
{
    text.n = 0;
    text.bytes[0] = '\0';
    program_generate(t, &text);
    sonde_note(t, "%s", text.bytes);
    sonde_characteristic(t, measure_hash(text.bytes, text.n));
    bool is_valid = measure_run(text.bytes, text.n, program_run);
    sonde_assume(t, is_valid);
}

/* Coverage as a state of generalised targeting ("Flexible and Automatic Targeted Property-Based Testing", figure 5): the set of
 * counters that any run hit. */
static bool add_to_set(void *state, const struct sonde_feedback_run *run)
{
    uint8_t *set = state;
    const struct sonde_coverage_view *view = run->observation->coverage;
    bool is_new = false;
    for (size_t i = 0; view && i < view->n_features; i++) {
        const struct sonde_feature *f = &view->features[i];
        uint8_t bit = (uint8_t)(1 << f->id % 8);
        if (f->kind != SONDE_FEATURE_COUNTER || f->id >= MEASURE_EDGES || set[f->id / 8] & bit) continue;
        set[f->id / 8] |= bit;
        is_new = true;
    }
    return is_new;
}

static const struct sonde_feedback coverage_as_state = {MEASURE_EDGES / 8, add_to_set};

static void calibrate(sonde *t)
{
    text.n = 0;
    text.bytes[0] = '\0';
    program_generate(t, &text);
    measure_calibrate(text.bytes, text.n, program_run);
}

int main(int argc, char **argv)
{
    const char *to = getenv("PROGRAMS_CALIBRATE"), *state = getenv("PROGRAMS_STATE");
    if (to) {
        program_start();
        sonde_run(calibrate,
                  &(sonde_config){.seed = 1, .tests = 3000, .seconds = 20, .guide = "uniform", .quiet = true});
        return measure_calibrated(to) ? 0 : 2;
    }
    measure_start();
    if (state) {
        struct measure *m = measure_map(state, true);
        if (m) m->is_watched = true;
    }
    if (program_start) program_start();
    const sonde_property property = {.name = program_property ? "program_is_right" : "program_survives",
                                     .run = program_property ? program_is_right : program_survives,
                                     .feedback = getenv("PROGRAMS_FEEDBACK") ? &coverage_as_state : NULL};
    return sonde_main(argc, argv, &property, 1);
}
