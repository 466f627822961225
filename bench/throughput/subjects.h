/* The code under test of the suite `throughput`, to be instrumented. It is right: no claim about it fails. */
#ifndef BENCH_THROUGHPUT_SUBJECTS_H
#define BENCH_THROUGHPUT_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The greatest common divisor, by Euclid; 0 of two zeros. */
int divisor(int a, int b);

/* ---- JSON (RFC 8259), without equal names in one object. */
enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    const char *text; /* of a number, as it was written; of a string, in UTF-8 */
    size_t n;
    struct json *name;  /* of a member */
    struct json *first; /* element or member */
    struct json *next;  /* one beside this */
};

enum { JSON_VALUES = 128, JSON_BYTES = 512 };

/* Room for one string. */
struct json_room {
    struct json values[JSON_VALUES];
    size_t n_values;
    char bytes[JSON_BYTES];
    size_t n_bytes;
};

/* NULL if it is not valid, or there is no room for it. */
const struct json *json_parse(struct json_room *room, const char *text, size_t n);
/* Returns how long the string is; it is not written where there is no room for it. */
size_t json_print(const struct json *value, char *out, size_t size);
bool json_equal(const struct json *a, const struct json *b);

/* ---- A set of small numbers as a balanced tree (AVL). A number is its own node. */
enum { TREE_KEYS = 64, TREE_NONE = -1 };

struct tree {
    int root;
    int8_t left[TREE_KEYS], right[TREE_KEYS], height[TREE_KEYS];
};

void tree_init(struct tree *tree);
/* False if it was there already. */
bool tree_insert(struct tree *tree, int key);
/* False if it was not there. */
bool tree_remove(struct tree *tree, int key);
bool tree_has(const struct tree *tree, int key);
/* The next key that is not larger, or not smaller; TREE_NONE if there is none. */
int tree_floor(const struct tree *tree, int key);
int tree_ceiling(const struct tree *tree, int key);
/* Removes all keys from `lo` to `hi`; how many there were. */
int tree_remove_range(struct tree *tree, int lo, int hi);
/* Ordered, balanced, and the heights are right. */
bool tree_is_sound(const struct tree *tree);

#endif
