/* The trie's representation: nodes in one array, all edges in one hash table keyed by (node, index). The steps of
 * paths that only one tape took are in one buffer of bytes. A position is a 32-bit reference:
 *
 *     NONE   nothing was tried there        END    a tape ends there
 *     DONE   everything there was tried     else a node, or with the top bit set an offset into the bytes
 *
 * With one table for all edges a node is small whatever its domain (a bool and a uint64 cost the same). A root with a
 * million children is as fast as a root with two. Code that needs a number per edge can keep an array of the same size,
 * indexed by slot.
 *
 * There are two users: enumerate asks for the cheapest untried input, random asks whether an input or a whole branch
 * was tried before. Inserting takes time linear in the tape. Memory is bounded: every growing array is claimed against
 * the limit first (claim). A function that finds no room returns NONE, 0 or false, and the tape is lost.
 *
 * Order of this file: room and points, reading a tape as steps, leaves, nodes and edges, insert, prune, walking,
 * costs, checks. */
#include "tape/trie.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/wide.h"

#include <string.h>

enum { NONE = 0, END = 1, DONE = 2, FIRST_NODE = 3 }; /* references; see above */
#define LEAF (UINT32_C(1) << 31)
#define NO_COST UINT32_MAX

/* A node. Its costs are the sums of the bit lengths of the indices, as enumerate uses them. `least`, `next` and
 * `above` describe the frontier of the search below this node. They are lower bounds, which update_node makes exact
 * along the last path. */
struct node {
    uint64_t n_done; /* number of children that are END or DONE */
    uint64_t next;   /* no child before this index holds an untried input of cost `least` */
    uint32_t point;  /* index into points */
    uint32_t least;  /* no untried input below this node costs less */
    uint32_t above;  /* among the children before `next`, the lowest cost that is above `least` */
    uint32_t free;   /* while this node is free: the next free node */
};

/* An edge from a node to a child. */
struct edge {
    uint64_t index;
    uint32_t node; /* reference to the parent node; 0: the slot is free */
    uint32_t child;
};

/* A step of the path that the last insert took. */
struct path_step {
    uint64_t index;
    uint32_t node;
};

/* A trie. The table of edges is at most three quarters full; `free_node` chains nodes through their `free`. `wasted`
 * counts bytes that no leaf refers to. is_full and is_pruned never become false again. */
struct sonde_trie {
    struct node *nodes;
    struct edge *edges; /* hash table with linear probing; the size is a power of two */
    struct sonde_trie_point *points;
    uint32_t *point_slots; /* hash table: 1 + index into points */
    uint8_t *bytes;        /* the steps of leaves: the index of the point + 1, then the index taken; 0 ends a leaf */
    struct path_step *path;
    size_t memory, used;
    uint64_t n_inputs;
    uint32_t n_nodes, cap_nodes, free_node;
    uint32_t n_edges, cap_edges;
    uint32_t n_points, cap_points; /* point_slots has 2 * cap_points entries */
    uint32_t n_bytes, cap_bytes, wasted;
    uint32_t n_path, cap_path;
    uint32_t root;
    uint32_t difference;
    bool is_full, is_doubted, is_pruned;
};

struct sonde_trie *sonde_trie_create(size_t memory)
{
    struct sonde_trie *trie = sonde_calloc(1, sizeof *trie);
    trie->memory = memory;
    trie->used = sizeof *trie;
    trie->difference = UINT32_MAX;
    return trie;
}

#ifdef SONDE_CHECKED
static void check_trie(const struct sonde_trie *trie);
#else
static inline void check_trie(const struct sonde_trie *trie)
{
    (void)trie;
}
#endif

void sonde_trie_free(struct sonde_trie *trie)
{
    if (!trie) return;
    check_trie(trie);
    sonde_free(trie->nodes);
    sonde_free(trie->edges);
    sonde_free(trie->points);
    sonde_free(trie->point_slots);
    sonde_free(trie->bytes);
    sonde_free(trie->path);
    sonde_free(trie);
}

bool sonde_trie_is_exhausted(const struct sonde_trie *trie)
{
    return trie->root == END || trie->root == DONE;
}

