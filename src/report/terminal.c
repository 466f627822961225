/* The report for people. A property that passes gets one line. A failure gets everything that is needed to
 * understand it: what failed, for which values, how it was found, and how to run it again.
 *
 * On a terminal there is a live line while the search runs, which is erased before anything else is printed. On a
 * pipe there is no live line.
 *
 * The file has the first line (summary), the parts of a failure, tables, the whole page, and the reporter, in this
 * order. Every string of the user is written by a function of write.h, so that no label or message can control the
 * terminal. sonde_terminal_print prints the same page for the other reporters.
 *
 * A page, and which function prints what:
 *
 *     FAIL equal_keys_keep_their_order: falsified             print_headline
 *
 *       Does not hold, at examples/02_lists.c:58:             print_claim
 *           a[i - 1].place < a[i].place
 *           got:  a[i - 1].place = 1
 *           want: a[i].place = 0
 *
 *       For these values:                                     print_values
 *           records = [0, 0]
 *
 *       Found by case 42, shrunk from 9 to 3 choices ...      print_history
 *       420 cases in 31 ms: 226 valid, 0 discarded, ...       print_counts
 *
 *       Run it again:                                         print_replay
 *           examples/02_lists --filter ... --replay 's1:records[{key=0} {key=0}] ?' */
#include "report/blockers.h"
#include "report/report.h"
#include "report/shared.h"
#include "report/explanation.h"
#include "report/screen.h"
#include "report/trim.h"
#include "report/values.h"
#include "report/write.h"

#include "base/strings.h"
#include "base/buffer.h"
#include "base/mem.h"
#include "case/case.h"
#include "tape/tape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/personality.h>

enum {
    TOKEN_MAX = 1000,         /* maximum length of a token in characters; a longer one is hard to paste */
    VALUE_LINES = 200,        /* maximum number of lines of values without --verbose */
    OUTPUT_LINES = 200,       /* maximum number of lines of a case's output without --verbose */
    OUTPUT_BYTES = 16 * 1024, /* maximum number of bytes of a case's output, for output with few line ends */
    TABLE_ROWS = 20,          /* maximum number of rows of a table without --verbose: what fits a window */
    SECTION = 2,              /* indent of headings */
    BODY = 6                  /* indent of lines below a heading */
};

/* The arguments of the print_ functions. They need nothing else, so the same page can be printed to a file, for
 * JUnit, and during a search. */
struct page {
    FILE *out;
    const struct sonde_terminal_style *style;
    const struct sonde_report *report;
    uint64_t tests_wanted;
    size_t n_shown; /* the first n_shown failures were printed during the search */
};

enum hue { PLAIN, GOOD, BAD, ODD, FAINT, STRONG };

/* Returns the escape sequence for a colour; "" without colours, so that callers can print it in any case. */
static const char *paint(const struct sonde_terminal_style *style, enum hue hue)
{
    /* The 16 ANSI colours, which follow the palette of the terminal. */
    static const char *const codes[] = {"\033[0m", "\033[32m", "\033[1;31m", "\033[33m", "\033[2m", "\033[1m"};
    _Static_assert(sizeof codes / sizeof *codes == STRONG + 1, "each hue has a code");
    return style->color ? codes[hue] : "";
}

/* ---- The first line --------------------------------------------------------------------------------------------*/

/* Writes how many cases were not valid, as in " (3,120 discarded, 2 too large)". Like snprintf, the describe_
 * functions return the length. */
static int describe_losses(char *out, size_t size, const struct sonde_stats *stats)
{
    char a[SONDE_GROUPED], b[SONDE_GROUPED];
    /* A count of 0 is left out: the usual line stays short. */
    if (stats->discarded && stats->overruns) {
        return snprintf(out, size, " (%s discarded, %s too large)", sonde_grouped(stats->discarded, a),
                        sonde_grouped(stats->overruns, b));
    }
    if (stats->discarded) return snprintf(out, size, " (%s discarded)", sonde_grouped(stats->discarded, a));
    if (stats->overruns) return snprintf(out, size, " (%s too large)", sonde_grouped(stats->overruns, b));
    return snprintf(out, size, "%s", "");
}

/* Writes ", 3 different". Writes nothing if all valid inputs were different, or may have been: the estimate has an
 * error. */
static int describe_repeats(char *out, size_t size, const struct sonde_stats *stats)
{
    char digits[SONDE_GROUPED];
    /* Three percent, far more than the error of the estimate (0.2 %): a run without repeats must not report some. */
    uint64_t unsure = stats->unique_estimated ? stats->valid / 32 : 0;
    if (!stats->unique_valid || stats->unique_valid + unsure >= stats->valid) return snprintf(out, size, "%s", "");
    return snprintf(out, size, ", %s%s different", stats->unique_estimated ? "about " : "",
                    sonde_grouped(stats->unique_valid, digits));
}

/* Writes how the search ended, unless it ended as expected. With --tests, the time limit means that fewer cases
 * ran than were asked for. */
static int describe_end(char *out, size_t size, const struct sonde_report *r)
{
    char wanted[SONDE_GROUPED];
    if (r->stopped == SONDE_STOP_TIME && r->wanted)
        return snprintf(out, size, ", of the %s wanted", sonde_grouped(r->wanted, wanted));
    const char *why = r->stopped == SONDE_STOP_TIME   ? ", the time limit"
                      : r->stopped == SONDE_STOP_FLAT ? ", nothing new was found any more"
                                                      : "";
    return snprintf(out, size, "%s", why);
}

/* Returns whether no check was evaluated. The count of checks is not enough: a sonde_fail that was not reached is
 * a check, too. So this looks for the warning. */
static bool is_unchecked(const struct sonde_report *r)
{
    for (size_t i = 0; i < r->n_warnings; i++)
        if (!strcmp(r->warnings[i].kind, "no_checks")) return true;
    return false;
}

/* Writes the checks, as in "; checks: 41,203 evaluated at 3 locations". */
static int describe_checks(char *out, size_t size, const struct sonde_report *r)
{
    char a[SONDE_GROUPED], b[SONDE_GROUPED];
    if (is_unchecked(r)) return snprintf(out, size, "; checks: none evaluated");
    if (!r->checks) return snprintf(out, size, "%s", r->is_crash_only ? "; checks: none, only crashes count" : "");
    int n = snprintf(out, size, "; checks: %s evaluated", sonde_grouped(r->checks, a));
    if (!r->check_locations) return n; /* all are checks of sonde_threads and sonde_together */
    return n
           + snprintf(out + n, size - (size_t)n, " at %s location%s", sonde_grouped(r->check_locations, b),
                      sonde_plural(r->check_locations));
}

/* Writes "all 1,331 inputs", "all inputs, about 2,098,000" or "the only valid input". The number of valid cases is not
 * written: an input may have been run more than once. */
static int describe_space(char *out, size_t size, const struct sonde_stats *stats)
{
    char digits[SONDE_GROUPED];
    /* Every input was run, so the number of different ones, if it is exact, is the number of all. */
    uint64_t n = stats->unique_valid ? stats->unique_valid : stats->valid;
    const char *kind = stats->discarded ? "valid " : "";
    if (stats->unique_estimated) return snprintf(out, size, "all %sinputs, about %s", kind, sonde_grouped(n, digits));
    if (n == 1) return snprintf(out, size, "the only %sinput", kind);
    return snprintf(out, size, "all %s %sinputs", sonde_grouped(n, digits), kind);
}

bool sonde_report_unjudged(const struct sonde_report *r, int part, char *out, size_t size)
{
    size_t n = part ? r->n_unjudged_regressions : r->n_unjudged;
    const char *format =
        part ? "%zu regression%s not judged: %s" : "%zu stored failure%s cannot be judged in this build: %s";
    if (n) snprintf(out, size, format, n, sonde_plural(n), part ? r->unjudged_regressions : r->unjudged);
    return n;
}

/* Returns the failure that the headline describes: the only one, unless it is a check with a condition, which is
 * printed below. NULL: there is none. */
