/* See subjects.h. Each subject stands alone: the code under test, a model where it needs one, rules, a property. */
#include "machines/subjects.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define PROPERTY(name, world, ...)                                                                                     \
    static void name(sonde *t)                                                                                         \
    {                                                                                                                  \
        static const sonde_rule rules[] = {__VA_ARGS__};                                                               \
        static const sonde_machine machine = {.rules = rules, .n_rules = COUNT(rules), .size = sizeof(struct world)};  \
        sonde_drive(t, "calls", &machine);                                                                             \
    }

/* ---- A table of handles with generations, which count to three: a handle closed three times ago is taken for an open one. */

enum { HANDLES = 4, GENERATIONS = 3 };

struct handles {
    struct {
        bool is_open;
        unsigned generation;
    } slots[HANDLES];
    sonde_pool open, closed;
};

static void *handle_of(const struct handles *h, size_t slot)
{
    return (void *)(uintptr_t)(1 + slot + h->slots[slot].generation * HANDLES);
}

static bool handle_is_valid(const struct handles *h, const void *handle)
{
    size_t slot = ((uintptr_t)handle - 1) % HANDLES;
    return h->slots[slot].is_open && handle_of(h, slot) == handle;
}

static bool handles_left(const void *world)
{
    return ((const struct handles *)world)->open.n < HANDLES;
}

static bool some_open(const void *world)
{
    return ((const struct handles *)world)->open.n > 0;
}

static bool some_closed(const void *world)
{
    return ((const struct handles *)world)->closed.n > 0;
}

static void open_handle(sonde *t, void *world)
{
    struct handles *h = world;
    size_t slot = 0;
    while (h->slots[slot].is_open) slot++;
    h->slots[slot].is_open = true;
    h->slots[slot].generation = (h->slots[slot].generation + 1) % GENERATIONS;
    sonde_pool_add(t, &h->open, handle_of(h, slot));
}

static void close_handle(sonde *t, void *world)
{
    struct handles *h = world;
    void *handle = sonde_pool_take(t, "handle", &h->open);
    h->slots[((uintptr_t)handle - 1) % HANDLES].is_open = false;
    sonde_pool_add(t, &h->closed, handle);
}

static void use_open(sonde *t, void *world)
{
    struct handles *h = world;
    sonde_check(t, handle_is_valid(h, sonde_pool_pick(t, "handle", &h->open)));
}

static void use_closed(sonde *t, void *world)
{
    struct handles *h = world;
    sonde_check(t, !handle_is_valid(h, sonde_pool_pick(t, "handle", &h->closed)));
}

PROPERTY(handle_table, handles, SONDE_RULE(open_handle, .when = handles_left),
         SONDE_RULE(close_handle, .when = some_open), SONDE_RULE(use_open, .when = some_open),
         SONDE_RULE(use_closed, .when = some_closed))

/* ---- A bounded queue in a ring: head and tail alone cannot say whether it is full or empty. */

enum { RING = 6 };

struct queue {
    int ring[RING];
    unsigned head, tail;
    int model[RING];
    unsigned n;
};

static bool queue_has_room(const void *world)
{
    return ((const struct queue *)world)->n < RING;
}

static void enqueue(sonde *t, void *world)
{
    struct queue *q = world;
    int value = sonde_int(t, "value", 0, 99);
    q->ring[q->tail] = value;
    q->tail = (q->tail + 1) % RING;
    q->model[q->n++] = value;
}

static void dequeue(sonde *t, void *world)
{
    struct queue *q = world;
    bool is_empty = q->head == q->tail; /* or full */
    sonde_check_eq(t, is_empty, q->n == 0);
    if (is_empty) return;
    sonde_check_eq(t, q->ring[q->head], q->model[0]);
    q->head = (q->head + 1) % RING;
    memmove(q->model, q->model + 1, --q->n * sizeof *q->model);
}

PROPERTY(bounded_queue, queue, SONDE_RULE(enqueue, .when = queue_has_room), SONDE_RULE(dequeue))

/* ---- A cache that forgets what was used least recently. A put of a key that is there makes room for it first. */

enum { CACHE = 3, CACHE_KEYS = 10 };

struct cache {
    struct entry {
        int key, value;
    } entries[CACHE], model[CACHE]; /* the newest first */
    int n, n_model;
};

static int find_entry(const struct entry *entries, int n, int key)
{
    int i = 0;
    while (i < n && entries[i].key != key) i++;
    return i;
}

