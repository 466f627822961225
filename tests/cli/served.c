/* Two properties that hold, for tests/cli/serve.sh, and one whose strings are hostile. */
#include <sonde.h>
#include <stdlib.h>
#include <unistd.h>

/* With NAP set each case takes a millisecond of sleep: a run that only has to be there while the script waits then costs no processor. */
static void sums(sonde *t)
{
    int64_t a = sonde_int(t, "a", 0, 1000000), b = sonde_int(t, "b", 0, 1000000);
    sonde_label(t, a < b ? "less" : "</script><script>alert(1)</script>\x1b[31m");
    if (getenv("NAP")) usleep(1000);
    sonde_check(t, a + b == b + a);
}

static void products(sonde *t)
{
    int64_t a = sonde_int(t, "a", 0, 1000), b = sonde_int(t, "b", 0, 1000);
    sonde_check(t, a * b == b * a);
}
SONDE_MAIN(sums, products)
