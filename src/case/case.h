/* A case: one execution of a property. It turns typed draws into choices, has each answered by a script or a guide,
 * records them on its tape, and remembers what the property said. It knows no engine and no process: exec calls the
 * property and arms the jump.
 *
 * A case lives long and runs often; `begin` makes it new for the next execution. Everything a supervisor needs after
 * a crash (tape, verdict, failure) lies in this struct and in the tape's arrays, written as it happens.
 *
 * The life of a run, as exec/inline.c calls it: sonde_case_begin (a new tape, the script's reader at its
 * start); the property draws (draw.c: a script answers, else the guide; the answer is recorded before the value
 * is returned, so that a crash leaves it), opens and closes spans, assumes and claims; it returns, or
 * sonde_case_leave jumps out of it with the verdict; deferred functions and the tear-down run; sonde_case_end
 * closes what is open and decides the verdict. Then the case may be read, until the next begin. After the
 * death of its process, sonde_case_died does what end would have done. */
#ifndef SONDE_CASE_CASE_H
#define SONDE_CASE_CASE_H

#include "base/frames.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/schedule.h"
#include "case/ended.h"
#include "case/sites.h"
#include "case/watch.h"
#include "tape/label.h"
#include "tape/script.h"
#include "tape/tape.h"

#include <setjmp.h>
#include <stdatomic.h>

/* Why a case failed. The property itself makes the first three; the kinds from CRASH on are set by
 * exec, or by claim.c on behalf of a tool. */
enum sonde_claim_kind {
    SONDE_CLAIM_NONE,
    SONDE_CLAIM_CHECK,
    SONDE_CLAIM_EXPECT,
    SONDE_CLAIM_FAIL,
    /* What the code under test did instead of returning. */
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
    SONDE_CLAIM_THREADS, /* threads, locks or memory are used as they must not be */
    SONDE_CLAIM_MISUSE   /* not of the code: the property uses sonde wrongly */
};

/* A claim that did not hold. All strings are copies: the process that made the claim may have loaded code that others have
 * not, and a framework's own file names die with its report. */
struct sonde_claim {
    enum sonde_claim_kind kind;
    char file[512]; /* "": not known */
    int line;
    char condition[1024]; /* "": none */
    bool has_sides;
    bool in_child;   /* a process that the property forked made it */
    uint64_t way[8]; /* of a hang: hashes of the functions on the way to it, from the outside, each with those before */
    uint32_t n_way;
    bool is_waiting;               /* of a hang: it did not compute */
    uint64_t functions, innermost; /* of a death: hashes of its kind with three functions, with one; else 0 */
    char message[1024];
    char got[512], want[512];
    void *frames[SONDE_FRAMES]; /* of a misuse: who called */
    int n_frames;
};

/* How far a case had got. */
struct sonde_case_mark {
    uint32_t choices, spans, bytes, shown, notes, buffers, assumes, taken;
};

/* Where a case was left by an assume. */
struct sonde_rejection {
    const char *file;
    int line;
    const char *condition;
};

/* What label, classify and cover said in this case. */
struct sonde_hit {
    uint32_t name; /* label id */
    bool met;
    double wanted; /* percent; 0 without a claim */
};

/* Called in the reverse order, after the property, each under a jump of its own. */
struct sonde_deferred {
    void (*undo)(void *what);
    void *what;
};

enum {
    SONDE_CASE_HITS = 256,
    SONDE_CASE_TARGETS = 64,
    SONDE_CASE_RECORDS = 4096,
    SONDE_CASE_ASSUMES = 64,                  /* whose distances are kept */
    SONDE_CASE_COMPARED = 128,                /* comparisons of their conditions */
    SONDE_CASE_DEPTH = SONDE_LIMIT(4096, 64), /* open spans */
    SONDE_ELEMENT_CACHE = SONDE_LIMIT(64, 1),
    SONDE_POINT_CACHE = SONDE_LIMIT(512, 2),
    SONDE_CHANGING_LABELS = 64,
    SONDE_CASE_RING = 32,                        /* last tapes remembered, the running one included */
    SONDE_OPEN_LENGTH = SONDE_LIMIT(65535, 100), /* longest list or string without a bound of the user's */
    SONDE_PATIENCE = 20,                         /* elements of a list that are taken back in a row; then it ends */
    SONDE_SIZE_MAX = 100
};

