/* Helpers of the C++ tests of the adapters: objects that know how many of them live, and exceptions. */
#ifndef SONDE_ADAPTERS_OBJECTS_HPP
#define SONDE_ADAPTERS_OBJECTS_HPP

#include <sonde.hpp>
#include <stdexcept>

static int alive;

struct object {
    object() { alive++; }
    ~object() { alive--; }
    object(const object &) = delete;
};

/* Left by an assume, with an object on the stack. */
static void objects_die(sonde *t)
{
    sonde_check_eq(t, alive, 0);
    object o;
    sonde_assume(t, sonde_int(t, "n", 0, 1000) % 2 == 0);
}

static void throws(sonde *t)
{
    object o;
    if (sonde_int(t, "n", 0, 1000) >= 500) throw std::runtime_error("too large");
}

#endif
