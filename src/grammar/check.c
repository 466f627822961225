/* Checks a grammar that was read, and computes what drawing and parsing need of it. Each step needs the
 * steps before it.
 *
 * 1. find_missing: every name is defined. Words for people occur only where a C function draws.
 * 2. link_kids: children become arrays.
 * 3. make_text: literals become bytes, classes become sets.
 * 4. merge_classes: alternatives of single characters become one class.
 * 5. sonde_syntax_relate: which rule leads to which.
 * 6. sonde_syntax_order: the cheapest derivations of each node, and with them the order of alternatives.
 * 7. sonde_syntax_label: names for the draws. */
#include "grammar/notation.h"

#include "base/buffer.h"
#include "base/mem.h"
#include "grammar/order.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;
enum { NAMED = 8 }; /* NAMED: maximum number of rules that a message lists */

/* ---- Names */

/* A list of rules in a message. */
struct names {
    char text[512];
    uint32_t n;
    size_t at; /* the first one in the source */
};

static void add_name(struct names *names, const struct sonde_syntax *g, uint32_t rule)
{
    size_t used = strlen(names->text);
    if (!names->n || g->rules[rule].at < names->at) names->at = g->rules[rule].at;
    if (names->n++ < NAMED)
        snprintf(names->text + used, sizeof names->text - used, "%s%.40s", names->n > 1 ? ", " : "",
                 sonde_syntax_name(g, rule));
    else if (names->n == NAMED + 2) snprintf(names->text + used, sizeof names->text - used, ", ...");
}

static void attach_functions(struct sonde_build *b, const struct sonde_syntax_source *source)
{
    struct sonde_syntax *g = b->g;
    for (size_t i = 0; i < source->n_drawn; i++) {
        const sonde_drawn_rule *drawn = &source->drawn[i];
        uint32_t rule = drawn->name ? sonde_syntax_find(g, drawn->name, strlen(drawn->name)) : NONE;
        if (rule == NONE)
            sonde_build_fail(b, 0, "a function draws the rule '%.100s', which the grammar does not have",
                             drawn->name ? drawn->name : "(no name)");
        else if (!drawn->draw)
            sonde_build_fail(b, g->rules[rule].at, "the function that draws '%.100s' is NULL", drawn->name);
        else g->rules[rule].draw = drawn->draw;
        g->has_drawn = true;
    }
}

static void find_missing(struct sonde_build *b)
{
    struct sonde_syntax *g = b->g;
    struct names missing = {.n = 0};
    for (uint32_t i = 0; i < g->n_rules; i++) {
        if (g->rules[i].body != NONE) continue;
        if (!g->rules[i].draw) add_name(&missing, g, i);
        b->rule = i; /* the function may write anything: no file is parsed by the rule */
        uint32_t body = sonde_build_prose(b, "a value drawn by a C function", 29);
        g->rules[i].body = body;
    }
    if (missing.n)
        sonde_build_fail(b, missing.at, "%s not defined: %s", missing.n > 1 ? "these rules are" : "this rule is",
                         missing.text);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct sonde_syntax_node *x = &g->nodes[i];
        const struct sonde_syntax_rule *rule = &g->rules[x->rule];
        if (x->kind == SONDE_SYNTAX_PROSE && !rule->draw)
            sonde_build_fail(
                b, rule->at,
                "the rule '%.60s' has words for people, <%.*s>; write what they mean, or have a C function "
                "draw the rule",
                sonde_syntax_name(g, x->rule), (int)(x->n < 80 ? x->n : 80), g->bytes + x->first);
    }
}

/* ---- Children, characters */

static void link_kids(struct sonde_syntax *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct sonde_syntax_node *x = &g->nodes[i];
        if (x->kind != SONDE_SYNTAX_SEQUENCE && x->kind != SONDE_SYNTAX_CHOICE) continue;
        g->kids = sonde_grow(g->kids, &g->cap_kids, (size_t)g->n_kids + x->n, sizeof *g->kids);
        uint32_t kid = x->first;
        x->first = g->n_kids;
        for (uint32_t k = 0; k < x->n; k++, kid = g->nodes[kid].next) g->kids[g->n_kids++] = kid;
    }
}

static void choose_encoding(struct sonde_build *b)
{
    struct sonde_syntax *g = b->g;
    if (g->says_bytes && (g->is_unicode || g->says_unicode))
        sonde_build_fail(b, 0, "the grammar says 'bytes', but has characters above %%xFF%s",
                         g->says_unicode ? ", or says 'unicode' as well" : "");
    g->is_unicode |= g->says_unicode;
}

