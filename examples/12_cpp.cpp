/* 12: C++. Fields are joined into one line and split again; the check is that they come back.
 *
 * Look for: sonde.hpp draws std::string and std::vector, and compares anything with ==. A case is left by an exception,
 * so destructors run: all tokens below are returned in every case, however it ends. Otherwise the second property
 * would fail. The counterexample is the one list of fields that this format cannot tell from another. */
#include <sonde.hpp>

#include <stdexcept>

/* ---- The code under test: fields separated by commas, with \ before a comma or a \ inside. It has a bug. */

typedef std::vector<std::string> fields;

static std::string join(const fields &all)
{
    std::string line;
    for (size_t i = 0; i < all.size(); i++) {
        if (i > 0) line += ',';
        for (char c : all[i]) {
            if (c == ',' || c == '\\') line += '\\';
            line += c;
        }
    }
    return line;
}

static fields split(const std::string &line)
{
    fields all(1);
    for (size_t i = 0; i < line.size(); i++) {
        if (line[i] == ',') {
            all.push_back("");
            continue;
        }
        if (line[i] == '\\' && ++i == line.size()) throw std::invalid_argument("a line ends with \\");
        all.back() += line[i];
    }
    return all;
}

/* ---- A resource that must be returned, because the number of tokens is limited. */

static int tokens = 3;

class token
{
  public:
    token()
    {
        if (tokens == 0) throw std::runtime_error("no token is left");
        tokens--;
    }
    ~token() { tokens++; }
    token(const token &) = delete;
    token &operator=(const token &) = delete;
};

/* ---- The properties. */

static void fields_come_back(sonde *t)
{
    token taken; /* its destructor runs, also when the check below fails */
    auto draw_field = [](sonde *u) { return sondecpp::string_of(u, "field", "ab,\\", 0, 5); };
    fields all = sondecpp::vector(t, "fields", 0, 5, draw_field);
    sondecpp_check_eq(t, split(join(all)), all);
}

static void every_line_is_split_or_refused(sonde *t)
{
    token taken;
    std::string line = sondecpp::string_of(t, "line", "ab,\\", 0, 10);
    sonde_assume(t, line.find(",,") == std::string::npos); /* leaves the case; destructors run */
    size_t commas = 0;
    for (char c : line) commas += c == ',';
    try {
        sonde_check_le(t, split(line).size(), commas + 1);
    } catch (const std::invalid_argument &) {
        sonde_check_eq(t, line.back(), '\\');
    }
}

SONDECPP_MAIN(fields_come_back, every_line_is_split_or_refused)
