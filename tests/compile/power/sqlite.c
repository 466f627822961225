/* SQLite with a rollback journal under power cuts, driven by a machine: whatever is cut, the database is whole and holds the rows of before or behind the
 * last transaction; behind it if the commit had returned. With synchronous=FULL SQLite does not sync the directory behind the removal of the journal, so
 * that the last transaction may be undone as a whole: https://www.sqlite.org/pragma.html#pragma_synchronous. SYNC chooses.
 *
 * SQLite's table of locks is static memory of the process, which survives a process that only dies in the model: hence "unix-none". */
#include <sonde.h>
#include <sqlite3.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 8, MOST = 4 };

struct world {
    char folder[64], path[96];
    int value[KEYS], next[KEYS];     /* rows before and behind the transaction */
    int n, keys[MOST], values[MOST]; /* what it changes */
    bool is_done;
    sqlite3 *db;
};

static const char *synchronous;

static void must(struct world *w, const char *sql)
{
    if (sqlite3_exec(w->db, sql, NULL, NULL, NULL) != SQLITE_OK) abort();
}

static void open_database(struct world *w)
{
    char sql[64];
    if (sqlite3_open_v2(w->path, &w->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix-none")) abort();
    snprintf(sql, sizeof sql, "PRAGMA synchronous=%s", synchronous);
    must(w, sql);
}

static void start(sonde *t, void *world)
{
    struct world *w = world;
    snprintf(w->folder, sizeof w->folder, "%s/sonde-sqlite-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(w->folder)) abort();
    snprintf(w->path, sizeof w->path, "%s/db", w->folder);
    open_database(w);
    must(w, "CREATE TABLE t(k INTEGER PRIMARY KEY, v INTEGER, rest TEXT)");
    sqlite3_close(w->db);
    (void)t;
}

static void stop(sonde *t, void *world)
{
    struct world *w = world;
    char journal[128];
    snprintf(journal, sizeof journal, "%s-journal", w->path);
    unlink(w->path), unlink(journal), rmdir(w->folder);
    (void)t;
}

static void work(void *world)
{
    struct world *w = world;
    char sql[128];
    open_database(w);
    must(w, "BEGIN");
    for (int i = 0; i < w->n; i++) {
        snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO t VALUES(%d, %d, hex(zeroblob(%d)))", w->keys[i],
                 w->values[i], w->values[i] * 40);
        must(w, sql);
    }
    must(w, "COMMIT");
    w->is_done = true;
    sqlite3_close(w->db);
}

static int take(void *rows, int n, char **columns, char **names)
{
    ((int *)rows)[atoi(columns[0])] = atoi(columns[1]);
    (void)n, (void)names;
    return 0;
}

static int is_ok(void *ok, int n, char **columns, char **names)
{
    *(bool *)ok = !strcmp(columns[0], "ok");
    (void)n, (void)names;
    return 0;
}

static void check(sonde *t, struct world *w)
{
    int rows[KEYS] = {0};
    bool is_whole = false;
    open_database(w);
    int status = sqlite3_exec(w->db, "SELECT k, v FROM t", take, rows, NULL);
    sqlite3_exec(w->db, "PRAGMA integrity_check", is_ok, &is_whole, NULL);
    sqlite3_close(w->db);
    sonde_check_eq(t, status, SQLITE_OK);
    sonde_check(t, is_whole);
    bool is_old = !memcmp(rows, w->value, sizeof rows), is_new = !memcmp(rows, w->next, sizeof rows);
    bool must_be_new = w->is_done && strcmp(synchronous, "FULL") != 0;
    sonde_check(t, is_new || (is_old && !must_be_new));
    memcpy(w->value, rows, sizeof rows);
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

SONDE_PROPERTY(sqlite_survives)
{
    sonde_drive(t, "calls", &machine);
}

int main(int argc, char **argv)
{
    synchronous = getenv("SYNC") ? getenv("SYNC") : "EXTRA";
    return sonde_main(argc, argv, NULL, 0);
}
