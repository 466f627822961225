/* A case: one execution of a property. It turns typed draws into choices, asks a script or a guide for the value of
 * each, and records them on its tape. It also records what the property reported. It does not know the engine or
 * processes: exec calls the property and sets up the jump.
 *
 * A case object lives long and runs often; `begin` prepares it for the next execution. Everything a supervisor needs
 * after a crash (tape, verdict, failure) is in this struct and in the tape's arrays, written as it happens.
 *
 * The steps of one execution, as exec/inline.c calls them:
 *   1. sonde_case_begin starts a new tape and puts the script's reader at its start.
 *   2. The property draws (draw.c), opens and closes spans, assumes and checks. The script supplies the value of a
 *      draw, else the guide. It is recorded before the draw returns, so that a crash leaves it on the tape.
 *   3. The property returns, or sonde_case_leave jumps out of it. Then deferred functions and the tear-down run.
 *   4. sonde_case_end, or sonde_case_died if the process died, closes open spans and decides the verdict.
 * Then the case can be read until the next begin. */
#ifndef SONDE_CASE_CASE_H
#define SONDE_CASE_CASE_H

#include "base/frames.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/schedule.h"
#include "case/ended.h"
#include "case/observed.h"
#include "case/sites.h"
#include "case/watch.h"
#include "tape/label.h"
#include "tape/script.h"
#include "tape/tape.h"

#include <setjmp.h>
#include <stdatomic.h>

/* Kinds of failure. The property causes the first three. exec sets the others, claim.c those that a tool reported. */
enum sonde_claim_kind {
    SONDE_CLAIM_NONE,
    SONDE_CLAIM_CHECK,
    SONDE_CLAIM_EXPECT,
    SONDE_CLAIM_FAIL,
    /* The kinds from here on name what the code under test did instead of returning. */
    SONDE_CLAIM_CRASH,
    SONDE_CLAIM_STACK_OVERFLOW,
    SONDE_CLAIM_SANITIZER,
    SONDE_CLAIM_UNDEFINED,
    SONDE_CLAIM_RACE,
    SONDE_CLAIM_VALGRIND,
    SONDE_CLAIM_LEAK,
    SONDE_CLAIM_EXIT,
    SONDE_CLAIM_HANG,
    SONDE_CLAIM_MEMORY,
    SONDE_CLAIM_KILLED,
    SONDE_CLAIM_FORK,
    SONDE_CLAIM_JUMP,
    SONDE_CLAIM_DEADLOCK,
    SONDE_CLAIM_STUCK,
    SONDE_CLAIM_THREADS,    /* threads, locks or memory were used in a forbidden way */
    SONDE_CLAIM_DIFFERENCE, /* the program of --against did something else */
    SONDE_CLAIM_MISUSE      /* not a bug in the code under test: the property uses sonde wrongly */
};

/* A failed check. All strings are copies. The process that failed may have loaded code that other processes lack, and a
 * test framework frees its file names with its report. */
struct sonde_claim {
    enum sonde_claim_kind kind;
    char file[512]; /* "": the file is unknown */
    int line;
    char condition[1024]; /* source of the checked condition; "": none */
    bool has_sides;
    bool in_child;   /* the check failed in a process that the property forked */
    uint64_t way[8]; /* for a hang: way[i] is a hash of functions 0 to i of the call path, outermost first */
    uint32_t n_way;
    bool is_waiting;               /* for a hang: the wall-clock limit ended the case */
    uint64_t functions, innermost; /* for a crash: hashes of its kind with three functions, and with one; else 0 */
    char message[1024];
    char got[512], want[512];
    void *frames[SONDE_FRAMES]; /* for a misuse or a crash: the call stack, innermost first */
    int n_frames;
};

/* A position in a case: the numbers of choices, spans and other records so far. */
struct sonde_case_mark {
    uint32_t choices, spans, bytes, shown, notes, buffers, assumes, taken;
};

/* The location of the assume that ended a case. */
struct sonde_rejection {
    const char *file;
    int line;
    const char *condition;
};

/* One result of sonde_label, sonde_classify or sonde_cover in this case. */
struct sonde_hit {
    uint32_t name; /* label id */
    bool met;
    double wanted; /* required share of cases in percent; 0: none is required */
};

/* A function given to sonde_defer. These run after the property in reverse order, each under a separate jump. */
struct sonde_deferred {
    void (*undo)(void *what);
    void *what;
};

