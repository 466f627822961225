/* Vector clocks of threads and objects; happens.h has the rules. Entry i of a vector is the clock of thread i up
 * to which its actions happen before the owner of the vector. To acquire is to take the maximum of each entry; to
 * release is to store the maximum and then to advance the thread's clock. */
#include "happens.h"

#include "table.h"

#include <string.h>

enum {
    OBJECTS = 1 << 12, /* maximum number of locks and atomics of one run; further ones share `overflow` */
    PROBES = 32        /* number of entries that are tried for one address */
};

typedef uint32_t clock_vector[SONDE_CLOCKS];

/* The clocks of a thread. */
static struct clocks {
    clock_vector now;
    clock_vector fenced; /* `now` at the last release fence; all 0 if there was none */
    clock_vector loaded; /* clocks found by loads that did not acquire; for the next acquire fence */
} threads[SONDE_CLOCKS];
/* Number of threads of this run that have a clock. Entries of later threads are 0 in every vector. Before the first run
 * all entries count as used, so that the first sonde_happens_begin initialises them all. */
static uint32_t n_used = SONDE_CLOCKS;

/* The clock of a lock, semaphore or atomic. */
static struct object {
    struct sonde_slot slot;
    uint32_t head; /* the thread whose stores continue the release sequence */
    clock_vector released;
} objects[OBJECTS];
static const struct sonde_table table = SONDE_TABLE(objects, PROBES);

/* Returns the object at an address, with a zero clock if it is new in this run; NULL if the table is full. */
static struct object *object_at(const void *address)
{
    bool is_new;
    struct object *o = sonde_table_enter(&table, address, sonde_control.run, &is_new);
    if (is_new) *o = (struct object){.slot = o->slot};
    return o;
}

/* Takes the maximum of each entry. */
static void join(uint32_t *to, const uint32_t *from)
{
    for (uint32_t i = 0; i < n_used; i++)
        if (from[i] > to[i]) to[i] = from[i];
}

/* Returns the clocks of the running thread, NULL if it has none. */
static struct clocks *own(void)
{
    uint32_t id = sonde_control.running->id;
    return id < SONDE_CLOCKS ? &threads[id] : NULL;
}

/* Advances the clock of a thread after a release, so that later accesses do not count as released. */
static void tick(struct clocks *c)
{
    c->now[c - threads]++;
}

void sonde_happens_begin(void)
{
    memset(threads, 0, n_used * sizeof *threads);
    for (uint32_t i = 0; i < n_used; i++) threads[i].now[i] = 1;
    n_used = 1;
}

uint32_t sonde_clock_of(uint32_t thread)
{
    return thread < SONDE_CLOCKS ? threads[thread].now[thread] : 0;
}

bool sonde_is_before(uint32_t a, uint32_t at, uint32_t b)
{
    return a == b || a >= SONDE_CLOCKS || b >= SONDE_CLOCKS || at <= threads[b].now[a];
}

/* ---- Locks, semaphores, joins: an acquire takes everything that was released to the object */

/* Objects that do not fit into the table share this clock. It orders more accesses than separate clocks would, so a
 * race may be missed, but none is invented. */
static clock_vector overflow;
static uint32_t overflow_run;

/* Returns the clock of what was released to an object. */
static uint32_t *released_to(const void *object)
{
    struct object *o = object_at(object);
    if (o) return o->released;
    if (overflow_run != sonde_control.run) memset(overflow, 0, sizeof overflow);
    overflow_run = sonde_control.run;
    return overflow;
}

void sonde_release_seen(const void *object)
{
    struct clocks *c = own();
    if (!c) return;
    join(released_to(object), c->now);
    tick(c);
}

void sonde_acquire_seen(const void *object)
{
    struct clocks *c = own();
    if (c) join(c->now, released_to(object));
}

void sonde_fork_seen(const struct sonde_fiber *new)
{
    struct clocks *c = own();
    if (!sonde_finds_races() || !c || new->id >= SONDE_CLOCKS) return;
    if (n_used <= new->id) n_used = new->id + 1;
    join(threads[new->id].now, c->now);
    tick(c);
}

/* ---- Atomics and fences */

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST
           || order == __ATOMIC_CONSUME;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

/* A relaxed load keeps what it found for a later acquire fence. */
void sonde_load_seen(const void *atomic, int order)
{
    struct clocks *c = own();
    if (c) join(acquires(order) ? c->now : c->loaded, released_to(atomic));
}

/* Releases to an atomic. A relaxed store releases only what the last release fence covered. */
static void publish(struct clocks *c, const void *atomic, int order)
{
    join(released_to(atomic), releases(order) ? c->now : c->fenced);
    if (releases(order)) tick(c);
}

/* A store by another thread ends the release sequence, so what was released before is dropped. */
void sonde_store_seen(const void *atomic, int order)
{
    struct clocks *c = own();
    struct object *o = object_at(atomic);
    if (!c) return;
    if (o && o->head != sonde_control.running->id) memset(o->released, 0, sizeof o->released);
    if (o) o->head = sonde_control.running->id;
    publish(c, atomic, order);
}

void sonde_update_seen(const void *atomic, int order)
{
    struct clocks *c = own();
    if (!c) return;
    sonde_load_seen(atomic, order);
    publish(c, atomic, order);
}

/* To release, keeps a copy of the clock for later stores. To acquire, takes the clocks that earlier loads have
 * found. */
void sonde_fence_seen(int order)
{
    struct clocks *c = own();
    if (!c) return;
    if (acquires(order)) join(c->now, c->loaded);
    if (!releases(order)) return;
    memcpy(c->fenced, c->now, sizeof c->fenced);
    tick(c);
}

/* Asserts that a vector knows nothing about threads that do not exist, or about the future of others. */
static void check_vector(const uint32_t *clocks)
{
    for (uint32_t i = 0; i < SONDE_CLOCKS; i++) {
        sonde_assert(i < n_used || clocks[i] == 0);
        sonde_assert(clocks[i] <= threads[i].now[i]); /* no vector is ahead of the thread's clock */
    }
}

static void check_object(const void *entry)
{
    check_vector(((const struct object *)entry)->released);
}

void sonde_happens_check(void)
{
    for (uint32_t i = 0; i < n_used; i++) {
        check_vector(threads[i].now);
        check_vector(threads[i].fenced);
        check_vector(threads[i].loaded);
    }
    sonde_table_check(&table, sonde_control.run, check_object);
}