bool sonde_trie_is_exact(const struct sonde_trie *trie)
{
    return !trie->is_full && !trie->is_doubted && trie->difference == UINT32_MAX;
}

void sonde_trie_doubt(struct sonde_trie *trie)
{
    trie->is_doubted = true;
}

uint32_t sonde_trie_difference(const struct sonde_trie *trie)
{
    return trie->difference;
}

bool sonde_trie_is_full(const struct sonde_trie *trie)
{
    return trie->is_full;
}

uint64_t sonde_trie_inputs(const struct sonde_trie *trie)
{
    return trie->n_inputs;
}

size_t sonde_trie_bytes(const struct sonde_trie *trie)
{
    return trie->used;
}

/* ---- Room. Each function makes room, or returns false if the bound on memory is reached. While an array is copied,
 * both copies count against the bound. */

/* Counts the memory of an array that grows; returns false if the bound does not allow it. `used` includes the old array
 * until it is freed, so `new_size` must fit in addition. */
static bool claim(struct sonde_trie *trie, size_t old_size, size_t new_size)
{
    if (new_size > trie->memory || trie->used > trie->memory - new_size) return false;
    trie->used += new_size - old_size;
    return true;
}

static bool grow(struct sonde_trie *trie, void *array_pointer, uint32_t *cap, size_t want, size_t size)
{
    if (want <= *cap) return true;
    size_t n = *cap < 16 ? 16 : (size_t)*cap * 2;
    while (n < want) n *= 2;
    /* References have 31 bits: the top bit marks a leaf. */
    if (n >= LEAF || !claim(trie, *cap * size, n * size)) return false;
    void *array;
    memcpy(&array, array_pointer, sizeof array);
    array = sonde_realloc(array, n * size);
    memcpy(array_pointer, &array, sizeof array);
    *cap = (uint32_t)n;
    return true;
}

static uint32_t slot_of(const struct sonde_trie *trie, uint32_t node, uint64_t index)
{
    return (uint32_t)sonde_mix(index + node * UINT64_C(0x9e3779b97f4a7c15)) & (trie->cap_edges - 1);
}

/* Returns the slot of an edge, or the free slot where it belongs. */
static uint32_t find_slot(const struct sonde_trie *trie, uint32_t node, uint64_t index)
{
    uint32_t slot = slot_of(trie, node, index);
    while (trie->edges[slot].node && (trie->edges[slot].node != node || trie->edges[slot].index != index))
        slot = (slot + 1) & (trie->cap_edges - 1);
    return slot;
}

static bool room_for_edges(struct sonde_trie *trie, uint32_t n)
{
    if ((uint64_t)(trie->n_edges + n) * 4 <= (uint64_t)trie->cap_edges * 3) return true;
    uint32_t old_cap = trie->cap_edges, cap = old_cap ? old_cap * 2 : 64;
    struct edge *old = trie->edges;
    if (cap >= LEAF || !claim(trie, old_cap * sizeof *old, cap * sizeof *old)) return false;
    trie->edges = sonde_calloc(cap, sizeof *old);
    trie->cap_edges = cap;
    for (uint32_t i = 0; i < old_cap; i++) {
        if (old[i].node) trie->edges[find_slot(trie, old[i].node, old[i].index)] = old[i];
    }
    sonde_free(old);
    return true;
}

static bool room_for_node(struct sonde_trie *trie)
{
    return trie->free_node
           || grow(trie, &trie->nodes, &trie->cap_nodes, (size_t)trie->n_nodes + 1, sizeof *trie->nodes);
}

/* ---- Points, each stored once. */

/* Returns the slot of a point, or the free slot where it belongs. cap_points is a power of two and there are twice as
 * many slots, so the search always meets a free slot. */
static uint32_t *point_slot(const struct sonde_trie *trie, struct sonde_trie_point point)
{
    uint32_t mask = trie->cap_points * 2 - 1;
    uint32_t slot = (uint32_t)sonde_mix(point.max + point.site * UINT64_C(0x9e3779b97f4a7c15)) & mask;
    for (;; slot = (slot + 1) & mask) {
        uint32_t *p = &trie->point_slots[slot];
        if (*p == 0 || (trie->points[*p - 1].site == point.site && trie->points[*p - 1].max == point.max)) return p;
    }
}

