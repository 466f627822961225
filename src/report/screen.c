/* Draws the live screen of --ui. A frame is made in memory, each line is cut to the width of the window, and all
 * are written at once.
 *
 * Between frames the screen remembers how many lines it drew (to move the cursor back up), samples of the curve,
 * and the rate. If the window is too small, terminal.c prints its one-line progress instead. Terminfo is not
 * needed: every terminal since the VT100 has cursor up, erase line and erase below.
 *
 *     sonde  insert_keeps_order  guide auto  0:12:41
 *       cases     3,214,880, 4,220 per second
 *       valid     1,830,114, 56.9 %; 1,644,230 different
 *       coverage  812 locations, 640 by valid inputs
 *                 a curve of the locations over the time of the search
 *       corpus    118 inputs that the next run starts with
 *       last new  3.0 s ago; chance that the next input shows something new: 0.01 %
 *       failures  none
 *       guides    cgpt       61 % earn  70 %  rl         22 % earn  18 %  ...
 *       Ctrl-C ends the search with a report. */
#include "report/screen.h"

#include "report/write.h"

#include "base/buffer.h"
#include "base/check.h"
#include "base/mem.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    LEAST_WIDTH = 30, /* minimum width of the window in columns; a narrower one would cut off the numbers */
    LINES_MAX = 14,   /* maximum number of lines of a frame; the tallest has twelve */
    SHARES_SHOWN = 9  /* number of guides shown, three on each of three lines */
};

void sonde_screen_init(struct sonde_screen *s, FILE *out, bool utf8)
{
    *s = (struct sonde_screen){.out = out, .utf8 = utf8};
    sonde_screen_begin(s);
}

/* Keeps `lines`, because these lines of the terminal still have to be erased. */
void sonde_screen_begin(struct sonde_screen *s)
{
    s->n_samples = 0;
    /* 48 samples of half a second; when the array is full, add_sample doubles the interval. */
    s->sample_seconds = 0.5;
    s->next_sample = 0;
    s->before_tests = 0;
    s->before_seconds = s->rate = 0;
    s->failure[0] = '\0';
}

void sonde_screen_found(struct sonde_screen *s, const char *message)
{
    snprintf(s->failure, sizeof s->failure, "%s", message ? message : "");
}

/* ---- The curve */