enum {
    SONDE_CASE_HITS = 256,                       /* different names of sonde_label and the like in one case (sonde.h) */
    SONDE_CASE_TARGETS = 64,                     /* labels of sonde_target in one case (sonde.h) */
    SONDE_CASE_RECORDS = 4096,                   /* calls of sonde_record in one case (sonde.h) */
    SONDE_CASE_ASSUMES = 64,                     /* a case records the distances of at most this many assumes */
    SONDE_CASE_COMPARED = 128,                   /* a case records at most this many comparisons of its conditions */
    SONDE_CASE_DEPTH = SONDE_LIMIT(4096, 64),    /* number of spans that may be open at a time */
    SONDE_ELEMENT_CACHE = SONDE_LIMIT(64, 1),    /* lists whose elements' label is cached; a power of two */
    SONDE_POINT_CACHE = SONDE_LIMIT(512, 2),     /* entries of struct sonde_known_points; a power of two */
    SONDE_CHANGING_LABELS = 64,                  /* addresses of labels in writable memory that are remembered */
    SONDE_CASE_RING = 32,                        /* number of tapes kept: of the running and of earlier cases */
    SONDE_OPEN_LENGTH = SONDE_LIMIT(65535, 100), /* maximum length of a list or string if the user sets none */
    SONDE_PATIENCE = 20,                         /* a list ends after this many rejected elements in a row */
    SONDE_SIZE_MAX = 100
};

/* A cache of draws made before, indexed by the address of their label. Only labels in memory that cannot change are
 * entered, so that a hit need not compare contents. The key mixes the address with the span's label and the kind; 0 is
 * free. Keys and contents are in separate arrays with the same index. A collision only costs the slow path, which
 * overwrites the slot. */
struct sonde_known_points {
    uint64_t keys[SONDE_POINT_CACHE];
    struct sonde_known_point {
        uint32_t site, label;
    } points[SONDE_POINT_CACHE];
};

/* A report of ThreadSanitizer, as received. Its two sides are memory accesses, or locks. */
enum { SONDE_RACE_SIDES = 2, SONDE_RACE_FRAMES = 16 };
/* Whether `race` of a case holds a report. */
enum sonde_race_state { SONDE_RACE_NONE, SONDE_RACE_SEEN };
struct sonde_race {
    atomic_int state;
    char kind[64];
    void *frames[SONDE_RACE_SIDES][SONDE_RACE_FRAMES]; /* the call stack of each side, ended by NULL */
};

/* Limit of sonde_alloc in one case. */
#define SONDE_CASE_MEMORY ((size_t)1 << 30)

/* Limits of a case, fixed when it is created. A case that exceeds one ends with the verdict OVERRUN. */
struct sonde_limits {
    uint32_t choices;
    uint32_t spans;
    uint32_t bytes; /* bytes of all blobs, which are in the tape's side buffer */
    size_t memory;  /* bytes that sonde_alloc may hand out */
    bool guards;    /* put every block right before an unmapped page */
};

/* A case. Fields are in the order in which a draw touches them. Only the running thread writes, except that
 * sonde_expect may set `claim`, `claim_taken` and `has_unexpected` from any thread. The supervisor reads `started`
 * while the worker runs; it reads the rest only after the worker has stopped.
 *
 * Invariants while a case runs: owner is the running thread. path[view.depth - 1] == span; path[0] == 0. tape.choices
 * == ring[ring_at].choices. plain_end is 0 or tape.cap_choices. n_choices <= cap_choices <= limits.choices. */