static void move_to_front(struct entry *entries, int i, struct entry entry)
{
    memmove(entries + 1, entries, (size_t)i * sizeof *entries);
    entries[0] = entry;
}

static void cache_put(struct cache *c, struct entry entry)
{
    if (c->n == CACHE) c->n--; /* too early: the key may be there */
    int i = find_entry(c->entries, c->n, entry.key);
    if (i == c->n) c->n++;
    move_to_front(c->entries, i, entry);
}

static void model_put(struct cache *c, struct entry entry)
{
    int i = find_entry(c->model, c->n_model, entry.key);
    if (i == c->n_model && c->n_model < CACHE) c->n_model++;
    move_to_front(c->model, i < CACHE ? i : CACHE - 1, entry);
}

static void put(sonde *t, void *world)
{
    struct entry entry;
    entry.key = sonde_int(t, "key", 0, CACHE_KEYS - 1);
    entry.value = sonde_int(t, "value", 0, 9);
    cache_put(world, entry);
    model_put(world, entry);
}

static void get(sonde *t, void *world)
{
    struct cache *c = world;
    int key = sonde_int(t, "key", 0, CACHE_KEYS - 1);
    int i = find_entry(c->entries, c->n, key), m = find_entry(c->model, c->n_model, key);
    sonde_check_eq(t, i < c->n, m < c->n_model);
    if (i == c->n) return;
    sonde_check_eq(t, c->entries[i].value, c->model[m].value);
    move_to_front(c->entries, i, c->entries[i]);
    move_to_front(c->model, m, c->model[m]);
}

PROPERTY(lru, cache, SONDE_RULE(put), SONDE_RULE(get))

/* ---- An allocator, first fit. A freed block joins a free neighbour: the one after it or the one before, never
 * both. */

enum { UNITS = 16 };

struct allocator {
    struct block {
        int start, size;
        bool is_used;
    } blocks[UNITS];
    int n;
    bool taken[UNITS]; /* the model */
    sonde_pool in_use; /* starts, plus one */
};

static void start_allocator(struct allocator *a)
{
    if (a->n == 0) a->blocks[a->n++] = (struct block){0, UNITS, false};
}

static void remove_block(struct allocator *a, int i)
{
    a->n--;
    memmove(a->blocks + i, a->blocks + i + 1, (size_t)(a->n - i) * sizeof *a->blocks);
}

static int take_units(struct allocator *a, int size)
{
    for (int i = 0; i < a->n; i++) {
        struct block *b = &a->blocks[i];
        if (b->is_used || b->size < size) continue;
        if (b->size > size) {
            memmove(b + 1, b, (size_t)(a->n++ - i) * sizeof *b);
            b[1].start += size;
            b[1].size -= size;
        }
        *b = (struct block){b->start, size, true};
        return b->start;
    }
    return -1;
}

static int give_units(struct allocator *a, int start)
{
    int i = 0;
    while (a->blocks[i].start != start) i++;
    struct block *b = &a->blocks[i];
    int size = b->size;
    b->is_used = false;
    if (i + 1 < a->n && !b[1].is_used) {
        b->size += b[1].size;
        remove_block(a, i + 1);
    } else if (i > 0 && !b[-1].is_used) { /* the bug: "else" */
        b[-1].size += b->size;
        remove_block(a, i);
    }
    return size;
}

/* Where so many units are free in a row; -1: nowhere. */
static int find_gap(const bool *taken, int size)
{
    for (int start = 0, run = 0; start < UNITS; start++) {
        run = taken[start] ? 0 : run + 1;
        if (run == size) return start + 1 - size;
    }
    return -1;
}

static bool some_in_use(const void *world)
{
    return ((const struct allocator *)world)->in_use.n > 0;
}

static void allocate(sonde *t, void *world)
{
    struct allocator *a = world;
    int size = sonde_int(t, "size", 1, UNITS);
    start_allocator(a);
    int start = take_units(a, size);
    sonde_check_eq(t, start >= 0, find_gap(a->taken, size) >= 0);
    if (start < 0) return;
    for (int i = start; i < start + size; i++) a->taken[i] = true;
    sonde_pool_add(t, &a->in_use, (void *)(intptr_t)(start + 1));
}

static void release(sonde *t, void *world)
{
    struct allocator *a = world;
    int start = (int)(intptr_t)sonde_pool_take(t, "block", &a->in_use) - 1;
    int size = give_units(a, start);
    for (int i = start; i < start + size; i++) a->taken[i] = false;
}

