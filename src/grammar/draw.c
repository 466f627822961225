/* sonde_grammar draws a string. The parts of the string that are begun are a stack of frames in case memory.
 *
 * How the parts become draws:
 *   - a rule is a span, unless it has at most one draw; then its name labels that draw
 *   - alternatives are a pick, or a weighted one. The one with the fewest draws is first
 *   - [x] is a bool, *x a list, a repetition of ASCII characters a string
 *   - x *("," x) is one list, and so is [ x *("," x) ]: the first element is like the others
 *   - a list or string without a limit is short; if it is full, `more` may add a longer one
 *
 * A drawing comes to its end because parts of it are *closing*. If a rule is nested too deep for the size of the case,
 * its parts that lead back to it are closing. They get the fewest repetitions and nothing optional, and alternatives
 * that must lead back are not taken. If the drawing has made as many draws as the size allows, all parts are closing.
 * Then only the alternatives with the fewest draws are taken.
 *
 * A closing part still draws `deeper`, by which it may continue as usual. That is very unlikely. But because of it
 * every string of the language has a tape, however large. Imported files need that, and inputs that the search grew.
 *
 * When a file is imported, its derivation decides (parse.h), and the guide is not asked. */
#include "grammar/answer.h"
#include "grammar/language.h"
#include "grammar/parse.h"
#include "grammar/syntax.h"

#include "case/case.h"

#include <ctype.h>
#include <string.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;
enum {
    DRAWS_LEAST = 32,   /* number of draws after which the smallest case is closing */
    DRAWS_PER_SIZE = 2, /* more of them per unit of size: hand-written generators make about 100 (bench/RESULTS.md) */
    DEPTH_LEAST = 2,    /* how often a rule may be nested in itself in the smallest case */
    SIZE_PER_DEPTH = 20,
    SHARE_LEAST = 12,                /* number of draws that an element of a list may make while any are left */
    LONGER = 16,                     /* how much longer a list may be than the one before it */
    LIST_MAX = 1 << 16,              /* maximum length of one list */
    FRAMES = 32,                     /* frames before case memory is needed */
    SPANS_LEFT = SONDE_LIMIT(96, 16) /* no spans are opened if fewer may be open: deep nesting must not end the case */
};
static const double DEEPER = 0.001, MORE = 1.0 / 16, WIDE = 1.0 / 16, OTHER_CASE = 1.0 / 8;

/* A part that is begun. */
struct frame {
    uint32_t node;
    uint32_t at;   /* SEQUENCE: the next child; PLAIN: repetitions left; IN_LISTS: repetitions in earlier lists */
    uint32_t left; /* IN_LISTS: number of repetitions that the derivation has for the lists that follow */
    uint32_t full; /* IN_LISTS: maximum length of this one */
    uint32_t end;  /* IN_LISTS: `end` of the drawing outside of this list */
    enum { PLAIN, IN_LISTS, RULE_SPAN, RULE_ONLY } phase;
    bool was_closing;
    bool has_first; /* of a series: the first element was begun */
    sonde_list list;
};

struct drawing {
    sonde *t;
    const struct sonde_syntax *g;
    sonde_text *out;
    struct frame *frames;
    uint32_t n, cap;
    uint32_t *nested;   /* how often each recursive rule is begun */
    uint32_t max_depth; /* limit of `nested` */
    uint32_t end;       /* number of choices on the tape from which on all parts are closing */
    bool is_closing;    /* because of an annotation, or in a leaf that could lead back */
    /* For an import. */
    struct sonde_aim *aim; /* NULL: the guide decides everything */
    uint32_t decided;      /* number of decisions taken from the derivation */
    struct sonde_grammar_answers answers;
    struct frame first[FRAMES];
};

/* ---- The derivation of an import */

