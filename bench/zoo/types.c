/* The flat types of the zoo: records, tagged unions, lists, rows, strings, bytes. Generators are naive: what a precondition asks for
 * is left to the search. See grammar.h. */
#include "zoo/grammar.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Offers of a part */

static void name(char *out, const char *format, va_list args)
{
    int n = vsnprintf(out, ZOO_NAME, format, args);
    if (n < 0 || n >= ZOO_NAME) abort(); /* a mistake in this grammar */
}

struct zoo_scalar *zoo_scalar_add(struct zoo_subject *z, struct zoo_range range, bool is_shape, const char *format, ...)
{
    if (z->n_scalars == ZOO_SCALARS) abort();
    struct zoo_scalar *s = &z->scalars[z->n_scalars++];
    *s = (struct zoo_scalar){.lo = range.lo, .hi = range.hi, .is_shape = is_shape, .usual = -1, .parts = z->part};
    va_list args;
    va_start(args, format);
    name(s->expr, format, args);
    va_end(args);
    return s;
}

struct zoo_sequence *zoo_sequence_add(struct zoo_subject *z, const char *array, const char *length,
                                      struct zoo_range range, struct zoo_range lengths)
{
    if (z->n_sequences == ZOO_SEQUENCES) abort();
    struct zoo_sequence *q = &z->sequences[z->n_sequences++];
    *q = (struct zoo_sequence){
        .lo = range.lo, .hi = range.hi, .shortest = lengths.lo, .longest = lengths.hi, .parts = z->part};
    snprintf(q->array, sizeof q->array, "w->%s_%s", z->prefix, array);
    snprintf(q->length, sizeof q->length, "w->%s_%s", z->prefix, length);
    return q;
}

struct zoo_atom *zoo_offer(struct zoo_subject *z, const char *class, const char *kind, int weight, const char *format,
                           ...)
{
    if (z->n_offered == ZOO_CONDITIONS) abort();
    struct zoo_atom *a = &z->offered[z->n_offered++];
    *a = (struct zoo_atom){.class = class, .kind = kind, .weight = weight, .parts = z->part};
    va_list args;
    va_start(args, format);
    vsnprintf(a->condition, sizeof a->condition, format, args);
    va_end(args);
    return a;
}

static struct zoo_text *draw_of(struct zoo_subject *z)
{
    return &z->draws[z->n_parts];
}

/* ---- Ranges */

static struct zoo_range value_range(struct zoo_subject *z)
{
    static const struct zoo_range ranges[] = {{0, 7},    {0, 20},    {0, 20}, {0, 100},      {0, 100},    {0, 1000},
                                              {-50, 50}, {0, 65535}, {1, 12}, {-1000, 1000}, {0, 1 << 20}};
    return ZOO_PICK(&z->rng, ranges);
}

struct zoo_range zoo_element_range(struct zoo_subject *z)
{
    static const struct zoo_range ranges[] = {{0, 1}, {0, 3}, {0, 9}, {0, 20}, {0, 100}, {-20, 20}, {0, 1000}};
    return ZOO_PICK(&z->rng, ranges);
}

static struct zoo_range length_range(struct zoo_subject *z)
{
    static const struct zoo_range ranges[] = {{0, 8}, {2, 8}, {3, 12}, {4, 12}, {1, 6}, {0, 16}, {2, 20}};
    return ZOO_PICK(&z->rng, ranges);
}

/* ---- Records and unions */

