/* Code under test that prints on both standard streams, in halves of lines. */
#include <sonde.h>

#include <unistd.h>

static void print_much(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000);
    printf("{\"x\": %d", x);
    fprintf(stderr, "\"%d", x);
    fflush(stdout);
    if (write(STDOUT_FILENO, "{", 1) != 1) sonde_note(t, "nothing was written");
    sonde_check(t, x < 500);
}

SONDE_MAIN(print_much)
