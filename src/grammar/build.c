/* See notation.h. An element becomes a node when it is complete, so a child always has a smaller index than its parent.
 * Children of one parent are linked until check.c puts them into an array. */
#include "grammar/notation.h"

#include "base/buffer.h"
#include "base/hash.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;

/* ---- Errors */

void sonde_build_fail(struct sonde_build *b, size_t at, const char *format, ...)
{
    if (b->has_failed) return;
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at && i < b->n; i++, column++)
        if (b->text[i] == '\n') line++, column = 0;
    b->has_failed = true;
    int n = snprintf(b->error, SONDE_SYNTAX_ERROR, "%.300s%sline %zu, column %zu: ", b->name ? b->name : "",
                     b->name ? ": " : "", line, column);
    va_list args;
    va_start(args, format);
    if (n >= 0 && n < SONDE_SYNTAX_ERROR) vsnprintf(b->error + n, (size_t)(SONDE_SYNTAX_ERROR - n), format, args);
    va_end(args);
}

void sonde_build_expected(struct sonde_build *b, const char *what)
{
    char found[32] = "the end";
    unsigned char c = sonde_build_peek(b, 0);
    if (c >= 0x80 || (b->at < b->n && c < ' ' && c != '\n')) snprintf(found, sizeof found, "the byte %%x%02X", c);
    else if (c == '\n') snprintf(found, sizeof found, "the end of the line");
    else if (b->at < b->n) snprintf(found, sizeof found, "'%c'", c);
    sonde_build_fail(b, b->at, "expected %s, found %s", what, found);
}

/* ---- Names */

static uint64_t hash_of(const struct sonde_syntax *g, const char *name, size_t n)
{
    uint64_t hash = n;
    for (size_t i = 0; i < n; i++)
        hash = sonde_hash_add(hash, (uint64_t)(g->is_ebnf ? (unsigned char)name[i] : tolower((unsigned char)name[i])));
    return sonde_mix(hash);
}

static bool is_name(const struct sonde_syntax *g, uint32_t rule, const char *name, size_t n)
{
    const char *known = sonde_syntax_name(g, rule);
    return strlen(known) == n && (g->is_ebnf ? memcmp(known, name, n) : strncasecmp(known, name, n)) == 0;
}

uint32_t sonde_syntax_find(const struct sonde_syntax *g, const char *name, size_t n)
{
    for (uint64_t key = hash_of(g, name, n);; key++) {
        uint32_t found = sonde_map_get(&g->by_name, key);
        if (!found) return NONE;
        if (is_name(g, found - 1, name, n)) return found - 1;
    }
}

uint32_t sonde_build_rule(struct sonde_build *b, const char *name, size_t n, size_t at)
{
    struct sonde_syntax *g = b->g;
    uint32_t known = sonde_syntax_find(g, name, n);
    if (known != NONE) return known;
    uint64_t key = hash_of(g, name, n);
    while (sonde_map_get(&g->by_name, key)) key++;
    g->rules = sonde_grow(g->rules, &g->cap_rules, (size_t)g->n_rules + 1, sizeof *g->rules);
    g->rules[g->n_rules] =
        (struct sonde_syntax_rule){.name = g->n_names, .body = NONE, .at = (uint32_t)at, .counter = NONE};
    g->names = sonde_grow(g->names, &g->cap_names, (size_t)g->n_names + n + 1, 1);
    memcpy(g->names + g->n_names, name, n);
    g->names[g->n_names + n] = '\0';
    g->n_names += (uint32_t)n + 1;
    *sonde_map_at(&g->by_name, key) = ++g->n_rules;
    return g->n_rules - 1;
}

size_t sonde_build_name(const struct sonde_build *b, const char *more)
{
    size_t n = 0;
    if (!isalpha(sonde_build_peek(b, 0)) && !(sonde_build_peek(b, 0) == '_' && strchr(more, '_'))) return 0;
    while (isalnum(sonde_build_peek(b, n)) || (sonde_build_peek(b, n) && strchr(more, sonde_build_peek(b, n)))) n++;
    return n;
}

uint32_t sonde_build_number(struct sonde_build *b, unsigned base, uint32_t max)
{
    size_t from = b->at;
    uint64_t value = 0;
    for (;; b->at++) {
        unsigned char c = sonde_build_peek(b, 0);
        unsigned digit = isdigit(c) ? (unsigned)c - '0' : isxdigit(c) ? (unsigned)tolower(c) - 'a' + 10 : base;
        if (digit >= base) break;
        value = value * base + digit;
        if (value > max) {
            sonde_build_fail(b, from, "this number is too large; %u is the limit", max);
            return 0;
        }
    }
    if (b->at == from) sonde_build_expected(b, base == 16 ? "a hexadecimal digit" : base == 2 ? "a bit" : "a digit");
    return (uint32_t)value;
}

