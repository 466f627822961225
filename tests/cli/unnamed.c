/* A property without a name, inside of another program. */
#include <sonde.h>

static void never_seven(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 0, 9) != 7);
}

int main(void)
{
    sonde_config config = {.seed = 1};
    int found = sonde_run(never_seven, &config);
    int replayed = sonde_replay(never_seven, "x=7");
    return found == SONDE_FALSIFIED && replayed == SONDE_FALSIFIED ? 0 : 1;
}