/* What a draw that was made before needs to know, found by the address of its label. Only labels in
 * memory that cannot change are entered, so that a hit needs no look at the content. The key mixes the
 * address with the label of the span and the kind; 0 is free. Keys and contents lie apart because one
 * index then serves both. A collision only costs the slow way, which overwrites the slot. */
struct sonde_known_points {
    uint64_t keys[SONDE_POINT_CACHE];
    struct sonde_known_point {
        uint32_t site, label;
    } points[SONDE_POINT_CACHE];
};

/* What ThreadSanitizer reported, as it came: two accesses, or locks. */
enum { SONDE_RACE_SIDES = 2, SONDE_RACE_FRAMES = 16 };
enum sonde_race_state { SONDE_RACE_NONE, SONDE_RACE_SEEN };
struct sonde_race {
    atomic_int state;
    char kind[64];
    void *frames[SONDE_RACE_SIDES][SONDE_RACE_FRAMES]; /* ends with NULL */
};

/* Of sonde_alloc, in one case. */
#define SONDE_CASE_MEMORY ((size_t)1 << 30)

/* A case that goes beyond a limit ends with verdict OVERRUN. They are fixed when the case is created. */
struct sonde_limits {
    uint32_t choices;
    uint32_t spans;
    uint32_t bytes; /* of blobs, in the side buffer */
    size_t memory;  /* of sonde_alloc */
    bool guards;    /* what it gives ends before a page that is not there */
};

/* Fields are in the order in which a draw touches them. Invariants while a case runs: owner is the
 * running thread; path[view.depth - 1] == span, path[0] == 0; tape.choices == ring[ring_at].choices;
 * plain_end is 0 or tape.cap_choices; n_choices <= cap_choices <= limits.choices.
 *
 * Only the running thread writes, but for `claim`, `claim_taken` and `has_unexpected`, which
 * sonde_expect may set from any thread. `started` is read by the supervisor while the worker runs; it
 * looks at the rest only when the worker has stopped. */
struct sonde {
    uint64_t
        seal; /* who writes over the pointer that the property has writes over this first; see sonde_case_is_intact */
    /* What a draw touches, first. */
    const void *owner;       /* the thread that runs the case; NULL between cases */
    struct sonde_rng *plain; /* the guide's stream for plain numbers */
    uint32_t plain_end;      /* how many choices may be answered from it: 0 where a script or the guide must be asked */
    uint64_t (*choose)(struct sonde_guide *guide, const struct sonde_view *view);
    struct sonde_guide *guide;
    struct sonde_script_reader *script; /* NULL: every draw is the guide's */
    uint32_t span, span_label;          /* innermost open */
    uint64_t span_key;                  /* of that label, for the cache of points */
    struct sonde_ended *ended;          /* inputs that are not to be run again; NULL: it does not matter */
    uint64_t identity;                  /* hash of the choices so far; see sonde_case_identity */
    double weighted_p;                  /* of the alternatives that sonde_weighted took, all together */
    uint64_t characteristic;            /* what the property says it is; 0: nothing */
    uint16_t state;                     /* hash of what sonde_state said */
    /* What the case said so far; the rest of it below. */
    uint32_t assumes_passed;
    uint32_t n_hits, n_targets, n_margins, n_records, n_deferred;
    const char *overrun; /* what there was too much of; static */
    uint32_t unclosed;   /* label of a span that sonde_open opened and nothing closed; 0: none */
    bool has_size;
    uint32_t size_at; /* choice, if it has */
    enum sonde_verdict verdict;
    struct sonde_tape tape;
    struct sonde_view view;
    struct sonde_labels *labels;
    struct sonde_limits limits;
    struct sonde_known_points known;
    const char *changing[SONDE_CHANGING_LABELS]; /* labels in memory that may change: never cached */
    uint64_t unloads;                            /* of libraries, when the cache was last known to be right */

