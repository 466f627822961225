/* The table of locks and similar objects; see objects.h. Taking an object is an acquire in the sense of happens.h, and
 * giving it up is a release. */
#include "objects.h"

#include "heap.h"
#include "shadow.h"

#include <stdio.h>
#include <string.h>

enum { OBJECTS = 1 << 14 }; /* maximum number of objects of one run; more are an error, since each lock needs a state */
static struct sonde_object objects[OBJECTS];

static const struct sonde_table table = SONDE_TABLE(objects, OBJECTS);

/* Returns the object, or NULL if it was not used in this run. */
static struct sonde_object *look_up(const void *address)
{
    return sonde_table_find(&table, address, sonde_control.run);
}

struct sonde_object *sonde_object_at(const void *address, const char *kind)
{
    bool is_new;
    struct sonde_object *o = sonde_table_enter(&table, address, sonde_control.run, &is_new);
    if (!o)
        sonde_misused(sonde_control.running->site, "sonde_threads: more than %d locks in one run; use fewer", OBJECTS);
    if (is_new) *o = (struct sonde_object){.slot = o->slot, .owner = SONDE_NO_OWNER, .kind = kind};
    return o;
}

/* The first word of a destroyed object. In a valid object the C library never has this value there. */
static const uint32_t destroyed = UINT32_C(0x5dde5dde);

void sonde_object_destroy(void *address)
{
    memcpy(address, &destroyed, sizeof destroyed);
}

void sonde_object_check(const void *address, const char *kind, const void *site)
{
    uint32_t word;
    sonde_gone_check(address, kind, site);
    memcpy(&word, address, sizeof word);
    if (word == destroyed)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u uses a %s that was destroyed", sonde_control.running->id,
                      kind);
}

struct sonde_object *sonde_object_use(const void *address, const char *kind, const void *site)
{
    sonde_object_check(address, kind, site);
    return sonde_object_at(address, kind);
}

void sonde_object_reset(const void *address)
{
    struct sonde_object *o = look_up(address);
    if (!o) return;
    if (o->owner != SONDE_NO_OWNER) sonde_control.fibers[o->owner].locks_held--;
    o->owner = SONDE_NO_OWNER;
    o->count = o->readers = 0;
    o->is_abandoned = o->is_lost = false;
}

void sonde_object_begin(const void *address, const char *kind, const void *site)
{
    sonde_gone_check(address, kind, site);
    sonde_object_reset(address);
}

/* To destroy a lock that is held or waited for is undefined in POSIX, and most programs then fail only much later. */
void sonde_object_end(const void *address, const char *kind, const void *site)
{
    struct sonde_object *o = sonde_object_use(address, kind, site);
    uint32_t own = sonde_control.running->id;
    if (o->owner != SONDE_NO_OWNER)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u destroys a %s that thread %d has locked", own, kind,
                      (int)o->owner);
    if (o->readers)
        sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u destroys a %s that a reader has locked", own, kind);
    for (uint32_t i = 0; i < sonde_control.n_fibers; i++)
        if (sonde_control.fibers[i].state == SONDE_WAITS && sonde_control.fibers[i].object == address)
            sonde_end_run(SONDE_SCHEDULE_WRONG, site, "thread %u destroys a %s that thread %u waits for", own, kind, i);
    sonde_object_reset(address);
}

/* Wakes all waiters, of which one gets the mutex, with EOWNERDEAD. */
void sonde_objects_abandon(struct sonde_fiber *f)
{
    for (struct sonde_object *o = objects; f->locks_held && o < objects + OBJECTS; o++) {
        if (o->slot.run != sonde_control.run || o->owner != (int32_t)f->id || !o->is_robust) continue;
        sonde_object_give(o);
        o->is_abandoned = true;
        sonde_wake(o->slot.address, UINT32_MAX);
    }
}

/* Returns the entry of a lock that a thread holds for reading, or NULL. */
static struct sonde_reading *reading_of(struct sonde_fiber *f, const void *object)
{
    for (struct sonde_reading *r = f->readings; r < f->readings + f->n_readings; r++)
        if (r->object == object) return r;
    return NULL;
}

/* Returns whether all read locks of a thread are recorded. If it holds too many, sonde reports nothing about them. */
static bool knows_readings(const struct sonde_fiber *f)
{
    return f->n_readings < SONDE_READINGS;
}

void sonde_object_read(struct sonde_object *o, const void *site)
{
    struct sonde_fiber *f = sonde_control.running;
    struct sonde_reading *r = reading_of(f, o->slot.address);
    o->readers++;
    sonde_acquire(o->slot.address);
    if (r) r->n++;
    else if (knows_readings(f)) f->readings[f->n_readings++] = (struct sonde_reading){o->slot.address, site, 1};
}

bool sonde_object_unread(struct sonde_object *o)
{
    struct sonde_fiber *f = sonde_control.running;
    struct sonde_reading *r = reading_of(f, o->slot.address);
    if (!r && knows_readings(f)) return false;
    o->readers--;
    sonde_release(o->slot.address);
    if (r && --r->n == 0) *r = f->readings[--f->n_readings];
    return true;
}

void sonde_object_take(struct sonde_object *o, const void *site)
{
    o->owner = (int32_t)sonde_control.running->id;
    o->site = site;
    sonde_control.running->locks_held++;
    sonde_acquire(o->slot.address);
}

void sonde_object_give(struct sonde_object *o)
{
    sonde_release(o->slot.address);
    sonde_control.fibers[o->owner].locks_held--;
    o->owner = SONDE_NO_OWNER;
}

/* Writes which threads hold the lock for reading. */
static void name_readers(const struct sonde_object *o, char *out, size_t size)
{
    size_t n = 0;
    for (uint32_t i = 0; i < sonde_control.n_fibers && n < size; i++)
        if (reading_of(&sonde_control.fibers[i], o->slot.address))
            n += (size_t)snprintf(out + n, size - n, "%s thread %u", n ? "," : " held for reading by", i);
}

void sonde_holder_of(const void *object, char *out, size_t size)
{
    struct sonde_object *o = look_up(object);
    *out = '\0';
    if (!o) return;
    if (o->owner != SONDE_NO_OWNER) snprintf(out, size, " that thread %d holds", (int)o->owner);
    else if (o->readers) name_readers(o, out, size);
}

const char *sonde_held_by(const struct sonde_fiber *f, const void **site)
{
    if (f->n_readings && knows_readings(f)) {
        *site = f->readings[0].site;
        return "lock for reading";
    }
    if (!f->locks_held) return NULL;
    for (struct sonde_object *o = objects; o < objects + OBJECTS; o++) {
        if (o->slot.run != sonde_control.run || o->owner != (int32_t)f->id) continue;
        *site = o->site;
        return o->kind;
    }
    return NULL;
}

static void check_object(const void *entry)
{
    const struct sonde_object *o = entry;
    sonde_assert(o->kind && o->owner >= SONDE_NO_OWNER && o->owner < (int32_t)sonde_control.n_fibers);
    sonde_assert(o->owner == SONDE_NO_OWNER || !o->readers);
}

/* Checks each object, and compares the number of locks that each fiber counts with the table. */
void sonde_objects_check(void)
{
    sonde_table_check(&table, sonde_control.run, check_object);
    for (uint32_t i = 0; i < sonde_control.n_fibers; i++) {
        uint32_t held = 0;
        for (struct sonde_object *o = objects; o < objects + OBJECTS; o++)
            held += o->slot.run == sonde_control.run && o->owner == (int32_t)i;
        sonde_assert(held == sonde_control.fibers[i].locks_held);
    }
}