/* Turns the characters of a literal into bytes. */
static void make_bytes(struct sonde_build *b, struct sonde_syntax_node *x)
{
    struct sonde_syntax *g = b->g;
    uint32_t first = g->n_bytes;
    g->bytes = sonde_grow(g->bytes, &g->cap_bytes, (size_t)first + 4 * (size_t)x->n + 4, 1);
    for (uint32_t i = 0; i < x->n; i++) {
        uint32_t c = g->codes[x->first + i];
        if (g->is_unicode && c >= 0xd800 && c < 0xe000)
            sonde_build_fail(b, g->rules[x->rule].at,
                             "the rule '%.60s' has the surrogate %%x%X, which is not a character",
                             sonde_syntax_name(g, x->rule), (unsigned)c);
        g->n_bytes += sonde_syntax_encode(g, c, g->bytes + g->n_bytes);
    }
    x->first = first;
    x->n = g->n_bytes - first;
}

/* The order of ASCII characters from simple to odd. */
static int rank(uint32_t c)
{
    return c >= 'a' && c <= 'z'   ? 0
           : c >= 'A' && c <= 'Z' ? 1
           : c >= '0' && c <= '9' ? 2
           : c == ' '             ? 3
           : c > ' ' && c < 0x7f  ? 4
                                  : 5;
}