/* Returns the next decision of the derivation; NONE if the guide decides. After the last one, it does from then on. */
static inline uint32_t next_decision(struct drawing *d)
{
    if (__builtin_expect(!d->aim, 1)) return NONE;
    if (d->decided < d->aim->derivation.n) return d->aim->derivation.decisions[d->decided++];
    d->aim = NULL;
    return NONE;
}

/* Returns what is left of the parsed bytes, and their number; NULL if there are none. */
static inline const char *bytes_ahead(const struct drawing *d, uint32_t *n)
{
    *n = 0;
    if (__builtin_expect(!d->aim, 1) || d->out->n >= d->aim->derivation.parsed) return NULL;
    *n = d->aim->derivation.parsed - (uint32_t)d->out->n;
    return d->aim->text + d->out->n;
}

/* ---- Characters */

static inline const char *name_at(const struct drawing *d, uint32_t offset)
{
    return d->g->names + offset;
}

static SONDE_COLD void draw_wide(struct drawing *d, const struct sonde_syntax_class *class, const char *label,
                                 uint32_t answer)
{
    char bytes[4];
    uint32_t i = (uint32_t)SONDE_DRAW(d, answer, sonde_pick(d->t, label, class->n_rest));
    sonde_case_put(d->t, d->out, bytes, sonde_syntax_encode(d->g, sonde_syntax_member(d->g, class, i), bytes));
}

/* Returns the index among all members of the class of the next character to import: the small ones first. */
static SONDE_COLD uint32_t member_index(struct drawing *d, const struct sonde_syntax_class *class)
{
    uint32_t n, c, index = class->n_small;
    const char *text = bytes_ahead(d, &n);
    if (!text) return NONE;
    sonde_syntax_decode(d->g, text, n, &c);
    if (class->n_small) {
        const char *small = d->g->bytes + class->first_small, *found = memchr(small, (int)c, class->n_small);
        if (c < 256 && found) return (uint32_t)(found - small);
    }
    for (uint32_t i = class->first_range; i < class->first_range + class->n_ranges; i++) {
        const struct sonde_syntax_range *r = &d->g->ranges[i];
        if (c >= r->lo && c <= r->hi) return index + c - r->lo;
        index += r->hi - r->lo + 1;
    }
    return NONE;
}

static inline void draw_class(struct drawing *d, const struct sonde_syntax_node *x)
{
    const struct sonde_syntax_class *class = &d->g->classes[x->first];
    const char *label = name_at(d, x->label);
    uint32_t want = __builtin_expect(!d->aim, 1) ? NONE : member_index(d, class);
    bool is_wide = !class->n_small;
    if (class->n_small && class->n_rest)
        is_wide = SONDE_DRAW(d, want == NONE ? NONE : want >= class->n_small, sonde_chance(d->t, "wide", WIDE));
    if (is_wide) {
        draw_wide(d, class, label, want == NONE ? NONE : want - class->n_small);
        return;
    }
    uint32_t i = 0;
    if (class->n_small > 1) i = (uint32_t)SONDE_DRAW(d, want, sonde_pick(d->t, label, class->n_small));
    sonde_case_put(d->t, d->out, d->g->bytes + class->first_small + i, 1);
}

/* Writes a literal as it is written in the grammar, or with letters of drawn case. */
static void draw_caseless(struct drawing *d, const struct sonde_syntax_node *x)
{
    const char *text = d->g->bytes + x->first;
    uint32_t n;
    const char *ahead = bytes_ahead(d, &n);
    bool is_same = ahead && n >= x->n && !memcmp(ahead, text, x->n);
    uint32_t want = !ahead || n < x->n ? NONE : !is_same;
    if (!SONDE_DRAW(d, want, sonde_chance(d->t, name_at(d, x->label), OTHER_CASE))) {
        sonde_case_put(d->t, d->out, text, x->n);
        return;
    }
    for (uint32_t i = 0; i < x->n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x80 && isalpha(c)) {
            uint32_t flip = want == NONE ? NONE : (unsigned char)ahead[i] != c;
            if (SONDE_DRAW(d, flip, sonde_bool(d->t, "other_case"))) c = (unsigned char)(c ^ 0x20);
        }
        sonde_case_put(d->t, d->out, (const char *)&c, 1);
    }
}