    uint32_t path[SONDE_CASE_DEPTH];
    struct {
        uint32_t list, element;
    } elements[SONDE_ELEMENT_CACHE];
    uint32_t length_label, size_label;

    double distances[SONDE_CASE_ASSUMES];                /* of the assumes so far, the one that failed included */
    struct sonde_compared compared[SONDE_CASE_COMPARED]; /* the last of them may be no assume's, see n_taken */
    uint32_t n_compared, n_taken;                        /* all of them; those of the assumes so far */
    uint32_t n_calls;                                    /* functions that conditions called, and relations */
    sonde_truth rejected;                                /* of the one that failed */
    struct sonde_rejection rejection;
    atomic_int claim_taken;
    atomic_bool has_unexpected;
    struct sonde_case_mark failed_at; /* where a check first failed that the property went on from; spans 0: none did */
    struct sonde_claim claim;
    struct sonde_race race;
    struct sonde_hit hits[SONDE_CASE_HITS];
    struct sonde_target_value targets[SONDE_CASE_TARGETS];
    struct sonde_target_value margins[SONDE_CASE_TARGETS]; /* of claims, negative: the search makes them small */

    struct sonde_recorded *records;
    uint32_t cap_records;

    unsigned fault_kinds, fault_rate;    /* of sonde_faults */
    struct sonde_crash *crash;           /* that is waited for; NULL: none */
    struct sonde_fault_hook *fault_hook; /* that was armed last; not a thread-local, which fibers may have copies of */
    struct disk *disk;                   /* what a power cut may undo; NULL: no files are followed */
    atomic_bool has_strangers;           /* the same: threads that sonde did not start made such calls */
    char not_followed[480];              /* the same: what of files could not be followed, a line each */

    const struct sonde_schedule_hook *threads; /* that run now (sonde_threads); NULL: none do */
    struct sonde_schedule schedule;
    bool finds_races;               /* in these threads: sonde_find_races */
    char unmodelled[96];            /* the same: calls, or "" */
    unsigned unseen;                /* in all cases so far: enum sonde_unseen, what of threads could not be seen */
    char uninstrumented[64];        /* the same: a library, or "" */
    bool ran_fibers, ran_os;        /* the same: there were threads, and of which kind */
    const void *misused_at;         /* where, if that is not on the stack; else NULL */
    enum sonde_verdict leaves_with; /* a thread of these, which leaves the case */

    struct sonde_aim
        *aim;    /* the text that the case is meant to write; NULL: none. Through all cases, until it is taken back */
    bool shows;  /* this run will be shown: format notes and call printers */
    char *notes; /* text so far; NULL: none */
    uint32_t n_notes, cap_notes;
    struct sonde_shown_span *shown;
    uint32_t n_shown, cap_shown;

    struct sonde_tape
        ring[SONDE_CASE_RING];  /* the last tapes; the slot of the running one lends its arrays to `tape` */
    void *ring_room, *ring_end; /* where their choices and spans lie while they are small */
    uint32_t ring_at;
    atomic_ullong started; /* cases begun: the heartbeat */

    struct sonde_arena arena;
    uint32_t n_buffers;     /* of sonde_buffer */
    const char *stack_base; /* the frame that calls the user's code; what lies below is gone when it returns */
    struct sonde_deferred *deferred;
    uint32_t cap_deferred;
    const sonde_property *property;
    uint32_t *symbols; /* scratch for blobs */
    uint32_t cap_symbols;
    struct sonde_script_reader reader;
    struct {
        uint32_t depth;                    /* of the part that is answered as the one before it; 0: none is */
        bool was_plain;                    /* the quick way was open before it */
        struct sonde_script_reader *outer; /* what is followed around it */
        struct sonde_script_reader reader; /* over the part before, */
        struct sonde_tape tape;            /* in this copy */
    } again;
    jmp_buf out;
    void (*leave)(sonde *t);                      /* a way out other than `out`; does not return */
    struct sonde_driver_ *driver;                 /* of the machine whose call is running; NULL: none */
    struct sonde_watched watched[SONDE_MACHINES]; /* through all cases: did every rule apply? */
    struct sonde_reach reached;                   /* through all cases: which checks were evaluated? */
    uint64_t seal_behind;
};