static const struct sonde_failure *headline_failure(const struct sonde_report *r)
{
    const struct sonde_failure *f = r->n_failures == 1 && r->outcome == SONDE_OUTCOME_FALSIFIED ? r->failures : NULL;
    return f && f->message && *f->message && !(f->condition && *f->condition) ? f : NULL;
}

/* Returns whether the location of a failure is in the function that its message names: where the process ended. */
static bool is_located_by_function(const struct sonde_failure *f)
{
    return f->file && (!strcmp(f->kind, "crash") || !strcmp(f->kind, "sanitizer") || !strcmp(f->kind, "exit"));
}

/* Writes the first line of a failure's message, and its location: "SIGSEGV at address 0, in next (lex.c:88), called
 * from parse". */
static void describe_failure(char *out, size_t size, const struct sonde_failure *f)
{
    int n = (int)strcspn(f->message, "\n");
    const char *callers = strstr(f->message, ", called from ");
    int before = callers && callers - f->message < n ? (int)(callers - f->message) : n;
    if (is_located_by_function(f))
        snprintf(out, size, "%.*s (%s:%d)%.*s", before, f->message, sonde_last_part(f->file), f->line, n - before,
                 f->message + before);
    else if (f->file) snprintf(out, size, "%.*s, at %s:%d", n, f->message, f->file, f->line);
    else snprintf(out, size, "%.*s", n, f->message);
}

/* JUnit and TAP print this summary, too. */
void sonde_report_summary(const struct sonde_report *r, char *out, size_t size)
{
    const struct sonde_stats *stats = &r->stats;
    char valid[SONDE_GROUPED], time[SONDE_GROUPED], losses[96], end[96], repeats[96], checks[96];
    sonde_grouped(stats->valid, valid);
    sonde_duration(stats->seconds, time);
    describe_losses(losses, sizeof losses, stats);
    describe_end(end, sizeof end, r);
    describe_checks(checks, sizeof checks, r);
    switch (r->outcome) {
    case SONDE_OUTCOME_PASSED:
        if (r->stopped == SONDE_STOP_NOT_CONCERNED) {
            snprintf(out, size, "not searched, because the change does not affect it; %s valid input%s ran in %s",
                     valid, sonde_plural(stats->valid), time);
            break;
        }
        describe_repeats(repeats, sizeof repeats, stats);
        snprintf(out, size, "%s valid case%s%s%s in %s%s%s", valid, sonde_plural(stats->valid), repeats, losses, time,
                 end, checks);
        break;
    case SONDE_OUTCOME_EXHAUSTED:
        describe_space(end, sizeof end, stats);
        snprintf(out, size, is_unchecked(r) ? "ran for %s%s, which proves nothing%s" : "holds for %s%s%s", end, losses,
                 checks);
        break;
    case SONDE_OUTCOME_GAVE_UP: snprintf(out, size, "%s", r->message ? r->message : "too few inputs were valid"); break;
    case SONDE_OUTCOME_FALSIFIED:
        if (r->n_failures > 1) snprintf(out, size, "falsified, in %zu different ways", r->n_failures);
        else if (headline_failure(r)) describe_failure(out, size, headline_failure(r));
        else snprintf(out, size, "falsified");
        break;
    case SONDE_OUTCOME_FLAKY: snprintf(out, size, "an input failed, but not every time it was run"); break;
    case SONDE_OUTCOME_ERROR: snprintf(out, size, "%s", r->message ? r->message : "the property misuses sonde"); break;
    case SONDE_OUTCOME_INTERRUPTED:
        snprintf(out, size, "no failure in %s valid case%s%s in %s; ended by a signal before its limit", valid,
                 sonde_plural(stats->valid), losses, time);
        break;
    case SONDE_OUTCOME_NOT_RUN: snprintf(out, size, "a signal ended the run before this property began"); break;
    }
}

/* Returns the word for a property with one failure; "FAIL" for checks and for kinds without a word. */
static const char *failure_word(const struct sonde_report *r)
{
    static const struct {
        const char *kind, *word;
    } words[] = {{"crash", "CRASH"}, {"stack_overflow", "CRASH"}, {"killed", "CRASH"},
                 {"hang", "HANG"},   {"no_progress", "HANG"},     {"leak", "LEAK"},
                 {"race", "RACE"},   {"deadlock", "DEADLOCK"}};
    const struct sonde_failure *f = headline_failure(r);
    for (size_t i = 0; f && i < sizeof words / sizeof *words; i++)
        if (!strcmp(f->kind, words[i].kind)) return words[i].word;
    return "FAIL";
}

/* Returns the part of the message with the cause, if the search gave up: all after the first sentence, which has only
 * counts. NULL: there is none. */
static const char *cause_of(const struct sonde_report *r)
{
    const char *end = r->message ? strstr(r->message, ". ") : NULL;
    return end ? end + 2 : NULL;
}

/* Prints the verdict, the property and the summary. --replay has other summaries, since it runs only one input. */
static void print_headline(const struct page *p)
{
    static const struct {
        const char *word;
        enum hue hue;
    } heads[] = {
        [SONDE_OUTCOME_PASSED] = {"ok  ", GOOD},
        [SONDE_OUTCOME_FALSIFIED] = {"FAIL", BAD},
        [SONDE_OUTCOME_EXHAUSTED] = {"ok  ", GOOD},
        [SONDE_OUTCOME_GAVE_UP] = {"GAVE UP", ODD},
        [SONDE_OUTCOME_FLAKY] = {"FLAKY", BAD},
        [SONDE_OUTCOME_ERROR] = {"ERROR", BAD},
        [SONDE_OUTCOME_INTERRUPTED] = {"INTERRUPTED", ODD},
        [SONDE_OUTCOME_NOT_RUN] = {"NOT RUN", ODD},
    };
    _Static_assert(sizeof heads / sizeof *heads == SONDE_OUTCOME_NOT_RUN + 1, "each outcome has a head");
    const struct sonde_report *r = p->report;
    char summary[1024];
    sonde_report_summary(r, summary, sizeof summary);
    if (p->style->replay && r->outcome == SONDE_OUTCOME_PASSED) {
        snprintf(summary, sizeof summary, "holds for this input");
    } else if (p->style->replay && r->outcome == SONDE_OUTCOME_GAVE_UP) {
        snprintf(summary, sizeof summary, "this input is not valid");
    } else if (r->outcome == SONDE_OUTCOME_GAVE_UP) {
        const char *cause = cause_of(r); /* print_giving_up prints it */
        if (cause) snprintf(summary, sizeof summary, "%.*s", (int)(cause - r->message) - 2, r->message);
    }
    const char *word = r->is_excused                           ? "KNOWN"
                       : sonde_report_is_skipped(r)            ? "skip"
                       : r->outcome == SONDE_OUTCOME_FALSIFIED ? failure_word(r)
                                                               : heads[r->outcome].word;
    fprintf(p->out, "%s%s%s ", paint(p->style, heads[r->outcome].hue), word, paint(p->style, PLAIN));
    sonde_write_line(p->out, r->property ? r->property : "property");
    fputs(": ", p->out);
    /* sonde_write_plain instead of fputs: a message may quote strings of the property. */
    sonde_write_plain(p->out, summary, strlen(summary), SECTION);
    fputc('\n', p->out);
}

/* ---- Parts -----------------------------------------------------------------------------------------------------*/

static void print_heading(const struct page *p, const char *text)
{
    fprintf(p->out, "\n%*s%s%s%s\n", SECTION, "", paint(p->style, STRONG), text, paint(p->style, PLAIN));
}

/* Prints an indented block that ends with exactly one line end, whatever the string ends with. */
static void print_block(const struct page *p, const char *text)
{
    size_t n = strlen(text);
    while (n && text[n - 1] == '\n') n--;
    fprintf(p->out, "%*s", BODY, "");
    sonde_write_plain(p->out, text, n, BODY);
    fputc('\n', p->out);
}

/* Returns whether a failure is a misuse: an error in the property, not in the code under test. It has no history
 * and no "run it again". */
static bool is_misuse(const struct sonde_failure *f)
{
    return f->kind && !strcmp(f->kind, "misuse");
}