/* ---- Closing */

/* Returns whether the drawing has as many draws as it may. */
static inline bool is_late(const struct drawing *d)
{
    return d->t->tape.n_choices >= d->end;
}

/* Returns whether a part comes to its end. */
static inline bool is_closing(const struct drawing *d, const struct sonde_syntax_node *x)
{
    if (is_late(d) || !x->is_recursive) return is_late(d);
    return d->is_closing || d->nested[d->g->rules[x->rule].counter] > d->max_depth;
}

/* Draws whether a closing part does as usual; `is_needed`: an import needs it. */
static SONDE_COLD bool goes_deeper(struct drawing *d, uint32_t want, bool is_needed)
{
    return SONDE_DRAW(d, want == NONE ? NONE : is_needed, sonde_chance(d->t, "deeper", DEEPER));
}

/* ---- Alternatives, repetitions */

static inline uint32_t draw_choice(struct drawing *d, uint32_t node, const struct sonde_syntax_node *x)
{
    const struct sonde_syntax_rule *rule = &d->g->rules[x->rule];
    uint32_t want = next_decision(d), n = x->n, from = 0;
    bool closes = is_closing(d, x);
    if (closes) {
        uint32_t least = is_late(d) ? x->least : 0, few = is_late(d) ? x->n_least : x->n_leaves;
        bool is_needed = want != NONE && (want < least || want - least >= few);
        if (few < n && goes_deeper(d, want, is_needed)) closes = false;
        else n = few, from = least;
    }
    if (want != NONE) want -= from;
    const char *label = name_at(d, x->label);
    const unsigned *weights = rule->body == node && rule->n_weights ? d->g->weights + rule->weights + from : NULL;
    uint32_t sum = 0;
    for (uint32_t i = 0; weights && i < n; i++) sum += weights[i];
    uint32_t i = n == 1 ? 0
                 : sum  ? (uint32_t)SONDE_DRAW(d, want, sonde_weighted(d->t, label, weights, n))
                        : (uint32_t)SONDE_DRAW(d, want, sonde_pick(d->t, label, n));
    uint32_t kid = d->g->kids[x->first + from + i];
    if (closes && d->g->nodes[kid].is_recursive) d->is_closing = true; /* until the rule ends */
    return kid;
}

/* Copies n bytes of the file to import as symbols of a string: their indices in the alphabet. */
static SONDE_COLD void take_symbols(struct drawing *d, const char *alphabet, const char *text, uint32_t n)
{
    uint32_t *symbols = sonde_alloc(d->t, (n + 1) * sizeof *symbols);
    for (uint32_t i = 0; i < n; i++) {
        const char *found = strchr(alphabet, text[i]);
        symbols[i] = found ? (uint32_t)(found - alphabet) : 0;
    }
    d->answers.symbols = symbols;
    d->answers.n_symbols = n;
}

/* Draws min..max characters. `want`: an import wants so many. */
static void draw_string(struct drawing *d, const char *label, const char *alphabet, uint32_t min, uint32_t max,
                        uint32_t want)
{
    uint32_t n;
    const char *ahead = bytes_ahead(d, &n);
    /* Of a file that is imported in part, the last string may be cut off. */
    if (want != NONE && want > n) want = n < min ? NONE : n;
    if (want != NONE) take_symbols(d, alphabet, ahead, want);
    char *text = SONDE_DRAW(d, want == NONE ? NONE : want - min,
                            sonde_string_of(d->t, label, alphabet, min, max == NONE ? SONDE_ANY : max));
    sonde_case_put(d->t, d->out, text, strlen(text));
}