PROPERTY(allocator, allocator, SONDE_RULE(allocate), SONDE_RULE(release, .when = some_in_use))

/* ---- A B-tree of two levels. A leaf that became too small borrows from its right neighbour, and the key between the two
 * stays what it was. */

enum { LEAF = 4, LEAST = 2, LEAVES = 16, TREE_KEYS = 24 };

struct btree {
    struct leaf {
        int keys[LEAF + 1], n;
    } leaves[LEAVES];
    int firsts[LEAVES]; /* leaf i has the keys from firsts[i] on; firsts[0] is not looked at */
    int n;
    bool model[TREE_KEYS];
};

static int leaf_of(const struct btree *b, int key)
{
    int i = b->n - 1;
    while (i > 0 && key < b->firsts[i]) i--;
    return i;
}

static int place_in(const struct leaf *leaf, int key)
{
    int i = 0;
    while (i < leaf->n && leaf->keys[i] < key) i++;
    return i;
}

static bool tree_has(const struct btree *b, int key)
{
    if (b->n == 0) return false;
    const struct leaf *leaf = &b->leaves[leaf_of(b, key)];
    int i = place_in(leaf, key);
    return i < leaf->n && leaf->keys[i] == key;
}

static void open_gap(struct btree *b, int at)
{
    memmove(b->leaves + at + 1, b->leaves + at, (size_t)(b->n - at) * sizeof *b->leaves);
    memmove(b->firsts + at + 1, b->firsts + at, (size_t)(b->n - at) * sizeof *b->firsts);
    b->n++;
}

static void close_gap(struct btree *b, int at)
{
    b->n--;
    memmove(b->leaves + at, b->leaves + at + 1, (size_t)(b->n - at) * sizeof *b->leaves);
    memmove(b->firsts + at, b->firsts + at + 1, (size_t)(b->n - at) * sizeof *b->firsts);
}

static void split_leaf(struct btree *b, int i)
{
    open_gap(b, i + 1);
    struct leaf *left = &b->leaves[i], *right = left + 1;
    right->n = left->n - LEAST;
    memcpy(right->keys, left->keys + LEAST, (size_t)right->n * sizeof *right->keys);
    left->n = LEAST;
    b->firsts[i + 1] = right->keys[0];
}

static void tree_insert(struct btree *b, int key)
{
    if (b->n == 0) b->leaves[b->n++].n = 0;
    int at = leaf_of(b, key);
    struct leaf *leaf = &b->leaves[at];
    int i = place_in(leaf, key);
    memmove(leaf->keys + i + 1, leaf->keys + i, (size_t)(leaf->n++ - i) * sizeof *leaf->keys);
    leaf->keys[i] = key;
    if (leaf->n > LEAF) split_leaf(b, at);
}

static void join_right(struct btree *b, int at)
{
    struct leaf *left = &b->leaves[at], *right = left + 1;
    if (left->n + right->n <= LEAF) {
        memcpy(left->keys + left->n, right->keys, (size_t)right->n * sizeof *right->keys);
        left->n += right->n;
        close_gap(b, at + 1);
        return;
    }
    left->keys[left->n++] = right->keys[0]; /* and firsts[at + 1] is the next one; forgotten */
    memmove(right->keys, right->keys + 1, (size_t)--right->n * sizeof *right->keys);
}

static void tree_remove(struct btree *b, int key)
{
    int at = leaf_of(b, key);
    struct leaf *leaf = &b->leaves[at];
    int i = place_in(leaf, key);
    memmove(leaf->keys + i, leaf->keys + i + 1, (size_t)(--leaf->n - i) * sizeof *leaf->keys);
    if (leaf->n < LEAST && at + 1 < b->n) join_right(b, at);
}

static int draw_key(sonde *t, const struct btree *b)
{
    int key = sonde_int(t, "key", 0, TREE_KEYS - 1);
    sonde_check_eq(t, tree_has(b, key), b->model[key]);
    return key;
}

static void insert(sonde *t, void *world)
{
    struct btree *b = world;
    int key = draw_key(t, b);
    if (!b->model[key]) tree_insert(b, key);
    b->model[key] = true;
}

static void erase(sonde *t, void *world)
{
    struct btree *b = world;
    int key = draw_key(t, b);
    if (b->model[key]) tree_remove(b, key);
    b->model[key] = false;
}

PROPERTY(btree, btree, SONDE_RULE(insert), SONDE_RULE(erase))

/* ---- A journal of transactions. A checkpoint empties the log, and with it what the open transaction wrote. */

