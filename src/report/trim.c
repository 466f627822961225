#define _GNU_SOURCE /* memmem */
/* Removes lines that are not about the code under test from reports of sanitizers and valgrind. It works line by
 * line. In a stack it keeps only the frames above the first frame of sonde: they are the code under test.
 *
 * Take AddressSanitizer's report on a heap-buffer-overflow. Three parts of it are kept: the kind and the address, the
 * stack down to the property, and where the block was allocated. Rulers, frames of sonde and of the C library's start,
 * and the dump of shadow bytes are removed. So is the summary, which repeats the first line. Of reports of undefined
 * behaviour that differ only in location and numbers, the first is kept. */
#include "report/trim.h"

#include "base/mem.h"
#include "base/strings.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char mark[] = ": runtime error: "; /* in a line of UBSan, between location and message */
enum { SEEN = 32 };     /* kinds of undefined behaviour that are distinguished; all reports of others are kept */
enum { LOCATIONS = 3 }; /* other locations of repeats that are named */

/* The state between two lines. */
struct trim {
    bool is_below_sonde;    /* the frames that follow are below the first frame of sonde in this stack */
    bool in_shadow;         /* inside the dump of shadow bytes */
    bool was_blank;         /* the last line that was kept is blank */
    bool in_repeat;         /* inside a report of undefined behaviour like one before it */
    const char *seen[SEEN]; /* messages of undefined behaviour, in the output */
    unsigned n_seen;
    const char *kept[SEEN];    /* the lines of these messages */
    const char *at[LOCATIONS]; /* lines of repeats with other locations, all different */
    unsigned n_at;             /* LOCATIONS + 1: there are more */
    unsigned left_out;
};

static bool contains(const char *line, size_t n, const char *what)
{
    return memmem(line, n, what, strlen(what)) != NULL;
}

/* Returns whether a line is blank. Removing lines may leave several blank ones, which become one. */
static bool is_blank(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isspace((unsigned char)line[i])) return false;
    return true;
}

/* Returns whether a line is a ruler of = characters, as around AddressSanitizer's report. */
static bool is_rule(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && line[i] == '=') i++;
    return n >= 18 && i == n;
}

/* Returns the function name in a line of a stack; NULL for any other line. Such a line is "    #3 0x55e7 in name
 * file:line", or from valgrind "==12==    by 0x1117: name (file:line)". */
static const char *function_of(const char *line, size_t n)
{
    const char *end = line + n, *p = line;
    if (sonde_bytes_start(line, n, "==")) {
        p = memmem(line, n, ": ", 2);
        bool is_frame = contains(line, n, "   at 0x") || contains(line, n, "   by 0x");
        return is_frame && p ? p + 2 : NULL;
    }
    while (p < end && *p == ' ') p++;
    if (p == line || end - p < 2 || *p != '#' || !isdigit((unsigned char)p[1])) return NULL;
    const char *in = memmem(p, (size_t)(end - p), " in ", 4);
    if (in) return in + 4;
    p = memchr(p, ' ', (size_t)(end - p)); /* ThreadSanitizer has no address before the name */
    return p ? p + 1 : end;
}