static void draw_blob(struct drawing *d, const struct sonde_syntax_node *x)
{
    const struct sonde_syntax_node *kid = &d->g->nodes[sonde_syntax_resolve(d->g, x->first)];
    const char *alphabet = d->g->bytes + d->g->classes[kid->first].first_small, *label = name_at(d, x->label);
    uint32_t want = next_decision(d), chunk = sonde_syntax_chunk(d->g, x), full = x->min + chunk;
    if (is_closing(d, x) && !goes_deeper(d, want, want != NONE && want > x->min)) full = x->min;
    if (!full) return;
    size_t before = d->out->n;
    draw_string(d, label, alphabet, x->min, full, want == NONE ? NONE : want < full ? want : full);
    if (d->out->n - before < full || full == x->min || full == x->max) return;
    uint32_t left = want == NONE ? NONE : want - full;
    if (!SONDE_DRAW(d, left == NONE ? NONE : left > 0, sonde_chance(d->t, "more", MORE))) return;
    draw_string(d, label, alphabet, 1, x->max == NONE ? NONE : x->max - full, left);
}

static struct frame *push(struct drawing *d, uint32_t node)
{
    if (d->n == d->cap) {
        struct frame *more = sonde_alloc(d->t, 2 * (size_t)d->cap * sizeof *more);
        memcpy(more, d->frames, d->n * sizeof *more);
        d->frames = more;
        d->cap *= 2;
    }
    struct frame *f = &d->frames[d->n++];
    *f = (struct frame){.node = node};
    return f;
}

static inline bool has_spans(const struct drawing *d)
{
    return d->t->view.depth + SPANS_LEFT < SONDE_CASE_DEPTH;
}

/* Begins a list of a repetition: min..max elements. `want`: the derivation has so many, of which some are left. */
static void begin_list(struct drawing *d, struct frame *f, uint32_t min, uint32_t max, uint32_t want)
{
    const char *label = name_at(d, d->g->nodes[f->node].label);
    uint32_t answer = want == NONE ? NONE : (want < max ? want : max) - min;
    f->full = max;
    f->end = d->end;
    f->left = want == NONE ? NONE : want > max ? want - max : 0;
    if (has_spans(d)) {
        f->phase = IN_LISTS;
        f->list = SONDE_DRAW(d, answer, sonde_list_of(d->t, label, min, max));
        return;
    }
    f->phase = PLAIN;
    f->at = (uint32_t)SONDE_DRAW(d, answer, sonde_u64(d->t, label, min, max));
}

/* Returns how many elements the derivation has; NONE if the guide decides. An optional series has two decisions. */
static inline uint32_t wanted_elements(struct drawing *d, const struct sonde_syntax_node *x)
{
    uint32_t want = next_decision(d);
    if (!x->is_series || want == NONE) return want;
    if (x->kind == SONDE_SYNTAX_SEQUENCE) return want + 1;
    if (!want) return 0;
    want = next_decision(d);
    return want == NONE ? 1 : want + 1;
}

/* Begins a repetition or a series. Returns whether it has elements that a frame counts; else *node may be its only
 * element, or NONE. */
static bool begin_repeat(struct drawing *d, const struct sonde_syntax_node *x, uint32_t *node)
{
    uint32_t want = wanted_elements(d, x), self = *node;
    struct sonde_syntax_bounds n = sonde_syntax_bounds(d->g, x);
    *node = NONE;
    if (n.max == 0) return false;
    bool is_fixed = n.min == n.max;
    if (!is_fixed && is_closing(d, x) && !goes_deeper(d, want, want != NONE && want > n.min)) is_fixed = true;
    if (is_fixed) {
        if (n.min) push(d, self)->at = n.min;
        return n.min > 0;
    }
    if (n.max == 1) {
        if (SONDE_DRAW(d, want, sonde_bool(d->t, name_at(d, x->label)))) *node = x->first;
        return false;
    }
    begin_list(d, push(d, self), n.min, n.full, want);
    return true;
}

