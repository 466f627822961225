/* sonde.hpp - sonde for C++: cases are left by an exception, so that destructors run; and draws of std types.
 *
 * A property that uses plain sonde.h leaves a case by longjmp, which skips destructors. SONDECPP_MAIN makes
 * sonde_check, sonde_assume and all others leave by an exception of a private type instead. With this header
 * SONDE_MAIN does the same. For sonde_run and tables, wrap a property in sondecpp::property. If the property lets
 * another exception escape, it has failed.
 *
 *     #include <sonde.hpp>
 *
 *     static void reversing_twice_changes_nothing(sonde *t)
 *     {
 *         auto xs = sondecpp::vector(t, "xs", 0, 20, [](sonde *u) { return sonde_int(u, "x", 0, 9); });
 *         auto ys = reversed(reversed(xs));
 *         sondecpp_check_eq(t, ys, xs);                          // any types that have ==
 *     }
 *
 *     SONDECPP_MAIN(reversing_twice_changes_nothing)
 *
 * Ownership: strings and vectors are copies that belong to the caller; they may outlive the case.
 *
 * Errors: as in sonde.h: wrong arguments are misuse, which ends the run of the property with SONDE_USAGE. A failed
 * check throws. If you catch everything (catch (...)), rethrow it; and do not draw or check in a destructor. */
#ifndef SONDE_HPP
#define SONDE_HPP

