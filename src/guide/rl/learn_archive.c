/* See learn_archive.h. */
#include "guide/rl/learn_archive.h"

#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

enum {
    TRIES = 12,     /* number of random skeletons that are examined to find one to dress */
    SITES = 4,      /* number of random payload draws of that skeleton that are examined to find a site */
    ALIKE = 3,      /* one change in this many is made to all similar constructors */
    WITHOUT = 32,   /* maximum number of kept inputs without constructors */
    PREFERENCE = 6, /* a skeleton is chosen in proportion to this power of its success */
    FREEDOM = 8     /* a site is chosen in proportion to this power of its success */
};

/* The weight of one case in moving averages: */
static const float of_a_case = 0.01f;    /* in the success of ways, and in `collisions` */
static const float of_a_skeleton = 0.1f; /* in the success of a skeleton, which has few cases */
static const float of_a_site = 0.02f;    /* in the success of a site */
/* Shares of cases: */
static const float few = 1 / 64.0f;    /* if `collisions` is above this, free cases have at most about 64 skeletons */
static const float needed = 4;         /* dress is used if there are more known skeletons per skeleton of free cases */
static const float trickle = 0.002f;   /* share of cases for a way that is not needed */
static const float at_first = 0.05f;   /* greatest share of a way at the start */
static const float most_dress = 0.7f;  /* greatest share of dress at any time */
static const float most_change = 0.1f; /* greatest share of change at any time */
static const float news_count = 2; /* number of valid cases that a new skeleton is worth, in addition to its own case */
/* Share of valid cases that each way of changing known inputs may lose, if newly drawn inputs have few skeletons. */
static const float budget = 0.02f;
static const float settle = 20000;        /* number of cases over which the archive grows to its full share */
static const float enough_news = 0.01f;   /* share of new skeletons from which on change has its full budget */
static const float least_change = 0.006f; /* least share of change where free cases have few skeletons */
static const float more_change = 0.01f;   /* added to least_change when change finds many new skeletons */
static const float most_ventures = 0.01f; /* share of ventures if all ventures were valid */
static const float no_success = 0.05f;    /* if the success of free cases is below this, dress is always allowed */

void sonde_learn_archive_init(struct sonde_learn_archive *a)
{
    a->kept = sonde_calloc(LEARN_ARCHIVE, sizeof(struct sonde_learn_skeleton *));
    a->known = sonde_calloc(1u << LEARN_KNOWN_BITS, sizeof *a->known);
    for (int i = 0; i < LEARN_WAYS; i++) a->ways[i].success = 0.5f;
    a->ways[LEARN_CHANGE].news = 0.05f;
}

void sonde_learn_archive_clear(struct sonde_learn_archive *a)
{
    for (uint32_t i = 0; i < a->n; i++) sonde_free(a->kept[i]);
    sonde_free(a->kept);
    sonde_free(a->known);
}

static float raised(float x, unsigned power)
{
    float y = 1;
    for (; power; power >>= 1, x *= x)
        if (power & 1) y *= x;
    return y;
}

static float smaller(float a, float b)
{
    return a < b ? a : b;
}

static void move(float *average, float weight, bool up)
{
    *average += weight * ((up ? 1.0f : 0.0f) - *average);
}

/* ---- The way of a case */

/* Returns the share of cases of a way: its budget divided by what each of its cases loses. */
static float share_of(const struct sonde_learn_archive *a, enum sonde_learn_way way, uint64_t n)
{
    const struct sonde_learn_way_record *free = &a->ways[LEARN_FREE], *own = &a->ways[way];
    if (way == LEARN_VENTURE) return trickle + most_ventures * own->success;
    bool is_narrow = a->collisions > few;
    if (way == LEARN_DRESS && free->success > no_success && (!is_narrow || (float)a->n_known * a->collisions <= needed))
        return 0;
    float worth = way == LEARN_DRESS ? 1 : smaller(1, own->news / enough_news);
    float room = trickle + (is_narrow ? budget * worth : 0);
    float value = own->success + news_count * own->news, usual = free->success + news_count * free->news;
    float loss = 1 - value / (usual + of_a_case), share = loss > 0 ? room / (loss + trickle / 2) : 1;
    float least = is_narrow ? least_change + more_change * worth : trickle;
    float most = smaller(way == LEARN_DRESS ? most_dress : most_change, at_first + (float)n / settle);
    return smaller(share > least ? share : least, most);
}

