/* The agent: a process between a run and a shared location. The run sends it findings and receives tapes that would be
 * new to the run, both over a wire (wire.h) on which neither side waits. So a location that is slow, full, missing or
 * damaged never delays the search. Findings that cannot be sent yet wait here, within limits.
 *
 *     run --tapes, keys, failures--> agent --what the location lacks--> location
 *     run <--tapes to run----------- agent <--what the run lacks------- location
 *
 * To find out which tapes are new, the run reports the keys of all that it has reached. A tape of another worker is
 * fetched if it names a key that is not among them and that no fetched tape has named. Only a few tapes without keys
 * are fetched at a time, and more only after the run has read the last batch. So a new worker is not flooded, and a
 * slow property gets no more than it can use. A tape of this run is not sent if other workers have named all of its
 * keys before.
 *
 * Running every tape would take less code than comparing keys. But a run of a large program has time for fewer tapes
 * than the others find. With four workers on Lua for 40 s, each fetched some 1,700 of 2,900 tapes. When only the keys
 * of the run's tapes were compared, each fetched 1,900. Of these, 32 % showed nothing new, and more tapes had to wait.
 *
 * The agent is one loop: it exchanges bytes with the run, handles the run's messages, and at intervals looks at the
 * location. The limits below bound memory, whatever the run and the location send; docs/fleet.md has them all in one
 * table. */
#include "share/place.h"

#include "base/buffer.h"
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
#include <string.h>
#include <unistd.h>

enum {
    /* maximum number of other workers' tapes that wait to be fetched: with keys, and as many without */
    WANTED_MAX = 1 << 12,
    OUTGOING_MAX = 1 << 10,   /* maximum number of tapes that wait to be sent; the same for failures */
    OUTGOING_BYTES = 8 << 20, /* maximum number of bytes of tapes that wait to be sent; the same for failures */
    KEYS_MAX = 1 << 20,       /* maximum number of keys that are remembered */
    CLAIMS_MAX = 256,         /* maximum number of failures that this run shrinks or wants to shrink */
    BATCH = 56,               /* number of tapes with keys that the run gets at a time */
    KEYLESS_BATCH = 8,        /* number of tapes without keys that the run gets at a time */
    BATCH_BYTES = 1 << 19,    /* a batch ends when it has this many bytes */
    SENT_AT_ONCE = 64,        /* number of tapes that are sent in one round of the loop */
    TRIES = 5,                /* number of attempts to fetch a tape that is not complete */
    WIRE_ROOM = 4 << 20,      /* number of bytes that may wait on the wire to the run */
    SAID_MAX = 8,             /* maximum number of different messages that the user gets */
    LISTED_MAX = 64           /* maximum number of workers that the live page lists */
};

/* Intervals in seconds. A finding must reach every run within ten seconds: the sender's interval, the receiver's
 * interval, and the transfer between them. */
static const double look_every = 2;       /* between two looks for tapes of other workers */
static const double failures_every = 1.5; /* between two looks for failures of other workers */
static const double report_every = 5; /* between two reports of this worker: must be well below SONDE_SILENT_SECONDS */
static const double open_every = 5;   /* between two attempts to open the location */
static const double claim_every = 5;  /* between two attempts to claim a failure that another worker shrinks */
static const double renew_every = 15; /* between two renewals of a claim: must be well below SONDE_LEASE_SECONDS */
/* How long tapes may be sent, or fetched, in one round: over a slow network, failures must not wait for them. */
static const double turn_seconds = 1;

enum {
    LAST_SECONDS = 8,        /* seconds at the end of the run for sending what is left, if the location responds */
    SILENT_LAST_SECONDS = 2, /* the same if the location does not respond */
};
static const double last_try_seconds = 4; /* at the end of the run, seconds of attempts to restore a lost connection */
static const double full_seconds = 5;     /* seconds before a full location is tried again */

/* Tapes or failures that wait to be sent to the location, or tapes to be fetched from it. The string of a failure is
 * its wire message. An item with error 0 is done. */
struct queue {
    struct sonde_shared_tape *items;
    uint32_t n, cap;
    size_t bytes;
};

/* A failure that this run wants to shrink. */
struct claim {
    char id[SONDE_FAILURE_ID + 1];
    bool is_ours;
    double next; /* when to claim the failure, or to renew the claim */
};

