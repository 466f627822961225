/* A C++ user's program: each way out of a case runs the destructors, an exception is a failure, and comparisons take
 * what C++ has. Prints nothing and ends with 0 if all is well. */
#include <sonde.hpp>

#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

static int alive, failures;

struct guard {
    guard() { alive++; }
    ~guard() { alive--; }
};

static void expect(bool holds, const char *what)
{
    if (holds) return;
    std::printf("%s\n", what);
    failures++;
}

static sonde_result run(sonde_property_fn *property)
{
    sonde_result result;
    sonde_config config = sonde_config();
    config.seed = 1;
    config.tests = 50;
    config.quiet = true;
    config.store = "";
    config.result = &result;
    alive = 0;
    sonde_run(property, &config);
    expect(alive == 0, "destructors did not run");
    return result;
}

static void by_check(sonde *t)
{
    guard a, b;
    sonde_check(t, sonde_int(t, "x", 0, 99) < 50);
}

static void by_check_eq(sonde *t)
{
    guard a;
    std::string text(200, 'x'); /* on the heap */
    sondecpp_check_eq(t, text, text + "y");
}

static void by_assume(sonde *t)
{
    guard a;
    sonde_assume(t, sonde_int(t, "x", 0, 99) < 50);
}

static void by_overrun(sonde *t)
{
    guard a;
    if (sonde_int(t, "much", 0, 99) > 50)
        for (;;) sonde_bool(t, "more");
}

static void by_misuse(sonde *t)
{
    guard a;
    sonde_int(t, "x", 9, 0);
}

static void by_exception(sonde *t)
{
    guard a;
    if (sonde_int(t, "x", 0, 99) > 50) throw std::runtime_error("too large");
}

static void by_odd_exception(sonde *t)
{
    guard a;
    if (sonde_int(t, "x", 0, 99) > 50) throw 7;
}

static void passing_on(sonde *t)
{
    guard a;
    try {
        guard b;
        sonde_check(t, sonde_int(t, "x", 0, 99) < 50);
    } catch (...) {
        guard c;
        throw;
    }
}

static void deferred(void *)
{
    alive--;
}

static void with_deferred(sonde *t)
{
    guard a;
    alive++;
    sonde_defer(t, deferred, nullptr);
    sondecpp::span inner(t, "inner");
    sonde_check(t, sonde_int(t, "x", 0, 99) < 50);
}

enum colour { RED, GREEN };

static void comparisons_hold(sonde *t)
{
    int x = 1, *p = &x, *none = nullptr;
    bool yes = true;
    std::vector<bool> flags(1, true);
    sonde_check_eq(t, p, &x);
    sonde_check_eq(t, none, nullptr);
    sonde_check_ne(t, p, nullptr);
    sonde_check_eq(t, yes, true);
    sonde_check_eq(t, flags[0], true);
    sonde_check_eq(t, GREEN, 1);
    sonde_check_eq(t, "abc", std::string("abc").c_str());
    sonde_check_lt(t, -1, 0u);
    sonde_check_eq(t, 1.5f, 1.5);
    sondecpp_check_eq(t, std::string("a\0b", 3), std::string("a\0b", 3));
    sondecpp_check_eq(t, (std::map<int, std::string>{{1, "a"}}), (std::map<int, std::string>{{1, "a"}}));
    expect(sonde_expect(t, yes), "an expectation that holds");
    sonde_observe(t, "text", std::string("abc").c_str());
    sonde_observe(t, "flag", bool(flags[0]));
    sonde_observe(t, "bytes", flags.size() ? &x : nullptr, sizeof x);
    sondecpp::observe(t, "string", std::string("abc"));
    sondecpp::observe(t, "map", std::map<int, std::string>{{1, "a"}});
}

static void texts_with_nul_differ(sonde *t)
{
    sondecpp_check_eq(t, std::string("a\0b", 3), std::string("a\0c", 3));
}

/* ---- Machines */

struct counted {
    static int alive;
    counted() { alive++; }
    ~counted() { alive--; }
    counted(const counted &) = delete;
    counted &operator=(const counted &) = delete;
};
int counted::alive;

struct world {
    std::vector<int> stack;
    int calls = 0, looks = 0;
};

static void push_even(sonde *t, world &w)
{
    counted here;
    int value = sonde_int(t, "value", 0, 9);
    sonde_assume(t, value % 2 == 0); /* takes back this call, and destroys `here` */
    w.stack.push_back(value);
    w.calls++;
}