static bool room_for_point(struct sonde_trie *trie)
{
    size_t each = sizeof *trie->points + 2 * sizeof *trie->point_slots;
    uint32_t old = trie->cap_points, cap = old ? old * 2 : 16;
    if (trie->n_points < old) return true;
    if (cap >= LEAF / 2 || !claim(trie, old * each, cap * each)) return false;
    trie->points = sonde_realloc(trie->points, cap * sizeof *trie->points);
    sonde_free(trie->point_slots);
    trie->point_slots = sonde_calloc((size_t)cap * 2, sizeof *trie->point_slots);
    trie->cap_points = cap;
    for (uint32_t i = 0; i < trie->n_points; i++) *point_slot(trie, trie->points[i]) = i + 1;
    return true;
}

/* Returns 1 + the index of a point; 0 if there is no room. */
static uint32_t intern_point(struct sonde_trie *trie, struct sonde_trie_point point)
{
    if (trie->n_points > 0) {
        uint32_t known = *point_slot(trie, point);
        if (known) return known;
    }
    if (!room_for_point(trie)) return 0;
    trie->points[trie->n_points] = point;
    return *point_slot(trie, point) = ++trie->n_points;
}

static bool is_point(const struct sonde_trie *trie, uint32_t at, struct sonde_trie_point point)
{
    return trie->points[at].site == point.site && trie->points[at].max == point.max;
}

/* ---- Reading a tape step by step. */

/* A point of a path and the index taken there. */
struct step {
    struct sonde_trie_point point;
    uint64_t index;
};

/* The state of reading a tape as steps. */
struct reader {
    const struct sonde_tape *tape;
    struct sonde_blob blob;         /* the blob that was read last */
    struct sonde_trie_point symbol; /* the point of the symbols of `blob` */
    uint32_t left;                  /* number of symbols of `blob` that are still to be read */
    uint32_t choice, end;           /* the next choice, and the choice before which to stop */
    const uint64_t *last;           /* if not NULL, replaces the index of the last choice */
};

/* All symbols of a blob share one point. It is derived from the blob's site so that it cannot equal the point of the
 * blob's length. */
struct sonde_trie_point sonde_trie_symbol_point(uint32_t site, uint32_t alphabet_size)
{
    return (struct sonde_trie_point){.max = alphabet_size - 1, .site = site * UINT32_C(0x9e3779b1) + 1};
}

static bool read_step(struct reader *r, struct step *step)
{
    for (;;) {
        if (r->left > 0) {
            *step = (struct step){r->symbol, sonde_blob_symbol(&r->blob, r->blob.len - r->left)};
            r->left--;
            return true;
        }
        if (r->choice == r->end) return false;
        const struct sonde_choice *c = &r->tape->choices[r->choice++];
        if (c->kind == SONDE_KIND_BLOB) {
            r->blob = sonde_choice_blob(r->tape, c);
            r->symbol = sonde_trie_symbol_point(c->site, r->blob.alphabet.size);
            r->left = r->blob.alphabet.size > 1 ? r->blob.len : 0;
        }
        /* Forced draws are not steps. A blob with a fixed length still contributes its symbols, prepared above. */
        if (c->max == 0) continue;
        *step = (struct step){sonde_trie_point(c), r->last && r->choice == r->end ? *r->last : c->index};
        return true;
    }
}

/* ---- Leaves: the steps of a path that one tape took. */

static uint32_t put_number(uint8_t *to, uint64_t x)
{
    uint32_t n = 0;
    for (; x >= 128; x >>= 7) to[n++] = (uint8_t)(x | 128);
    to[n++] = (uint8_t)x;
    return n;
}

static uint64_t get_number(const uint8_t *bytes, uint32_t *at)
{
    uint64_t x = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t b = bytes[(*at)++];
        x |= (uint64_t)(b & 127) << shift;
        if (b < 128) return x;
    }
}

/* Reads a leaf's first step: returns the point's index; sets the index taken and the reference to the rest (END or a
 * leaf). */
