/* A parser made by flex and bison that keeps a state between inputs. */
#include <sonde.h>

#include <stdlib.h>
#include <string.h>

int value_of(const char *text);

static void sums_have_a_value(sonde *t)
{
    char text[256] = "0";
    int want = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 10);
    while (sonde_more(&xs)) {
        int x = sonde_int(t, "x", 0, 99);
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, " + %d", x);
        want += x;
    }
    if (sonde_bool(t, "comment")) strcat(text, " /* the end");
    sonde_check_eq(t, value_of(text), want);
}

int main(int argc, char **argv)
{
    sonde_property all = {.name = "sums_have_a_value",
                          .run = sums_have_a_value,
                          .reset = getenv("NO_RESET") ? SONDE_NO_RESET : SONDE_GLOBALS};
    return sonde_main(argc, argv, &all, 1);
}
