/* The shrinking challenge: how small, and in how many calls of the property.
 *
 * Two columns. "end to end" starts from the first failure that the guide `uniform` finds; "large" starts from the tapes
 * in bench/data/shrink, made once (--make-data) with long lists and deep terms. The `difference` rows start from a
 * random number and its partner, because no uniform search meets two equal 31-bit numbers.
 *
 * Beside the challenge there are drawn problems, variants of eight classes (bench/shrink/variants.h), each from the
 * first failures of two guides. Passes were written with variants 1-9 in view; those that are reported were not looked
 * at.
 *
 *   shrink [--json] [--seeds A-B] [--only ROW] [--variants A-B] [--data DIR] [--make-data] [--trace] */
#include "base/mem.h"
#include "exec/exec.h"
#include "guide/guides.h"
#include "shrink/holdout.h"
#include "shrink/shrink.h"
#include "shrink/variants.h"
#include "tape/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEDS = 100, MAX_SEARCH = 2000000, LARGE = 300, LARGEST_OF = 20, MAX_FILE = 1 << 20 };

/* ---- The properties */

static void bound5(sonde *t)
{
    int16_t total = 0;
    for (int k = 0; k < 5; k++) {
        int16_t sum = 0;
        sonde_list xs = sonde_list_of(t, "list", 0, SONDE_ANY);
        while (sonde_more(&xs)) sum = (int16_t)(sum + sonde_int(t, "x", INT16_MIN, INT16_MAX));
        sonde_assume(t, sum < 256);
        total = (int16_t)(total + sum);
    }
    sonde_check(t, total < 1280);
}

/* A term's value; *zero says that a division by zero was met, *literal that a divisor is written as 0. */
static int64_t term(sonde *t, int depth, bool *zero, bool *literal, bool *is_zero_literal)
{
    static const unsigned weights[] = {2, 1, 1};
    sonde_span(t, "expr");
    size_t kind = depth < 12 ? sonde_weighted(t, "kind", weights, 3) : 0;
    *is_zero_literal = false;
    if (kind == 0) {
        int v = sonde_int(t, "int", INT_MIN, INT_MAX);
        *is_zero_literal = v == 0;
        return v;
    }
    bool ignored, divisor;
    int64_t a = term(t, depth + 1, zero, literal, &ignored), b = term(t, depth + 1, zero, literal, &divisor);
    if (kind == 1) return (int64_t)((uint64_t)a + (uint64_t)b);
    if (divisor) *literal = true;
    if (b == 0) *zero = true;
    return b == 0 || b == -1 ? 0 : a / b;
}

static void calculator(sonde *t)
{
    bool zero = false, literal = false, ignored;
    term(t, 0, &zero, &literal, &ignored);
    sonde_assume(t, !literal);
    sonde_check(t, !zero);
}

static size_t draw_ints(sonde *t, int lo, int hi, int **out)
{
    sonde_list xs = sonde_list_of(t, "xs", 0, SONDE_ANY);
    int *v = sonde_alloc(t, (xs.n + 1) * sizeof *v);
    size_t n = 0;
    while (sonde_more(&xs)) v[n++] = sonde_int(t, "x", lo, hi);
    *out = v;
    return n;
}

static void coupling(sonde *t)
{
    int *v;
    size_t n = draw_ints(t, 0, 10, &v);
    for (size_t i = 0; i < n; i++) sonde_assume(t, (size_t)v[i] < n);
    for (size_t i = 0; i < n; i++) sonde_check(t, (size_t)v[i] == i || (size_t)v[v[i]] != i);
}

static void difference(sonde *t, int64_t *a, int64_t *b)
{
    *a = sonde_int(t, "a", 1, INT_MAX);
    *b = sonde_int(t, "b", 1, INT_MAX);
}

static void difference_zero(sonde *t)
{
    int64_t a, b;
    difference(t, &a, &b);
    sonde_check(t, a < 10 || a != b);
}

static void difference_small(sonde *t)
{
    int64_t a, b;
    difference(t, &a, &b);
    sonde_check(t, a < 10 || llabs(a - b) > 4 || a == b);
}

static void difference_one(sonde *t)
{
    int64_t a, b;
    difference(t, &a, &b);
    sonde_check(t, a < 10 || llabs(a - b) != 1);
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}

static size_t count_distinct(int *v, size_t n)
{
    size_t distinct = n > 0;
    qsort(v, n, sizeof *v, compare_ints);
    for (size_t i = 1; i < n; i++) distinct += v[i] != v[i - 1];
    return distinct;
}