static uint32_t leaf_first(const struct sonde_trie *trie, uint32_t leaf, uint64_t *index, uint32_t *rest)
{
    uint32_t at = leaf & ~LEAF;
    uint32_t point = (uint32_t)get_number(trie->bytes, &at) - 1;
    *index = get_number(trie->bytes, &at);
    *rest = trie->bytes[at] == 0 ? (uint32_t)END : at | LEAF;
    return point;
}

/* Writes a leaf with the steps from `step` on and returns its reference. Returns NONE if there is no room. */
static uint32_t add_leaf(struct sonde_trie *trie, struct reader *r, struct step *step)
{
    uint32_t start = trie->n_bytes;
    do {
        uint32_t point = intern_point(trie, step->point);
        /* 17 bytes: a point of 32 bits takes five, an index of 64 bits ten, the final 0 one, with one to spare. */
        if (point == 0 || !grow(trie, &trie->bytes, &trie->cap_bytes, (size_t)trie->n_bytes + 17, 1)) {
            trie->n_bytes = start;
            return NONE;
        }
        trie->n_bytes += put_number(trie->bytes + trie->n_bytes, point);
        trie->n_bytes += put_number(trie->bytes + trie->n_bytes, step->index);
    } while (read_step(r, step));
    trie->bytes[trie->n_bytes++] = 0;
    return start | LEAF;
}

/* Returns whether the tape continues exactly as the leaf does. Reads with a copy of the reader, so the caller's reader
 * does not advance. */
static bool leaf_equals(const struct sonde_trie *trie, uint32_t leaf, struct reader r, struct step step)
{
    uint64_t index;
    for (;;) {
        uint32_t point = leaf_first(trie, leaf, &index, &leaf);
        if (!is_point(trie, point, step.point) || index != step.index) return false;
        bool more = read_step(&r, &step);
        if (leaf == END || !more) return leaf == END && !more;
    }
}

/* Copies a leaf. It may begin in the middle of an older leaf that was pushed down; only the part from its reference
 * on is copied. */
static uint32_t move_leaf(const struct sonde_trie *trie, uint32_t leaf, uint8_t *to, uint32_t *n)
{
    uint32_t start = leaf & ~LEAF, end = start;
    do {
        get_number(trie->bytes, &end);
        get_number(trie->bytes, &end);
    } while (trie->bytes[end] != 0);
    end++;
    memcpy(to + *n, trie->bytes + start, end - start);
    uint32_t moved = *n | LEAF;
    *n += end - start;
    return moved;
}

/* Moves the leaves together, to close the holes that pushing down leaves. Called when holes make up half of the
 * bytes. */
static void compact(struct sonde_trie *trie)
{
    if (trie->wasted < 4096 || trie->wasted < trie->n_bytes / 2) return;
    /* Both buffers exist for a moment. If there is no room for both, the holes stay. */
    if (!claim(trie, trie->cap_bytes, trie->cap_bytes)) return;
    uint8_t *bytes = sonde_malloc(trie->cap_bytes);
    uint32_t n = 0;
    if (trie->root & LEAF) trie->root = move_leaf(trie, trie->root, bytes, &n);
    for (uint32_t i = 0; i < trie->cap_edges; i++) {
        struct edge *e = &trie->edges[i];
        if (e->node && (e->child & LEAF)) e->child = move_leaf(trie, e->child, bytes, &n);
    }
    sonde_free(trie->bytes);
    trie->bytes = bytes;
    trie->n_bytes = n;
    trie->wasted = 0;
}

/* ---- Nodes and edges. */

static struct node *node_at(const struct sonde_trie *trie, uint32_t ref)
{
    sonde_assert(ref >= FIRST_NODE && ref - FIRST_NODE < trie->n_nodes);
    return &trie->nodes[ref - FIRST_NODE];
}

static uint32_t child_of(const struct sonde_trie *trie, uint32_t node, uint64_t index)
{
    return trie->edges[find_slot(trie, node, index)].child;
}

/* The caller must have made room. */
static void set_child(struct sonde_trie *trie, uint32_t node, uint64_t index, uint32_t child)
{
    struct edge *e = &trie->edges[find_slot(trie, node, index)];
    if (!e->node) trie->n_edges++;
    *e = (struct edge){.index = index, .node = node, .child = child};
}

