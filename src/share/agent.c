/* See agent.h. One loop: move the wire, do what was asked, and now and then look at the place. Memory is bounded by the limits
 * below whatever the run and the place send; docs/fleet.md has them all in one table. */
#include "share/agent.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "share/roster.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    NOTICES_MAX = 1 << 13,         /* of others, not yet decided upon, */
    KEYLESS_MAX = NOTICES_MAX / 2, /* of which so many may name no keys: a flood of these must leave room for others */
    OUTGOING_MAX = 1 << 10,        /* tapes and failures that wait for the place */
    OUTGOING_BYTES = 8 << 20,
    KEYS_MAX = 1 << 20,
    ASKED_MAX = KEYS_MAX / 2, /* keys that others made up must leave room for those that the run has reached */
    CLAIMS_MAX = 256,
    BATCH = 64,            /* tapes that the run gets at a time, */
    BATCH_BYTES = 1 << 19, /* and bytes */
    UNKNOWN_MAX = 8,       /* of these, tapes that do not say what they show */
    SENT_AT_ONCE = 64,
    TRIES = 5,
    WIRE_ROOM = 4 << 20,
    SAID_MAX = 8,
    LISTED_MAX = 64 /* workers, for the live page */
};

/* How often, in seconds. A finding must be everywhere within ten: a look at either end, and what lies between. */
static const double look_every = 2, failures_every = 1.5, beat_every = 5, open_every = 5, claim_every = 5,
                    renew_every = 15;
/* How long tapes may go, or come, at a time: over a slow network, failures must not wait for them. */
static const double turn_seconds = 1;
/* How long the rest may take to be sent at the end, in seconds: to a place that answers, and to one that does not. */
enum { LAST_SECONDS = 8, SILENT_LAST_SECONDS = 2 };
/* How long a connection that was lost is tried again for that, and after which time a place that was full is. */
static const double last_try_seconds = 4, full_seconds = 5;

struct outgoing {
    struct sonde_notice notice;
    char *text;
    struct sonde_bytes failure; /* instead, as it came over the wire */
    bool is_done;               /* it was sent, or is of no use there */
};

struct waiting {
    struct sonde_notice notice;
    unsigned tries;
    bool is_done; /* it can be forgotten */
};

struct claim {
    char id[SONDE_FAILURE_ID + 1];
    bool is_ours;
    double next; /* when to ask, or to renew */
};

struct agent {
    const struct sonde_place_ops *ops;
    struct sonde_place_setup setup;
    struct sonde_shared_place *place; /* NULL: it cannot be used at the moment */
    bool is_silent;                   /* its last call found it gone, or waited in vain */
    struct sonde_wire wire;
    struct sonde_map known;     /* by key: KNOWN, or ASKED + when a tape with it was fetched */
    struct sonde_map announced; /* keys that others have sent */
    uint32_t epoch;             /* how often the run said what it knows */
    struct waiting *notices;
    uint32_t n_notices, cap_notices, n_keyless;
    struct outgoing *outgoing;
    uint32_t n_outgoing, cap_outgoing;
    size_t outgoing_bytes;
    struct claim claims[CLAIMS_MAX];
    uint32_t n_claims;
    struct sonde_map said;
    char *beat;
    bool is_hungry; /* the run has read what it got */
    bool is_asked;  /* how the fleet is doing */
    uint32_t n_sent, n_kept_back, n_fetched, n_told;
    uint32_t n_heard, n_failures; /* tapes of others; failures of anybody */
    double looked, looked_for_failures, spoke, opened;
    double full_until; /* the place takes no more tapes before that time */
};

enum { KNOWN = 1, ASKED = 2, PATIENCE = 3 /* epochs, for a tape that was fetched to show its keys */ };

/* ---- Telling the run */

static void say_as(struct agent *a, char type, const char *text)
{
    uint64_t hash = sonde_hash_text(0, text);
    if (sonde_map_get(&a->said, hash) || a->said.n >= SAID_MAX) return;
    *sonde_map_at(&a->said, hash) = 1;
    sonde_wire_put(&a->wire, type, text, (uint32_t)strlen(text), WIRE_ROOM);
}

static void say(struct agent *a, const char *text)
{
    say_as(a, 'S', text);
}

static void complain(struct agent *a, const char *what, int error)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %s; the search continues by itself, and sonde tries again", what,
             strerror(-error));
    say(a, text);
}

