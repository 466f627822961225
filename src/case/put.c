/* Strings that a property writes piece by piece, and their comparison with a file to import; see aim.h. The memory
 * belongs to the case, so nothing is freed here: outgrown pieces are freed with the case. */
#include "case/aim.h"

#include "base/oom.h"
#include "case/case.h"

#include <stdarg.h>
#include <string.h>

static void make_room(sonde *t, sonde_text *out, size_t n)
{
    if (out->cap - out->n > n) return; /* one byte is kept for the NUL */
    if (n > SIZE_MAX / 4 || out->cap > SIZE_MAX / 4) sonde_case_overrun(t, "memory");
    /* The capacity is doubled, so that the abandoned pieces together are no larger than the string itself. */
    size_t cap = 2 * out->cap + n + 32;
    char *more = sonde_case_memory(t, cap);
    if (out->n > 0) memcpy(more, out->at, out->n);
    out->at = more;
    out->cap = cap;
}

/* Records that the choices so far were drawn before the next bytes are put. */
static void mark(sonde *t, struct sonde_aim *aim)
{
    uint32_t n = t->tape.n_choices;
    if (aim->n_marks && aim->marks[aim->n_marks - 1].choices == n) return;
    aim->marks = sonde_grow(aim->marks, &aim->cap_marks, (size_t)aim->n_marks + 1, sizeof *aim->marks);
    aim->marks[aim->n_marks++] = (struct sonde_aim_mark){n, aim->at};
}

/* Returns how many of the bytes match the wanted string, and advances aim->at over them. */
static size_t compare(struct sonde_aim *aim, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (aim->at < aim->n && aim->text[aim->at] == bytes[i]) {
            aim->at++;
            continue;
        }
        if (!aim->skips_space) return i;
        if (sonde_aim_is_space(bytes[i])) continue;
        aim->at = sonde_aim_skip(aim, aim->at);
        if (aim->at == aim->n || aim->text[aim->at] != bytes[i]) return i;
        aim->at++;
    }
    return n;
}

/* Compares a piece with the wanted string. At a difference, leaves the whole case, even inside a call of a machine. */
static void compare_piece(sonde *t, struct sonde_aim *aim, const char *bytes, size_t n)
{
    mark(t, aim);
    aim->n_puts++;
    size_t same = compare(aim, bytes, n);
    if (same == n) return;
    aim->differs = true;
    aim->n_wrong = (uint32_t)(n - same < SONDE_AIM_WRONG ? n - same : SONDE_AIM_WRONG);
    memcpy(aim->wrong, bytes + same, aim->n_wrong);
    t->driver = NULL;
    sonde_case_leave(t, SONDE_DISCARDED);
}

/* Makes the n bytes after the end of the output part of it, and compares them with the wanted string. */
static inline void note_piece(sonde *t, sonde_text *out, size_t n)
{
    const char *piece = out->at + out->n;
    out->n += n;
    struct sonde_aim *aim = t->aim;
    if (!aim) return;
    if (!aim->of) aim->of = out;
    if (aim->of == out) compare_piece(t, aim, piece, n);
}

int sonde_put(sonde *t, sonde_text *out, const char *format, ...)
{
    if (!t || t->owner != sonde_this_thread()) sonde_case_misplaced(t, "sonde_put", "");
    if (!out || !format)
        sonde_misuse_(t, "sonde_put: the %s is NULL; give a zeroed sonde_text and a format", out ? "format" : "text");
    uint64_t left = sonde_oom_pause(); /* sonde_oom must not count sonde's own allocations */
    va_list args;
    make_room(t, out, 0);
    va_start(args, format);
    int n = vsnprintf(out->at + out->n, out->cap - out->n, format, args);
    va_end(args);
    if (n < 0) sonde_misuse_(t, "sonde_put: the C library cannot print the format \"%.200s\"", format);
    if ((size_t)n >= out->cap - out->n) {
        make_room(t, out, (size_t)n);
        va_start(args, format);
        vsnprintf(out->at + out->n, out->cap - out->n, format, args);
        va_end(args);
    }
    sonde_oom_resume(left);
    note_piece(t, out, (size_t)n);
    return n;
}

void sonde_case_put(sonde *t, sonde_text *out, const char *bytes, size_t n)
{
    make_room(t, out, n);
    memcpy(out->at + out->n, bytes, n);
    out->at[out->n + n] = '\0';
    note_piece(t, out, n);
}
