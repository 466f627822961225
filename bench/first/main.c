/* A subject as a program of sonde or, with FIRST_BYTES, as a target of libFuzzer, whose bytes answer the draws. The target
 * counts its cases in the file that FIRST_COUNT names. */
#include <sonde.h>

void first_property(sonde *t);

#ifdef FIRST_BYTES
#include <sonde/extend.h>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static struct sonde_fuzz *fuzz;
    static uint64_t *count;
    static sonde_property property = {.run = first_property, .name = "first_property"};
    if (!fuzz) {
        fuzz = sonde_fuzz_create(&property);
        count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, open(getenv("FIRST_COUNT"), O_RDWR), 0);
        if (count == MAP_FAILED) exit(2);
    }
    ++*count;
    if (sonde_fuzz_run(fuzz, data, n) == SONDE_FAILED) abort();
    return 0;
}
#else
SONDE_MAIN(first_property)
#endif