/* Prints where the misuse is; the headline has the message. */
static void print_misuse(const struct page *p, const struct sonde_failure *f)
{
    if (!f->file && !f->detail) return;
    fprintf(p->out, "\n%*sCalled", SECTION, "");
    if (f->file) {
        fputs(" at ", p->out);
        sonde_write_line(p->out, f->file);
        fprintf(p->out, ":%d", f->line);
    }
    if (f->detail) {
        fputs(f->file ? ", in " : " in ", p->out);
        sonde_write_line(p->out, f->detail);
    }
    fputs(".\n", p->out);
}

/* Prints the lines of a message after the first, which is in the headline. */
static void print_rest(const struct page *p, const char *message)
{
    const char *rest = strchr(message, '\n');
    if (!rest || !rest[1]) return;
    fputc('\n', p->out);
    print_block(p, rest + 1);
}

/* Prints one side of a comparison: its expression, unless that is the value itself, and its value. */
static void print_side(const struct page *p, const char *word, const char *expression, size_t n, const char *value)
{
    fprintf(p->out, "%*s%s", BODY, "", word);
    if (n && (n != strlen(value) || memcmp(expression, value, n) != 0)) {
        sonde_write_plain(p->out, expression, n, BODY + 6);
        fputs(" = ", p->out);
    }
    sonde_write_plain(p->out, value, strlen(value), BODY + 6);
    fputc('\n', p->out);
}

/* Prints both sides of a comparison. */
static void print_sides(const struct page *p, const struct sonde_failure *f)
{
    size_t n_left = 0;
    const char *right = "", *relation = f->condition ? sonde_condition_sides(f->condition, &n_left, &right) : NULL;
    char want[32];
    snprintf(want, sizeof want, "want: %s", relation ? relation : "");
    print_side(p, "got:  ", f->condition, n_left, f->got);
    print_side(p, want, right, strlen(right), f->want);
}

/* Prints "Does not hold, at file.c:12:", the condition of the check, both sides, and its message. */
static void print_claim(const struct page *p, const struct sonde_failure *f)
{
    if (is_misuse(f)) {
        print_misuse(p, f);
        return;
    }
    bool is_claim = f->condition && *f->condition;
    if (f == headline_failure(p->report)) {
        print_rest(p, f->message);
        if (f->got && f->want) print_sides(p, f);
        return;
    }
    /* A crash or a hang has no condition: print "Failed" and a message. */
    fprintf(p->out, "\n%*s%s%s", SECTION, "", paint(p->style, STRONG), is_claim ? "Does not hold" : "Failed");
    if (f->file) {
        fputs(", at ", p->out);
        sonde_write_line(p->out, f->file);
        fprintf(p->out, ":%d", f->line);
    }
    fprintf(p->out, ":%s\n", paint(p->style, PLAIN));
    if (is_claim) print_block(p, f->condition);
    if (f->got && f->want) print_sides(p, f);
    /* The condition of a check is printed above; other failures have only a message. */
    const char *more = is_claim ? f->detail : f->message;
    if (more && *more) print_block(p, more);
}

/* Prints the values; nothing for a misuse before the first draw. */
static void print_values(const struct page *p, const struct sonde_failure *f)
{
    if (!f->tape || (is_misuse(f) && f->tape->n_choices == 0)) return;
    print_heading(p, is_misuse(f) ? "Drawn before that:" : "For these values:");
    struct sonde_values values = {f->tape, p->report->names, f->shown, f->n_shown, f->others_fail};
    sonde_values_tree(p->out, &values, BODY, p->style->all ? 0 : VALUE_LINES);
}

/* Prints "Found by case 57, shrunk from 40 to 3 choices in 61 calls." Each part depends on what is known: where
 * the failure came from, what shrinking did, and how often it occurred. */
static void print_history(const struct page *p, const struct sonde_failure *f)
{
    char a[SONDE_GROUPED], b[SONDE_GROUPED], c[SONDE_GROUPED];
    uint64_t size = f->tape ? sonde_tape_size(f->tape) : 0;
    if (p->style->replay || is_misuse(f)) return;
    fprintf(p->out, "\n%*s", SECTION, "");
    if (f->regression) {
        fputs("From the regression ", p->out);
        sonde_write_line(p->out, f->regression);
    } else if (f->found_when) {
        fprintf(p->out, "Found %s", f->found_when);
    } else if (f->tests_to_failure) {
        fprintf(p->out, "Found by case %s", sonde_grouped(f->tests_to_failure, a));
        if (f->is_known) fputs(", known from an earlier run", p->out);
    } else fputs("Kept from an earlier run", p->out);
    if (f->tape && f->shrink_calls && f->original_size > size) {
        fprintf(p->out, ", shrunk from %s to %s choice%s in %s call%s", sonde_grouped(f->original_size, a),
                sonde_grouped(size, b), sonde_plural(size), sonde_grouped(f->shrink_calls, c),
                sonde_plural(f->shrink_calls));
    } else if (f->tape && f->shrink_calls) {
        fprintf(p->out, ", simplified to %s choice%s in %s call%s", sonde_grouped(size, b), sonde_plural(size),
                sonde_grouped(f->shrink_calls, c), sonde_plural(f->shrink_calls));
    } else if (f->tape) {
        fprintf(p->out, ", %s choice%s, %s", sonde_grouped(size, b), sonde_plural(size),
                f->shrink_complete    ? "nothing smaller to try"
                : f->shrunk_elsewhere ? "shrunk by another worker"
                                      : "not shrunk");
    }
    if (f->tape && f->shrink_calls && !f->shrink_complete)
        fputs(f->shrink_stopped    ? " (cut short: it may shrink further)"
              : f->shrink_unsteady ? " (smaller inputs failed, but not each time)"
                                   : " (some steps gave up: --shrink-calls 100000 may try more)",
              p->out);
    if (f->hits > 1) fprintf(p->out, "; %s cases failed this way", sonde_grouped(f->hits, a));
    fputs(".\n", p->out);
    if (f->shrink_margin > 0)
        fprintf(
            p->out,
            "%*sShrinking gave each case %g %% more %s than the search does. Smaller inputs may fail, but not every "
            "time.\n",
            SECTION, "", 100 * f->shrink_margin * (strcmp(f->kind, "hang") == 0 ? 4 : 1),
            strcmp(f->kind, "hang") == 0     ? "time"
            : strcmp(f->kind, "memory") == 0 ? "memory"
                                             : "stack");
}

/* Prints whether the failure is in the base, too. */
static void print_in_base(const struct page *p, const struct sonde_failure *f)
{
    char text[2048];
    sonde_report_in_base(p->report, f, text, sizeof text);
    if (!*text) return;
    fprintf(p->out, "%*s%s", SECTION, "", paint(p->style, STRONG));
    sonde_write_plain(p->out, text, strlen(text), SECTION);
    fprintf(p->out, "%s.\n", paint(p->style, PLAIN));
}

/* Prints the program, and --filter unless the program has one property only: the shortest command that works. */
static void print_command(const struct page *p)
{
    fprintf(p->out, "%*s", BODY, "");
    sonde_write_shell(p->out, p->report->program);
    if (p->style->several && p->report->property) {
        fputs(" --filter ", p->out);
        sonde_write_shell(p->out, p->report->property);
    }
}

/* Prints a call instead of a command, for a property that runs inside another program. */
static void print_call(const struct page *p, const char *token)
{
    fprintf(p->out, "%*ssonde_replay(", BODY, "");
    sonde_write_line(p->out, p->report->property);
    fputs(", \"", p->out);
    for (; *token; token++) {
        if (*token == '"' || *token == '\\') fputc('\\', p->out);
        fputc(*token, p->out);
    }
    fputs("\")\n", p->out);
}

/* Prints how to repeat a failure, in the first of four forms that applies. These are a command with the token, a call
 * for an embedded property, a command with the stored file, and a command with the seed. */