/* The scale begins at the least sample, so that slow growth late in a search is still visible. */
char *sonde_screen_curve(const uint64_t *samples, uint32_t n, bool utf8)
{
    static const char *const blocks[] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    static const char *const plain[] = {"_", ".", ":", "-", "=", "+", "*", "#"};
    enum { LEVELS = 8 };
    _Static_assert(sizeof blocks / sizeof *blocks == LEVELS && sizeof plain / sizeof *plain == LEVELS,
                   "a mark for each");
    uint64_t least = UINT64_MAX, most = 0;
    char *text = sonde_calloc((size_t)n * 3 + 1, 1), *end = text;
    for (uint32_t i = 0; i < n; i++) {
        if (samples[i] < least) least = samples[i];
        if (samples[i] > most) most = samples[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint64_t spread = most - least;
        uint64_t level = spread ? (uint64_t)((double)(samples[i] - least) / (double)spread * (LEVELS - 1) + 0.5) : 0;
        sonde_assert(level < LEVELS);
        const char *mark = utf8 ? blocks[level] : plain[level];
        while (*mark) *end++ = *mark++;
    }
    return text;
}

/* Adds a sample. A value that comes before the next interval replaces the last sample. When the array is full, two
 * samples become one and the interval doubles, so that the curve always shows the whole search. */
static void add_sample(struct sonde_screen *s, double seconds, uint64_t value)
{
    if (s->n_samples && seconds < s->next_sample) {
        s->samples[s->n_samples - 1] = value;
        return;
    }
    if (s->n_samples == SONDE_SCREEN_SAMPLES) {
        s->n_samples /= 2;
        for (uint32_t i = 0; i < s->n_samples; i++) s->samples[i] = s->samples[2 * i + 1];
        s->sample_seconds *= 2;
    }
    sonde_assert(s->n_samples < SONDE_SCREEN_SAMPLES);
    s->samples[s->n_samples++] = value;
    s->next_sample = seconds + s->sample_seconds;
}

/* ---- The lines */

static void put_head(FILE *out, const struct sonde_event *event)
{
    unsigned long seconds = (unsigned long)event->stats->seconds;
    fputs("sonde  ", out);
    sonde_write_line(out, event->property ? event->property : "property");
    if (event->outlook->guide) fprintf(out, "  guide %s", event->outlook->guide);
    fprintf(out, "  %lu:%02lu:%02lu\n", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/* Prints the counts. The rate is measured over the last second; the report has the mean over the run. */
static void put_tests(FILE *out, const struct sonde_screen *s, const struct sonde_event *event)
{
    const struct sonde_stats *n = event->stats;
    char a[SONDE_GROUPED], b[SONDE_GROUPED];
    fprintf(out, "  cases     %s, %s per second\n", sonde_grouped(n->tests, a), sonde_grouped((uint64_t)s->rate, b));
    fprintf(out, "  valid     %s, %.1f %%", sonde_grouped(n->valid, a),
            n->tests ? 100.0 * (double)n->valid / (double)n->tests : 0.0);
    if (event->tests_wanted) fprintf(out, ", of %s wanted", sonde_grouped(event->tests_wanted, b));
    fprintf(out, "; %s%s different\n", n->unique_estimated ? "about " : "", sonde_grouped(n->unique_valid, a));
}

/* Prints the coverage and its curve. Without instrumentation the curve counts different valid inputs instead. */
static void put_coverage(FILE *out, const struct sonde_screen *s, const struct sonde_outlook *o)
{
    char a[SONDE_GROUPED], b[SONDE_GROUPED];
    char *curve = sonde_screen_curve(s->samples, s->n_samples, s->utf8);
    if (o->places)
        fprintf(out, "  coverage  %s locations, %s by valid inputs\n", sonde_grouped(o->places, a),
                sonde_grouped(o->valid_places, b));
    else fputs("  coverage  none: the code under test is not instrumented; different valid inputs:\n", out);
    fprintf(out, "            %s\n", curve);
    sonde_free(curve);
}

/* Prints when something new was found. next_is_new is below 0 if it cannot be estimated, and is then left out. */
static void put_news(FILE *out, const struct sonde_outlook *o)
{
    char a[SONDE_GROUPED];
    fprintf(out, "  corpus    %s input%s that the next run starts with\n", sonde_grouped(o->corpus, a),
            o->corpus == 1 ? "" : "s");
    fprintf(out, "  last new  ");
    if (o->quiet_seconds < 1) fputs("just now", out);
    else fprintf(out, "%s ago", sonde_duration(floor(o->quiet_seconds), a));
    if (o->next_is_new > 0)
        fprintf(out, "; chance that the next input shows something new: %.2g %%", 100 * o->next_is_new);
    else if (o->next_is_new == 0) fputs("; the next input is unlikely to show anything new", out);
    fputc('\n', out);
}

static void put_failures(FILE *out, const struct sonde_screen *s, const struct sonde_outlook *o)
{
    char a[SONDE_GROUPED];
    fprintf(out, "  failures  %s", o->failures ? sonde_grouped(o->failures, a) : "none");
    if (o->failures && s->failure[0]) {
        fputs("; the last: ", out);
        sonde_write_line(out, s->failure);
    }
    fputc('\n', out);
}

/* Prints three guides per line: the name, its share of the cost, its share of what was found. */
static void put_shares(FILE *out, const struct sonde_outlook *o)
{
    for (size_t i = 0; i < o->n_shares && i < SHARES_SHOWN; i++) {
        const struct sonde_share *share = &o->shares[i];
        fputs(i % 3 ? "  " : i ? "\n            " : "  guides    ", out);
        fprintf(out, "%-9s %3.0f %% earn %3.0f %%", share->name, 100 * share->cost, 100 * share->earned);
    }
    if (o->n_shares) fputc('\n', out);
}

static void put_frame(FILE *out, const struct sonde_screen *s, const struct sonde_event *event)
{
    put_head(out, event);
    put_tests(out, s, event);
    put_coverage(out, s, event->outlook);
    put_news(out, event->outlook);
    put_failures(out, s, event->outlook);
    put_shares(out, event->outlook);
    fputs("  Ctrl-C ends the search with a report.\n", out);
}

/* ---- Drawing */

/* Returns how many bytes of a line fit into `width` columns. Each character counts as one column, and continuation
 * bytes of UTF-8 as none. Characters that take two columns are counted as one, so such a line may wrap. */
static size_t fitting(const char *line, size_t n, unsigned width)
{
    size_t at = 0;
    for (unsigned columns = 0; at < n; columns++) {
        if (columns == width) break;
        do at++;
        while (at < n && ((unsigned char)line[at] & 0xc0) == 0x80);
    }
    return at;
}

static int count_lines(const char *frame)
{
    int n = 0;
    for (; *frame; frame++) n += *frame == '\n';
    return n;
}

/* Overwrites the previous frame. Each line is overwritten and its rest erased; erasing everything first would
 * flicker. */
static void write_frame(struct sonde_screen *s, const char *frame, unsigned width)
{
    if (s->lines) fprintf(s->out, "\033[%dA", s->lines);
    fputc('\r', s->out);
    for (const char *line = frame; *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(s->out, "%.*s\033[K\n", (int)fitting(line, n, width), line);
        line += n + 1;
    }
    fputs("\033[J", s->out); /* erases the rest of a taller frame */
    fflush(s->out);
    s->lines = count_lines(frame);
}

/* Measures the rate between frames, by the property's clock. */
static void update_rate(struct sonde_screen *s, const struct sonde_stats *n)
{
    double passed = n->seconds - s->before_seconds;
    /* The rate is measured at least one second apart, or the number would flicker. */
    if (passed < 1 && s->rate > 0) return;
    if (passed <= 0) return;
    s->rate = (double)(n->tests - s->before_tests) / passed;
    s->before_tests = n->tests;
    s->before_seconds = n->seconds;
}

bool sonde_screen_draw(struct sonde_screen *s, const struct sonde_event *event, unsigned width, unsigned height)
{
    if (width < LEAST_WIDTH || height < LINES_MAX + 1) return false;
    const struct sonde_outlook *o = event->outlook;
    update_rate(s, event->stats);
    add_sample(s, event->stats->seconds, o->places ? o->places : event->stats->unique_valid);
    struct sonde_buffer frame;
    put_frame(sonde_buffer_open(&frame), s, event);
    write_frame(s, sonde_buffer_close(&frame), width - 1);
    sonde_buffer_clear(&frame);
    return true;
}

/* Also moves the cursor to where the screen began. */
void sonde_screen_erase(struct sonde_screen *s)
{
    if (s->lines) fprintf(s->out, "\033[%dA\r\033[J", s->lines);
    s->lines = 0;
}
