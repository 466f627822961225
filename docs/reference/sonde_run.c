/* sonde_run: run one property from another program.
 * Also: sonde_replay
 * See also: sonde_main sonde_context */
#include <sonde.h>

static void middle_lies_between(sonde *t)
{
    int a = sonde_int(t, "a", 0, 1000), b = sonde_int(t, "b", 0, 1000);
    sonde_assume(t, a <= b);
    sonde_check(t, a <= (a + b) / 2 && (a + b) / 2 <= b);
}

int main(void)
{
    sonde_result result;
    sonde_config config = {.tests = 500, .quiet = true, .result = &result, .store = ""};
    if (sonde_run(middle_lies_between, &config) != SONDE_PASSED) {
        printf("%s\n%s\n", result.message, result.token);
        return 1;
    }
    return sonde_replay(middle_lies_between, "a=1 b=2"); /* 0: it passed */
}