/* Whether nobody but sonde has written to it, as far as that shows. Two words cannot see every stray
 * write; overflows of a neighbouring block run through them first. */
static inline bool sonde_case_is_intact(const sonde *t)
{
    const uint64_t seal = (uint64_t)(uintptr_t)t ^ UINT64_C(0x5eade5eade5ead00);
    return t->seal == seal && t->seal_behind == seal;
}
/* Returns whether all that the supervisor reads of a case, which may have been left anywhere, fits its bounds: is_intact does not see
 * a stray write between its two words. Takes time in proportion to the tape. */
bool sonde_case_is_whole(const sonde *t);
/* Returns whether the strings of a claim end and its counts fit. */
bool sonde_claim_is_sound(const struct sonde_claim *claim);
/* What a case was made from, and how many cases had begun before the one that runs. */
struct sonde_case_origin {
    struct sonde_labels *labels;
    struct sonde_limits limits;
    unsigned long long started;
};
/* For a case whose structure the code under test has overwritten: keeps as much of the tape as can be
 * recognised and makes everything else anew. In the supervisor, when no worker uses it. */
void sonde_case_repair(sonde *t, const struct sonde_case_origin *like);

/* From the current heap. `labels` is borrowed and must outlive the case. */
sonde *sonde_case_create(struct sonde_labels *labels, struct sonde_limits limits);
void sonde_case_free(sonde *t);

/* Makes the case ready for one run of `property` by the calling thread. `script` may be NULL; it and
 * `guide` are borrowed until sonde_case_end. The tape of the case before it stays in the ring. */
void sonde_case_begin(sonde *t, const sonde_property *property, struct sonde_guide *guide,
                      const struct sonde_tape *script);
/* The next thing to undo, or NULL when all is undone; the caller calls it. Call it after the property
 * has been left, before sonde_case_end; what it returns has been removed already, so a function that
 * fails is not called again. */
const struct sonde_deferred *sonde_case_undo(sonde *t);
/* After everything of the user's has run: ends the tape, decides the verdict, empties the arena. What the run showed
 * stays readable until the next `begin`. */
void sonde_case_end(sonde *t);

