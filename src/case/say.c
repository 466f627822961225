#define _GNU_SOURCE /* pthread_getattr_np */
/* Everything that a property reports besides checks: notes, printed and observed values, names for statistics, and
 * numbers to make large. Also the memory that it asks for.
 *
 * Names become ids at once (labels), so a case holds numbers only, and the strings are in the table of labels. Tables
 * of a case have a fixed size where a property cannot sensibly need more. Exceeding them is a misuse, not a silent
 * loss. Notes and printers work only in a run that is shown, so that a search does not pay for them. */
#include "case/calls.h"

#include "base/hash.h"
#include "base/oom.h"
#include "tape/literal.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Ends with a misuse unless the calling thread runs the property: nothing here is locked. */
static void need_case(sonde *t, const char *function, const char *name)
{
    if (!t || t->owner != sonde_this_thread() || !name) sonde_case_misplaced(t, function, name);
}

enum { MOST_NOTES = 16 << 20 }; /* limit in bytes; further notes are dropped */

void sonde_note(sonde *t, const char *format, ...)
{
    need_case(t, "sonde_note", "");
    if (!t->shows) return;             /* notes are formatted only if the run will be reported */
    uint64_t left = sonde_oom_pause(); /* sonde's allocations must not fail */
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < MOST_NOTES - t->n_notes) {
        /* The note is written immediately, so that it survives if the case dies. */
        t->notes = sonde_grow(t->notes, &t->cap_notes, t->n_notes + (size_t)n + 2, 1);
        vsnprintf(t->notes + t->n_notes, (size_t)n + 1, format, again);
        t->n_notes += (uint32_t)n;
        t->notes[t->n_notes++] = '\n';
        t->notes[t->n_notes] = '\0';
    }
    va_end(again);
    sonde_oom_resume(left);
}

const char *sonde_case_notes(const sonde *t)
{
    return t->n_notes ? t->notes : "";
}

/* The value belongs to the innermost open span: the report prints it instead of the span's draws. */
void sonde_show(sonde *t, void (*print)(FILE *out, const void *value), const void *value)
{
    need_case(t, "sonde_show", "");
    if (!print) sonde_misuse_(t, "sonde_show: the printer is NULL; give one");
    if (!t->shows) return;
    /* Printers allocate; sonde_oom must not count these allocations. */
    uint64_t left = sonde_oom_pause();
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        sonde_oom_resume(left);
        return;
    }
    print(out, value);
    fclose(out);
    sonde_case_show(t, t->span, text);
    free(text);
    sonde_oom_resume(left);
}

void sonde_case_show(sonde *t, uint32_t span, const char *text)
{
    t->shown = sonde_grow(t->shown, &t->cap_shown, (size_t)t->n_shown + 1, sizeof *t->shown);
    t->shown[t->n_shown++] = (struct sonde_shown_span){.span = span, .text = sonde_strdup(text)};
}

const char *sonde_case_shown(const sonde *t, uint32_t span)
{
    for (uint32_t i = t->n_shown; i-- > 0;)
        if (t->shown[i].span == span) return t->shown[i].text;
    return NULL;
}

/* Records a name and whether its condition was met. A linear search: a case has a handful of names. */
static void hit(sonde *t, const char *function, const char *name, bool met, double wanted)
{
    need_case(t, function, "");
    if (!name) sonde_misuse_(t, "%s: the name is NULL; give one", function);
    uint32_t id = sonde_label_id(t->labels, name);
    if (!id) sonde_case_misplaced(t, function, name);
    for (uint32_t i = 0; i < t->n_hits; i++) {
        if (t->hits[i].name != id) continue;
        t->hits[i].met |= met; /* a name counts once per case, however often the property names it */
        return;
    }
    if (t->n_hits == SONDE_CASE_HITS)
        sonde_misuse_(t, "%s(\"%s\"): more than %d names in one case; use fewer", function, name, SONDE_CASE_HITS);
    t->hits[t->n_hits++] = (struct sonde_hit){.name = id, .met = met, .wanted = wanted};
}

void sonde_label(sonde *t, const char *name)
{
    hit(t, "sonde_label", name, true, 0);
}

void sonde_classify(sonde *t, bool condition, const char *name)
{
    hit(t, "sonde_classify", name, condition, 0);
}

/* 0 and 100 percent cannot be decided by a sample: no number of cases confirms them. */
void(sonde_cover)(sonde *t, double percent, bool condition, const char *name)
{
    if (!(percent > 0 && percent < 100)) {
        need_case(t, "sonde_cover", name);
        sonde_misuse_(t, "sonde_cover(\"%s\"): %g percent cannot be checked; give a percentage above 0 and below 100",
                      name, percent);
    }
    hit(t, "sonde_cover", name, condition, percent);
}