/* Returns whether a line is not about the code under test. */
static bool is_noise(const char *line, size_t n)
{
    static const char *const whole[] = {"SUMMARY: ",
                                        "Exiting",
                                        "AddressSanitizer:DEADLYSIGNAL",
                                        "ThreadSanitizer:DEADLYSIGNAL",
                                        "MemorySanitizer:DEADLYSIGNAL",
                                        "UndefinedBehaviorSanitizer:DEADLYSIGNAL"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (sonde_bytes_start(line, n, whole[i])) return true;
    return is_rule(line, n)
           || (sonde_bytes_start(line, n, "==")
               && (contains(line, n, "==ABORTING") || contains(line, n, "==Register values")))
           || contains(line, n, "can not provide additional info");
}

/* Skips a decimal number, or a hexadecimal one after 0x. */
static const char *after_number(const char *text)
{
    bool is_hex = text[0] == '0' && text[1] == 'x';
    for (text += is_hex ? 2 : 0; is_hex ? isxdigit((unsigned char)*text) : isdigit((unsigned char)*text);) text++;
    return text;
}

/* Returns whether two messages are the same up to their numbers and addresses. They end with their lines. */
static bool are_alike(const char *a, const char *b)
{
    for (;; a++, b++) {
        a = after_number(a);
        b = after_number(b);
        if (*a != *b) return false;
        if (!*a || *a == '\n') return true;
    }
}

/* Returns whether two reports of undefined behaviour name the same location: FILE:LINE:COLUMN. */
static bool are_of_one_place(const char *a, const char *b)
{
    const char *end = strstr(a, mark);
    return end && strncmp(a, b, (size_t)(end - a) + strlen(mark)) == 0;
}

/* Keeps the location of a repeat unless it is known. The first report of its kind is number `of`. */
static void note_location(struct trim *t, unsigned of, const char *line)
{
    if (t->n_at > LOCATIONS || are_of_one_place(t->kept[of], line)) return;
    for (unsigned i = 0; i < t->n_at; i++)
        if (are_of_one_place(t->at[i], line)) return;
    if (t->n_at < LOCATIONS) t->at[t->n_at] = line;
    t->n_at++;
}

/* Returns whether a line belongs to a repeated report of undefined behaviour. Each location is reported, and all but
 * the first report of a kind are left out, with their notes and stacks. */
static bool is_repeated(struct trim *t, const char *line, size_t n)
{
    const char *message = memmem(line, n, mark, strlen(mark));
    bool continues = n > 0 && (isspace((unsigned char)*line) || contains(line, n, ": note: "));
    if (!message) return t->in_repeat = t->in_repeat && continues;
    message += strlen(mark);
    for (unsigned i = 0; i < t->n_seen; i++) {
        if (!are_alike(t->seen[i], message)) continue;
        note_location(t, i, line);
        return t->in_repeat = true;
    }
    if (t->n_seen < SEEN) {
        t->kept[t->n_seen] = line;
        t->seen[t->n_seen++] = message;
    }
    return t->in_repeat = false;
}

/* Returns whether to keep a line. A stack is kept down to the first frame of sonde; the frames below are the same
 * in every report. */
static bool keeps(struct trim *t, const char *line, size_t n)
{
    if (sonde_bytes_start(line, n, "Shadow bytes around")) t->in_shadow = true;
    if (t->in_shadow && sonde_bytes_start(line, n, "==")) t->in_shadow = false;
    if (is_repeated(t, line, n) || t->in_shadow || is_noise(line, n)) return false;
    const char *function = function_of(line, n);
    if (!function) t->is_below_sonde = false;
    else if (sonde_bytes_start(function, (size_t)(line + n - function), "sonde_")) t->is_below_sonde = true;
    return !t->is_below_sonde;
}

/* Returns whether the output has a report. Other output is not changed, because a program may print stacks itself. */
static bool has_report(const char *text)
{
    return strstr(text, "==ERROR: ") || strstr(text, "WARNING: ThreadSanitizer")
           || strstr(text, "WARNING: MemorySanitizer") || strstr(text, ": runtime error: ");
}

/* Writes the other locations of repeats. They are in lines that were left out, so there is room. */
static size_t put_locations(const struct trim *t, char *to)
{
    size_t n = 0;
    for (unsigned i = 0; i < t->n_at && i < LOCATIONS; i++) {
        size_t length = (size_t)(strstr(t->at[i], mark) - t->at[i]);
        n += (size_t)sprintf(to + n, "%s%.*s", i ? ", " : "(the same also at ", (int)length, t->at[i]);
    }
    if (n) n += (size_t)sprintf(to + n, "%s)\n", t->n_at > LOCATIONS ? " and more locations" : "");
    return n;
}

/* The result is at most as long as the output, plus the line that says how much was left out. */
char *sonde_trim_tools(const char *output)
{
    static const char format[] = "(%u line%s of the tool %s left out; -v shows %s)\n";
    static const char *const words[2][3] = {{"s", "are", "them"}, {"", "is", "it"}};
    struct trim t = {.was_blank = true};
    if (!has_report(output)) return NULL;
    size_t size = strlen(output) + sizeof format + 64, used = 0;
    char *text = sonde_malloc(size);
    for (const char *line = output; *line;) {
        size_t n = strcspn(line, "\n");
        bool ends = line[n] == '\n', blank = is_blank(line, n);
        if (!keeps(&t, line, n)) t.left_out++;
        else if (!blank || !t.was_blank) {
            memcpy(text + used, line, n);
            used += n;
            text[used++] = '\n';
            t.was_blank = blank;
        }
        line += n + ends;
    }
    while (used > 1 && text[used - 1] == '\n' && text[used - 2] == '\n') used--;
    text[used] = '\0';
    used += put_locations(&t, text + used);
    const char *const *word = words[t.left_out == 1];
    if (t.left_out) snprintf(text + used, size - used, format, t.left_out, word[0], word[1], word[2]);
    return text;
}
