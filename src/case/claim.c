/* Checks and assumes: what a property states about the values it drew.
 *
 * User code calls these functions through the macros of sonde.h, which pass file, line and the condition as a string. A
 * check that holds costs one comparison, in the macro or in sonde_compare_; only a failed check runs more code.
 * sonde_case_leave sets the verdict. For sonde_expect sonde_case_end sets it, so that other threads need not jump. */
#include "case/case.h"

#include "base/die.h"
#include "base/valgrind.h"
#include "tape/literal.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sonde_child_hook sonde_child_hook;

/* Returns where a process that the property forked writes its failed check; NULL in the worker. */
static struct sonde_claim *childs_claim(void)
{
    return sonde_child_hook.claim ? sonde_child_hook.claim() : NULL;
}

/* Ends with a misuse unless the calling thread runs the property: leaving the case is a longjmp. A forked child has no
 * such thread, and may still run when the case has ended in the worker. */
static void need_case(sonde *t, const char *function)
{
    if (t && childs_claim()) return;
    if (!t || t->owner != sonde_this_thread()) sonde_case_misplaced(t, function, "");
}

/* Records distance 1 for a plain assume that held, so that guides see one number per assume, in order. */
void sonde_assumed_(sonde *t)
{
    if (!t) sonde_case_misplaced(t, "sonde_assume", "");
    sonde_case_distance(t, 1);
    t->assumes_passed++;
}

void sonde_case_rejected(sonde *t, sonde_truth truth, struct sonde_rejection where)
{
    need_case(t, "sonde_assume");
    sonde_reached_reject(&t->reached, where.file, where.line, where.condition);
    t->rejection = where;
    t->rejected = truth;
    sonde_case_leave(t, SONDE_DISCARDED);
}

void sonde_discard_(sonde *t, const char *file, int line, const char *condition)
{
    /* A plain assume knows only true and false. Their distances are 1 and -1, as in sonde_truth_of_. */
    if (t) sonde_case_distance(t, -1);
    sonde_case_rejected(t, (sonde_truth){.distance = -1},
                        (struct sonde_rejection){.file = file, .line = line, .condition = condition});
}

__attribute__((noinline)) void sonde_failing_(void)
{
    __asm__ volatile("");
}

/* Returns the record for a failure, with its location filled in; NULL if another failure was first. Only the first one
 * is reported, and several threads may compete to be first. */
static struct sonde_claim *take_claim(sonde *t, enum sonde_claim_kind kind, sonde_where_ where)
{
    int free_slot = 0;
    struct sonde_claim *c = childs_claim();
    sonde_failing_();
    /* Only the winner writes the record. It is read after sonde_case_end, which acquires has_unexpected. */
    if (!c && !atomic_compare_exchange_strong(&t->claim_taken, &free_slot, 1)) return NULL;
    if (!c) c = &t->claim;
    c->kind = kind;
    snprintf(c->file, sizeof c->file, "%s", where.file ? where.file : "");
    c->line = where.line;
    snprintf(c->condition, sizeof c->condition, "%s", where.text ? where.text : "");
    c->has_sides = c->in_child = false;
    c->functions = c->innermost = 0;
    c->message[0] = c->got[0] = c->want[0] = '\0';
    return c;
}

/* Leaves the case after a failed check that ends it. A forked child reports the failure to the worker and ends, because
 * returning would run code that belongs to the worker. */
SONDE_NORETURN static void leave_failed(sonde *t)
{
    if (childs_claim()) {
        sonde_child_hook.tell();
        _exit(EXIT_FAILURE);
    }
    sonde_case_leave(t, SONDE_FAILED);
}

/* Records a failed check after which the property continues. The release pairs with the acquire in sonde_case_end. */
static void note_failed(sonde *t)
{
    if (childs_claim()) {
        sonde_child_hook.tell();
        return;
    }
    if (t->owner == sonde_this_thread() && !t->failed_at.spans) t->failed_at = sonde_case_now(t);
    atomic_store_explicit(&t->has_unexpected, true, memory_order_release);
}

/* If another thread failed first, take_claim records nothing, but the case still fails. */
void sonde_falsify_(sonde *t, const char *file, int line, const char *condition)
{
    need_case(t, "sonde_check");
    take_claim(t, SONDE_CLAIM_CHECK, sonde_where_at_(file, line, condition));
    leave_failed(t);
}