/* Returns the error. Whether the place answers decides how long the end of the run waits for it. */
static int judge(struct agent *a, int error)
{
    a->is_silent = error == -ENOTCONN || error == -ETIMEDOUT || error == -EMSGSIZE;
    return error;
}

static void tell_numbers(struct agent *a)
{
    struct sonde_bytes b = {0};
    uint32_t sum = a->n_sent + a->n_kept_back + a->n_fetched;
    if (sum == a->n_told) return;
    a->n_told = sum;
    sonde_bytes_add_u32(&b, a->n_sent);
    sonde_bytes_add_u32(&b, a->n_kept_back);
    sonde_bytes_add_u32(&b, a->n_fetched);
    sonde_wire_put(&a->wire, 'N', b.data, b.n, WIRE_ROOM);
    sonde_bytes_clear(&b);
}

/* ---- To the place */

static void free_outgoing(struct agent *a, struct outgoing *o)
{
    a->outgoing_bytes -= o->text ? strlen(o->text) : o->failure.n;
    sonde_free(o->text);
    sonde_bytes_clear(&o->failure);
}

/* Without room the oldest tape goes; failures stay, of which there are few. */
static void make_room(struct agent *a)
{
    uint32_t i = 0;
    if (a->n_outgoing < OUTGOING_MAX && a->outgoing_bytes < OUTGOING_BYTES) return;
    while (i < a->n_outgoing && !a->outgoing[i].text) i++;
    if (i == a->n_outgoing) i = 0;
    free_outgoing(a, &a->outgoing[i]);
    memmove(a->outgoing + i, a->outgoing + i + 1, (a->n_outgoing - i - 1) * sizeof *a->outgoing);
    a->n_outgoing--;
}

static void queue(struct agent *a, const struct outgoing *o)
{
    while (a->n_outgoing && (a->n_outgoing >= OUTGOING_MAX || a->outgoing_bytes >= OUTGOING_BYTES)) make_room(a);
    a->outgoing = sonde_grow(a->outgoing, &a->cap_outgoing, (size_t)a->n_outgoing + 1, sizeof *a->outgoing);
    a->outgoing[a->n_outgoing++] = *o;
    a->outgoing_bytes += o->text ? strlen(o->text) : o->failure.n;
}

static bool others_have(const struct agent *a, const struct sonde_notice *notice)
{
    for (unsigned i = 0; i < notice->n_keys; i++)
        if (!sonde_map_get(&a->announced, notice->keys[i])) return false;
    return notice->n_keys > 0;
}

/* Sends the next tapes from *at on, as many as go together. */
static int send_some(struct agent *a, uint32_t *at)
{
    struct sonde_parcel parcels[SONDE_PARCELS];
    struct outgoing *which[SONDE_PARCELS];
    uint32_t n = 0;
    int error = 0;
    for (; *at < a->n_outgoing && n < SONDE_PARCELS; ++*at) {
        struct outgoing *o = &a->outgoing[*at];
        if (!o->text) continue;
        o->is_done = others_have(a, &o->notice);
        a->n_kept_back += o->is_done;
        if (o->is_done) continue;
        which[n] = o;
        parcels[n++] = (struct sonde_parcel){.notice = &o->notice, .text = o->text};
    }
    if (n) a->ops->put(a->place, parcels, n);
    for (uint32_t i = 0; i < n; i++) {
        which[i]->is_done = !parcels[i].error;
        a->n_sent += !parcels[i].error;
        if (parcels[i].error && !error) error = parcels[i].error;
    }
    return n ? judge(a, error) : 0;
}

/* Tapes for which there is no room wait, and are tried again: `sonde share prune` may make some. */
static void send_tapes(struct agent *a, uint32_t most)
{
    double now = sonde_clock_now(), stop = now + turn_seconds;
    uint32_t at = 0;
    int error = 0;
    while (at < a->n_outgoing && at < most && now >= a->full_until && !error && sonde_clock_now() <= stop)
        error = send_some(a, &at);
    if (error == -EFBIG) {
        a->full_until = now + full_seconds;
        say(a, "the place holds as many tapes as it may; sonde share prune makes room");
    } else if (error) complain(a, "what this run found could not be sent", error);
}