/* Deletes without tombstones (Knuth, volume 3, 6.4, algorithm R): when subtrees fold, tombstones would fill the table.
 * An entry after the freed slot moves into it, unless the freed slot lies before the home slot of the entry. */
static void remove_edge(struct sonde_trie *trie, uint32_t node, uint64_t index)
{
    uint32_t mask = trie->cap_edges - 1, hole = find_slot(trie, node, index);
    if (!trie->edges[hole].node) return;
    for (uint32_t i = (hole + 1) & mask; trie->edges[i].node; i = (i + 1) & mask) {
        uint32_t home = slot_of(trie, trie->edges[i].node, trie->edges[i].index);
        if (((i - home) & mask) < ((i - hole) & mask)) continue;
        trie->edges[hole] = trie->edges[i];
        hole = i;
    }
    trie->edges[hole] = (struct edge){0};
    trie->n_edges--;
}

/* The caller must have made room. */
static uint32_t add_node(struct sonde_trie *trie, uint32_t point)
{
    uint32_t ref = trie->free_node;
    if (ref) trie->free_node = node_at(trie, ref)->free;
    else ref = trie->n_nodes++ + FIRST_NODE;
    *node_at(trie, ref) = (struct node){.point = point, .above = NO_COST};
    return ref;
}

/* Stores a reference at the end of the current path. */
static void set_here(struct sonde_trie *trie, uint32_t ref)
{
    if (trie->n_path == 0) trie->root = ref;
    else set_child(trie, trie->path[trie->n_path - 1].node, trie->path[trie->n_path - 1].index, ref);
}

/* Marks the end of the current path as exhausted. The parent may then be exhausted, too, and so on up to the root. */
static void close_here(struct sonde_trie *trie)
{
    for (; trie->n_path > 0; trie->n_path--) {
        uint32_t ref = trie->path[trie->n_path - 1].node;
        struct node *node = node_at(trie, ref);
        uint64_t max = trie->points[node->point].max;
        sonde_assert(node->n_done <= max);
        if (node->n_done++ != max) return;
        /* All children are END or DONE, so max + 1 edges exist and the loop costs no more than inserting them did. */
        for (uint64_t i = 0; i <= max; i++) remove_edge(trie, ref, i);
        node->free = trie->free_node;
        trie->free_node = ref;
        /* set_here writes into the last step of the path, which must therefore be the parent for this call. */
        trie->n_path--;
        set_here(trie, DONE);
        trie->n_path++;
    }
}

/* ---- Insert. */

/* Records that a tape was lost. is_full is never reset: one input that is not in the trie makes every later claim of
 * completeness false. */
static enum sonde_trie_result lost(struct sonde_trie *trie)
{
    trie->is_full = true;
    return SONDE_TRIE_LOST;
}

/* Records that a tape differs at a choice. The first difference is reported to the user, as the draw at which the
 * property stopped being deterministic. */
static enum sonde_trie_result differs(struct sonde_trie *trie, uint32_t choice)
{
    if (trie->difference == UINT32_MAX) trie->difference = choice;
    return SONDE_TRIE_DIFFERS;
}

/* Makes a node of the first step of the leaf at the end of the path. Returns NONE if there is no room. */
static uint32_t push_down(struct sonde_trie *trie, uint32_t leaf)
{
    if (!room_for_node(trie) || !room_for_edges(trie, 1)) return NONE;
    uint64_t index;
    uint32_t rest, point = leaf_first(trie, leaf, &index, &rest);
    uint32_t node = add_node(trie, point);
    set_child(trie, node, index, rest);
    set_here(trie, node);
    node_at(trie, node)->n_done = rest == END;
    trie->wasted += rest == END ? 4 : (rest & ~LEAF) - (leaf & ~LEAF);
    return node;
}

/* Adds the rest of the tape, which is new. */
static enum sonde_trie_result add_rest(struct sonde_trie *trie, struct reader *r, struct step *step, bool more)
{
    if (!room_for_edges(trie, 1)) return lost(trie);
    uint32_t ref = more ? add_leaf(trie, r, step) : (uint32_t)END;
    if (ref == NONE) return lost(trie);
    set_here(trie, ref);
    if (ref == END) close_here(trie);
    return SONDE_TRIE_NEW;
}