/* Ends the program unless a case is running. Unlike need_case, allows any thread. */
static void need_running(const sonde *t, const char *file, int line, const char *what)
{
    if (t->owner || childs_claim()) return;
    sonde_die(SONDE_USAGE,
              "sonde_expect(%.200s), at %s:%d, does not hold, but the case has ended; use the sonde * only until the "
              "property returns, and join threads that use it before that",
              what, file ? file : "?", line);
}

bool sonde_unexpected_(sonde *t, const char *file, int line, const char *condition)
{
    if (!t) sonde_case_misplaced(t, "sonde_expect", condition);
    need_running(t, file, line, condition);
    take_claim(t, SONDE_CLAIM_EXPECT, sonde_where_at_(file, line, condition));
    note_failed(t);
    return false;
}

/* Records a failure with the caller's message. The buffer has a fixed size: a long message is cut. */
__attribute__((format(printf, 3, 0))) static void take_message(sonde *t, sonde_where_ where, const char *format,
                                                               va_list args)
{
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_FAIL, where);
    if (c) vsnprintf(c->message, sizeof c->message, format, args);
}

void sonde_fail_(sonde *t, const char *file, int line, const char *format, ...)
{
    va_list args;
    need_case(t, "sonde_fail");
    va_start(args, format);
    take_message(t, sonde_where_at_(file, line, NULL), format, args);
    va_end(args);
    leave_failed(t);
}

void sonde_failed_at(sonde *t, const char *file, int line, const char *format, ...)
{
    if (!t) sonde_case_misplaced(t, "sonde_failed_at", "");
    need_running(t, file, line, "");
    va_list args;
    va_start(args, format);
    take_message(t, sonde_where_at_(file, line, NULL), format, args);
    va_end(args);
    note_failed(t);
}

void sonde_case_fail_by(sonde *t, const struct sonde_claim *claim)
{
    struct sonde_claim *c = take_claim(t, claim->kind, sonde_where_at_(NULL, 0, NULL));
    if (c) *c = *claim;
    leave_failed(t);
}

/* Kinds of undefined behaviour after which the code continues with an invalid address or operand, so that they explain
 * a crash that follows. Other kinds (an overflow in a hash function) may be unrelated to the crash. */
static const char *const crashing_kinds[] = {"out-of-bounds-index",
                                             "null-pointer-use",
                                             "integer-divide-by-zero",
                                             "non-positive-vla-index",
                                             "invalid-null-argument",
                                             "invalid-null-return",
                                             "unreachable-call",
                                             "missing-return",
                                             "function-type-mismatch",
                                             "dynamic-type-mismatch",
                                             NULL};
static const char undefined_format[] = "undefined behaviour (%s): %s";

/* Finds the kind in the message, because the message is what survives in shared memory. */
bool sonde_case_explains_crash(const sonde *t)
{
    if (!atomic_load(&t->has_unexpected) || t->claim.kind != SONDE_CLAIM_UNDEFINED) return false;
    const char *kind = strchr(t->claim.message, '(');
    for (size_t i = 0; kind && crashing_kinds[i]; i++) {
        size_t n = strlen(crashing_kinds[i]);
        if (strncmp(kind + 1, crashing_kinds[i], n) == 0 && kind[1 + n] == ')') return true;
    }
    return false;
}

static bool is_crashing(const char *kind)
{
    for (size_t i = 0; crashing_kinds[i]; i++)
        if (strcmp(kind, crashing_kinds[i]) == 0) return true;
    return false;
}

/* Copies the strings: the sanitizer frees them with its report, except the file name. Keeps the first report, unless a
 * later one explains a crash and the first does not. */
void sonde_case_undefined(sonde *t, const char *kind, const char *message, const char *file, int line)
{
    /* A later report that explains a crash replaces one that does not. */
    bool is_worse = is_crashing(kind) && t->claim.kind == SONDE_CLAIM_UNDEFINED && !sonde_case_explains_crash(t);
    if (is_worse && atomic_load(&t->has_unexpected)) atomic_store(&t->claim_taken, 0);
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_UNDEFINED, sonde_where_at_(file, line, NULL));
    if (c) snprintf(c->message, sizeof c->message, undefined_format, kind, message);
    note_failed(t);
}

