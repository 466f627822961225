/* See learn_trie.h. All data are in one array of 8-byte cells, addressed by number:
 *
 *     node   one cell of header, then room for 1, 2, 4, ... 32 slots; a slot is a digit, its promise, and what follows
 *     tail   a header of 6 bytes, then two bytes for each digit: the digit and its promise
 *
 * A promise takes a byte: its square root in 255ths, which is finest where it matters, near 0. */
#include "guide/rl/learn_trie.h"

#include "base/check.h"
#include "base/mem.h"

#include <math.h>
#include <string.h>

enum {
    NONE = 0,          /* a reference to nothing: no tape came here */
    USED_UP = 1,       /* a reference to a folded part */
    FIRST_CELL = 2,    /* the first reference that is the index of a cell */
    CELLS_MIN = 1024,  /* number of cells in the first allocation */
    DIGIT_BITS = 5,    /* number of bits of a digit: a node has at most 32 slots */
    DIGITS_MAX = 2000, /* maximum number of digits of a tape; the rest is cut off */
    CELLS_MAX = 512    /* maximum number of cells of a block: enough for a tail of DIGITS_MAX digits */
};
/* The bit that is set in a reference to a tail. */
#define TAIL_BIT (UINT32_C(1) << 31)

/* An entry of a node: one digit. */
struct slot {
    uint32_t ref;
    uint8_t digit, promise;
    uint16_t generation;
};

/* The header of a node; its slots follow. */
struct node {
    uint8_t n, room, used_up, last; /* last: the largest digit of the domain */
    uint32_t unused;
};

/* A path without forks. Digits before `start` have become nodes. */
struct tail {
    uint16_t n, start, generation;
    uint8_t pairs[][2];
};

/* The unit of memory. */
union cell {
    struct slot slot;
    struct node node;
    uint32_t next_free;
    uint64_t bits;
};

/* A digit of the tape that is inserted. */
struct digit {
    uint8_t digit, last, promise;
    bool never_ends; /* the digit belongs to an open domain, which is never used up */
};

/* The trie. */
struct sonde_learn_trie {
    union cell *cells;
    uint32_t n_cells, cap_cells, max_cells;
    uint32_t free[CELLS_MAX + 1]; /* lists of free blocks, by size */
    uint32_t used;                /* cells in blocks */
    uint32_t root;
    uint16_t generation;
    bool is_full;
    float promises[256];
    struct digit digits[DIGITS_MAX];
    uint32_t slots[DIGITS_MAX]; /* cells of the path that is being walked; 0 is the root */
    uint32_t nodes[DIGITS_MAX];
};

struct sonde_learn_trie *sonde_learn_trie_create(size_t memory)
{
    struct sonde_learn_trie *trie = sonde_calloc(1, sizeof *trie);
    size_t cells = memory / sizeof(union cell);
    trie->max_cells = cells < TAIL_BIT ? (uint32_t)cells : TAIL_BIT - 1;
    trie->n_cells = FIRST_CELL;
    trie->generation = 1;
    for (int i = 0; i < 256; i++) trie->promises[i] = (float)(i * i) / (255.0f * 255.0f);
    return trie;
}

#ifdef SONDE_CHECKED
static void check_trie(const struct sonde_learn_trie *trie);
#else
static inline void check_trie(const struct sonde_learn_trie *trie)
{
    (void)trie;
}
#endif

void sonde_learn_trie_free(struct sonde_learn_trie *trie)
{
    if (!trie) return;
    check_trie(trie);
    sonde_free(trie->cells);
    sonde_free(trie);
}

void sonde_learn_trie_clear(struct sonde_learn_trie *trie)
{
    memset(trie->free, 0, sizeof trie->free);
    trie->n_cells = FIRST_CELL;
    trie->used = 0;
    trie->root = NONE;
    trie->is_full = false;
}

/* ---- Blocks */

static void grow(struct sonde_learn_trie *trie)
{
    uint32_t cap = trie->cap_cells ? trie->cap_cells : CELLS_MIN;
    while (cap < trie->n_cells) cap = cap < trie->max_cells / 2 ? cap * 2 : trie->max_cells;
    trie->cells = sonde_realloc(trie->cells, (size_t)cap * sizeof *trie->cells);
    trie->cap_cells = cap;
}

