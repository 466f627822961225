/* sonde_fuzz_create: a property as the target of a byte-level fuzzer.
 * Also: sonde_fuzz_free sonde_fuzz_run sonde_fuzz_mutate sonde_fuzz_cross
 * See also: sonde_main */
#include <sonde/extend.h>

static void adding_is_commutative(sonde *t)
{
    int a = sonde_int(t, "a", 0, 1000), b = sonde_int(t, "b", 0, 1000);
    sonde_check_eq(t, a + b, b + a);
}

int main(void)
{
    const sonde_property property = {.name = "adding_is_commutative", .run = adding_is_commutative};
    struct sonde_fuzz *fuzz = sonde_fuzz_create(&property);
    enum sonde_verdict verdict = sonde_fuzz_run(fuzz, (const uint8_t *)"any bytes", 9);
    sonde_fuzz_free(fuzz);
    return verdict == SONDE_VALID ? 0 : 1;
}
