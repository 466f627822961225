/* sonde_main: run a whole test program.
 * Also: SONDE_MAIN SONDE_PROPERTY SONDE_EXAMPLE
 * See also: sonde_run */
#include <sonde.h>

SONDE_PROPERTY(adding_is_commutative)
{
    int a = sonde_int(t, "a", -1000, 1000), b = sonde_int(t, "b", -1000, 1000);
    sonde_check_eq(t, a + b, b + a);
}

SONDE_PROPERTY(zero_changes_nothing, .tests = 100, .seconds = 1)
{
    int a = sonde_int(t, "a", -1000, 1000);
    sonde_check_eq(t, a + 0, a);
}

SONDE_EXAMPLE(zero_changes_nothing, "a=42") /* this input always runs first */

SONDE_MAIN()
