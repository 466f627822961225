/* sonde_note: say more in the report of a failing case.
 * Also: sonde_show
 * See also: sonde_open sonde_label */
#include <sonde.h>

struct fraction {
    int over, under;
};

static void print_fraction(FILE *out, const void *value)
{
    const struct fraction *f = value;
    fprintf(out, "%d/%d", f->over, f->under);
}

static void fractions_are_near_their_quotient(sonde *t)
{
    struct fraction f;
    sonde_open(t, "fraction");
    f.over = sonde_int(t, "over", -99, 99);
    f.under = sonde_int(t, "under", 1, 99);
    sonde_show(t, print_fraction, &f); /* the report prints 1/2 instead of over = 1, under = 2 */
    sonde_close(t, "fraction");
    double quotient = (double)f.over / f.under;
    sonde_note(t, "the quotient is %g", quotient);
    sonde_check_near(t, quotient * f.under, f.over, 1e-9);
}

SONDE_MAIN(fractions_are_near_their_quotient)