static void add_field(struct zoo_subject *z, int i)
{
    int how = zoo_below(&z->rng, 100), alternatives = zoo_between(&z->rng, 2, 5);
    struct zoo_range range = how < 15   ? (struct zoo_range){0, 1}
                             : how < 25 ? (struct zoo_range){0, alternatives - 1}
                                        : value_range(z);
    zoo_print(&z->fields, "    int %s_f%d;\n", z->prefix, i);
    zoo_print(draw_of(z), "        w->%s_f%d = ", z->prefix, i);
    if (how < 15) zoo_print(draw_of(z), "sonde_bool(t, \"flag %d\");\n", i);
    else if (how < 25) zoo_print(draw_of(z), "(int)sonde_pick(t, \"kind %d\", %d);\n", i, alternatives);
    else zoo_print(draw_of(z), "sonde_int(t, \"field %d\", %d, %d);\n", i, range.lo, range.hi);
    zoo_scalar_add(z, range, false, "w->%s_f%d", z->prefix, i);
}

static void add_record(struct zoo_subject *z)
{
    int n = zoo_between(&z->rng, 3, 6);
    zoo_print(draw_of(z), "    {\n        sonde_span(t, \"record\");\n");
    for (int i = 0; i < n; i++) add_field(z, i);
    zoo_print(draw_of(z), "    }\n");
}

static void add_variant(struct zoo_subject *z, int tag, const struct zoo_range *ranges, int n)
{
    bool has_any = false;
    zoo_print(draw_of(z), "        if (w->%s_tag == %d) {\n", z->prefix, tag);
    for (int i = 0; i < n; i++) {
        bool is_last = i == n - 1;
        if (!zoo_percent(&z->rng, 70) && (has_any || !is_last)) continue;
        has_any = true;
        zoo_print(draw_of(z), "            w->%s_v%d = sonde_int(t, \"field %d of %d\", %d, %d);\n", z->prefix, i, i,
                  tag, ranges[i].lo, ranges[i].hi);
    }
    zoo_print(draw_of(z), "        }\n");
}

static void add_union(struct zoo_subject *z)
{
    int variants = zoo_between(&z->rng, 2, 4), n = zoo_between(&z->rng, 2, 3);
    struct zoo_range ranges[3];
    zoo_print(&z->fields, "    int %s_tag;\n", z->prefix);
    for (int i = 0; i < n; i++) {
        ranges[i] = value_range(z);
        zoo_print(&z->fields, "    int %s_v%d;\n", z->prefix, i);
    }
    zoo_print(draw_of(z),
              "    {\n        sonde_span(t, \"variant\");\n        w->%s_tag = (int)sonde_pick(t, \"tag\", %d);\n",
              z->prefix, variants);
    for (int tag = 0; tag < variants; tag++) add_variant(z, tag, ranges, n);
    zoo_print(draw_of(z), "    }\n");
    zoo_scalar_add(z, (struct zoo_range){0, variants - 1}, true, "w->%s_tag", z->prefix);
    for (int i = 0; i < n; i++) zoo_scalar_add(z, ranges[i], false, "w->%s_v%d", z->prefix, i);
}

/* ---- Lists */

static void add_elements(struct zoo_subject *z, int n_fields, const char *label, bool has_span)
{
    struct zoo_range lengths = length_range(z);
    struct zoo_text *draw = draw_of(z);
    zoo_print(&z->fields, "    int %s_n;\n", z->prefix);
    zoo_print(draw, "    for (sonde_list l = sonde_list_of(t, \"%s\", %d, %d); sonde_more(&l); w->%s_n++) {\n", label,
              lengths.lo, lengths.hi, z->prefix);
    if (has_span) zoo_print(draw, "        sonde_span(t, \"entry\");\n");
    for (int i = 0; i < n_fields; i++) {
        struct zoo_range range = zoo_element_range(z);
        char array[16];
        snprintf(array, sizeof array, "x%d", i);
        zoo_print(&z->fields, "    int %s_x%d[24];\n", z->prefix, i);
        zoo_print(draw, "        w->%s_x%d[w->%s_n] = sonde_int(t, \"x%d\", %d, %d);\n", z->prefix, i, z->prefix, i,
                  range.lo, range.hi);
        zoo_sequence_add(z, array, "n", range, lengths);
    }
    zoo_print(draw, "    }\n");
    zoo_scalar_add(z, lengths, true, "w->%s_n", z->prefix);
}