static uint32_t take(struct sonde_learn_trie *trie, uint32_t cells)
{
    uint32_t at = trie->free[cells];
    if (at) {
        trie->free[cells] = trie->cells[at].next_free;
    } else {
        if (trie->n_cells + cells > trie->max_cells) {
            trie->is_full = true;
            return 0;
        }
        at = trie->n_cells;
        trie->n_cells += cells;
        if (trie->n_cells > trie->cap_cells) grow(trie);
    }
    trie->used += cells;
    return at;
}

static void give_back(struct sonde_learn_trie *trie, uint32_t at, uint32_t cells)
{
    sonde_assert(at >= FIRST_CELL && at + cells <= trie->n_cells && cells <= trie->used);
    trie->cells[at].next_free = trie->free[cells];
    trie->free[cells] = at;
    trie->used -= cells;
}

static struct tail *tail_at(const struct sonde_learn_trie *trie, uint32_t ref)
{
    return (struct tail *)&trie->cells[ref & ~TAIL_BIT];
}

static uint32_t tail_cells(uint32_t n)
{
    return (uint32_t)(sizeof(struct tail) + 2 * n + sizeof(union cell) - 1) / (uint32_t)sizeof(union cell);
}

static void give_back_ref(struct sonde_learn_trie *trie, uint32_t ref)
{
    if (ref & TAIL_BIT) give_back(trie, ref & ~TAIL_BIT, tail_cells(tail_at(trie, ref)->n));
    else give_back(trie, ref, 1u + trie->cells[ref].node.room);
}

/* Frees a reference and everything below it. A folded node has something below it only if the same choices once led
 * further, that is, if the property is not deterministic. */
static void give_back_all(struct sonde_learn_trie *trie, uint32_t ref)
{
    if (ref == NONE || ref == USED_UP) return;
    if (!(ref & TAIL_BIT))
        for (uint32_t i = ref + 1; i <= ref + trie->cells[ref].node.n; i++)
            give_back_all(trie, trie->cells[i].slot.ref);
    give_back_ref(trie, ref);
}

/* ---- Digits */

static unsigned digits_of(uint64_t max)
{
    unsigned n = 1;
    while (max >>= DIGIT_BITS) n++;
    return n;
}

static uint8_t to_byte(float promise)
{
    float x = sqrtf(promise) * 255.0f + 0.5f;
    return x >= 255.0f ? 255 : x < 1.0f ? 1 : (uint8_t)x;
}

/* Spells out a tape in trie->digits; returns the number of digits. The promise of an answer is stored with its last
 * digit. */
static uint32_t spell(struct sonde_learn_trie *trie, const struct sonde_learn_answer *answers, uint32_t n, bool *is_cut)
{
    uint32_t m = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct sonde_learn_answer *a = &answers[i];
        unsigned digits = digits_of(a->max);
        if (m + digits > DIGITS_MAX) {
            *is_cut = true;
            break;
        }
        bool is_edge = true; /* the digits so far equal the digits of max */
        for (unsigned k = digits; k-- > 0;) {
            uint8_t digit = a->index >> (DIGIT_BITS * k) & 31, last = a->max >> (DIGIT_BITS * k) & 31;
            trie->digits[m++] = (struct digit){.digit = digit,
                                               .last = is_edge ? last : 31,
                                               .promise = k ? 255 : to_byte(a->promise),
                                               .never_ends = a->is_open};
            is_edge &= digit == last;
        }
    }
    return m;
}

/* ---- Inserting a tape */

/* Makes a tail of digits [d, m); returns its reference, NONE if there is no room. */
static uint32_t make_tail(struct sonde_learn_trie *trie, uint32_t d, uint32_t m)
{
    uint32_t at = take(trie, tail_cells(m - d));
    if (!at) return NONE;
    struct tail *tail = tail_at(trie, at);
    *tail = (struct tail){.n = (uint16_t)(m - d), .generation = trie->generation};
    for (uint32_t i = d; i < m; i++) {
        tail->pairs[i - d][0] = trie->digits[i].digit;
        tail->pairs[i - d][1] = trie->digits[i].promise;
    }
    return at | TAIL_BIT;
}