/* In the order in which they were found. One that cannot be sent is tried again, and does not keep back the next. */
static void send_failures(struct agent *a)
{
    int error = 0;
    for (uint32_t i = 0; i < a->n_outgoing && !a->is_silent; i++) {
        struct outgoing *o = &a->outgoing[i];
        struct sonde_shared_failure f;
        if (o->text || o->is_done) continue;
        bool is_one = sonde_wire_read_failure(o->failure.data, o->failure.n, &f);
        int result = is_one ? judge(a, a->ops->put_failure(a->place, &f)) : 0;
        o->is_done = !result;
        a->n_failures += is_one && !result && !f.is_shrunk;
        if (result) error = result;
    }
    if (error) complain(a, "a failure that this run found could not be sent", error);
}

/* Failures first: of these there are few, and others wait for them. What fails stays, and is tried again. */
static void send_all(struct agent *a, uint32_t most)
{
    uint32_t kept = 0;
    if (!a->place) return;
    a->is_silent = false;
    send_failures(a);
    if (!a->is_silent) send_tapes(a, most);
    for (uint32_t i = 0; i < a->n_outgoing; i++) {
        if (a->outgoing[i].is_done) free_outgoing(a, &a->outgoing[i]);
        else a->outgoing[kept++] = a->outgoing[i];
    }
    a->n_outgoing = kept;
}

/* ---- What the run says */

static void take_tape(struct agent *a, const struct sonde_wire_message *m)
{
    struct outgoing o = {0};
    uint32_t at = 2 + 4 * (uint32_t)(m->n ? m->data[0] : 0);
    if (m->n < 2 || m->data[0] > SONDE_SHARED_KEYS || m->n <= at || m->n - at > SONDE_SHARED_TEXT_MAX) return;
    struct sonde_reader r = sonde_reader(m->data + 2, m->n - 2);
    o.notice.n_keys = m->data[0];
    for (unsigned i = 0; i < o.notice.n_keys; i++) o.notice.keys[i] = sonde_read_u32(&r);
    o.text = sonde_malloc(m->n - at + 1);
    memcpy(o.text, m->data + at, m->n - at);
    o.text[m->n - at] = '\0';
    o.notice.name = sonde_hash_text(SONDE_WIRE_VERSION, o.text);
    queue(a, &o);
}

static void take_keys(struct agent *a, const struct sonde_wire_message *m)
{
    struct sonde_reader r = sonde_reader(m->data, m->n);
    a->epoch++;
    for (uint32_t i = 0; i < m->n / 4 && a->known.n < KEYS_MAX; i++)
        *sonde_map_at(&a->known, sonde_read_u32(&r)) = KNOWN;
}

static struct claim *find_claim(struct agent *a, const char *id)
{
    for (uint32_t i = 0; i < a->n_claims; i++)
        if (!strcmp(a->claims[i].id, id)) return &a->claims[i];
    return NULL;
}

static void drop_claim(struct agent *a, const char *id)
{
    struct claim *c = find_claim(a, id);
    if (!c) return;
    if (c->is_ours && a->place) a->ops->release(a->place, id);
    *c = a->claims[--a->n_claims];
}

static void take_claim(struct agent *a, const struct sonde_wire_message *m)
{
    char id[SONDE_FAILURE_ID + 1] = "";
    if (m->n != SONDE_FAILURE_ID) return;
    memcpy(id, m->data, SONDE_FAILURE_ID);
    if (!sonde_failure_id_is_good(id, strlen(id)) || find_claim(a, id) || a->n_claims == CLAIMS_MAX) return;
    struct claim *c = &a->claims[a->n_claims++];
    *c = (struct claim){.next = 0};
    memcpy(c->id, id, sizeof id);
}

static void take_failure(struct agent *a, const struct sonde_wire_message *m)
{
    struct sonde_shared_failure f;
    struct outgoing o = {0};
    if (!sonde_wire_read_failure(m->data, m->n, &f)) return;
    sonde_bytes_add(&o.failure, m->data, m->n);
    queue(a, &o);
    send_all(a, SENT_AT_ONCE); /* before the claim is given up, so that nobody shrinks it again */
    if (f.is_shrunk) drop_claim(a, f.id);
}

static void take(struct agent *a, const struct sonde_wire_message *m)
{
    switch (m->type) {
    case 'T': take_tape(a, m); break;
    case 'K': take_keys(a, m); break;
    case 'F': take_failure(a, m); break;
    case 'C': take_claim(a, m); break;
    case 'R': a->is_hungry = true; break;
    case 'W': a->is_asked = true; break;
    case 'B':
        sonde_free(a->beat);
        a->beat = sonde_malloc(m->n + 1);
        memcpy(a->beat, m->data, m->n);
        a->beat[m->n] = '\0';
        break;
    default: break; /* of a newer version */
    }
}

