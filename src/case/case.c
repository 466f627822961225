/* The life of a case and its spans. Draws are in draw.c, checks in claim.c, printed strings in say.c.
 *
 * exec makes these calls in the worker:
 *   1. sonde_case_begin.
 *   2. The property, which draws, checks and opens spans.
 *   3. sonde_case_leave on any exit but a return.
 *   4. sonde_case_undo until it returns NULL.
 *   5. sonde_case_end.
 * After a worker died, the supervisor calls sonde_case_died, or sonde_case_repair if the struct was overwritten. Then
 * the next worker calls sonde_case_renew.
 *
 * Invariant: another process can read the case at any moment, because the worker may die at any moment. An array that
 * moves is freed only after its replacement is reachable. A counter is raised after the data that it counts was
 * written. The tape of the running case is always reachable from a slot of the ring. */
#include "case/case.h"

#include "base/die.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/image.h"
#include "case/aim.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

_Thread_local char sonde_thread_mark __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Number of choices and spans for which each tape has room at the start. The tapes of the ring are packed into one
 * block and begin small, because a new worker touches every one of them. If tapes were far apart, each would cost the
 * worker separate pages, and even separate page tables. (At the same offset within a page, they would also compete for
 * the same cache lines.) A tape that outgrows its part of the block moves out of the block. */
enum { FIRST_ROOM = SONDE_LIMIT(32, 1) };

static void init_ring(sonde *t)
{
    uint32_t n_choices = t->limits.choices < FIRST_ROOM ? t->limits.choices : FIRST_ROOM;
    uint32_t n_spans = t->limits.spans < FIRST_ROOM ? t->limits.spans : FIRST_ROOM;
    size_t choices = n_choices * sizeof(struct sonde_choice), spans = n_spans * sizeof(struct sonde_tape_span);
    size_t slot = (choices + spans + 63) / 64 * 64;
    char *room = t->ring_room = sonde_malloc(SONDE_CASE_RING * slot);
    t->ring_end = room + SONDE_CASE_RING * slot;
    for (uint32_t i = 0; i < SONDE_CASE_RING; i++, room += slot) {
        t->ring[i] = (struct sonde_tape){.choices = (struct sonde_choice *)(void *)room,
                                         .spans = (struct sonde_tape_span *)(void *)(room + choices),
                                         .cap_choices = n_choices,
                                         .cap_spans = n_spans};
        sonde_tape_reserve(&t->ring[i], 0, 0, 4096);
    }
    t->tape = t->ring[0];
}

/* Frees an array unless it is still inside the common block. */
static void free_outgrown(const sonde *t, void *array)
{
    const char *p = array;
    if (p < (const char *)t->ring_room || p >= (const char *)t->ring_end) sonde_free(array);
}

/* Returns twice the capacity, but no more than the limit. A full tape whose capacity is the limit ends the case as an
 * overrun. */
static uint32_t larger(uint32_t cap, uint32_t limit)
{
    return cap < limit / 2 ? cap * 2 : limit;
}

/* At every step of the move the slot refers to a complete tape, because the supervisor may have to read it after a
 * crash. */
void sonde_case_more_choices(sonde *t)
{
    if (t->tape.n_choices >= t->limits.choices) sonde_case_overrun(t, "choices");
    uint32_t cap = larger(t->tape.cap_choices, t->limits.choices);
    sonde_assert(cap > t->tape.n_choices);
    struct sonde_choice *old = t->tape.choices, *more = sonde_malloc(cap * sizeof *more);
    /* Not realloc: the old array must stay valid until the slot points to the new one. */
    memcpy(more, old, t->tape.n_choices * sizeof *more);
    t->tape.choices = t->ring[t->ring_at].choices = more;
    t->tape.cap_choices = t->ring[t->ring_at].cap_choices = cap;
    /* choose_quickly compares with plain_end alone, so plain_end must follow cap_choices. */
    if (t->plain_end) t->plain_end = cap;
    free_outgrown(t, old);
}