/* Returns a random kept input, rarely one that failed recently; NULL if a few tries find none with payload. */
static struct sonde_learn_skeleton *choose_to_dress(struct sonde_learn_archive *a, struct sonde_rng *rng)
{
    for (int i = 0; i < TRIES; i++) {
        struct sonde_learn_skeleton *s = a->kept[sonde_rng_upto(rng, a->n - 1)];
        float chance = raised(s->rate, PREFERENCE) + of_a_case;
        if (s->n > s->n_constructors && (float)sonde_rng_unit(rng) < chance) return s;
    }
    return NULL;
}

/* Returns a random bone that is a constructor, or payload. There must be one. */
static uint32_t any_bone(const struct sonde_learn_skeleton *s, bool is_constructor, struct sonde_rng *rng)
{
    uint32_t i = (uint32_t)sonde_rng_upto(rng, s->n - 1);
    while (s->bones[i].is_constructor != is_constructor) i = i ? i - 1 : s->n - 1;
    return i;
}

static struct sonde_learn_freedom *freedom_of(struct sonde_learn_archive *a, uint32_t site)
{
    struct sonde_learn_freedom *f = &a->freedoms[site % LEARN_FREEDOMS];
    if (f->site != site) *f = (struct sonde_learn_freedom){.site = site, .all = 0.9f, .one = 0.9f};
    return f;
}

/* Plans to draw one number again, alone or with all numbers of its site. Numbers for which that succeeded more often
 * are preferred. */
static void plan_dress(struct sonde_learn_archive *a, struct sonde_rng *rng)
{
    float total = 0;
    for (int i = 0; i < SITES; i++) {
        uint32_t at = any_bone(a->followed, false, rng);
        const struct sonde_learn_freedom *f = freedom_of(a, a->followed->bones[at].site);
        for (int j = 0; j < 2; j++) {
            float weight = raised(j ? f->one : f->all, FREEDOM);
            total += weight;
            if ((float)sonde_rng_unit(rng) * total >= weight && i + j > 0) continue;
            a->dressed_site = f->site;
            a->dressed = j ? at : UINT32_MAX;
        }
    }
}

static void plan_change(struct sonde_learn_archive *a, struct sonde_rng *rng)
{
    for (int i = 0; i < LEARN_CHANGES; i++) {
        bool is_planned = i == 0 || sonde_rng_upto(rng, 1) == 0;
        a->changes[i] = is_planned ? any_bone(a->followed, true, rng) : UINT32_MAX;
    }
    a->is_alike = sonde_rng_upto(rng, ALIKE - 1) == 0;
    a->alike_to = UINT64_MAX;
}

/* Plans a venture at a random site. A random draw instead would favour sites that are drawn often, such as elements,
 * over lengths. */
static void plan_venture(struct sonde_learn_archive *a, struct sonde_rng *rng)
{
    if (a->n_ventures) a->ventured_site = a->ventures[sonde_rng_upto(rng, a->n_ventures - 1)];
    else a->way = LEARN_FREE;
}

void sonde_learn_archive_choose(struct sonde_learn_archive *a, struct sonde_rng *rng, uint64_t n)
{
    a->way = LEARN_FREE;
    a->followed = NULL;
    a->cursor = 0;
    if (a->n == 0) return;
    float left = (float)sonde_rng_unit(rng);
    for (enum sonde_learn_way way = LEARN_DRESS; way < LEARN_WAYS; way++) {
        float share = a->ways[way].share = share_of(a, way, n);
        if (left >= 0 && left < share) a->way = way;
        left -= share;
    }
    if (a->way == LEARN_VENTURE) plan_venture(a, rng);
    if (a->way == LEARN_FREE || a->way == LEARN_VENTURE) return;
    a->followed = a->way == LEARN_DRESS ? choose_to_dress(a, rng) : a->kept[sonde_rng_upto(rng, a->n - 1)];
    if (a->way == LEARN_CHANGE && a->followed->n_constructors == 0) a->followed = NULL;
    if (!a->followed) a->way = LEARN_FREE;
    else if (a->way == LEARN_DRESS) plan_dress(a, rng);
    else plan_change(a, rng);
}

/* ---- The running case */

void sonde_learn_archive_begin(struct sonde_learn_archive *a)
{
    a->n_now = a->n_constructors = 0;
    a->hash = 1;
    a->cursor = 0;
}

