/* A subject as a shared library for Hypothesis (arm.py). */
#include <sonde.h>

void first_property(sonde *t);
enum first_verdict first_run(__typeof__(((sonde *)0)->draw) draw, __typeof__(((sonde *)0)->fill) fill);

enum first_verdict first_run(__typeof__(((sonde *)0)->draw) draw, __typeof__(((sonde *)0)->fill) fill)
{
    static sonde t;
    t.draw = draw;
    t.fill = fill;
    t.used = 0;
    int how = setjmp(t.out);
    if (how == 0) first_property(&t);
    return (enum first_verdict)how;
}
