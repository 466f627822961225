/* The power cut: draws which changes of contents and names are lost, and notes them (model.h).
 *
 * The simplest draws lose nothing, so a shrunk case loses only what it must. Names are drawn first: if the name of a
 * file is lost, its bytes need not be drawn. A file with many changed sectors is drawn in larger parts, not with more
 * draws. */
#include "base/digits.h"
#include "base/mem.h"
#include "case/case.h"
#include "case/disk/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PARTS = 64,     /* at most this many parts of one file are drawn separately */
    GROUPS = 64,    /* at most this many groups of operations on names are drawn separately */
    VERSIONS = 64,  /* at most this many versions of one part are kept; the last one kept is always the oldest */
    RANGES_MAX = 3, /* a note names at most this many ranges of a file */
    NOTES_MAX = 24  /* at most this many losses get a separate note */
};

/* Draws 0..n-1, evenly or by weights. Reports do not show the choice, since a note describes it. */
static size_t draw(struct disk *disk, const char *label, const unsigned *weights, size_t n)
{
    sonde *t = disk->t;
    if (n < 2) return 0;
    size_t at = weights ? sonde_weighted(t, label, weights, n) : sonde_pick(t, label, n);
    t->tape.choices[t->tape.n_choices - 1].flags |= SONDE_CHOICE_RULE;
    return at;
}

__attribute__((format(printf, 2, 3))) static void note(struct disk *disk, const char *format, ...)
{
    char text[1024];
    va_list args;
    if (!disk->t->shows || ++disk->n_notes > NOTES_MAX + 1) return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (disk->n_notes > NOTES_MAX) snprintf(text, sizeof text, "power cut: more was lost than is listed here");
    sonde_note(disk->t, "%s", text);
}

/* ---- Contents */

/* Ranges of a file that the cut has changed. */
struct lost {
    uint64_t at[RANGES_MAX], n[RANGES_MAX];
    uint32_t ranges;
    uint64_t end; /* the larger of the file's lengths before and after the cut */
};

static void add_lost(struct lost *lost, uint64_t at, uint64_t n)
{
    uint32_t last = lost->ranges - 1;
    if (at + n > lost->end) n = lost->end - at;
    if (lost->ranges && last < RANGES_MAX && lost->at[last] + lost->n[last] == at) {
        lost->n[last] += n;
        return;
    }
    if (lost->ranges < RANGES_MAX) lost->at[lost->ranges] = at, lost->n[lost->ranges] = n;
    lost->ranges++;
}

static void read_now(const struct disk_node *node, uint8_t *to, uint64_t at, uint64_t n)
{
    uint64_t done = sonde_disk_read(node->fd, to, n, at);
    memset(to + done, 0, n - done);
}

static void write_now(const struct disk_node *node, const uint8_t *from, uint64_t at, uint64_t n)
{
    uint64_t done = 0;
    while (done < n) {
        ssize_t put = pwrite(node->fd, from + done, n - done, (off_t)(at + done));
        if (put <= 0) return;
        done += (uint64_t)put;
    }
}

static bool overlaps(const struct disk_record *r, uint64_t at, uint64_t n)
{
    return r->at < at + n && at < r->at + r->n;
}

/* Restores the bytes that the record replaced. */
static void undo(const struct disk_record *r, uint8_t *part, uint64_t at, uint64_t n)
{
    uint64_t from = r->at > at ? r->at : at, end = r->at + r->n < at + n ? r->at + r->n : at + n;
    for (uint64_t i = from; i < end;) {
        uint64_t in = i - r->at, there = in < r->n_old ? r->n_old - in : 0;
        uint64_t run = there ? (there < end - i ? there : end - i) : end - i;
        if (there) memcpy(part + (i - at), r->old + in, run);
        else memset(part + (i - at), 0, run);
        i += run;
    }
}

/* All versions of a part of a file that the disk may hold, newest first. */
struct versions {
    uint8_t *bytes[VERSIONS];
    uint32_t n;
};

static void add_version(struct versions *v, const uint8_t *part, uint64_t n)
{
    if (v->n && memcmp(v->bytes[v->n - 1], part, n) == 0) return;
    /* The new version is older than all others. The oldest one must be kept, so the new one replaces the last. */
    if (v->n == VERSIONS) sonde_free(v->bytes[--v->n]);
    v->bytes[v->n] = sonde_own_malloc(n);
    memcpy(v->bytes[v->n++], part, n);
}

/* Lists the versions of a part, if the file gets a length that it had in `epoch`. A truncation after that epoch is
 * lost, so it is undone with all later changes. A truncation up to that epoch is not undone, and neither are changes
 * before it. */
static void list_versions(const struct disk_node *node, uint32_t epoch, uint64_t at, uint64_t n, struct versions *v)
{
    uint8_t *part = sonde_own_malloc(n);
    *v = (struct versions){0};
    read_now(node, part, at, n);
    add_version(v, part, n);
    for (uint32_t i = node->n_records; i-- > 0;) {
        const struct disk_record *r = &node->records[i];
        if (!overlaps(r, at, n)) continue;
        if (r->is_shrink && r->epoch <= epoch) break;
        undo(r, part, at, n);
        if (r->is_shrink)
            while (v->n) sonde_free(v->bytes[--v->n]);
        add_version(v, part, n);
    }
    sonde_free(part);
}

