/* 18: a machine. The hash map of example 05 again, with less code: each kind of call is a rule; sonde makes the calls.
 *
 * Look for: a rule draws its arguments, makes the call and checks it against the model. `.when` excludes calls that the
 * code does not allow, before they are drawn. The counterexample is the six calls that matter, and `--as-c` prints
 * them as a C program. */
#include <sonde.h>

/* ---- The code under test: open addressing with tombstones. It has a bug. */

enum { SLOTS = 16, BUCKETS = 4 };
enum { FREE, TAKEN, TOMBSTONE };

struct map {
    struct slot {
        int state, key, value;
    } slots[SLOTS];
};

/* Returns the i-th slot to check for a key: first the slots of its bucket, then the following ones. */
static struct slot *probe(struct map *map, int key, int i)
{
    int start = key % BUCKETS * (SLOTS / BUCKETS);
    return &map->slots[(start + i) % SLOTS];
}

static struct slot *find(struct map *map, int key)
{
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = probe(map, key, i);
        if (slot->state == FREE) return NULL; /* a tombstone does not end the search */
        if (slot->state == TAKEN && slot->key == key) return slot;
    }
    return NULL;
}

static void map_put(struct map *map, int key, int value)
{
    for (int i = 0; i < SLOTS; i++) {
        struct slot *slot = probe(map, key, i);
        if (slot->state == TAKEN && slot->key != key) continue;
        *slot = (struct slot){TAKEN, key, value};
        return;
    }
}

static int map_get(struct map *map, int key) /* returns 0 if the key is not there */
{
    struct slot *slot = find(map, key);
    return slot ? slot->value : 0;
}

static void map_remove(struct map *map, int key)
{
    struct slot *slot = find(map, key);
    if (slot) slot->state = TOMBSTONE;
}

/* ---- The world: the map, and beside it the model, too simple to be wrong. */

enum { KEYS = 20, FULL = 12 };

struct world {
    struct map map;
    int model[KEYS]; /* value by key; 0: not there */
    int n;
};

/* ---- The rules. */

static bool has_room(const void *world)
{
    return ((const struct world *)world)->n < FULL; /* the map does not grow */
}

static void put(sonde *t, void *world)
{
    struct world *w = world;
    int key = sonde_int(t, "key", 0, KEYS - 1);
    int value = sonde_int(t, "value", 1, 9);
    map_put(&w->map, key, value);
    w->n += !w->model[key];
    w->model[key] = value;
}

static void get(sonde *t, void *world)
{
    struct world *w = world;
    int key = sonde_int(t, "key", 0, KEYS - 1);
    sonde_check_eq(t, map_get(&w->map, key), w->model[key]);
}

static void erase(sonde *t, void *world)
{
    struct world *w = world;
    int key = sonde_int(t, "key", 0, KEYS - 1);
    map_remove(&w->map, key);
    w->n -= w->model[key] != 0;
    w->model[key] = 0;
}

static const sonde_rule rules[] = {
    SONDE_RULE(put, .when = has_room, .weight = 2),
    SONDE_RULE(get, .weight = 2),
    SONDE_RULE(erase),
};
static const sonde_machine map = {SONDE_RULES(rules), .size = sizeof(struct world)};

static void map_acts_like_an_array(sonde *t)
{
    sonde_drive(t, "calls", &map);
}

SONDE_MAIN(map_acts_like_an_array)
