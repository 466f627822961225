/* LMDB under power cuts, driven by a machine: whatever is cut, it opens, and holds the values of before or behind the last transaction; behind it if the
 * commit had returned. NOSYNC=1 leaves the syncs out.
 *
 * MDB_NOTLS: a process that only dies in the model gives none of its thread-specific keys back. */
#include <lmdb.h>
#include <sonde.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 8, MOST = 4 };

struct world {
    char folder[64];
    int value[KEYS], next[KEYS];     /* before and behind the transaction */
    int n, keys[MOST], values[MOST]; /* what it changes */
    bool is_done;
    MDB_env *env;
};

static void must(int status)
{
    if (status) abort();
}

static int open_database(struct world *w)
{
    must(mdb_env_create(&w->env));
    return mdb_env_open(w->env, w->folder, MDB_NOTLS | (getenv("NOSYNC") ? MDB_NOSYNC : 0), 0644);
}

static void put_all(struct world *w)
{
    static char bytes[4096];
    MDB_txn *txn;
    MDB_dbi dbi;
    must(mdb_txn_begin(w->env, NULL, 0, &txn));
    must(mdb_dbi_open(txn, NULL, 0, &dbi));
    for (int i = 0; i < w->n; i++) {
        memcpy(bytes, &w->values[i], sizeof(int));
        MDB_val key = {sizeof(int), &w->keys[i]}, value = {sizeof(int) + (size_t)w->values[i] * 40, bytes};
        must(mdb_put(txn, dbi, &key, &value, 0));
    }
    must(mdb_txn_commit(txn));
}

static void start(sonde *t, void *world)
{
    struct world *w = world;
    snprintf(w->folder, sizeof w->folder, "%s/sonde-lmdb-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(w->folder)) abort();
    must(open_database(w));
    put_all(w);
    mdb_env_close(w->env);
    (void)t;
}

static void stop(sonde *t, void *world)
{
    struct world *w = world;
    char path[128];
    snprintf(path, sizeof path, "%s/data.mdb", w->folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/lock.mdb", w->folder);
    unlink(path), rmdir(w->folder);
    (void)t;
}

static void work(void *world)
{
    struct world *w = world;
    must(open_database(w));
    put_all(w);
    w->is_done = true;
    mdb_env_close(w->env);
}

/* Whether all values that are there have the size that they say. */
static bool get_all(struct world *w, int values[KEYS])
{
    bool is_whole = true;
    MDB_txn *txn;
    MDB_dbi dbi;
    must(mdb_txn_begin(w->env, NULL, MDB_RDONLY, &txn));
    must(mdb_dbi_open(txn, NULL, 0, &dbi));
    for (int i = 0; i < KEYS; i++) {
        MDB_val key = {sizeof(int), &i}, value;
        int status = mdb_get(txn, dbi, &key, &value);
        if (status == 0) memcpy(&values[i], value.mv_data, sizeof(int));
        is_whole &= status == 0 ? value.mv_size == sizeof(int) + (size_t)values[i] * 40 : status == MDB_NOTFOUND;
    }
    mdb_txn_abort(txn);
    return is_whole;
}

static void check(sonde *t, struct world *w)
{
    int values[KEYS] = {0};
    sonde_check_eq(t, open_database(w), 0);
    bool is_whole = get_all(w, values);
    mdb_env_close(w->env);
    sonde_check(t, is_whole);
    bool is_old = !memcmp(values, w->value, sizeof values), is_new = !memcmp(values, w->next, sizeof values);
    sonde_check(t, is_new || (is_old && !w->is_done));
    memcpy(w->value, values, sizeof values);
}

static void commit(sonde *t, void *world)
{
    struct world *w = world;
    w->is_done = false;
    memcpy(w->next, w->value, sizeof w->next);
    w->n = sonde_int(t, "n", 1, MOST);
    for (int i = 0; i < w->n; i++) {
        w->keys[i] = sonde_int(t, "key", 0, KEYS - 1);
        w->values[i] = w->next[w->keys[i]] = sonde_int(t, "value", 1, 50);
    }
    sonde_classify(t, sonde_power_cut(t, "cut", work, w), "the power failed");
    check(t, w);
}

static const sonde_rule rules[] = {SONDE_RULE(commit)};
static const sonde_machine machine = {
    .rules = rules, .n_rules = 1, .size = sizeof(struct world), .start = start, .stop = stop, .steps = {1, 4}};

SONDE_PROPERTY(lmdb_survives)
{
    sonde_drive(t, "calls", &machine);
}
SONDE_MAIN()