static void print_replay(const struct page *p, const struct sonde_failure *f)
{
    char digits[SONDE_GROUPED];
    if (!f->token || p->style->replay) return;
    size_t n = strlen(f->token);
    if (n <= TOKEN_MAX) {
        print_heading(p, "Run it again:");
        if (!p->report->program) {
            print_call(p, f->token);
            return;
        }
        print_command(p);
        if (p->report->replay_options) fprintf(p->out, " %s", p->report->replay_options);
        fprintf(p->out, " --replay '%s'\n", f->token); /* a token has no quotes and no control characters */
        /* LeakSanitizer does not work in a debugger. */
        bool helps_gdb = !is_misuse(f) && strcmp(f->kind, "leak");
        if (p->style->hints && p->report->n_failures == 1 && helps_gdb && !p->report->against.program)
            fprintf(p->out, "%*sadd --gdb to debug it\n", BODY, "");
        return;
    }
    if (!p->report->program) {
        fprintf(p->out,
                "\n%*sThe token for sonde_replay is too long to print (%s characters); run again with seed %" PRIu64
                ".\n",
                SECTION, "", sonde_grouped(n, digits), p->report->seed);
        return;
    }
    if (f->path) {
        fprintf(p->out, "\n%*s%sRun it again%s (the input itself is too long for a line: %s characters):\n", SECTION,
                "", paint(p->style, STRONG), paint(p->style, PLAIN), sonde_grouped(n, digits));
        print_command(p);
        if (p->report->replay_options) fprintf(p->out, " %s", p->report->replay_options);
        fputs(" --replay ", p->out);
        sonde_write_shell(p->out, f->path);
        fputc('\n', p->out);
        return;
    }
    fprintf(p->out, "\n%*s%sFind it again%s (the input itself is too long for a line: %s characters; --json has it):\n",
            SECTION, "", paint(p->style, STRONG), paint(p->style, PLAIN), sonde_grouped(n, digits));
    print_command(p);
    fprintf(p->out, " --seed %" PRIu64, p->report->seed);
    if (p->report->guide) fprintf(p->out, " --guide %s", p->report->guide);
    if (p->tests_wanted) fprintf(p->out, " --tests %" PRIu64, p->tests_wanted);
    fputc('\n', p->out);
}

/* ---- Tables ----------------------------------------------------------------------------------------------------*/

static int by_rejections(const void *a, const void *b)
{
    const struct sonde_assume_count *x = *(const struct sonde_assume_count *const *)a;
    const struct sonde_assume_count *y = *(const struct sonde_assume_count *const *)b;
    if (x->rejected != y->rejected) return x->rejected < y->rejected ? 1 : -1;
    /* qsort is not stable; the order of the array breaks ties, so that output does not depend on the C library. */
    return (x > y) - (x < y);
}

/* Prints why the search gave up, and what to try. The table below has the condition that the message quotes. */
static void print_giving_up(const struct page *p)
{
    const struct sonde_report *r = p->report;
    const char *cause = cause_of(r);
    if (r->outcome != SONDE_OUTCOME_GAVE_UP || p->style->replay || !cause) return;
    print_heading(p, "What to try:");
    if (!r->n_assumes) {
        print_block(p, cause);
        return;
    }
    print_block(p, "Draw values that meet the condition that discarded most, instead of assuming it.");
    if (r->stopped == SONDE_STOP_EXHAUSTED) return; /* every input was tried: no search would find more */
    if (!r->stats.edges)
        print_block(p, "Build with sonde cc, so that the search sees how far a case is from meeting it.");
    print_block(p, "Search longer, however many cases are discarded: --time SECONDS.");
}

/* Prints the assumes, starting with the one that discards most: a generator should replace it. */
static void print_assumes(const struct page *p)
{
    const struct sonde_report *r = p->report;
    char digits[SONDE_GROUPED];
    if (!r->n_assumes) return;
    const struct sonde_assume_count **rows = sonde_calloc(r->n_assumes, sizeof *rows);
    for (size_t i = 0; i < r->n_assumes; i++) rows[i] = &r->assumes[i];
    qsort(rows, r->n_assumes, sizeof *rows, by_rejections);
    print_heading(p, "Discarded by:");
    for (size_t i = 0; i < r->n_assumes && (p->style->all || i < TABLE_ROWS); i++) {
        fprintf(p->out, "%*s%9s  ", BODY - 2, "", sonde_grouped(rows[i]->rejected, digits));
        if (rows[i]->file) {
            sonde_write_line(p->out, rows[i]->file);
            fprintf(p->out, ":%d: ", rows[i]->line);
        }
        sonde_write_line(p->out, rows[i]->condition ? rows[i]->condition : "?");
        fputc('\n', p->out);
    }
    if (!p->style->all && r->n_assumes > TABLE_ROWS) {
        fprintf(p->out, "%*s... and %zu more\n", BODY, "", r->n_assumes - TABLE_ROWS);
    }
    sonde_free(rows);
}

/* Prints whether a label is as frequent as sonde_cover requires. There may be too few cases to decide, even if the
 * share looks high enough. */
static void print_cover(const struct page *p, const struct sonde_label_count *label)
{
    static const char *const words[] = {[SONDE_COVER_NONE] = "",
                                        [SONDE_COVER_MET] = "met",
                                        [SONDE_COVER_MISSED] = "MISSED",
                                        [SONDE_COVER_OPEN] = "too few cases to decide"};
    char digits[SONDE_GROUPED];
    if (!(label->wanted > 0)) return;
    enum hue hue = label->cover == SONDE_COVER_MISSED ? BAD : label->cover == SONDE_COVER_MET ? GOOD : ODD;
    bool is_unsampled = label->cover == SONDE_COVER_OPEN && label->sampled == 0;
    fprintf(p->out, "   wanted %g %%: %s%s%s", label->wanted, paint(p->style, hue),
            is_unsampled ? "not decided, no case is independent of the search" : words[label->cover],
            paint(p->style, PLAIN));
    if (label->is_exact) fprintf(p->out, " (%.1f %%, exactly)", label->share);
    else if (label->sampled)
        fprintf(p->out, " (%.1f %% of %s independent cases)", 100.0 * (double)label->met / (double)label->sampled,
                sonde_grouped(label->sampled, digits));
}

static int by_count(const void *a, const void *b)
{
    const struct sonde_label_count *x = *(const struct sonde_label_count *const *)a;
    const struct sonde_label_count *y = *(const struct sonde_label_count *const *)b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return (x > y) - (x < y);
}

static void print_labels(const struct page *p)
{
    const struct sonde_report *r = p->report;
    size_t width = 0;
    if (!r->n_labels) return;
    const struct sonde_label_count **rows = sonde_calloc(r->n_labels, sizeof *rows);
    for (size_t i = 0; i < r->n_labels; i++) {
        size_t n = strlen(r->labels[i].name);
        rows[i] = &r->labels[i];
        if (r->labels[i].wanted > 0 && n > width) width = n;
    }
    /* A longer name moves only the columns of its line. */
    if (width > 40) width = 40;
    qsort(rows, r->n_labels, sizeof *rows, by_count);
    print_heading(p, "Valid cases by name:");
    for (size_t i = 0; i < r->n_labels; i++) {
        /* A label with a required share is always printed. */
        if (!p->style->all && i >= TABLE_ROWS && !(rows[i]->wanted > 0)) continue;
        double share = r->stats.valid ? 100.0 * (double)rows[i]->count / (double)r->stats.valid : 0;
        size_t n = strlen(rows[i]->name);
        fprintf(p->out, "%*s%6.1f %%  ", BODY - 2, "", share);
        sonde_write_line(p->out, rows[i]->name);
        if (rows[i]->wanted > 0) fprintf(p->out, "%*s", n < width ? (int)(width - n) : 0, "");
        print_cover(p, rows[i]);
        fputc('\n', p->out);
    }
    sonde_free(rows);
}

static void print_targets(const struct page *p)
{
    if (!p->report->n_targets) return;
    print_heading(p, "Highest targets:");
    for (size_t i = 0; i < p->report->n_targets; i++) {
        fprintf(p->out, "%*s", BODY, "");
        sonde_write_line(p->out, p->report->targets[i].name);
        fprintf(p->out, " = %g\n", p->report->targets[i].best);
    }
}