static void distinct(sonde *t)
{
    int *v;
    size_t n = draw_ints(t, INT_MIN, INT_MAX, &v);
    sonde_check(t, count_distinct(v, n) < 3);
}

static void large_union_list(sonde *t)
{
    int *all = NULL;
    size_t n = 0;
    sonde_list lists = sonde_list_of(t, "lists", 0, SONDE_ANY);
    while (sonde_more(&lists)) {
        int *v, *more;
        size_t m = draw_ints(t, INT_MIN, INT_MAX, &v);
        more = sonde_alloc(t, (n + m + 1) * sizeof *more);
        if (n) memcpy(more, all, n * sizeof *more);
        memcpy(more + n, v, m * sizeof *more);
        all = more;
        n += m;
    }
    sonde_check(t, n == 0 || count_distinct(all, n) < 5);
}

static void lengthlist(sonde *t)
{
    int max = 0, n = sonde_int(t, "n", 1, 100);
    for (int i = 0; i < n; i++) {
        int x = sonde_int(t, "x", 0, 1000);
        if (x > max) max = x;
    }
    sonde_check(t, max < 900);
}

static void nestedlists(sonde *t)
{
    size_t total = 0;
    sonde_list lists = sonde_list_of(t, "lists", 0, SONDE_ANY);
    while (sonde_more(&lists)) {
        sonde_list inner = sonde_list_of(t, "list", 0, SONDE_ANY);
        while (sonde_more(&inner)) total++;
    }
    sonde_check(t, total <= 10);
}

static void reverse(sonde *t)
{
    int *v;
    size_t n = draw_ints(t, INT_MIN, INT_MAX, &v);
    for (size_t i = 0; i < n; i++) sonde_check(t, v[i] == v[n - 1 - i]);
}

/* ---- The rows */

struct row {
    const char *name;
    sonde_property_fn *run;
    unsigned hypothesis;     /* median calls of the typed Hypothesis */
    const char *minimal[3];  /* tapes that count as minimal; the first is shortlex-least */
    unsigned outer, inner;   /* lengths of the large start; 0: there is none */
    int partner;             /* difference rows: b starts at a + up to this; -1: other rows */
    struct variant *variant; /* of the drawn problems */
};

#define LIST11 "lists[{list[{} {} {} {} {} {} {} {} {} {} {}]}]"
static const struct row rows[] = {
    {"bound5", bound5, 244, {"list[] list[] list[] list[{x=-1}] list[{x=-32768}]"}, 100, 0, -1, NULL},
    {"calculator",
     calculator,
     58,
     {"expr{kind=2 expr{kind=0 int=0} expr{kind=1 expr{kind=0 int=0} expr{kind=0 int=0}}}",
      "expr{kind=2 expr{kind=0 int=0} expr{kind=2 expr{kind=0 int=0} expr{kind=0 int=1}}}"},
     1,
     0,
     -1,
     NULL},
    {"coupling", coupling, 38, {"xs[{x=1} {x=0}]"}, 400, 0, -1, NULL},
    {"difference_zero", difference_zero, 24, {"a=10 b=10"}, 0, 0, 0, NULL},
    {"difference_small", difference_small, 37, {"a=10 b=6"}, 0, 0, 4, NULL},
    {"difference_one", difference_one, 33, {"a=10 b=9"}, 0, 0, 1, NULL},
    {"distinct", distinct, 33, {"xs[{x=0} {x=1} {x=-1}]", "xs[{x=0} {x=1} {x=2}]"}, 400, 0, -1, NULL},
    {"large_union_list", large_union_list, 159, {"lists[{xs[{x=0} {x=1} {x=-1} {x=2} {x=-2}]}]"}, 25, 25, -1, NULL},
    {"lengthlist", lengthlist, 83, {"n=1 x=900"}, 1, 0, -1, NULL},
    {"nestedlists", nestedlists, 28, {LIST11}, 400, 5, -1, NULL},
    {"reverse", reverse, 7, {"xs[{x=0} {x=1}]"}, 400, 0, -1, NULL},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

struct options {
    bool json, make_data, trace;
    unsigned first, last, first_variant, last_variant;
    const char *only, *data;
};

/* ---- Running */

struct bench {
    const struct row *row;
    const struct options *options;
    sonde *t;
    struct sonde_labels labels;
    struct sonde_guide *simplest;
    sonde_property property;
    int line; /* of the claim that failed: its identity here */
};

static bool fails(void *user, const struct sonde_tape *script, struct sonde_tape *actual)
{
    struct bench *b = user;
    sonde_exec_inline(b->t, &b->property, b->simplest, script);
    sonde_tape_copy(actual, &b->t->tape);
    bool is_same = b->t->verdict == SONDE_FAILED && b->t->claim.line == b->line;
    if (b->options->trace) {
        char *tried = sonde_tape_to_text(&b->t->tape, &b->labels);
        fprintf(stderr, "    %s %.200s\n",
                is_same                            ? "FAILS"
                : b->t->verdict == SONDE_DISCARDED ? "disc "
                                                   : "ok   ",
                tried);
        sonde_free(tried);
    }
    return is_same;
}

static bool discarded(void *user)
{
    return ((struct bench *)user)->t->verdict == SONDE_DISCARDED;
}

/* A guide for large starts: long lists, deep terms. */
struct large {
    struct sonde_guide guide;
    struct sonde_rng rng;
    const struct row *row;
};

static uint64_t large_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct large *g = (struct large *)guide;
    const struct sonde_choice *p = view->point;
    if (p->kind == SONDE_KIND_WEIGHTED) return sonde_rng_upto(&g->rng, 4) ? 1 + sonde_rng_upto(&g->rng, p->max - 1) : 0;
    if (p->kind == SONDE_KIND_INT && p->base == 1 && p->max == 99) return p->max;
    if (p->kind != SONDE_KIND_LENGTH) return sonde_rng_upto(&g->rng, p->max);
    uint64_t n = view->depth > 2 ? g->row->inner : g->row->outer;
    return n - sonde_rng_upto(&g->rng, n / 4);
}