enum { CELLS = 8, LOG = 256 };

struct journal {
    int disk[CELLS], memory[CELLS], model[CELLS], model_open[CELLS];
    struct {
        int cell, value; /* cell -1: a commit */
    } log[LOG];
    int n_log;
    bool is_open;
};

static bool is_open(const void *world)
{
    return ((const struct journal *)world)->is_open;
}

static bool is_not_open(const void *world)
{
    return !is_open(world);
}

static void begin(sonde *t, void *world)
{
    struct journal *j = world;
    (void)t;
    j->is_open = true;
}

static void write_cell(sonde *t, void *world)
{
    struct journal *j = world;
    int cell = sonde_int(t, "cell", 0, CELLS - 1), value = sonde_int(t, "value", 0, 9);
    j->memory[cell] = j->model_open[cell] = value;
    j->log[j->n_log].cell = cell;
    j->log[j->n_log++].value = value;
}

static void commit(sonde *t, void *world)
{
    struct journal *j = world;
    (void)t;
    j->log[j->n_log++].cell = -1;
    memcpy(j->model, j->model_open, sizeof j->model);
    j->is_open = false;
}

/* Writes committed entries to the disk. */
static void replay_log(struct journal *j)
{
    int from = 0;
    for (int i = 0; i < j->n_log; i++) {
        if (j->log[i].cell >= 0) continue;
        for (; from < i; from++)
            if (j->log[from].cell >= 0) j->disk[j->log[from].cell] = j->log[from].value;
    }
}

static void checkpoint(sonde *t, void *world)
{
    struct journal *j = world;
    (void)t;
    replay_log(j);
    j->n_log = 0; /* should keep what follows the last commit */
}

static void crash(sonde *t, void *world)
{
    struct journal *j = world;
    (void)t;
    replay_log(j);
    j->n_log = 0;
    j->is_open = false;
    memcpy(j->memory, j->disk, sizeof j->memory);
    memcpy(j->model_open, j->model, sizeof j->model_open);
}

static void read_cell(sonde *t, void *world)
{
    struct journal *j = world;
    int cell = sonde_int(t, "cell", 0, CELLS - 1);
    sonde_check_eq(t, j->memory[cell], j->model_open[cell]);
}

PROPERTY(journal, journal, SONDE_RULE(begin, .when = is_not_open), SONDE_RULE(write_cell, .when = is_open),
         SONDE_RULE(commit, .when = is_open), SONDE_RULE(checkpoint), SONDE_RULE(crash, .rare = true),
         SONDE_RULE(read_cell))

/* By hand: the calls that each bug needs, with the simplest arguments in the order of the rules. */
const struct machine_subject machine_subjects[] = {
    {"handles", handle_table,
     "calls[{rule=0} {rule=1 handle=0} {rule=0} {rule=1 handle=0} {rule=0} {rule=1 handle=0} {rule=0} {rule=3 handle=2}]"},
    {"queue", bounded_queue,
     "calls[{rule=0 value=0} {rule=0 value=0} {rule=0 value=0} {rule=0 value=0} {rule=0 value=0} {rule=0 value=0} {rule=1}]"},
    {"lru", lru,
     "calls[{rule=0 key=0 value=0} {rule=0 key=1 value=0} {rule=0 key=2 value=0} {rule=0 key=1 value=0} {rule=1 key=0}]"},
    {"allocator", allocator,
     "calls[{rule=0 size=1} {rule=0 size=1} {rule=1 block=1} {rule=1 block=0} {rule=0 size=16}]"},
    {"btree", btree,
     "calls[{rule=0 key=0} {rule=0 key=1} {rule=0 key=2} {rule=0 key=3} {rule=0 key=4} {rule=0 key=5} {rule=1 key=0} "
     "{rule=0 key=2}]"},
    {"journal", journal, "calls[{rule=0} {rule=1 cell=0 value=1} {rule=3} {rule=2} {rule=4} {rule=5 cell=0}]"},
    {"store", machine_store,
     "calls[{rule=0 key=0 value=1} {rule=0 key=0 value=1} {rule=1 dies=yes open=0 write=1} {rule=2 key=0}]"},
    {"power", machine_power,
     "calls[{rule=0 key=0 value=1} {rule=0 key=0 value=1} {rule=1 fails=yes open=0 write=0 rename=0 loses=2 length=0 "
     "block=1 names=0} {rule=2 key=0}]"},
    {NULL, NULL, NULL}};