/* Returns how many cases the search ran after the first failure that it found; 0 if it found none itself. */
static uint64_t cases_after_failure(const struct sonde_report *r)
{
    uint64_t first = 0;
    for (size_t i = 0; i < r->n_failures; i++) {
        uint64_t at = r->failures[i].tests_to_failure;
        if (at && (!first || at < first)) first = at;
    }
    return first && first < r->stats.tests ? r->stats.tests - first : 0;
}

/* Prints that the search stopped because of a failure, before its limit. */
static void print_stop(const struct page *p)
{
    char digits[SONDE_GROUPED];
    uint64_t n = cases_after_failure(p->report);
    if (p->report->stopped != SONDE_STOP_FOUND || !n || !p->style->hints || !p->report->program) return;
    fprintf(p->out, "%*sStopped %s case%s after the first failure; --keep-going continues to the limit.\n", SECTION, "",
            sonde_grouped(n, digits), sonde_plural(n));
}

/* Prints "57 cases in 2 ms: 50 valid, 6 discarded. Seed 1234, guide random." */
static void print_counts(const struct page *p)
{
    const struct sonde_stats *s = &p->report->stats;
    char a[SONDE_GROUPED], b[SONDE_GROUPED], c[SONDE_GROUPED], checks[96];
    fprintf(p->out, "%*s%s case%s in %s: %s valid, ", SECTION, "", sonde_grouped(s->tests, a), sonde_plural(s->tests),
            sonde_duration(s->seconds, c), sonde_grouped(s->valid, b));
    fprintf(p->out, "%s discarded", sonde_grouped(s->discarded, a));
    if (s->overruns) fprintf(p->out, ", %s too large", sonde_grouped(s->overruns, a));
    /* The remaining cases failed; there is no separate counter for these. */
    uint64_t other = s->valid + s->discarded + s->overruns;
    if (s->tests > other) fprintf(p->out, ", %s failing", sonde_grouped(s->tests - other, a));
    describe_checks(checks, sizeof checks, p->report);
    fprintf(p->out, "%s. Seed %" PRIu64, checks, p->report->seed);
    if (p->report->guide) fprintf(p->out, ", guide %s", p->report->guide);
    fputs(".\n", p->out);
}

/* Prints what the guide learned (explains), with a heading, or the guide's numbers. */
static void print_guide(const struct page *p, bool explains)
{
    char *text = sonde_report_guide(p->report, explains);
    if (explains && *text) print_heading(p, "What the guide learned:");
    if (explains && !*text) fprintf(p->out, "\n%*sThe guide learned nothing.\n", SECTION, "");
    if (*text) print_block(p, text);
    sonde_free(text);
}

/* Returns whether address randomisation is off. personality(0xffffffff) returns the current value and changes
 * nothing. */
static bool addresses_are_fixed(void)
{
    int now = personality(0xffffffff);
    return now >= 0 && now & ADDR_NO_RANDOMIZE;
}

/* Prints a count and its noun. */
static void print_level(const struct page *p, const char *before, uint64_t n, const char *noun)
{
    const uint64_t few = 100; /* below this the count is nearly always exact; above, it is an estimate */
    char digits[SONDE_GROUPED];
    fprintf(p->out, "%s%s%s %s%s", before, n < few ? "" : "about ", sonde_grouped(n, digits), noun, n > 1 ? "s" : "");
}

/* Prints how many shapes, skeletons and traces the different inputs have. */
static void print_levels(const struct page *p, const struct sonde_stats *s)
{
    if (!s->shapes) return;
    fprintf(p->out, "%*s", BODY, "");
    print_level(p, "of ", s->shapes, "shape");
    print_level(p, " and ", s->skeletons, "skeleton");
    if (s->traces) print_level(p, ", with ", s->traces, "trace");
    fputc('\n', p->out);
}

/* Prints the numbers of --stats. Lines about instrumented code are printed only if there is any. */
static void print_stats(const struct page *p)
{
    const struct sonde_stats *s = &p->report->stats;
    char a[SONDE_GROUPED], b[SONDE_GROUPED];
    print_heading(p, "Numbers:");
    const char *about = s->unique_estimated ? "about " : "";
    fprintf(p->out, "%*s%s%s different valid inputs, %s%s repeated\n", BODY, "", about,
            sonde_grouped(s->unique_valid, a), about, sonde_grouped(s->repeats, b));
    print_levels(p, s);
    fprintf(p->out, "%*s%s choices", BODY, "", sonde_grouped(s->choices, a));
    if (s->tests) fprintf(p->out, ", %.1f per case", (double)s->choices / (double)s->tests);
    if (s->seconds > 0) {
        fprintf(p->out, "; %s cases per second", sonde_grouped((uint64_t)((double)s->tests / s->seconds), b));
    }
    fprintf(p->out, "; %s of processor time\n", sonde_duration(s->cpu_s, a));
    if (s->edges)
        fprintf(p->out, "%*s%s edges of instrumented code reached, %s of them by valid inputs\n", BODY, "",
                sonde_grouped(s->edges, a), sonde_grouped(s->valid_edges, b));
    if (s->unstable)
        fprintf(
            p->out,
            "%*s%s counters and comparisons of instrumented code are unstable, that is, not the same when an input is "
            "run again;\n%*sthey do not guide the search. If the reason is addresses, a clock or random numbers,\n"
            "%*sruns of one seed may differ%s\n",
            BODY, "", sonde_grouped(s->unstable, a), BODY, "", BODY, "",
            addresses_are_fixed() ? "" : "; --no-aslr makes addresses the same");
    if (s->imported)
        fprintf(p->out, "%*s%s cases taken over from other jobs\n", BODY, "", sonde_grouped(s->imported, a));
    if (p->report->ignores_leaks)
        fprintf(p->out, "%*sleaks were not looked for: that needs LeakSanitizer or valgrind's memcheck\n", BODY, "");
    print_guide(p, false);
}

/* ---- The whole page --------------------------------------------------------------------------------------------*/

/* Returns the length of a prefix of at most max_lines lines and max_bytes bytes. It ends with a line end, unless
 * the first line alone is too long. */
static size_t length_of_first(const char *text, size_t max_lines, size_t max_bytes)
{
    size_t n = 0, whole = 0;
    for (; text[n] && n < max_bytes && max_lines; n++) {
        if (text[n] != '\n') continue;
        whole = n + 1;
        max_lines--;
    }
    return text[n] && whole ? whole : n;
}

/* Prints the output of the failing case, or the first part of it. */
static void print_output(const struct page *p, const struct sonde_failure *f, const char *output)
{
    char digits[SONDE_GROUPED];
    size_t all = strlen(output);
    size_t n = p->style->all ? all : length_of_first(output, OUTPUT_LINES, OUTPUT_BYTES);
    uint64_t rest = all - n + f->output_left_out;
    char *text = sonde_strdup(output);
    text[n] = '\0';
    print_block(p, text);
    sonde_free(text);
    if (rest)
        fprintf(p->out, "%*s... and %s more bytes; %s--isolate=none with --replay prints all of it\n", BODY, "",
                sonde_grouped(rest, digits), n < all ? "--verbose prints 64 kB, " : "");
}

/* Prints notes of the property and the output of the case. Notes come first: they were written for this report. */
static void print_notes_and_output(const struct page *p, const struct sonde_failure *f)
{
    if (f->notes && *f->notes) {
        print_heading(p, "Notes:");
        print_block(p, f->notes);
    }
    if (f->output && *f->output) {
        /* A sanitizer's report consists mostly of addresses; --verbose shows all of it. */
        char *short_text = p->style->all ? NULL : sonde_trim_tools(f->output);
        print_heading(p, "It printed:");
        print_output(p, f, short_text ? short_text : f->output);
        sonde_free(short_text);
    }
}

static void print_explanation(const struct page *p, const struct sonde_failure *f)
{
    const struct sonde_explanation *x = f->explanation;
    char heading[160];
    snprintf(heading, sizeof heading,
             "How it differs from %" PRIu32 " similar input%s that pass (%" PRIu32 " fail):", x->n_passing,
             sonde_plural(x->n_passing), x->n_failing);
    print_heading(p, heading);
    sonde_explanation_lines(p->out, x, BODY);
    print_heading(p, "Other values, each tried alone:");
    sonde_explanation_values(p->out, f, p->report->names, BODY);
}