static void add_list(struct zoo_subject *z)
{
    add_elements(z, 1, "list", false);
}

static void add_records(struct zoo_subject *z)
{
    add_elements(z, zoo_between(&z->rng, 2, 3), "records", true);
}

static void add_rows(struct zoo_subject *z)
{
    static const struct zoo_range outer[] = {{1, 4}, {2, 6}, {0, 5}}, inner[] = {{0, 4}, {1, 3}, {0, 6}};
    struct zoo_range rows = ZOO_PICK(&z->rng, outer), cells = ZOO_PICK(&z->rng, inner), range = zoo_element_range(z);
    struct zoo_range all = {rows.lo * cells.lo, rows.hi * cells.hi};
    struct zoo_range sums = {range.lo * cells.hi, range.hi * (cells.lo + cells.hi) / 2};
    const char *p = z->prefix;
    zoo_print(&z->fields, "    int %s_n, %s_lengths[8], %s_sums[8], %s_m, %s_cells[40];\n", p, p, p, p, p);
    zoo_print(draw_of(z),
              "    for (sonde_list l = sonde_list_of(t, \"rows\", %d, %d); sonde_more(&l); w->%s_n++)\n"
              "        for (sonde_list k = sonde_list_of(t, \"row\", %d, %d); sonde_more(&k);) {\n"
              "            int x = w->%s_cells[w->%s_m++] = sonde_int(t, \"cell\", %d, %d);\n"
              "            w->%s_lengths[w->%s_n]++;\n            w->%s_sums[w->%s_n] += x;\n        }\n",
              rows.lo, rows.hi, p, cells.lo, cells.hi, p, p, range.lo, range.hi, p, p, p, p);
    zoo_scalar_add(z, rows, true, "w->%s_n", p);
    zoo_scalar_add(z, all, true, "w->%s_m", p);
    zoo_sequence_add(z, "lengths", "n", cells, rows);
    zoo_sequence_add(z, "sums", "n", sums, rows);
    zoo_sequence_add(z, "cells", "m", range, all);
}

/* ---- Strings */

static void add_brackets(struct zoo_subject *z, int longest)
{
    const char *p = z->prefix;
    zoo_print(&z->helpers,
              "static bool balanced_text(const char *s, int n)\n{\n    char stack[24];\n    int depth = 0;\n"
              "    for (int i = 0; i < n; i++) {\n"
              "        if (s[i] == '(' || s[i] == '[') stack[depth++] = s[i];\n"
              "        else if (s[i] == ')' && (depth == 0 || stack[--depth] != '(')) return false;\n"
              "        else if (s[i] == ']' && (depth == 0 || stack[--depth] != '[')) return false;\n"
              "    }\n    return depth == 0;\n}\n\n"
              "static int nesting(const char *s, int n)\n{\n    int depth = 0, most = 0;\n"
              "    for (int i = 0; i < n; i++) {\n"
              "        depth += (s[i] == '(' || s[i] == '[') - (s[i] == ')' || s[i] == ']');\n"
              "        if (depth > most) most = depth;\n    }\n    return most;\n}\n\n");
    zoo_offer(z, "balance", "brackets", 4, "balanced_text(w->%s_s, w->%s_n)", p, p);
    zoo_scalar_add(z, (struct zoo_range){0, longest / 2}, true, "nesting(w->%s_s, w->%s_n)", p, p)->usual = 3;
}