static int by_start(const void *a, const void *b)
{
    const struct sonde_syntax_range *x = a, *y = b;
    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Sorts ranges and joins those that touch. Returns how many are left. */
static uint32_t normal_ranges(struct sonde_syntax_range *r, uint32_t n)
{
    uint32_t kept = 0;
    qsort(r, n, sizeof *r, by_start);
    for (uint32_t i = 0; i < n; i++) {
        if (kept && r[i].lo <= r[kept - 1].hi + 1) {
            if (r[i].hi > r[kept - 1].hi) r[kept - 1].hi = r[i].hi;
        } else r[kept++] = r[i];
    }
    return kept;
}

static void add_range(struct sonde_syntax *g, uint32_t lo, uint32_t hi)
{
    g->ranges = sonde_grow(g->ranges, &g->cap_ranges, (size_t)g->n_ranges + 1, sizeof *g->ranges);
    if (lo <= hi) g->ranges[g->n_ranges++] = (struct sonde_syntax_range){lo, hi};
}

/* Creates a class of n ranges, which it sorts. Returns its index. */
static uint32_t make_class(struct sonde_syntax *g, struct sonde_syntax_range *r, uint32_t n)
{
    struct sonde_syntax_class class = {.first_small = g->n_bytes, .first_range = g->n_ranges};
    uint32_t limit = g->is_unicode ? 0x80 : 0x100;
    n = normal_ranges(r, n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t c = r[i].lo; c <= r[i].hi && c < 256; c++) class.bits[c / 64] |= UINT64_C(1) << c % 64;
    g->bytes = sonde_grow(g->bytes, &g->cap_bytes, (size_t)g->n_bytes + 257, 1);
    for (int k = 0; k <= 5; k++)
        for (uint32_t c = 0; c < limit; c++)
            if (rank(c) == k && class.bits[c / 64] >> c % 64 & 1) g->bytes[g->n_bytes++] = (char)c;
    class.n_small = g->n_bytes - class.first_small;
    g->bytes[g->n_bytes++] = '\0';
    for (uint32_t i = 0; i < n && g->is_unicode; i++) {
        /* The surrogates are not characters. */
        uint32_t lo = r[i].lo < 0x80 ? 0x80 : r[i].lo, hi = r[i].hi;
        if (lo > hi) continue;
        add_range(g, lo, hi < 0xd7ff ? hi : 0xd7ff);
        add_range(g, lo > 0xe000 ? lo : 0xe000, hi);
    }
    class.n_ranges = g->n_ranges - class.first_range;
    for (uint32_t i = class.first_range; i < g->n_ranges; i++) class.n_rest += g->ranges[i].hi - g->ranges[i].lo + 1;
    g->classes = sonde_grow(g->classes, &g->cap_classes, (size_t)g->n_classes + 1, sizeof *g->classes);
    g->classes[g->n_classes] = class;
    return g->n_classes++;
}

static void make_text(struct sonde_build *b)
{
    struct sonde_syntax *g = b->g;
    for (uint32_t i = 0; i < g->n_nodes && !b->has_failed; i++) {
        struct sonde_syntax_node *x = &g->nodes[i];
        if (x->kind == SONDE_SYNTAX_LITERAL || x->kind == SONDE_SYNTAX_CASELESS) make_bytes(b, x);
        if (x->kind != SONDE_SYNTAX_CLASS) continue;
        struct sonde_syntax_range *ranges = sonde_malloc((x->n + 1) * sizeof *ranges);
        memcpy(ranges, g->ranges + x->first, x->n * sizeof *ranges);
        uint32_t class = make_class(g, ranges, x->n);
        sonde_free(ranges);
        g->nodes[i].first = class;
        g->nodes[i].n = 1;
        if (!g->classes[class].n_small && !g->classes[class].n_rest)
            sonde_build_fail(b, g->rules[x->rule].at, "the rule '%.60s' has a class without characters",
                             sonde_syntax_name(g, x->rule));
    }
}

/* ---- Classes */

/* Returns whether a node writes one character of a set; adds the set to `ranges`. */
static bool is_character(struct sonde_syntax *g, uint32_t node, struct sonde_syntax_range **ranges, uint32_t *n,
                         uint32_t *cap)
{
    enum { DEEP = 64 }; /* rules that refer to rules */
    for (uint32_t i = 0; i < DEEP && g->nodes[node].kind == SONDE_SYNTAX_RULE; i++) {
        const struct sonde_syntax_rule *rule = &g->rules[g->nodes[node].first];
        if (rule->draw) return false;
        node = rule->body;
    }
    const struct sonde_syntax_node *x = &g->nodes[node];
    struct sonde_syntax_range one[2];
    uint32_t n_one = 0, code = 0;
    if (x->kind == SONDE_SYNTAX_CLASS) {
        const struct sonde_syntax_class *class = &g->classes[x->first];
        uint32_t room = class->n_small + class->n_ranges;
        *ranges = sonde_grow(*ranges, cap, (size_t)*n + room, sizeof **ranges);
        for (uint32_t i = 0; i < class->n_small; i++) {
            unsigned char c = (unsigned char)g->bytes[class->first_small + i];
            (*ranges)[(*n)++] = (struct sonde_syntax_range){c, c};
        }
        for (uint32_t i = 0; i < class->n_ranges; i++) (*ranges)[(*n)++] = g->ranges[class->first_range + i];
        return true;
    }
    if ((x->kind != SONDE_SYNTAX_LITERAL && x->kind != SONDE_SYNTAX_CASELESS) || !x->n) return false;
    if (sonde_syntax_decode(g, g->bytes + x->first, x->n, &code) != x->n) return false;
    one[n_one++] = (struct sonde_syntax_range){code, code};
    if (x->kind == SONDE_SYNTAX_CASELESS && code < 0x80) {
        uint32_t other = (uint32_t)(isupper((int)code) ? tolower((int)code) : toupper((int)code));
        one[n_one++] = (struct sonde_syntax_range){other, other};
    }
    *ranges = sonde_grow(*ranges, cap, (size_t)*n + n_one, sizeof **ranges);
    for (uint32_t i = 0; i < n_one; i++) (*ranges)[(*n)++] = one[i];
    return true;
}

/* Makes a class of a choice among characters. Returns whether it did. */
static bool merge_class(struct sonde_syntax *g, uint32_t node)
{
    struct sonde_syntax_node *x = &g->nodes[node];
    struct sonde_syntax_range *ranges = NULL;
    uint32_t n = 0, cap = 0;
    bool has_weights = g->rules[x->rule].body == node && g->rules[x->rule].n_weights;
    bool is_class = !has_weights;
    for (uint32_t k = 0; k < x->n && is_class; k++)
        is_class = is_character(g, g->kids[x->first + k], &ranges, &n, &cap);
    if (is_class) {
        x->first = make_class(g, ranges, n);
        x->kind = SONDE_SYNTAX_CLASS;
        x->n = 1;
    }
    sonde_free(ranges);
    return is_class;
}

/* A rule may refer to a later one that is yet to become a class, so this is repeated a few times. Others stay a
 * choice, which is as good. */
static void merge_classes(struct sonde_syntax *g)
{
    enum { ROUNDS = 6 };
    bool has_changed = true;
    for (int round = 0; round < ROUNDS && has_changed; round++) {
        has_changed = false;
        for (uint32_t i = 0; i < g->n_nodes; i++)
            if (g->nodes[i].kind == SONDE_SYNTAX_CHOICE) has_changed |= merge_class(g, i);
    }
}

void sonde_syntax_check(struct sonde_build *b, const struct sonde_syntax_source *source)
{
    struct sonde_syntax *g = b->g;
    attach_functions(b, source);
    if (source->start) {
        g->start = sonde_syntax_find(g, source->start, strlen(source->start));
        if (g->start == NONE || g->rules[g->start].body == NONE)
            sonde_build_fail(b, 0, "there is no rule '%.100s' to start with", source->start);
    }
    if (!b->has_failed) find_missing(b);
    if (!b->has_failed) choose_encoding(b);
    if (b->has_failed) return;
    link_kids(g);
    make_text(b);
    if (b->has_failed) return;
    merge_classes(g);
    sonde_syntax_relate(g);
    struct names endless = {.n = 0};
    if (!sonde_syntax_order(b)) {
        for (uint32_t i = 0; i < g->n_rules; i++)
            if (g->nodes[g->rules[i].body].cost == UINT64_MAX && !g->rules[i].draw) add_name(&endless, g, i);
        sonde_build_fail(b, endless.at, "%s: %s; give %s an alternative without %s",
                         endless.n > 1 ? "these rules never end" : "this rule never ends", endless.text,
                         endless.n > 1 ? "one of them" : "it", endless.n > 1 ? "the others" : "itself");
    }
    if (!b->has_failed) sonde_syntax_label(g);
}