/* Prints one line for a failure that was printed in full when it was found. */
static void print_shown_above(const struct page *p, size_t i)
{
    const struct sonde_failure *f = &p->report->failures[i];
    char hits[SONDE_GROUPED];
    fprintf(p->out, "%s%*s%sFailure %zu of %zu%s, shown above: ", i ? "" : "\n", SECTION, "", paint(p->style, BAD),
            i + 1, p->report->n_failures, paint(p->style, PLAIN));
    sonde_write_line(p->out, f->message);
    if (f->hits > 1) fprintf(p->out, " (%s cases failed this way)", sonde_grouped(f->hits, hits));
    fputc('\n', p->out);
}

/* Prints what to try for a flaky failure, a line each. */
static void print_flaky_advice(const struct page *p, const char *lines)
{
    fprintf(p->out, "\n%*sWhat to try, the likeliest first:\n", SECTION, "");
    for (size_t n; *lines; lines += n + (lines[n] == '\n')) {
        n = strcspn(lines, "\n");
        fprintf(p->out, "%*s%.*s\n", BODY, "", (int)n, lines);
    }
}

/* Prints a failure. Its replay command is printed last on the page, where it is easy to find. If there are several
 * failures, each one has its command. */
static void print_failure(const struct page *p, size_t i)
{
    const struct sonde_failure *f = &p->report->failures[i];
    if (i < p->n_shown) {
        print_shown_above(p, i);
        return;
    }
    if (p->report->n_failures > 1) {
        fprintf(p->out, "\n%*s%sFailure %zu of %zu%s\n", SECTION, "", paint(p->style, BAD), i + 1,
                p->report->n_failures, paint(p->style, PLAIN));
    }
    print_claim(p, f);
    print_values(p, f);
    print_notes_and_output(p, f);
    if (f->earlier) {
        fprintf(p->out,
                "\n%*sIt fails only after %u earlier case%s in the same process, which the replay command runs first: "
                "the\n%*scode under test keeps state from one case to the next.\n",
                SECTION, "", f->earlier, sonde_plural(f->earlier), SECTION, "");
    }
    if (f->state) {
        print_heading(p, "State:");
        print_block(p, f->state);
    }
    if (f->against) {
        fprintf(p->out, "\n%*sThe same input with ", SECTION, "");
        sonde_write_line(p->out, f->against);
        fputc('\n', p->out);
    }
    if (f->observed && p->report->against.program) {
        fprintf(p->out, "\n%*sIf this is intended, add this line to the file of --accept:\n%*s", SECTION, "", BODY, "");
        sonde_write_line(p->out, p->report->property);
        fputc(' ', p->out);
        sonde_write_line(p->out, f->observed);
        fputc('\n', p->out);
    }
    if (f->explanation) print_explanation(p, f);
    if (f->flaky) {
        fprintf(p->out, "\n%*sThis input does not fail every time it is run", SECTION, "");
        if (f->differed) fprintf(p->out, ":\n%*s%s", SECTION, "", f->differed);
        fputs(".\n", p->out);
        if (f->advice) print_flaky_advice(p, f->advice);
    }
    print_history(p, f);
    print_in_base(p, f);
    if (p->report->n_failures > 1) print_replay(p, f);
}

/* Prints how many stored failures and regressions this build cannot judge. */
static void print_unjudged(const struct page *p)
{
    char line[2048];
    for (int part = 0; part < 2; part++) {
        if (!sonde_report_unjudged(p->report, part, line, sizeof line)) continue;
        fprintf(p->out, "%*s", SECTION, "");
        sonde_write_plain(p->out, line, strlen(line), SECTION);
        fputs(".\n", p->out);
    }
}

/* Prints how much was compared with the program of --against. */
static void print_compared(const struct page *p)
{
    const struct sonde_against_report *a = &p->report->against;
    char n[SONDE_GROUPED], values[SONDE_GROUPED];
    if (!a->program) return;
    fprintf(p->out, "%*sCompared with ", SECTION, "");
    sonde_write_line(p->out, a->program);
    fprintf(p->out, ": %s case%s, %s observed value%s.\n", sonde_grouped(a->compared, n), sonde_plural(a->compared),
            sonde_grouped(a->values, values), sonde_plural(a->values));
}

/* Prints messages about the store, the guide and the machine. They come right after the headline, because they
 * qualify it. */
static void print_messages(const struct page *p)
{
    const struct sonde_report *r = p->report;
    if (r->message && r->outcome != SONDE_OUTCOME_ERROR && r->outcome != SONDE_OUTCOME_GAVE_UP) {
        fprintf(p->out, "%*s", SECTION, "");
        sonde_write_plain(p->out, r->message, strlen(r->message), SECTION);
        fputc('\n', p->out);
    }
    if (r->n_fixed) {
        fprintf(p->out, "%*s%zu stored failure%s no longer fail%s and %s moved to the directory fixed.\n", SECTION, "",
                r->n_fixed, sonde_plural(r->n_fixed), r->n_fixed == 1 ? "s" : "", r->n_fixed == 1 ? "was" : "were");
    }
    if (r->n_stale) {
        fprintf(p->out, "%*s%zu stored failure%s no longer give%s the values %s and %s kept: ", SECTION, "", r->n_stale,
                sonde_plural(r->n_stale), r->n_stale == 1 ? "s" : "", r->n_stale == 1 ? "it names" : "they name",
                r->n_stale == 1 ? "is" : "are");
        sonde_write_plain(p->out, r->stale, strlen(r->stale), SECTION);
        fputs(r->n_stale == 1 ? ".\n" : ", and so on.\n", p->out);
    }
    print_unjudged(p);
    print_compared(p);
    if (r->n_unreplayed) {
        fprintf(p->out, "%*s%zu stored failure%s %s not replayed: there was no time left for %s.\n", SECTION, "",
                r->n_unreplayed, sonde_plural(r->n_unreplayed), r->n_unreplayed == 1 ? "was" : "were",
                r->n_unreplayed == 1 ? "it" : "them");
    }
    for (const char *line = r->unseen; line && *line;) {
        size_t n = strcspn(line, "\n");
        fprintf(p->out, "%*sNot seen: ", SECTION, "");
        sonde_write_plain(p->out, line, n, SECTION);
        fputs(".\n", p->out);
        line += n + (line[n] == '\n');
    }
    if (r->threads && !strcmp(r->threads, "os"))
        fprintf(p->out, "%*sThreads: of the operating system, one at a time (--threads=os).\n", SECTION, "");
    for (size_t i = 0; i < r->n_warnings; i++) {
        fprintf(p->out, "%*s%sWarning:%s ", SECTION, "", paint(p->style, ODD), paint(p->style, PLAIN));
        sonde_write_plain(p->out, r->warnings[i].text, strlen(r->warnings[i].text), SECTION);
        fputc('\n', p->out);
    }
}

/* Prints whether inputs reached the code of --goal. */
static void print_arrival(const struct page *p)
{
    const struct sonde_arrival *a = &p->report->arrival;
    char valid[SONDE_GROUPED], test[SONDE_GROUPED], failed[SONDE_GROUPED], discarded[SONDE_GROUPED];
    fputs("\n  Goal ", p->out);
    sonde_write_line(p->out, a->goal);
    if (a->valid)
        fprintf(p->out, ": reached by %s valid input%s, first in case %s", sonde_grouped(a->valid, valid),
                a->valid == 1 ? "" : "s", sonde_grouped(a->test, test));
    else fputs(": not reached by a valid input", p->out);
    if (a->failed || a->discarded)
        fprintf(p->out, " (and by %s that failed, %s discarded)", sonde_grouped(a->failed, failed),
                sonde_grouped(a->discarded, discarded));
    if (a->token[0]) {
        fprintf(p->out, "\n%*s", BODY, "");
        sonde_write_line(p->out, a->token);
    }
    fputc('\n', p->out);
}

