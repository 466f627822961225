/* A program under test for libFuzzer. It makes the bytes that answer the draws of the generator, as Crowbar and Zest have it,
 * and knows nothing of their structure; with PROGRAMS_ADAPTER it has the mutators of adapters/sonde_fuzz.h, which do. */
#include "programs/measure.h"
#include "programs/program.h"

#include <sonde/extend.h>

static struct text text;

static void program_survives(sonde *t)
{
    text.n = 0;
    text.bytes[0] = '\0';
    program_generate(t, &text);
    bool is_valid = measure_run(text.bytes, text.n, program_run);
    sonde_assume(t, is_valid);
}

#ifdef PROGRAMS_ADAPTER
#include "sonde_fuzz.h"

static void started_program_survives(sonde *t)
{
    static bool is_started;
    if (!is_started) {
        measure_start();
        program_start();
        is_started = true;
    }
    program_survives(t);
}

SONDE_FUZZ_TARGET(started_program_survives)
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const sonde_property property = {.name = "program_survives", .run = program_survives};
    static struct sonde_fuzz *fuzz;
    if (!fuzz) {
        measure_start();
        program_start();
        fuzz = sonde_fuzz_create(&property);
    }
    sonde_fuzz_run(fuzz, data, n);
    return 0;
}
#endif
