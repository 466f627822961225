/* See properties.h and bench/throughput.c. None of them fails. */
#include "throughput/properties.h"

#include "throughput/subjects.h"

#include <string.h>

static void tiny(sonde *t)
{
    int a = sonde_int(t, "a", -1000, 1000), b = sonde_int(t, "b", -1000, 1000), d = divisor(a, b);
    sonde_check(t, d == 0 ? a == 0 && b == 0 : a % d == 0 && b % d == 0);
}

/* A value that is printed can be read again and is the same. The last of the alphabet are bytes of wider characters. */
static void text(sonde *t)
{
    static const char alphabet[] = "01279-+.eE \"\\/abcdfnlrstu{}[]:,\n\xc3\xa9\xe2\x82\xac\xf0\x9f";
    static struct json_room first, second;
    static char printed[8 * JSON_BYTES];
    const char *s = sonde_string_of(t, "text", alphabet, 0, 60);
    const struct json *v = json_parse(&first, s, strlen(s)), *again;
    sonde_assume(t, v != NULL);
    size_t n = json_print(v, printed, sizeof printed);
    sonde_check(t, n <= sizeof printed);
    again = json_parse(&second, printed, n);
    sonde_check(t, again && json_equal(v, again));
}

/* ---- A tree beside a word with a bit for each key */

static uint64_t bit(int key)
{
    return UINT64_C(1) << key;
}

static uint64_t bits_upto(int key)
{
    return key == TREE_KEYS - 1 ? UINT64_MAX : bit(key + 1) - 1;
}

static uint64_t bits_from(int key)
{
    return ~(bit(key) - 1);
}

static void step(sonde *t, struct tree *tree, uint64_t *model)
{
    enum { INSERT, REMOVE, HAS, FLOOR, CEILING, RANGE, OPERATIONS };
    size_t operation = sonde_pick(t, "operation", OPERATIONS);
    int key = sonde_int(t, "key", 0, TREE_KEYS - 1);
    uint64_t below = *model & bits_upto(key), above = *model & bits_from(key);
    bool has = *model & bit(key);
    switch (operation) {
    case INSERT:
        sonde_check(t, tree_insert(tree, key) == !has);
        *model |= bit(key);
        break;
    case REMOVE:
        sonde_check(t, tree_remove(tree, key) == has);
        *model &= ~bit(key);
        break;
    case HAS: sonde_check(t, tree_has(tree, key) == has); break;
    case FLOOR: sonde_check(t, tree_floor(tree, key) == (below ? 63 - __builtin_clzll(below) : TREE_NONE)); break;
    case CEILING: sonde_check(t, tree_ceiling(tree, key) == (above ? __builtin_ctzll(above) : TREE_NONE)); break;
    default: {
        int last = sonde_int(t, "last", key, TREE_KEYS - 1);
        uint64_t gone = above & bits_upto(last);
        sonde_check(t, tree_remove_range(tree, key, last) == __builtin_popcountll(gone));
        *model &= ~gone;
    }
    }
}

static void operations(sonde *t)
{
    struct tree tree;
    uint64_t model = 0;
    tree_init(&tree);
    sonde_list steps = sonde_list_of(t, "steps", 0, 50);
    while (sonde_more(&steps)) step(t, &tree, &model);
    sonde_check(t, tree_is_sound(&tree));
}

const sonde_property throughput_properties[] = {{.name = "tiny", .run = tiny},
                                                {.name = "text", .run = text},
                                                {.name = "operations", .run = operations},
                                                {.name = NULL}};