/* Prints a report, the most wanted parts first: verdict, failures, replay command, then tables. */
static void print_page(const struct page *p)
{
    const struct sonde_report *r = p->report;
    /* With --quiet, a property that passes prints nothing, unless there is a warning. */
    bool holds = sonde_report_holds(r);
    bool is_odd = r->n_warnings || r->n_stale || r->n_unreplayed || r->n_unjudged || r->n_unjudged_regressions;
    if (holds && p->style->quiet && !is_odd) return;
    print_headline(p);
    print_messages(p);
    for (size_t i = 0; i < r->n_failures; i++) print_failure(p, i);
    if (r->replayed) {
        print_values(p, r->replayed);
        print_notes_and_output(p, r->replayed);
    }
    /* Blank lines are printed before a part that needs one, never after it, so there are never two in a row. */
    if (r->n_failures > 1) fputc('\n', p->out);
    /* If the property passes, the headline has the counts already. */
    bool has_counts = r->outcome == SONDE_OUTCOME_GAVE_UP || (r->n_failures && !is_misuse(&r->failures[0]));
    if (has_counts && !p->style->replay) {
        print_counts(p);
        print_stop(p);
    }
    /* If most inputs are discarded, print by which assumes, even if enough were valid. */
    bool is_lossy = r->stats.discarded > 9 * r->stats.valid;
    if (!holds || is_lossy || p->style->stats) print_assumes(p);
    print_giving_up(p);
    if (!p->style->replay) print_labels(p);
    if (!p->style->replay) print_targets(p);
    if (r->n_failures == 1 && !p->n_shown) print_replay(p, &r->failures[0]);
    if (p->style->stats && holds) {
        fputc('\n', p->out);
        print_counts(p);
    }
    if (p->style->stats) print_stats(p);
    if (p->style->stats && r->store && *r->store) {
        fprintf(p->out, "%*sStore: ", BODY, "");
        sonde_write_line(p->out, r->store);
        fputc('\n', p->out);
    }
    if (p->style->explain && r->searcher && r->searcher->ops->explain) print_guide(p, true);
    if (r->arrival.goal && !p->style->replay) print_arrival(p);
    if (r->blockers) {
        fputs("\n  Branches that valid cases reach and never take:\n", p->out);
        sonde_blockers_print(p->out, r, BODY);
    }
    /* A page of several lines ends with an empty one, which separates it from the next property. */
    bool has_tables =
        r->n_labels || r->n_targets || p->style->stats || p->style->explain || r->blockers || r->arrival.goal;
    bool is_one_line = r->outcome == SONDE_OUTCOME_INTERRUPTED || r->outcome == SONDE_OUTCOME_NOT_RUN;
    if ((!holds && !is_one_line) || is_lossy || (has_tables && !p->style->replay)) fputc('\n', p->out);
}

void sonde_terminal_print(FILE *out, const struct sonde_terminal_style *style, const struct sonde_report *report)
{
    print_page(&(struct page){.out = out, .style = style, .report = report});
}

void sonde_terminal_xml(FILE *out, const struct sonde_report *report)
{
    struct sonde_buffer page;
    sonde_terminal_print(sonde_buffer_open(&page), &(struct sonde_terminal_style){.several = true}, report);
    sonde_buffer_close(&page);
    sonde_write_xml(out, page.text, page.n);
    sonde_buffer_clear(&page);
}

/* ---- The reporter ----------------------------------------------------------------------------------------------*/

/* The reporter, with its state between events. */
struct terminal {
    struct sonde_reporter base;
    FILE *out;
    struct sonde_terminal_style style;
    uint64_t tests_wanted;
    double last_seconds; /* when the live line was last written, on the property's clock */
    uint64_t last_cases; /* without a live line: number of cases at the last event, and when it last changed */
    double since;
    bool has_told_wait; /* tell_wait has printed its line for this property */
    bool has_live_line;
    struct sonde_screen screen;
    size_t n_settled; /* number of failures of this property printed during its search; the page only refers to them */
    size_t n_outcomes[SONDE_OUTCOME_NOT_RUN + 1]; /* number of properties with each outcome, for the last line */
    size_t n_skipped;                             /* number of properties that were not searched (--since) */
    size_t n_excused;  /* number of falsified properties whose failures are all known in the base (--only-new) */
    bool is_unwatched; /* a property passed, and no tool checked its memory accesses */
    uint64_t seed;     /* seed of the last property */
    char uninstrumented[340], unsanitized[340]; /* functions that the first such property calls; "": none */
};

/* Erases the live line or screen, if there is one, before anything else is printed. */
static void erase_live_line(struct terminal *t)
{
    sonde_screen_erase(&t->screen);
    if (t->has_live_line) fputs("\r\033[K", t->out);
    t->has_live_line = false;
}

/* Returns the size of the window; 80 by 24 if it is not known. */
static struct winsize window_of(const struct terminal *t)
{
    struct winsize window = {.ws_col = 0};
    /* Query it each time: the window may have been resized. */
    if (ioctl(fileno(t->out), TIOCGWINSZ, &window) != 0 || window.ws_col < 2) window = (struct winsize){.ws_col = 80};
    if (window.ws_row == 0) window.ws_row = 24;
    return window;
}

/* Replaces the live line by a string, cut to the width of the window. */
static void write_live_line(struct terminal *t, const char *property, const char *text)
{
    struct sonde_buffer line;
    size_t width = window_of(t).ws_col - 1U;
    if (!t->style.progress) return;
    fputs("...  ", sonde_buffer_open(&line));
    sonde_write_line(line.out, property ? property : "property");
    fprintf(line.out, ": %s", text);
    sonde_buffer_close(&line);
    if (line.n < width) width = line.n;
    while (width && ((unsigned char)line.text[width] & 0xc0) == 0x80) width--; /* do not cut within a character */
    erase_live_line(t);
    fprintf(t->out, "%s%.*s%s", paint(&t->style, FAINT), (int)width, line.text, paint(&t->style, PLAIN));
    fflush(t->out);
    t->has_live_line = true;
    sonde_buffer_clear(&line);
}

/* Draws the screen of --ui. Returns false if it is not asked for, or if the window is too small. */
static bool show_screen(struct terminal *t, const struct sonde_event *event)
{
    if (!t->style.ui || !event->outlook) return false;
    struct winsize window = window_of(t);
    if (t->has_live_line) erase_live_line(t);
    if (!sonde_screen_draw(&t->screen, event, window.ws_col, window.ws_row)) {
        sonde_screen_erase(&t->screen);
        return false;
    }
    t->last_seconds = event->stats->seconds;
    return true;
}

/* Prints a line once if a case runs for two seconds and there is no live line that would show the wait. */
static void tell_wait(struct terminal *t, const struct sonde_event *event)
{
    const double long_wait = 2;
    const struct sonde_stats *s = event->stats;
    uint64_t cases = s->tests + s->rerun;
    bool is_new = cases != t->last_cases || s->seconds < t->since;
    if (is_new) t->last_cases = cases, t->since = s->seconds;
    if (is_new || t->has_told_wait || t->style.quiet || s->seconds - t->since < long_wait) return;
    t->has_told_wait = true;
    fputs("...  ", t->out);
    sonde_write_line(t->out, event->property ? event->property : "property");
    fprintf(t->out, ": case %" PRIu64 " has been running for %.0f s; --timeout and --wall-timeout limit it\n",
            cases + 1, long_wait);
    fflush(t->out);
}

