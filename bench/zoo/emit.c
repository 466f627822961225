/* A subject as C: the same declarations, generator and preconditions in each form; then what becomes of a valid input. See grammar.h. */
#include "zoo/grammar.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const zoo_style_names[] = {"function", "and", "each"};
const char *const zoo_bug_style_names[] = {"nested", "joined", "branchless", "summed"};

/* ---- The number */

uint64_t zoo_next(struct zoo_rng *rng)
{
    uint64_t x = rng->s += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

int zoo_below(struct zoo_rng *rng, int n)
{
    return (int)(((zoo_next(rng) >> 32) * (uint64_t)n) >> 32);
}

int zoo_between(struct zoo_rng *rng, int lo, int hi)
{
    return lo + zoo_below(rng, hi - lo + 1);
}

bool zoo_percent(struct zoo_rng *rng, int percent)
{
    return zoo_below(rng, 100) < percent;
}

struct zoo_subject *zoo_make(uint64_t number)
{
    struct zoo_subject *z = calloc(1, sizeof *z);
    if (!z) abort();
    z->number = number;
    z->rng.s = number * UINT64_C(0x2545f4914f6cdd1d) + ZOO_GENERATION;
    zoo_add_parts(z);
    zoo_add_conditions(z);
    zoo_add_atoms(z);
    return z;
}

void zoo_free(struct zoo_subject *z)
{
    zoo_text_clear(&z->declarations);
    zoo_text_clear(&z->fields);
    zoo_text_clear(&z->helpers);
    for (unsigned i = 0; i < ZOO_PARTS; i++) zoo_text_clear(&z->draws[i]);
    free(z);
}

/* ---- Preconditions */

static bool is_plain(const struct zoo_atom *a)
{
    return !a->setup[0] && !a->loop[0];
}

/* How far a loop got, for the splitting of a probe. */
static void print_progress(struct zoo_text *out, const struct zoo_atom *a, enum zoo_form form)
{
    if (form == ZOO_PROBE && a->loop[0] && a->rounds[0]) zoo_print(out, "zoo_reached(t, i, %s); ", a->rounds);
}

/* `{ setup loop { if (!(condition)) refuse } }`, or without braces where there is nothing to set up. */
static void print_refusal(struct zoo_text *out, const struct zoo_atom *a, enum zoo_form form, bool by_assume)
{
    const char *open = by_assume ? "sonde_assume(t, " : "if (!(", *close = by_assume ? ");" : ")) return false;";
    if (is_plain(a)) {
        zoo_print(out, "    %s%s%s\n", open, a->condition, close);
    } else {
        zoo_print(out, "    {\n        %s%s%s", a->setup, a->setup[0] ? "\n        " : "", a->loop);
        zoo_print(out, "%s{ ", a->loop[0] ? " " : "");
        if (by_assume) print_progress(out, a, form);
        zoo_print(out, "%s%s%s }\n    }\n", open, a->condition, close);
    }
    if (form == ZOO_PROBE && by_assume) zoo_print(out, "    zoo_passed(t);\n");
}

/* A separate function for a condition that loops. */
static void print_predicate(struct zoo_text *out, const char *of, unsigned i, const struct zoo_atom *a)
{
    zoo_print(out, "static bool %s_%u(struct world *w)\n{\n", of, i);
    print_refusal(out, a, ZOO_ONE, false);
    zoo_print(out, "    return true;\n}\n\n");
}

/* Which part must have been drawn before a precondition can be looked at: the first of those that do. */
static unsigned place_of(const struct zoo_subject *z, const struct zoo_atom *a)
{
    return z->is_early && !(a->parts & 2) ? 0 : z->n_parts - 1;
}

static bool is_at(const struct zoo_subject *z, unsigned i, unsigned part)
{
    return place_of(z, &z->required[i]) == part;
}

static unsigned count_at(const struct zoo_subject *z, unsigned part)
{
    unsigned n = 0;
    for (unsigned i = 0; i < z->n_required; i++) n += is_at(z, i, part);
    return n;
}

static void print_valid_function(struct zoo_text *out, const struct zoo_subject *z, unsigned part)
{
    zoo_print(out, "static bool is_valid_%u(struct world *w)\n{\n", part);
    for (unsigned i = 0; i < z->n_required; i++)
        if (is_at(z, i, part)) print_refusal(out, &z->required[i], ZOO_ONE, false);
    zoo_print(out, "    return true;\n}\n\n");
}

/* Helpers that the assumes of each style need. A probe assumes one by one: splitting looks at how many held. */
static void print_valid_helpers(struct zoo_text *out, const struct zoo_subject *z, enum zoo_form form)
{
    if (form == ZOO_PROBE) return;
    for (unsigned part = 0; part < z->n_parts; part++)
        if (z->style == ZOO_FUNCTION && count_at(z, part)) print_valid_function(out, z, part);
    for (unsigned i = 0; i < z->n_required; i++)
        if (z->style == ZOO_AND && !is_plain(&z->required[i])) print_predicate(out, "holds", i, &z->required[i]);
}

static void print_conjunction(struct zoo_text *out, const struct zoo_subject *z, unsigned part)
{
    const char *between = "    sonde_assume(t, ";
    for (unsigned i = 0; i < z->n_required; i++) {
        const struct zoo_atom *a = &z->required[i];
        if (!is_at(z, i, part)) continue;
        if (is_plain(a)) zoo_print(out, strstr(a->condition, "||") ? "%s(%s)" : "%s%s", between, a->condition);
        else zoo_print(out, "%sholds_%u(w)", between, i);
        between = " && ";
    }
    zoo_print(out, ");\n");
}

static void print_assumes(struct zoo_text *out, const struct zoo_subject *z, enum zoo_form form, unsigned part)
{
    if (count_at(z, part) == 0) return;
    if (form != ZOO_PROBE && z->style == ZOO_FUNCTION) zoo_print(out, "    sonde_assume(t, is_valid_%u(w));\n", part);
    else if (form != ZOO_PROBE && z->style == ZOO_AND) print_conjunction(out, z, part);
    else
        for (unsigned i = 0; i < z->n_required; i++)
            if (is_at(z, i, part)) print_refusal(out, &z->required[i], form, true);
}

/* ---- Faults */

/* An atom of a fault as an expression. */
static void print_odd(struct zoo_text *out, const struct zoo_subject *z, unsigned i)
{
    if (is_plain(&z->atoms[i])) zoo_print(out, "(%s)", z->atoms[i].condition);
    else zoo_print(out, "odd_%u(w)", i);
}

static void print_odd_helpers(struct zoo_text *out, const struct zoo_subject *z, uint32_t atoms)
{
    for (unsigned i = 0; i < z->n_atoms; i++) {
        const struct zoo_atom *a = &z->atoms[i];
        if (!(atoms >> i & 1) || is_plain(a)) continue;
        zoo_print(out, "static bool odd_%u(const struct world *w)\n{\n", i);
        if (a->setup[0]) zoo_print(out, "    %s\n", a->setup);
        if (a->loop[0])
            zoo_print(out, "    %s\n        if (%s) return true;\n    return false;\n}\n\n", a->loop, a->condition);
        else zoo_print(out, "    return %s;\n}\n\n", a->condition);
    }
}

static void print_joined(struct zoo_text *out, const struct zoo_subject *z, uint32_t atoms, const char *between)
{
    bool is_first = true;
    for (unsigned i = 0; i < z->n_atoms; i++) {
        if (!(atoms >> i & 1)) continue;
        if (!is_first) zoo_print(out, "%s", between);
        is_first = false;
        if (strcmp(between, " & ") == 0) zoo_print(out, "(int)");
        print_odd(out, z, i);
    }
}

static void print_bug(struct zoo_text *out, const struct zoo_subject *z, const struct zoo_bug *bug, const char *effect)
{
    unsigned depth = 0;
    switch (bug->style) {
    case ZOO_NESTED:
        zoo_print(out, "   ");
        for (unsigned i = 0; i < z->n_atoms; i++) {
            if (!(bug->atoms >> i & 1)) continue;
            zoo_print(out, " if (");
            print_odd(out, z, i);
            zoo_print(out, ") { acc += %u;", ++depth + 1);
        }
        zoo_print(out, " %s%.*s\n", effect, (int)(2 * depth), " } } } } } }");
        return;
    case ZOO_JOINED:
        zoo_print(out, "    if (");
        print_joined(out, z, bug->atoms, " && ");
        zoo_print(out, ") %s\n", effect);
        return;
    case ZOO_BRANCHLESS:
        zoo_print(out, "    {\n        int all = ");
        print_joined(out, z, bug->atoms, " & ");
        zoo_print(out, ";\n        if (all) %s\n    }\n", effect);
        return;
    default:
        zoo_print(out, "    {\n        int odd = ");
        print_joined(out, z, bug->atoms, " + ");
        zoo_print(out, ";\n        if (odd == %d) %s\n    }\n", __builtin_popcount(bug->atoms), effect);
    }
}

/* ---- Code around the faults */

static struct zoo_rng noise_rng(const struct zoo_subject *z)
{
    return (struct zoo_rng){z->number ^ UINT64_C(0x6e6f697365)};
}

/* Every subject has a little of it: branches on the input that have nothing to do with the fault. */
static void print_ordinary(struct zoo_text *out, const struct zoo_subject *z)
{
    struct zoo_rng rng = noise_rng(z);
    for (unsigned i = 0; i < z->n_sequences && i < 2; i++)
        zoo_print(
            out,
            "    for (int i = 0; i < %s; i++)\n        switch ((unsigned)%s[i] %% %du) {\n        case 0: acc += 3; break;\n"
            "        case 1:\n            if (acc & 1) acc ^= 5;\n            break;\n        default: acc += (unsigned)i;\n        }\n",
            z->sequences[i].length, z->sequences[i].array, zoo_between(&rng, 3, 5));
    for (unsigned i = 0; i < z->n_scalars && i < 2; i++) {
        const struct zoo_scalar *s = &z->scalars[zoo_below(&rng, (int)z->n_scalars)];
        zoo_print(out, "    if (%s > %d) acc += 7;\n    else acc ^= 2;\n", s->expr, (s->lo + s->hi) / 2);
    }
}

/* The dial: comparisons of numbers and strings that no input can do anything about, before and after the fault. */
static void print_noise(struct zoo_text *out, const struct zoo_subject *z)
{
    static const char *const words[] = {"alpha", "bravo", "delta", "hotel", "lima", "oscar", "tango", "zulu"};
    struct zoo_rng rng = noise_rng(z);
    zoo_print(out, "static unsigned noise(unsigned x)\n{\n    char text[8] = \"\";\n");
    for (int i = 0; i < z->noise; i++) {
        int add = zoo_below(&rng, 1 << 20) | 1, modulus = zoo_between(&rng, 500, 5000), rest = zoo_below(&rng, 500),
            bits = zoo_below(&rng, 1 << 20);
        zoo_print(out, "    x = x * 1103515245u + %du;\n    if ((x >> 8) %% %du == %du) x ^= %du;\n", add, modulus,
                  rest, bits);
        if (i % 10) continue;
        zoo_print(
            out,
            "    for (int i = 0; i < 7; i++) text[i] = (char)('a' + (x >> i) %% 26u);\n    if (strcmp(text, \"%s\") == 0) x++;\n",
            ZOO_PICK(&rng, words));
    }
    zoo_print(out, "    return x;\n}\n\n");
}

static void print_code(struct zoo_text *out, const struct zoo_subject *z, enum zoo_form form,
                       const struct zoo_bug *bugs, unsigned n)
{
    bool returns = form == ZOO_ONE && !z->is_measured;
    if (z->noise) print_noise(out, z);
    zoo_print(out, "static unsigned sink;\n\nstatic %s code(const struct world *w)\n{\n    unsigned acc = 0;\n",
              returns           ? "bool"
              : form == ZOO_ONE ? "int"
                                : "void");
    if (returns) zoo_print(out, "    bool is_right = true;\n");
    print_ordinary(out, z);
    if (z->noise) zoo_print(out, "    acc += noise(acc);\n");
    for (unsigned i = 0; i < n; i++) {
        char effect[64];
        if (form == ZOO_ONE) strcpy(effect, "is_right = false;");
        else snprintf(effect, sizeof effect, "zoo_note(%u);", i);
        if (form != ZOO_ONE || returns) print_bug(out, z, &bugs[i], effect);
    }
    if (z->noise) zoo_print(out, "    acc += noise(acc);\n");
    zoo_print(out, "    sink = acc;\n");
    if (returns) zoo_print(out, "    return is_right;\n");
    else if (form == ZOO_ONE) {
        zoo_print(out, "    return %d - (", __builtin_popcount(bugs->atoms));
        print_joined(out, z, bugs->atoms, " + ");
        zoo_print(out, ");\n");
    }
    zoo_print(out, "}\n\n");
}

/* ---- The whole */

static void print_head(struct zoo_text *out, const struct zoo_subject *z)
{
    zoo_print(out, "/* zoo subject %" PRIu64 ", generation %d: ", z->number, ZOO_GENERATION);
    for (unsigned i = 0; i < z->n_parts; i++) zoo_print(out, "%s%s", i ? ", " : "", z->types[i]);
    zoo_print(out, "; assumes ");
    for (unsigned i = 0; i < z->n_required; i++) zoo_print(out, "%s%s", i ? ", " : "", z->required[i].kind);
    if (z->assumes_calls) zoo_print(out, "%slegal calls", z->n_required ? ", " : "");
    else if (!z->n_required) zoo_print(out, "nothing");
    zoo_print(out, ". */\n#include <sonde.h>\n#include <string.h>\n\n");
    zoo_print(out, "%sstruct world {\n%s};\n\n", zoo_text_of(&z->declarations), zoo_text_of(&z->fields));
    zoo_print(out, "static inline int distance(int a, int b)\n{\n    return a < b ? b - a : a - b;\n}\n\n");
    if (z->needs_gcd)
        zoo_print(
            out,
            "static int gcd(int a, int b)\n{\n    while (b) {\n        int c = a %% b;\n        a = b;\n        b = c;\n    }\n"
            "    return a < 0 ? -a : a;\n}\n\n");
    if (z->needs_square)
        zoo_print(
            out,
            "static bool is_square(int x)\n{\n    long i = 0;\n    while (i * i < x) i++;\n    return i * i == x;\n}\n\n");
    zoo_print(out, "%s", zoo_text_of(&z->helpers));
}

static void print_outcome(struct zoo_text *out, const struct zoo_subject *z, enum zoo_form form)
{
    if (form == ZOO_ONE) zoo_print(out, "    sonde_check(t, code(w)%s);\n", z->is_measured ? " > 0" : "");
    if (form == ZOO_CANARY) zoo_print(out, "    code(w);\n");
    if (form != ZOO_PROBE) return;
    for (unsigned i = 0; i < z->n_atoms; i++) {
        zoo_print(out, "    zoo_holds(t, %u, ", i);
        print_odd(out, z, i);
        zoo_print(out, ");\n");
    }
    zoo_print(out, "    zoo_valid(t);\n");
}

struct zoo_text zoo_emit(const struct zoo_subject *z, enum zoo_form form, const struct zoo_bug *bugs, unsigned n)
{
    struct zoo_text out = {0};
    uint32_t atoms = form == ZOO_PROBE ? UINT32_MAX : 0;
    for (unsigned i = 0; form != ZOO_PROBE && i < n; i++) atoms |= bugs[i].atoms;
    print_head(&out, z);
    print_valid_helpers(&out, z, form);
    print_odd_helpers(&out, z, atoms);
    if (form == ZOO_CANARY) zoo_print(&out, "void zoo_note(int bug); /* not instrumented: notes the case */\n\n");
    if (form != ZOO_PROBE) print_code(&out, z, form, bugs, n);
    zoo_print(&out, "void subject_%" PRIu64 "(sonde *t)\n{\n    struct world *w = sonde_new(t, struct world);\n",
              z->number);
    for (unsigned i = 0; i < z->n_parts; i++) {
        zoo_print(&out, "%s", zoo_text_of(&z->draws[i]));
        print_assumes(&out, z, form, i);
    }
    print_outcome(&out, z, form);
    zoo_print(&out, "}\n");
    return out;
}
