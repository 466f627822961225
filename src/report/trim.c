#define _GNU_SOURCE /* memmem */
/* See trim.h. Goes line by line: a report is made of sentences, which stay, and of stacks, of which the frames above the
 * first one of sonde's are the code under test.
 *
 * Of AddressSanitizer's report on a heap-buffer-overflow stay: the sentence with the kind and the address, the
 * stack down to the property, where the block was allocated and by whom. Go: rulers, frames of sonde and of the
 * C library's start, the dump of shadow bytes with its legend, the summary, which says the first line again. */
#include "report/trim.h"

#include "base/mem.h"
#include "base/strings.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* State of the walk over lines: inside a stack below sonde's first frame, inside the dump of shadow
 * bytes, after a blank line. */
struct trim {
    bool in_stack_of_ours; /* the rest of this stack is sonde's */
    bool in_shadow;
    bool was_blank;
    unsigned left_out;
};

static bool contains(const char *line, size_t n, const char *what)
{
    return memmem(line, n, what, strlen(what)) != NULL;
}

/* Runs of blank lines that are left when lines go become one. */
static bool is_blank(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isspace((unsigned char)line[i])) return false;
    return true;
}

/* The lines of = and - around AddressSanitizer's report. */
static bool is_rule(const char *line, size_t n)
{
    size_t i = 0;
    while (i < n && line[i] == '=') i++;
    return n >= 18 && i == n;
}

/* "    #3 0x55e7 in name file:line", or valgrind's "==12==    by 0x1117: name (file:line)": the name, or NULL. */
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

/* Lines that say nothing of the code under test. */
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

/* A stack is kept down to the first frame of sonde's; everything below called the property and is the
 * same in every report. */
static bool keeps(struct trim *t, const char *line, size_t n)
{
    if (sonde_bytes_start(line, n, "Shadow bytes around")) t->in_shadow = true;
    if (t->in_shadow && sonde_bytes_start(line, n, "==")) t->in_shadow = false;
    if (t->in_shadow || is_noise(line, n)) return false;
    const char *function = function_of(line, n);
    if (!function) t->in_stack_of_ours = false;
    else if (sonde_bytes_start(function, (size_t)(line + n - function), "sonde_")) t->in_stack_of_ours = true;
    return !t->in_stack_of_ours;
}

/* Only texts with a report are touched: a program may print stacks of its own. */
static bool has_report(const char *text)
{
    return strstr(text, "==ERROR: ") || strstr(text, "WARNING: ThreadSanitizer")
           || strstr(text, "WARNING: MemorySanitizer") || strstr(text, ": runtime error: ");
}

/* NULL if there is no report of a tool in it. What is kept is no longer than what came, but for the line that says what is left
 * out. */
char *sonde_trim_tools(const char *output)
{
    static const char format[] = "(%u line%s of the tool %s left out; -v shows %s)\n";
    static const char *const words[2][3] = {{"s", "are", "them"}, {"", "is", "it"}};
    struct trim t = {.was_blank = true};
    /* Ordinary output is never changed. */
    if (!has_report(output)) return NULL;
    size_t size = strlen(output) + sizeof format + 16, used = 0;
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
    const char *const *word = words[t.left_out == 1];
    if (t.left_out) snprintf(text + used, size - used, format, t.left_out, word[0], word[1], word[2]);
    return text;
}
