/* Carries over from one run to the next the inputs that a search should begin with, and what its guide learned.
 *
 * Any search runs the inputs first, and every guide learns from them. So coverage is collected again by the current
 * build, and a tape that no longer fits its generator does no harm. A short search leaves nothing, because the next run
 * quickly finds the same again.
 *
 * Inputs and learned data are always kept with --fuzz. They are never kept with --fresh or a given seed, since a run
 * that reproduces must neither read nor change what is stored. Otherwise they are kept if the search took more than a
 * second, or had inherited tapes or learned data. The tapes of all jobs are kept, but only what the guide of the first
 * job learned. */
#include "engine/phases/phases.h"

#include "base/hash.h"
#include "engine/phases/fleet.h"
#include "engine/workers/supervise.h"
#include "tape/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { INHERITED_MAX = 4 * SONDE_SAVED_MAX }; /* maximum number of tapes that a search begins with */

static const double worth_seconds = 1; /* minimum duration in seconds; a shorter search leaves nothing */

static const char *guide_name(const struct sonde_engine *e)
{
    return e->search->guide->ops->name;
}

/* Returns whether the run must not depend on the store, as with a given seed. With --since, stored inputs are used all
 * the same, because they show whether the change concerns the property. */
static bool is_reproduction(const struct sonde_engine *e)
{
    return e->options.seed_given && !e->options.fuzz && !e->options.is_for_change;
}

/* ---- From earlier runs */

/* Returns the number of a stored tape in the order of discovery; 0 without one, so that such tapes come first. Files of
 * earlier versions have the number at the end of a field: "seed 1, guide cgpt, number 12". */
static uint64_t order_of(const struct sonde_stored *stored)
{
    static const char old[] = ", number ";
    const char *at = stored->found ? strstr(stored->found, old) : NULL;
    const char *number = stored->number ? stored->number : at ? at + strlen(old) : NULL;
    return number ? strtoull(number, NULL, 10) + 1 : 0;
}

/* Collects one stored tape. Skips one that cannot be read, of which the store has warned. */
static bool collect(void *context, const struct sonde_stored *found)
{
    struct sonde_engine *e = context;
    struct sonde_legacy *l = e->legacy;
    struct sonde_tape script;
    sonde_tape_init(&script);
    if (sonde_store_script(e->store, found, &script, &e->search->labels) < 0) return true;
    l->tapes = sonde_grow(l->tapes, &l->cap, (size_t)l->n + 1, sizeof *l->tapes);
    e->inherited = sonde_grow(e->inherited, &e->cap_inherited, (size_t)l->n + 1, sizeof *e->inherited);
    l->tapes[l->n] = script;
    e->orders = sonde_grow(e->orders, &e->cap_orders, (size_t)l->n + 1, sizeof *e->orders);
    e->orders[l->n] = order_of(found);
    e->inherited[l->n++] = sonde_strdup(found->token);
    return l->n < INHERITED_MAX;
}

/* A tape with its position in the order of discovery. Each tape was made from those before it, and a guide that prefers
 * new tapes should see the most advanced ones last. */
struct ranked {
    struct sonde_tape tape;
    char *text;
    uint64_t order;
};

/* Compares two tapes by their order, then by token, so that the order in which a directory is listed does not
 * matter. */
static int by_order(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    size_t n = strlen(x->text), m = strlen(y->text);
    return n != m ? (n < m ? -1 : 1) : strcmp(x->text, y->text);
}

static void sort_legacy(struct sonde_engine *e)
{
    struct sonde_legacy *l = e->legacy;
    struct ranked *all = sonde_calloc(l->n, sizeof *all);
    for (uint32_t i = 0; i < l->n; i++) all[i] = (struct ranked){l->tapes[i], e->inherited[i], e->orders[i]};
    qsort(all, l->n, sizeof *all, by_order);
    for (uint32_t i = 0; i < l->n; i++) {
        l->tapes[i] = all[i].tape;
        e->inherited[i] = all[i].text;
    }
    sonde_free(all);
}

static void recall(struct sonde_engine *e)
{
    /* A guide that does not learn would only run old tapes again. */
    if (e->options.fresh || is_reproduction(e) || !e->search->guide->ops->learn) return;
    sonde_store_each_corpus(e->store, e->report.property, collect, e);
    if (e->legacy->n > 1) sort_legacy(e);
    if (e->search->guide->ops->load)
        sonde_store_load_learned(e->store, e->report.property, guide_name(e), &e->legacy->learned);
}