/* ---- What others have */

static bool is_unknown(const struct agent *a, uint32_t key, bool *is_asked)
{
    uint32_t value = sonde_map_get(&a->known, key);
    bool is_fresh = value >= ASKED && a->epoch - (value - ASKED) < PATIENCE;
    *is_asked |= is_fresh;
    return !value || (value >= ASKED && !is_fresh);
}

static void note(struct agent *a, const struct sonde_notice *notice)
{
    for (unsigned i = 0; i < notice->n_keys && a->announced.n < KEYS_MAX; i++)
        *sonde_map_at(&a->announced, notice->keys[i]) = 1;
}

static bool hear(void *context, const struct sonde_notice *notice)
{
    struct agent *a = context;
    bool is_asked = false, is_new = notice->n_keys == 0;
    if (a->n_notices >= NOTICES_MAX || (!notice->n_keys && a->n_keyless >= KEYLESS_MAX)) return false;
    note(a, notice);
    a->n_heard++;
    for (unsigned i = 0; i < notice->n_keys; i++) is_new |= is_unknown(a, notice->keys[i], &is_asked);
    if (!is_new && !is_asked) return true;
    a->n_keyless += !notice->n_keys;
    a->notices = sonde_grow(a->notices, &a->cap_notices, (size_t)a->n_notices + 1, sizeof *a->notices);
    struct waiting *w = &a->notices[a->n_notices++];
    *w = (struct waiting){.notice = *notice};
    w->notice.where = notice->where ? sonde_strdup(notice->where) : NULL;
    return true;
}

/* What is to become of a notice. */
enum decision { FETCH, WAIT, FORGET };

static enum decision decide(const struct agent *a, const struct sonde_notice *notice)
{
    bool is_asked = false;
    if (!notice->n_keys) return FETCH;
    for (unsigned i = 0; i < notice->n_keys; i++)
        if (is_unknown(a, notice->keys[i], &is_asked)) return FETCH;
    return is_asked ? WAIT : FORGET;
}

/* Notes when a tape with these keys was fetched: they are not asked for again until it had time to show them. One that did not
 * come was asked for PATIENCE epochs ago, which is as good as never. */
static void mark(struct agent *a, const struct sonde_notice *notice, uint32_t when)
{
    for (unsigned i = 0; i < notice->n_keys && a->known.n < ASKED_MAX; i++) {
        uint32_t *value = sonde_map_at(&a->known, notice->keys[i]);
        if (*value != KNOWN) *value = ASKED + when;
    }
}

/* The next ones to fetch, from *at on. */
static uint32_t choose(struct agent *a, uint32_t *at, struct waiting **chosen, uint32_t most, uint32_t *n_unknown)
{
    uint32_t n = 0;
    for (; *at < a->n_notices && n < most; ++*at) {
        struct waiting *w = &a->notices[*at];
        enum decision what = decide(a, &w->notice);
        w->is_done = what == FORGET;
        if (what != FETCH || (!w->notice.n_keys && *n_unknown >= UNKNOWN_MAX)) continue;
        *n_unknown += !w->notice.n_keys;
        mark(a, &w->notice, a->epoch);
        chosen[n++] = w;
    }
    return n;
}

/* The run gets them; how many bytes that was. */
static size_t fetch(struct agent *a, struct waiting *const *chosen, uint32_t n)
{
    struct sonde_parcel parcels[SONDE_PARCELS];
    size_t bytes = 0;
    for (uint32_t i = 0; i < n; i++) parcels[i] = (struct sonde_parcel){.notice = &chosen[i]->notice};
    a->ops->fetch(a->place, parcels, n);
    for (uint32_t i = 0; i < n; i++) {
        struct waiting *w = chosen[i];
        const struct sonde_parcel *p = &parcels[i];
        bool is_fit =
            !p->error && p->n && p->n <= (w->notice.is_bytes ? SONDE_WIRE_LONGEST / 2 : SONDE_SHARED_TEXT_MAX);
        w->is_done = p->error != -EAGAIN || ++w->tries >= TRIES;
        if (!is_fit) mark(a, &w->notice, a->epoch - PATIENCE);
        if (is_fit && sonde_wire_put(&a->wire, w->notice.is_bytes ? 'Y' : 'T', p->text, (uint32_t)p->n, WIRE_ROOM)) {
            a->n_fetched++;
            bytes += p->n;
        }
        sonde_free(p->text);
    }
    return bytes;
}

