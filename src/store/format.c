/* Writes and reads tape files. The reader makes one pass over the lines and copies into one block as long as the file.
 * So its time and memory are linear for any bytes. Line ends may be CR LF: version control rewrites them, so the
 * checksum ignores them.
 *
 * Both directions are here so that they cannot diverge; format.h has an example. The store adds nothing else to a
 * file, so it can be read with any editor and committed as it is. */
#include "store/format.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/strings.h"
#include "tape/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAGIC "# sonde tape "
#define CHECKSUM "# checksum: "

/* The lines of the head that have a meaning, in the order in which they are written. */
static const struct {
    const char *name;
    size_t at;
} lines[] = {
    {"property", offsetof(struct sonde_stored, property)},   {"kind", offsetof(struct sonde_stored, kind)},
    {"message", offsetof(struct sonde_stored, message)},     {"place", offsetof(struct sonde_stored, place)},
    {"found", offsetof(struct sonde_stored, found)},         {"shown by", offsetof(struct sonde_stored, shown)},
    {"build", offsetof(struct sonde_stored, build)},         {"steps", offsetof(struct sonde_stored, steps)},
    {"confirmed", offsetof(struct sonde_stored, confirmed)}, {"number", offsetof(struct sonde_stored, number)},
};
enum { LINES = sizeof lines / sizeof *lines };

/* Returns the member of `stored` for a line of the table. The writer and the reader both use it, so the cast removes
 * const from the struct; the strings stay const. */
static const char **text_at(const struct sonde_stored *stored, size_t line)
{
    sonde_assert(line < LINES);
    return (const char **)(uintptr_t)((const char *)stored + lines[line].at);
}

/* ---- Writing */

/* A growing string, not terminated. */
struct buffer {
    char *text;
    uint32_t n, cap;
};

static void put(struct buffer *b, const char *text, size_t n)
{
    b->text = sonde_grow(b->text, &b->cap, b->n + n, 1);
    memcpy(b->text + b->n, text, n);
    b->n += (uint32_t)n;
}

static void put_text(struct buffer *b, const char *text)
{
    put(b, text, strlen(text));
}

/* Appends a string with control bytes escaped, cut at SONDE_STORE_TEXT_MAX bytes. */
static void put_escaped(struct buffer *b, const char *text)
{
    for (size_t i = 0; i < SONDE_STORE_TEXT_MAX && text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        char escape[8] = {(char)c};
        if (c == '\\') strcpy(escape, "\\\\");
        else if (c == '\n') strcpy(escape, "\\n");
        else if (c == '\t') strcpy(escape, "\\t");
        else if (c < 32 || c == 127) snprintf(escape, sizeof escape, "\\x%02x", c);
        put_text(b, escape);
    }
}

/* Adds a line without its end to a hash. Line ends and empty lines do not count, so LF and CR LF give the same
 * checksum. */
static uint64_t add_line(uint64_t hash, const char *line, size_t n)
{
    return n ? sonde_hash_bytes(hash, line, n) : hash;
}

static uint64_t hash_lines(uint64_t hash, const char *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        const char *end = memchr(text + at, '\n', n - at);
        size_t length = end ? (size_t)(end - text) - at : n - at;
        hash = add_line(hash, text + at, length);
        at += length + 1;
    }
    return hash;
}

/* The checksum covers the head and the token, so that an edited property name is noticed too. */
char *sonde_stored_write(const struct sonde_stored *what, size_t *n)
{
    struct buffer b = {0};
    char line[64];
    /* the checksum is computed line by line, and the token must be one line */
    sonde_assert(what->token && !strchr(what->token, '\n'));
    snprintf(line, sizeof line, MAGIC "%d\n", SONDE_STORE_VERSION);
    put_text(&b, line);
    for (size_t i = 0; i < LINES; i++) {
        const char *text = *text_at(what, i);
        if (!text) continue;
        snprintf(line, sizeof line, "# %s: ", lines[i].name);
        put_text(&b, line);
        put_escaped(&b, text);
        put(&b, "\n", 1);
    }
    uint64_t hash = add_line(hash_lines(SONDE_STORE_VERSION, b.text, b.n), what->token, strlen(what->token));
    snprintf(line, sizeof line, CHECKSUM "%016llx\n", (unsigned long long)hash);
    put_text(&b, line);
    put_text(&b, what->token);
    put(&b, "\n", 1);
    *n = b.n;
    return b.text;
}