static void more_spans(sonde *t)
{
    if (t->tape.n_spans >= t->limits.spans) sonde_case_overrun(t, "spans");
    uint32_t cap = larger(t->tape.cap_spans, t->limits.spans);
    sonde_assert(cap > t->tape.n_spans);
    struct sonde_tape_span *old = t->tape.spans, *more = sonde_malloc(cap * sizeof *more);
    memcpy(more, old, t->tape.n_spans * sizeof *more);
    t->tape.spans = t->ring[t->ring_at].spans = more;
    t->tape.cap_spans = t->ring[t->ring_at].cap_spans = cap;
    free_outgrown(t, old);
}

/* Writes the tape back into its slot, field by field: copying the whole struct would wait for the draws' stores to
 * reach memory. */
static void put_back(sonde *t)
{
    struct sonde_tape *slot = &t->ring[t->ring_at];
    slot->n_choices = t->tape.n_choices;
    slot->n_spans = t->tape.n_spans;
    slot->n_bytes = t->tape.n_bytes;
    slot->cap_bytes = t->tape.cap_bytes;
    slot->bytes = t->tape.bytes;
}

/* Moves to the next slot, which overwrites the oldest tape. culprit.c reads the last tapes after a crash: a case may
 * die from the effects of an earlier one. */
static void advance_ring(sonde *t)
{
    sonde_assert(t->tape.choices == t->ring[t->ring_at].choices); /* `tape` borrows the arrays of its slot */
    put_back(t);
    t->ring_at = (t->ring_at + 1) % SONDE_CASE_RING;
    const struct sonde_tape *slot = &t->ring[t->ring_at];
    t->tape.choices = slot->choices;
    t->tape.spans = slot->spans;
    t->tape.bytes = slot->bytes;
    t->tape.cap_choices = slot->cap_choices;
    t->tape.cap_spans = slot->cap_spans;
    t->tape.cap_bytes = slot->cap_bytes;
}

static void free_ring(sonde *t)
{
    put_back(t);
    for (uint32_t i = 0; i < SONDE_CASE_RING; i++) {
        sonde_free(t->ring[i].bytes);
        free_outgrown(t, t->ring[i].choices);
        free_outgrown(t, t->ring[i].spans);
    }
    sonde_free(t->ring_room);
}

static void make(sonde *t, struct sonde_labels *labels, struct sonde_limits limits)
{
    memset(t, 0, sizeof *t);
    /* The seal depends on the address, so that one case copied over another does not look intact. */
    t->seal = t->seal_behind = (uint64_t)(uintptr_t)t ^ UINT64_C(0x5eade5eade5ead00);
    t->labels = labels;
    t->limits = limits;
    t->length_label = sonde_label_intern(labels, SONDE_LABEL_LENGTH);
    t->size_label = sonde_label_intern(labels, SONDE_LABEL_SIZE);
    init_ring(t);
    sonde_script_init(&t->reader);
    sonde_script_init(&t->again.reader);
    sonde_tape_init(&t->again.tape);
    sonde_arena_init(&t->arena, limits.memory, limits.guards);
    t->view.tape = &t->tape;
    t->view.path = t->path;
    t->unloads = sonde_unload_count();
}

sonde *sonde_case_create(struct sonde_labels *labels, struct sonde_limits limits)
{
    sonde *t = sonde_malloc(sizeof *t);
    make(t, labels, limits);
    return t;
}

/* ---- Repair after stray writes. The arrays of the tape are elsewhere and may well be undamaged. */

/* Returns whether memory is in the shared heap. Without a shared heap (sonde_run without workers) there is no range to
 * compare with. */
static bool is_in_heap(const void *p, size_t n)
{
    struct sonde_heap *heap = sonde_heap_current();
    return !heap || (p && sonde_heap_has(heap, p) && sonde_heap_has(heap, (const char *)p + n));
}

/* Returns whether a tape's counts and pointers make sense. Stray writes may have changed them, so no pointer is
 * followed before it is known to be in the heap. */
static bool is_plausible_tape(const struct sonde_tape *tape, const struct sonde_limits *limits)
{
    return tape->n_choices <= tape->cap_choices && tape->cap_choices <= limits->choices && tape->n_spans > 0
           && tape->n_spans <= tape->cap_spans && tape->cap_spans <= limits->spans && tape->n_bytes <= tape->cap_bytes
           && is_in_heap(tape->choices, tape->cap_choices * sizeof *tape->choices)
           && is_in_heap(tape->spans, tape->cap_spans * sizeof *tape->spans)
           && is_in_heap(tape->bytes, tape->cap_bytes);
}

