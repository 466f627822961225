/* See fleet.h. */
#include "engine/phases/fleet.h"

#include "base/descriptor.h"
#include "base/die.h"
#include "base/digits.h"
#include "base/hash.h"
#include "base/buffer.h"
#include "base/json.h"
#include "base/process.h"
#include "base/strings.h"
#include "base/visible.h"
#include "engine/phases/inputs.h"
#include "exec/family.h"
#include "exec/fault.h"
#include "exec/interrupt.h"
#include "share/link.h"
#include "store/home.h"
#include "tape/codec.h"
#include "tape/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FAILURES_MAX = SONDE_FOUND_MAX,
    WIRE_ROOM = 1 << 20,     /* number of bytes of the queue that tapes may fill */
    FAILURE_ROOM = 16 << 20, /* number of bytes of the queue that failures may fill, because they must not be lost */
    /* number of bytes of keys sent to the agent at a time; if there are more, some tapes are exchanged needlessly */
    KEYS_BYTES = 1 << 19,
    /* maximum number of labels of received tapes that are kept, since another worker may invent any number of labels */
    LABELS_KEPT = 1 << 12,
    SAID_MAX = 8 /* maximum number of messages of the agent that are printed */
};

static const double answer_seconds = 4, /* seconds that the agent may take to reply which worker shrinks a failure */
    shrink_seconds = 10, /* seconds that the end of the run waits for another worker to shrink a failure */
    beat_seconds = 2,    /* seconds between messages about this worker to the others */
    report_seconds = 60, /* seconds between lines of --worker-report */
    roster_seconds = 3;  /* seconds between requests for the state of the fleet, for the live page */

struct shared {
    char id[SONDE_FAILURE_ID + 1]; /* id of the failure, as the other workers know it */
    uint64_t identity;             /* identity of the failure in this run; 0: it has not failed here yet */
    uint64_t text;                 /* hash of the received tape, the last of a sequence; 0: none was received */
    char *shrunk;                  /* the token to which another worker has shrunk the failure; NULL: none yet */
    enum { NOT_KNOWN = -1, OF_ANOTHER, OURS } claim;
    double asked; /* time at which this run asked to shrink the failure; 0: not yet */
};

struct sonde_fleet {
    struct sonde_link link;
    bool is_linked;
    struct sonde_outbox *post;
    struct sonde_labels labels; /* labels of received tapes */
    struct sonde_tape script;   /* scratch */
    struct sonde_plain plain;
    struct shared failures[FAILURES_MAX];
    uint32_t n_failures, n_said;
    char *worker, *program;
    char *roster; /* JSON: how the fleet is doing; NULL: not known, or not needed */
    uint64_t cases, valid, places, n_found, cases_reported;
    uint32_t sent, fetched;
    double spoke, reported, began, asked;
    bool has_asked;
};

/* ---- Starting and ending */

