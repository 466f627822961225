/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include <string.h>
#include "csv.h"
struct out {
    size_t n;
    char text[100];
};
static void put(struct out *out, const void *data, size_t n)
{
    memcpy(out->text + out->n, data, n);
    out->n += n;
}
static void field(void *data, size_t n, void *user)
{
    put(user, data, n);
    put(user, "|", 1);
}
static void row(int c, void *user)
{
    (void)c;
    put(user, "\n", 1);
}
SONDE_PROPERTY(parses)
{
    struct csv_parser p;
    struct out out = {0};
    char text[12];
    size_t n = (size_t)sonde_int(t, "n", 0, 12);
    for (size_t i = 0; i < n; i++) text[i] = "a\" ,\n"[sonde_pick(t, "letter", 5)];
    csv_init(&p, 0);
    sonde_observe(t, "read", csv_parse(&p, text, n, field, row, &out));
    sonde_observe(t, "ended", csv_fini(&p, field, row, &out));
    sonde_observe(t, "fields", out.text, out.n);
    csv_free(&p);
}
SONDE_MAIN()
