/* sonde on sonde: the promises of the tape.
 *
 * The outer property draws a *plan*, a random little generator; the plan runs as a property of an inner case, and the
 * claims are about the tape which that leaves. The inner case has a labels table and a guide that are its own, so
 * nothing of the inner run is shared with the outer one. */
#include "base/mem.h"
#include "exec/exec.h"
#include "guide/guides.h"
#include "tape/codec.h"
#include "tape/text.h"

#include <sonde.h>
#include <sonde/extend.h>

#include <errno.h>
#include <math.h>
#include <string.h>

/* ---- Plans */

enum what {
    INT,
    U64,
    BOOL,
    CHANCE,
    DOUBLE,
    ANY_DOUBLE,
    PICK,
    WEIGHTED,
    SIZE,
    BYTES,
    STRING,
    STRING_OF,
    UTF8,
    OPEN,
    CLOSE,
    LIST,
    N_WHAT
};
enum { PLAN_MAX = 12 };

struct step {
    enum what what;
    const char *label;
    int64_t lo, hi;
    double from, to;
    size_t min, max;
    const char *alphabet;
    bool rejects; /* a list: some of its elements */
};

struct plan {
    struct step steps[PLAN_MAX];
    size_t n;
};

static const char *const labels[] = {"x", "y", "a b", "tree", "#", "%{=}", "h\xc3\xa9", ""};
static const char *const alphabets[] = {"acgt", "01", "a\xc3\xa4\xc3\xb6\xc3\xbc", "z"};
static const unsigned weights[] = {3, 0, 1, 5};

static struct step draw_step(sonde *t)
{
    struct step s = {.what = (enum what)sonde_pick(t, "what", N_WHAT), .label = sonde_element(t, "label", labels)};
    if (s.what == INT) {
        s.lo = sonde_i64(t, "lo", INT64_MIN, INT64_MAX);
        s.hi = sonde_i64(t, "hi", s.lo, INT64_MAX);
    }
    if (s.what == DOUBLE || s.what == CHANCE) {
        s.from = sonde_double(t, "from", 0, 1);
        s.to = sonde_double(t, "to", s.from, 1e300);
    }
    if (s.what == STRING_OF) s.alphabet = sonde_element(t, "alphabet", alphabets);
    if (s.what == LIST) s.rejects = sonde_bool(t, "rejects");
    s.min = sonde_pick(t, "min", 4);
    s.max = s.min + sonde_pick(t, "more", 5);
    return s;
}

static struct plan draw_plan(sonde *t)
{
    struct plan p = {0};
    sonde_list steps = sonde_list_of(t, "plan", 1, PLAN_MAX);
    while (sonde_more(&steps)) p.steps[p.n++] = draw_step(t);
    return p;
}

/* ---- Running a plan: each draw is claimed to be in its domain */

static bool is_of(const char *text, const char *alphabet)
{
    uint32_t code, other;
    for (size_t n = strlen(text), i = 0; i < n;) {
        bool found = false;
        i += sonde_utf8_decode(text + i, n - i, &code);
        for (size_t m = strlen(alphabet), j = 0; j < m && !found; found = code == other)
            j += sonde_utf8_decode(alphabet + j, m - j, &other);
        if (!found) return false;
    }
    return true;
}

static size_t characters(const char *text)
{
    uint32_t code;
    size_t count = 0;
    for (size_t n = strlen(text), i = 0; i < n; count++) i += sonde_utf8_decode(text + i, n - i, &code);
    return count;
}

static void check_length(sonde *c, const struct step *s, size_t n)
{
    sonde_check(c, s->min <= n && n <= s->max);
}

static void draw_list(sonde *c, const struct step *s)
{
    size_t kept = 0;
    sonde_list xs = sonde_list_of(c, s->label, s->min, s->max);
    while (sonde_more(&xs)) {
        bool odd = sonde_bool(c, "odd");
        if (odd && s->rejects) sonde_list_reject(&xs);
        else kept++;
    }
    sonde_check(c, kept <= s->max);
}

static void draw_number(sonde *c, const struct step *s)
{
    int64_t i;
    double d;
    switch (s->what) {
    case INT:
        i = sonde_i64(c, s->label, s->lo, s->hi);
        sonde_check(c, s->lo <= i && i <= s->hi);
        break;
    case U64: {
        uint64_t u = sonde_u64(c, s->label, s->min, s->max);
        sonde_check(c, s->min <= u && u <= s->max);
        break;
    }
    case DOUBLE:
        d = sonde_double(c, s->label, -s->from, s->to);
        sonde_check(c, -s->from <= d && d <= s->to);
        break;
    case ANY_DOUBLE: sonde_any_double(c, s->label); break;
    case PICK: sonde_check(c, sonde_pick(c, s->label, s->max + 1) <= s->max); break;
    case WEIGHTED: sonde_check(c, weights[sonde_weighted(c, s->label, weights, 4)] > 0); break;
    case SIZE: sonde_check(c, sonde_size(c) <= 100); break;
    case CHANCE: sonde_check(c, !sonde_chance(c, s->label, s->from) || s->from > 0); break;
    default: sonde_bool(c, s->label); break;
    }
}

