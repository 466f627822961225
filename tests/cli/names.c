/* Names and messages that would command a terminal: for tests/cli/names.sh. */
#include <sonde.h>

#define ESC                                                                                                            \
    "\033]0;owned\007\033[31m\302\233"                                                                                 \
    "2J\342\200\256"

static void first(sonde *t)
{
    sonde_check(t, sonde_int(t, "label" ESC, 0, 9) < 10);
}

static void second(sonde *t)
{
    sonde_note(t, "note" ESC);
    sonde_cover(t, 1, true, "cover" ESC);
    sonde_check(t, sonde_int(t, "label" ESC "\n", 0, 9) < 5);
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {{.name = "first" ESC, .run = first},
                                         {.name = "second" ESC "\n", .run = second}};
    return sonde_main(argc, argv, properties, 2);
}