struct sonde {
    /* A stray write through the property's pointer hits the seal first; see sonde_case_is_intact. */
    uint64_t seal;
    /* The members that a draw touches come first. */
    const void *owner;       /* the thread that runs the case; NULL between cases */
    struct sonde_rng *plain; /* the guide's random stream, for draws that need neither guide nor script */
    uint32_t plain_end;      /* choices below this index may be drawn from `plain`; 0: ask the script or the guide */
    uint64_t (*choose)(struct sonde_guide *guide, const struct sonde_view *view);
    struct sonde_guide *guide;
    struct sonde_script_reader *script; /* NULL: the guide chooses every draw */
    uint32_t span, span_label;          /* the innermost open span, and its label */
    uint64_t span_key;                  /* hash of span_label, for `known` */
    struct sonde_ended *ended;          /* inputs that are not to be run again; NULL: repeats are allowed */
    uint64_t identity;                  /* hash of the choices so far; see sonde_case_identity */
    double weighted_p;                  /* product of the probabilities of the alternatives that sonde_weighted took */
    uint64_t characteristic;            /* the value given to sonde_characteristic; 0: none */
    uint16_t state;                     /* hash of the value passed to sonde_state */
    /* Counts of the running case; n_X is the length of the array X below. */
    uint32_t assumes_passed;
    uint32_t n_hits, n_targets, n_margins, n_records, n_deferred;
    const char *overrun; /* name of the limit that was exceeded, a static string */
    uint32_t unclosed;   /* label of a span from sonde_open that was never closed; 0: none */
    bool has_size;
    uint32_t size_at; /* if has_size: index of the choice that set the size */
    enum sonde_verdict verdict;
    struct sonde_tape tape;
    struct sonde_view view;
    struct sonde_labels *labels;
    struct sonde_limits limits;
    struct sonde_known_points known;
    const char *changing[SONDE_CHANGING_LABELS]; /* addresses of labels in writable memory, which are not cached */
    uint64_t unloads;                            /* number of unloaded libraries when `known` was last valid */

    uint32_t path[SONDE_CASE_DEPTH];
    struct {
        uint32_t list, element;
    } elements[SONDE_ELEMENT_CACHE];
    uint32_t length_label, size_label;

    double distances[SONDE_CASE_ASSUMES]; /* distances of the assumes so far, including the one that failed */
    struct sonde_compared compared[SONDE_CASE_COMPARED]; /* comparisons from index n_taken on belong to no assume yet */
    uint32_t n_compared, n_taken; /* length of `compared`, and of its part that belongs to assumes */
    uint32_t n_calls;             /* number of relations evaluated and of functions that conditions called */
    sonde_truth rejected;         /* the truth of the assume that failed */
    struct sonde_rejection rejection;
    atomic_int claim_taken;
    atomic_bool has_unexpected;
    /* Position at the first failed check after which the property continued; spans == 0: there was no such check. */
    struct sonde_case_mark failed_at;
    struct sonde_claim claim;
    struct sonde_race race;
    struct sonde_hit hits[SONDE_CASE_HITS];
    struct sonde_target_value targets[SONDE_CASE_TARGETS];
    struct sonde_target_value margins[SONDE_CASE_TARGETS]; /* negated margins of checks: the search makes them small */

    struct sonde_recorded *records;
    uint32_t cap_records;

    unsigned fault_kinds, fault_rate;    /* faults to inject, set by sonde_faults */
    struct sonde_crash *crash;           /* the crash or power cut that may end the running code; NULL: none */
    struct sonde_fault_hook *fault_hook; /* the hook armed last; not thread-local, since fibers may copy it */
    struct disk *disk;                   /* the files that a power cut may change; NULL: files are not tracked */
    atomic_bool has_foreign_calls;       /* for `disk`: threads that sonde did not start made file calls */
    char not_followed[480];              /* for `disk`: file operations that could not be tracked, one per line */

    const struct sonde_schedule_hook *threads; /* the scheduler of the sonde_threads that is running; NULL: none */
    struct sonde_schedule schedule;
    bool finds_races;               /* sonde_find_races was called: look for races between threads */
    char unmodelled[96];            /* names of calls in any case so far that the thread model lacks; "": none */
    unsigned unseen;                /* bits of enum sonde_unseen that any case so far has met */
    char uninstrumented[64];        /* name of a library that is not instrumented, met in any case so far; "": none */
    bool ran_fibers, ran_os;        /* kinds of threads that ran in any case so far */
    const void *misused_at;         /* address of the misuse, if it is not on the call stack; else NULL */
    enum sonde_verdict leaves_with; /* verdict with which a thread of sonde_threads leaves the case */

    /* The string that the case is meant to write; NULL: none. Stays set for all cases until it is removed. */
    struct sonde_aim *aim;
    bool shows;  /* this run will be reported, so notes are formatted and printers are called */
    char *notes; /* notes so far; NULL: none */
    uint32_t n_notes, cap_notes;
    struct sonde_shown_span *shown;
    uint32_t n_shown, cap_shown;
    /* Assumes that do not hold let the case continue; stays set for all cases until it is unset. For runs that find out
     * which code an assume keeps inputs from. */
    bool lifts;
    struct sonde_rejection lifted; /* the first assume of this case that was lifted; line 0: none */
    bool observes;                 /* values of sonde_observe are kept; stays set for all cases until it is unset */
    struct sonde_observed observed;