static void add_string(struct zoo_subject *z)
{
    static const char *const alphabets[] = {"ab",   "abc",        "()",
                                            "()[]", "0123456789", "abcdefghijklmnopqrstuvwxyz",
                                            "01",   "<>/ab",      "+-*0123",
                                            "()ab"};
    static const struct zoo_range lengths[] = {{0, 8}, {2, 10}, {4, 14}, {1, 6}, {2, 16}};
    const char *alphabet = ZOO_PICK(&z->rng, alphabets), *p = z->prefix;
    struct zoo_range n = ZOO_PICK(&z->rng, lengths), range = {127, 0};
    for (const char *c = alphabet; *c; c++) {
        if (*c < range.lo) range.lo = *c;
        if (*c > range.hi) range.hi = *c;
    }
    char counted = alphabet[zoo_below(&z->rng, (int)strlen(alphabet))];
    zoo_print(&z->fields, "    const char *%s_s;\n    int %s_n;\n", p, p);
    zoo_print(draw_of(z),
              "    w->%s_s = sonde_string_of(t, \"text\", \"%s\", %d, %d);\n    w->%s_n = (int)strlen(w->%s_s);\n", p,
              alphabet, n.lo, n.hi, p, p);
    zoo_print(&z->helpers,
              "static int occurrences(const char *s, int n)\n{\n    int count = 0;\n"
              "    for (int i = 0; i < n; i++) count += s[i] == '%c';\n    return count;\n}\n\n",
              counted);
    zoo_scalar_add(z, n, true, "w->%s_n", p);
    zoo_sequence_add(z, "s", "n", range, n)->alphabet = alphabet;
    zoo_scalar_add(z, (struct zoo_range){0, n.hi}, true, "occurrences(w->%s_s, w->%s_n)", p, p)->usual = n.hi / 3;
    if (strchr(alphabet, '(')) add_brackets(z, n.hi);
}

static void add_bytes(struct zoo_subject *z)
{
    static const struct zoo_range lengths[] = {{0, 8}, {4, 12}, {3, 6}, {2, 16}, {4, 8}};
    struct zoo_range n = ZOO_PICK(&z->rng, lengths);
    const char *p = z->prefix;
    zoo_print(&z->fields, "    const uint8_t *%s_b;\n    int %s_n;\n", p, p);
    zoo_print(
        draw_of(z),
        "    {\n        size_t n;\n        w->%s_b = sonde_bytes(t, \"data\", %d, %d, &n);\n        w->%s_n = (int)n;\n    }\n",
        p, n.lo, n.hi, p);
    zoo_scalar_add(z, n, true, "w->%s_n", p);
    zoo_sequence_add(z, "b", "n", (struct zoo_range){0, 255}, n);
}

/* ---- All of them */

static const struct {
    const char *name;
    void (*add)(struct zoo_subject *z);
    int weight;
} types[] = {{"record", add_record, 1},   {"union", add_union, 1},   {"list", add_list, 1},
             {"records", add_records, 1}, {"rows", add_rows, 1},     {"string", add_string, 1},
             {"bytes", add_bytes, 1},     {"tree", zoo_add_tree, 2}, {"term", zoo_add_term, 2},
             {"calls", zoo_add_calls, 1}, {"pair", zoo_add_pair, 2}};

enum { TYPES = sizeof types / sizeof *types };

static unsigned pick_type(struct zoo_subject *z)
{
    int sum = 0;
    for (unsigned i = 0; i < TYPES; i++) sum += types[i].weight;
    int at = zoo_below(&z->rng, sum);
    unsigned i = 0;
    while (at >= types[i].weight) at -= types[i++].weight;
    return i;
}

/* A type is there at most once: its helpers have plain names. */
void zoo_add_parts(struct zoo_subject *z)
{
    unsigned wanted = zoo_percent(&z->rng, 60) ? 1 : 2;
    for (unsigned i = 0; i < wanted; i++) {
        unsigned k = pick_type(z);
        if (z->n_parts && strcmp(z->types[0], types[k].name) == 0) continue;
        z->part = 1u << z->n_parts;
        z->types[z->n_parts] = types[k].name;
        snprintf(z->prefix, sizeof z->prefix, "p%u", z->n_parts);
        types[k].add(z);
        z->n_parts++;
    }
}
