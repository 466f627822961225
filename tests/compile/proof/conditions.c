/* Random conditions with the utilities that src/case/truth.c gives them, one per line: the utility, then the condition in
 * prefix notation, as compare.ml reads it. Every way to build a condition over integers is used: the macros of sonde.h and
 * the functions that `sonde cc` calls.
 *
 *     conditions COUNT SEED exact   differences of at most 2^52, whose doubles are exact: prints the utility
 *     conditions COUNT SEED wide    any 64-bit numbers, whose differences are rounded: prints the sign, 0 or -1 */
#include <sonde.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 4, PARTS = 4, NEAR = 4 };

static uint64_t state;
static bool is_wide;

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t any(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int below(int n)
{
    return (int)(any() % (uint64_t)n);
}

/* A number of any width up to 51 bits; with `wide` up to 63. */
static int64_t number(void)
{
    int bits = below(is_wide ? 64 : 52);
    int64_t x = bits ? (int64_t)(any() >> (64 - bits)) : 0;
    return below(2) ? x : -x;
}

/* One atom through sonde_rel: operands of three types, which compare by value. */
static sonde_truth related(int relation, int64_t a, int64_t b)
{
    switch (relation) {
    case 0: return b >= 0 && below(2) ? sonde_rel(a, <=, (uint64_t)b) : sonde_rel(a, <=, b);
    case 1: return a >= 0 && below(2) ? sonde_rel((uint64_t)a, <, b) : sonde_rel(a, <, b);
    case 2: return b >= 0 && b < 2 && below(2) ? sonde_rel(a, ==, (bool)b) : sonde_rel(a, ==, b);
    case 3: return sonde_rel(a, >=, b);
    case 4: return sonde_rel(a, >, b);
    default: return sonde_rel(a, !=, b);
    }
}

/* The same as `sonde cc` compiles it: with the truth that C computed. */
static sonde_truth rewritten(int relation, int64_t a, int64_t b)
{
    sonde_boxed_ x = sonde_box_at_(&a, sizeof a, 1), y = sonde_box_at_(&b, sizeof b, 1);
    switch (relation) {
    case 0: return sonde_relate_as_(x, SONDE_RELATION_(<=), y, a <= b);
    case 1: return sonde_relate_as_(x, SONDE_RELATION_(<), y, a < b);
    case 2: return sonde_relate_as_(x, SONDE_RELATION_(==), y, a == b);
    case 3: return sonde_relate_as_(x, SONDE_RELATION_(>=), y, a >= b);
    case 4: return sonde_relate_as_(x, SONDE_RELATION_(>), y, a > b);
    default: return b == 0 ? sonde_truth_number_(x, a != 0) : sonde_relate_as_(x, SONDE_RELATION_(!=), y, a != b);
    }
}

static sonde_truth atom(FILE *out)
{
    static const char *const names[] = {"le", "lt", "eq", "ge", "gt", "ne"};
    int kind = below(14);
    if (kind >= 12) {
        fprintf(out, kind == 12 ? " true" : " false");
        return sonde_truth_of_(kind == 12);
    }
    int64_t a = number();
    /* Half of the operands are near each other; beyond the largest number comes the least. */
    int64_t b = below(2) ? number() : (int64_t)((uint64_t)a + (uint64_t)below(2 * NEAR + 1) - NEAR);
    fprintf(out, " %s %" PRId64 " %" PRId64, names[kind % 6], a, b);
    return kind < 6 ? related(kind, a, b) : rewritten(kind - 6, a, b);
}

static sonde_truth condition(FILE *out, int depth)
{
    int kind = depth ? below(8) : 0;
    if (kind < 3) return atom(out);
    if (kind == 3) {
        fprintf(out, " not");
        return sonde_truth_not_(condition(out, depth - 1));
    }
    if (kind < 6) { /* what `sonde cc` makes of && and || */
        fprintf(out, kind == 4 ? " all 2" : " any 2");
        sonde_truth first = condition(out, depth - 1), second = condition(out, depth - 1);
        return kind == 4 ? sonde_truth_and_(first, second) : sonde_truth_or_(first, second);
    }
    sonde_truth parts[PARTS];
    int n = below(PARTS + 1);
    fprintf(out, " %s %d", kind == 6 ? "all" : "any", n);
    for (int i = 0; i < n; i++) parts[i] = condition(out, depth - 1);
    return kind == 6 ? sonde_all_of(parts, (size_t)n) : sonde_any_of(parts, (size_t)n);
}

int main(int argc, char **argv)
{
    if (argc != 4) return 2;
    long count = strtol(argv[1], NULL, 10);
    state = strtoull(argv[2], NULL, 10);
    is_wide = strcmp(argv[3], "wide") == 0;
    for (long i = 0; i < count; i++) {
        char *text = NULL;
        size_t n = 0;
        FILE *out = open_memstream(&text, &n);
        if (!out) return 2;
        sonde_truth truth = condition(out, DEPTH);
        if (fclose(out) != 0) return 2;
        printf("%.0f%s\n", is_wide ? (truth.distance >= 0 ? 0.0 : -1.0) : truth.distance, text);
        free(text);
    }
    return fflush(stdout) == 0 ? 0 : 2;
}