enum start { UNIFORM, LARGEST, LARGE_START };
static const char *const columns[] = {"end to end", "largest", "large"};

static bool find_first(struct bench *b, unsigned seed, enum start start, struct sonde_tape *out)
{
    bool is_large = start == LARGE_START;
    static const struct sonde_guide_ops large_ops = {.name = "large", .choose = large_choose};
    struct large large = {.guide.ops = &large_ops, .row = b->row};
    struct sonde_guide_setup setup = {.seed = seed};
    sonde_rng_seed(&large.rng, seed, 1);
    struct sonde_guide *guide = is_large ? &large.guide : sonde_guide_uniform.create(&setup);
    bool found = false;
    for (uint64_t i = 0; i < MAX_SEARCH && !found; i++) {
        sonde_exec_inline(b->t, &b->property, guide, NULL);
        found = b->t->verdict == SONDE_FAILED;
        if (is_large && b->row->run != lengthlist)
            found &= b->t->tape.n_choices >= LARGE && b->t->tape.n_choices < 4000;
    }
    sonde_tape_copy(out, &b->t->tape);
    b->line = b->t->claim.line;
    if (!is_large) guide->ops->destroy(guide);
    return found;
}

/* The largest of some failures of the guide `uniform`. */
static bool find_largest(struct bench *b, unsigned seed, struct sonde_tape *out)
{
    struct sonde_tape tape;
    int line = 0;
    sonde_tape_init(&tape);
    for (unsigned i = 0; i < LARGEST_OF; i++) {
        if (!find_first(b, 1000 * seed + i, UNIFORM, &tape)) continue;
        if (i > 0 && sonde_tape_size(&tape) <= sonde_tape_size(out)) continue;
        sonde_tape_copy(out, &tape);
        line = b->line;
    }
    b->line = line;
    sonde_tape_clear(&tape);
    return line != 0;
}

/* A random number and a partner near it. */
static void start_difference(struct bench *b, unsigned seed, struct sonde_tape *out)
{
    struct sonde_rng rng;
    char text[64];
    struct sonde_tape script;
    struct sonde_text_error error;
    sonde_rng_seed(&rng, seed, 1);
    uint64_t a = 100 + sonde_rng_upto(&rng, INT_MAX - 200), d = 0;
    if (b->row->partner) d = 1 + sonde_rng_upto(&rng, (uint64_t)b->row->partner - 1);
    if (sonde_rng_upto(&rng, 1)) d = 0 - d;
    snprintf(text, sizeof text, "a=%lld b=%lld", (long long)a, (long long)(a + d));
    sonde_tape_init(&script);
    sonde_tape_from_text(&script, &b->labels, text, strlen(text), &error);
    sonde_exec_inline(b->t, &b->property, b->simplest, &script);
    sonde_tape_copy(out, &b->t->tape);
    b->line = b->t->claim.line;
    sonde_tape_clear(&script);
}

static void data_path(const struct bench *b, unsigned seed, char *out, size_t size)
{
    snprintf(out, size, "%s/%s-%u.tape", b->options->data, b->row->name, seed);
}