void sonde_target(sonde *t, const char *label, double value)
{
    need_case(t, "sonde_target", label);
    uint32_t id = sonde_label_id(t->labels, label);
    if (!id) sonde_case_misplaced(t, "sonde_target", label);
    if (!(value == value)) return; /* NaN carries no information */
    /* Only the largest value of a utility in the case is kept. */
    for (uint32_t i = 0; i < t->n_targets; i++) {
        if (t->targets[i].label != id) continue;
        if (value > t->targets[i].value) t->targets[i].value = value;
        return;
    }
    if (t->n_targets == SONDE_CASE_TARGETS)
        sonde_misuse_(t, "sonde_target(\"%s\"): more than %d utilities in one case; use fewer", label,
                      SONDE_CASE_TARGETS);
    t->targets[t->n_targets++] = (struct sonde_target_value){.label = id, .value = value};
}

/* Records are kept in order and without merging: only filters know what records mean. */
void sonde_record(sonde *t, uint64_t key, double value)
{
    need_case(t, "sonde_record", "");
    if (t->n_records == SONDE_CASE_RECORDS)
        sonde_misuse_(t, "sonde_record: more than %d records in one case; record less", SONDE_CASE_RECORDS);
    t->records = sonde_grow(t->records, &t->cap_records, (size_t)t->n_records + 1, sizeof *t->records);
    t->records[t->n_records++] = (struct sonde_recorded){.key = key, .value = value};
}

/* ---- Memory and cleaning up */

void *sonde_case_memory(sonde *t, size_t size)
{
    void *p = sonde_arena_alloc(&t->arena, size);
    if (!p) sonde_case_overrun(t, "memory");
    return p;
}

/* The memory is zeroed, so that a case does not depend on data of an earlier case. */
void *sonde_alloc(sonde *t, size_t size)
{
    need_case(t, "sonde_alloc", "");
    return memset(sonde_case_memory(t, size), 0, size);
}

/* The contents are derived from the choices and the number of buffers so far, so they are the same in every run of the
 * case. */
void *sonde_buffer(sonde *t, size_t size)
{
    need_case(t, "sonde_buffer", "");
    uint64_t state = sonde_mix(t->identity + t->tape.n_choices) ^ sonde_mix(t->n_buffers++);
    unsigned char *p = sonde_case_memory(t, size);
    for (size_t i = 0; i < size; i += sizeof state) {
        state = sonde_mix(state + 1);
        memcpy(p + i, &state, size - i < sizeof state ? size - i : sizeof state);
    }
    /* Tools (valgrind, MemorySanitizer) take the memory for uninitialised, though it is not. */
    sonde_arena_mark_undefined(&t->arena, p, size);
    return p;
}

#define WEAK __attribute__((weak))
extern WEAK void *__asan_get_current_fake_stack(void);
extern WEAK void *__asan_addr_is_in_fake_stack(void *stack, void *address, void **begin, void **end);

/* Returns whether an address is on the stack of the calling thread, which need not be the main thread. glibc knows the
 * limits of each thread's stack. */
static bool is_on_this_stack(const char *p)
{
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    return p >= (char *)start && p < (char *)start + size;
}

/* Returns whether an address is in a stack frame between the call of the property and this function. Never true for
 * code on a separate stack (a coroutine). ASan may keep locals in a fake stack on the heap, which is tested first. */
static __attribute__((noinline)) bool is_local(const sonde *t, void *what)
{
    const char *p = what, *here = __builtin_frame_address(0);
    if (__asan_get_current_fake_stack && __asan_addr_is_in_fake_stack) {
        void *stack = __asan_get_current_fake_stack();
        if (stack && __asan_addr_is_in_fake_stack(stack, what, NULL, NULL)) return true;
    }
    return p >= here && p < t->stack_base && is_on_this_stack(here) && is_on_this_stack(p);
}

/* The functions run in reverse order (sonde_case_undo). */
void sonde_defer(sonde *t, void (*undo)(void *what), void *what)
{
    need_case(t, "sonde_defer", "");
    if (!undo) sonde_misuse_(t, "sonde_defer: the function is NULL; give one");
    if (is_local(t, what))
        sonde_misuse_(
            t,
            "sonde_defer: this is the address of a local variable, which no longer exists when the function is called; "
            "take the memory from sonde_new or sonde_alloc, or make the variable static");
    t->deferred = sonde_grow(t->deferred, &t->cap_deferred, (size_t)t->n_deferred + 1, sizeof *t->deferred);
    t->deferred[t->n_deferred++] = (struct sonde_deferred){.undo = undo, .what = what};
}

