/* Remembered runs, so that the shrinker does not run a candidate whose outcome it can predict.
 *
 * They form a trie over drawn values: a property that has drawn the same values so far makes the same next draw. So a
 * candidate can be followed through the trie by its labels, just as a case would follow it. If that ends at a leaf,
 * running the candidate would repeat a run that did not help. Nothing else about the property is assumed.
 *
 * The trie has no node objects. The hash of the values drawn so far names a node, and a table tells which remembered
 * run passes it. Memory is bounded by MAX_CHOICES remembered choices and MAX_SCRIPTS hashes; beyond the first bound
 * only hashes of scripts are kept.
 *
 * This saves calls and never changes the result for a deterministic property: every "known" candidate was run before
 * and did not help. One sonde_shrink owns the memory. */
#include "shrink/pass.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

enum {
    MAX_CHOICES = 1 << 18, /* maximum number of choices in all remembered runs together, to limit memory */
    MAX_SCRIPTS = 1 << 16, /* number of slots for hashes of scripts */
};

/* A node of the trie: remembered run number `run` passes it, having made `at` draws. */
struct node {
    uint64_t key; /* hash of the values that lead to the node; 0: the slot is free */
    uint32_t run, at;
};

/* The remembered runs. */
struct sonde_known {
    struct sonde_tape *runs;
    uint32_t n_runs, cap_runs;
    uint64_t choices;   /* number of choices in all remembered runs */
    struct node *nodes; /* hash table of nodes with open addressing; its size is a power of two */
    uint32_t n_nodes, size;
    uint64_t asked;    /* hash of the script that was last looked up */
    uint32_t found;    /* the remembered run that this script would repeat, as an index; UINT32_MAX: none */
    uint64_t *scripts; /* hashes of scripts; each has one possible slot */
    struct sonde_script_reader reader;
    uint32_t *symbols;
    uint32_t symbols_cap;
    uint32_t *path; /* indices of the open spans */
    uint32_t path_cap;
};

struct sonde_known *sonde_known_create(void)
{
    struct sonde_known *k = sonde_calloc(1, sizeof *k);
    k->size = 1024;
    k->nodes = sonde_calloc(k->size, sizeof *k->nodes);
    k->scripts = sonde_calloc(MAX_SCRIPTS, sizeof *k->scripts);
    sonde_script_init(&k->reader);
    return k;
}

void sonde_known_free(struct sonde_known *k)
{
    for (uint32_t i = 0; i < k->n_runs; i++) sonde_tape_clear(&k->runs[i]);
    sonde_free(k->runs);
    sonde_free(k->nodes);
    sonde_free(k->scripts);
    sonde_free(k->symbols);
    sonde_free(k->path);
    sonde_script_clear(&k->reader);
    sonde_free(k);
}

/* Returns the slot of a key, or the free slot where the key belongs. The table is never full: grow keeps it at half. */
static struct node *find(const struct sonde_known *k, uint64_t key)
{
    sonde_assert(k->n_nodes < k->size); /* a free slot ends the search */
    uint32_t i = (uint32_t)sonde_mix(key) & (k->size - 1);
    while (k->nodes[i].key && k->nodes[i].key != key) i = (i + 1) & (k->size - 1);
    return &k->nodes[i];
}

static void grow(struct sonde_known *k)
{
    struct node *old = k->nodes;
    uint32_t size = k->size;
    k->size *= 2;
    k->nodes = sonde_calloc(k->size, sizeof *k->nodes);
    for (uint32_t i = 0; i < size; i++)
        if (old[i].key) *find(k, old[i].key) = old[i];
    sonde_free(old);
}

/* Returns the key of the node that a drawn value leads to. A key is a chained hash of all values up to its node, so
 * equal prefixes of different runs share nodes. */
static uint64_t next_key(uint64_t key, uint64_t answer)
{
    key = sonde_mix(key + sonde_mix(answer + UINT64_C(0x9e3779b97f4a7c15)) * 3);
    return key ? key : 1;
}