/* ---- Reading */

/* The state of reading. `free` never exceeds memory + n + LINES + 2: each string is shorter than its line (see
 * sonde_stored_read). */
struct reader {
    const char *bytes;
    size_t n, at;
    struct sonde_stored *found;
    char *free; /* the free part of found->memory, for the next string */
    uint64_t hash, checksum;
    bool has_checksum;
};

/* Returns the next line, without its end. */
static const char *next_line(struct reader *r, size_t *n)
{
    sonde_assert(r->at <= r->n);
    const char *line = r->bytes + r->at, *end = memchr(line, '\n', r->n - r->at);
    *n = end ? (size_t)(end - line) : r->n - r->at;
    r->at += *n + (end != NULL);
    if (*n && line[*n - 1] == '\r') --*n;
    return line;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads one character of a string in the head and moves *i past it. A NUL, escaped or not, becomes a question mark.
 * Unknown escapes stay as they are, since people read the strings. */
static char unescape(const char *text, size_t n, size_t *i)
{
    sonde_assert(*i < n);
    char c = text[(*i)++];
    size_t left = n - *i;
    if (c == '\\' && left >= 1) {
        char e = text[*i];
        int high = e == 'x' && left >= 3 ? hex_digit(text[*i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[*i + 2]) : -1;
        if (low >= 0) c = (char)(high * 16 + low), *i += 3;
        else if (e == 'n') c = '\n', ++*i;
        else if (e == 't') c = '\t', ++*i;
        else if (e == '\\') ++*i;
    }
    return c ? c : '?';
}

/* Reads a line of the head. Lines with other names are comments, which users may add. */
static void read_head_line(struct reader *r, const char *line, size_t n)
{
    for (size_t i = 0; i < LINES; i++) {
        size_t name = strlen(lines[i].name);
        if (n < name + 3 || memcmp(line + 2, lines[i].name, name) != 0 || line[name + 2] != ':') continue;
        const char **text = text_at(r->found, i);
        if (*text) return; /* if several lines have the same name, the first counts */
        *text = r->free;
        size_t at = name + 3, length = 0;
        if (at < n && line[at] == ' ') at++;
        while (at < n && length++ < SONDE_STORE_TEXT_MAX) *r->free++ = unescape(line, n, &at);
        *r->free++ = '\0';
        return;
    }
}

/* Reads a checksum line. A second one is an error: it is a sign of a bad merge. */
static int read_checksum(struct reader *r, const char *line, size_t n)
{
    size_t at = strlen(CHECKSUM);
    if (n != at + 16 || r->has_checksum) return -EINVAL;
    for (; at < n; at++) {
        int digit = hex_digit(line[at]);
        if (digit < 0) return -EINVAL;
        r->checksum = r->checksum << 4 | (unsigned)digit;
    }
    r->has_checksum = true;
    return 0;
}

/* Reads the first line. Another version number can only be newer: versions only increase. */
static int read_version(struct reader *r, const char **reason)
{
    size_t n;
    const char *line = next_line(r, &n);
    char version[16];
    snprintf(version, sizeof version, "%d", SONDE_STORE_VERSION);
    size_t magic = strlen(MAGIC);
    r->hash = add_line(r->hash, line, n);
    if (n - magic == strlen(version) && memcmp(line + magic, version, n - magic) == 0) return 0;
    bool is_number = n > magic && n - magic < 10 && line[magic] != '0';
    for (size_t i = magic; i < n; i++) is_number = is_number && line[i] >= '0' && line[i] <= '9';
    *reason = is_number ? "it was made by a newer version of sonde" : "its first line is damaged";
    return is_number ? -ENOTSUP : -EINVAL;
}

/* Returns whether a line belongs to the head: empty, or a # followed by a blank. A # alone is not enough, since sonde's
 * internal labels begin with it too. */
static bool is_head_line(const char *line, size_t n)
{
    return n == 0 || (line[0] == '#' && (n == 1 || line[1] == ' '));
}

static int read_head(struct reader *r, const char **reason)
{
    while (r->at < r->n) {
        size_t start = r->at, n;
        const char *line = next_line(r, &n);
        /* The first line that is not a head line begins the token; read_token reads it again. */
        if (!is_head_line(line, n)) {
            r->at = start;
            return 0;
        }
        if (!sonde_bytes_start(line, n, CHECKSUM)) {
            r->hash = add_line(r->hash, line, n);
            read_head_line(r, line, n);
        } else if (read_checksum(r, line, n) < 0) {
            *reason = "its checksum line is damaged";
            return -EINVAL;
        }
    }
    return 0;
}

/* Reads all lines after the head, joined by blanks, as the token; then compares the checksum. */
static int read_token(struct reader *r, const char **reason)
{
    r->found->token = r->free;
    bool is_empty = true;
    while (r->at < r->n) {
        size_t n;
        const char *line = next_line(r, &n);
        r->hash = add_line(r->hash, line, n);
        /* A head line after the token: two files were joined, or a merge went wrong. */
        if (sonde_bytes_start(line, n, "# ")) *reason = "its head is damaged";
        else if (memchr(line, '\0', n)) *reason = "it holds a NUL byte";
        if (*reason) return -EINVAL;
        if (!is_empty && n) *r->free++ = ' ';
        memcpy(r->free, line, n);
        r->free += n;
        if (n) is_empty = false;
    }
    *r->free++ = '\0';
    if (is_empty) *reason = "it is cut short: there is no tape in it";
    else if (r->has_checksum && r->hash != r->checksum)
        *reason = "its checksum does not match: it was damaged or edited (to keep an edit, remove that line)";
    else return 0;
    return -EINVAL;
}

/* Skips a byte order mark, with which some editors begin every file. */
static void skip_mark(struct reader *r)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (!sonde_bytes_start(r->bytes, r->n, mark)) return;
    r->bytes += strlen(mark);
    r->n -= strlen(mark);
}

/* Reads a whole file. A bare tape has neither version nor checksum. */
static int read_all(struct reader *r, const char **reason)
{
    int error = 0;
    if (r->n > (size_t)SONDE_READ_BYTES_MAX) {
        *reason = "it is too large";
        return -EFBIG;
    }
    if (sonde_bytes_start(r->bytes, r->n, MAGIC)) {
        error = read_version(r, reason);
        if (!error) error = read_head(r, reason);
    } else if (!sonde_text_has_version(r->bytes, r->n)) { /* a token copied from a report */
        *reason = r->n ? "it is not a sonde tape, which begins with '# sonde tape 1' or with 's1:'" : "it is empty";
        return -EINVAL;
    }
    return error ? error : read_token(r, reason);
}

int sonde_stored_read(struct sonde_stored *found, const char *bytes, size_t n, const char **reason)
{
    *found = (struct sonde_stored){0};
    /* Every string is at most as long as its line, and replaces at least two bytes of the line by one NUL. */
    if (n <= (size_t)SONDE_READ_BYTES_MAX) found->memory = sonde_malloc(n + LINES + 2);
    struct reader r = {.bytes = bytes, .n = n, .found = found, .free = found->memory, .hash = SONDE_STORE_VERSION};
    skip_mark(&r);
    *reason = NULL;
    int error = read_all(&r, reason);
    sonde_assert(!found->memory || (size_t)(r.free - found->memory) <= n + LINES + 2);
    if (error) sonde_stored_clear(found);
    return error;
}

/* Copies the head line by line, with unknown lines as they are. Computes a new checksum if there was one. */
char *sonde_stored_replace(const char *bytes, size_t n, const char *token, size_t *size)
{
    struct reader r = {.bytes = bytes, .n = n, .hash = SONDE_STORE_VERSION};
    struct buffer b = {0};
    skip_mark(&r);
    while (r.at < r.n) {
        size_t length;
        const char *line = next_line(&r, &length);
        if (!is_head_line(line, length)) break;
        if (sonde_bytes_start(line, length, CHECKSUM)) {
            r.has_checksum = true;
            continue;
        }
        r.hash = add_line(r.hash, line, length);
        put(&b, line, length);
        put(&b, "\n", 1);
    }
    char checksum[64];
    uint64_t hash = add_line(r.hash, token, strlen(token));
    snprintf(checksum, sizeof checksum, CHECKSUM "%016llx\n", (unsigned long long)hash);
    if (r.has_checksum) put_text(&b, checksum);
    put_text(&b, token);
    put(&b, "\n", 1);
    *size = b.n;
    return b.text;
}

void sonde_stored_clear(struct sonde_stored *found)
{
    sonde_free(found->memory);
    *found = (struct sonde_stored){0};
}