static void cut_part(struct disk *disk, struct disk_node *node, uint32_t epoch, uint64_t at, uint64_t n, bool loses_all,
                     struct lost *lost)
{
    struct versions v;
    uint8_t *now = sonde_own_malloc(n);
    read_now(node, now, at, n);
    list_versions(node, epoch, at, n, &v);
    size_t which = loses_all ? v.n - 1 : draw(disk, "block", NULL, v.n);
    if (memcmp(now, v.bytes[which], n) != 0) {
        write_now(node, v.bytes[which], at, n);
        add_lost(lost, at, n);
    }
    for (uint32_t i = 0; i < v.n; i++) sonde_free(v.bytes[i]);
    sonde_free(now);
}

/* Ranges of changed sectors, in ascending order and without overlap. */
struct spans {
    struct span {
        uint64_t from, end;
    } * all;
    uint32_t n;
    uint64_t part; /* size of a part in bytes; a part is drawn as a whole */
};

static int by_start(const void *a, const void *b)
{
    uint64_t x = ((const struct span *)a)->from, y = ((const struct span *)b)->from;
    return x < y ? -1 : x > y;
}

static struct spans find_spans(const struct disk_node *node)
{
    struct spans s = {.all = sonde_own_malloc((node->n_records + 1) * sizeof *s.all)};
    uint64_t sectors = 0;
    for (uint32_t i = 0; i < node->n_records; i++) {
        const struct disk_record *r = &node->records[i];
        s.all[i].from = r->at / DISK_SECTOR * DISK_SECTOR;
        s.all[i].end = (r->at + r->n + DISK_SECTOR - 1) / DISK_SECTOR * DISK_SECTOR;
    }
    qsort(s.all, node->n_records, sizeof *s.all, by_start);
    for (uint32_t i = 0; i < node->n_records; i++) {
        struct span *last = s.n ? &s.all[s.n - 1] : NULL;
        if (!last || s.all[i].from > last->end) s.all[s.n++] = s.all[i];
        else if (s.all[i].end > last->end) last->end = s.all[i].end;
    }
    for (uint32_t i = 0; i < s.n; i++) sectors += (s.all[i].end - s.all[i].from) / DISK_SECTOR;
    s.part = (sectors / PARTS + 1) * DISK_SECTOR;
    return s;
}

static struct disk_length draw_length(struct disk *disk, const struct disk_node *node, bool loses_all)
{
    struct stat info;
    struct disk_length now = {.n = fstat(node->fd, &info) ? 0 : (uint64_t)info.st_size, .epoch = node->epoch};
    if (!node->n_lengths) return now;
    if (loses_all) return node->lengths[0];
    size_t *different = sonde_own_malloc(node->n_lengths * sizeof *different), n = 0;
    for (uint32_t i = node->n_lengths; i-- > 0;)
        if (!n || node->lengths[i].n != node->lengths[different[n - 1]].n) different[n++] = i;
    struct disk_length length = node->lengths[different[draw(disk, "length", NULL, n)]];
    sonde_free(different);
    return length;
}

static void note_lost(struct disk *disk, const struct disk_node *node, const struct lost *lost, uint64_t length,
                      uint64_t was)
{
    char text[400], a[32], b[32];
    int n = snprintf(text, sizeof text, "power cut: %.100s", node->name);
    if (length != was)
        n += snprintf(text + n, sizeof text - (size_t)n, " has %s byte%s instead of %s%s", sonde_grouped(length, a),
                      sonde_plural(length), sonde_grouped(was, b), lost->ranges ? " and" : "");
    for (uint32_t i = 0; i < lost->ranges && i < RANGES_MAX; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s %s byte%s at %s", i ? "," : " has lost",
                      sonde_grouped(lost->n[i], a), sonde_plural(lost->n[i]), sonde_grouped(lost->at[i], b));
    if (lost->ranges > RANGES_MAX) n += snprintf(text + n, sizeof text - (size_t)n, " and more");
    note(disk, "%s: %s", text,
         node->fsync_failed ? "an fsync failed, and a later fsync does not write the data again"
                            : "no fsync since it was written");
}

/* Draws what is left of a file and writes it. `loses_all`: only safe data is left. */
static void cut_contents(struct disk *disk, struct disk_node *node, bool loses_all)
{
    struct stat info;
    struct lost lost = {.ranges = 0};
    uint64_t was = fstat(node->fd, &info) ? 0 : (uint64_t)info.st_size;
    struct disk_length length = draw_length(disk, node, loses_all);
    lost.end = was > length.n ? was : length.n;
    struct spans spans = find_spans(node);
    for (uint32_t i = 0; i < spans.n; i++)
        for (uint64_t at = spans.all[i].from, end = spans.all[i].end; at < end && at < length.n; at += spans.part) {
            uint64_t n = end - at < spans.part ? end - at : spans.part;
            cut_part(disk, node, length.epoch, at, n, loses_all, &lost);
        }
    sonde_free(spans.all);
    int failed = ftruncate(node->fd, (off_t)length.n);
    if (!failed && (lost.ranges || length.n != was)) note_lost(disk, node, &lost, length.n, was);
}

