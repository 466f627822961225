// C++: templates, references, objects with operators, temporaries, null pointers, lambdas, enum class, words for operators.
#include <sonde.hpp>

#include <memory>
#include <string>
#include <utility>

enum class side { left, right };

struct weight {
    int kg;
    bool operator<(const weight &other) const { return kg < other.kg; }
};

struct maybe { // its && is not the one of the language
    bool is;
    explicit operator bool() const { return is; }
};
static bool operator&&(const maybe &a, const maybe &b)
{
    return !a.is || b.is;
}

static int alive;
struct guard {
    int v;
    explicit guard(int x) : v(x) { alive++; }
    guard(const guard &g) : v(g.v) { alive++; }
    ~guard() { alive--; }
    const int *look() const { return &v; }
};

template <class T> static T twice(T x)
{
    return x + x;
}
template <int N, bool B> static int pick(int x)
{
    return B ? x : N;
}
static int living(int)
{
    return alive;
}

static void objects(sonde *t)
{
    int a = sonde_int(t, "a", -20, 20), b = sonde_int(t, "b", -20, 20);
    std::string s = a > 0 ? "plus" : "minus";
    std::unique_ptr<int> p(sonde_bool(t, "p") ? new int(a) : nullptr);
    side where = a % 2 ? side::left : side::right;
    maybe x{a > 3}, y{b > 3};
    alive = 0;
    sonde_assume(t, twice<int>(a) < b + 15);
    sonde_assume(t, weight{a} < weight{b + 9});
    sonde_assume(t, p != nullptr && *p == a);
    sonde_assume(t, s == "plus" || s.size() > 4);
    sonde_assume(t, where != side::left);
    sonde_assume(t, [&] { return a < b + 9; }() and not s.empty());
    sonde_assume(t, x && y);
    sonde_assume(t, pick<3, true>(a) != 4);
    sonde_assume(t, *guard(a).look() != 6 && living(*guard(b).look()) == 2);
    sonde_check(t, a + b != 9);
}

SONDECPP_MAIN(objects)
