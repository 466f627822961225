// The same in C++: a case is left by an exception, so that destructors run.
#include <sonde.hpp>

static int alive;

struct guard {
    guard() { alive++; }
    ~guard() { alive--; }
};

SONDE_PROPERTY(destructors_run)
{
    sonde_check_eq(t, alive, 0);
    guard g;
    sonde_assume(t, sonde_int(t, "x", 0, 9) > 4);
}

enum color { red = 3, green, blue };

SONDE_PROPERTY(constants_are_of_their_list)
{
    int c = sonde_enum(t, "color", red, green, blue);
    sonde_check(t, c == red || c == green || c == blue);
    sonde_check(t, sonde_u8(t, "u", 0, 255) <= 255 && sonde_float(t, "f", 0, 1) <= 1);
}

SONDE_MAIN()
