/* A store of keys and values in a file, and a process that may die: compaction writes over the file that it reads from, so a crash
 * in the middle of it loses what was there. Another one compacts into a new file that takes the place of the old one: no crash harms it. But it
 * does not wait for the disk before it renames, so a power cut may leave the name without the data. */
#include "machines/subjects.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEYS = 8 };

struct store {
    char path[32];
    unsigned char values[KEYS]; /* as loaded; 0: not there */
    unsigned n_records;         /* in the file */
    unsigned char model[KEYS];
};

/* ---- The code under test */

static void append_to(int fd, unsigned key, unsigned value)
{
    const unsigned char record[2] = {(unsigned char)key, (unsigned char)value};
    if (write(fd, record, sizeof record) != sizeof record) abort();
}

static void store_put(struct store *s, unsigned key, unsigned value)
{
    int fd = open(s->path, O_WRONLY | O_APPEND);
    append_to(fd, key, value);
    close(fd);
    s->values[key] = (unsigned char)value;
    s->n_records++;
}

static void store_compact(void *what)
{
    struct store *s = what;
    int fd = open(s->path, O_WRONLY | O_TRUNC); /* should be another file, renamed at the end */
    s->n_records = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        if (!s->values[key]) continue;
        append_to(fd, key, s->values[key]);
        s->n_records++;
    }
    close(fd);
}

static void store_replace(void *what)
{
    struct store *s = what;
    char path[48];
    snprintf(path, sizeof path, "%s.new", s->path);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    s->n_records = 0;
    for (unsigned key = 0; key < KEYS; key++) {
        if (!s->values[key]) continue;
        append_to(fd, key, s->values[key]);
        s->n_records++;
    }
    close(fd); /* should be made safe before */
    if (rename(path, s->path)) abort();
}

static void store_load(struct store *s)
{
    unsigned char record[2];
    int fd = open(s->path, O_RDONLY);
    memset(s->values, 0, sizeof s->values);
    for (s->n_records = 0; read(fd, record, sizeof record) == sizeof record; s->n_records++)
        s->values[record[0] % KEYS] = record[1];
    close(fd);
}

/* ---- The machine */

static bool has_garbage(const void *world)
{
    const struct store *s = world;
    unsigned live = 0;
    for (unsigned key = 0; key < KEYS; key++) live += s->values[key] != 0;
    return s->n_records > live;
}

static void start(sonde *t, void *world)
{
    struct store *s = world;
    strcpy(s->path, "/tmp/sonde-store-XXXXXX");
    int fd = mkstemp(s->path);
    sonde_assume(t, fd >= 0);
    close(fd);
}

static void stop(sonde *t, void *world)
{
    char path[48];
    const struct store *s = world;
    (void)t;
    snprintf(path, sizeof path, "%s.new", s->path);
    unlink(path);
    unlink(s->path);
}

static void put(sonde *t, void *world)
{
    struct store *s = world;
    unsigned key = sonde_u32(t, "key", 0, KEYS - 1), value = sonde_u32(t, "value", 1, 9);
    store_put(s, key, value);
    s->model[key] = (unsigned char)value;
}

static void compact(sonde *t, void *world)
{
    if (sonde_crash(t, "dies", store_compact, world)) store_load(world);
}

static void replace(sonde *t, void *world)
{
    if (sonde_power_cut(t, "fails", store_replace, world)) store_load(world);
}

static void get(sonde *t, void *world)
{
    const struct store *s = world;
    unsigned key = sonde_u32(t, "key", 0, KEYS - 1);
    sonde_check_eq(t, s->values[key], s->model[key]);
}

void machine_store(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(put), SONDE_RULE(compact, .when = has_garbage), SONDE_RULE(get)};
    static const sonde_machine machine = {
        .rules = rules, .n_rules = 3, .size = sizeof(struct store), .start = start, .stop = stop};
    sonde_drive(t, "calls", &machine);
}

void machine_power(sonde *t)
{
    static const sonde_rule rules[] = {SONDE_RULE(put), SONDE_RULE(replace, .when = has_garbage), SONDE_RULE(get)};
    static const sonde_machine machine = {
        .rules = rules, .n_rules = 3, .size = sizeof(struct store), .start = start, .stop = stop};
    sonde_drive(t, "calls", &machine);
}