/* The state of an agent. */
struct agent {
    const struct sonde_place_ops *ops;
    struct sonde_place_setup setup;
    struct sonde_shared_place *place; /* the open location; NULL: it cannot be used at the moment */
    bool is_silent;                   /* in the last call the location was gone, or did not respond in time */
    struct sonde_wire wire;
    struct sonde_map keys;        /* for each key: bits AT_PLACE and IN_RUN */
    struct queue tapes, failures; /* items of this run to send to the location */
    struct queue wanted, keyless; /* tapes of other workers to fetch for the run: with keys, and without */
    struct claim claims[CLAIMS_MAX];
    uint32_t n_claims;
    struct sonde_map said; /* hashes of the messages that the user got */
    char *report;          /* the last report of the run */
    bool is_ready;         /* the run has read the last batch */
    bool is_asked;         /* the run wants an overview of the fleet */
    uint32_t n_sent, n_fetched, n_told;
    uint32_t n_noticed, n_failures; /* number of tapes of other workers; number of failures of all workers */
    double looked, looked_for_failures, spoke, opened;
    double full_until; /* no tapes are sent before this time, because the location is full */
};

enum {
    AT_PLACE = 1, /* a tape of another worker names the key */
    IN_RUN = 2,   /* the run has reached the key, or got a tape that names it */
};

/* ---- Messages to the run */

/* Sends a message for the user, unless it was sent before or SAID_MAX messages were sent. */
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

/* Warns the user of an error after which the agent tries again. */
static void complain(struct agent *a, const char *what, int error)
{
    char text[256];
    snprintf(text, sizeof text, "%s: %s; the search continues, and sonde tries again", what, strerror(-error));
    say(a, text);
}

/* Records whether the location responds, and returns the error. At its end, the run waits longer if the location
 * responds. */
static int note_result(struct agent *a, int error)
{
    a->is_silent = error == -ENOTCONN || error == -ETIMEDOUT || error == -EMSGSIZE;
    return error;
}

/* Sends the counts of sent and fetched tapes to the run, if they have changed. */
static void tell_numbers(struct agent *a)
{
    struct sonde_bytes b = {0};
    if (a->n_sent + a->n_fetched == a->n_told) return;
    a->n_told = a->n_sent + a->n_fetched;
    sonde_bytes_add_u32(&b, a->n_sent);
    sonde_bytes_add_u32(&b, a->n_fetched);
    sonde_wire_put(&a->wire, 'N', b.data, b.n, WIRE_ROOM);
    sonde_bytes_clear(&b);
}

/* ---- Queues */

/* Removes items that are done, and the first `oldest` items even if they are not done. */
static void sweep(struct queue *q, uint32_t oldest)
{
    uint32_t kept = 0;
    q->bytes = 0;
    for (uint32_t i = 0; i < q->n; i++) {
        struct sonde_shared_tape p = q->items[i];
        if (i >= oldest && p.error) {
            q->items[kept++] = p;
            q->bytes += p.n;
        } else {
            sonde_free(p.text);
            sonde_free(p.notice.where);
        }
    }
    q->n = kept;
}

static void clear_queue(struct queue *q)
{
    sweep(q, q->n);
    sonde_free(q->items);
}

/* Appends an item; the queue owns `text` from then on. */
static void append(struct queue *q, const struct sonde_notice *notice, char *text, size_t n)
{
    q->items = sonde_grow(q->items, &q->cap, (size_t)q->n + 1, sizeof *q->items);
    q->items[q->n++] = (struct sonde_shared_tape){.notice = *notice, .text = text, .n = n, .error = -EAGAIN};
    q->bytes += n;
}

/* Appends a tape or a failure for the location. If the queue is full, drops the oldest. */
static void append_outgoing(struct queue *q, const struct sonde_notice *notice, const uint8_t *data, size_t n)
{
    char *text = sonde_strndup(data, n);
    while (q->n && (q->n >= OUTGOING_MAX || q->bytes >= OUTGOING_BYTES)) sweep(q, 1);
    append(q, notice, text, n);
    sonde_assert(q->n <= OUTGOING_MAX);
}

/* ---- Keys */

/* Returns whether all keys of a tape have a mark; false for a tape without keys. */
static bool is_marked(const struct agent *a, const struct sonde_notice *notice, uint32_t mark)
{
    for (unsigned i = 0; i < notice->n_keys; i++)
        if (!(sonde_map_get(&a->keys, notice->keys[i]) & mark)) return false;
    return notice->n_keys > 0;
}

/* Marks the keys of a tape. Beyond KEYS_MAX keys are not marked, and more tapes are exchanged than needed. */
static void mark(struct agent *a, const struct sonde_notice *notice, uint32_t mark)
{
    for (unsigned i = 0; i < notice->n_keys && a->keys.n < KEYS_MAX; i++)
        *sonde_map_at(&a->keys, notice->keys[i]) |= mark;
}

/* ---- Sending to the location */