/* ---- Nodes */

static uint32_t add_node(struct sonde_build *b, struct sonde_syntax_node node)
{
    struct sonde_syntax *g = b->g;
    g->nodes = sonde_grow(g->nodes, &g->cap_nodes, (size_t)g->n_nodes + 1, sizeof *g->nodes);
    node.next = NONE;
    node.rule = b->rule;
    g->nodes[g->n_nodes] = node;
    return g->n_nodes++;
}

uint32_t sonde_build_literal(struct sonde_build *b, const uint32_t *codes, size_t n, bool is_caseless)
{
    struct sonde_syntax *g = b->g;
    bool has_letters = false;
    g->codes = sonde_grow(g->codes, &g->cap_codes, (size_t)g->n_codes + n + 1, sizeof *g->codes);
    for (size_t i = 0; i < n; i++) {
        has_letters |= codes[i] < 0x80 && isalpha((int)codes[i]);
        g->codes[g->n_codes + i] = codes[i];
    }
    g->n_codes += (uint32_t)n;
    return add_node(b, (struct sonde_syntax_node){.kind = is_caseless && has_letters ? SONDE_SYNTAX_CASELESS
                                                                                     : SONDE_SYNTAX_LITERAL,
                                                  .first = g->n_codes - (uint32_t)n,
                                                  .n = (uint32_t)n});
}

uint32_t sonde_build_string(struct sonde_build *b, size_t from, size_t n, bool is_caseless)
{
    struct sonde_syntax utf8 = {.is_unicode = true};
    uint32_t *codes = sonde_malloc((n + 1) * sizeof *codes), count = 0;
    for (size_t i = 0; i < n;) {
        uint32_t c;
        i += sonde_syntax_decode(&utf8, b->text + from + i, n - i, &c);
        if (c >= 0x80) b->g->is_unicode = true;
        if (c > 0x10ffff) sonde_build_fail(b, from + i - 1, "this string is not valid UTF-8; write bytes as numbers");
        codes[count++] = c;
    }
    uint32_t node = sonde_build_literal(b, codes, count, is_caseless);
    sonde_free(codes);
    return node;
}

uint32_t sonde_build_class(struct sonde_build *b, const struct sonde_syntax_range *ranges, size_t n)
{
    struct sonde_syntax *g = b->g;
    g->ranges = sonde_grow(g->ranges, &g->cap_ranges, (size_t)g->n_ranges + n + 1, sizeof *g->ranges);
    if (n) memcpy(g->ranges + g->n_ranges, ranges, n * sizeof *ranges);
    g->n_ranges += (uint32_t)n;
    return add_node(b, (struct sonde_syntax_node){.kind = SONDE_SYNTAX_CLASS,
                                                  .first = g->n_ranges - (uint32_t)n,
                                                  .n = (uint32_t)n});
}

uint32_t sonde_build_refer(struct sonde_build *b, uint32_t rule)
{
    return add_node(b, (struct sonde_syntax_node){.kind = SONDE_SYNTAX_RULE, .first = rule});
}

uint32_t sonde_build_prose(struct sonde_build *b, const char *words, size_t n)
{
    struct sonde_syntax *g = b->g;
    g->bytes = sonde_grow(g->bytes, &g->cap_bytes, (size_t)g->n_bytes + n + 1, 1);
    memcpy(g->bytes + g->n_bytes, words, n);
    g->n_bytes += (uint32_t)n;
    return add_node(b, (struct sonde_syntax_node){.kind = SONDE_SYNTAX_PROSE,
                                                  .first = g->n_bytes - (uint32_t)n,
                                                  .n = (uint32_t)n});
}

/* Returns a node for linked nodes: their parent, or the only one itself. While reading, `max` of a parent is its last
 * child. */
static uint32_t join(struct sonde_build *b, enum sonde_syntax_kind kind, uint32_t first, uint32_t last, uint32_t n)
{
    if (n == 1) return first;
    return add_node(b, (struct sonde_syntax_node){.kind = (uint8_t)kind, .first = first, .n = n, .max = last});
}

