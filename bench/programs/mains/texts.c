/* A program under test that gets strings: from libFuzzer, from AFL++, or from the files it is given
 * (PROGRAMS_REPLAY). */
#include "programs/measure.h"
#include "programs/program.h"

#include <stdlib.h>
#include <string.h>

static struct text text;

static void run_text(const uint8_t *data, size_t n)
{
    if (n >= sizeof text.bytes) n = sizeof text.bytes - 1;
    memcpy(text.bytes, data, n);
    text.bytes[n] = '\0';
    text.n = n;
    (void)measure_run(text.bytes, text.n, program_run);
}

#if defined(__AFL_COMPILER) || defined(PROGRAMS_REPLAY)
static void run_file(const char *path)
{
    static uint8_t data[PROGRAM_TEXT];
    FILE *in = fopen(path, "rb");
    if (!in) return;
    size_t n = fread(data, 1, sizeof data, in);
    fclose(in);
    run_text(data, n);
}
#endif

#ifdef __AFL_COMPILER
#include <unistd.h>
__AFL_FUZZ_INIT();

int main(int argc, char **argv)
{
    measure_start();
    program_start();
    for (int i = 1; i < argc; i++) run_file(argv[i]);
    if (argc > 1) return 0;
    __AFL_INIT();
    const uint8_t *data = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(10000)) run_text(data, (size_t)__AFL_FUZZ_TESTCASE_LEN);
    return 0;
}
#elif defined(PROGRAMS_REPLAY)
int main(int argc, char **argv)
{
    measure_start();
    program_start();
    for (int i = 1; i < argc; i++) run_file(argv[i]);
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static int has_started;
    if (!has_started++) {
        measure_start();
        program_start();
    }
    run_text(data, n);
    return 0;
}
#endif