/* Descends as long as the path is known. A leaf holds the rest of one input. When another input reaches a leaf, the
 * leaf is pushed down a level at a time, until the two inputs differ. A draw other than the known draw means that the
 * property is not deterministic. */
static enum sonde_trie_result insert(struct sonde_trie *trie, struct reader r)
{
    struct step step;
    if (trie->is_pruned) return SONDE_TRIE_LOST;
    compact(trie);
    uint32_t ref = trie->root;
    bool is_new = false; /* the tape is known to differ from the leaf that is being pushed down */
    trie->n_path = 0;
    for (;;) {
        bool more = read_step(&r, &step);
        uint32_t choice = more ? r.choice - 1 : r.end;
        if (ref == NONE) return add_rest(trie, &r, &step, more);
        if (ref == DONE) return SONDE_TRIE_REPEAT;
        if (ref == END) return more ? differs(trie, choice) : SONDE_TRIE_REPEAT;
        if (!more) return differs(trie, choice);
        if (ref & LEAF) {
            if (!is_new && leaf_equals(trie, ref, r, step)) return SONDE_TRIE_REPEAT;
            is_new = true;
            ref = push_down(trie, ref);
            if (ref == NONE) return lost(trie);
        }
        if (!is_point(trie, node_at(trie, ref)->point, step.point)) return differs(trie, choice);
        if (!grow(trie, &trie->path, &trie->cap_path, (size_t)trie->n_path + 1, sizeof *trie->path)) return lost(trie);
        trie->path[trie->n_path++] = (struct path_step){.index = step.index, .node = ref};
        ref = child_of(trie, ref, step.index);
    }
}

enum sonde_trie_result sonde_trie_insert(struct sonde_trie *trie, const struct sonde_tape *tape)
{
    enum sonde_trie_result result = insert(trie, (struct reader){.tape = tape, .end = tape->n_choices});
    trie->n_inputs += result == SONDE_TRIE_NEW;
    sonde_assert(trie->used <= trie->memory || trie->used == sizeof *trie);
    if (result == SONDE_TRIE_NEW && sonde_is_milestone(trie->n_inputs)) check_trie(trie);
    return result;
}

void sonde_trie_close(struct sonde_trie *trie, const struct sonde_tape *tape, uint32_t choice, uint64_t answer)
{
    /* Inserts the tape up to this choice, with `answer` as the index of the choice. So this path, which no case took,
     * counts as tried. A difference found here is forgotten, because it says nothing about the property. */
    uint32_t difference = trie->difference;
    insert(trie, (struct reader){.tape = tape, .end = choice + 1, .last = &answer});
    trie->difference = difference;
}

/* ---- Prune. */

static bool is_node(uint32_t ref)
{
    return ref >= FIRST_NODE && !(ref & LEAF);
}

/* Marks, in `free`, the nodes above a folded subtree. Edges are unordered, so each level takes a round; subtrees too
 * deep for the rounds are discarded. */
static void mark_useful(struct sonde_trie *trie)
{
    bool changed = true;
    for (uint32_t i = 0; i < trie->n_nodes; i++) trie->nodes[i].free = 0;
    if (is_node(trie->root)) node_at(trie, trie->root)->free = 1;
    /* A round visits all edges; 64 limits the pause on deep tries, at the price of discarding deeper subtrees. */
    for (int round = 0; changed && round < 64; round++) {
        changed = false;
        for (uint32_t i = 0; i < trie->cap_edges; i++) {
            const struct edge *e = &trie->edges[i];
            bool is_useful = e->node && (e->child == DONE || (is_node(e->child) && node_at(trie, e->child)->free));
            if (!is_useful || node_at(trie, e->node)->free) continue;
            node_at(trie, e->node)->free = 1;
            changed = true;
        }
    }
}

static bool is_useful_edge(const struct sonde_trie *trie, const struct edge *e)
{
    if (!e->node || !node_at(trie, e->node)->free || e->child & LEAF) return false;
    return !is_node(e->child) || node_at(trie, e->child)->free;
}