/* Allowed from any thread: the context belongs to the user. */
void *sonde_context(sonde *t)
{
    if (!t) sonde_case_misplaced(t, "sonde_context", "");
    return t->property->context;
}

/* The values of several calls in a case are combined. Bit 0 is set, because 0 means that there was no call. */
void sonde_characteristic(sonde *t, uint64_t number)
{
    need_case(t, "sonde_characteristic", "");
    t->characteristic = sonde_mix(sonde_hash_add(t->characteristic, number)) | 1;
}

void sonde_state(sonde *t, uint64_t state)
{
    need_case(t, "sonde_state", "");
    sonde_case_state(t, state);
}

/* ---- Observed values (observed.h)
 *
 * In most runs nothing compares observations, and a call costs one test of two flags. Only the thread that runs the
 * property may observe: nothing here is locked, and the order is the same in every run of an input. */

/* Returns whether the value is needed. Ends with a misuse unless the calling thread runs the property. */
static bool is_wanted(sonde *t, const char *name)
{
    if (!t || t->owner != sonde_this_thread()) sonde_case_misplaced(t, "sonde_observe", name);
    if (!name) sonde_misuse_(t, "sonde_observe: the name is NULL; give one");
    return t->observes || t->shows;
}

/* Keeps the value if the engine asked for it, and adds a note if the case is shown. */
static void observe(sonde *t, const char *name, enum sonde_observed_kind kind, const void *value, size_t size)
{
    enum {
        MOST_SHOWN = 100, /* values in the report of a case: a loop may observe thousands */
        SIDE = 200        /* characters of one value */
    };
    uint64_t left = sonde_oom_pause(); /* sonde's allocations must not fail */
    struct sonde_observed *list = &t->observed;
    uint32_t before = list->mark.n;
    sonde_observed_add(list, name, kind, value, size);
    if (list->mark.n > before) list->all[before].draws = t->tape.n_choices;
    sonde_oom_resume(left);
    if (!t->shows || list->mark.n_all > MOST_SHOWN + 1) return;
    char text[SIDE];
    if (list->mark.n_all > MOST_SHOWN) sonde_note(t, "(more values were observed)");
    else if (list->mark.n == list->mark.n_all)
        sonde_note(t, "%s = %s", name, sonde_observed_print(list, list->mark.n - 1, text, sizeof text));
}

void sonde_observe_(sonde *t, const char *name, sonde_boxed_ value)
{
    if (!is_wanted(t, name)) return;
    char digits[128];
    float error = 0;
    struct sonde_sink sink = {.out = digits, .size = sizeof digits};
    switch (value.kind) {
    case SONDE_BOX_TEXT_:
        observe(t, name, value.as.p ? SONDE_OBSERVED_TEXT : SONDE_OBSERVED_NULL, value.as.p,
                value.as.p ? strlen(value.as.p) : 0);
        return;
    case SONDE_BOX_INT_: sonde_put_int(&sink, value.as.i); break;
    case SONDE_BOX_LONG_DOUBLE_: memcpy(&error, &value.bytes, sizeof error); /* fall through */
    case SONDE_BOX_DOUBLE_:
        /* The sign of a NaN means nothing, and depends on the compiler. */
        sonde_put_double(&sink, isnan(value.as.d) ? fabs(value.as.d) : value.as.d);
        if (error != 0) sonde_put_text(&sink, " + "), sonde_put_double(&sink, (double)error);
        break;
    case SONDE_BOX_UINT_:
    case SONDE_BOX_BOOL_:
    case SONDE_BOX_POINTER_: sonde_put_uint(&sink, value.as.u); break;
    }
    observe(t, name, SONDE_OBSERVED_NUMBER, digits, sink.n);
}

void sonde_observe_bytes_(sonde *t, const char *name, const void *bytes, size_t n)
{
    bool wanted = is_wanted(t, name);
    if (!bytes && n) sonde_misuse_(t, "sonde_observe(\"%s\"): the bytes are NULL, but their number is %zu", name, n);
    if (!wanted) return;
    observe(t, name, SONDE_OBSERVED_MEMORY, bytes, n);
}

void sonde_observe_printed_(sonde *t, const char *name, void (*print)(FILE *out, const void *value), const void *value)
{
    bool wanted = is_wanted(t, name);
    if (!print) sonde_misuse_(t, "sonde_observe(\"%s\"): the printer is NULL; give one", name);
    if (!wanted) return;
    uint64_t left = sonde_oom_pause(); /* printers allocate */
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        print(out, value);
        fclose(out);
        observe(t, name, SONDE_OBSERVED_PRINTED, text, size);
    }
    free(text);
    sonde_oom_resume(left);
}