void sonde_learn_archive_add(struct sonde_learn_archive *a, const struct sonde_learn_bone *bone)
{
    if (a->n_now < LEARN_BONES) a->now[a->n_now] = *bone;
    a->n_now++;
    if (!bone->is_constructor) return;
    a->n_constructors++;
    a->hash = sonde_hash_add(a->hash, (uint64_t)bone->site << 32 | (uint64_t)bone->depth << 8 | bone->index);
}

/* Returns the next bone that corresponds to this draw, or NULL: it has the same site and depth, and no span around it
 * ends before. So bones of a span that was not opened this time are skipped, and a draw in a new span has no bone. */
static const struct sonde_learn_bone *align(struct sonde_learn_archive *a, const struct sonde_learn_bone *draw)
{
    const struct sonde_learn_skeleton *s = a->followed;
    for (uint32_t i = a->cursor; i < s->n && s->bones[i].depth >= draw->depth; i++) {
        if (s->bones[i].depth != draw->depth || s->bones[i].site != draw->site) continue;
        a->cursor = i + 1;
        return &s->bones[i];
    }
    return NULL;
}

static bool is_like(const struct sonde_learn_bone *a, const struct sonde_learn_bone *b)
{
    return a->site == b->site && a->depth == b->depth && a->index == b->index;
}

static enum sonde_learn_wish wish_to_change(struct sonde_learn_archive *a, const struct sonde_learn_bone *bone,
                                            uint64_t max, uint64_t *index)
{
    const struct sonde_learn_skeleton *s = a->followed;
    bool is_alike = a->is_alike && is_like(bone, &s->bones[a->changes[0]]);
    bool is_changed = is_alike;
    for (int i = 0; i < LEARN_CHANGES; i++) is_changed |= a->changes[i] == (uint32_t)(bone - s->bones);
    if (!is_changed || !bone->is_constructor) return LEARN_AS_KEPT;
    if (!is_alike || a->alike_to > max) return LEARN_OTHER;
    *index = a->alike_to;
    return LEARN_AS_KEPT;
}

enum sonde_learn_wish sonde_learn_archive_wish(struct sonde_learn_archive *a, const struct sonde_learn_bone *draw,
                                               uint64_t max, uint64_t *index)
{
    sonde_assert(a->way != LEARN_FREE && a->followed);
    const struct sonde_learn_bone *bone = align(a, draw);
    if (!bone || bone->index > max || bone->is_constructor != draw->is_constructor) return LEARN_AS_MODEL;
    *index = bone->index;
    if (a->way == LEARN_CHANGE) return wish_to_change(a, bone, max, index);
    bool is_dressed = a->dressed == UINT32_MAX || a->dressed == (uint32_t)(bone - a->followed->bones);
    return !bone->is_constructor && bone->site == a->dressed_site && is_dressed ? LEARN_AS_MODEL : LEARN_AS_KEPT;
}

void sonde_learn_archive_changed(struct sonde_learn_archive *a, uint64_t index)
{
    if (a->is_alike && a->alike_to == UINT64_MAX) a->alike_to = index;
}

/* Chooses each draw of the site with probability one half, so that later draws are chosen, too. */
bool sonde_learn_archive_ventures(struct sonde_learn_archive *a, uint32_t site, struct sonde_rng *rng)
{
    if (a->way != LEARN_VENTURE || a->ventured_site != site || sonde_rng_upto(rng, 1)) return false;
    a->ventured_site = 0;
    return true;
}

uint32_t *sonde_learn_archive_answer(struct sonde_learn_archive *a, uint32_t site, uint64_t index)
{
    return &a->answers[sonde_mix((uint64_t)site << 32 | index) % LEARN_ANSWERS];
}

/* ---- After the verdict */

static void add_venture(struct sonde_learn_archive *a, uint32_t site)
{
    uint32_t i = 0;
    while (i < a->n_ventures && a->ventures[i] != site) i++;
    if (i < a->n_ventures || i == LEARN_VENTURES) return;
    a->ventures[a->n_ventures++] = site;
}

/* Counts the values of a valid case. */
static void count_answers(struct sonde_learn_archive *a)
{
    for (uint32_t i = 0; i < a->n_now && i < LEARN_BONES; i++) {
        const struct sonde_learn_bone *b = &a->now[i];
        if (!b->is_narrow) continue;
        if ((*sonde_learn_archive_answer(a, b->site, b->index))++ == 0) add_venture(a, b->site);
    }
}