static void draw_blob(sonde *c, const struct step *s)
{
    const char *text;
    size_t n;
    switch (s->what) {
    case BYTES:
        sonde_bytes(c, s->label, s->min, s->max, &n);
        check_length(c, s, n);
        break;
    case STRING:
        text = sonde_string(c, s->label, s->min, s->max);
        check_length(c, s, strlen(text));
        for (; *text; text++) sonde_check(c, *text >= 32 && *text < 127);
        break;
    case STRING_OF:
        text = sonde_string_of(c, s->label, s->alphabet, s->min, s->max);
        check_length(c, s, characters(text));
        sonde_check(c, is_of(text, s->alphabet));
        break;
    default: check_length(c, s, characters(sonde_utf8(c, s->label, s->min, s->max))); break;
    }
}

static void run_plan(sonde *c)
{
    const struct plan *p = sonde_context(c);
    const char *open[PLAN_MAX];
    size_t depth = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct step *s = &p->steps[i];
        if (s->what == OPEN) sonde_open(c, open[depth++] = s->label);
        else if (s->what == CLOSE && depth) sonde_close(c, open[--depth]);
        else if (s->what == LIST) draw_list(c, s);
        else if (s->what >= BYTES && s->what <= UTF8) draw_blob(c, s);
        else if (s->what != CLOSE) draw_number(c, s);
    }
    while (depth) sonde_close(c, open[--depth]);
}

/* ---- The inner case */

struct inner {
    struct plan plan;
    sonde_property property;
    struct sonde_labels labels;
    sonde *c;
    struct sonde_tape tape, script; /* of the last run; what it was to follow */
};

static void free_inner(void *what)
{
    struct inner *in = what;
    sonde_case_free(in->c);
    sonde_tape_clear(&in->tape);
    sonde_tape_clear(&in->script);
    sonde_labels_clear(&in->labels);
}

static struct inner *make_inner(sonde *t)
{
    struct sonde_limits limits = {.choices = 1000, .spans = 1000, .bytes = 1 << 16, .memory = 1 << 20};
    struct inner *in = sonde_new(t, struct inner);
    in->plan = draw_plan(t);
    in->property = (sonde_property){.name = "plan", .run = run_plan, .context = &in->plan};
    sonde_labels_init(&in->labels);
    sonde_tape_init(&in->tape);
    sonde_tape_init(&in->script);
    in->c = sonde_case_create(&in->labels, limits);
    sonde_defer(t, free_inner, in);
    return in;
}

/* Runs the plan; its draws must have stayed in their domains. Leaves the tape in in->tape. */
static void run_inner(sonde *t, struct inner *in, const struct sonde_guide_ops *ops, uint64_t seed,
                      const struct sonde_tape *script)
{
    struct sonde_guide_setup setup = {.seed = seed};
    struct sonde_guide *guide = ops->create(&setup);
    if (ops->start) ops->start(guide, &in->tape); /* a guide that makes no scripts */
    sonde_exec_inline(in->c, &in->property, guide, script);
    ops->destroy(guide);
    sonde_tape_copy(&in->tape, &in->c->tape);
    sonde_tape_end(&in->tape);
    if (in->c->verdict != SONDE_VALID && in->c->verdict != SONDE_DISCARDED)
        sonde_fail(t, "the plan ended with verdict %d: %s", (int)in->c->verdict, in->c->claim.message);
    for (uint32_t i = 0; i < in->tape.n_choices; i++)
        sonde_check(t, in->tape.choices[i].index <= in->tape.choices[i].max);
}

/* A plan, and a run of it; with boundary values, or without. */
static struct inner *record(sonde *t)
{
    struct inner *in = make_inner(t);
    bool boundaries = sonde_bool(t, "boundaries");
    uint64_t seed = sonde_u64(t, "seed", 0, 1000);
    run_inner(t, in, boundaries ? &sonde_guide_random : &sonde_guide_uniform, seed, NULL);
    return in;
}

static char *text_of(sonde *t, const struct sonde_tape *tape, const struct sonde_labels *names)
{
    char *text = sonde_tape_to_text(tape, names);
    sonde_defer(t, sonde_free, text);
    return text;
}

static uint8_t *bytes_of(sonde *t, const struct sonde_tape *tape, const struct sonde_labels *names, size_t *n)
{
    uint8_t *data = sonde_tape_encode(tape, names, n);
    sonde_defer(t, sonde_free, data);
    return data;
}