/* Updates the promises of a tail if it is equal to digits [d, m); else returns false. */
static bool refresh_tail(struct sonde_learn_trie *trie, uint32_t ref, uint32_t d, uint32_t m)
{
    struct tail *tail = tail_at(trie, ref);
    uint8_t(*pairs)[2] = tail->pairs + tail->start;
    if (tail->n - tail->start != (int)(m - d)) return false;
    for (uint32_t i = d; i < m; i++)
        if (pairs[i - d][0] != trie->digits[i].digit) return false;
    for (uint32_t i = d; i < m; i++) pairs[i - d][1] = trie->digits[i].promise;
    tail->generation = trie->generation;
    return true;
}

static void set_ref(struct sonde_learn_trie *trie, uint32_t slot, uint32_t ref)
{
    if (slot) trie->cells[slot].slot.ref = ref;
    else trie->root = ref;
}

static uint32_t get_ref(const struct sonde_learn_trie *trie, uint32_t slot)
{
    return slot ? trie->cells[slot].slot.ref : trie->root;
}

/* Keeps the widest domain of a node: a domain that depends on more than the draws before it may differ each time. */
static void widen(struct node *node, uint8_t last)
{
    if (node->last < last) node->last = last;
}

/* Turns the first digit of the tail in `slot` into a node; returns false if there is no room. */
static bool push_down(struct sonde_learn_trie *trie, uint32_t slot, uint8_t last)
{
    uint32_t ref = get_ref(trie, slot), at = take(trie, 3);
    if (!at) return false;
    struct tail *tail = tail_at(trie, ref);
    trie->cells[at].node = (struct node){.n = 1, .room = 2, .last = last};
    const uint8_t *pair = tail->pairs[tail->start];
    widen(&trie->cells[at].node, pair[0]);
    trie->cells[at + 1].slot =
        (struct slot){.ref = ref, .digit = pair[0], .promise = pair[1], .generation = tail->generation};
    if (++tail->start == tail->n) {
        give_back_ref(trie, ref);
        trie->cells[at + 1].slot.ref = USED_UP;
        trie->cells[at].node.used_up = 1;
    }
    set_ref(trie, slot, at);
    return true;
}

static uint32_t find_slot(const struct sonde_learn_trie *trie, uint32_t node, uint8_t digit)
{
    const union cell *cells = trie->cells;
    for (uint32_t i = node + 1; i <= node + cells[node].node.n; i++)
        if (cells[i].slot.digit == digit) return i;
    return 0;
}

/* Adds a slot to the node that `slot` leads to; returns its cell, 0 if there is no room. */
static uint32_t add_slot(struct sonde_learn_trie *trie, uint32_t slot, const struct digit *d)
{
    uint32_t node = get_ref(trie, slot), room = trie->cells[node].node.room;
    if (trie->cells[node].node.n == room) {
        uint32_t wider = take(trie, 1 + 2 * room);
        if (!wider) return 0;
        memcpy(&trie->cells[wider], &trie->cells[node], (1 + room) * sizeof(union cell));
        give_back(trie, node, 1 + room);
        trie->cells[wider].node.room = (uint8_t)(2 * room);
        set_ref(trie, slot, wider);
        node = wider;
    }
    uint32_t at = node + ++trie->cells[node].node.n;
    trie->cells[at].slot = (struct slot){.digit = d->digit};
    return at;
}

/* Folds the path of n digits, which has ended: its last slot is used up, and maybe the nodes above it are too. */
static void fold(struct sonde_learn_trie *trie, uint32_t n)
{
    while (n-- > 0) {
        uint32_t slot = trie->slots[n];
        if (trie->cells[slot].slot.ref == USED_UP) return;
        give_back_all(trie, trie->cells[slot].slot.ref);
        trie->cells[slot].slot.ref = USED_UP;
        struct node *node = &trie->cells[trie->nodes[n]].node;
        sonde_assert(node->used_up < node->n);
        if (++node->used_up <= node->last || trie->digits[n].never_ends) return;
    }
    give_back_all(trie, trie->root);
    trie->root = USED_UP;
}