/* One batch, if the run is ready for it. */
static void feed(struct agent *a)
{
    struct waiting *chosen[SONDE_PARCELS];
    uint32_t kept = 0, at = 0, n = 0, n_unknown = 0, n_chosen = 1;
    size_t bytes = 0;
    double stop = sonde_clock_now() + turn_seconds;
    if (!a->is_hungry || !a->place) return;
    while (n < BATCH && bytes < BATCH_BYTES && n_chosen && sonde_clock_now() <= stop) {
        n_chosen = choose(a, &at, chosen, BATCH - n < SONDE_PARCELS ? BATCH - n : SONDE_PARCELS, &n_unknown);
        if (n_chosen) bytes += fetch(a, chosen, n_chosen);
        n += n_chosen;
    }
    for (uint32_t i = 0; i < a->n_notices; i++) {
        if (a->notices[i].is_done) {
            a->n_keyless -= !a->notices[i].notice.n_keys;
            sonde_free(a->notices[i].notice.where);
        } else a->notices[kept++] = a->notices[i];
    }
    a->n_notices = kept;
    if (bytes) a->is_hungry = false;
}

/* False if the run has not read so much that this one fits on the wire: a failure must not be lost there. */
static bool hear_failure(void *context, const struct sonde_shared_failure *f)
{
    struct agent *a = context;
    struct sonde_bytes b = {0};
    sonde_wire_add_failure(&b, f);
    bool is_too_long = b.n >= SONDE_WIRE_LONGEST;
    bool is_told = is_too_long || sonde_wire_put(&a->wire, 'F', b.data, b.n, WIRE_ROOM);
    sonde_bytes_clear(&b);
    if (!is_told) return false;
    a->n_failures += !f->is_shrunk;
    if (is_too_long || !f->is_shrunk || !find_claim(a, f->id)) return true;
    char answer[SONDE_FAILURE_ID + 1];
    memcpy(answer, f->id, SONDE_FAILURE_ID);
    answer[SONDE_FAILURE_ID] = SONDE_CLAIM_IS_DONE;
    sonde_wire_put(&a->wire, 'C', answer, sizeof answer, WIRE_ROOM);
    drop_claim(a, f->id);
    return true;
}

/* ---- Now and then */

static void tend_claims(struct agent *a, double now)
{
    for (uint32_t i = 0; i < a->n_claims && a->place; i++) {
        struct claim *c = &a->claims[i];
        if (now < c->next) continue;
        bool is_first = c->next == 0, was_ours = c->is_ours;
        int answer = a->ops->claim(a->place, c->id);
        c->next = now + (answer == 1 ? renew_every : claim_every);
        if (answer < 0) continue;
        c->is_ours = answer == 1;
        char message[SONDE_FAILURE_ID + 1];
        memcpy(message, c->id, SONDE_FAILURE_ID);
        message[SONDE_FAILURE_ID] = (char)(c->is_ours ? SONDE_CLAIMED : SONDE_CLAIMED_BY_OTHER);
        if (is_first || c->is_ours != was_ours) sonde_wire_put(&a->wire, 'C', message, sizeof message, WIRE_ROOM);
    }
}

static void try_to_open(struct agent *a, double now)
{
    char message[512] = "";
    if (a->place || now - a->opened < open_every) return;
    a->opened = now;
    a->place = a->ops->open(&a->setup, message, sizeof message);
    if (message[0]) say_as(a, a->place ? 'I' : 'S', message);
}

static bool is_due(double *last, double every, double now)
{
    if (now - *last < every) return false;
    *last = now;
    return true;
}