static bool is_label(const struct sonde_labels *labels, uint32_t id)
{
    return id != 0 && strcmp(sonde_label_text(labels, id), "?") != 0;
}

/* Returns whether a choice makes sense. Choices with data in the byte array are rejected: the position of their data is
 * unknown. */
static bool is_plausible_choice(const struct sonde_choice *c, const struct sonde_tape *tape,
                                const struct sonde_labels *labels)
{
    if (!is_label(labels, c->label) || c->index > c->max || c->span >= tape->n_spans) return false;
    return c->kind < SONDE_KIND_LITERAL && c->kind != SONDE_KIND_BLOB && c->kind != SONDE_KIND_DOUBLE;
}

/* Sets the length of a tape from a slot of the ring, where counts are unknown. The tape ends before the first entry
 * that makes no sense. Choices of an older case may follow. Such choices are harmless: a replay skips choices that it
 * does not draw. */
static void guess_length(struct sonde_tape *tape, const struct sonde_labels *labels)
{
    tape->n_spans = tape->cap_spans > 0;
    while (tape->n_spans && tape->n_spans < tape->cap_spans) {
        const struct sonde_tape_span *s = &tape->spans[tape->n_spans];
        if (!is_label(labels, s->label) || s->parent >= tape->n_spans || s->start > tape->cap_choices) break;
        tape->n_spans++;
    }
    tape->n_choices = tape->n_bytes = 0;
    while (tape->n_choices < tape->cap_choices && is_plausible_choice(&tape->choices[tape->n_choices], tape, labels))
        tape->n_choices++;
}

/* Returns the tape of the struct, or, if that was overwritten, the tape of the ring's slot. The slot has the same
 * arrays but the counts of an older case. */
static struct sonde_tape find_tape(const sonde *t, const struct sonde_case_origin *like)
{
    struct sonde_tape tape = t->tape, none = {0};
    if (is_plausible_tape(&tape, &like->limits) && sonde_tape_is_sound(&tape, false)) return tape;
    if (t->ring_at >= SONDE_CASE_RING) return none;
    tape = t->ring[t->ring_at];
    tape.n_choices = tape.n_bytes = 0;
    tape.n_spans = 1;
    if (!is_plausible_tape(&tape, &like->limits)) return none;
    guess_length(&tape, like->labels);
    return tape;
}

/* Replaces the arrays of the running tape by the arrays of `tape`, and frees the old ones. */
static void take_tape(sonde *t, const struct sonde_tape *tape)
{
    free_outgrown(t, t->tape.choices);
    free_outgrown(t, t->tape.spans);
    sonde_free(t->tape.bytes);
    t->tape = t->ring[t->ring_at] = *tape;
}

void sonde_case_repair(sonde *t, const struct sonde_case_origin *like)
{
    /* The tape is copied before `make` wipes the struct. The old arrays are leaked on purpose, since it is unknown
     * which of them are valid. */
    struct sonde_tape found = find_tape(t, like), copy;
    sonde_tape_init(&copy);
    if (found.n_spans) sonde_tape_copy(&copy, &found);
    if (found.n_spans) sonde_tape_reserve(&copy, 1, 1, 1); /* every array exists */
    make(t, like->labels, like->limits);
    t->reached.is_partial = true;
    sonde_tape_begin(&t->tape);
    if (copy.n_spans) take_tape(t, &copy);
    t->view.depth = 1;
    /* `like->started` cases had begun before this one. The supervisor compares the counter to see progress. */
    atomic_store(&t->started, like->started + 1);
}

/* Frees printed values, which are heap copies (say.c), from index `kept` on. Values before `kept` belong to calls that
 * stay. */
static void forget_shown(sonde *t, uint32_t kept)
{
    for (uint32_t i = kept; i < t->n_shown; i++) sonde_free((void *)(uintptr_t)t->shown[i].text);
    t->n_shown = kept;
}

void sonde_case_free(sonde *t)
{
    if (!t) return;
    forget_shown(t, 0);
    sonde_free(t->notes);
    sonde_free(t->shown);
    sonde_observed_clear(&t->observed);
    sonde_free(t->records);
    sonde_free(t->deferred);
    sonde_free(t->symbols);
    sonde_arena_clear(&t->arena);
    sonde_script_clear(&t->reader);
    sonde_script_clear(&t->again.reader);
    sonde_tape_clear(&t->again.tape);
    free_ring(t);
    sonde_case_free_memos(t);
    sonde_free(t);
}

