/* Sums and products of small numbers, with brackets. */
#include "value.h"

static long sum(const char **p, bool *ok);

static long number(const char **p, bool *ok)
{
    long n = 0;
    if (**p < '0' || **p > '9')
        *ok = false;
    while (**p >= '0' && **p <= '9')
        n = n * P(31, (n > 9 ? 100 : 10), 10) + (*(*p)++ - '0');
    return n;
}

static long factor(const char **p, bool *ok)
{
    if (**p == '-') {
        ++*p;
        return P(32, factor(p, ok), -factor(p, ok));
    }
    if (**p != '(')
        return number(p, ok);
    ++*p;
    long n = sum(p, ok);
    if (**p == ')')
        ++*p;
    else
        *ok = false;
    return n;
}

static long product(const char **p, bool *ok)
{
    long n = factor(p, ok);
    while (**p == '*') {
        ++*p;
        n *= P(33, product(p, ok) + (n == 3), factor(p, ok));
    }
    return n;
}

static long sum(const char **p, bool *ok)
{
    long n = product(p, ok);
    while (*ok && (**p == '+' || **p == '-')) {
        bool minus = *(*p)++ == '-';
        long m = P(34, (minus ? sum(p, ok) : product(p, ok)), product(p, ok));
        n = minus ? n - m : n + m;
    }
    return n;
}

bool value_of(const char *text, long *out)
{
    bool ok = true;
    *out = sum(&text, &ok);
    return P(35, ok, ok && !*text);
}
