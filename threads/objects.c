/* See objects.h. */
#include "objects.h"

#include <stdio.h>

enum { OBJECTS = 1 << 14 };
static struct sonde_object objects[OBJECTS];

static size_t slot_of(const void *address)
{
    return (size_t)((((uint64_t)(uintptr_t)address >> 2) * UINT64_C(0x9e3779b97f4a7c15)) >> 48) % OBJECTS;
}

static struct sonde_object *look_up(const void *address)
{
    size_t slot = slot_of(address);
    for (size_t i = 0; i < OBJECTS; i++, slot = (slot + 1) % OBJECTS) {
        struct sonde_object *o = &objects[slot];
        if (o->run != sonde_control.run || o->address == address) return o;
    }
    return NULL;
}

struct sonde_object *sonde_object_at(const void *address, const char *kind)
{
    struct sonde_object *o = look_up(address);
    if (!o)
        sonde_misused(sonde_control.running->site, "sonde_threads: more than %d locks in one run; use fewer", OBJECTS);
    if (o->run == sonde_control.run) return o;
    *o = (struct sonde_object){.address = address, .run = sonde_control.run, .owner = SONDE_NOBODY, .kind = kind};
    return o;
}

void sonde_object_forget(const void *address)
{
    struct sonde_object *o = look_up(address);
    if (!o || o->run != sonde_control.run) return;
    if (o->owner != SONDE_NOBODY) sonde_control.fibers[o->owner].locks_held--;
    o->owner = SONDE_NOBODY;
    o->count = o->readers = 0;
}

void sonde_object_take(struct sonde_object *o, const void *site)
{
    o->owner = (int32_t)sonde_control.running->id;
    o->site = site;
    sonde_control.running->locks_held++;
}

void sonde_object_give(struct sonde_object *o)
{
    sonde_control.fibers[o->owner].locks_held--;
    o->owner = SONDE_NOBODY;
}

void sonde_holder_of(const void *object, char *out, size_t size)
{
    struct sonde_object *o = look_up(object);
    *out = '\0';
    if (!o || o->run != sonde_control.run) return;
    if (o->owner != SONDE_NOBODY) snprintf(out, size, " that thread %d holds", (int)o->owner);
    else if (o->readers) snprintf(out, size, " that %u reader%s", o->readers, o->readers == 1 ? " holds" : "s hold");
}

const char *sonde_held_by(const struct sonde_fiber *f, const void **site)
{
    if (!f->locks_held) return NULL;
    for (struct sonde_object *o = objects; o < objects + OBJECTS; o++) {
        if (o->run != sonde_control.run || o->owner != (int32_t)f->id) continue;
        *site = o->site;
        return o->kind;
    }
    return NULL;
}