#include <sonde.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace sondecpp
{

/* ---- Run -------------------------------------------------------------------------------------------------------*/

namespace detail
{

struct left {
}; /* an exception to leave a case, whose verdict is already set */

[[noreturn]] inline void leave(sonde *)
{
    throw left();
}

/* Makes the case leave by throwing, while the object lives. */
class way_out
{
  public:
    explicit way_out(sonde *t) : t_(t), before_(sonde_leave_by_(t, leave)) {}
    ~way_out() { sonde_leave_by_(t_, before_); }
    way_out(const way_out &) = delete;
    way_out &operator=(const way_out &) = delete;

  private:
    sonde *t_;
    sonde_leave_fn_ *before_; /* the previous setting, because a property may be wrapped twice */
};

/* Runs f(t); returns a message about the exception that escaped, or "". */
template <class F> std::string thrown_by(sonde *t, F f)
{
    way_out out(t);
    try {
        f(t);
    } catch (const left &) {
    } catch (const std::exception &e) {
        return std::string("an exception came out of the property: ") + e.what();
    } catch (...) {
        return "an exception that is not a std::exception came out of the property";
    }
    return std::string();
}

} /* namespace detail */

/* Runs f so that its cases are left by throwing. Use sondecpp::property<f> wherever f could be used. Returns nothing;
 * an exception that escapes from f fails the case. */
template <sonde_property_fn *f> void property(sonde *t)
{
    char words[512];
    { /* no object with a destructor may be alive when sonde_fail jumps */
        std::string said = detail::thrown_by(t, f);
        if (said.empty()) return;
        std::snprintf(words, sizeof words, "%s", said.c_str());
    }
    sonde_fail_(t, nullptr, 0, "%s", words);
}

/* Returns the name of a property from its source: "f" for f, &f and sondecpp::property<f>. Other characters than
 * letters and digits become _, so that test frameworks can filter by the name. */
inline std::string name_of(const char *words)
{
    std::string name = words;
    size_t open = name.find('<');
    if (open != std::string::npos && name.compare(0, open, "sondecpp::property") == 0 && name.back() == '>')
        name = name.substr(open + 1, name.size() - open - 2);
    size_t first = name.find_first_not_of("& ("), last = name.find_last_not_of(" )");
    if (first != std::string::npos) name = name.substr(first, last - first + 1);
    for (char &c : name)
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9')) c = '_';
    return name;
}

/* Runs the properties like sonde_main; `names` is their source. Returns the exit status. For SONDECPP_MAIN. */
template <sonde_property_fn *...f> int main_of(int argc, char **argv, const char *names)
{
    sonde_property_fn *const all[] = {nullptr, &property<f>...};
    return sonde_main_(argc, argv, all + 1, sizeof...(f), names);
}

/* Defines a property that registers itself, as in sonde.h, and whose cases are left by throwing. SONDE_MAIN() and
 * SONDECPP_MAIN() run it. */
#if defined(__GNUC__) || defined(__clang__)
#undef SONDE_PROPERTY
#undef SONDE_PROPERTY_
#define SONDE_PROPERTY(...) SONDE_PROPERTY_(__VA_ARGS__, )
#define SONDE_PROPERTY_(name_, ...)                                                                                    \
    static void name_(sonde *t);                                                                                       \
    SONDE_REGISTER_(name_, sonde_property_set_(sonde_property_named_(#name_, &sondecpp::property<name_>),              \
                                               SONDE_SETTINGS_(__VA_ARGS__)))                                          \
    static void name_(sonde *t)
#endif

/* Defines main() for one or more property functions. */
#define SONDECPP_MAIN(...)                                                                                             \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        sonde_source_(__FILE__);                                                                                       \
        sonde_built_(SONDE_BUILD_);                                                                                    \
        return sondecpp::main_of<__VA_ARGS__>(argc, argv, #__VA_ARGS__);                                               \
    }

#undef SONDE_MAIN /* cases of that macro would skip destructors */
#define SONDE_MAIN(...) SONDECPP_MAIN(__VA_ARGS__)

/* ---- Draw ------------------------------------------------------------------------------------------------------*/

/* Draws an integer of any type, from the whole range of the type unless a range is given. */
template <class T>
T integer(sonde *t, const char *label, T lo = std::numeric_limits<T>::min(), T hi = std::numeric_limits<T>::max())
{
    static_assert(std::numeric_limits<T>::is_integer, "sondecpp::integer draws integers; see sonde_double");
    if (std::numeric_limits<T>::is_signed)
        return static_cast<T>(sonde_i64(t, label, static_cast<int64_t>(lo), static_cast<int64_t>(hi)));
    return static_cast<T>(sonde_u64(t, label, static_cast<uint64_t>(lo), static_cast<uint64_t>(hi)));
}

/* Draws a string, or bytes, like the function of sonde.h with that name. Returns a copy. */
inline std::string string(sonde *t, const char *label, size_t min = 0, size_t max = SONDE_ANY)
{
    return sonde_string(t, label, min, max);
}

inline std::string string_of(sonde *t, const char *label, const char *alphabet, size_t min = 0, size_t max = SONDE_ANY)
{
    return sonde_string_of(t, label, alphabet, min, max);
}

inline std::string utf8(sonde *t, const char *label, size_t min = 0, size_t max = SONDE_ANY)
{
    return sonde_utf8(t, label, min, max);
}

inline std::string regex(sonde *t, const char *label, const char *pattern)
{
    return sonde_regex(t, label, pattern);
}

inline std::vector<uint8_t> bytes(sonde *t, const char *label, size_t min = 0, size_t max = SONDE_ANY)
{
    size_t n;
    const uint8_t *data = sonde_bytes(t, label, min, max, &n);
    return std::vector<uint8_t>(data, data + n);
}

/* Draws min..max elements, each with draw(t). */
template <class Draw>
auto vector(sonde *t, const char *label, size_t min, size_t max, Draw draw) -> std::vector<decltype(draw(t))>
{
    std::vector<decltype(draw(t))> out;
    sonde_list xs = sonde_list_of(t, label, min, max);
    while (sonde_more(&xs)) out.push_back(draw(t));
    return out;
}

/* Draws an element of a container with [] and size(), which must not be empty. */
template <class Container> auto element(sonde *t, const char *label, const Container &from) -> decltype(from[0])
{
    return from[sonde_pick(t, label, from.size())];
}

/* A span that lasts until the end of the scope, like sonde_span. Its destructor closes the span. */
class span
{
  public:
    span(sonde *t, const char *label) : scope_(sonde_scope_open_(t, label)) {}
    ~span() { sonde_scope_close_(&scope_); }
    span(const span &) = delete;
    span &operator=(const span &) = delete;

  protected:
    explicit span(sonde_scope_ scope) : scope_(scope) {}

  private:
    sonde_scope_ scope_;
};

/* A span like sonde_span_again. */
class span_again : public span
{
  public:
    span_again(sonde *t, const char *label) : span(sonde_scope_again_(t, label)) {}
};

/* ---- Machines --------------------------------------------------------------------------------------------------
 * As in sonde.h, but typed: the world is any object, and a call that an assume takes back is left by an exception.
 * (A machine of sonde.h works in C++ too, but its calls are left by longjmp, which skips their destructors.)
 *
 *     struct world { queue<int> real; std::deque<int> model; };
 *
 *     static void queue_acts_like_a_deque(sonde *t)
 *     {
 *         world w;
 *         sondecpp::drive<world>(t, "calls", w, {
 *             {"push", push},
 *             {"pop", pop, [](const world &x) { return !x.model.empty(); }}, // when
 *         });
 *     } */

/* One kind of call; see sonde_rule. */
template <class World> struct rule {
    rule(const char *name_, std::function<void(sonde *, World &)> call_,
         std::function<bool(const World &)> when_ = nullptr, unsigned weight_ = 1, bool rare_ = false)
        : name(name_), call(std::move(call_)), when(std::move(when_)), weight(weight_), rare(rare_)
    {
    }
    const char *name;
    std::function<void(sonde *, World &)> call;
    std::function<bool(const World &)> when; /* condition for the call; empty: always allowed */
    unsigned weight;
    bool rare;
};

namespace detail
{

template <class World> struct rules_in {
    const World &world;
    const std::vector<rule<World>> &rules;
    static bool apply(const void *in, size_t i)
    {
        const rules_in &self = *static_cast<const rules_in *>(in);
        return !self.rules[i].when || self.rules[i].when(self.world);
    }
};

} /* namespace detail */

/* Makes `steps` calls (0..100), and calls `always` before the first and after each. */
template <class World>
void drive(sonde *t, const char *label, World &world, const std::vector<rule<World>> &rules,
           const std::function<void(sonde *, World &)> &always = nullptr, sonde_steps steps = {0, 0})
{
    std::vector<sonde_rule> plain;
    for (const auto &r : rules) {
        sonde_rule p = sonde_rule();
        p.name = r.name;
        p.weight = r.weight;
        p.rare = r.rare;
        plain.push_back(p);
    }
    sonde_machine machine = sonde_machine();
    machine.rules = plain.data();
    machine.n_rules = plain.size();
    machine.steps = steps;
    detail::rules_in<World> in = {world, rules};
    sonde_driver_ *driver = sonde_driver_begin_(t, label, &machine, in.apply, &in);
    for (const auto &r : rules)
        if (!r.call)
            sonde_misuse_(t, "sondecpp::drive(\"%s\"): rule \"%s\" has no function to call; give one", label, r.name);
    if (always) always(t, world);
    for (;;) {
        try {
            for (size_t i; (i = sonde_driver_next_(driver)) != SONDE_ANY;) {
                rules[i].call(t, world);
                sonde_driver_called_(driver);
                if (always) always(t, world);
            }
            return;
        } catch (const detail::left &) {
            if (!sonde_driver_take_back_(driver)) throw;
        } catch (...) { /* a user's exception: the call has ended, so a later assume applies to the case again */
            sonde_driver_called_(driver);
            throw;
        }
    }
}

/* ---- Check -----------------------------------------------------------------------------------------------------
 * sondecpp_check_eq compares with ==. A failure prints both sides: with << if there is one, else the elements from
 * begin() to end(). (sonde_check_eq of sonde.h takes numbers and C strings.) */

namespace detail
{

struct least {
};
struct middle : least {
};
struct most : middle {
};

template <class T> auto print(std::ostream &out, const T &x, most) -> decltype(out << x, void())
{
    out << x;
}

inline void print(std::ostream &out, const std::string &x, most)
{
    out << '"' << x << '"';
}

template <class T> auto print(std::ostream &out, const T &xs, middle) -> decltype(xs.begin() != xs.end(), void())
{
    const char *before = "[";
    for (const auto &x : xs) {
        out << before;
        print(out, x, most());
        before = ", ";
    }
    out << (xs.begin() == xs.end() ? "[]" : "]");
}

template <class T> void print(std::ostream &out, const T &, least)
{
    out << "(a value without operator<<; define one to see it)";
}

template <class T> std::string text_of(const T &x)
{
    std::ostringstream out;
    out.precision(17);
    print(out, x, most());
    return out.str();
}

template <class A, class B> void check_eq(sonde *t, const A &got, const B &want, sonde_where_ where)
{
    if (got == want) return;
    sonde_differ_(t, text_of(got).c_str(), text_of(want).c_str(), where);
}

template <class T> void print_to(FILE *out, const void *value)
{
    std::string text = text_of(*static_cast<const T *>(value));
    std::fwrite(text.data(), 1, text.size(), out);
}

} /* namespace detail */

/* Names a value without checking it, like sonde_observe, for any type that sondecpp_check_eq can print. Returns
 * nothing. */
template <class T> void observe(sonde *t, const char *name, const T &value)
{
    sonde_observe_printed_(t, name, detail::print_to<T>, &value);
}

/* Compares two values of any types that have ==. Ends the case as failed if they differ. Returns nothing. */
#define sondecpp_check_eq(t, got, want)                                                                                \
    SONDE_AT_(SONDE_SITE_CHECK_, SONDE_SIDES_(#got, "==", #want),                                                      \
              sondecpp::detail::check_eq((t), (got), (want),                                                           \
                                         sonde_where_at_(__FILE__, __LINE__, SONDE_SIDES_(#got, "==", #want))))

} /* namespace sondecpp */

#endif