/* Sends up to `most` tapes. Tapes for which the location has no room wait: `sonde share prune` may make room. */
static void send_tapes(struct agent *a, uint32_t most)
{
    struct queue *q = &a->tapes;
    double now = sonde_clock_now(), stop = now + turn_seconds;
    int error = 0;
    for (uint32_t i = 0, n; i < q->n && i < most && now >= a->full_until && !error && sonde_clock_now() <= stop;
         i += n) {
        n = q->n - i < SONDE_TAPES_AT_ONCE ? q->n - i : SONDE_TAPES_AT_ONCE;
        a->ops->put(a->place, q->items + i, n);
        for (uint32_t k = i; k < i + n; k++) {
            a->n_sent += !q->items[k].error;
            if (!error) error = q->items[k].error;
        }
        note_result(a, error);
    }
    sweep(q, 0);
    if (error == -EFBIG) {
        a->full_until = now + full_seconds;
        say(a, "the shared location is full, and tapes of this run wait; to make room, run sonde share prune");
    } else if (error) complain(a, "tapes of this run could not be sent", error);
}

/* Sends failures in the order in which they were found. One that cannot be sent is tried again, and does not delay the
 * next. */
static void send_failures(struct agent *a)
{
    struct queue *q = &a->failures;
    int error = 0;
    for (uint32_t i = 0; i < q->n && !a->is_silent; i++) {
        struct sonde_shared_failure f;
        struct sonde_shared_tape *p = &q->items[i];
        /* take_failure has checked the message */
        sonde_wire_read_failure((const uint8_t *)p->text, (uint32_t)p->n, &f);
        p->error = note_result(a, a->ops->put_failure(a->place, &f));
        a->n_failures += !p->error && !f.is_shrunk;
        if (p->error) error = p->error;
    }
    sweep(q, 0);
    if (error) complain(a, "a failure of this run could not be sent", error);
}

/* Sends failures first: there are few, and other workers wait for them. Items that cannot be sent are tried again. */
static void send_all(struct agent *a, uint32_t most)
{
    if (!a->place) return;
    a->is_silent = false;
    send_failures(a);
    if (!a->is_silent) send_tapes(a, most);
}

/* ---- Messages from the run */

/* Queues a tape of the run, unless other workers have named all of its keys. */
static void take_tape(struct agent *a, const struct sonde_wire_message *m)
{
    struct sonde_notice notice = {.n_keys = m->n ? m->data[0] : 0};
    uint32_t at = 1 + 4 * (uint32_t)notice.n_keys;
    if (notice.n_keys > SONDE_SHARED_KEYS || m->n <= at || m->n - at > SONDE_SHARED_TEXT_MAX) return;
    if (memchr(m->data + at, '\0', m->n - at)) return;
    struct sonde_reader r = sonde_reader(m->data + 1, m->n - 1);
    for (unsigned i = 0; i < notice.n_keys; i++) notice.keys[i] = sonde_read_u32(&r);
    notice.name = sonde_hash_bytes(SONDE_WIRE_VERSION, m->data + at, m->n - at);
    if (!is_marked(a, &notice, AT_PLACE)) append_outgoing(&a->tapes, &notice, m->data + at, m->n - at);
}

static void take_keys(struct agent *a, const struct sonde_wire_message *m)
{
    struct sonde_reader r = sonde_reader(m->data, m->n);
    for (uint32_t i = 0; i < m->n / 4 && a->keys.n < KEYS_MAX; i++)
        *sonde_map_at(&a->keys, sonde_read_u32(&r)) |= IN_RUN;
}

static struct claim *find_claim(struct agent *a, const char *id)
{
    for (uint32_t i = 0; i < a->n_claims; i++)
        if (!strcmp(a->claims[i].id, id)) return &a->claims[i];
    return NULL;
}

/* Gives up a claim, at the location too if this worker holds it. */
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
    if (!sonde_wire_read_failure(m->data, m->n, &f)) return;
    append_outgoing(&a->failures, &(struct sonde_notice){0}, m->data, m->n);
    /* sent before the claim is given up, so that no other worker shrinks the failure again */
    send_all(a, SENT_AT_ONCE);
    if (f.is_shrunk) drop_claim(a, f.id);
}

static void take(struct agent *a, const struct sonde_wire_message *m)
{
    switch (m->type) {
    case 'T': take_tape(a, m); break;
    case 'K': take_keys(a, m); break;
    case 'F': take_failure(a, m); break;
    case 'C': take_claim(a, m); break;
    case 'R': a->is_ready = true; break;
    case 'W': a->is_asked = true; break;
    case 'B':
        sonde_free(a->report);
        a->report = sonde_strndup(m->data, m->n);
        break;
    default: break; /* a message of a newer version */
    }
}

