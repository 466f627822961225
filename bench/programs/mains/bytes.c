/* A program under test for libFuzzer, which makes the bytes that answer the draws of the generator, as Crowbar and Zest
 * have it: it knows nothing of their structure. */
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