/* Updates the live line or screen. The rate is limited by the property's clock, not by the time of day. */
static void show_progress(struct terminal *t, const struct sonde_event *event)
{
    const struct sonde_stats *s = event->stats;
    char valid[SONDE_GROUPED], wanted[SONDE_GROUPED], rate[SONDE_GROUPED], fresh[SONDE_GROUPED], text[256];
    /* Ten updates a second are enough for the eye. */
    if (s && !t->style.progress) tell_wait(t, event);
    if (!s || !t->style.progress || s->seconds - t->last_seconds < 0.1) return;
    if (show_screen(t, event)) return;
    /* The speed counts all cases, not only valid ones: it shows how fast the machine works. */
    double speed = s->seconds > 0 ? (double)s->tests / s->seconds : 0;
    t->last_seconds = s->seconds;
    int n = snprintf(text, sizeof text, "%s", sonde_grouped(s->valid, valid));
    if (t->tests_wanted) {
        n += snprintf(text + n, sizeof text - (size_t)n, " of %s", sonde_grouped(t->tests_wanted, wanted));
    }
    snprintf(text + n, sizeof text - (size_t)n, " valid cases (%.0f %% of all cases, %s%s different), %s cases/s",
             s->tests ? 100.0 * (double)s->valid / (double)s->tests : 0.0, s->unique_estimated ? "about " : "",
             sonde_grouped(s->unique_valid, fresh), sonde_grouped((uint64_t)speed, rate));
    write_live_line(t, event->property, text);
}

/* Updates the live line while a failure is shrunk. There is no limit of the rate: events come only when a smaller
 * input was found, which is rare. */
static void show_shrinking(struct terminal *t, const struct sonde_event *event)
{
    char calls[SONDE_GROUPED], size[SONDE_GROUPED], text[160];
    sonde_grouped(event->size, size);
    sonde_grouped(event->shrink_calls, calls);
    if (event->kind == SONDE_EVENT_FOUND) snprintf(text, sizeof text, "falsified; shrinking %s choices", size);
    else snprintf(text, sizeof text, "shrinking: %s choices left after %s calls", size, calls);
    write_live_line(t, event->property, text);
}

/* Prints a line for a new failure at once, with --verbose. The report comes only when all failures are found and
 * shrunk. */
static void print_found(struct terminal *t, const struct sonde_report *r)
{
    const struct sonde_failure *f = r->failures;
    erase_live_line(t);
    fprintf(t->out, "%s: case %" PRIu64 ": %s: ", r->property, f->tests_to_failure, f->kind);
    sonde_write_line(t->out, f->message);
    if (f->path) {
        fputs("; kept in ", t->out);
        sonde_write_line(t->out, f->path);
    }
    fputc('\n', t->out);
    fflush(t->out);
}

/* Prints a failure in full during the search. */
static void print_settled(struct terminal *t, const struct sonde_report *r)
{
    struct page p = {t->out, &t->style, r, t->tests_wanted, 0};
    erase_live_line(t);
    print_headline(&p);
    print_failure(&p, 0);
    print_replay(&p, &r->failures[0]);
    fputc('\n', t->out);
    fflush(t->out);
    t->n_settled++;
}

/* Prints "3 properties: 2 hold, 1 falsified." Flaky counts as falsified, as in the exit status. */
static void print_total(struct terminal *t, const struct sonde_event *event)
{
    size_t good = t->n_outcomes[SONDE_OUTCOME_PASSED] + t->n_outcomes[SONDE_OUTCOME_EXHAUSTED];
    size_t hold = good - t->n_skipped;
    size_t gave_up = t->n_outcomes[SONDE_OUTCOME_GAVE_UP], errors = t->n_outcomes[SONDE_OUTCOME_ERROR];
    size_t falsified = t->n_outcomes[SONDE_OUTCOME_FALSIFIED] + t->n_outcomes[SONDE_OUTCOME_FLAKY];
    size_t interrupted = t->n_outcomes[SONDE_OUTCOME_INTERRUPTED], not_run = t->n_outcomes[SONDE_OUTCOME_NOT_RUN];
    if (event->n_properties < 2 || (t->style.quiet && good == event->n_properties)) return;
    fprintf(t->out, "%zu properties: %zu hold%s", event->n_properties, hold, hold == 1 ? "s" : "");
    if (falsified > t->n_excused) fprintf(t->out, ", %zu falsified", falsified - t->n_excused);
    if (t->n_excused) fprintf(t->out, ", %zu known in the base", t->n_excused);
    if (t->n_skipped) fprintf(t->out, ", %zu not searched", t->n_skipped);
    if (gave_up) fprintf(t->out, ", %zu gave up", gave_up);
    if (errors) fprintf(t->out, ", %zu error%s", errors, sonde_plural(errors));
    if (interrupted) fprintf(t->out, ", %zu interrupted", interrupted);
    if (not_run) fprintf(t->out, ", %zu not run", not_run);
    fputs(".\n", t->out);
}

/* Remembers, for the end of the run, which errors went undetected in a property that holds. */
static void note_unwatched(struct terminal *t, const struct sonde_report *r)
{
    if (!sonde_report_holds(r)) return;
    t->is_unwatched |= r->ignores_leaks && r->ignores_memory;
    if (r->uninstrumented && !*t->uninstrumented)
        snprintf(t->uninstrumented, sizeof t->uninstrumented, "%s", r->uninstrumented);
    if (r->unsanitized && !*t->unsanitized) snprintf(t->unsanitized, sizeof t->unsanitized, "%s", r->unsanitized);
}

/* Prints the seed of a run in which something passed, and what this build cannot detect. A failure has its seed. */
static void print_hints(struct terminal *t)
{
    if (!t->style.hints || t->style.quiet || t->style.replay) return;
    if (t->n_outcomes[SONDE_OUTCOME_PASSED]) fprintf(t->out, "Seed %" PRIu64 ".\n", t->seed);
    if (t->is_unwatched)
        fputs("Not looked for in this build: leaks, accesses out of bounds, use after free "
              "(build with sonde cc --sanitize; run with --guard for libraries built without).\n",
              t->out);
    if (*t->uninstrumented) fprintf(t->out, "Not seen by the search: %s (compile with sonde cc).\n", t->uninstrumented);
    if (*t->unsanitized)
        fprintf(t->out,
                "Not looked for in %s: accesses out of bounds, use after free "
                "(compile with sonde cc --sanitize; --guard checks drawn bytes).\n",
                t->unsanitized);
}

/* Prints which changed lines were reached: "Changed lines: 37; reached by valid inputs 31, only by invalid ones 4,
 * never: codec.c:91-92". */
static void print_changed(struct terminal *t, const struct sonde_changed *c)
{
    char text[2048];
    sonde_report_changed(c, text, sizeof text);
    sonde_write_plain(t->out, text, strlen(text), 0);
    fputc('\n', t->out);
}

static void terminal_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct terminal *t = (struct terminal *)reporter;
    switch (event->kind) {
    case SONDE_EVENT_BEGIN: break;
    /* Reset everything that belongs to the property before. */
    case SONDE_EVENT_PROPERTY_BEGIN:
        t->tests_wanted = event->tests_wanted;
        t->last_seconds = t->since = 0;
        t->last_cases = 0;
        t->has_told_wait = false;
        t->n_settled = 0;
        sonde_screen_begin(&t->screen);
        break;
    case SONDE_EVENT_PROGRESS: show_progress(t, event); break;
    case SONDE_EVENT_FOUND:
        sonde_screen_found(&t->screen, event->report->failures[0].message);
        if (t->style.all) print_found(t, event->report);
        show_shrinking(t, event);
        break;
    case SONDE_EVENT_SHRINKING: show_shrinking(t, event); break;
    case SONDE_EVENT_SETTLED: print_settled(t, event->report); break;
    case SONDE_EVENT_PROPERTY_END:
        erase_live_line(t);
        t->n_outcomes[event->report->outcome]++;
        t->n_excused += event->report->is_excused;
        t->n_skipped += sonde_report_is_skipped(event->report);
        t->seed = event->report->seed;
        note_unwatched(t, event->report);
        print_page(&(struct page){t->out, &t->style, event->report, t->tests_wanted, t->n_settled});
        fflush(t->out);
        break;
    case SONDE_EVENT_END:
        erase_live_line(t);
        print_total(t, event);
        if (event->changed) print_changed(t, event->changed);
        print_hints(t);
        fflush(t->out);
        break;
    }
}

struct sonde_reporter *sonde_terminal_create(FILE *out, const struct sonde_terminal_style *style)
{
    struct terminal *t = sonde_reporter_new(sizeof *t, terminal_event);
    t->out = out;
    t->style = *style;
    sonde_screen_init(&t->screen, out, style->utf8);
    return &t->base;
}