/* A race replaces any failure recorded before it: what the code did after the race may be its consequence. */
void sonde_case_races(sonde *t, uint64_t functions, const char *a, const char *b)
{
    atomic_store(&t->claim_taken, 0);
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_RACE, sonde_where_at_(NULL, 0, NULL));
    if (!c) return;
    c->functions = c->innermost = functions;
    snprintf(c->message, sizeof c->message, "%s (ThreadSanitizer)%s%s%s%s", t->race.kind, *a ? ", in " : "", a,
             *b ? " and " : "", b);
    t->verdict = SONDE_FAILED;
}

/* Keeps a failure that was recorded earlier. */
void sonde_case_valgrind(sonde *t, unsigned long errors)
{
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_VALGRIND, sonde_where_at_(NULL, 0, NULL));
    if (c)
        snprintf(c->message, sizeof c->message, "valgrind counted %lu error%s in this case; its report is above",
                 errors, errors == 1 ? "" : "s");
    if (sonde_case_may_fail(t)) t->verdict = SONDE_FAILED;
}

/* Called after the case, so there is no location to report. */
void sonde_case_leaks(sonde *t)
{
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_LEAK, sonde_where_at_(NULL, 0, NULL));
    const char *tool = sonde_valgrind_is_running() ? "valgrind" : "LeakSanitizer";
    if (c) snprintf(c->message, sizeof c->message, "memory was allocated and not freed (%s)", tool);
    t->verdict = SONDE_FAILED;
}

void sonde_case_differs(sonde *t, uint64_t what, const char *name, const char *message, const char *const sides[2])
{
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_DIFFERENCE, sonde_where_at_(NULL, 0, NULL));
    t->verdict = SONDE_FAILED;
    if (!c) return;
    c->functions = c->innermost = what | 1;
    snprintf(c->condition, sizeof c->condition, "%s", name);
    snprintf(c->message, sizeof c->message, "%s", message);
    c->has_sides = *sides[0] || *sides[1];
    snprintf(c->got, sizeof c->got, "%s", sides[0]);
    snprintf(c->want, sizeof c->want, "%s", sides[1]);
}

/* ---- Comparisons */

/* With boxed values one comparison function serves all types. In C, _Generic in sonde.h chooses the function that makes
 * the box; C++ has overloads instead. */
sonde_where_ sonde_where_at_(const char *file, int line, const char *text)
{
    return (sonde_where_){.file = file, .line = line, .text = text};
}

sonde_boxed_ sonde_box_int_(long long value)
{
    return (sonde_boxed_){.kind = SONDE_BOX_INT_, .as.i = value};
}

sonde_boxed_ sonde_box_uint_(unsigned long long value)
{
    return (sonde_boxed_){.kind = SONDE_BOX_UINT_, .as.u = value};
}

sonde_boxed_ sonde_box_double_(double value)
{
    return (sonde_boxed_){.kind = SONDE_BOX_DOUBLE_, .as.d = value};
}

/* The double, and the remainder as a float, hold the value exactly, if a long double has at most 77 digits (x86 has
 * 64). */
sonde_boxed_ sonde_box_long_double_(long double value)
{
    sonde_boxed_ box = {.kind = SONDE_BOX_LONG_DOUBLE_, .as.d = (double)value};
    float error = isfinite(box.as.d) ? (float)(value - (long double)box.as.d) : 0;
    memcpy(&box.bytes, &error, sizeof error);
    return box;
}

sonde_boxed_ sonde_box_bool_(bool value)
{
    return (sonde_boxed_){.kind = SONDE_BOX_BOOL_, .as.u = value};
}

sonde_boxed_ sonde_box_text_(const void *value)
{
    return (sonde_boxed_){.kind = SONDE_BOX_TEXT_, .as.p = value};
}

sonde_boxed_ sonde_box_pointer_(const void *value)
{
    return (sonde_boxed_){.kind = SONDE_BOX_POINTER_, .as.p = value};
}

/* Returns whether a box is negative. Unsigned and boolean boxes never are. */
static bool is_negative(sonde_boxed_ x)
{
    return x.kind == SONDE_BOX_INT_ && x.as.i < 0;
}

/* Returns -1, 0 or 1. Callers use 2 for values without an order (NaN). */
static int order_of(bool less, bool greater)
{
    return less ? -1 : greater;
}

