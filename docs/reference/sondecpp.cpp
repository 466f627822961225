/* sondecpp: properties in C++.
 * Also: SONDECPP_MAIN sondecpp_check_eq observe property name_of main_of integer string string_of utf8 regex bytes vector element span span_again rule drive
 * See also: sonde_main sonde_check_eq sonde_drive */
#include <algorithm>
#include <deque>
#include <sonde.hpp>

static void reversing_twice_changes_nothing(sonde *t)
{
    auto xs = sondecpp::vector(t, "xs", 0, 20, [](sonde *u) { return sonde_int(u, "x", 0, 9); });
    auto ys = xs;
    std::reverse(ys.begin(), ys.end());
    std::reverse(ys.begin(), ys.end());
    sondecpp_check_eq(t, ys, xs);
}

struct world {
    std::vector<int> real; /* the code under test */
    std::deque<int> model;
};

static void a_vector_acts_like_a_deque(sonde *t)
{
    world w;
    sondecpp::drive<world>(t, "calls", w,
                           {{"push",
                             [](sonde *u, world &x) {
                                 int value = sondecpp::integer<int>(u, "value", 0, 9);
                                 x.real.push_back(value);
                                 x.model.push_back(value);
                             }},
                            {"pop",
                             [](sonde *, world &x) {
                                 x.real.pop_back();
                                 x.model.pop_back();
                             },
                             [](const world &x) { return !x.model.empty(); }}},
                           [](sonde *u, world &x) { sonde_check_eq(u, x.real.size(), x.model.size()); });
}

SONDECPP_MAIN(reversing_twice_changes_nothing, a_vector_acts_like_a_deque)
