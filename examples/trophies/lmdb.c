/* LMDB: a cursor over a sorted database, against a sorted array. */
#define _GNU_SOURCE /* mkdtemp */
#include <lmdb.h>
#include <sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 40 };

/* A database with one write transaction, its cursor, and the pairs that should be in it, in order. A pair is a string
 * of two characters: the key and the value. `at` is the pair that the cursor is at; -1 if it is at none. */
struct world {
    char directory[64];
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi dbi;
    MDB_cursor *cursor;
    char pairs[MOST][3];
    int n, at;
};

static void start(sonde *t, void *world)
{
    struct world *w = world;
    w->at = -1;
    snprintf(w->directory, sizeof w->directory, "/tmp/sonde-lmdb-XXXXXX");
    sonde_check(t, mkdtemp(w->directory));
    sonde_check_eq(t, mdb_env_create(&w->env), 0);
    sonde_check_eq(t, mdb_env_open(w->env, w->directory, MDB_NOSYNC | MDB_NOLOCK, 0600), 0);
    sonde_check_eq(t, mdb_txn_begin(w->env, NULL, 0, &w->txn), 0);
    sonde_check_eq(t, mdb_dbi_open(w->txn, NULL, MDB_DUPSORT, &w->dbi), 0);
    sonde_check_eq(t, mdb_cursor_open(w->txn, w->dbi, &w->cursor), 0);
}

static void stop(sonde *t, void *world)
{
    (void)t;
    struct world *w = world;
    char file[100];
    if (w->cursor) mdb_cursor_close(w->cursor);
    if (w->txn) mdb_txn_abort(w->txn);
    if (w->env) mdb_env_close(w->env);
    snprintf(file, sizeof file, "%s/data.mdb", w->directory);
    unlink(file);
    rmdir(w->directory);
}

/* Checks that a call found the pair at an index of the array, or nothing if there is no such pair. */
static void found(sonde *t, struct world *w, int result, const MDB_val *key, const MDB_val *value, int index)
{
    bool is_there = index >= 0 && index < w->n;
    sonde_check_eq(t, result, is_there ? 0 : MDB_NOTFOUND);
    w->at = is_there ? index : -1;
    if (!is_there) return;
    char pair[3] = {*(char *)key->mv_data, *(char *)value->mv_data, '\0'};
    sonde_check_eq(t, pair, w->pairs[index]);
}

/* Where the cursor is after a put is not promised. */
static void put(sonde *t, void *world)
{
    struct world *w = world;
    int i = 0;
    char pair[3] = {(char)sonde_int(t, "key", 'a', 'd'), (char)sonde_int(t, "value", '0', '3'), '\0'};
    sonde_assume(t, w->n < MOST);
    MDB_val key = {1, pair}, value = {1, pair + 1};
    sonde_check_eq(t, mdb_put(w->txn, w->dbi, &key, &value, 0), 0);
    w->at = -1;
    while (i < w->n && strcmp(w->pairs[i], pair) < 0) i++;
    if (i < w->n && !strcmp(w->pairs[i], pair)) return;
    memmove(w->pairs[i + 1], w->pairs[i], (size_t)(w->n++ - i) * sizeof *w->pairs);
    memcpy(w->pairs[i], pair, sizeof pair);
}

static void seek(sonde *t, void *world)
{
    struct world *w = world;
    int i = 0;
    char from = (char)sonde_int(t, "key", 'a', 'd');
    MDB_val key = {1, &from}, value;
    while (i < w->n && w->pairs[i][0] < from) i++;
    found(t, w, mdb_cursor_get(w->cursor, &key, &value, MDB_SET_RANGE), &key, &value, i);
}

static bool is_at_a_pair(const void *world)
{
    return ((const struct world *)world)->at >= 0;
}

static void next(sonde *t, void *world)
{
    struct world *w = world;
    MDB_val key, value;
    found(t, w, mdb_cursor_get(w->cursor, &key, &value, MDB_NEXT), &key, &value, w->at + 1);
}

static void previous(sonde *t, void *world)
{
    struct world *w = world;
    MDB_val key, value;
    found(t, w, mdb_cursor_get(w->cursor, &key, &value, MDB_PREV), &key, &value, w->at - 1);
}

/* Deletes the pair at the cursor; MDB_NEXT then returns the pair that followed it. */
static void delete_and_next(sonde *t, void *world)
{
    struct world *w = world;
    MDB_val key, value;
    sonde_check_eq(t, mdb_cursor_del(w->cursor, 0), 0);
    memmove(w->pairs[w->at], w->pairs[w->at + 1], (size_t)(--w->n - w->at) * sizeof *w->pairs);
    found(t, w, mdb_cursor_get(w->cursor, &key, &value, MDB_NEXT), &key, &value, w->at);
}

static const sonde_rule rules[] = {SONDE_RULE(put, .weight = 3), SONDE_RULE(seek),
                                   SONDE_RULE(next, .when = is_at_a_pair), SONDE_RULE(previous, .when = is_at_a_pair),
                                   SONDE_RULE(delete_and_next, .when = is_at_a_pair)};
static const sonde_machine cursor = {SONDE_RULES(rules), .size = sizeof(struct world), .start = start, .stop = stop};

static void a_cursor_walks_like_an_array(sonde *t)
{
    sonde_drive(t, "calls", &cursor);
}

SONDE_MAIN(a_cursor_walks_like_an_array)
