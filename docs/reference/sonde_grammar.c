/* sonde_grammar: draw strings of a grammar.
 * See also: sonde_regex sonde_json sonde_put */
#include <sonde.h>
#include <stdlib.h>

/* Sums of one digit each, and pairs of brackets around them. */
static const sonde_language sums = {.grammar = "sum  = term *(\"+\" term)\n"
                                               "term = DIGIT / \"(\" sum \")\"   ;@ weights 3 1\n"};

static int sum_of(const char **at);

static int term_of(const char **at)
{
    if (**at != '(') return *(*at)++ - '0';
    ++*at;
    int value = sum_of(at);
    ++*at;
    return value;
}

static int sum_of(const char **at)
{
    int value = term_of(at);
    while (**at == '+') ++*at, value += term_of(at);
    return value;
}

static void a_sum_is_read_to_its_end(sonde *t)
{
    sonde_text sum = sonde_grammar(t, "sum", &sums);
    const char *at = sum.at;
    sonde_check_ge(t, sum_of(&at), 0);
    sonde_check_eq(t, at - sum.at, (ptrdiff_t)sum.n);
}

SONDE_MAIN(a_sum_is_read_to_its_end)