static uint32_t repeat(struct sonde_build *b, uint32_t node, uint32_t min, uint32_t max)
{
    if (min == 1 && max == 1) return node;
    return add_node(b, (struct sonde_syntax_node){.kind = SONDE_SYNTAX_REPEAT, .first = node, .min = min, .max = max});
}

/* ---- Frames */

static void push(struct sonde_build *b, char closer)
{
    b->frames = sonde_grow(b->frames, &b->cap_frames, (size_t)b->n_frames + 1, sizeof *b->frames);
    b->frames[b->n_frames++] = (struct sonde_build_frame){.closer = closer,
                                                          .at = b->at,
                                                          .min = b->min,
                                                          .max = b->max,
                                                          .first_choice = NONE,
                                                          .last_choice = NONE,
                                                          .first = NONE,
                                                          .last = NONE};
    b->min = b->max = 1;
    b->repeat_at = SIZE_MAX;
}

/* Links a node behind the last of a list. */
static void append(struct sonde_syntax *g, uint32_t node, uint32_t *first, uint32_t *last, uint32_t *n)
{
    if (*n) g->nodes[*last].next = node;
    else *first = node;
    *last = node;
    ++*n;
}

/* Returns whether two nodes are the same rule or the same characters. */
static bool is_same(const struct sonde_syntax *g, uint32_t a, uint32_t b)
{
    const struct sonde_syntax_node *x = &g->nodes[a], *y = &g->nodes[b];
    if (x->kind != y->kind) return false;
    if (x->kind == SONDE_SYNTAX_RULE) return x->first == y->first;
    if (x->kind != SONDE_SYNTAX_LITERAL && x->kind != SONDE_SYNTAX_CASELESS) return false;
    return x->n == y->n && !memcmp(g->codes + x->first, g->codes + y->first, x->n * sizeof *g->codes);
}

/* Returns whether the n nodes from `from` on end the repeated sequence as well, and have a rule. */
static bool is_element(const struct sonde_syntax *g, uint32_t from, uint32_t n, uint32_t sequence)
{
    const struct sonde_syntax_node *x = &g->nodes[sequence];
    uint32_t kid = x->first;
    bool has_rule = false;
    if (n > x->n) return false;
    for (uint32_t i = x->n; i > n; i--) kid = g->nodes[kid].next;
    for (uint32_t i = 0; i < n; i++, from = g->nodes[from].next, kid = g->nodes[kid].next) {
        if (!is_same(g, from, kid)) return false;
        has_rule |= g->nodes[from].kind == SONDE_SYNTAX_RULE;
    }
    return has_rule;
}

/* Makes a series (syntax.h) of the n nodes from `first` to `last`, and the repetition that follows. */
static uint32_t make_series(struct sonde_build *b, uint32_t first, uint32_t last, uint32_t n)
{
    uint32_t rest = b->g->nodes[last].next, after = b->g->nodes[rest].next;
    uint32_t element = join(b, SONDE_SYNTAX_SEQUENCE, first, last, n);
    b->g->nodes[element].next = rest;
    b->g->nodes[rest].is_rest = true;
    uint32_t series = join(b, SONDE_SYNTAX_SEQUENCE, element, rest, 2);
    b->g->nodes[series].is_series = true;
    b->g->nodes[series].next = after;
    return series;
}

/* Makes series of the elements of an alternative wherever a repetition repeats what is before it. */
static void find_series(struct sonde_build *b, struct sonde_build_frame *f)
{
    enum { LONGEST = 8 };               /* maximum number of nodes of an element */
    uint32_t nodes[LONGEST + 1], n = 0; /* the nodes before the present one, and one before these; NONE: none */
    nodes[0] = NONE;
    for (uint32_t i = 0, at = f->first; i < f->n; i++, at = b->g->nodes[at].next) {
        const struct sonde_syntax_node *x = &b->g->nodes[at];
        bool is_repeated = x->kind == SONDE_SYNTAX_REPEAT && x->max > 1 && !x->is_rest
                           && b->g->nodes[x->first].kind == SONDE_SYNTAX_SEQUENCE;
        uint32_t length = is_repeated ? n : 0;
        while (length && !is_element(b->g, nodes[n - length + 1], length, x->first)) length--;
        if (length) {
            uint32_t before = nodes[n - length], series = make_series(b, nodes[n - length + 1], nodes[n], length);
            if (before == NONE) f->first = series;
            else b->g->nodes[before].next = series;
            if (f->last == at) f->last = series;
            f->n -= length;
            i -= length;
            n -= length;
            at = series;
        }
        if (n == LONGEST) memmove(nodes, nodes + 1, n-- * sizeof *nodes);
        nodes[++n] = at;
    }
}