/* Hashes symbols. The length comes first: "ab" then "c" must differ from "a" then "bc". */
static uint64_t symbols_hash(const uint32_t *symbols, uint32_t n)
{
    uint64_t hash = sonde_mix(n + UINT64_C(0x9e3779b97f4a7c15));
    for (uint32_t i = 0; i < n; i++) hash = sonde_mix(hash + symbols[i]);
    return hash;
}

/* Returns the drawn value as one number: the index of a choice, or the hash of a blob. */
static uint64_t answer_of(struct sonde_known *k, const struct sonde_tape *tape, uint32_t choice)
{
    const struct sonde_choice *c = &tape->choices[choice];
    if (c->kind != SONDE_KIND_BLOB) return c->index;
    struct sonde_blob blob = sonde_choice_blob(tape, c);
    k->symbols = sonde_grow(k->symbols, &k->symbols_cap, (size_t)blob.len + 1, sizeof *k->symbols);
    sonde_blob_read(&blob, k->symbols, blob.len);
    return symbols_hash(k->symbols, blob.len);
}

/* Hashes the domain of a choice, without which an index has no meaning. The base of doubles and blobs is only an
 * offset, so it is left out. The label counts too: equal values under different labels are followed differently. */
static uint64_t domain_of(const struct sonde_choice *c)
{
    bool has_base = c->kind != SONDE_KIND_DOUBLE && c->kind != SONDE_KIND_BLOB;
    return sonde_mix(c->label + sonde_mix(c->max + sonde_mix(has_base ? c->base : c->kind)));
}

/* Hashes a script with its spans: all that a reader of the script can see. */
static uint64_t script_hash(struct sonde_known *k, const struct sonde_tape *script)
{
    uint64_t hash = sonde_mix(script->n_choices + UINT64_C(0x9e3779b97f4a7c15));
    for (uint32_t i = 0; i < script->n_choices; i++) {
        hash = sonde_mix(hash + answer_of(k, script, i));
        hash = sonde_hash_add(hash, domain_of(&script->choices[i]));
    }
    for (uint32_t i = 0; i < script->n_spans; i++) {
        const struct sonde_tape_span *p = &script->spans[i];
        hash = sonde_mix(hash + ((uint64_t)p->label << 32 | p->start));
        hash = sonde_hash_add(hash, (uint64_t)p->next << 32 | p->end);
    }
    return hash ? hash : 1;
}

/* Each node on the path belongs to the first run that passed it: runs that pass it later have the same draws before
 * it. */
void sonde_known_add(struct sonde_known *k, const struct sonde_tape *actual)
{
    k->scripts[k->asked % MAX_SCRIPTS] = k->asked;
    /* A run whose tape is not known, or for which there is no room, is remembered by its script's hash
     * alone. */
    if (actual->n_choices == 0 || k->choices + actual->n_choices > MAX_CHOICES) return;
    k->runs = sonde_grow(k->runs, &k->cap_runs, (size_t)k->n_runs + 1, sizeof *k->runs);
    struct sonde_tape *run = &k->runs[k->n_runs];
    sonde_tape_init(run);
    sonde_tape_copy(run, actual);
    k->choices += run->n_choices;
    uint64_t key = 1;
    for (uint32_t i = 0; i <= run->n_choices; i++) {
        if (2 * k->n_nodes >= k->size) grow(k);
        struct node *p = find(k, key);
        if (!p->key) {
            *p = (struct node){.key = key, .run = k->n_runs, .at = i};
            k->n_nodes++;
        }
        if (i < run->n_choices) key = next_key(key, answer_of(k, run, i));
    }
    k->n_runs++;
}

/* ---- Following a script */

/* A position in `run`, the remembered run that a script is compared with. path[0..depth) are the open spans of the
 * run, and the reader of the script is at the same position. */
struct follower {
    struct sonde_known *known;
    const struct sonde_tape *run;
    uint32_t depth;     /* number of open spans, in known->path */
    uint32_t next_span; /* index of the first span of the run that is not yet opened */
};