static void check_same(sonde *t, const struct inner *in, const struct sonde_tape *a, const struct sonde_tape *b)
{
    sonde_check_eq(t, text_of(t, a, &in->labels), text_of(t, b, &in->labels));
    sonde_check(t, sonde_tape_compare(a, b) == 0);
    sonde_check(t, sonde_tape_hash(a) == sonde_tape_hash(b));
    sonde_check_eq(t, a->n_spans, b->n_spans);
    sonde_check_mem_eq(t, a->spans, b->spans, a->n_spans * sizeof *a->spans);
}

/* ---- Round trips */

static void bytes_give_the_tape_back(sonde *t)
{
    struct inner *in = record(t);
    size_t n, n_again;
    uint8_t *data = bytes_of(t, &in->tape, &in->labels, &n);
    sonde_check_eq(t, sonde_tape_decode(&in->script, &in->labels, data, n), 0);
    check_same(t, in, &in->tape, &in->script);
    uint8_t *again = bytes_of(t, &in->script, &in->labels, &n_again);
    sonde_check_eq(t, n, n_again);
    sonde_check_mem_eq(t, data, again, n);
}

static void texts_are_read_as_they_are_written(sonde *t)
{
    struct inner *in = record(t);
    char *text = text_of(t, &in->tape, &in->labels);
    sonde_check_eq(t, sonde_tape_from_text(&in->script, &in->labels, text, strlen(text), NULL), 0);
    sonde_check_eq(t, text_of(t, &in->script, &in->labels), text);
}

/* ---- Replay */

static void clear_tape(void *tape)
{
    sonde_tape_clear(tape);
}

/* An empty tape that dies with the case. */
static struct sonde_tape *new_tape(sonde *t)
{
    struct sonde_tape *tape = sonde_new(t, struct sonde_tape);
    sonde_tape_init(tape);
    sonde_defer(t, clear_tape, tape);
    return tape;
}

static void check_replay(sonde *t, struct inner *in)
{
    struct sonde_tape *recorded = new_tape(t);
    sonde_tape_swap(recorded, &in->tape);
    run_inner(t, in, &sonde_guide_simplest, 0, &in->script);
    check_same(t, in, recorded, &in->tape);
}

static void a_tape_replays_itself(sonde *t)
{
    struct inner *in = record(t);
    sonde_tape_copy(&in->script, &in->tape);
    check_replay(t, in);
}

static void the_bytes_of_a_tape_replay_it(sonde *t)
{
    struct inner *in = record(t);
    size_t n;
    uint8_t *data = bytes_of(t, &in->tape, &in->labels, &n);
    sonde_check_eq(t, sonde_tape_decode(&in->script, &in->labels, data, n), 0);
    check_replay(t, in);
}

static void the_text_of_a_tape_replays_it(sonde *t)
{
    struct inner *in = record(t);
    char *text = text_of(t, &in->tape, &in->labels);
    sonde_note(t, "%s", text);
    sonde_check_eq(t, sonde_tape_from_text(&in->script, &in->labels, text, strlen(text), NULL), 0);
    check_replay(t, in);
}

/* ---- The order */

static int sign(int x)
{
    return (x > 0) - (x < 0);
}

static void shortlex_is_a_total_order(sonde *t)
{
    struct inner *in = make_inner(t);
    struct inner *other = sonde_bool(t, "other plan") ? make_inner(t) : in;
    struct sonde_tape *a = new_tape(t), *b = new_tape(t);
    run_inner(t, in, &sonde_guide_uniform, sonde_u64(t, "a", 0, 9), NULL);
    sonde_tape_copy(a, &in->tape);
    run_inner(t, in, &sonde_guide_uniform, sonde_u64(t, "b", 0, 9), NULL);
    sonde_tape_copy(b, &in->tape);
    run_inner(t, other, &sonde_guide_uniform, sonde_u64(t, "c", 0, 9), NULL);
    const struct sonde_tape *c = &other->tape;
    int ab = sign(sonde_tape_compare(a, b)), bc = sign(sonde_tape_compare(b, c)), ac = sign(sonde_tape_compare(a, c));
    sonde_check_eq(t, sonde_tape_compare(a, a), 0);
    sonde_check_eq(t, sign(sonde_tape_compare(b, a)), -ab);
    sonde_check_eq(t, sign(sonde_tape_compare(c, b)), -bc);
    if (ab == bc) sonde_check_eq(t, ac, ab);
    if (ab == 0) sonde_check_eq(t, ac, bc);
    if (ab == 0) sonde_check_eq(t, sonde_tape_hash(a), sonde_tape_hash(b));
    if (ab == 0) sonde_check_eq(t, text_of(t, a, &in->labels), text_of(t, b, &in->labels));
    sonde_check(t, sonde_tape_size(a) <= sonde_tape_size(b) || ab > 0);
    sonde_classify(t, ab == 0, "equal tapes");
}