static struct sonde_learn_skeleton *skeleton_of(const struct sonde_learn_archive *a)
{
    struct sonde_learn_skeleton *s = sonde_malloc(sizeof *s + a->n_now * sizeof *s->bones);
    *s = (struct sonde_learn_skeleton){.hash = a->hash,
                                       .rate = 0.95f,
                                       .n = a->n_now,
                                       .n_constructors = a->n_constructors};
    memcpy(s->bones, a->now, a->n_now * sizeof *s->bones);
    return s;
}

static void keep(struct sonde_learn_archive *a, struct sonde_rng *rng)
{
    if (a->n_now == 0 || a->n_now > LEARN_BONES) return;
    uint32_t i = a->n < LEARN_ARCHIVE ? a->n++ : (uint32_t)sonde_rng_upto(rng, LEARN_ARCHIVE - 1);
    if (a->followed && a->followed == a->kept[i]) a->followed = NULL;
    sonde_free(a->kept[i]);
    a->kept[i] = skeleton_of(a);
}

/* Updates `collisions` with the skeleton of a free valid case: how often two such cases have the same skeleton. */
static void compare(struct sonde_learn_archive *a, struct sonde_rng *rng)
{
    uint64_t n = a->n_recent < LEARN_RECENT ? a->n_recent : LEARN_RECENT;
    if (n) move(&a->collisions, of_a_case, a->recent[sonde_rng_upto(rng, n - 1)] == a->hash);
    a->recent[a->n_recent++ % LEARN_RECENT] = a->hash;
}

/* Returns the entry of the running case in `known`; its first bits are the index. */
static uint64_t tag_of(const struct sonde_learn_archive *a)
{
    return sonde_mix(a->hash) | 1;
}

bool sonde_learn_archive_knows(const struct sonde_learn_archive *a)
{
    uint64_t tag = tag_of(a);
    return a->known[tag >> (64 - LEARN_KNOWN_BITS)] == tag;
}

/* Keeps a valid case; returns true if its skeleton is new. */
static bool remember(struct sonde_learn_archive *a, struct sonde_rng *rng, bool is_own)
{
    if (is_own && a->way == LEARN_FREE) compare(a, rng);
    if (is_own && a->followed && a->followed->hash == a->hash && a->followed->n == a->n_now) {
        memcpy(a->followed->bones, a->now, a->n_now * sizeof *a->now); /* the kept input takes the new payload */
        return false;
    }
    uint64_t tag = tag_of(a);
    bool is_new = !sonde_learn_archive_knows(a);
    if (is_new || (a->n_constructors == 0 && a->n < WITHOUT)) keep(a, rng);
    a->known[tag >> (64 - LEARN_KNOWN_BITS)] = tag;
    a->n_known += is_new;
    return is_new;
}

static void judge_dress(struct sonde_learn_archive *a, bool is_good)
{
    struct sonde_learn_freedom *f = freedom_of(a, a->dressed_site);
    move(&a->followed->rate, of_a_skeleton, is_good);
    move(a->dressed == UINT32_MAX ? &f->all : &f->one, of_a_site, is_good);
}

void sonde_learn_archive_end(struct sonde_learn_archive *a, struct sonde_rng *rng, struct sonde_learn_outcome how)
{
    enum sonde_learn_way way = a->way;
    if (how.is_own && way == LEARN_DRESS && a->followed) judge_dress(a, how.is_good);
    if (how.is_valid) count_answers(a);
    bool is_new = how.is_good && how.is_valid && remember(a, rng, how.is_own);
    if (!how.is_own) return;
    struct sonde_learn_way_record *w = &a->ways[way];
    move(&w->success, of_a_case, how.is_good);
    move(&w->news, of_a_case, is_new);
    w->cases++;
    w->valid += how.is_good;
    w->fresh += is_new;
    if (sonde_is_milestone(a->n_known)) sonde_learn_archive_check(a);
}

#ifdef SONDE_CHECKED

void sonde_learn_archive_check(const struct sonde_learn_archive *a)
{
    sonde_assert(a->n <= LEARN_ARCHIVE && a->n <= a->n_known + WITHOUT);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct sonde_learn_skeleton *s = a->kept[i];
        uint32_t n = 0;
        sonde_assert(s->n > 0 && s->n <= LEARN_BONES && s->rate >= 0 && s->rate <= 1);
        for (uint32_t j = 0; j < s->n; j++) n += s->bones[j].is_constructor;
        sonde_assert(n == s->n_constructors);
    }
}

#endif