/* Closes the innermost span, in the reader too: the script sees the same nesting as in a case. */
static void follow_close(struct follower *f)
{
    sonde_assert(f->depth > 1);
    f->depth--;
    sonde_script_close(&f->known->reader);
}

/* Closes and opens the spans that the run closes and opens before choice `at`. Mirrors a case: spans open when the run
 * opened them, whatever the script holds. */
static void follow_spans(struct follower *f, uint32_t at)
{
    struct sonde_known *k = f->known;
    const struct sonde_tape_span *spans = f->run->spans;
    for (; f->next_span < f->run->n_spans && spans[f->next_span].start <= at; f->next_span++) {
        while (f->depth > 1 && k->path[f->depth - 1] != spans[f->next_span].parent) follow_close(f);
        k->path = sonde_grow(k->path, &k->path_cap, (size_t)f->depth + 1, sizeof *k->path);
        k->path[f->depth++] = f->next_span;
        sonde_script_open(&k->reader, sonde_span_opener(&spans[f->next_span]));
    }
    while (f->depth > 1 && k->path[f->depth - 1] != f->run->choices[at].span) follow_close(f);
}

/* Returns the value that the script would give to draw `at` of the run, in the form of answer_of. */
static uint64_t follow_draw(struct follower *f, uint32_t at)
{
    struct sonde_known *k = f->known;
    const struct sonde_choice *point = &f->run->choices[at];
    const struct sonde_choice *from = sonde_script_next(&k->reader, point->label);
    if (point->kind != SONDE_KIND_BLOB) {
        if (!from || point->max == 0) return 0;
        return sonde_script_index(&k->reader, from, f->run, point);
    }
    struct sonde_blob blob = sonde_choice_blob(f->run, point);
    k->symbols = sonde_grow(k->symbols, &k->symbols_cap, (size_t)blob.max + 1, sizeof *k->symbols);
    uint32_t n = from ? sonde_script_symbols(&k->reader, from, &blob.alphabet, k->symbols, blob.max) : 0;
    while (n < blob.min) k->symbols[n++] = 0;
    return symbols_hash(k->symbols, n);
}

/* Follows the script along one remembered run until the script would give a different value. There the hash of the
 * values so far tells which other run continues. Both runs made the same draws up to this point, so the reader need
 * not restart. */
bool sonde_known_has(struct sonde_known *k, const struct sonde_tape *script, uint32_t *length)
{
    uint64_t key = 1;
    k->asked = script_hash(k, script);
    bool was_run = k->scripts[k->asked % MAX_SCRIPTS] == k->asked;
    *length = UINT32_MAX;
    k->found = UINT32_MAX;
    const struct node *p = find(k, key);
    if (!p->key) return was_run;
    struct follower f = {.known = k, .run = &k->runs[p->run], .depth = 1, .next_span = 1};
    k->path = sonde_grow(k->path, &k->path_cap, 1, sizeof *k->path);
    k->path[0] = 0;
    sonde_script_begin(&k->reader, script);
    for (uint32_t at = 0; at < f.run->n_choices; at++) {
        follow_spans(&f, at);
        uint64_t answer = follow_draw(&f, at);
        key = next_key(key, answer);
        if (answer == answer_of(k, f.run, at)) continue;
        p = find(k, key);
        if (!p->key) return was_run;
        /* two runs with equal values so far have made the same number of draws */
        sonde_assert(p->run < k->n_runs && p->at == at + 1);
        f.run = &k->runs[p->run];
    }
    *length = f.run->n_choices;
    k->found = (uint32_t)(f.run - k->runs);
    return true;
}

const struct sonde_tape *sonde_known_run(const struct sonde_known *k)
{
    return k->found == UINT32_MAX ? NULL : &k->runs[k->found];
}

const struct sonde_tape *sonde_known_runs(const struct sonde_known *k, uint32_t *n)
{
    *n = k->n_runs;
    return k->runs;
}

uint64_t sonde_known_asked(const struct sonde_known *k)
{
    return k->asked;
}