/* ---- Tapes and failures of other workers */

/* Queues a tape of another worker if it may be new to the run. Returns false if there is no room: the location
 * offers the tape again later. */
static bool on_notice(void *context, const struct sonde_notice *notice)
{
    struct agent *a = context;
    struct queue *q = notice->n_keys ? &a->wanted : &a->keyless;
    if (q->n >= WANTED_MAX) return false;
    mark(a, notice, AT_PLACE);
    a->n_noticed++;
    if (is_marked(a, notice, IN_RUN)) return true;
    append(q, notice, NULL, 0);
    q->items[q->n - 1].notice.where = notice->where ? sonde_strdup(notice->where) : NULL;
    return true;
}

/* Sends a fetched tape to the run, unless other tapes have named all of its keys meanwhile; returns the bytes sent. */
static size_t deliver(struct agent *a, struct sonde_shared_tape *p)
{
    size_t most = p->notice.is_bytes ? SONDE_WIRE_LONGEST / 2 : SONDE_SHARED_TEXT_MAX, n = p->error ? 0 : p->n;
    if (p->error != -EAGAIN || ++p->tries >= TRIES) p->error = 0; /* otherwise the tape is fetched again */
    bool is_sent = n && n <= most && !is_marked(a, &p->notice, IN_RUN)
                   && sonde_wire_put(&a->wire, 'T', p->text, (uint32_t)n, WIRE_ROOM);
    if (!is_sent) return 0;
    mark(a, &p->notice, IN_RUN);
    a->n_fetched++;
    return n;
}

/* Fetches up to `most` tapes until the time `stop`, and sends them to the run; returns the bytes sent. */
static size_t fetch(struct agent *a, struct queue *q, uint32_t most, double stop)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < q->n; i++)
        if (is_marked(a, &q->items[i].notice, IN_RUN)) q->items[i].error = 0;
    sweep(q, 0);
    if (most > q->n) most = q->n;
    for (uint32_t i = 0, n; i < most && bytes < BATCH_BYTES && sonde_clock_now() <= stop; i += n) {
        n = most - i < SONDE_TAPES_AT_ONCE ? most - i : SONDE_TAPES_AT_ONCE;
        a->ops->fetch(a->place, q->items + i, n);
        for (uint32_t k = i; k < i + n; k++) bytes += deliver(a, &q->items[k]);
    }
    sweep(q, 0);
    return bytes;
}

/* Sends one batch to the run, if it has read the last one. */
static void send_batch(struct agent *a)
{
    double stop = sonde_clock_now() + turn_seconds;
    if (!a->is_ready || !a->place) return;
    size_t bytes = fetch(a, &a->wanted, BATCH, stop);
    bytes += fetch(a, &a->keyless, KEYLESS_BATCH, stop);
    if (bytes) a->is_ready = false;
}

/* Sends another worker's failure to the run. Returns false if it does not fit on the wire yet: a failure must not be
 * lost, so the location offers it again later. */
static bool on_failure(void *context, const struct sonde_shared_failure *f)
{
    struct agent *a = context;
    struct sonde_bytes b = {0};
    sonde_wire_add_failure(&b, f);
    bool is_too_long = b.n >= SONDE_WIRE_LONGEST;
    bool is_told = is_too_long || sonde_wire_put(&a->wire, 'F', b.data, b.n, WIRE_ROOM);
    sonde_bytes_clear(&b);
    if (!is_told) return false;
    a->n_failures += !f->is_shrunk;
    if (f->is_shrunk && !is_too_long) drop_claim(a, f->id);
    return true;
}

/* ---- Periodic work */

/* Claims failures, renews claims, and tells the run about changes. */
static void update_claims(struct agent *a, double now)
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
        message[SONDE_FAILURE_ID] = c->is_ours;
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

/* Returns whether an interval has passed, and starts the next one. */
static bool is_due(double *last, double every, double now)
{
    if (now - *last < every) return false;
    *last = now;
    return true;
}

static void put_fleet(FILE *out, const struct agent *a, const struct sonde_roster *r, const char *workers)
{
    struct sonde_json_out to = {.out = out};
    sonde_json_put(&to, "{n: %u, ended: %u, cases: %" PRIu64 ", rate: %.1f, tapes: %" PRIu32 ", failures: %" PRIu32,
                   r->n_workers, r->n_ended, r->cases, r->rate, a->n_sent + a->n_noticed, a->n_failures);
    sonde_json_put(&to, "workers: [");
    sonde_json_raw(&to, workers);
    sonde_json_put(&to, "]}");
}

