/* A program under test with the guides of sonde: an ordinary test program. Validity is only an assume. With
 * PROGRAMS_CALIBRATE it determines, on independent inputs, which counters differ between equal runs; with
 * PROGRAMS_FEEDBACK coverage is also a feedback of the property's own. With PROGRAMS_GRAMMAR it draws strings of the grammar
 * in that file, in place of the program's generator. With PROGRAMS_TAPES it makes seeds: every case is
 * written to that file, a line each; in the build `maker`, every case that takes a new branch of the generator. With PROGRAMS_MUTATOR it starts from seeds (--inputs), and they have been run when
 * the guide of that name makes a case. */
#include "programs/measure.h"
#include "programs/program.h"

#include "case/case.h"
#include "tape/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct text text;

/* A property of the program's own, in place of what is valid. */
void program_property(sonde *t) __attribute__((weak));
/* Where there is one, these need not be. */
void program_generate(sonde *t, struct text *out) __attribute__((weak));
void program_start(void) __attribute__((weak));
bool program_run(const char *text, size_t n) __attribute__((weak));

/* ---- Making seeds, and running them */

/* Counters of the generator, in the build `maker`: the compiled generator calls this before main (program.mk). */
static struct {
    uint8_t *first, *end;
} branches;
void generator_counters(uint8_t *first, uint8_t *end);

void generator_counters(uint8_t *first, uint8_t *end)
{
    branches.first = first;
    branches.end = end;
}

/* In shared memory, since the process that watches writes the case by which a worker died. */
static struct making {
    struct sonde_labels *labels;
    bool is_new;    /* the case takes a branch of the generator that no earlier one took, or took so often */
    uint8_t seen[]; /* for each branch, orders of magnitude of how often a case took it: a bit each */
} * making;
static int tapes = -1;
static const char *mutator;

static void begin_case(sonde *t)
{
    if (making) making->labels = t->labels;
    if (making && branches.first) memset(branches.first, 0, (size_t)(branches.end - branches.first));
    if (mutator && t->guide && strcmp(t->guide->ops->name, mutator) == 0) measure_end_seeds();
}

/* Call it when the generator has made the input, and before the program runs it. Counts fall into powers of two, as in
 * JQF, whose instrumentation the thesis uses. */
static void note_branches(void)
{
    if (!making) return;
    making->is_new = !branches.first; /* without counters, every case is written */
    for (size_t i = 0; branches.first && branches.first + i < branches.end; i++) {
        unsigned count = branches.first[i], bit = count ? 1u << (31 - __builtin_clz(count)) : 0;
        making->is_new |= (bit & (unsigned)~making->seen[i]) != 0;
        making->seen[i] = (uint8_t)(making->seen[i] | bit);
    }
}

/* Valid, discarded or failed: the thesis filters all inputs (section 4.2). */
static bool write_tape(void *state, const struct sonde_feedback_run *run)
{
    (void)state;
    if (program_property) note_branches(); /* which may end early, and draws to its end */
    if (!making->is_new || !making->labels || measure_is_over()) return false;
    char *token = sonde_tape_to_text(run->tape, making->labels);
    size_t n = strlen(token);
    token[n] = '\n'; /* in the place of the NUL */
    if (write(tapes, token, n + 1) != (ssize_t)(n + 1)) abort();
    sonde_free(token);
    return false;
}

static const struct sonde_feedback every_tape = {1, write_tape};

static void open_tapes(const char *path)
{
    size_t size = sizeof *making + (size_t)(branches.end - branches.first);
    tapes = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    making = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tapes >= 0 && making != MAP_FAILED) return;
    perror(path);
    exit(2);
}

/* ---- Making inputs */

static sonde_language language; /* .file is NULL: the program's generator draws */

static void make_text(sonde *t)
{
    text.n = 0;
    text.bytes[0] = '\0';
    if (!language.file) {
        program_generate(t, &text);
        return;
    }
    sonde_text drawn = sonde_grammar(t, "text", &language);
    text_add(&text, "%s", drawn.at);
}

/* ---- The properties */

static void program_is_right(sonde *t)
{
    begin_case(t);
    measure_tick();
    program_property(t);
}

static void program_survives(sonde *t)
{
    begin_case(t);
    make_text(t);
    note_branches();
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

static const struct sonde_feedback *feedback(void)
{
    return tapes >= 0 ? &every_tape : getenv("PROGRAMS_FEEDBACK") ? &coverage_as_state : NULL;
}

static void calibrate(sonde *t)
{
    make_text(t);
    measure_calibrate(text.bytes, text.n, program_run);
}

int main(int argc, char **argv)
{
    const char *to = getenv("PROGRAMS_CALIBRATE"), *state = getenv("PROGRAMS_STATE");
    language.file = getenv("PROGRAMS_GRAMMAR");
    if (to) {
        program_start();
        sonde_run(calibrate,
                  &(sonde_config){.seed = 1, .tests = 3000, .seconds = 20, .guide = "uniform", .quiet = true});
        return measure_calibrated(to) ? 0 : 2;
    }
    if (getenv("PROGRAMS_TAPES")) open_tapes(getenv("PROGRAMS_TAPES"));
    mutator = getenv("PROGRAMS_MUTATOR");
    measure_start();
    if (state) {
        struct measure *m = measure_map(state, true);
        if (m) m->is_watched = true;
    }
    if (program_start) program_start();
    const sonde_property property = {.name = program_property ? "program_is_right" : "program_survives",
                                     .run = program_property ? program_is_right : program_survives,
                                     .feedback = feedback()};
    return sonde_main(argc, argv, &property, 1);
}