/* Walks digit by digit. Where the trie ends, the rest becomes one tail, which is pushed down when another input shares
 * its beginning. Parts that do not fit into the memory are left out: then less is known, but nothing is wrong. */
void sonde_learn_trie_insert(struct sonde_learn_trie *trie, const struct sonde_learn_answer *answers, uint32_t n,
                             bool is_cut)
{
    uint32_t m = spell(trie, answers, n, &is_cut), slot = 0;
    for (uint32_t d = 0; d < m; d++) {
        uint32_t ref = get_ref(trie, slot);
        if (ref == USED_UP) return;
        if (ref == NONE) {
            ref = is_cut ? NONE : make_tail(trie, d, m);
            if (ref) {
                set_ref(trie, slot, ref);
                return;
            }
            if (!is_cut || !(ref = take(trie, 3))) return;
            trie->cells[ref].node = (struct node){.room = 2, .last = trie->digits[d].last};
            set_ref(trie, slot, ref);
        }
        if (ref & TAIL_BIT) {
            if (!is_cut && refresh_tail(trie, ref, d, m)) return;
            if (!push_down(trie, slot, trie->digits[d].last)) return;
        }
        widen(&trie->cells[get_ref(trie, slot)].node, trie->digits[d].last);
        uint32_t next = find_slot(trie, get_ref(trie, slot), trie->digits[d].digit);
        if (!next) next = add_slot(trie, slot, &trie->digits[d]);
        if (!next) return;
        trie->nodes[d] = get_ref(trie, slot);
        trie->slots[d] = slot = next;
        trie->cells[slot].slot.promise = trie->digits[d].promise;
        trie->cells[slot].slot.generation = trie->generation;
    }
    if (m == 0 && !is_cut) give_back_all(trie, trie->root), trie->root = USED_UP;
    else if (m > 0 && !is_cut) fold(trie, m);
}

void sonde_learn_trie_new_generation(struct sonde_learn_trie *trie)
{
    trie->generation++;
}

bool sonde_learn_trie_is_used_up(const struct sonde_learn_trie *trie)
{
    return trie->root == USED_UP;
}

bool sonde_learn_trie_is_full(const struct sonde_learn_trie *trie)
{
    return trie->is_full;
}

size_t sonde_learn_trie_bytes(const struct sonde_learn_trie *trie)
{
    return trie->used * sizeof(union cell);
}

/* ---- Reading along a tape */

struct sonde_learn_place sonde_learn_trie_root(const struct sonde_learn_trie *trie)
{
    return (struct sonde_learn_place){.ref = trie->root};
}

static float promise_of(const struct sonde_learn_trie *trie, uint16_t generation, uint8_t promise)
{
    return generation == trie->generation ? trie->promises[promise] : 1.0f;
}

/* Returns the tail at a position, and its next digit in *pair; NULL if it has ended. */
static const struct tail *rest(const struct sonde_learn_trie *trie, struct sonde_learn_place at, const uint8_t **pair)
{
    const struct tail *tail = tail_at(trie, at.ref);
    uint32_t i = tail->start + at.skip;
    if (i >= tail->n) return NULL;
    *pair = tail->pairs[i];
    return tail;
}

void sonde_learn_trie_promises(const struct sonde_learn_trie *trie, struct sonde_learn_place at, uint32_t n, float *out)
{
    for (uint32_t i = 0; i < n; i += 4) out[i] = out[i + 1] = out[i + 2] = out[i + 3] = 1.0f;
    if (at.ref == NONE) return;
    if (at.ref == USED_UP) {
        memset(out, 0, n * sizeof *out);
    } else if (at.ref & TAIL_BIT) {
        const uint8_t *pair;
        const struct tail *tail = rest(trie, at, &pair);
        if (!tail || pair[0] >= n) return;
        bool ends = tail->start + at.skip + 1 == tail->n;
        out[pair[0]] = ends ? 0 : promise_of(trie, tail->generation, pair[1]);
    } else {
        const union cell *cells = trie->cells + at.ref;
        for (uint32_t i = 1; i <= cells->node.n; i++) {
            const struct slot *slot = &cells[i].slot;
            if (slot->digit < n)
                out[slot->digit] = slot->ref == USED_UP ? 0 : promise_of(trie, slot->generation, slot->promise);
        }
    }
}

