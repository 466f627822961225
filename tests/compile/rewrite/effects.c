/* Side effects: each once, in order, and only where C would. */
#include <sonde.h>

#include <string.h>

static char log_[256];
static int say(const char *what, int value)
{
    if (strlen(log_) + strlen(what) < sizeof log_) strcat(log_, what);
    return value;
}

static int *cursor;
static int take(void)
{
    return *cursor++;
}

static void effects(sonde *t)
{
    int v[6], i = 0, sum = 0;
    for (int k = 0; k < 6; k++) v[k] = sonde_int(t, "v", -9, 9);
    log_[0] = 0;
    cursor = v;
    sonde_assume(t, say("a", v[0]) < say("b", 9) && (say("c", v[1]) > 5 || say("d", v[2]) != 3));
    sonde_assume(t, take() > -9 && take() > -9);
    sonde_assume(t, (sum += v[i++]) < 9 && i++ < 4);
    sonde_assume(t, v[i] > -9 ? say("e", v[i]) < 9 : say("f", 1));
    sonde_assume(t, ({
                     int x = v[3];
                     while (x > 3) x -= 2;
                     x;
                 }) != 2);
    sonde_assume(t, !say("g", v[4] == 4) || !(v[5] == 5));
    sonde_assume(t, (say("h", 0), v[5]) != -8);
    sonde_note(t, "%s", log_);
    sonde_check(t, i == 2 && cursor == v + 2);
    sonde_check(t, strlen(log_) != 6 || v[0] < 8);
    sonde_check(t, strcmp(log_, "abcegh") != 0 || v[1] < 8);
}

SONDE_MAIN(effects)