/* Drops what the agent, where this runs, must not touch of the run. */
static void leave_run(void)
{
    sonde_descriptor_close_for_worker();
    sonde_family_leave();
    sonde_interrupt_leave();
    sonde_fault_leave();
    sonde_bell_on_child(NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Starts the agent. Blocks all signals around the fork, as for workers: a signal in between would find the run's
 * handlers in the agent. */
static int start_agent(struct sonde_fleet *f, const struct sonde_engine *e)
{
    struct sonde_place_setup setup = {.name = e->options.share,
                                      .program = f->program,
                                      .property = e->report.property,
                                      .worker = f->worker};
    sigset_t all, before;
    fflush(NULL);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    int error = sonde_link_open(&f->link, &setup, leave_run);
    if (!error) sonde_family_spare(f->link.agent);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Returns a name that is unique among all workers; to be freed by sonde_free. */
static char *name_worker(uint64_t seed)
{
    enum { HOST = 256 };
    char host[HOST] = "", text[2 * HOST];
    if (gethostname(host, sizeof host - 1) < 0) host[0] = '\0';
    snprintf(text, sizeof text, "%.200s-%ld-%08" PRIx32, host, (long)getpid(), sonde_fold32(sonde_mix(seed + 1)));
    return sonde_safe_name(text);
}

/* Returns the last part of the path of the executable; to be freed by sonde_free. */
static char *name_program(const char *program)
{
    char *path = sonde_home_executable(program);
    char *name = sonde_strdup(sonde_last_part(path));
    sonde_free(path);
    return name;
}

void sonde_fleet_begin(struct sonde_engine *e)
{
    if (!e->options.share || e->options.replay) return;
    if (e->options.isolation == SONDE_ISOLATE_NONE) {
        sonde_warn("--share: a run without isolation (--isolate=none) exchanges nothing");
        return;
    }
    bool is_folder = sonde_starts(e->options.share, SONDE_FOLDER_PREFIX);
    struct sonde_fleet *f = sonde_calloc(1, sizeof *f);
    f->post = e->post;
    f->worker = name_worker(e->options.seed);
    f->program = name_program(e->options.program);
    f->began = f->reported = sonde_clock_now();
    sonde_labels_init(&f->labels);
    sonde_tape_init(&f->script);
    int error = start_agent(f, e);
    f->is_linked = !error;
    if (error) sonde_warn("--share: no agent could be started (%s); nothing is exchanged", strerror(-error));
    e->fleet = f;
    /* a guide without `learn` does not judge cases by what they show */
    if (f->is_linked && !e->search->guide->ops->learn)
        sonde_say("--share: the guide %s keeps no inputs, so %s sends failures but no tapes", e->options.guide,
                  e->report.property);
    if (!is_folder || !f->is_linked) return;
    sonde_engine_probe(e, &f->plain); /* files of other fuzzers in a shared directory are plain bytes */
    /* Otherwise the process of the probe would stay beside the workers, with all resources that worker_setup takes. */
    sonde_runner_stop(&e->single->runner);
}

/* ---- Failures that are known to the fleet */

static struct shared *find_id(struct sonde_fleet *f, const char *id)
{
    for (uint32_t i = 0; i < f->n_failures; i++)
        if (!strcmp(f->failures[i].id, id)) return &f->failures[i];
    return NULL;
}

static struct shared *find(const struct sonde_fleet *f, uint64_t identity)
{
    for (uint32_t i = 0; f && i < f->n_failures; i++)
        if (f->failures[i].identity == identity) return (struct shared *)(uintptr_t)&f->failures[i];
    return NULL;
}

/* Returns a new entry for a failure. If the table is full, replaces an entry that has not failed here: a peer may
 * report failures that do not exist. */
static struct shared *add(struct sonde_fleet *f, const char *id)
{
    uint32_t i = 0;
    if (f->n_failures < FAILURES_MAX) i = f->n_failures++;
    else
        while (i < FAILURES_MAX && f->failures[i].identity) i++;
    if (i == FAILURES_MAX) return NULL;
    struct shared *s = &f->failures[i];
    sonde_free(s->shrunk);
    *s = (struct shared){.claim = NOT_KNOWN};
    memcpy(s->id, id, SONDE_FAILURE_ID);
    return s;
}

/* ---- Received */

/* Prints a warning or, for kind 'I', a note that is not about a problem. */
static void say(struct sonde_fleet *f, const struct sonde_wire_message *m)
{
    if (f->n_said++ >= SAID_MAX) return;
    enum { SAID = 600 };
    char sentence[SAID], text[2 * SAID];
    snprintf(sentence, sizeof sentence, "%.*s", (int)(m->n < SAID ? m->n : SAID), (const char *)m->data);
    sonde_visible(text, sizeof text, sentence); /* the message may come from a server, so it may have any bytes */
    if (m->type == 'I') sonde_say("--share: %s", text);
    else sonde_warn("--share: %s", text);
}

/* Posts the tapes of a token, which are separated by ;. */
static void post_text(struct sonde_fleet *f, const char *text, size_t n)
{
    const char *end = text + n;
    while (text < end) {
        const char *stop = memchr(text, ';', (size_t)(end - text)), *last = stop ? stop : end;
        struct sonde_text_error error;
        while (text < last && *text == ' ') text++;
        if (sonde_tape_from_text(&f->script, &f->labels, text, (size_t)(last - text), &error) == 0)
            sonde_outbox_put(f->post, &f->script);
        text = stop ? stop + 1 : end;
    }
}

/* Posts a tape given as its token, or a file of another fuzzer. Such a file is a tape in one of sonde's forms, an
 * input of a sonde_fuzz.h target, or bytes that the property draws. */
static void post_any(struct sonde_fleet *f, const uint8_t *bytes, size_t n)
{
    struct sonde_stored found;
    const char *reason;
    if (sonde_text_has_version((const char *)bytes, n)) {
        post_text(f, (const char *)bytes, n);
    } else if (sonde_bytes_start(bytes, n, "# sonde tape")) {
        if (sonde_stored_read(&found, (const char *)bytes, n, &reason) == 0)
            post_text(f, found.token, strlen(found.token));
        sonde_stored_clear(&found);
    } else if (!f->plain.has_probed) {
        return; /* a server has no files of other fuzzers */
    } else if (sonde_bytes_start(bytes, n, "sond") || f->plain.blob == UINT32_MAX) {
        sonde_tape_decode_any(&f->script, &f->labels, bytes, n);
        sonde_outbox_put(f->post, &f->script);
    } else if (!sonde_engine_plain_script(&f->plain, (const char *)bytes, n, &f->script)) {
        sonde_outbox_put(f->post, &f->script);
    }
}

/* Posts a received failure, to be run here before it counts. If it fails, it is found like any other failure. */
static void take_failure(struct sonde_fleet *f, const struct sonde_wire_message *m)
{
    struct sonde_shared_failure theirs;
    if (!sonde_wire_read_failure(m->data, m->n, &theirs)) return;
    struct shared *s = find_id(f, theirs.id);
    if (!s) s = add(f, theirs.id);
    post_text(f, theirs.text, strlen(theirs.text));
    if (!s) return;
    const char *last = strrchr(theirs.text, ';');
    if (!s->text) s->text = sonde_hash_text(0, last ? last + 1 + strspn(last + 1, " ") : theirs.text);
    if (theirs.is_shrunk && !s->shrunk) s->shrunk = sonde_strdup(theirs.text);
}

static void take_claim(struct sonde_fleet *f, const struct sonde_wire_message *m)
{
    char id[SONDE_FAILURE_ID + 1] = "";
    if (m->n != SONDE_FAILURE_ID + 1 || m->data[SONDE_FAILURE_ID] > OURS) return;
    memcpy(id, m->data, SONDE_FAILURE_ID);
    struct shared *s = find_id(f, id);
    if (s) s->claim = m->data[SONDE_FAILURE_ID];
}

static void take_numbers(struct sonde_fleet *f, const struct sonde_wire_message *m)
{
    struct sonde_reader r = sonde_reader(m->data, m->n);
    f->sent = sonde_read_u32(&r);
    f->fetched = sonde_read_u32(&r);
}

/* Takes the state of the fleet as it is: the page escapes characters that could end the element with its data. */
static void take_roster(struct sonde_fleet *f, const struct sonde_wire_message *m)
{
    if (!m->n || m->data[0] != '{' || memchr(m->data, '\0', m->n)) return;
    sonde_free(f->roster);
    f->roster = sonde_strndup(m->data, m->n);
}

const char *sonde_fleet_roster(const struct sonde_engine *e)
{
    return e->fleet ? e->fleet->roster : NULL;
}

static void take(void *fleet, const struct sonde_wire_message *m)
{
    struct sonde_fleet *f = fleet;
    if (f->labels.n > LABELS_KEPT) { /* ids are hashes: a label that was dropped gets the same id again */
        sonde_labels_clear(&f->labels);
        sonde_labels_init(&f->labels);
    }
    switch (m->type) {
    case 'T': post_any(f, m->data, m->n); break;
    case 'F': take_failure(f, m); break;
    case 'C': take_claim(f, m); break;
    case 'I':
    case 'S': say(f, m); break;
    case 'N': take_numbers(f, m); break;
    case 'W': take_roster(f, m); break;
    default: break;
    }
}

/* Exchanges all messages that are ready. Must be called outside of every heap. */
static void move(struct sonde_fleet *f)
{
    struct sonde_wire_message m;
    if (!f->is_linked) return;
    bool is_there = sonde_wire_move(&f->link.wire);
    while (sonde_wire_take(&f->link.wire, &m)) take(f, &m);
    if (is_there) return;
    f->is_linked = false;
    sonde_warn("--share: the agent of this run has ended; nothing more is exchanged");
}

/* ---- Sent */

static const char *guide_options(const struct sonde_engine *e)
{
    return e->options.guide_options ? e->options.guide_options : "";
}

static void report(struct sonde_engine *e, double now)
{
    struct sonde_fleet *f = e->fleet;
    char cases[SONDE_GROUPED], rate[SONDE_GROUPED], places[SONDE_GROUPED];
    double passed = now - f->reported;
    uint64_t per_second = passed > 0 ? (uint64_t)((double)(f->cases - f->cases_reported) / passed) : 0;
    sonde_say("%s: worker %s: %s case%s, %s a second, %s location%s, %" PRIu64 " failure%s; %" PRIu32
              " tape%s sent, %" PRIu32 " fetched%s%s%s",
              e->report.property, f->worker, sonde_grouped(f->cases, cases), sonde_plural(f->cases),
              sonde_grouped(per_second, rate), sonde_grouped(f->places, places), sonde_plural(f->places), f->n_found,
              sonde_plural(f->n_found), f->sent, sonde_plural(f->sent), f->fetched, f->is_linked ? "" : "; no agent",
              *guide_options(e) ? "; --guide-options " : "", guide_options(e));
    f->reported = now;
    f->cases_reported = f->cases;
}

static void beat(struct sonde_engine *e, double now)
{
    enum { NAMES = 200 }; /* maximum size of each string in bytes: a report must be shorter than the reader's limit */
    struct sonde_fleet *f = e->fleet;
    struct sonde_buffer text;
    struct sonde_json_out to = {.out = sonde_buffer_open(&text)};
    sonde_json_put(&to, "{worker: %.*s, version: %s, guide: %.*s, guide_options: %.*s", NAMES, f->worker, SONDE_VERSION,
                   NAMES, e->options.guide, NAMES, guide_options(e));
    sonde_json_put(&to, "seed: %" PRIu64 ", seconds: %.0f, cases: %" PRIu64 ", valid: %" PRIu64, e->options.seed,
                   now - f->began, f->cases, f->valid);
    sonde_json_put(&to, "places: %" PRIu64 ", failures: %" PRIu64 ", sent: %" PRIu32 ", fetched: %" PRIu32 "}",
                   f->places, f->n_found, f->sent, f->fetched);
    fputc('\n', to.out);
    sonde_buffer_close(&text);
    sonde_wire_put(&f->link.wire, 'B', text.text, (uint32_t)text.n, WIRE_ROOM);
    sonde_buffer_clear(&text);
}

void sonde_fleet_progress(struct sonde_engine *e, const struct sonde_stats *stats, const struct sonde_outlook *outlook)
{
    struct sonde_fleet *f = e->fleet;
    if (!f) return;
    f->cases = stats->tests;
    f->valid = stats->valid;
    f->places = outlook->places;
    f->n_found = e->n_told;
}

void sonde_fleet_turn(struct sonde_engine *e, bool has_read)
{
    struct sonde_fleet *f = e->fleet;
    if (!f) return;
    double now = sonde_clock_now();
    uint32_t before = f->fetched;
    move(f);
    if (now - f->spoke > beat_seconds) {
        f->spoke = now;
        beat(e, now);
    }
    if (e->options.served && now - f->asked > roster_seconds) {
        f->asked = now;
        sonde_wire_put(&f->link.wire, 'W', NULL, 0, WIRE_ROOM);
    }
    if (f->fetched != before || !has_read) f->has_asked = false;
    /* Reports to the agent, once for each batch, that all received tapes have been run. has_asked is reset when the
     * agent has sent more tapes. */
    if (has_read && !f->has_asked) f->has_asked = sonde_wire_put(&f->link.wire, 'R', NULL, 0, WIRE_ROOM);
    if (e->options.worker_report && now - f->reported > report_seconds) report(e, now);
}

static void send_tape(struct sonde_fleet *f, const struct sonde_snapshot_tape *tape)
{
    struct sonde_bytes b = {0};
    size_t n = strlen(tape->text);
    if (n > SONDE_SHARED_TEXT_MAX) return;
    sonde_bytes_add(&b, &tape->n_keys, 1);
    for (uint32_t i = 0; i < tape->n_keys; i++) sonde_bytes_add_u32(&b, tape->keys[i]);
    sonde_bytes_add(&b, tape->text, n);
    sonde_wire_put(&f->link.wire, 'T', b.data, b.n, WIRE_ROOM);
    sonde_bytes_clear(&b);
}

void sonde_fleet_keep(struct sonde_engine *e, const struct sonde_search *s)
{
    struct sonde_fleet *f = e->fleet;
    struct sonde_reader from = sonde_snapshot_tapes(&s->snapshot);
    struct sonde_snapshot_tape tape;
    if (!f || !f->is_linked) return;
    while (sonde_snapshot_next(&from, &tape)) send_tape(f, &tape);
    uint32_t n_known = s->snapshot.known.n < KEYS_BYTES ? s->snapshot.known.n : KEYS_BYTES;
    sonde_wire_put(&f->link.wire, 'K', s->snapshot.known.data, n_known, WIRE_ROOM);
    move(f);
}

/* ---- Failures of this run */

static void send_failure(struct sonde_fleet *f, const char *id, const struct sonde_failure *failure, const char *text,
                         bool is_shrunk)
{
    enum { PLACE = 512, FOUND = 300 };
    char place[PLACE] = "", found[FOUND];
    struct sonde_bytes b = {0};
    if (failure->file) snprintf(place, sizeof place, "%s:%d", failure->file, failure->line);
    snprintf(found, sizeof found, "by %s, test %" PRIu64, f->worker, failure->tests_to_failure);
    struct sonde_shared_failure what = {.is_shrunk = is_shrunk,
                                        .kind = failure->kind,
                                        .message = failure->message,
                                        .place = place,
                                        .found = found,
                                        .text = text};
    memcpy(what.id, id, SONDE_FAILURE_ID);
    sonde_wire_add_failure(&b, &what);
    sonde_wire_put(&f->link.wire, 'F', b.data, b.n, FAILURE_ROOM);
    sonde_bytes_clear(&b);
}

static void ask(struct sonde_fleet *f, struct shared *s)
{
    if (s->asked > 0) return;
    s->asked = sonde_clock_now();
    sonde_wire_put(&f->link.wire, 'C', s->id, SONDE_FAILURE_ID, FAILURE_ROOM);
}

/* Returns the entry of a failure by its tape, because another build may use another id for it; NULL if there is
 * none. */
static struct shared *find_text(struct sonde_fleet *f, const char *text)
{
    uint64_t hash = sonde_hash_text(0, text);
    for (uint32_t i = 0; i < f->n_failures; i++)
        if (f->failures[i].text == hash && !f->failures[i].identity) return &f->failures[i];
    return NULL;
}

void sonde_fleet_found(struct sonde_engine *e, const struct sonde_failure *failure, const char *text)
{
    struct sonde_fleet *f = e->fleet;
    if (!f || !f->is_linked || !sonde_failure_id_is_good(failure->id, strlen(failure->id))) return;
    struct shared *s = find_id(f, failure->id);
    if (!s) s = find_text(f, failure->token);
    if (!s && (s = add(f, failure->id))) send_failure(f, failure->id, failure, text, false);
    if (s) {
        s->identity = strtoull(failure->id, NULL, 16);
        if (!s->shrunk) ask(f, s);
    }
    move(f);
}

/* Returns whether it is decided which worker shrinks a failure: this run claimed it, another worker has shrunk it, or
 * waiting is of no use. */
static bool is_decided(const struct sonde_fleet *f, const struct shared *s)
{
    if (!s || !f->is_linked || s->shrunk) return true;
    if (s->claim == NOT_KNOWN) return sonde_clock_now() - s->asked > answer_seconds;
    return s->claim != OF_ANOTHER;
}

bool sonde_fleet_has_decided(const struct sonde_engine *e, uint64_t identity)
{
    return is_decided(e->fleet, find(e->fleet, identity));
}

void sonde_fleet_await(struct sonde_engine *e, uint64_t identity)
{
    struct sonde_fleet *f = e->fleet;
    const struct shared *s = find(f, identity);
    if (!f || !s) return;
    enum { PAUSE = 5000 }; /* microseconds between two checks */
    double end = sonde_clock_now() + (e->options.shrink ? shrink_seconds : 0);
    while (!is_decided(f, s) && sonde_clock_now() < end && !sonde_interrupted()) {
        usleep(PAUSE);
        move(f);
    }
}

bool sonde_fleet_shrunk(struct sonde_engine *e, uint64_t identity, struct sonde_tape *script)
{
    const struct shared *s = find(e->fleet, identity);
    struct sonde_text_error error;
    /* a sequence of several tapes is always shrunk by this run */
    if (!s || !s->shrunk || strchr(s->shrunk, ';')) return false;
    return sonde_tape_from_text(script, &e->fleet->labels, s->shrunk, strlen(s->shrunk), &error) == 0;
}

bool sonde_fleet_leaves(const struct sonde_engine *e, uint64_t identity)
{
    const struct shared *s = find(e->fleet, identity);
    return s && e->fleet->is_linked && s->claim == OF_ANOTHER && !s->shrunk;
}

void sonde_fleet_send_shrunk(struct sonde_engine *e, const struct sonde_failure *failure)
{
    struct sonde_fleet *f = e->fleet;
    const struct shared *s = f ? find(f, strtoull(failure->id, NULL, 16)) : NULL;
    bool is_shrunk = e->options.shrink && !failure->flaky && !(failure->shrink_stopped && sonde_interrupted());
    if (!s || !is_shrunk || s->shrunk || s->claim == OF_ANOTHER) return;
    send_failure(f, s->id, failure, failure->token, true);
    move(f);
}

void sonde_fleet_end(struct sonde_engine *e)
{
    struct sonde_fleet *f = e->fleet;
    if (!f) return;
    f->cases = e->search->stats.tests;
    f->valid = e->search->stats.valid;
    f->places = e->search->stats.edges;
    f->n_found = e->n_failures;
    if (f->is_linked) move(f);
    if (f->is_linked) beat(e, sonde_clock_now());
    pid_t agent = f->link.agent; /* read before sonde_link_close clears it */
    sonde_link_close(&f->link, take, f);
    sonde_family_unspare(agent);
    if (e->options.worker_report) report(e, sonde_clock_now());
    for (uint32_t i = 0; i < f->n_failures; i++) sonde_free(f->failures[i].shrunk);
    sonde_labels_clear(&f->labels);
    sonde_tape_clear(&f->script);
    if (f->plain.has_probed) sonde_tape_clear(&f->plain.probe);
    sonde_free(f->roster);
    sonde_free(f->worker);
    sonde_free(f->program);
    sonde_free(f);
    e->fleet = NULL;
}
