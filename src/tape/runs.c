/* Implements runs.h. One parser, next_segment, is used to check, to measure and to expand a value. */
#include "tape/runs.h"

#include <string.h>

bool sonde_runs_has(const struct sonde_tape *tape, const struct sonde_choice *choice)
{
    if (choice->kind != SONDE_KIND_BLOB || choice->flags & SONDE_CHOICE_HOLE) return false;
    struct sonde_blob blob = sonde_choice_blob(tape, choice);
    if (blob.alphabet.kind != SONDE_ALPHABET_BYTES) return false;
    for (uint32_t i = 0, n; i < blob.len; i += n)
        if ((n = sonde_run_at(&blob, i)) >= SONDE_RUN_LONG) return true;
    return false;
}

/* Writes a byte as two digits, so that pairs need no separator. */
static void put_pair(struct sonde_sink *sink, const struct sonde_blob *blob, uint32_t i)
{
    uint32_t byte = sonde_alphabet_code(&blob->alphabet, sonde_blob_symbol(blob, i));
    sonde_put_char(sink, "0123456789abcdef"[byte >> 4 & 15]);
    sonde_put_char(sink, "0123456789abcdef"[byte & 15]);
}

void sonde_runs_put(struct sonde_sink *sink, const struct sonde_blob *blob)
{
    bool after_run = false;
    for (uint32_t i = 0, n; i < blob->len; i += n) {
        n = sonde_run_at(blob, i);
        bool is_run = n >= SONDE_RUN_LONG;
        if (i > 0 && (is_run || after_run)) sonde_put_char(sink, '.');
        after_run = is_run;
        if (is_run) {
            put_pair(sink, blob, i);
            sonde_put_char(sink, 'x');
            sonde_put_uint(sink, n);
        } else {
            for (uint32_t k = 0; k < n; k++) put_pair(sink, blob, i + k);
        }
    }
}

/* ---- Reading */

/* A segment: `pairs` pairs that begin at `text`, or one pair that is repeated. */
struct segment {
    const char *text;
    size_t pairs, times;
};

static bool is_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); /* upper case is never a run */
}

/* Reads a count; returns false unless it is a number without a leading zero that fits. */
static bool read_count(const char **at, const char *end, size_t *count)
{
    const char *p = *at;
    *count = 0;
    if (p == end || *p == '0') return false;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(*count, 10, count) || __builtin_add_overflow(*count, (size_t)(*p - '0'), count))
            return false;
    bool has_digits = p > *at;
    *at = p;
    return has_digits;
}

/* Reads the next segment and the dot after it. Returns false if there is none, or if something else follows. */
static bool next_segment(const char **at, const char *end, struct segment *s)
{
    const char *p = *at;
    while (p < end && is_digit(*p)) p++;
    size_t digits = (size_t)(p - *at);
    *s = (struct segment){.text = *at, .pairs = digits / 2, .times = 1};
    if (digits == 0 || digits % 2 != 0) return false;
    if (p < end && *p == 'x') {
        p++;
        if (s->pairs != 1 || !read_count(&p, end, &s->times)) return false;
    }
    bool has_more = p < end && *p == '.' && p + 1 < end;
    if (p < end && !has_more) return false;
    *at = has_more ? p + 1 : p;
    return true;
}

size_t sonde_runs_length(const char *text, size_t n)
{
    const char *end = text + n;
    struct segment s;
    size_t length = 0, digits;
    if (!memchr(text, 'x', n)) return 0;
    while (text < end) {
        if (!next_segment(&text, end, &s)) return 0;
        if (__builtin_mul_overflow(2 * s.pairs, s.times, &digits) || __builtin_add_overflow(length, digits, &length))
            length = SIZE_MAX / 4; /* reads on, because an invalid segment may follow */
        if (length > SIZE_MAX / 4) length = SIZE_MAX / 4;
    }
    return length == SIZE_MAX / 4 ? SIZE_MAX : length;
}

void sonde_runs_expand(const char *text, size_t n, char *out)
{
    const char *end = text + n;
    struct segment s;
    while (text < end && next_segment(&text, end, &s)) {
        for (size_t i = 0; i < s.times; i++) {
            memcpy(out, s.text, 2 * s.pairs);
            out += 2 * s.pairs;
        }
    }
}
