/* Types with a generator by hand and a derived one, for bench/derive/compare: search trees (bench/lib/tree.h),
 * arithmetic terms, and a flat record with a string and a list. Each has a property with a planted fault, to count
 * tests to failure, and one that holds, to measure what a draw costs. By hand is written as the examples do it, with
 * the same labels. */
#include <sonde.h>
#include <sonde/derive.h>
#include <stdlib.h>
#include <string.h>

static unsigned long n_records; /* that were drawn, for the cost of one */

static void report_records(void)
{
    if (getenv("RECORDS")) fprintf(stderr, "records %lu\n", n_records);
}

__attribute__((constructor)) static void begin(void)
{
    atexit(report_records);
}

/* ---- Trees: an insert that goes wrong for equal values, below the root. */

struct tree {
    int value SONDE_RANGE(0, 10);
    struct tree *left SONDE_NULLABLE, *right SONDE_NULLABLE;
};
SONDE_DERIVE(struct tree, tree);

static struct tree *tree_by_hand(sonde *t, int levels)
{
    sonde_span(t, "tree");
    struct tree *n = sonde_new(t, struct tree);
    n->value = sonde_int(t, "value", 0, 10);
    if (levels > 0 && sonde_bool(t, "left")) n->left = tree_by_hand(t, levels - 1);
    if (levels > 0 && sonde_bool(t, "right")) n->right = tree_by_hand(t, levels - 1);
    return n;
}

static unsigned long tree_size(const struct tree *n)
{
    return n ? 1 + tree_size(n->left) + tree_size(n->right) : 0;
}

static bool is_ordered(const struct tree *n, int lo, int hi)
{
    return !n
           || (lo < n->value && n->value < hi && is_ordered(n->left, lo, n->value)
               && is_ordered(n->right, n->value, hi));
}

static struct tree *insert(struct tree *root, struct tree *leaf, int depth)
{
    if (!root) return leaf;
    if (leaf->value == root->value && depth == 0) return root;
    if (leaf->value < root->value) root->left = insert(root->left, leaf, depth + 1);
    else root->right = insert(root->right, leaf, depth + 1);
    return root;
}

static void check_tree(sonde *t, struct tree *root)
{
    struct tree *leaf = sonde_new(t, struct tree);
    leaf->value = sonde_int(t, "x", 0, 10);
    sonde_assume(t, is_ordered(root, -1, 11));
    sonde_check(t, is_ordered(insert(root, leaf, 0), -1, 11));
}

SONDE_PROPERTY(tree_hand)
{
    check_tree(t, tree_by_hand(t, 4));
}
SONDE_PROPERTY(tree_derived)
{
    check_tree(t, draw_tree(t, "root"));
}
SONDE_PROPERTY(cost_tree_hand)
{
    n_records += tree_size(tree_by_hand(t, 4));
}
SONDE_PROPERTY(cost_tree_derived)
{
    n_records += tree_size(draw_tree(t, "root"));
}

/* ---- Terms: a simplification that forgets that a product may be negative. */

enum kind { NUMBER, NEGATE, ADD, MULTIPLY };
struct term {
    enum kind kind;
    union {
        int number SONDE_RANGE(-9, 9);
        struct term *operand SONDE_NONNULL;
        struct {
            struct term *a SONDE_NONNULL, *b SONDE_NONNULL;
        } two;
    } as SONDE_TAG(kind, NUMBER : number, NEGATE : operand, ADD : two, MULTIPLY : two);
};
SONDE_DERIVE(struct term, term);

static struct term *term_by_hand(sonde *t, int levels)
{
    sonde_span(t, "term");
    struct term *n = sonde_new(t, struct term);
    n->kind = levels > 0 ? (enum kind)sonde_enum(t, "kind", NUMBER, NEGATE, ADD, MULTIPLY) : NUMBER;
    if (n->kind == NUMBER) n->as.number = sonde_int(t, "number", -9, 9);
    else if (n->kind == NEGATE) n->as.operand = term_by_hand(t, levels - 1);
    else {
        n->as.two.a = term_by_hand(t, levels - 1);
        n->as.two.b = term_by_hand(t, levels - 1);
    }
    return n;
}

static unsigned long term_size(const struct term *n)
{
    if (n->kind == NUMBER) return 1;
    if (n->kind == NEGATE) return 1 + term_size(n->as.operand);
    return 1 + term_size(n->as.two.a) + term_size(n->as.two.b);
}

static unsigned value_of(const struct term *n, bool is_wrong)
{
    if (n->kind == NUMBER) return (unsigned)n->as.number;
    if (n->kind == NEGATE) return -value_of(n->as.operand, is_wrong);
    unsigned a = value_of(n->as.two.a, is_wrong), b = value_of(n->as.two.b, is_wrong);
    if (n->kind == ADD) return a + b;
    bool goes_wrong = is_wrong && n->as.two.a->kind == MULTIPLY && n->as.two.b->kind == NEGATE && b != 0;
    return goes_wrong ? a * -b : a * b;
}

static void check_term(sonde *t, const struct term *n)
{
    sonde_check_eq(t, value_of(n, true), value_of(n, false));
}

SONDE_PROPERTY(term_hand)
{
    check_term(t, term_by_hand(t, 5));
}
SONDE_PROPERTY(term_derived)
{
    check_term(t, draw_term(t, "term"));
}
SONDE_PROPERTY(cost_term_hand)
{
    n_records += term_size(term_by_hand(t, 5));
}
SONDE_PROPERTY(cost_term_derived)
{
    n_records += term_size(draw_term(t, "term"));
}

/* ---- A record: a total that overflows for many lines of large price. */

struct line {
    uint8_t amount;
    uint16_t price;
};
struct order {
    uint32_t id;
    bool is_paid;
    char *name SONDE_TEXT(0, 20);
    size_t n_lines;
    struct line *lines SONDE_COUNT(n_lines, 0, 8);
};
SONDE_DERIVE(struct order, order);

static struct order *order_by_hand(sonde *t)
{
    sonde_span(t, "order");
    struct order *o = sonde_new(t, struct order);
    o->id = sonde_u32(t, "id", 0, UINT32_MAX);
    o->is_paid = sonde_bool(t, "is_paid");
    o->name = sonde_string(t, "name", 0, 20);
    sonde_list list = sonde_list_of(t, "lines", 0, 8);
    o->lines = sonde_alloc(t, list.n * sizeof *o->lines);
    o->n_lines = list.n;
    while (sonde_more(&list)) {
        sonde_span(t, "line");
        o->lines[list.i].amount = sonde_u8(t, "amount", 0, UINT8_MAX);
        o->lines[list.i].price = sonde_u16(t, "price", 0, UINT16_MAX);
    }
    return o;
}

static void check_order(sonde *t, const struct order *o)
{
    uint64_t right = 0;
    uint32_t total = 0;
    for (size_t i = 0; i < o->n_lines; i++) {
        right += (uint64_t)o->lines[i].amount * o->lines[i].price;
        total = (total + (uint32_t)o->lines[i].amount * o->lines[i].price) & 0x1ffffff;
    }
    sonde_check_eq(t, total, right);
}

SONDE_PROPERTY(order_hand)
{
    check_order(t, order_by_hand(t));
}
SONDE_PROPERTY(order_derived)
{
    check_order(t, draw_order(t, "order"));
}
SONDE_PROPERTY(cost_order_hand)
{
    n_records += 1 + order_by_hand(t)->n_lines;
}
SONDE_PROPERTY(cost_order_derived)
{
    n_records += 1 + draw_order(t, "order")->n_lines;
}

SONDE_MAIN()