static void end_alternative(struct sonde_build *b)
{
    struct sonde_build_frame *f = &b->frames[b->n_frames - 1];
    if (b->repeat_at != SIZE_MAX)
        sonde_build_fail(b, b->repeat_at, "a repetition without an element; write the element behind it");
    if (!f->n)
        sonde_build_fail(
            b, b->at, "this alternative is empty; write %s around what may be left out, or \"\" for the empty string",
            b->g->is_ebnf ? "( )?" : "[ ]");
    if (b->has_failed) return;
    find_series(b, f);
    uint32_t node = join(b, SONDE_SYNTAX_SEQUENCE, f->first, f->last, f->n);
    append(b->g, node, &f->first_choice, &f->last_choice, &f->n_choices);
    f->first = f->last = NONE;
    f->n = 0;
}

void sonde_build_bar(struct sonde_build *b)
{
    end_alternative(b);
    b->at++;
}

void sonde_build_open(struct sonde_build *b, char closer)
{
    push(b, closer);
    b->at++;
}

uint32_t sonde_build_close(struct sonde_build *b, char closer)
{
    struct sonde_build_frame f = b->frames[b->n_frames - 1];
    if (f.closer != closer) {
        if (f.closer) sonde_build_fail(b, b->at, "expected '%c' for the group that was opened before it", f.closer);
        else sonde_build_fail(b, b->at, "'%c' closes nothing", closer);
        return NONE;
    }
    end_alternative(b);
    if (b->has_failed) return NONE;
    f = b->frames[--b->n_frames];
    b->at++;
    b->min = f.min;
    b->max = f.max;
    return join(b, SONDE_SYNTAX_CHOICE, f.first_choice, f.last_choice, f.n_choices);
}

void sonde_build_add(struct sonde_build *b, uint32_t node)
{
    if (b->has_failed) return;
    node = repeat(b, node, b->min, b->max);
    struct sonde_build_frame *f = &b->frames[b->n_frames - 1];
    append(b->g, node, &f->first, &f->last, &f->n);
    b->min = b->max = 1;
    b->repeat_at = SIZE_MAX;
}

void sonde_build_repeat_last(struct sonde_build *b, uint32_t min, uint32_t max)
{
    struct sonde_build_frame *f = &b->frames[b->n_frames - 1];
    if (b->has_failed) return;
    if (!f->n) {
        sonde_build_fail(b, b->at, "there is nothing to repeat before this");
        return;
    }
    uint32_t old = f->last, before = f->first;
    while (f->n > 1 && b->g->nodes[before].next != old) before = b->g->nodes[before].next;
    uint32_t node = repeat(b, old, min, max);
    if (node == old) return;
    if (f->n > 1) b->g->nodes[before].next = node;
    else f->first = node;
    f->last = node;
}

/* ---- Rules */

void sonde_build_begin(struct sonde_build *b, const char *name, size_t n, size_t at, bool is_added)
{
    sonde_build_end(b);
    if (b->has_failed) return;
    b->rule = sonde_build_rule(b, name, n, at);
    struct sonde_syntax_rule *rule = &b->g->rules[b->rule];
    b->is_added = is_added;
    if (rule->body != NONE && !is_added)
        sonde_build_fail(b, at, "the rule '%.100s' has been defined before%s", sonde_syntax_name(b->g, b->rule),
                         b->g->is_ebnf ? "" : "; write =/ to add alternatives");
    if (rule->body == NONE && is_added)
        sonde_build_fail(b, at, "=/ adds to the rule '%.100s', which is not defined before it",
                         sonde_syntax_name(b->g, b->rule));
    if (!is_added) rule->at = (uint32_t)at;
    if (b->g->start == NONE) b->g->start = b->rule;
    b->min = b->max = 1;
    push(b, 0);
}