static void forget_schedule(sonde *t)
{
    sonde_free(t->schedule.moments);
    t->schedule = (struct sonde_schedule){.n_threads = 0};
}

/* `started` is set second to last and `owner` last, so that a supervisor which sees an owner sees a case that has
 * begun. The claim is cleared only if it was set, because the struct is large and few cases have one. */
void sonde_case_begin(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                      const struct sonde_tape *script)
{
    sonde_assert(!t->owner); /* the previous case has ended */
    /* Notes, printed and observed values of the previous case stay readable until here (see sonde_case_end). */
    if (t->n_shown) forget_shown(t, 0);
    t->n_notes = 0;
    if (t->observed.mark.n_all) sonde_observed_return(&t->observed, &(struct sonde_observed_mark){.n = 0});
    t->property = property;
    t->guide = guide;
    t->choose = guide->ops->choose;
    t->leave = NULL;
    t->driver = NULL;
    t->crash = NULL;
    t->threads = NULL;
    if (t->schedule.n_threads) forget_schedule(t);
    t->finds_races = false;
    t->fault_rate = 0;
    t->script = NULL;
    t->again.depth = 0;
    if (script) {
        sonde_script_begin(&t->reader, script);
        t->script = &t->reader;
    }
    advance_ring(t);
    sonde_tape_begin(&t->tape);
    t->plain = guide->plain;
    t->plain_end = guide->plain && !script ? t->tape.cap_choices : 0;
    sonde_case_enter(t, 0, 0);
    t->path[0] = 0;
    t->view.depth = 1;
    t->view.size = SONDE_SIZE_MAX;
    t->has_size = false;
    t->weighted_p = 1;
    t->identity = t->characteristic = 0;
    t->state = 0;
    t->view.state = 0;
    t->assumes_passed = 0;
    t->lifted.line = 0;
    t->n_compared = t->n_taken = t->n_calls = 0;
    t->overrun = NULL;
    t->unclosed = 0;
    t->n_hits = t->n_targets = t->n_margins = t->n_records = t->n_deferred = t->n_buffers = 0;
    if (atomic_load_explicit(&t->claim_taken, memory_order_relaxed)) {
        atomic_store_explicit(&t->claim_taken, 0, memory_order_relaxed);
        atomic_store_explicit(&t->has_unexpected, false, memory_order_relaxed);
        t->claim.kind = SONDE_CLAIM_NONE;
        t->failed_at.spans = 0;
    }
    atomic_store_explicit(&t->race.state, SONDE_RACE_NONE, memory_order_relaxed);
    if (t->aim) sonde_aim_begin(t->aim);
    sonde_reached_begin(&t->reached);
    t->verdict = SONDE_VALID;
    atomic_store_explicit(&t->started, atomic_load_explicit(&t->started, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    t->owner = sonde_this_thread();
    sonde_comparing = t;
}

/* `back` 0 is the running or last case, whose tape has not been written back to its slot yet. */
struct sonde_tape *sonde_case_earlier(sonde *t, uint32_t back)
{
    if (back >= SONDE_CASE_RING || back >= atomic_load(&t->started)) return NULL;
    uint32_t at = (t->ring_at + SONDE_CASE_RING - back) % SONDE_CASE_RING;
    return back ? &t->ring[at] : &t->tape;
}

/* Runs in the supervisor, on memory of a process that no longer exists. Spans are closed because readers of tapes rely
 * on it. Deferred functions are not called, since their memory is gone. */
void sonde_case_died(sonde *t)
{
    t->script = NULL; /* the frames of the script may be half written */
    t->ended = NULL;  /* from now on, cases may repeat earlier cases */
    t->again.depth = 0;
    t->verdict = SONDE_FAILED;
    atomic_store(&t->claim_taken, 1);
    if (t->view.depth > 1) sonde_case_close_to(t, 1);
    sonde_tape_close(&t->tape, 0);
    t->tape.spans[0].flags |= SONDE_SPAN_FREE;
    t->owner = NULL;
    t->plain_end = 0;
}

/* Forgets all cached labels. Both caches have addresses as keys, and after a library is unloaded another may be loaded
 * at the same address. */
static void forget_labels(sonde *t)
{
    memset(&t->known, 0, sizeof t->known);
    memset(t->changing, 0, sizeof t->changing);
}

void sonde_case_renew(sonde *t)
{
    t->owner = NULL;
    t->plain_end = 0;
    t->disk = NULL; /* the disk's descriptors belonged to the dead process */
    t->fault_hook = NULL;
    sonde_arena_init(&t->arena, t->limits.memory, t->limits.guards);
    forget_labels(t); /* the next process may load libraries at other addresses */
}

void sonde_case_refresh(sonde *t)
{
    uint64_t unloads = sonde_unload_count();
    if (unloads == t->unloads) return;
    t->unloads = unloads;
    forget_labels(t);
}

const struct sonde_deferred *sonde_case_undo(sonde *t)
{
    return t->n_deferred ? &t->deferred[--t->n_deferred] : NULL;
}

/* Makes the record of the failure a misuse, even if a check failed earlier, and adds the call stack. */
static void note_misuse(sonde *t)
{
    struct sonde_claim *c = &t->claim;
    sonde_failing_();
    atomic_store_explicit(&t->claim_taken, 1, memory_order_relaxed);
    c->kind = SONDE_CLAIM_MISUSE;
    c->file[0] = c->condition[0] = '\0';
    c->has_sides = false;
    c->n_frames = sonde_frames(c->frames);
    if (!t->misused_at) return;
    c->frames[0] = (void *)(uintptr_t)t->misused_at;
    c->n_frames = 1;
    t->misused_at = NULL;
}

/* The message names one label, so only the outermost of the open spans is noted. */
void sonde_case_note_unclosed(sonde *t, uint32_t depth)
{
    for (uint32_t i = depth; i < t->view.depth && !t->unclosed; i++) {
        const struct sonde_tape_span *span = &t->tape.spans[t->path[i]];
        if (!(span->flags & (SONDE_SPAN_LIST | SONDE_SPAN_ELEMENT))) t->unclosed = span->label;
    }
}

static void report_unclosed(sonde *t)
{
    const char *label = sonde_label_text(t->labels, t->unclosed);
    note_misuse(t);
    t->claim.n_frames = 0; /* no particular call caused the misuse */
    t->verdict = SONDE_MISUSE;
    snprintf(
        t->claim.message, sizeof t->claim.message,
        "sonde_open(\"%s\"): the span was not closed; call sonde_close(t, \"%s\") on every path that leaves it, or use "
        "sonde_span, which closes itself",
        label, label);
}

/* The verdict is decided before spans are closed: an open span is a misuse only if the property has returned. */
void sonde_case_end(sonde *t)
{
    t->owner = NULL;
    sonde_comparing = NULL;
    sonde_reached_end(&t->reached);
    t->plain_end = 0; /* a draw between cases must take the slow path, which reports the misuse */
    bool has_returned = t->verdict == SONDE_VALID; /* after any other exit, spans may be open */
    /* A failed expect counts, whether the case then ended by a return, an assume or a limit. */
    if (sonde_case_may_fail(t) && atomic_load_explicit(&t->has_unexpected, memory_order_acquire)) {
        has_returned = false;
        t->verdict = SONDE_FAILED;
    }
    if (t->view.depth > 1) {
        sonde_case_note_unclosed(t, 1);
        sonde_case_close_to(t, 1);
    }
    if (has_returned && t->unclosed) report_unclosed(t);
    sonde_tape_close(&t->tape, 0);
    if (t->arena.used) sonde_arena_empty(&t->arena);
}

SONDE_NORETURN void sonde_case_leave(sonde *t, enum sonde_verdict verdict)
{
    if (t->threads) sonde_threads_leave(t, verdict);
    /* An assume inside a machine's call takes back the call instead of the case. sonde_driver_leave returns only if the
     * call cannot be left without the case. If the case has already failed, the whole case is left: the failing call
     * may be this one, and it must stay on the tape. */
    bool has_failed = atomic_load_explicit(&t->has_unexpected, memory_order_relaxed);
    if (verdict == SONDE_DISCARDED && t->driver && !has_failed) sonde_driver_leave(t->driver);
    t->driver = NULL;                          /* clean-up functions are not part of a call */
    t->crash = NULL;                           /* a simulated crash must not end clean-up functions */
    t->tape.spans[0].flags |= SONDE_SPAN_FREE; /* the draws that would have followed are unknown */
    /* The first reason is kept, since cleaning up after a failure may fail too. But an assume or a limit does not
     * excuse a later failure in a deferred function or the tear-down. */
    bool is_worse = verdict == SONDE_MISUSE || (verdict == SONDE_FAILED && sonde_case_may_fail(t));
    if (t->verdict == SONDE_VALID || is_worse) t->verdict = verdict;
    /* In C++, `leave` throws an exception, so that destructors run; it does not return. */
    if (t->leave) t->leave(t);
    _longjmp(t->out, 1);
}

sonde_leave_fn_ *sonde_leave_by_(sonde *t, sonde_leave_fn_ *leave)
{
    sonde_leave_fn_ *before = t->leave;
    t->leave = leave;
    return before;
}

SONDE_NORETURN void sonde_case_overrun(sonde *t, const char *what)
{
    t->overrun = what;
    sonde_case_leave(t, SONDE_OVERRUN);
}

SONDE_NORETURN void sonde_misuse_(sonde *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->claim.message, sizeof t->claim.message, format, args);
    va_end(args);
    note_misuse(t);
    /* Only the thread that runs the property can jump to exec; from any other the process ends. */
    if (t->owner != sonde_this_thread()) sonde_die(SONDE_USAGE, "%s", t->claim.message);
    sonde_case_leave(t, SONDE_MISUSE);
}

/* The order of these tests matters: `t` may be NULL, or ended, or run by another thread. Only after these tests is it
 * certain that a case can be left. */
SONDE_NORETURN void sonde_case_misplaced(sonde *t, const char *function, const char *label)
{
    const char *name = label ? label : "(no label)";
    if (!t)
        sonde_die(SONDE_USAGE, "%s(\"%s\"): the case is NULL; pass the sonde * that the property got", function, name);
    if (t->owner != sonde_this_thread()) note_misuse(t);
    if (!t->owner)
        sonde_die(SONDE_USAGE,
                  "%s(\"%s\"): the case has ended; use the sonde * only until the property returns, and do not keep it",
                  function, name);
    if (t->owner != sonde_this_thread())
        sonde_die(SONDE_USAGE,
                  "%s(\"%s\"): called from another thread; draw and check in the thread that runs the property (only "
                  "sonde_expect may be called in other threads)",
                  function, name);
    if (t->schedule.is_elsewhere)
        sonde_misuse_(
            t,
            "%s(\"%s\"): called in a thread that sonde_threads controls; draw in the function that sonde_threads "
            "calls, and pass the values to the thread",
            function, name);
    if (!label) sonde_misuse_(t, "%s: the label is NULL; every draw needs a name", function);
    sonde_misuse_(t,
                  "%s(\"%.60s\"): the label is too long, or there are more than %d different labels; give "
                  "every element of a list the same label",
                  function, name, SONDE_LABELS_MAX);
}

/* ---- Spans */

/* Limits are tested before the tape is written, so an overrun leaves a valid tape. */
uint32_t sonde_case_open(sonde *t, uint32_t label, uint32_t flags)
{
    if (t->tape.n_spans >= t->tape.cap_spans) more_spans(t);
    if (t->view.depth >= SONDE_CASE_DEPTH) sonde_case_overrun(t, "nested spans");
    sonde_assert(t->view.depth > 0 && t->path[t->view.depth - 1] == t->span); /* the path ends at the innermost span */
    sonde_case_enter(t, sonde_tape_open(&t->tape, t->span, label, flags), label);
    t->path[t->view.depth++] = t->span;
    if (t->script) sonde_script_open(t->script, flags & SONDE_SPAN_CALL ? SONDE_ANY_ELEMENT : label);
    return t->span;
}

void sonde_case_close_to(sonde *t, uint32_t depth)
{
    sonde_assert(depth > 0 && depth <= t->view.depth); /* the span of the case itself stays open */
    while (t->view.depth > depth) {
        if (t->view.depth == t->again.depth) sonde_case_leave_again(t);
        sonde_tape_close(&t->tape, t->path[--t->view.depth]);
        if (t->script) sonde_script_close(t->script);
    }
    uint32_t span = t->path[depth - 1];
    sonde_case_enter(t, span, t->tape.spans[span].label);
}

struct sonde_case_mark sonde_case_now(const sonde *t)
{
    return (struct sonde_case_mark){.choices = t->tape.n_choices,
                                    .spans = t->tape.n_spans,
                                    .bytes = t->tape.n_bytes,
                                    .shown = t->n_shown,
                                    .notes = t->n_notes,
                                    .buffers = t->n_buffers,
                                    .assumes = t->assumes_passed,
                                    .taken = t->n_taken};
}

/* Used for calls of a machine that were taken back. Spans that the call opened vanish from the tape, so they are closed
 * first: later spans will get their indices. */
void sonde_case_undraw(sonde *t, const struct sonde_case_mark *before)
{
    uint32_t depth = t->view.depth;
    sonde_assert(before->choices <= t->tape.n_choices && before->spans <= t->tape.n_spans);
    sonde_assert(before->bytes <= t->tape.n_bytes && before->shown <= t->n_shown && before->notes <= t->n_notes);
    while (t->path[depth - 1] >= before->spans) depth--;
    sonde_case_close_to(t, depth);
    t->tape.n_choices = before->choices;
    t->tape.n_spans = before->spans;
    t->tape.n_bytes = before->bytes;
    forget_shown(t, before->shown);
    t->n_notes = before->notes;
    if (t->n_notes) t->notes[t->n_notes] = '\0';
    t->n_buffers = before->buffers;
    t->assumes_passed = before->assumes;
    t->n_compared = t->n_taken = before->taken;
    sonde_case_rehash(t);
}

/* Makes the checks that all public span functions need, and returns the id of the label. */
static uint32_t span_label(sonde *t, const char *function, const char *label)
{
    if (!t || t->owner != sonde_this_thread() || !label || t->schedule.is_elsewhere)
        sonde_case_misplaced(t, function, label);
    uint32_t id = sonde_label_id(t->labels, label);
    if (!id) sonde_case_misplaced(t, function, label);
    return id;
}

void sonde_open(sonde *t, const char *label)
{
    sonde_case_open(t, span_label(t, "sonde_open", label), 0);
}

void sonde_open_again(sonde *t, const char *label)
{
    sonde_case_open_again(t, span_label(t, "sonde_open_again", label));
}

/* Closing a span also closes lists inside it that were left by `break`. */
void sonde_close(sonde *t, const char *label)
{
    uint32_t id = span_label(t, "sonde_close", label);
    uint32_t depth = t->view.depth;
    /* If the list has the given label, the list itself is closed. */
    while (depth > 1 && t->tape.spans[t->path[depth - 1]].flags & (SONDE_SPAN_LIST | SONDE_SPAN_ELEMENT)
           && t->tape.spans[t->path[depth - 1]].label != id)
        depth--;
    if (depth == 1) sonde_misuse_(t, "sonde_close(\"%s\"): no span is open; call sonde_open first", label);
    uint32_t open = t->tape.spans[t->path[depth - 1]].label;
    if (open != id)
        sonde_misuse_(t, "sonde_close(\"%s\"): the innermost open span is \"%s\"; close that one first", label,
                      sonde_label_text(t->labels, open));
    sonde_case_close_to(t, depth - 1);
}

sonde_scope_ sonde_scope_open_(sonde *t, const char *label)
{
    uint32_t id = span_label(t, "sonde_span", label);
    sonde_scope_ scope = {.t = t, .depth = t->view.depth};
    sonde_case_open(t, id, 0);
    return scope;
}

sonde_scope_ sonde_scope_again_(sonde *t, const char *label)
{
    uint32_t id = span_label(t, "sonde_span_again", label);
    sonde_scope_ scope = {.t = t, .depth = t->view.depth};
    sonde_case_open_again(t, id);
    return scope;
}

void sonde_scope_close_(sonde_scope_ *scope)
{
    /* If the scope is left because the case is left (C++ unwinding), sonde_case_end closes the spans. */
    sonde *t = scope->t;
    if (t->owner != sonde_this_thread() || t->view.depth <= scope->depth) return;
    if (t->view.depth > scope->depth + 1) sonde_case_note_unclosed(t, scope->depth + 1);
    sonde_case_close_to(t, scope->depth);
}