static bool read_large(struct bench *b, unsigned seed, struct sonde_tape *out)
{
    char path[512], *text = sonde_malloc(MAX_FILE);
    struct sonde_text_error error;
    struct sonde_tape script;
    data_path(b, seed, path, sizeof path);
    FILE *in = fopen(path, "r");
    if (!in) {
        fprintf(stderr, "shrink: cannot read %s: %s\n", path, strerror(errno));
        sonde_free(text);
        return false;
    }
    size_t n = fread(text, 1, MAX_FILE, in);
    fclose(in);
    while (n && text[n - 1] == '\n') n--;
    sonde_tape_init(&script);
    bool ok = sonde_tape_from_text(&script, &b->labels, text, n, &error) == 0;
    sonde_exec_inline(b->t, &b->property, b->simplest, &script);
    sonde_tape_copy(out, &b->t->tape);
    b->line = b->t->claim.line;
    sonde_tape_clear(&script);
    sonde_free(text);
    return ok && b->t->verdict == SONDE_FAILED;
}

static bool write_large(struct bench *b, unsigned seed)
{
    struct sonde_tape tape;
    char path[512];
    sonde_tape_init(&tape);
    bool found = find_first(b, seed, LARGE_START, &tape);
    data_path(b, seed, path, sizeof path);
    FILE *out = found ? fopen(path, "w") : NULL;
    if (!out) {
        fprintf(stderr, "shrink: cannot make %s\n", path);
    } else {
        char *text = sonde_tape_to_text(&tape, &b->labels);
        fprintf(out, "%s\n", text);
        sonde_free(text);
        fclose(out);
    }
    sonde_tape_clear(&tape);
    return out != NULL;
}

/* ---- Reporting */

struct outcome {
    unsigned calls[MAX_SEEDS];
    unsigned n, minimal;
};

static bool is_minimal(const struct row *row, const char *text)
{
    if (strncmp(text, "s1:", 3) == 0) text += 3;
    while (*text == ' ') text++;
    for (unsigned i = 0; i < 3 && row->minimal[i]; i++) {
        size_t n = strlen(row->minimal[i]);
        /* A case that was left at its failure ends with the mark that more might have been drawn. */
        if (strncmp(text, row->minimal[i], n) == 0 && (!text[n] || strcmp(text + n, " ?") == 0)) return true;
    }
    return false;
}

static void shrink_one(struct bench *b, unsigned seed, enum start start, struct outcome *outcome)
{
    const char *column = columns[start];
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    bool ok = true;
    if (start == LARGE_START) ok = read_large(b, seed, &tape);
    else if (start == LARGEST) ok = find_largest(b, seed, &tape);
    else if (b->row->partner >= 0) start_difference(b, seed, &tape);
    else ok = find_first(b, seed, start, &tape);
    if (!ok) {
        fprintf(stderr, "shrink: %s %s: no failure for seed %u\n", b->row->name, column, seed);
        sonde_tape_clear(&tape);
        return;
    }
    uint64_t size = sonde_tape_size(&tape);
    struct sonde_shrink_test test = {.fails = fails, .discarded = discarded, .user = b};
    struct sonde_shrink_result result = sonde_shrink(&tape, &test);
    char *text = sonde_tape_to_text(&tape, &b->labels);
    bool minimal = is_minimal(b->row, text);
    if (b->options->json)
        printf(
            "{\"suite\":\"shrink\",\"row\":\"%s\",\"column\":\"%s\",\"seed\":%u,\"calls\":%llu,\"minimal\":%s,\"complete\":%s,"
            "\"start\":%llu,\"size\":%llu,\"result\":\"%s\"}\n",
            b->row->name, column, seed, (unsigned long long)result.calls, minimal ? "true" : "false",
            result.complete ? "true" : "false", (unsigned long long)size, (unsigned long long)sonde_tape_size(&tape),
            text);
    else if (!minimal) printf("  %s %s seed %u: %s\n", b->row->name, column, seed, text);
    outcome->calls[outcome->n++] = (unsigned)result.calls;
    outcome->minimal += minimal;
    sonde_free(text);
    sonde_tape_clear(&tape);
}

