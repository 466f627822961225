/* The faults by sonde_run, in a program with its own main. */
#include "../faults.h"

#include <string.h>

#define RUN_FAULT(property)                                                                                            \
    if (strcmp(name, #property) == 0) return sonde_run(property, &config);

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    sonde_config config = {.name = name, .seed = 1, .tests = 60, .timeout = 0.3, .store = ""};
    FAULTS(RUN_FAULT)
    return 2;
}