/* Gives the element that begins its share of the draws that are left: otherwise the first elements would take all. */
static inline void share_draws(struct drawing *d, const struct frame *f)
{
    uint32_t now = d->t->tape.n_choices, left = f->end > now ? f->end - now : 0;
    uint32_t share = left / (uint32_t)(f->list.n - f->list.i);
    if (share < SHARE_LEAST) share = left < SHARE_LEAST ? left : SHARE_LEAST;
    d->end = now + share;
}

/* Begins the next element of a repetition. Returns whether there is one. */
static bool next_element(struct drawing *d, struct frame *f, const struct sonde_syntax_node *x)
{
    if (f->phase == PLAIN) return f->at && f->at--;
    if (sonde_more(&f->list)) {
        share_draws(d, f);
        return true;
    }
    d->end = f->end;
    uint32_t max = sonde_syntax_bounds(d->g, x).max, done = f->at + (uint32_t)f->list.n;
    if (f->list.n < f->full || done >= max) return false;
    uint32_t answer = f->left == NONE || !d->aim ? NONE : f->left > 0;
    if (!SONDE_DRAW(d, answer, sonde_chance(d->t, "more", MORE))) return false;
    uint32_t full = f->full < LIST_MAX / LONGER ? LONGER * (f->full + 1) : LIST_MAX;
    f->at = done;
    begin_list(d, f, 1, full < max - done ? full : max - done, answer == NONE ? NONE : f->left);
    return next_element(d, f, x);
}

/* Returns the node of the element that was begun: in a series, separators come before all but the first. */
static inline uint32_t element_of(const struct drawing *d, struct frame *f, const struct sonde_syntax_node *x)
{
    if (!x->is_series) return x->first;
    if (x->kind == SONDE_SYNTAX_REPEAT) x = &d->g->nodes[x->first];
    if (f->has_first) return d->g->nodes[d->g->kids[x->first + 1]].first;
    f->has_first = true;
    return d->g->kids[x->first];
}

/* ---- Rules */

/* Has a C function draw a rule. An import searches for its draws, so the guide of the search is asked. */
static void draw_by_function(struct drawing *d, const struct sonde_syntax_rule *rule)
{
    const char *name = name_at(d, rule->name);
    next_decision(d); /* the number of bytes that it should write */
    sonde_open(d->t, name);
    rule->draw(d->t, d->out);
    sonde_close(d->t, name);
}

/* Begins a rule; returns its body. */
static uint32_t begin_rule(struct drawing *d, uint32_t at)
{
    const struct sonde_syntax_rule *rule = &d->g->rules[at];
    if (!rule->is_span) return rule->body;
    struct frame *f = push(d, at);
    f->was_closing = d->is_closing;
    f->phase = RULE_ONLY;
    if (has_spans(d)) {
        f->phase = RULE_SPAN;
        sonde_open(d->t, name_at(d, rule->name));
    }
    if (rule->counter == NONE) return rule->body;
    uint32_t nested = ++d->nested[rule->counter];
    if (rule->depth && nested >= rule->depth) d->is_closing = true;
    return rule->body;
}

static void end_rule(struct drawing *d, const struct frame *f)
{
    const struct sonde_syntax_rule *rule = &d->g->rules[f->node];
    if (f->phase == RULE_SPAN) sonde_close(d->t, name_at(d, rule->name));
    if (rule->counter != NONE) d->nested[rule->counter]--;
    d->is_closing = f->was_closing;
}

/* ---- The walk */