/* ---- Names */

/* Returns whether an operation cannot survive, because something that it needs is lost. */
static bool misses_a_need(const struct disk_op *op)
{
    for (int k = 0; k < 2; k++) {
        if (!op->entry[k]) continue;
        if (op->entry[k]->is_lost || op->entry[k]->directory->is_lost) return true;
        if (op->after[k] && op->after[k] != op->made && op->after[k]->is_lost) return true;
    }
    return false;
}

static void note_op(struct disk *disk, const struct disk_op *op)
{
    const char *to = op->to ? op->to : "";
    note(disk, "power cut: %s(\"%s\"%s%s%s) is lost: no fsync of its directory since", op->call, op->path,
         op->to ? ", \"" : "", to, op->to ? "\"" : "");
}

/* Marks operations that are lost because of others, and sets the targets of the rest. An operation comes after all that
 * it needs, so one pass is enough. */
static void lose_ops(struct disk *disk)
{
    for (uint32_t i = 0; i < disk->n_ops; i++) {
        struct disk_op *op = &disk->ops[i];
        op->is_lost |= misses_a_need(op);
        for (int k = 0; op->is_lost && k < 2; k++)
            if (op->entry[k]) op->entry[k]->is_lost = true;
        if (op->is_lost && op->made) op->made->is_lost = true;
        for (int k = 0; !op->is_lost && k < 2; k++)
            if (op->entry[k]) op->entry[k]->target = op->after[k];
        if (op->is_lost) note_op(disk, op);
    }
}

/* Draws a number and loses that many operations, the latest ones. */
static void lose_in_order(struct disk *disk, bool loses_all)
{
    uint32_t n = 0;
    while (n < disk->n_ops && disk->ops[disk->n_ops - 1 - n].number > disk->safe_number) n++;
    uint32_t n_lost = n;
    if (!loses_all) n_lost = (uint32_t)draw(disk, "names", NULL, n + 1);
    for (uint32_t i = 0; i < n_lost; i++) disk->ops[disk->n_ops - 1 - i].is_lost = true;
}

static void lose_any(struct disk *disk)
{
    uint32_t size = disk->n_ops / GROUPS + 1;
    bool is_lost = false;
    for (uint32_t i = 0; i < disk->n_ops; i++) {
        if (i % size == 0) is_lost = draw(disk, "name_is_lost", NULL, 2);
        disk->ops[i].is_lost = is_lost;
    }
}

/* Loses everything in a lost directory, recursively. */
static void lose_directories(struct disk *disk)
{
    for (bool loses = true; loses;) {
        loses = false;
        for (uint32_t i = 0; i < disk->n_entries; i++) {
            struct disk_entry *e = disk->entries[i];
            if (!e->target || !e->directory->is_lost) continue;
            e->target->is_lost |= S_ISDIR(e->target->mode);
            e->target = NULL;
            loses = true;
        }
    }
}

static void cut_names(struct disk *disk, bool loses_all)
{
    for (uint32_t i = 0; i < disk->n_entries; i++) disk->entries[i]->target = disk->entries[i]->base;
    if (disk->n_ops && !loses_all && draw(disk, "names_in_any_order", NULL, 2)) lose_any(disk);
    else lose_in_order(disk, loses_all);
    lose_ops(disk);
    lose_directories(disk);
    for (uint32_t i = 0; i < disk->n_entries; i++)
        if (disk->entries[i]->target) disk->entries[i]->target->is_named = true;
}

/* ---- All of it */

static bool has_changes(struct disk *disk)
{
    bool has = disk->n_ops > 0;
    for (uint32_t i = 0; i < disk->n_nodes; i++) {
        sonde_disk_find_unseen_change(disk, disk->nodes[i]);
        disk->nodes[i]->is_marked = sonde_disk_is_dirty(disk, disk->nodes[i]);
        has |= disk->nodes[i]->is_marked;
    }
    return has;
}

enum survival { ALL, NOTHING, DRAWN_ONE_BY_ONE };

/* Draws nothing if everything is safe, so a property without files gets no choices. */
void sonde_disk_lose(struct disk *disk)
{
    static const unsigned weights[] = {[ALL] = 1, [NOTHING] = 2, [DRAWN_ONE_BY_ONE] = 3};
    if (!has_changes(disk)) return;
    enum survival survival = (enum survival)draw(disk, "loses", weights, 3);
    if (survival == ALL) return;
    cut_names(disk, survival == NOTHING);
    for (uint32_t i = 0; i < disk->n_nodes; i++) {
        struct disk_node *node = disk->nodes[i];
        /* A new file without a name cannot be reached, so its bytes do not matter. */
        bool is_reachable = !node->is_new || node->is_named;
        if (node->is_marked && is_reachable) cut_contents(disk, node, survival == NOTHING);
    }
    sonde_disk_place(disk);
}