static void drive_stack(sonde *t)
{
    world w;
    sondecpp::drive<world>(t, "calls", w,
                           {{"push_even", push_even},
                            {"pop", [](sonde *, world &x) { x.stack.pop_back(), x.calls++; },
                             [](const world &x) { return !x.stack.empty(); }}},
                           [](sonde *u, world &x) {
                               sonde_check_eq(u, x.looks++, x.calls);
                               for (int value : x.stack) sonde_check_eq(u, value % 2, 0);
                           });
    sonde_check_eq(t, counted::alive, 0);
}

static void drive_to_failure(sonde *t)
{
    counted here;
    world w;
    sondecpp::drive<world>(t, "calls", w, {{"push_even", push_even}},
                           [](sonde *u, world &x) { sonde_check(u, x.stack.size() < 3); });
}

static void throw_three(sonde *, world &)
{
    throw 3;
}

static void throw_out_of_a_machine(sonde *t)
{
    world w;
    try {
        sondecpp::drive<world>(t, "calls", w, {{"throw_three", throw_three}}, nullptr, {1, 2});
    } catch (int) {
        sonde_assume(t, w.calls > 0); /* is about the case, which has left the call */
    }
}

static void draws(sonde *t)
{
    expect(sondecpp::integer<uint8_t>(t, "u8", 3, 5) <= 5, "an integer in its range");
    sondecpp::integer<int64_t>(t, "i64");
    sondecpp::integer<unsigned long long>(t, "ull");
    expect(sondecpp::string(t, "s", 2, 4).size() >= 2, "a string in its length");
    expect(sondecpp::bytes(t, "b", 1, 3).size() <= 3, "bytes in their length");
    expect(sondecpp::regex(t, "r", "[ab]{3}").size() == 3, "text of a pattern");
    const std::vector<std::string> words = {"one", "two"};
    expect(sondecpp::element(t, "word", words).size() == 3, "an element");
    auto nested = sondecpp::vector(t, "rows", 1, 3, [](sonde *u) {
        return sondecpp::vector(u, "row", 0, 2, [](sonde *v) { return sonde_bool(v, "cell"); });
    });
    expect(!nested.empty() && nested.size() <= 3, "a vector in its length");
}

int main()
{
    expect(run(sondecpp::property<by_check>).status == SONDE_FALSIFIED, "a failed check");
    expect(run(sondecpp::property<by_check_eq>).status == SONDE_FALSIFIED, "a failed comparison");
    expect(run(sondecpp::property<by_assume>).discarded > 0, "a failed assumption");
    expect(run(sondecpp::property<by_overrun>).status == SONDE_PASSED, "an overrun");
    expect(run(sondecpp::property<by_misuse>).status == SONDE_USAGE, "misuse");
    sonde_result thrown = run(sondecpp::property<by_exception>);
    expect(thrown.status == SONDE_FALSIFIED, "an exception");
    expect(std::strcmp(thrown.message, "an exception came out of the property: too large") == 0, thrown.message);
    expect(std::strcmp(thrown.token, "s1:x=51 ?") == 0, thrown.token);
    expect(run(sondecpp::property<by_odd_exception>).status == SONDE_FALSIFIED, "an odd exception");
    expect(run(sondecpp::property<passing_on>).status == SONDE_FALSIFIED, "a failure that was passed on");
    expect(run(sondecpp::property<with_deferred>).status == SONDE_FALSIFIED, "a failure with something deferred");
    sonde_result compared = run(sondecpp::property<comparisons_hold>);
    expect(compared.status == SONDE_PASSED, compared.message);
    expect(run(sondecpp::property<texts_with_nul_differ>).status == SONDE_FALSIFIED, "texts that differ behind a NUL");
    sonde_result driven = run(sondecpp::property<drive_stack>);
    expect(driven.status == SONDE_PASSED && driven.discarded == 0, driven.message);
    sonde_result failed = run(sondecpp::property<drive_to_failure>);
    expect(std::strcmp(failed.token,
                       "s1:calls[{rule=0-push_even value=0} {rule=0-push_even value=0} {rule=0-push_even value=0}] ?")
               == 0,
           failed.token);
    expect(counted::alive == 0, "destructors of calls that were left");
    sonde_result caught = run(sondecpp::property<throw_out_of_a_machine>);
    expect(caught.valid == 0 && caught.discarded > 0, "an assume behind a machine that an exception left");
    sonde_result drawn = run(sondecpp::property<draws>);
    expect(drawn.status == SONDE_PASSED, drawn.message);
    return failures != 0;
}