/* A hash over the choices, made as they are drawn. All of its bits are well mixed. */
static inline uint64_t sonde_case_mix(uint64_t identity, uint32_t n_choices)
{
    uint64_t x = identity + n_choices;
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

static inline uint64_t sonde_case_hash(const sonde *t)
{
    return sonde_case_mix(t->identity, t->tape.n_choices);
}

/* Tells cases apart: what sonde_characteristic said, or the hash. */
static inline uint64_t sonde_case_identity(const sonde *t)
{
    return __builtin_expect(t->characteristic != 0, 0) ? t->characteristic : sonde_case_hash(t);
}
/* The tape of the case `back` cases ago; NULL if there is none. Its shapes may be missing. */
struct sonde_tape *sonde_case_earlier(sonde *t, uint32_t back);
/* In the supervisor: the process that ran the case is dead. Its tape ends where it was, and the verdict is FAILED. */
void sonde_case_died(sonde *t);
/* In a new worker: forgets what belonged to the process that died. */
void sonde_case_renew(sonde *t);
/* Between cases, now and then: forgets cached labels if a library was unloaded. */
void sonde_case_refresh(sonde *t);

/* The notes of a shown case, "" if there are none. */
const char *sonde_case_notes(const sonde *t);

/* The condition's words; of a comparison without the brackets of sides that need none. Returns `out`; "" if there are none. */
const char *sonde_claim_condition(const struct sonde_claim *claim, char *out, size_t size);
/* What a claim says, in one line: condition, sides, message. Returns `out`. */
const char *sonde_claim_describe(const struct sonde_claim *claim, char *out, size_t size);

/* For processes that the property forks, whose writes never reach the worker. Set by exec; NULL: not watched. */
extern struct sonde_child_hook {
    struct sonde_claim *(*claim)(void); /* where this process writes a failed check; NULL in the worker itself */
    void (*tell)(void);                 /* shows that claim to the worker */
} sonde_child_hook;

/* Whether a failure may still be recorded: the case has neither failed nor misused sonde. */
static inline bool sonde_case_may_fail(const sonde *t)
{
    return t->verdict != SONDE_FAILED && t->verdict != SONDE_MISUSE;
}

/* Writes where an address of user code is, "" if that is not known. Set by exec; NULL: nobody knows. Starts a process. */
extern void (*sonde_case_place)(const void *address, char *out, size_t size);

/* ---- For the draws; not for others. */

/* The calling thread: the address of a thread-local is the cheapest name there is. */
extern _Thread_local char sonde_thread_mark __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline const void *sonde_this_thread(void)
{
    return &sonde_thread_mark;
}

/* Fails by that claim, unless another was made before, and leaves the case; in a forked child, the process. */
SONDE_NORETURN void sonde_case_fail_by(sonde *t, const struct sonde_claim *claim);
/* UBSan met undefined behaviour: the case fails when it ends. */
void sonde_case_undefined(sonde *t, const char *kind, const char *message, const char *file, int line);
/* Whether what has been reported so far, or that alone, explains a crash that follows. */
bool sonde_case_explains_crash(const sonde *t);
/* ThreadSanitizer has reported the race in t->race: the case fails, whatever came after. `functions` is its identity;
 * the second function may be "". */
void sonde_case_races(sonde *t, uint64_t functions, const char *a, const char *b);
/* Valgrind has counted errors in this case. */
void sonde_case_valgrind(sonde *t, unsigned long errors);
/* LeakSanitizer, or valgrind, found that the case leaks. */
void sonde_case_leaks(sonde *t);

/* Memory of the case with anything in it, exactly as large where that can be told apart; ends the case if there is none. */
void *sonde_case_memory(sonde *t, size_t size);

/* An assume has this distance; before it is counted. */
static inline void sonde_case_distance(sonde *t, double distance)
{
    if (t->assumes_passed < SONDE_CASE_ASSUMES) t->distances[t->assumes_passed] = distance;
}
/* The case that comparisons of this thread belong to; NULL: none. */
extern _Thread_local sonde *sonde_comparing __attribute__((tls_model("initial-exec"), visibility("hidden")));
/* A relation, or a function that a condition calls, begins; answers its number for sonde_truth. */
uint32_t sonde_case_calls(void);
/* It compared. */
static inline void sonde_case_compared(uint64_t place, double by)
{
    sonde *t = sonde_comparing;
    if (!t || t->n_compared >= SONDE_CASE_COMPARED) return;
    t->compared[t->n_compared++] =
        (struct sonde_compared){.place = place, .by = by, .call = t->n_calls, .assume = UINT32_MAX};
}
/* An assume does not hold. */
SONDE_NORETURN SONDE_COLD void sonde_case_rejected(sonde *t, sonde_truth truth, struct sonde_rejection where);

/* Leaves the case. */
SONDE_NORETURN void sonde_case_leave(sonde *t, enum sonde_verdict verdict);
/* A limit of the case is reached. `what` is static text: "choices", "spans", "bytes", "memory", ... */
SONDE_NORETURN void sonde_case_overrun(sonde *t, const char *what);
/* A draw, check or span where none can be: between cases, from another thread, without a label. */
SONDE_NORETURN SONDE_COLD void sonde_case_misplaced(sonde *t, const char *function, const char *label);

/* The span in which draws stand from now on. */
static inline void sonde_case_enter(sonde *t, uint32_t span, uint32_t label)
{
    t->span = span;
    t->span_label = label;
    t->span_key = label * UINT64_C(0x9e3779b97f4a7c15);
}

/* The tape is full: makes room for more choices, or ends the case where there may be no more. */
SONDE_COLD void sonde_case_more_choices(sonde *t);

/* ---- For machines. */

struct sonde_fault_hook;
struct sonde_disk_event;
/* Which calls and allocations fail from now on. */
struct sonde_failing {
    struct sonde_fault_hook *faults; /* NULL: none */
    void (*disk)(struct sonde_fault_hook *hook, struct sonde_disk_event *event);
    unsigned fault_kinds, fault_rate;
    struct sonde_crash *crash;
    uint64_t *oom; /* NULL: none */
    uint64_t oom_left;
};
/* A copy of what is armed now, to be put back by sonde_failing_restore in the same case. */
struct sonde_failing sonde_failing_now(const sonde *t);
void sonde_failing_restore(sonde *t, const struct sonde_failing *before);
/* Adds a line to what of files could not be followed, unless it is there already. */
void sonde_case_not_followed(sonde *t, const char *what);
/* All threads have ended because one of them died: leaves run() of sonde_crash or sonde_power_cut. Returns if none did. */
void sonde_crash_after_threads(sonde *t);

/* From the stack of a thread (sonde_threads) to that of the case, which leaves there. */
SONDE_NORETURN void sonde_threads_leave(sonde *t, enum sonde_verdict verdict);
/* sonde_threads in two parts: how it went, and what it means for the case, which is left unless all went well. */
void sonde_threads_run(sonde *t, const char *label, void (*fn)(sonde *t, void *arg), void *arg,
                       struct sonde_schedule_result *result);
/* Returns whether a recorded tape draws a schedule of sonde_threads. */
bool sonde_threads_are_in(const struct sonde_tape *tape, const struct sonde_labels *labels);
/* Returns the first choice from `from` on that says behind how many steps a switch of a schedule happens; n_choices if none
 * does. */
uint32_t sonde_threads_next_switch(const struct sonde_tape *tape, const struct sonde_labels *labels, uint32_t from);
/* Writes what of threads under control could not be seen, in all cases so far; false: nothing is known of it. */
bool sonde_threads_unseen(const sonde *t, char *out, size_t size);
void sonde_threads_note_unmodelled(sonde *t);
/* "fibers" or "os", of all cases so far; NULL: there were no threads. */
const char *sonde_threads_kind(const sonde *t);
void sonde_threads_judge(sonde *t, const struct sonde_schedule_result *result);

/* What sonde_state does. */
static inline void sonde_case_state(sonde *t, uint64_t state)
{
    uint16_t hash = (uint16_t)(sonde_mix(state) >> 48);
    t->state = state && !hash ? 1 : state ? hash : 0;
    t->view.state = state;
}

/* Which of n rules is called next: a choice, by weights and their sum. A rule that a script asks for is given even if its weight is 0. */
size_t sonde_case_rule(sonde *t, const unsigned *weights, size_t n, unsigned sum);
/* Like sonde_more; the elements are calls. */
bool sonde_case_more_calls(sonde_list *calls);
/* An assume of a running call does not hold: leaves the call. Returns if there is no way out of the call alone: then the
 * case is left. */
void sonde_driver_leave(struct sonde_driver_ *driver);

/* Where the case stands, so that what follows can be taken back. */
struct sonde_case_mark sonde_case_now(const sonde *t);
/* Takes back what was drawn since then, as if it had never been. */
void sonde_case_undraw(sonde *t, const struct sonde_case_mark *before);
/* Makes the hash of the choices anew. */
void sonde_case_rehash(sonde *t);

/* Answers the span. Does not return where spans or nesting exceed the limits: the case ends as an
 * overrun. */
uint32_t sonde_case_open(sonde *t, uint32_t label, uint32_t flags);
/* Likewise; the draws in it are answered as those of the last span of that label beside it, unless a script has it. _leave, when
 * that span is closed, by sonde_case_close_to. */
void sonde_case_open_again(sonde *t, uint32_t label);
void sonde_case_leave_again(sonde *t);
/* Closes spans until so many are open; at least the case itself, which is 1. Closing more than are open
 * is an error of the caller. */
void sonde_case_close_to(sonde *t, uint32_t depth);
/* Before a close: spans from `depth` on should be closed by now. Lists may be left by `break`, and scopes close themselves; any
 * other was forgotten, which is reported when the case ends: what closes around it may be a destructor, which cannot leave
 * the case. */
void sonde_case_note_unclosed(sonde *t, uint32_t depth);

#endif