/* For the live page, which asks: the other runs of a fleet do not look at each other. */
static void tell_fleet(struct agent *a)
{
    if (!a->is_asked || !a->place) return;
    char *text = NULL;
    size_t n = 0;
    struct sonde_json_out to = {.out = open_memstream(&text, &n)};
    struct sonde_roster r = {.most = LISTED_MAX, .list = &to};
    if (!to.out) return;
    sonde_json_put(&to, "{workers: [");
    bool is_read = a->ops->each_worker(a->place, sonde_roster_add, &r) >= 0;
    sonde_json_put(&to,
                   "], n: %u, ended: %u, cases: %" PRIu64 ", rate: %.1f, tapes: %" PRIu32 ", failures: %" PRIu32 "}",
                   r.n_workers, r.n_ended, r.cases, r.rate, a->n_sent + a->n_heard, a->n_failures);
    fclose(to.out);
    if (is_read) sonde_wire_put(&a->wire, 'W', text, (uint32_t)n, WIRE_ROOM);
    a->is_asked = !is_read;
    free(text);
}

static void work(struct agent *a)
{
    double now = sonde_clock_now();
    int error = 0;
    try_to_open(a, now);
    if (!a->place) return;
    if (a->beat && is_due(&a->spoke, beat_every, now)) error = judge(a, a->ops->beat(a->place, a->beat));
    send_all(a, SENT_AT_ONCE);
    if (is_due(&a->looked_for_failures, failures_every, now) && !error)
        error = judge(a, a->ops->look_for_failures(a->place, hear_failure, a));
    tend_claims(a, now);
    if (is_due(&a->looked, look_every, now) && !error) error = judge(a, a->ops->look(a->place, hear, a));
    feed(a);
    tell_numbers(a);
    tell_fleet(a);
    if (error) complain(a, "the place that is shared does not answer", error);
}

/* ---- From the beginning to the end */

static void free_all(struct agent *a)
{
    for (uint32_t i = 0; i < a->n_outgoing; i++) free_outgoing(a, &a->outgoing[i]);
    for (uint32_t i = 0; i < a->n_notices; i++) sonde_free(a->notices[i].notice.where);
    sonde_map_clear(&a->known);
    sonde_map_clear(&a->announced);
    sonde_map_clear(&a->said);
    sonde_free(a->notices);
    sonde_free(a->outgoing);
    sonde_free(a->beat);
    sonde_wire_close(&a->wire);
    sonde_free(a);
}

/* Brings what was handed over to the place, and leaves to others what this worker would have shrunk. A place that does not
 * answer gets a last try, and the run is not asked to wait longer ('E') for that. */
static void end(struct agent *a)
{
    bool is_answering = a->place && !a->is_silent;
    alarm(is_answering ? LAST_SECONDS : SILENT_LAST_SECONDS); /* which ends the process: there is no handler */
    if (is_answering && sonde_wire_put(&a->wire, 'E', NULL, 0, UINT32_MAX)) sonde_wire_move(&a->wire);
    a->full_until = 0;
    if (!a->place && a->n_outgoing) a->opened = -1e9, try_to_open(a, sonde_clock_now());
    double stop = sonde_clock_now() + (is_answering ? last_try_seconds : 0);
    for (send_all(a, UINT32_MAX); a->place && a->n_outgoing && sonde_clock_now() < stop; send_all(a, UINT32_MAX))
        usleep(100000);
    while (a->n_claims) drop_claim(a, a->claims[0].id);
    if (a->place && a->beat && !a->is_silent) a->ops->beat(a->place, a->beat);
    if (a->place) a->ops->close(a->place);
    tell_numbers(a);
    sonde_wire_move(&a->wire);
    alarm(0);
    free_all(a);
}

int sonde_agent_run(const struct sonde_place_ops *ops, const struct sonde_place_setup *setup, int fd)
{
    enum { PAUSE = 250 }; /* milliseconds */
    struct agent *a = sonde_calloc(1, sizeof *a);
    struct sonde_wire_message m;
    a->ops = ops;
    a->setup = *setup;
    a->setup.run = fd;
    a->epoch = PATIENCE; /* so that there is a time PATIENCE ago */
    a->looked = a->looked_for_failures = a->spoke = a->opened = -1e9;
    sonde_wire_init(&a->wire, fd);
    bool is_there = true;
    while (is_there) {
        is_there = sonde_wire_move(&a->wire);
        while (sonde_wire_take(&a->wire, &m)) take(a, &m);
        if (!is_there) break;
        work(a);
        sonde_wire_move(&a->wire);
        struct pollfd poll_for = {.fd = fd, .events = (short)(POLLIN | (sonde_wire_waiting(&a->wire) ? POLLOUT : 0))};
        poll(&poll_for, 1, PAUSE);
    }
    end(a);
    return 0;
}
