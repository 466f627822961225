/* A property of code.c that holds if it is called for the first time; one that fails by its input; and counts that are kept. */
#include <sonde.h>

#include <stdlib.h>

int first_call(void);
int add(int x);

static SONDE_KEPT int n_cases = 1;
static int prepared;

static void prepare(void *context)
{
    prepared += 17;
    (void)context;
}

static void clean_up(void *context)
{
    if (prepared != 17) abort(); /* as prepare left it */
    prepared = 0;
    (void)context;
}

static void is_called_once(sonde *t)
{
    sonde_int(t, "x", 0, 1 << 20);
    sonde_check_eq(t, prepared, 17);
    prepared++;
    sonde_classify(t, n_cases++ > 1, "a case after another");
    sonde_check(t, first_call() == 1);
}

static void fails_by_its_input(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1 << 20);
    sonde_assume(t, x % 3);
    sonde_check(t, add(x) < 5000);
}

int main(int argc, char **argv)
{
    enum sonde_reset reset = getenv("NO_RESET") ? SONDE_NO_RESET : SONDE_GLOBALS;
    sonde_property all[] = {{.name = "is_called_once",
                             .run = is_called_once,
                             .worker_setup = prepare,
                             .worker_teardown = clean_up,
                             .reset = reset},
                            {.name = "fails_by_its_input", .run = fails_by_its_input, .reset = reset}};
    return sonde_main(argc, argv, all, 2);
}