void sonde_build_end(struct sonde_build *b)
{
    if (b->has_failed || b->rule == NONE) return;
    struct sonde_build_frame *f = &b->frames[b->n_frames - 1];
    if (f->closer) {
        sonde_build_fail(b, f->at, "this group is not closed; '%c' is missing", f->closer);
        return;
    }
    if (!f->n && !f->n_choices && b->repeat_at == SIZE_MAX)
        sonde_build_fail(b, b->at, "the rule '%.100s' is empty; expected an element", sonde_syntax_name(b->g, b->rule));
    end_alternative(b);
    if (b->has_failed) return;
    f = &b->frames[--b->n_frames];
    struct sonde_syntax_rule *rule = &b->g->rules[b->rule];
    if (!b->is_added) {
        rule->body = join(b, SONDE_SYNTAX_CHOICE, f->first_choice, f->last_choice, f->n_choices);
        return;
    }
    /* One node gets the alternatives of the old body and the new ones. The old body is left empty. */
    struct sonde_syntax *g = b->g;
    uint32_t first = rule->body, last = first, n = 1;
    if (g->nodes[first].kind == SONDE_SYNTAX_CHOICE) {
        struct sonde_syntax_node *old = &g->nodes[first];
        first = old->first;
        last = old->max;
        n = old->n;
        *old = (struct sonde_syntax_node){.kind = SONDE_SYNTAX_LITERAL, .rule = b->rule, .next = NONE};
    }
    g->nodes[last].next = f->first_choice;
    uint32_t body = join(b, SONDE_SYNTAX_CHOICE, first, f->last_choice, n + f->n_choices);
    b->g->rules[b->rule].body = body;
}

/* ---- Annotations */

/* Reads the next word of an annotation. Returns its length; 0 at the end. */
static size_t next_word(const struct sonde_build *b, size_t *at, size_t end)
{
    size_t n = 0;
    while (*at < end && isspace((unsigned char)b->text[*at])) ++*at;
    while (*at + n < end && !isspace((unsigned char)b->text[*at + n])) n++;
    return n;
}

/* Reads a number of an annotation, between 1 (or 0, if is_weight) and 65535. Returns whether there is one. */
static bool next_number(struct sonde_build *b, size_t *at, size_t end, bool is_weight, uint32_t *value)
{
    size_t n = next_word(b, at, end);
    if (!n || !isdigit((unsigned char)b->text[*at])) return false;
    *value = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)b->text[*at + i];
        *value = *value * 10 + (uint32_t)(c - '0');
        if (isdigit(c) && *value <= UINT16_MAX) continue;
        sonde_build_fail(b, *at, "expected a number up to 65535");
        return false;
    }
    if (!*value && !is_weight) {
        sonde_build_fail(b, *at, "expected a number of at least 1");
        return false;
    }
    *at += n;
    return true;
}

static void read_weights(struct sonde_build *b, struct sonde_syntax_rule *rule, size_t *at, size_t end)
{
    struct sonde_syntax *g = b->g;
    uint32_t weight;
    if (rule->n_weights) sonde_build_fail(b, *at, "the rule has weights already");
    rule->weights = g->n_weights;
    while (!b->has_failed && next_number(b, at, end, true, &weight)) {
        g->weights = sonde_grow(g->weights, &g->cap_weights, (size_t)g->n_weights + 1, sizeof *g->weights);
        g->weights[g->n_weights++] = weight;
        rule->n_weights++;
    }
    if (!rule->n_weights) sonde_build_fail(b, *at, "expected a weight for each alternative: weights 3 1 1");
}

void sonde_build_annotate(struct sonde_build *b, size_t from, size_t n)
{
    size_t at = from, end = from + n, length;
    while (!b->has_failed && (length = next_word(b, &at, end))) {
        const char *word = b->text + at;
        size_t start = at;
        struct sonde_syntax_rule *rule = b->rule == NONE ? NULL : &b->g->rules[b->rule];
        at += length;
        if (length == 5 && !memcmp(word, "bytes", 5)) b->g->says_bytes = true;
        else if (length == 7 && !memcmp(word, "unicode", 7)) b->g->says_unicode = true;
        else if (!rule) sonde_build_fail(b, start, "expected 'bytes' or 'unicode' before the first rule");
        else if (length == 7 && !memcmp(word, "weights", 7)) read_weights(b, rule, &at, end);
        else if (length == 7 && !memcmp(word, "ordered", 7)) rule->is_ordered = true;
        else if (length == 6 && !memcmp(word, "repeat", 6)) {
            if (!next_number(b, &at, end, false, &rule->repeat))
                sonde_build_fail(b, at, "expected a number: repeat 20");
        } else if (length == 5 && !memcmp(word, "depth", 5)) {
            if (!next_number(b, &at, end, false, &rule->depth)) sonde_build_fail(b, at, "expected a number: depth 3");
        } else sonde_build_fail(b, start, "expected weights, ordered, repeat, depth, bytes or unicode");
    }
}