/* Keeps exhausted edges and the edges on the paths to them, in a new table of the right size. Discards leaves.
 * Meanwhile, memory may exceed the limit by the size of the new table. */
void sonde_trie_prune(struct sonde_trie *trie)
{
    uint32_t n = 0, cap = 64, old_cap = trie->cap_edges;
    struct edge *old = trie->edges;
    mark_useful(trie);
    for (uint32_t i = 0; i < old_cap; i++) n += is_useful_edge(trie, &old[i]);
    while ((uint64_t)cap * 3 < (uint64_t)n * 4) cap *= 2;
    trie->edges = sonde_calloc(cap, sizeof *old);
    trie->cap_edges = cap;
    trie->n_edges = n;
    for (uint32_t i = 0; i < old_cap; i++) {
        if (is_useful_edge(trie, &old[i])) trie->edges[find_slot(trie, old[i].node, old[i].index)] = old[i];
    }
    sonde_free(old);
    sonde_free(trie->bytes);
    trie->bytes = NULL;
    trie->used += cap * sizeof *old;
    trie->used -= old_cap * sizeof *old + trie->cap_bytes;
    trie->n_bytes = trie->cap_bytes = trie->wasted = trie->n_path = 0;
    if (trie->root & LEAF) trie->root = NONE;
    trie->is_full = trie->is_pruned = true;
    check_trie(trie);
}

/* ---- Walking. */

void sonde_trie_begin(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor)
{
    *cursor = (struct sonde_trie_cursor){.at = trie->root < FIRST_NODE ? 0 : trie->root};
}

/* Returns the reference that an index leads to, if the position is known and its point is the same as before. */
static uint32_t next_ref(const struct sonde_trie *trie, uint32_t at, struct sonde_trie_point point, uint64_t index)
{
    if (at == 0) return NONE;
    if (at & LEAF) {
        uint64_t taken;
        uint32_t rest, its_point = leaf_first(trie, at, &taken, &rest);
        return taken == index && is_point(trie, its_point, point) ? rest : (uint32_t)NONE;
    }
    return is_point(trie, node_at(trie, at)->point, point) ? child_of(trie, at, index) : (uint32_t)NONE;
}

void sonde_trie_step(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor, struct sonde_trie_point point,
                     uint64_t index)
{
    if (point.max == 0) return;
    uint32_t ref = next_ref(trie, cursor->at, point, index);
    cursor->at = ref < FIRST_NODE ? 0 : ref;
}

/* Follows only the blob's steps: the reader begins and ends at this choice. */
static void follow_blob(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor, const struct sonde_tape *tape)
{
    struct reader r = {.tape = tape, .choice = cursor->choice, .end = cursor->choice + 1};
    struct step step;
    while (cursor->at != 0 && read_step(&r, &step)) sonde_trie_step(trie, cursor, step.point, step.index);
}

void sonde_trie_follow(const struct sonde_trie *trie, struct sonde_trie_cursor *cursor, const struct sonde_tape *tape)
{
    for (; cursor->at != 0 && cursor->choice < tape->n_choices; cursor->choice++) {
        const struct sonde_choice *c = &tape->choices[cursor->choice];
        if (c->kind == SONDE_KIND_BLOB) follow_blob(trie, cursor, tape);
        else sonde_trie_step(trie, cursor, sonde_trie_point(c), c->index);
    }
}

bool sonde_trie_is_done(const struct sonde_trie *trie, const struct sonde_trie_cursor *cursor,
                        struct sonde_trie_point point, uint64_t index)
{
    uint32_t ref = next_ref(trie, cursor->at, point, index);
    return ref == END || ref == DONE;
}

/* ---- Costs. */

/* Returns the least cost of an untried input below an edge, without the edge's cost. A leaf that starts with 0 is
 * assumed to be all zeros; its cheapest neighbour has a 1 somewhere. */
static uint32_t open_cost(const struct sonde_trie *trie, uint32_t child)
{
    if (child == NONE) return 0;
    if (child < FIRST_NODE) return NO_COST;
    if (!(child & LEAF)) return node_at(trie, child)->least;
    uint64_t index;
    uint32_t rest;
    leaf_first(trie, child, &index, &rest);
    return index == 0;
}