/* Sends an overview of the fleet if the run has asked for it: only the live page needs one. */
static void tell_fleet(struct agent *a)
{
    if (!a->is_asked || !a->place) return;
    struct sonde_buffer workers, fleet;
    struct sonde_json_out list = {.out = sonde_buffer_open(&workers)};
    struct sonde_roster r = {.most = LISTED_MAX, .list = &list};
    if (a->ops->each_worker(a->place, sonde_roster_add, &r) >= 0) {
        a->is_asked = false;
        put_fleet(sonde_buffer_open(&fleet), a, &r, sonde_buffer_close(&workers));
        sonde_buffer_close(&fleet);
        sonde_wire_put(&a->wire, 'W', fleet.text, (uint32_t)fleet.n, WIRE_ROOM);
        sonde_buffer_clear(&fleet);
    }
    sonde_buffer_clear(&workers);
}

/* Does one round of the loop. After an error, skips the other calls of the location until the next round. */
static void do_round(struct agent *a)
{
    double now = sonde_clock_now();
    int error = 0;
    try_to_open(a, now);
    if (!a->place) return;
    if (a->report && is_due(&a->spoke, report_every, now)) error = note_result(a, a->ops->report(a->place, a->report));
    send_all(a, SENT_AT_ONCE);
    if (is_due(&a->looked_for_failures, failures_every, now) && !error)
        error = note_result(a, a->ops->look_for_failures(a->place, on_failure, a));
    update_claims(a, now);
    if (is_due(&a->looked, look_every, now) && !error) error = note_result(a, a->ops->look(a->place, on_notice, a));
    send_batch(a);
    tell_numbers(a);
    tell_fleet(a);
    if (error) complain(a, "the shared location does not respond", error);
}

/* ---- Start and end */

static void free_all(struct agent *a)
{
    struct queue *const queues[] = {&a->tapes, &a->failures, &a->wanted, &a->keyless};
    for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) clear_queue(queues[i]);
    sonde_map_clear(&a->keys);
    sonde_map_clear(&a->said);
    sonde_free(a->report);
    sonde_wire_close(&a->wire);
    sonde_free(a);
}

static uint32_t n_outgoing(const struct agent *a)
{
    return a->tapes.n + a->failures.n;
}

/* Sends the rest to the location and gives up all claims. A location that does not respond gets one last attempt, and
 * the run is not asked to wait longer ('E') for that. */
static void end(struct agent *a)
{
    bool is_answering = a->place && !a->is_silent;
    alarm(is_answering ? LAST_SECONDS : SILENT_LAST_SECONDS); /* SIGALRM ends the process: there is no handler */
    if (is_answering && sonde_wire_put(&a->wire, 'E', NULL, 0, UINT32_MAX)) sonde_wire_move(&a->wire);
    a->full_until = 0;
    if (!a->place && n_outgoing(a)) a->opened = -1e9, try_to_open(a, sonde_clock_now());
    double stop = sonde_clock_now() + (is_answering ? last_try_seconds : 0);
    for (send_all(a, UINT32_MAX); a->place && n_outgoing(a) && sonde_clock_now() < stop; send_all(a, UINT32_MAX))
        usleep(100000);
    while (a->n_claims) drop_claim(a, a->claims[0].id);
    if (a->place && a->report && !a->is_silent) a->ops->report(a->place, a->report);
    if (a->place) a->ops->close(a->place);
    tell_numbers(a);
    sonde_wire_move(&a->wire);
    alarm(0);
    free_all(a);
}

int sonde_agent_run(const struct sonde_place_ops *ops, const struct sonde_place_setup *setup, int fd)
{
    enum { PAUSE = 250 }; /* milliseconds between rounds, if the run sends nothing */
    struct agent *a = sonde_calloc(1, sizeof *a);
    struct sonde_wire_message m;
    a->ops = ops;
    a->setup = *setup;
    a->setup.run = fd;
    a->looked = a->looked_for_failures = a->spoke = a->opened = -1e9;
    sonde_wire_init(&a->wire, fd);
    bool is_there = true;
    while (is_there) {
        is_there = sonde_wire_move(&a->wire);
        while (sonde_wire_take(&a->wire, &m)) take(a, &m);
        if (!is_there) break;
        do_round(a);
        sonde_wire_move(&a->wire);
        struct pollfd poll_for = {.fd = fd, .events = (short)(POLLIN | (sonde_wire_waiting(&a->wire) ? POLLOUT : 0))};
        poll(&poll_for, 1, PAUSE);
    }
    end(a);
    return 0;
}