/* ---- Anything */

/* A plan keeps to its domains whatever the script says: run_inner checks that. */
static void no_script_leads_out_of_the_domains(sonde *t)
{
    struct inner *in = record(t);
    size_t n, spoiled;
    uint8_t *data = bytes_of(t, &in->tape, &in->labels, &n);
    sonde_list changes = sonde_list_of(t, "changes", 0, 6);
    while (sonde_more(&changes)) {
        spoiled = sonde_pick(t, "at", n);
        data[spoiled] = (uint8_t)sonde_int(t, "byte", 0, 255);
    }
    sonde_tape_decode_any(&in->script, &in->labels, data, sonde_pick(t, "end", n + 1));
    run_inner(t, in, &sonde_guide_uniform, 1, &in->script);
}

static void every_byte_string_is_a_script(sonde *t)
{
    struct inner *in = make_inner(t);
    size_t n, n_again;
    const uint8_t *data = sonde_bytes(t, "data", 0, 200, &n);
    sonde_tape_decode_any(&in->script, &in->labels, data, n);
    uint8_t *encoded = bytes_of(t, &in->script, &in->labels, &n_again);
    sonde_check_eq(t, sonde_tape_decode(&in->tape, &in->labels, encoded, n_again), 0);
    sonde_check(t, sonde_tape_compare(&in->script, &in->tape) == 0);
    run_inner(t, in, &sonde_guide_simplest, 0, &in->script);
}

static void every_text_is_answered(sonde *t)
{
    struct inner *in = make_inner(t);
    struct sonde_text_error error;
    const char *text = sonde_string_of(t, "text", "ab12x-.%0 \n=?#{}[]s:\xc3\xa9", 0, 60);
    int result = sonde_tape_from_text(&in->script, &in->labels, text, strlen(text), &error);
    sonde_classify(t, result == 0, "a tape");
    if (result != 0) {
        sonde_check_eq(t, result, -EINVAL);
        sonde_check(t, error.reason && error.at <= strlen(text));
        return;
    }
    char *written = text_of(t, &in->script, &in->labels);
    sonde_check_eq(t, sonde_tape_from_text(&in->script, &in->labels, written, strlen(written), NULL), 0);
    sonde_check_eq(t, text_of(t, &in->script, &in->labels), written);
    run_inner(t, in, &sonde_guide_simplest, 0, &in->script);
}

/* A reader may hold a table that was outgrown, as a supervisor does while its worker draws: what it had read stays
 * true. The naive model is a list of the strings with their ids. */
static void labels_stay_as_they_are_while_they_grow(sonde *t)
{
    enum { MOST = 300 };
    struct inner *in = make_inner(t);
    uint32_t ids[MOST], n = 0;
    const char *texts[MOST];
    const struct sonde_label_table *old = NULL;
    sonde_list names = sonde_list_of(t, "names", 0, MOST);
    while (sonde_more(&names)) {
        texts[n] = sonde_string_of(t, "name", "ab#", 0, 6);
        ids[n] = sonde_label_intern(&in->labels, texts[n]);
        if (n == 0) old = atomic_load(&in->labels.table);
        n++;
    }
    for (uint32_t i = 0; i < n; i++) {
        sonde_check(t, ids[i] != 0);
        sonde_check_eq(t, sonde_label_text(&in->labels, ids[i]), texts[i]);
        sonde_check_eq(t, sonde_label_find_n(&in->labels, texts[i], strlen(texts[i])), ids[i]);
        uint32_t n_mixed = 0; /* earlier labels whose strings are equal and ids are not, or the reverse */
        for (uint32_t k = 0; k < i; k++) n_mixed += (ids[i] == ids[k]) != (strcmp(texts[i], texts[k]) == 0);
        sonde_check_eq(t, n_mixed, 0u);
    }
    for (uint32_t i = 0; old && i < old->cap; i++) {
        uint32_t id = atomic_load(&old->entries[i].id);
        if (id) sonde_check_eq(t, sonde_label_text(&in->labels, id), old->entries[i].text);
    }
    sonde_classify(t, in->labels.n_outgrown > 0, "outgrown");
}

SONDE_MAIN(bytes_give_the_tape_back, texts_are_read_as_they_are_written, a_tape_replays_itself,
           the_bytes_of_a_tape_replay_it, the_text_of_a_tape_replays_it, shortlex_is_a_total_order,
           no_script_leads_out_of_the_domains, every_byte_string_is_a_script, every_text_is_answered,
           labels_stay_as_they_are_while_they_grow)