/* Returns the position after one digit; *promise receives its promise. */
static struct sonde_learn_place step_digit(const struct sonde_learn_trie *trie, struct sonde_learn_place at,
                                           uint8_t digit, float *promise)
{
    static const struct sonde_learn_place nowhere = {NONE, 0};
    *promise = 1.0f;
    if (at.ref == NONE) return nowhere;
    if (at.ref == USED_UP) {
        *promise = 0;
        return at;
    }
    if (at.ref & TAIL_BIT) {
        const uint8_t *pair;
        const struct tail *tail = rest(trie, at, &pair);
        if (!tail || pair[0] != digit) return nowhere;
        at.skip++;
        bool ends = tail->start + at.skip == tail->n;
        *promise = ends ? 0 : promise_of(trie, tail->generation, pair[1]);
        return ends ? (struct sonde_learn_place){USED_UP, 0} : at;
    }
    uint32_t slot = find_slot(trie, at.ref, digit);
    if (!slot) return nowhere;
    const struct slot *s = &trie->cells[slot].slot;
    *promise = s->ref == USED_UP ? 0 : promise_of(trie, s->generation, s->promise);
    return (struct sonde_learn_place){s->ref, 0};
}

static struct sonde_learn_place step(const struct sonde_learn_trie *trie, struct sonde_learn_place at, uint64_t max,
                                     uint64_t index, float *promise)
{
    for (unsigned k = digits_of(max); k-- > 0;) at = step_digit(trie, at, index >> (DIGIT_BITS * k) & 31, promise);
    return at;
}

float sonde_learn_trie_promise(const struct sonde_learn_trie *trie, struct sonde_learn_place at, uint64_t max,
                               uint64_t index)
{
    float promise;
    step(trie, at, max, index, &promise);
    return promise;
}

struct sonde_learn_place sonde_learn_trie_step(const struct sonde_learn_trie *trie, struct sonde_learn_place at,
                                               uint64_t max, uint64_t index)
{
    float promise;
    return step(trie, at, max, index, &promise);
}

void sonde_learn_trie_prefetch(const struct sonde_learn_trie *trie, struct sonde_learn_place at)
{
    if (at.ref <= USED_UP) return;
    __builtin_prefetch(&trie->cells[at.ref & ~TAIL_BIT]);
    __builtin_prefetch(&trie->cells[at.ref & ~TAIL_BIT] + 8);
}

/* ---- Checks */

#ifdef SONDE_CHECKED

/* Checks a reference and everything below it; returns how many cells they take. */
static uint32_t check_ref(const struct sonde_learn_trie *trie, uint32_t ref)
{
    if (ref == NONE || ref == USED_UP) return 0;
    uint32_t at = ref & ~TAIL_BIT;
    sonde_assert(at >= FIRST_CELL && at < trie->n_cells);
    if (ref & TAIL_BIT) {
        const struct tail *tail = tail_at(trie, ref);
        sonde_assert(tail->start < tail->n && at + tail_cells(tail->n) <= trie->n_cells);
        return tail_cells(tail->n);
    }
    const struct node *node = &trie->cells[at].node;
    uint32_t cells = 1u + node->room, used_up = 0, digits = 0;
    sonde_assert(node->n <= node->room && node->room <= 32 && node->last <= 31 && at + cells <= trie->n_cells);
    for (uint32_t i = at + 1; i <= at + node->n; i++) {
        const struct slot *slot = &trie->cells[i].slot;
        sonde_assert(slot->digit <= node->last && !(digits >> slot->digit & 1)); /* each digit once */
        digits |= UINT32_C(1) << slot->digit;
        used_up += slot->ref == USED_UP;
        cells += check_ref(trie, slot->ref);
    }
    sonde_assert(node->used_up == used_up);
    return cells;
}

/* Asserts that the reachable cells are exactly those in use: none is lost, and none is referenced twice. */
static void check_trie(const struct sonde_learn_trie *trie)
{
    sonde_assert(trie->n_cells <= trie->max_cells || trie->n_cells == FIRST_CELL);
    sonde_assert(check_ref(trie, trie->root) == trie->used);
}

#endif
