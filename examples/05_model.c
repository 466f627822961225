/* 05: a model. A random sequence of calls drives a hash map and, beside it, the simplest thing that should behave the
 * same: an array. If their results differ, one of them is wrong.
 *
 * Look for: the commands are a list, so sonde drops those that do not matter. The bug needs six calls in the right
 * order with two keys that collide, among up to a hundred drawn calls. The counterexample has just these. Any API
 * with state can be tested like this: a cache, a queue, a file system, a parser fed in pieces. */
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

static bool map_get(struct map *map, int key, int *value)
{
    struct slot *slot = find(map, key);
    if (slot) *value = slot->value;
    return slot;
}

static bool map_remove(struct map *map, int key)
{
    struct slot *slot = find(map, key);
    if (!slot) return false;
    slot->state = TOMBSTONE;
    return true;
}

/* ---- The model: too simple to be wrong. */

enum { KEYS = 20, FULL = 12 };

struct model {
    bool has[KEYS];
    int value[KEYS];
    int n;
};

/* ---- The property. */

enum op { PUT, GET, REMOVE };

struct command {
    enum op op;
    int key, value;
};

static void print_command(FILE *out, const void *what)
{
    const struct command *c = what;
    if (c->op == PUT) fprintf(out, "put(%d, %d)", c->key, c->value);
    else fprintf(out, "%s(%d)", c->op == GET ? "get" : "remove", c->key);
}

static struct command draw_command(sonde *t)
{
    static const unsigned often[] = {[PUT] = 2, [GET] = 2, [REMOVE] = 1};
    struct command c = {0};
    c.op = (enum op)sonde_weighted(t, "op", often, 3); /* one draw per statement: C defines no order within one */
    c.key = sonde_int(t, "key", 0, KEYS - 1);
    if (c.op == PUT) c.value = sonde_int(t, "value", 0, 9);
    sonde_show(t, print_command, &c); /* each element of a list is a span: this is how it will be printed */
    return c;
}

static void apply(sonde *t, struct command c, struct map *map, struct model *model)
{
    bool *has = &model->has[c.key], is_there = *has;
    int value = model->value[c.key];
    switch (c.op) {
    case PUT:
        if (!*has && model->n == FULL) return; /* the map does not grow */
        map_put(map, c.key, c.value);
        model->n += !*has;
        *has = true;
        model->value[c.key] = c.value;
        return;
    case GET: is_there = map_get(map, c.key, &value); break;
    case REMOVE: is_there = map_remove(map, c.key); break;
    }
    sonde_check_eq(t, is_there, *has);
    if (*has) sonde_check_eq(t, value, model->value[c.key]);
    if (c.op != REMOVE) return;
    model->n -= *has;
    *has = false;
}

static void map_behaves_like_an_array(sonde *t)
{
    struct map map = {0};
    struct model model = {0};
    sonde_list commands = sonde_list_of(t, "commands", 0, 100);
    while (sonde_more(&commands)) apply(t, draw_command(t), &map, &model);
}

SONDE_MAIN(map_behaves_like_an_array)