/* Compares exactly: 2^63 - 1 is less than 0x1p63, although as a double it would round to 0x1p63. */
static int compare_to_double(sonde_boxed_ a, double y)
{
    if (isnan(y) || (a.kind == SONDE_BOX_DOUBLE_ && isnan(a.as.d))) return 2;
    if (a.kind == SONDE_BOX_DOUBLE_) return order_of(a.as.d<y, a.as.d> y);
    bool negative = is_negative(a);
    /* -0.0 counts as 0 here, as in C. */
    if (negative != (y < 0)) return negative ? -1 : 1;
    uint64_t size = negative ? 0 - a.as.u : a.as.u; /* equal signs: compare magnitudes, reverse if negative */
    double other = fabs(y);
    if (other >= 0x1p64) return negative ? 1 : -1;
    uint64_t whole = (uint64_t)other;
    int order = size == whole ? order_of(other > (double)whole, false) : order_of(size<whole, size> whole);
    return negative ? -order : order;
}

/* Returns the part of a long double that its conversion to double has lost. */
static float rounding_error(sonde_boxed_ x)
{
    float error = 0;
    if (x.kind == SONDE_BOX_LONG_DOUBLE_) memcpy(&error, &x.bytes, sizeof error);
    return error;
}

static int compare(sonde_boxed_ a, sonde_boxed_ b);

/* Compares the doubles. If these are equal, compares the parts that were lost to rounding. */
static int compare_long_doubles(sonde_boxed_ a, sonde_boxed_ b)
{
    float x = rounding_error(a), y = rounding_error(b);
    if (a.kind == SONDE_BOX_LONG_DOUBLE_) a = sonde_box_double_(a.as.d);
    if (b.kind == SONDE_BOX_LONG_DOUBLE_) b = sonde_box_double_(b.as.d);
    int order = compare(a, b);
    return order ? order : order_of(x<y, x> y);
}

/* Returns -1, 0 or 1; 2 if the boxes cannot be ordered (NaN). Integers compare by their mathematical value, whatever
 * their types. */
static int compare(sonde_boxed_ a, sonde_boxed_ b)
{
    if (a.kind == SONDE_BOX_TEXT_ && b.kind == SONDE_BOX_TEXT_) {
        if (!a.as.p || !b.as.p) return order_of(!a.as.p && b.as.p, a.as.p && !b.as.p);
        /* Only the sign of strcmp is defined. */
        int order = strcmp(a.as.p, b.as.p);
        return order_of(order<0, order> 0);
    }
    if (a.kind == SONDE_BOX_LONG_DOUBLE_ || b.kind == SONDE_BOX_LONG_DOUBLE_) return compare_long_doubles(a, b);
    bool a_pointer = a.kind == SONDE_BOX_TEXT_ || a.kind == SONDE_BOX_POINTER_;
    bool b_pointer = b.kind == SONDE_BOX_TEXT_ || b.kind == SONDE_BOX_POINTER_;
    if (a_pointer) a = sonde_box_uint_((uintptr_t)a.as.p);
    if (b_pointer) b = sonde_box_uint_((uintptr_t)b.as.p);
    if (b.kind == SONDE_BOX_DOUBLE_) return compare_to_double(a, b.as.d);
    if (a.kind == SONDE_BOX_DOUBLE_) {
        int order = compare_to_double(b, a.as.d);
        return order == 2 ? 2 : -order;
    }
    if (is_negative(a) != is_negative(b)) return is_negative(a) ? -1 : 1;
    return order_of(a.as.u<b.as.u, a.as.u> b.as.u); /* with equal signs, two's complement keeps the order */
}

/* Returns whether the order satisfies the relation. An order of 2 (NaN) satisfies NE alone, as in C. */
static bool holds(int order, enum sonde_relation_ relation)
{
    switch (relation) {
    case SONDE_EQ_: return order == 0;
    case SONDE_NE_: return order != 0;
    case SONDE_LT_: return order == -1;
    case SONDE_LE_: return order == -1 || order == 0;
    case SONDE_GT_: return order == 1;
    case SONDE_GE_: return order == 1 || order == 0;
    }
    return false;
}

/* Prints a string in quotes, with escapes as in C. A string that does not fit ends in "... */
static void print_string(char *out, size_t size, const char *text)
{
    struct sonde_sink sink = {.out = out, .size = size};
    sonde_put_quoted(&sink, text, strnlen(text, size));
    if (sink.n < size) {
        out[sink.n] = '\0';
        return;
    }
    size_t end = size - sizeof "\"...";
    while (end > 1 && ((unsigned char)out[end] & 0xc0) == 0x80) end--; /* do not cut within a character */
    snprintf(out + end, size - end, "\"...");
}

