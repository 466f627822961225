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

SONDE_MAIN()