    /* The last tapes. `tape` borrows the arrays of the slot ring[ring_at]. */
    struct sonde_tape ring[SONDE_CASE_RING];
    void *ring_room, *ring_end; /* start and end of the block that holds choices and spans of small tapes */
    uint32_t ring_at;
    atomic_ullong started; /* number of cases begun; the supervisor watches it as a heartbeat */

    struct sonde_arena arena;
    uint32_t n_buffers;     /* number of sonde_buffer calls so far */
    const char *stack_base; /* frame that calls the user's code: stack memory below it is gone after the call */
    struct sonde_deferred *deferred;
    uint32_t cap_deferred;
    const sonde_property *property;
    uint32_t *symbols; /* temporary array for the symbols of a blob */
    uint32_t cap_symbols;
    struct sonde_script_reader reader;
    struct {
        uint32_t depth; /* depth of the span that copies its last sibling of the same label; 0: none */
        bool was_plain; /* draws took the quick path before the span was opened */
        struct sonde_script_reader *outer; /* the script that was followed before the span was opened */
        struct sonde_script_reader reader; /* reads the last sibling, from `tape` below */
        struct sonde_tape tape;            /* copy of the case's tape, taken when the span was opened */
    } again;
    jmp_buf out;
    void (*leave)(sonde *t);                      /* leaves the case without a jump to `out`; does not return */
    struct sonde_driver_ *driver;                 /* the machine whose call is running; NULL: none */
    struct sonde_watched watched[SONDE_MACHINES]; /* how often the rules of machines applied, over all cases */
    struct sonde_reach reached;                   /* how often each check was evaluated, over all cases */
    struct sonde_memo *memos;                     /* what was read once for all cases; see below */
    uint64_t seal_behind;
};

/* Returns whether the two seals of a case are intact. They cannot reveal every stray write, but an overflow from a
 * neighbouring block overwrites one of them first. */
static inline bool sonde_case_is_intact(const sonde *t)
{
    const uint64_t seal = (uint64_t)(uintptr_t)t ^ UINT64_C(0x5eade5eade5ead00);
    return t->seal == seal && t->seal_behind == seal;
}
/* Returns whether everything that the supervisor reads of a case is within its bounds, wherever the case stopped. This
 * finds stray writes that left both seals intact. Takes time linear in the tape. */
bool sonde_case_is_whole(const sonde *t);
/* Returns whether the strings of a failed check are terminated and its counts are within bounds. */
bool sonde_claim_is_sound(const struct sonde_claim *claim);
/* The arguments a case was created with, and how many cases had begun before the running one. */
struct sonde_case_origin {
    struct sonde_labels *labels;
    struct sonde_limits limits;
    unsigned long long started;
};
/* Repairs a case that the code under test has overwritten: keeps as much of the tape as it can recognise and
 * reinitialises everything else. Called in the supervisor, when no worker uses the case. */
void sonde_case_repair(sonde *t, const struct sonde_case_origin *like);

/* Creates a case in the current heap; free it with sonde_case_free. `labels` is borrowed and must outlive the case. */
sonde *sonde_case_create(struct sonde_labels *labels, struct sonde_limits limits);
/* Frees a case with all that it owns; the labels are borrowed and stay. */
void sonde_case_free(sonde *t);

/* Prepares the case for one run of `property` by the calling thread. `script` may be NULL. `script` and `guide` are
 * borrowed until sonde_case_end. The tape of the previous case stays in the ring. */
void sonde_case_begin(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                      const struct sonde_tape *script);
/* Takes the next deferred function off the list and returns it, for the caller to call; NULL if none is left. The
 * function cannot run twice, even if it fails. Called after the property has been left and before sonde_case_end. */
const struct sonde_deferred *sonde_case_undo(sonde *t);
/* Ends the tape, decides the verdict and empties the arena. Called after all user code has run. Notes, printed and
 * observed values stay readable until the next `begin`. */
void sonde_case_end(sonde *t);