/* Draws what can be drawn at once; pushes a frame for the rest. */
static void enter(struct drawing *d, uint32_t node)
{
    for (;;) {
        const struct sonde_syntax_node *x = &d->g->nodes[node];
        switch ((enum sonde_syntax_kind)x->kind) {
        case SONDE_SYNTAX_LITERAL: sonde_case_put(d->t, d->out, d->g->bytes + x->first, x->n); return;
        case SONDE_SYNTAX_CASELESS: draw_caseless(d, x); return;
        case SONDE_SYNTAX_CLASS: draw_class(d, x); return;
        case SONDE_SYNTAX_PROSE: return;
        case SONDE_SYNTAX_SEQUENCE:
            if (x->is_series) begin_repeat(d, x, &node);
            else push(d, node);
            return;
        case SONDE_SYNTAX_CHOICE: node = draw_choice(d, node, x); break;
        case SONDE_SYNTAX_REPEAT:
            if (x->is_blob) {
                draw_blob(d, x);
                return;
            }
            if (begin_repeat(d, x, &node) || node == NONE) return;
            break;
        case SONDE_SYNTAX_RULE:
            if (d->g->rules[x->first].draw) {
                draw_by_function(d, &d->g->rules[x->first]);
                return;
            }
            node = begin_rule(d, x->first);
            break;
        }
    }
}

static void run(struct drawing *d)
{
    while (d->n) {
        struct frame *f = &d->frames[d->n - 1];
        if (f->phase >= RULE_SPAN) {
            end_rule(d, f);
            d->n--;
            continue;
        }
        const struct sonde_syntax_node *x = &d->g->nodes[f->node];
        if (x->kind == SONDE_SYNTAX_SEQUENCE && !x->is_series) {
            uint32_t kid = d->g->kids[x->first + f->at++];
            if (f->at == x->n) d->n--; /* nothing comes after the last child */
            enter(d, kid);
        } else if (next_element(d, f, x)) enter(d, element_of(d, f, x));
        else d->n--;
    }
}

/* In an import: uses the derivation of the file. If it is not known yet, leaves the case, so that it is found. */
static void begin_import(struct drawing *d)
{
    struct sonde_aim *aim = d->t->aim;
    if (!aim || aim->of || (aim->grammar && aim->grammar != d->g)) return;
    if (!aim->derivation.is_parsed) {
        aim->grammar = d->g;
        aim->parse = sonde_grammar_parse;
        aim->of = d->out;
        aim->n_puts++;
        aim->differs = true;
        d->t->driver = NULL;
        sonde_case_leave(d->t, SONDE_DISCARDED);
    }
    d->aim = aim;
}

sonde_text sonde_grammar(sonde *t, const char *label, const sonde_language *language)
{
    sonde_open(t, label);
    const struct sonde_syntax *g = sonde_grammar_read(t, label, language);
    struct drawing d;
    d.t = t;
    d.g = g;
    d.out = sonde_new(t, sonde_text);
    d.frames = d.first;
    d.n = d.decided = 0;
    d.cap = FRAMES;
    d.aim = NULL;
    d.is_closing = false;
    d.nested = g->n_counted ? sonde_alloc(t, g->n_counted * sizeof *d.nested) : NULL;
    begin_import(&d);
    uint32_t size = (uint32_t)SONDE_DRAW(&d, d.aim ? SONDE_SIZE_MAX : NONE, sonde_size(t));
    d.max_depth = DEPTH_LEAST + size / SIZE_PER_DEPTH;
    d.end = t->tape.n_choices + DRAWS_LEAST + DRAWS_PER_SIZE * size;
    sonde_case_put(t, d.out, "", 0);
    if (g->rules[g->start].draw) draw_by_function(&d, &g->rules[g->start]);
    else enter(&d, begin_rule(&d, g->start));
    run(&d);
    sonde_text *exact = sonde_new(t, sonde_text);
    *exact = (sonde_text){.at = sonde_alloc(t, d.out->n + 1), .n = d.out->n, .cap = d.out->n + 1};
    memcpy(exact->at, d.out->at, d.out->n + 1);
    sonde_show(t, sonde_grammar_print, exact);
    sonde_close(t, label);
    return *exact;
}