/* Prints a box. 17 digits identify a double, 21 a long double of x86. */
static void print_box(char *out, size_t size, sonde_boxed_ x)
{
    switch (x.kind) {
    case SONDE_BOX_INT_: snprintf(out, size, "%" PRId64, x.as.i); break;
    case SONDE_BOX_UINT_: snprintf(out, size, "%" PRIu64, x.as.u); break;
    case SONDE_BOX_DOUBLE_: snprintf(out, size, "%.17g", x.as.d); break;
    case SONDE_BOX_LONG_DOUBLE_:
        snprintf(out, size, "%.21Lg", (long double)x.as.d + (long double)rounding_error(x));
        break;
    case SONDE_BOX_BOOL_: snprintf(out, size, "%s", x.as.u ? "true" : "false"); break;
    case SONDE_BOX_POINTER_: snprintf(out, size, x.as.p ? "%p" : "NULL", x.as.p); break;
    case SONDE_BOX_TEXT_:
        if (x.as.p) print_string(out, size, x.as.p);
        else snprintf(out, size, "NULL");
    }
}

/* need_case comes after the comparison: a check that holds must be cheap, and is harmless anywhere. */
void sonde_compare_(sonde *t, sonde_boxed_ got, enum sonde_relation_ relation, sonde_boxed_ want, sonde_where_ where)
{
    if (holds(compare(got, want), relation)) return;
    need_case(t, "sonde_check");
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_CHECK, where);
    if (c) {
        c->has_sides = true;
        print_box(c->got, sizeof c->got, got);
        print_box(c->want, sizeof c->want, want);
    }
    leave_failed(t);
}

/* Used by derived comparisons and by C++, which have already printed both sides. */
void sonde_differ_(sonde *t, const char *got, const char *want, sonde_where_ where)
{
    need_case(t, "sonde_check");
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_CHECK, where);
    if (c) {
        c->has_sides = true;
        snprintf(c->got, sizeof c->got, "%s", got);
        snprintf(c->want, sizeof c->want, "%s", want);
    }
    leave_failed(t);
}

void sonde_compare_near_(sonde *t, double got, double want, double tolerance, const char *file, int line,
                         const char *text)
{
    /* The difference of two equal infinities is NaN. */
    if (fabs(got - want) <= tolerance || got == want) return;
    need_case(t, "sonde_check_near");
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_CHECK, sonde_where_at_(file, line, text));
    if (c) {
        c->has_sides = true;
        snprintf(c->got, sizeof c->got, "%.17g", got);
        snprintf(c->want, sizeof c->want, "%.17g", want);
        snprintf(c->message, sizeof c->message, "they differ by %.17g, which is more than %.17g", fabs(got - want),
                 tolerance);
    }
    leave_failed(t);
}

/* Prints up to 16 bytes from `start` on in hex. */
static void print_bytes(char *out, size_t size, const unsigned char *bytes, size_t start, size_t n)
{
    size_t used = 0;
    for (size_t i = start; i < n && i < start + 16 && used + 4 < size; i++)
        used += (size_t)snprintf(out + used, size - used, used ? " %02x" : "%02x", bytes[i]);
    if (start + 16 < n && used + 4 < size) snprintf(out + used, size - used, " ...");
}

void sonde_compare_mem_(sonde *t, const void *got, const void *want, size_t n, const char *file, int line,
                        const char *text)
{
    if (n == 0 || memcmp(got, want, n) == 0) return;
    need_case(t, "sonde_check_mem_eq");
    const unsigned char *a = got, *b = want;
    size_t at = 0;
    while (a[at] == b[at]) at++;
    struct sonde_claim *c = take_claim(t, SONDE_CLAIM_CHECK, sonde_where_at_(file, line, text));
    if (c) {
        /* Start four bytes before the difference, so that its context is visible. */
        size_t start = at < 4 ? 0 : at - 4;
        c->has_sides = true;
        print_bytes(c->got, sizeof c->got, a, start, n);
        print_bytes(c->want, sizeof c->want, b, start, n);
        snprintf(c->message, sizeof c->message, "%zu bytes, first difference at byte %zu (shown from byte %zu)", n, at,
                 start);
    }
    leave_failed(t);
}