/* Returns a hash of the choices with all bits well mixed. `identity` is updated as choices are drawn. */
static inline uint64_t sonde_case_mix(uint64_t identity, uint32_t n_choices)
{
    uint64_t x = identity + n_choices;
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

/* Returns the hash of the choices so far. */
static inline uint64_t sonde_case_hash(const sonde *t)
{
    return sonde_case_mix(t->identity, t->tape.n_choices);
}

/* Returns the number by which cases count as different: the number given to sonde_characteristic, or the hash of the
 * choices. */
static inline uint64_t sonde_case_identity(const sonde *t)
{
    return __builtin_expect(t->characteristic != 0, 0) ? t->characteristic : sonde_case_hash(t);
}
/* Returns the tape of the case that ran `back` cases ago (0: the running or last one); NULL if it is no longer kept.
 * The case owns the tape, whose shapes may not have been computed. */
struct sonde_tape *sonde_case_earlier(sonde *t, uint32_t back);
/* Ends a case after its process has died: closes the tape and sets the verdict FAILED. Called in the supervisor. */
void sonde_case_died(sonde *t);
/* Resets every member that was valid only in the worker that died. Called in the next worker. */
void sonde_case_renew(sonde *t);
/* Forgets cached labels if a library was unloaded. Called between cases, from time to time. */
void sonde_case_refresh(sonde *t);
/* Returns the notes of a case with `shows` set, owned by the case; "" if there are none. */
const char *sonde_case_notes(const sonde *t);

/* Writes the condition, without the parentheses around sides that need none. Returns `out`; "" if there is none. */
const char *sonde_claim_condition(const struct sonde_claim *claim, char *out, size_t size);
/* Writes a failed check in one line: condition, both sides, message. Returns `out`. */
const char *sonde_claim_describe(const struct sonde_claim *claim, char *out, size_t size);
/* Splits a condition at its relation. Returns the relation in words ("less than "; "" for ==), or NULL. */
const char *sonde_condition_sides(const char *condition, size_t *n_left, const char **right);

/* Callbacks for processes that the property forks, whose writes never reach the worker. Set by exec; NULL: not
 * watched. */
extern struct sonde_child_hook {
    struct sonde_claim *(*claim)(void); /* returns where this child writes its failed check; NULL in the worker */
    void (*tell)(void);                 /* reports the failed check of this child to the worker */
} sonde_child_hook;

/* Returns whether a failure may still be recorded: the case has neither failed nor misused sonde. */
static inline bool sonde_case_may_fail(const sonde *t)
{
    return t->verdict != SONDE_FAILED && t->verdict != SONDE_MISUSE;
}

/* Writes the source location of an address in user code; "" if unknown. Starts a process that looks it up. Set by exec;
 * may be NULL. */
extern void (*sonde_case_locate)(const void *address, char *out, size_t size);

/* ---- For draw.c and related files only. */

/* Identifies the calling thread by the address of a thread-local: the cheapest identifier available. */
extern _Thread_local char sonde_thread_mark __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Returns an identifier of the calling thread, to be compared with t->owner. */
static inline const void *sonde_this_thread(void)
{
    return &sonde_thread_mark;
}

/* Records this failure, unless another was first, and leaves the case. In a forked child, ends the process. */
SONDE_NORETURN void sonde_case_fail_by(sonde *t, const struct sonde_claim *claim);
/* Records undefined behaviour that UBSan reported: the case fails when it ends. */
void sonde_case_undefined(sonde *t, const char *kind, const char *message, const char *file, int line);
/* Returns whether undefined behaviour that was recorded in this case explains a crash that follows. */
bool sonde_case_explains_crash(const sonde *t);
/* Fails the case for the race in t->race, even if another failure was recorded. `functions` is the identity of the
 * race. `a` and `b` name the functions of its two sides, or are "". */
void sonde_case_races(sonde *t, uint64_t functions, const char *a, const char *b);
/* Fails the case for errors that valgrind counted in it. */
void sonde_case_valgrind(sonde *t, unsigned long errors);
/* Fails the case for a leak that LeakSanitizer or valgrind found. */
void sonde_case_leaks(sonde *t);
/* Fails the case, which has ended, for a difference from the program of --against. `what` is the identity of the
 * difference, `name` its name for --accept, and `message` its description. sides[] are got and want; they may be "". */
void sonde_case_differs(sonde *t, uint64_t what, const char *name, const char *message, const char *const sides[2]);

/* The result of reading an object of the user once for all cases of the run, such as a grammar. It lies in the heap of
 * the case, so later workers have it too. */
struct sonde_memo {
    const void *of, *text; /* the key: the address of the object, and a pointer in it */
    void *what;
    void (*free)(void *what);
    const char *labels, *labels_end; /* range of memory with labels that never change */
    struct sonde_memo *next;
};
/* Returns the memo of an object, owned by the case; NULL if there is none. */
const struct sonde_memo *sonde_case_memo(const sonde *t, const void *of, const void *text);
/* Adds a copy of `kept`. The case then owns `what`, and frees it by `free` when the case is freed. */
void sonde_case_add_memo(sonde *t, const struct sonde_memo *kept);
/* Frees all memos and what they hold; sonde_case_free calls it. */
void sonde_case_free_memos(sonde *t);
/* Returns whether a label lies in the memory of a memo, so that it cannot change. */
bool sonde_case_has_label(const sonde *t, const char *label);

/* Appends bytes like sonde_put, and compares them with the file to import (aim.h). */
void sonde_case_put(sonde *t, sonde_text *out, const char *bytes, size_t n);

/* Returns uninitialised memory that the case owns. Where a tool can detect overruns, the block has no slack at its end.
 * Ends the case if memory runs out. */
void *sonde_case_memory(sonde *t, size_t size);

/* Records the distance of an assume. Called before the assume is counted. */
static inline void sonde_case_distance(sonde *t, double distance)
{
    if (t->assumes_passed < SONDE_CASE_ASSUMES) t->distances[t->assumes_passed] = distance;
}
/* Holds the case that comparisons of this thread belong to; NULL: none. */
extern _Thread_local sonde *sonde_comparing __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* Registers the start of a relation, or of a function that a condition calls. Returns its number, for sonde_truth. */
uint32_t sonde_case_calls(void);
/* Records a comparison of the running relation or function: `sides` has its place, difference and sides. If there is no
 * room, the last comparison is replaced, because the latest one decides whether a function returns true. */
static inline void sonde_case_compared(struct sonde_compared sides)
{
    sonde *t = sonde_comparing;
    if (!t) return;
    uint32_t at = t->n_compared < SONDE_CASE_COMPARED ? t->n_compared++ : SONDE_CASE_COMPARED - 1;
    if (t->n_taken > at) t->n_taken = at;
    sides.call = t->n_calls;
    sides.assume = UINT32_MAX;
    t->compared[at] = sides;
}
/* Discards the case, because an assume does not hold. */
SONDE_NORETURN SONDE_COLD void sonde_case_rejected(sonde *t, sonde_truth truth, struct sonde_rejection where);

/* Leaves the case by a jump. */
SONDE_NORETURN void sonde_case_leave(sonde *t, enum sonde_verdict verdict);
/* Leaves the case because a limit was reached. `what` is a static string: "choices", "spans", "bytes", "memory", ... */
SONDE_NORETURN void sonde_case_overrun(sonde *t, const char *what);
/* Ends the case or the process with a message about a call in a wrong context: between cases, from another thread,
 * without a label. */
SONDE_NORETURN SONDE_COLD void sonde_case_misplaced(sonde *t, const char *function, const char *label);

/* Makes `span` the one that the next draws belong to. */
static inline void sonde_case_enter(sonde *t, uint32_t span, uint32_t label)
{
    t->span = span;
    t->span_label = label;
    t->span_key = label * UINT64_C(0x9e3779b97f4a7c15);
}

/* Makes room for more choices when the tape is full, or ends the case at the limit. */
SONDE_COLD void sonde_case_more_choices(sonde *t);

/* ---- For machines. */

struct sonde_fault_hook;
struct sonde_disk_event;
/* The fault injection that is armed: which calls and allocations fail. */
struct sonde_failing {
    struct sonde_fault_hook *faults; /* armed hook; NULL: none is armed */
    void (*disk)(struct sonde_fault_hook *hook, struct sonde_disk_event *event);
    unsigned fault_kinds, fault_rate;
    struct sonde_crash *crash;
    uint64_t *oom; /* armed counter of allocations (addons/oom); NULL: none is armed */
    uint64_t oom_left;
};
/* Returns a copy of the fault injection that is armed now. sonde_failing_restore restores it, in the same case. */
struct sonde_failing sonde_failing_now(const sonde *t);
/* Arms the fault injection as it was at `before`. */
void sonde_failing_restore(sonde *t, const struct sonde_failing *before);
/* Adds a line about a file operation that could not be tracked, unless the line is there already. */
void sonde_case_not_followed(sonde *t, const char *what);
/* Stops tracking files if it has not stopped yet. Used for a case that was left while it tracked (disk/disk.h). */
void sonde_disk_forget(sonde *t);
/* Leaves run() of sonde_crash or sonde_power_cut, if all threads have ended because a simulated crash ended one of
 * them. Otherwise returns. */
void sonde_crash_after_threads(sonde *t);

/* Switches from the stack of a thread (sonde_threads) to the stack of the case and leaves the case there. */
SONDE_NORETURN void sonde_threads_leave(sonde *t, enum sonde_verdict verdict);
/* Runs the threads and fills `result`: the first half of sonde_threads. The second half, sonde_threads_judge, leaves
 * the case unless all went well. */
void sonde_threads_run(sonde *t, const char *label, void (*fn)(sonde *t, void *arg), void *arg,
                       struct sonde_schedule_result *result);
/* Returns whether a recorded tape draws a schedule of sonde_threads. */
bool sonde_threads_are_in(const struct sonde_tape *tape, const struct sonde_labels *labels);
/* Returns the first choice from `from` on that sets the step of a thread switch; n_choices if there is none. */
uint32_t sonde_threads_next_switch(const struct sonde_tape *tape, const struct sonde_labels *labels, uint32_t from);
/* Writes the blind spots of the thread and disk models that any case so far met. Returns false if there are none. */
bool sonde_threads_unseen(const sonde *t, char *out, size_t size);
/* Adds the calls outside the model that this case has made to t->unmodelled, which covers all cases. */
void sonde_threads_note_unmodelled(sonde *t);
/* Returns the kind of threads that ran in any case so far: "fibers" or "os". Returns NULL if no threads ran. */
const char *sonde_threads_kind(const sonde *t);
/* Returns if the threads ended well. Otherwise leaves the case: as failed, as an overrun, or with the verdict with
 * which a thread left. */
void sonde_threads_judge(sonde *t, const struct sonde_schedule_result *result);

/* Implements sonde_state. */
static inline void sonde_case_state(sonde *t, uint64_t state)
{
    uint16_t hash = (uint16_t)(sonde_mix(state) >> 48);
    t->state = state && !hash ? 1 : state ? hash : 0;
    t->view.state = state;
}

/* Draws the rule to be called next, by n weights and their sum; returns its index. A rule that a script asks for is
 * returned even if its weight is 0. */
size_t sonde_case_rule(sonde *t, const unsigned *weights, size_t n, unsigned sum);
/* Implements sonde_more for lists whose elements are calls. */
bool sonde_case_more_calls(sonde_list *calls);
/* Leaves the running call of a machine, in which an assume does not hold. Returns only if the call cannot be left
 * without the case; then the caller leaves the case. */
void sonde_driver_leave(struct sonde_driver_ *driver);

/* Returns the current position of the case, so that sonde_case_undraw can return to it. */
struct sonde_case_mark sonde_case_now(const sonde *t);
/* Removes all draws since `before`, as if they had never been made. */
void sonde_case_undraw(sonde *t, const struct sonde_case_mark *before);
/* Recomputes the hash of the choices from the tape. */
void sonde_case_rehash(sonde *t);

/* Opens a span and returns its index. If spans or nesting exceed the limits, ends the case as an overrun instead. */
uint32_t sonde_case_open(sonde *t, uint32_t label, uint32_t flags);
/* Opens a span in which draws start out equal to the draws of the last sibling with that label. A script that has the
 * span overrides this. sonde_case_close_to calls sonde_case_leave_again when it closes the span. */
void sonde_case_open_again(sonde *t, uint32_t label);
/* Ends the span of sonde_case_open_again: the script that was followed before it is followed again. */
void sonde_case_leave_again(sonde *t);
/* Closes spans until `depth` are open: at least 1, for the case itself, and at most as many as are open. */
void sonde_case_close_to(sonde *t, uint32_t depth);
/* Notes a span at `depth` or deeper that should have been closed by now. Lists may be left by `break`, and scopes close
 * themselves; any other open span was forgotten. The error is reported when the case ends, because the caller may be a
 * destructor, which cannot leave the case. */
void sonde_case_note_unclosed(sonde *t, uint32_t depth);

#endif