void sonde_engine_recall(struct sonde_engine *e)
{
    recall(e);
    sonde_search_inherit(e->search, e->legacy);
}

void sonde_engine_free_legacy(struct sonde_engine *e)
{
    for (uint32_t i = 0; i < e->legacy->n; i++) {
        sonde_tape_clear(&e->legacy->tapes[i]);
        sonde_free(e->inherited[i]);
    }
    for (uint32_t i = 0; i < e->legacy->n_leads; i++) {
        sonde_tape_clear(&e->legacy->leads[i].tape);
        sonde_free(e->legacy->leads[i].path);
    }
    sonde_free(e->legacy->leads);
    sonde_free(e->legacy->tapes);
    sonde_free(e->inherited);
    sonde_free(e->orders);
    sonde_free(e->needed);
    sonde_bytes_clear(&e->legacy->learned);
}

/* ---- For later runs */

static bool is_worth_keeping(const struct sonde_engine *e)
{
    const struct sonde_options *o = &e->options;
    if (o->fuzz) return true;
    if (o->fresh || is_reproduction(e)) return false;
    return e->legacy->n || sonde_clock_now() - e->search->started > worth_seconds;
}

void sonde_engine_keep(struct sonde_engine *e, const struct sonde_search *s)
{
    struct sonde_reader from = sonde_snapshot_tapes(&s->snapshot);
    struct sonde_snapshot_tape tape;
    char found[SONDE_FOUND_BY], number[16];
    sonde_fleet_keep(e, s);
    if (!is_worth_keeping(e)) return;
    snprintf(found, sizeof found, "seed %" PRIu64 ", guide %s", e->options.seed, guide_name(e));
    while (sonde_snapshot_next(&from, &tape)) {
        snprintf(number, sizeof number, "%" PRIu32, tape.order);
        struct sonde_stored what = {.kind = tape.why, .found = found, .number = number, .token = tape.text};
        if (sonde_store_save_corpus(e->store, e->report.property, &what) < 0) break;
    }
    /* One file per guide: models of several jobs cannot be merged, and the first is as good as any. */
    if (s->job == 0) sonde_store_save_learned(e->store, e->report.property, guide_name(e), &s->snapshot.learned);
}

static uint64_t hash_of(const char *text)
{
    return sonde_hash_text(0, text);
}

static void note_needed(struct sonde_engine *e, const struct sonde_search *s)
{
    for (uint32_t i = 0; i < SONDE_SAVED_MAX; i++) {
        if (!s->saved.slots[i]) continue;
        char *text = sonde_tape_to_text(&s->saved.slots[i]->kept->tape, &s->labels);
        e->needed = sonde_grow(e->needed, &e->cap_needed, (size_t)e->n_needed + 1, sizeof *e->needed);
        e->needed[e->n_needed++] = hash_of(text);
        sonde_free(text);
    }
}

void sonde_engine_keep_all(struct sonde_engine *e, struct sonde_search *s)
{
    if (s->is_torn || !(e->fleet || is_worth_keeping(e))) return;
    sonde_supervise_take_snapshot(s);
    sonde_engine_keep(e, s);
    if (e->legacy->n) note_needed(e, s);
}

/* Returns whether a search needed a tape. A linear search is enough: both lists have a few hundred entries at most. */
static bool is_needed(const struct sonde_engine *e, const char *text)
{
    uint64_t hash = hash_of(text);
    for (uint32_t i = 0; i < e->n_needed; i++)
        if (e->needed[i] == hash) return true;
    return false;
}

/* Unneeded tapes are not removed at once, because another build may still need them. None are removed if this build
 * could not observe what they reach. */
void sonde_engine_prune(struct sonde_engine *e)
{
    enum { SPARE = 64 }; /* tapes that may be unneeded even in a small corpus */
    const struct sonde_search *s = e->search;
    bool has_seen_all = s->n_inherited == e->legacy->n && s->judge.novelty.n_features && !s->is_torn;
    if (!has_seen_all || e->legacy->n <= 2 * e->n_needed + SPARE) return;
    for (uint32_t i = 0; i < e->legacy->n; i++)
        if (!is_needed(e, e->inherited[i])) sonde_store_drop_corpus(e->store, e->report.property, e->inherited[i]);
}
