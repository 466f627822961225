// C++: templates, references, objects with operators, null pointers, lambdas, enum class.
#include <sonde.hpp>

#include <memory>
#include <string>

enum class side { left, right };

struct weight {
    int kg;
    bool operator<(const weight &other) const { return kg < other.kg; }
};

template <class T> static T twice(T x)
{
    return x + x;
}

static void objects(sonde *t)
{
    int a = sonde_int(t, "a", -20, 20), b = sonde_int(t, "b", -20, 20);
    std::string s = a > 0 ? "plus" : "minus";
    std::unique_ptr<int> p(sonde_bool(t, "p") ? new int(a) : nullptr);
    side where = a % 2 ? side::left : side::right;
    sonde_assume(t, twice<int>(a) < b);
    sonde_assume(t, weight{a} < weight{b});
    sonde_assume(t, p != nullptr && *p == a);
    sonde_assume(t, s == "plus" || s.size() > 4);
    sonde_assume(t, where != side::left);
    sonde_assume(t, [&] { return a < b; }() && !s.empty());
    sonde_check(t, a + b != 9);
}

SONDECPP_MAIN(objects)