/* Advances `next` to a child with an untried input of cost `least`, raising `least` when none is left. Costs are bit
 * lengths, so each cost has about as many children as all lower costs together. So restarting the search for each
 * cost is cheap. */
static void update_node(const struct sonde_trie *trie, uint32_t ref)
{
    struct node *node = node_at(trie, ref);
    uint64_t max = trie->points[node->point].max;
    for (;;) {
        for (; node->next <= max && sonde_bit_length(node->next) <= node->least; node->next++) {
            uint32_t cost = open_cost(trie, child_of(trie, ref, node->next));
            if (cost == NO_COST) continue;
            cost += sonde_bit_length(node->next);
            if (cost <= node->least) return;
            if (cost < node->above) node->above = cost;
        }
        if (node->next <= max && sonde_bit_length(node->next) < node->above) node->above = sonde_bit_length(node->next);
        node->least = node->above;
        node->next = 0;
        node->above = NO_COST;
    }
}

void sonde_trie_update(struct sonde_trie *trie)
{
    for (uint32_t i = trie->n_path; i-- > 0;) update_node(trie, trie->path[i].node);
}

uint64_t sonde_trie_cheapest(const struct sonde_trie *trie, const struct sonde_trie_cursor *cursor,
                             struct sonde_trie_point point)
{
    /* Below an unvisited position everything is untried, and zeros are cheapest. */
    if (cursor->at == 0) return 0;
    if (!(cursor->at & LEAF)) {
        const struct node *node = node_at(trie, cursor->at);
        return is_point(trie, node->point, point) && node->next <= point.max ? node->next : 0;
    }
    uint64_t index;
    uint32_t rest;
    /* One input is known here. Only if that input is a single 0 must another index be taken, and 1 is the cheapest.
     * Otherwise an untried input begins with 0. */
    leaf_first(trie, cursor->at, &index, &rest);
    return index == 0 && rest == END;
}

bool sonde_trie_is_far(const struct sonde_trie *trie, const struct sonde_tape *tape, uint32_t bits)
{
    bool has_node = trie->root >= FIRST_NODE && !(trie->root & LEAF);
    uint32_t most = bits + (has_node ? node_at(trie, trie->root)->least : 0), cost = 0;
    struct reader r = {.tape = tape, .end = tape->n_choices};
    struct step step;
    while (cost <= most && read_step(&r, &step)) cost += sonde_bit_length(step.index);
    return cost > most;
}

/* ---- Checks */

#ifdef SONDE_CHECKED

static void check_child(const struct sonde_trie *trie, uint32_t ref)
{
    if (ref & LEAF) sonde_assert((ref & ~LEAF) < trie->n_bytes);
    else if (is_node(ref)) sonde_assert(node_at(trie, ref)->point < trie->n_points);
}

/* Checks that every edge is found from its home slot, belongs to a node and leads to something that exists. A node's
 * count of exhausted children must match its edges, and be below the size of its domain: otherwise it would have
 * been folded. */
static void check_trie(const struct sonde_trie *trie)
{
    uint64_t *done = sonde_calloc(trie->n_nodes, sizeof *done);
    uint32_t n_edges = 0;
    check_child(trie, trie->root);
    for (uint32_t i = 0; i < trie->cap_edges; i++) {
        const struct edge *e = &trie->edges[i];
        if (!e->node) continue;
        n_edges++;
        sonde_assert(find_slot(trie, e->node, e->index) == i);
        sonde_assert(e->child != NONE);
        sonde_assert(e->index <= trie->points[node_at(trie, e->node)->point].max);
        check_child(trie, e->child);
        done[e->node - FIRST_NODE] += e->child == END || e->child == DONE;
    }
    sonde_assert(n_edges == trie->n_edges);
    for (uint32_t i = 0; i < trie->n_nodes && !trie->is_pruned; i++) {
        bool is_used = done[i] > 0; /* a free node has no edges */
        if (is_used)
            sonde_assert(trie->nodes[i].n_done == done[i] && done[i] <= trie->points[trie->nodes[i].point].max);
    }
    sonde_free(done);
}

#endif
