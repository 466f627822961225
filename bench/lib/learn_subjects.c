/* See learn_subjects.h. */
#include "lib/learn_subjects.h"
#include "lib/tree.h"

#include <string.h>

#ifdef BY_SONDE_CC
const char learn_suite[] = "learn-cc";
#else
const char learn_suite[] = "learn";
#endif

/* A running hash of the value being built. */
static void mix(uint64_t *hash, uint64_t x)
{
    *hash = (*hash ^ (x + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    *hash ^= *hash >> 29;
}

/* ---- Search trees (RLCheck, section 4.3.1) */

unsigned learn_bst_size;
uint64_t learn_bst_value;

static bool is_ordered(const struct tree *n, int lo, int hi)
{
    if (!n) return true;
    return lo < n->value && n->value < hi && is_ordered(n->left, lo, n->value) && is_ordered(n->right, n->value, hi);
}

static unsigned hash_tree(const struct tree *n, uint64_t *hash)
{
    mix(hash, n ? (uint64_t)n->value : 99);
    return n ? 1 + hash_tree(n->left, hash) + hash_tree(n->right, hash) : 0;
}

static void judge_tree(sonde *t, const struct tree *root)
{
    uint64_t hash = 0;
    learn_bst_size = hash_tree(root, &hash);
    learn_bst_value = hash;
    sonde_characteristic(t, hash);
    sonde_assume(t, is_ordered(root, -1, 11));
}

void learn_bst(sonde *t)
{
    judge_tree(t, tree_draw(t, 4, 10));
}

/* The last four entries, a byte each. */
static uint64_t concat_tail(uint64_t state, unsigned value)
{
    return (state << 8 | (value + 1)) & 0xffffffff;
}

/* States of the generators below: figure 3's way of writing them. NO_STATE leaves the generator as a user writes it. */
enum { NO_STATE = -1, ROOT = 0 };

static void give_state(sonde *t, int64_t state)
{
    if (state != NO_STATE) sonde_state(t, (uint64_t)state);
}

static int64_t below(int64_t state, unsigned value)
{
    return state == NO_STATE ? NO_STATE : (int64_t)concat_tail((uint64_t)state, value);
}

/* Tree L/R enters which way a subtree hangs; Tree, that there is one. */
static struct tree *draw_tree_with_states(sonde *t, int depth, uint64_t state, unsigned left, unsigned right)
{
    sonde_span(t, "tree");
    struct tree *n = sonde_new(t, struct tree);
    sonde_state(t, state);
    n->value = sonde_int(t, "value", 0, 10);
    state = concat_tail(state, (unsigned)n->value);
    sonde_state(t, state);
    if (depth < 4 && sonde_bool(t, "left"))
        n->left = draw_tree_with_states(t, depth + 1, concat_tail(state, left), left, right);
    sonde_state(t, state);
    if (depth < 4 && sonde_bool(t, "right"))
        n->right = draw_tree_with_states(t, depth + 1, concat_tail(state, right), left, right);
    return n;
}

void learn_bst_states(sonde *t)
{
    judge_tree(t, draw_tree_with_states(t, 0, 0, 'L', 'R'));
}

void learn_bst_tree(sonde *t)
{
    judge_tree(t, draw_tree_with_states(t, 0, 0, true, true));
}

/* ---- Sorted lists */

static void sorted(sonde *t)
{
    uint64_t hash = 0;
    int last = 0;
    bool is_sorted = true;
    sonde_list xs = sonde_list_of(t, "xs", 0, 16);
    while (sonde_more(&xs)) {
        int x = sonde_int(t, "x", 0, 100);
        is_sorted &= last <= x;
        last = x;
        mix(&hash, (uint64_t)x);
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, is_sorted);
}

/* ---- Brackets of three types; token 0 ends */

static void paren(sonde *t)
{
    uint64_t hash = 0;
    size_t stack[24];
    int depth = 0;
    bool is_balanced = true;
    for (int i = 0; i < 24; i++) {
        size_t token = sonde_pick(t, "token", 7);
        if (token == 0) break;
        mix(&hash, token);
        if (token <= 3) stack[depth++] = token;
        else if (depth > 0 && stack[depth - 1] == token - 3) depth--;
        else is_balanced = false;
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, is_balanced && depth == 0);
}

/* ---- Documents with a schema: which tag may be inside which, which tags need an attribute, which may not have one
 * value of it */

static bool draw_element(sonde *t, int parent, int level, int64_t state, uint64_t *hash)
{
    static const uint8_t allowed[8] = {0x0e, 0x30, 0x34, 0xc0, 0x00, 0x80, 0x50, 0x00}; /* bit c: child tag c */
    sonde_span(t, "element");
    give_state(t, state);
    int tag = (int)sonde_pick(t, "tag", 8);
    state = below(state, (unsigned)tag);
    give_state(t, state);
    bool has_attribute = sonde_bool(t, "has attribute");
    int attribute = has_attribute ? (int)sonde_pick(t, "attribute", 4) : -1;
    mix(hash, (uint64_t)(tag * 8 + attribute + 1));
    bool ok = parent < 0 ? tag == 0 : (allowed[parent] >> tag & 1) != 0;
    if (tag % 3 == 1) ok &= attribute == tag % 4; /* tags 1, 4, 7 */
    else ok &= attribute != (tag + 1) % 4;
    sonde_list children = sonde_list_of(t, "children", 0, level < 4 ? 4 : 0);
    while (sonde_more(&children)) ok &= draw_element(t, tag, level + 1, state, hash);
    mix(hash, 77);
    return ok;
}

static void draw_document(sonde *t, int64_t state)
{
    uint64_t hash = 0;
    bool ok = draw_element(t, -1, 0, state, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

static void xml(sonde *t)
{
    draw_document(t, NO_STATE);
}

/* The tags of the parents are the state, as in the authors' XmlRLGenerator. */
static void xml_states(sonde *t)
{
    draw_document(t, ROOT);
}

/* ---- Expressions that must type, with variables in scope */

enum type { WRONG, INT, BOOL };

static enum type join(enum type a, enum type b)
{
    return a == b ? a : WRONG;
}

static enum type draw_expression(sonde *t, const enum type scope[3], int level, int64_t state, uint64_t *hash)
{
    sonde_span(t, "expression");
    give_state(t, state);
    size_t kind = sonde_pick(t, "kind", level < 4 ? 7 : 3);
    state = below(state, (unsigned)kind);
    give_state(t, state);
    mix(hash, kind);
    enum type a, b, c;
    switch (kind) {
    case 0: mix(hash, (uint64_t)sonde_int(t, "int", 0, 9)); return INT;
    case 1: mix(hash, sonde_bool(t, "bool")); return BOOL;
    case 2: {
        size_t name = sonde_pick(t, "name", 3);
        mix(hash, name);
        return scope[name];
    }
    case 3:
    case 4:
        a = draw_expression(t, scope, level + 1, state, hash);
        b = draw_expression(t, scope, level + 1, state, hash);
        return a == INT && b == INT ? kind == 3 ? INT : BOOL : WRONG;
    case 5:
        a = draw_expression(t, scope, level + 1, state, hash);
        b = draw_expression(t, scope, level + 1, state, hash);
        c = draw_expression(t, scope, level + 1, state, hash);
        return a == BOOL ? join(b, c) : WRONG;
    default: {
        enum type inner[3];
        memcpy(inner, scope, sizeof inner);
        size_t name = sonde_pick(t, "bound", 3);
        mix(hash, name);
        a = draw_expression(t, scope, level + 1, state, hash);
        inner[name] = a;
        b = draw_expression(t, inner, level + 1, state, hash);
        return a == WRONG ? WRONG : b;
    }
    }
}

static void draw_program(sonde *t, int64_t state)
{
    uint64_t hash = 0;
    static const enum type empty[3] = {WRONG, WRONG, WRONG};
    enum type type = draw_expression(t, empty, 0, state, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, type != WRONG);
}

static void expr(sonde *t)
{
    draw_program(t, NO_STATE);
}

/* The kinds of the parents are the state, as in the authors' JavaScriptRLGenerator. */
static void expr_states(sonde *t)
{
    draw_program(t, ROOT);
}

/* ---- Others, to see whether the learner is more than the above */

static void distinct(sonde *t)
{
    uint64_t hash = 0;
    unsigned seen = 0;
    bool ok = true;
    int n = sonde_int(t, "n", 0, 12);
    for (int i = 0; i < n; i++) {
        int x = sonde_int(t, "x", 0, 15);
        ok &= !(seen >> x & 1);
        seen |= 1u << x;
        mix(&hash, (uint64_t)x);
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* Red-black trees without keys: a red node has black children, every path has as many black nodes. Returns the black
 * height, -1 if there is none. */
static int draw_redblack(sonde *t, bool parent_is_red, int depth, uint64_t *hash)
{
    sonde_span(t, "node");
    bool is_red = sonde_bool(t, "red");
    mix(hash, is_red);
    int left = depth < 5 && sonde_bool(t, "left") ? draw_redblack(t, is_red, depth + 1, hash) : 0;
    mix(hash, 7);
    int right = depth < 5 && sonde_bool(t, "right") ? draw_redblack(t, is_red, depth + 1, hash) : 0;
    mix(hash, 8);
    if (left != right || left < 0 || (is_red && parent_is_red)) return -1;
    return left + !is_red;
}

static void redblack(sonde *t)
{
    uint64_t hash = 0;
    int height = draw_redblack(t, false, 0, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, height >= 0);
}

/* Records of a kind, a length field and a payload of that length. */
static void lengths(sonde *t)
{
    uint64_t hash = 0;
    bool ok = true;
    sonde_list records = sonde_list_of(t, "records", 1, 4);
    while (sonde_more(&records)) {
        int kind = (int)sonde_pick(t, "kind", 4);
        int length = sonde_int(t, "length", 0, 15), n = 0;
        mix(&hash, (uint64_t)(kind * 16 + length));
        sonde_list payload = sonde_list_of(t, "payload", 0, 12);
        for (; sonde_more(&payload); n++) mix(&hash, (uint64_t)sonde_int(t, "byte", 0, 255));
        ok &= n == length;
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* The same where a flag says whether there is another byte. */
static void flagged(sonde *t)
{
    uint64_t hash = 0;
    int length = sonde_int(t, "length", 0, 12), n = 0;
    while (n < 16 && sonde_bool(t, "more")) {
        mix(&hash, (uint64_t)sonde_int(t, "byte", 0, 7));
        n++;
    }
    mix(&hash, (uint64_t)length);
    sonde_characteristic(t, hash);
    sonde_assume(t, n == length);
}

static int days(int year, int month)
{
    static const int table[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return table[month - 1] + (month == 2 && is_leap);
}

/* A period between two dates of numbers that may be out of range. */
static int draw_date(sonde *t, uint64_t *hash)
{
    sonde_span(t, "date");
    int year = sonde_int(t, "year", 1900, 2100), month = sonde_int(t, "month", 0, 15), day = sonde_int(t, "day", 0, 40);
    mix(hash, (uint64_t)((year * 16 + month) * 64 + day));
    if (month < 1 || month > 12 || day < 1 || day > days(year, month)) return -1;
    return (year * 16 + month) * 64 + day;
}

static void dates(sonde *t)
{
    uint64_t hash = 0;
    int from = draw_date(t, &hash), to = draw_date(t, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, from >= 0 && to >= 0 && from <= to);
}

/* Edges of a graph without cycles or doubles: each leads upwards. */
static void graph(sonde *t)
{
    uint64_t hash = 0, seen[10] = {0};
    bool ok = true;
    sonde_list edges = sonde_list_of(t, "edges", 0, 10);
    while (sonde_more(&edges)) {
        int from = sonde_int(t, "from", 0, 9), to = sonde_int(t, "to", 0, 9);
        ok &= from < to && !(seen[from] >> to & 1);
        seen[from] |= UINT64_C(1) << to;
        mix(&hash, (uint64_t)(from * 10 + to));
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* Shares that add up to a hundred. */
static void sums(sonde *t)
{
    uint64_t hash = 0;
    int total = 0;
    sonde_list shares = sonde_list_of(t, "shares", 2, 8);
    while (sonde_more(&shares)) {
        int share = sonde_int(t, "share", 1, 60);
        total += share;
        mix(&hash, (uint64_t)share);
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, total == 100);
}

/* A program for a stack machine: push, pop, add, dup; never too few, one left at the end. */
static void machine(sonde *t)
{
    uint64_t hash = 0;
    int depth = 0;
    bool ok = true;
    sonde_list program = sonde_list_of(t, "program", 1, 20);
    while (sonde_more(&program)) {
        size_t op = sonde_pick(t, "op", 4);
        mix(&hash, op);
        if (op == 0) mix(&hash, (uint64_t)sonde_int(t, "constant", 0, 3));
        static const int needs[] = {0, 1, 2, 1}, leaves[] = {1, 0, 1, 2};
        ok &= depth >= needs[op];
        depth += leaves[op] - needs[op];
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok && depth == 1);
}

/* Heaps: a child is no smaller than its parent; as an array. */
static void heap(sonde *t)
{
    uint64_t hash = 0;
    int xs[16], n = 0;
    bool ok = true;
    sonde_list list = sonde_list_of(t, "heap", 0, 15);
    for (; sonde_more(&list); n++) {
        xs[n] = sonde_int(t, "x", 0, 99);
        ok &= n == 0 || xs[(n - 1) / 2] <= xs[n];
        mix(&hash, (uint64_t)xs[n]);
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* Intervals that do not overlap, of 64-bit numbers. */
static void intervals(sonde *t)
{
    uint64_t hash = 0;
    int64_t end = INT64_MIN;
    bool ok = true;
    sonde_list list = sonde_list_of(t, "intervals", 0, 6);
    while (sonde_more(&list)) {
        int64_t from = sonde_i64(t, "from", -1000000000000, 1000000000000);
        int64_t to = sonde_i64(t, "to", -1000000000000, 1000000000000);
        ok &= end < from && from <= to;
        end = to;
        mix(&hash, (uint64_t)from);
        mix(&hash, (uint64_t)to);
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* Equal ends: a list that reads the same backwards. */
static void palindrome(sonde *t)
{
    uint64_t hash = 0;
    int xs[12], n = 0;
    sonde_list list = sonde_list_of(t, "word", 0, 12);
    for (; sonde_more(&list); n++) mix(&hash, (uint64_t)(xs[n] = sonde_int(t, "letter", 0, 25)));
    bool ok = true;
    for (int i = 0; i < n / 2; i++) ok &= xs[i] == xs[n - 1 - i];
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* A chain of assumes, each of which alone is rare: no input is valid by luck. */
static void chain(sonde *t)
{
    uint64_t hash = 0;
    int xs[12];
    for (int i = 0; i < 12; i++) {
        xs[i] = sonde_int(t, "x", 0, 9);
        mix(&hash, (uint64_t)xs[i]);
    }
    sonde_characteristic(t, hash);
    for (int i = 0; i < 12; i++) sonde_assume(t, xs[i] >= 5 && (i == 0 || xs[i] != xs[i - 1]));
}

/* Subsets drawn as lists: the same set comes in many orders, and counts once. */
static void sets(sonde *t)
{
    unsigned seen = 0;
    bool ok = true;
    sonde_list list = sonde_list_of(t, "set", 0, 8);
    while (sonde_more(&list)) {
        int x = sonde_int(t, "x", 0, 23);
        ok &= !(seen >> x & 1);
        seen |= 1u << x;
    }
    sonde_characteristic(t, seen);
    sonde_assume(t, ok);
}

/* Search trees with colors and values: keys in order, a red node has black children, every path has as many black nodes. */
struct colored {
    int height; /* in black nodes; -1: not well formed */
    int least, most;
};

static struct colored draw_colored(sonde *t, bool parent_is_red, int depth, uint64_t *hash)
{
    sonde_span(t, "node");
    int key = sonde_int(t, "key", 0, 15);
    bool is_red = sonde_bool(t, "red");
    struct colored own = {.least = key, .most = key}, left = {0}, right = {0};
    mix(hash, (uint64_t)(key * 16 + sonde_int(t, "value", 0, 7) * 2 + is_red));
    if (depth < 5 && sonde_bool(t, "left")) {
        left = draw_colored(t, is_red, depth + 1, hash);
        if (left.most >= key) left.height = -1;
        own.least = left.least;
    }
    mix(hash, 999);
    if (depth < 5 && sonde_bool(t, "right")) {
        right = draw_colored(t, is_red, depth + 1, hash);
        if (right.least <= key) right.height = -1;
        own.most = right.most;
    }
    mix(hash, 998);
    bool ok = left.height == right.height && left.height >= 0 && !(is_red && parent_is_red);
    own.height = ok ? left.height + !is_red : -1;
    return own;
}

static void redblack_keys(sonde *t)
{
    uint64_t hash = 0;
    struct colored root = draw_colored(t, false, 0, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, root.height >= 0);
}

/* Terms of the simply typed lambda calculus: constants, variables by the number of binders between, abstractions over
 * truth values or functions on them, applications. Types are numbered as they are met: 1 is the type of truth
 * values. */
enum { TERM_TYPES = 64, TERM_LEVELS = 4 };

struct typing {
    struct {
        int from, to;
    } arrows[TERM_TYPES];
    int n_types; /* numbers 0 (none) and 1 are not arrows */
    int scope[TERM_LEVELS + 1], n_scope;
    uint64_t hash;
};

static int arrow(struct typing *x, int from, int to)
{
    for (int i = 2; i < x->n_types; i++)
        if (x->arrows[i].from == from && x->arrows[i].to == to) return i;
    if (!from || !to || x->n_types == TERM_TYPES) return 0;
    x->arrows[x->n_types].from = from;
    x->arrows[x->n_types].to = to;
    return x->n_types++;
}

/* The type of the term; 0 if it has none. */
static int draw_term(sonde *t, struct typing *x, int level)
{
    sonde_span(t, "term");
    size_t kind = sonde_pick(t, "kind", level < TERM_LEVELS ? 4 : 2);
    mix(&x->hash, kind);
    if (kind == 0) {
        mix(&x->hash, sonde_bool(t, "constant"));
        return 1;
    }
    if (kind == 1) {
        int binder = sonde_int(t, "variable", 0, 3);
        mix(&x->hash, (uint64_t)binder);
        return binder < x->n_scope ? x->scope[x->n_scope - 1 - binder] : 0;
    }
    if (kind == 2) {
        bool is_function = sonde_bool(t, "of a function");
        mix(&x->hash, is_function);
        int from = is_function ? arrow(x, 1, 1) : 1;
        x->scope[x->n_scope++] = from;
        int to = draw_term(t, x, level + 1);
        x->n_scope--;
        return arrow(x, from, to);
    }
    int function = draw_term(t, x, level + 1), argument = draw_term(t, x, level + 1);
    return function >= 2 && x->arrows[function].from == argument ? x->arrows[function].to : 0;
}

static void terms(sonde *t)
{
    struct typing x = {.n_types = 2};
    int type = draw_term(t, &x, 0);
    sonde_characteristic(t, x.hash);
    sonde_assume(t, type != 0);
}

/* Instructions on a stack of numbers and truth values: each finds what it takes, and one truth value is left. */
static void instructions(sonde *t)
{
    static const struct {
        const char *takes, *leaves; /* the top last */
    } table[] = {{"", "n"}, {"", "b"}, {"nn", "n"}, {"nn", "b"}, {"b", "b"}, {"bb", "b"}, {"bnn", "n"}, {"n", "nn"}};
    uint64_t hash = 0;
    char stack[64] = "";
    size_t depth = 0;
    bool ok = true;
    sonde_list code = sonde_list_of(t, "code", 1, 16);
    while (sonde_more(&code)) {
        size_t op = sonde_pick(t, "op", sizeof table / sizeof *table);
        mix(&hash, op);
        if (op == 0) mix(&hash, (uint64_t)sonde_int(t, "number", 0, 9));
        if (op == 1) mix(&hash, sonde_bool(t, "truth"));
        size_t n = strlen(table[op].takes);
        ok = ok && depth >= n && memcmp(stack + depth - n, table[op].takes, n) == 0;
        if (!ok) continue;
        depth -= n;
        for (const char *c = table[op].leaves; *c; c++) stack[depth++] = *c;
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok && depth == 1 && stack[0] == 'b');
}

/* Calls with handles: what is read, written or closed is open, files are numbered as they are opened, and at the end all are
 * closed. */
static void handles(sonde *t)
{
    uint64_t hash = 0;
    unsigned open = 0;
    int n_opened = 0;
    bool ok = true;
    sonde_list calls = sonde_list_of(t, "calls", 1, 16);
    while (sonde_more(&calls)) {
        size_t call = sonde_pick(t, "call", 4);
        mix(&hash, call);
        if (call == 0) {
            mix(&hash, sonde_bool(t, "for writing"));
            ok &= n_opened < 8;
            open |= 1u << (n_opened++ & 7);
            continue;
        }
        int handle = sonde_int(t, "handle", 0, 7);
        mix(&hash, (uint64_t)handle);
        ok &= (open >> handle & 1) != 0;
        if (call == 1) open &= ~(1u << handle);
        if (call == 2) mix(&hash, (uint64_t)sonde_int(t, "byte", 0, 99));
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok && !open);
}

/* ---- Attributes that are drawn before what they describe, and paths that meet */

/* AVL trees without keys, each node with its balance first. Returns the height; -1: a balance is wrong. */
static int draw_avl(sonde *t, int level, uint64_t *hash)
{
    sonde_span(t, "avl");
    bool is_node = level <= 5 && sonde_bool(t, "node");
    mix(hash, is_node);
    if (!is_node) return 0;
    int balance = sonde_int(t, "balance", -1, 1);
    mix(hash, (uint64_t)(balance + 1));
    int left = draw_avl(t, level + 1, hash), right = draw_avl(t, level + 1, hash);
    if (left < 0 || right < 0 || right - left != balance) return -1;
    return 1 + (left > right ? left : right);
}

static void avl(sonde *t)
{
    uint64_t hash = 0;
    int height = draw_avl(t, 0, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, height > 0);
}

/* 2-3 trees with keys in order: all leaves at one level. Keys are above `*last`, which becomes the largest one. Returns
 * the height; -1: it is not such a tree. */
static int draw_two_three(sonde *t, int level, int *last, uint64_t *hash)
{
    sonde_span(t, "tree");
    size_t n_keys = level > 3 ? 0 : sonde_pick(t, "keys", 3);
    mix(hash, n_keys);
    if (n_keys == 0) return 0;
    int height = draw_two_three(t, level + 1, last, hash);
    bool ok = height >= 0;
    for (size_t i = 0; i < n_keys; i++) {
        int key = sonde_int(t, "key", 0, 99);
        mix(hash, (uint64_t)key);
        ok &= *last < key;
        *last = key;
        ok &= draw_two_three(t, level + 1, last, hash) == height;
    }
    return ok ? height + 1 : -1;
}

static void two_three(sonde *t)
{
    uint64_t hash = 0;
    int last = -1, height = draw_two_three(t, 0, &last, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, height > 0);
}

/* Graphs without cycles in topological order: one or two edges enter each node but the first, at most three leave it,
 * and no edge is there twice. */
static void dag(sonde *t)
{
    uint64_t hash = 0;
    int n = sonde_int(t, "nodes", 3, 9), in[10] = {0}, out[10] = {0};
    bool ok = true, has[10][10] = {{false}};
    mix(&hash, (uint64_t)n);
    sonde_list edges = sonde_list_of(t, "edges", 2, 14);
    while (sonde_more(&edges)) {
        int from = sonde_int(t, "from", 0, 9), to = sonde_int(t, "to", 0, 9);
        ok &= from < to && to < n && !has[from][to];
        has[from][to] = true;
        in[to]++;
        out[from]++;
        mix(&hash, (uint64_t)(from * 10 + to));
    }
    for (int i = 1; i < n; i++) ok &= in[i] >= 1 && in[i] <= 2;
    for (int i = 0; i < n; i++) ok &= out[i] <= 3;
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* Bytecode with forward jumps: where paths meet, the stack has the same depth on each, and at the end it is 1. */
static void joins(sonde *t)
{
    enum { PUSH, POP, ADD, DUP, JUMP_IF, OPS, LONGEST = 14 };
    static const int needs[OPS] = {0, 1, 2, 1, 1}, leaves[OPS] = {1, 0, 1, 2, 0};
    uint64_t hash = 0;
    int depth = 0, at = 0, expected[LONGEST + 8];
    bool ok = true;
    for (int i = 0; i < LONGEST + 8; i++) expected[i] = -1;
    sonde_list code = sonde_list_of(t, "code", 1, LONGEST);
    for (; sonde_more(&code); at++) {
        ok &= expected[at] < 0 || expected[at] == depth;
        size_t op = sonde_pick(t, "op", OPS);
        mix(&hash, op);
        ok &= depth >= needs[op];
        depth += leaves[op] - needs[op];
        if (op == PUSH) mix(&hash, (uint64_t)sonde_int(t, "constant", 0, 3));
        if (op != JUMP_IF) continue;
        int over = sonde_int(t, "over", 1, 6);
        mix(&hash, (uint64_t)over);
        ok &= expected[at + 1 + over] < 0 || expected[at + 1 + over] == depth;
        expected[at + 1 + over] = depth;
    }
    ok &= expected[at] < 0 || expected[at] == depth;
    for (int i = at + 1; i < LONGEST + 8; i++) ok &= expected[i] < 0; /* a jump behind the end */
    sonde_characteristic(t, hash);
    sonde_assume(t, ok && depth == 1);
}

/* Messages in chunks: the length comes first, chunks are numbered, and the last one says that it is the last. */
static void chunks(sonde *t)
{
    uint64_t hash = 0;
    bool ok = true;
    sonde_list messages = sonde_list_of(t, "messages", 1, 3);
    while (sonde_more(&messages)) {
        int length = sonde_int(t, "length", 1, 60), sum = 0, number = 0;
        bool is_last = false;
        mix(&hash, (uint64_t)length);
        sonde_list list = sonde_list_of(t, "chunks", 1, 6);
        for (; sonde_more(&list); number++) {
            int given = sonde_int(t, "number", 0, 7), size = sonde_int(t, "size", 1, 15);
            ok &= !is_last && given == number;
            is_last = sonde_bool(t, "last");
            sum += size;
            mix(&hash, (uint64_t)((given * 16 + size) * 2 + is_last));
        }
        mix(&hash, 77);
        ok &= is_last && sum == length;
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* B-trees of order 4: up to three keys in a node, in order, and all leaves at one level; a node says first whether it
 * is a leaf. Returns the height; -1: it is not such a tree. */
static int draw_btree(sonde *t, int level, int *last, uint64_t *hash)
{
    sonde_span(t, "btree");
    bool is_leaf = level == 3 || sonde_bool(t, "leaf");
    int n = sonde_int(t, "keys", 1, 3), height = 0;
    bool ok = true;
    mix(hash, (uint64_t)(2 * n + is_leaf));
    if (!is_leaf) height = draw_btree(t, level + 1, last, hash);
    ok &= height >= 0;
    for (int i = 0; i < n; i++) {
        int key = sonde_int(t, "key", 0, 199);
        mix(hash, (uint64_t)key);
        ok &= *last < key;
        *last = key;
        if (!is_leaf) ok &= draw_btree(t, level + 1, last, hash) == height;
    }
    return ok ? height + 1 : -1;
}

static void btree(sonde *t)
{
    uint64_t hash = 0;
    int last = -1, height = draw_btree(t, 0, &last, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, height > 0);
}

/* Tables of codes of up to five bits: no code begins another one, and together they leave no gap. */
static void prefix_code(sonde *t)
{
    uint64_t hash = 0;
    uint32_t taken = 0; /* a bit for each string of five bits */
    bool ok = true;
    sonde_list codes = sonde_list_of(t, "codes", 2, 12);
    while (sonde_more(&codes)) {
        int length = sonde_int(t, "length", 1, 5), code = sonde_int(t, "code", 0, 31);
        uint32_t width = 32u >> length;
        mix(&hash, (uint64_t)(code * 8 + length));
        ok &= code < 1 << length;
        uint32_t covers =
            code < 1 << length ? (width == 32 ? ~0u : ((1u << width) - 1) << ((unsigned)code * width)) : 0;
        ok &= !(taken & covers);
        taken |= covers;
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok && taken == ~0u);
}

/* Schedules: a task starts when the task it waits for has ended, and tasks of one machine do not overlap. */
static void schedule(sonde *t)
{
    enum { TASKS = 8 };
    uint64_t hash = 0;
    int start[TASKS], end[TASKS], machine[TASKS], n = 0;
    bool ok = true;
    sonde_list tasks = sonde_list_of(t, "tasks", 2, TASKS);
    for (; sonde_more(&tasks); n++) {
        machine[n] = (int)sonde_pick(t, "machine", 2);
        int waits_for = sonde_int(t, "waits for", 0, TASKS);
        start[n] = sonde_int(t, "start", 0, 40);
        end[n] = start[n] + sonde_int(t, "time", 1, 6);
        ok &= waits_for <= n && (waits_for == 0 || start[n] >= end[waits_for - 1]);
        for (int i = 0; i < n; i++) ok &= machine[i] != machine[n] || end[i] <= start[n] || end[n] <= start[i];
        mix(&hash, (uint64_t)(((machine[n] * 16 + waits_for) * 64 + start[n]) * 64 + end[n]));
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* Elements of a type, a length and a value that many bytes long, after a length of all of them, headers included. */
static void tlv(sonde *t)
{
    uint64_t hash = 0;
    int total = sonde_int(t, "total", 2, 60), used = 0;
    bool ok = true;
    mix(&hash, (uint64_t)total);
    sonde_list elements = sonde_list_of(t, "elements", 1, 6);
    while (sonde_more(&elements)) {
        int type = sonde_int(t, "type", 0, 3), length = sonde_int(t, "length", 0, 12), n = 0;
        mix(&hash, (uint64_t)(length * 4 + type));
        sonde_list value = sonde_list_of(t, "value", 0, 12);
        for (; sonde_more(&value); n++) mix(&hash, (uint64_t)sonde_int(t, "byte", 0, 255));
        ok &= n == length;
        used += 2 + n;
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok && used == total);
}

/* Ropes: an inner node stores the length of its left part, a leaf has one to four characters. Returns the length; -1: a
 * weight is wrong. */
static int draw_rope(sonde *t, int level, uint64_t *hash)
{
    sonde_span(t, "rope");
    bool is_leaf = level == 4 || sonde_bool(t, "leaf");
    mix(hash, is_leaf);
    if (is_leaf) {
        int n = sonde_int(t, "characters", 1, 4);
        mix(hash, (uint64_t)n);
        return n;
    }
    int weight = sonde_int(t, "weight", 1, 40);
    mix(hash, (uint64_t)weight);
    int left = draw_rope(t, level + 1, hash), right = draw_rope(t, level + 1, hash);
    return left == weight && right >= 0 ? left + right : -1;
}

static void rope(sonde *t)
{
    uint64_t hash = 0;
    int length = draw_rope(t, 0, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, length >= 0);
}

/* Lists of numbers, each with the sum of all up to it. */
static void prefix_sums(sonde *t)
{
    uint64_t hash = 0;
    int sum = 0;
    bool ok = true;
    sonde_list list = sonde_list_of(t, "list", 2, 10);
    while (sonde_more(&list)) {
        int x = sonde_int(t, "x", 0, 9), up_to = sonde_int(t, "up to", 0, 90);
        sum += x;
        ok &= up_to == sum;
        mix(&hash, (uint64_t)(up_to * 10 + x));
    }
    sonde_characteristic(t, hash);
    sonde_assume(t, ok);
}

/* Leftist heaps without keys: each node stores its rank, the number of nodes on the path to the nearest gap, which is
 * on the right. Returns the rank; -1: it is not such a heap. */
static int draw_leftist(sonde *t, int level, uint64_t *hash)
{
    sonde_span(t, "leftist");
    bool is_node = level <= 5 && sonde_bool(t, "node");
    mix(hash, is_node);
    if (!is_node) return 0;
    int rank = sonde_int(t, "rank", 1, 4);
    mix(hash, (uint64_t)rank);
    int left = draw_leftist(t, level + 1, hash), right = draw_leftist(t, level + 1, hash);
    return left < right || right < 0 || rank != right + 1 ? -1 : rank;
}

static void leftist(sonde *t)
{
    uint64_t hash = 0;
    int rank = draw_leftist(t, 0, &hash);
    sonde_characteristic(t, hash);
    sonde_assume(t, rank > 0);
}

/* ---- Six digits, the first less than the last: cheap and of 10^9 values, for runs of 10^8 */

static void ends(sonde *t)
{
    int digits[6];
    for (int i = 0; i < 6; i++) digits[i] = sonde_int(t, "digit", 0, 31);
    sonde_assume(t, digits[0] < digits[5]);
}

const struct learn_subject learn_with_states[] = {{"bst-states", learn_bst_states},
                                                  {"xml-states", xml_states},
                                                  {"expr-states", expr_states},
                                                  {NULL, NULL}};

const struct learn_subject learn_subjects[] = {
    {"bst", learn_bst},       {"sorted", sorted},
    {"paren", paren},         {"xml", xml},
    {"expr", expr},           {"distinct", distinct},
    {"redblack", redblack},   {"lengths", lengths},
    {"flagged", flagged},     {"dates", dates},
    {"graph", graph},         {"sums", sums},
    {"machine", machine},     {"heap", heap},
    {"intervals", intervals}, {"palindrome", palindrome},
    {"chain", chain},         {"sets", sets},
    {"ends", ends},           {"redblack-keys", redblack_keys},
    {"terms", terms},         {"instructions", instructions},
    {"handles", handles},     {"avl", avl},
    {"two-three", two_three}, {"dag", dag},
    {"joins", joins},         {"chunks", chunks},
    {"btree", btree},         {"prefix-code", prefix_code},
    {"schedule", schedule},   {"tlv", tlv},
    {"rope", rope},           {"prefix-sums", prefix_sums},
    {"leftist", leftist},     {NULL, NULL},
};

/* ---- Planted bugs */

static void planted_number(sonde *t)
{
    sonde_check(t, sonde_int(t, "x", 0, 200) != 77);
}

static void planted_pair(sonde *t)
{
    int a = sonde_int(t, "a", 0, 15), b = sonde_int(t, "b", 0, 15);
    sonde_check(t, a + b != 29);
}

static void planted_list(sonde *t)
{
    int n = 0, sevens = 0;
    sonde_list xs = sonde_list_of(t, "xs", 0, 10);
    for (; sonde_more(&xs); n++) sevens += sonde_int(t, "x", 0, 9) == 7;
    sonde_check(t, n < 8 || sevens != 3);
}

/* Here one in ten cases is discarded, so there is something to learn. */
static void planted_behind_an_assume(sonde *t)
{
    int a = sonde_int(t, "a", 0, 9), b = sonde_int(t, "b", 0, 9), c = sonde_int(t, "c", 0, 9);
    sonde_assume(t, a != b);
    sonde_check(t, !(a == 7 && c == 3));
}

const struct learn_subject learn_planted[] = {
    {"number", planted_number},
    {"pair", planted_pair},
    {"list", planted_list},
    {"behind-assume", planted_behind_an_assume},
    {NULL, NULL},
};