static int compare_unsigned(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

static void print_outcome(const struct row *row, const char *column, struct outcome *o)
{
    if (o->n == 0) return;
    qsort(o->calls, o->n, sizeof *o->calls, compare_unsigned);
    unsigned median = (o->calls[(o->n - 1) / 2] + o->calls[o->n / 2]) / 2;
    printf("%-18s %-10s median %4u  max %4u  minimal %u/%u", row->name, column, median, o->calls[o->n - 1], o->minimal,
           o->n);
    if (row->hypothesis) printf("  (typed Hypothesis %u)", row->hypothesis);
    putchar('\n');
}

struct total {
    unsigned n, minimal;
};

static bool run_row(const struct row *row, const struct options *options, struct total *total)
{
    struct bench b = {.row = row,
                      .options = options,
                      .property = {.name = row->name, .run = row->run, .context = row->variant}};
    struct outcome end = {.n = 0}, other = {.n = 0};
    enum start start = row->variant ? LARGEST : LARGE_START;
    struct sonde_limits limits = {.choices = 100000, .spans = 200000, .bytes = 1 << 20, .memory = 1 << 26};
    struct sonde_guide_setup setup = {.seed = 1};
    bool ok = true;
    sonde_labels_init(&b.labels);
    b.t = sonde_case_create(&b.labels, limits);
    b.simplest = sonde_guide_simplest.create(&setup);
    for (unsigned seed = options->first; seed <= options->last; seed++) {
        if (options->make_data) {
            if (row->outer) ok &= write_large(&b, seed);
            continue;
        }
        shrink_one(&b, seed, UNIFORM, &end);
        if (row->outer || row->variant) shrink_one(&b, seed, start, &other);
    }
    if (!options->json) {
        print_outcome(row, columns[UNIFORM], &end);
        print_outcome(row, columns[start], &other);
    }
    total->n += end.n + other.n;
    total->minimal += end.minimal + other.minimal;
    b.simplest->ops->destroy(b.simplest);
    sonde_case_free(b.t);
    sonde_labels_clear(&b.labels);
    return ok;
}

static bool is_wanted(const struct options *o, const char *name)
{
    return !o->only || strncmp(o->only, name, strlen(o->only)) == 0;
}

static bool run_variants(const struct options *o)
{
    struct total total = {0, 0};
    bool ok = true;
    for (unsigned class = 0; class < VARIANT_CLASSES; class ++)
        for (unsigned number = o->first_variant; number <= o->last_variant; number++) {
            struct variant v;
            variant_draw(class, number, &v);
            struct row row = {v.name, v.run, 0, {v.minimal}, 0, 0, -1, &v};
            if (is_wanted(o, v.name)) ok &= run_row(&row, o, &total);
        }
    if (!o->json && total.n) printf("variants: minimal %u of %u\n", total.minimal, total.n);
    return ok;
}

static bool run_holdouts(const struct options *o, const char *name, const struct holdout *problems, unsigned n)
{
    struct total total = {0, 0};
    bool ok = true;
    for (unsigned i = 0; i < n; i++) {
        struct variant none = {.run = problems[i].run};
        struct row row = {problems[i].name, problems[i].run, 0, {problems[i].minimal}, 0, 0, -1, &none};
        if (is_wanted(o, row.name)) ok &= run_row(&row, o, &total);
    }
    if (!o->json && total.n) printf("%s: minimal %u of %u\n", name, total.minimal, total.n);
    return ok;
}

static int usage(void)
{
    fprintf(stderr, "usage: shrink [--json] [--seeds A-B] [--only ROW] [--variants A-B] [--data DIR] [--make-data]\n"
                    "              [--trace]\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct options o = {.first = 1, .last = 10, .first_variant = 101, .last_variant = 103, .data = "bench/data/shrink"};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) o.json = true;
        else if (strcmp(argv[i], "--make-data") == 0) o.make_data = true;
        else if (strcmp(argv[i], "--trace") == 0) o.trace = true;
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) o.only = argv[++i];
        else if (strcmp(argv[i], "--data") == 0 && i + 1 < argc) o.data = argv[++i];
        else if (strcmp(argv[i], "--seeds") == 0 && i + 1 < argc) {
            if (sscanf(argv[++i], "%u-%u", &o.first, &o.last) != 2) return usage();
        } else if (strcmp(argv[i], "--variants") == 0 && i + 1 < argc) {
            if (sscanf(argv[++i], "%u-%u", &o.first_variant, &o.last_variant) != 2) return usage();
        } else return usage();
    }
    if (o.first_variant < 1 || o.last < o.first || o.last - o.first >= MAX_SEEDS) return usage();
    struct total total = {0, 0};
    bool ok = true;
    for (unsigned i = 0; i < N_ROWS; i++)
        if (is_wanted(&o, rows[i].name)) ok &= run_row(&rows[i], &o, &total);
    if (!o.make_data) {
        ok &= run_variants(&o);
        ok &= run_holdouts(&o, "hold-out", holdouts, n_holdouts);
        ok &= run_holdouts(&o, "second hold-out", outsiders, n_outsiders);
        ok &= run_holdouts(&o, "known", known_problems, n_known_problems);
    }
    return ok ? 0 : 1;
}
