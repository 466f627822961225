/* A program that takes its locale, and the name, the guide and the time of its property, from the environment. */
#include <sonde.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void holds(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000);
    double y = sonde_double(t, "y", 0, 1);
    sonde_check(t, x + y >= 0);
}

static void fails(sonde *t)
{
    double y = sonde_double(t, "y", 0.25, 0.75);
    sonde_check(t, y < 0.25);
}

int main(int argc, char **argv)
{
    if (setlocale(LC_ALL, "")) fprintf(stderr, "one half is %.1f\n", 0.5);
    const char *seconds = getenv("SECONDS_GIVEN"), *name = getenv("NAME");
    if (name && strcmp(name, "NULL") == 0) return sonde_main(argc, argv, NULL, 2);
    const sonde_property properties[] = {
        {.name = name ? name : "holds",
         .run = holds,
         .guide = getenv("GUIDE"),
         .seconds = seconds ? strtod(seconds, NULL) : 0},
        {.name = "fails", .run = fails},
    };
    return sonde_main(argc, argv, properties, sizeof properties / sizeof *properties);
}
