/* Runs what comes before the search: the token of --replay; without one, the property's examples, the regression tapes,
 * and the failures in the store. A token may hold several tapes, separated by ;, to be run in a row in one process.
 *
 * A stored input is useful only as long as it leads to the input that it names. After each run the script is compared
 * with what was drawn (tape/fit.h). An input in a source file or a directory of regressions must fit exactly, or the
 * run is an error. The store is lenient, and reports what no longer fits.
 *
 * Order (replay): examples, regressions, stored failures. A complaint about the first two ends the phase, since the
 * user has to act. Runs in the supervisor; single.c runs the cases. */
#include "engine/phases/phases.h"

#include "base/die.h"
#include "base/mem.h"
#include "engine/phases/inputs.h"
#include "engine/phases/judged.h"
#include "engine/phases/sequence.h"
#include "exec/interrupt.h"
#include "program/sanitizer.h"
#include "tape/fit.h"
#include "tape/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { REASON_ROOM = 600, SHOWN_TOKEN = 200, ID_ROOM = sizeof "0123456789abcdef" };

/* ---- The tapes of one token: one, or several separated by ;, to be run in a row in one process */

/* maximum number of tapes of a token: as many as a stored failure can have */
enum { SCRIPTS_MAX = SONDE_RUNNER_SCRIPTS };

/* The tapes of a token. pointers[i] is &all[i], because runners take an array of pointers. n is reduced if a tape
 * fails and the rest is not run. */
struct scripts {
    struct sonde_tape all[SCRIPTS_MAX];
    const struct sonde_tape *pointers[SCRIPTS_MAX];
    uint32_t n;
    const char *noun; /* what messages call the source of the tapes: a token or a tape */
};

static void free_scripts(struct scripts *scripts)
{
    for (uint32_t i = 0; i < SCRIPTS_MAX; i++) sonde_tape_clear(&scripts->all[i]);
    sonde_free(scripts);
}

/* Adds the n bytes at `part` of a token. The script is counted before it is read, so that free_scripts frees it in any
 * case. */
static bool read_script(struct sonde_labels *labels, struct scripts *scripts, const char *part, size_t n,
                        struct sonde_text_error *error)
{
    size_t skipped = strspn(part, " ");
    if (skipped > n) skipped = n;
    *error = (struct sonde_text_error){.reason = "there are too many tapes"};
    if (scripts->n == SCRIPTS_MAX) return false;
    struct sonde_tape *script = scripts->all + scripts->n;
    scripts->pointers[scripts->n++] = script;
    if (sonde_tape_from_text(script, labels, part + skipped, n - skipped, error) == 0) return true;
    error->at += skipped;
    return false;
}

/* Returns the tapes of a token, to be freed by free_scripts; NULL if it cannot be read. *error then has the reason,
 * and the position of the error in the token. */
static struct scripts *read_scripts(struct sonde_labels *labels, const char *token, struct sonde_text_error *error)
{
    struct scripts *scripts = sonde_calloc(1, sizeof *scripts);
    bool has_several = strchr(token, ';') != NULL;
    const char *part = token;
    scripts->noun = "token";
    for (;; part++) {
        size_t n = strcspn(part, ";");
        /* An empty token is a tape without choices; an empty part among several is an error. */
        bool is_empty = has_several && strspn(part, " ") >= n;
        if (!read_script(labels, scripts, part, n, error)) break;
        if (is_empty) *error = (struct sonde_text_error){.reason = "a tape is missing before or after a ;"};
        if (is_empty) break;
        part += n;
        if (!*part) return scripts;
    }
    error->at += (size_t)(part - token);
    free_scripts(scripts);
    return NULL;
}

/* Leaves the draws after the last choice of each tape open if the tapes show a failure of that kind (NULL: not a
 * failure). A failing case ends where it fails; files of earlier versions have no ? at their end. */
static void free_ends(struct scripts *scripts, const char *kind)
{
    /* With these kinds the property returned, so its tape is complete and nothing is left open. */
    bool has_returned = !kind || !strcmp(kind, "expect") || !strcmp(kind, "leak") || !strcmp(kind, "undefined");
    for (uint32_t i = 0; i < scripts->n && !has_returned; i++) scripts->all[i].spans[0].flags |= SONDE_SPAN_FREE;
}

/* ---- Did a tape lead to the input that it names? */

/* Returns the tape that the i-th tape of a token led to; NULL if it is no longer known. */
static struct sonde_tape *ran_by(struct sonde_engine *e, const struct scripts *scripts, uint32_t i)
{
    uint32_t back = scripts->n - 1 - i;
    return back ? sonde_single_ran(e->single, back) : &e->search->t->tape;
}

/* Returns how well the run of a token fits its tapes. The first tape that did not fit is described. */
static struct sonde_fit judge(struct sonde_engine *e, const struct scripts *scripts)
{
    struct sonde_fit fit = {0};
    for (uint32_t i = 0; i < scripts->n && sonde_fit_is_whole(&fit); i++) {
        const struct sonde_tape *ran = ran_by(e, scripts, i);
        if (ran) sonde_fit_judge(&fit, &scripts->all[i], ran, e->search->t->labels, scripts->noun);
    }
    return fit;
}

/* Writes why the last case says nothing about the property; "" if the case is meaningful. */
static void describe_void(const sonde *t, char *out, size_t size)
{
    const struct sonde_rejection *r = &t->rejection;
    snprintf(out, size, "%s", "");
    if (t->verdict == SONDE_OVERRUN)
        snprintf(out, size, "it was too large: it needs more %s than a case may use", t->overrun);
    if (t->verdict != SONDE_DISCARDED) return;
    int n = snprintf(out, size, "it was discarded: the precondition %.200s", r->condition);
    if (r->file) n += snprintf(out + n, size - (size_t)n, ", at %.200s:%d,", r->file, r->line);
    snprintf(out + n, size - (size_t)n, " does not hold");
}

/* Records an error about a given input that is unreadable, invalid or does not fit. The first error is described in
 * full, the others are counted. */
SONDE_PRINTF(2, 3) static void complain(struct sonde_engine *e, const char *format, ...)
{
    va_list args;
    e->n_complaints++;
    if (e->message[0]) return;
    va_start(args, format);
    vsnprintf(e->message, sizeof e->message, format, args);
    va_end(args);
}

static const char *advice_for(const struct sonde_fit *fit, bool is_regression)
{
    if (!sonde_fit_is_followed(fit)) return "Record it again, or change it to what the property draws now";
    if (is_regression) return "Run with --refresh to add the missing draws to the file";
    return "Add the missing draws, or write ? for them: x=? for one draw, and a ? at the end for all that follow";
}

/* Requires that the run of an input draws exactly the values it names; for inputs in a source file or a directory of
 * regressions. */
static void demand(struct sonde_engine *e, const struct scripts *scripts, const char *what, bool is_regression)
{
    char reason[REASON_ROOM];
    struct sonde_fit fit = judge(e, scripts);
    if (!sonde_fit_is_whole(&fit)) {
        complain(e, "%.300s does not produce the values it names: %s. %s", what, fit.text,
                 advice_for(&fit, is_regression));
        return;
    }
    if (e->options.replay) return; /* an input that is not valid has a separate exit status */
    describe_void(e->search->t, reason, sizeof reason);
    if (reason[0]) complain(e, "%.300s tests nothing: %s. Correct it, or remove it", what, reason);
}

/* ---- Tokens that were given */

static bool read_given_token(struct sonde_engine *e, const char *token, const char *what, struct scripts **scripts)
{
    struct sonde_text_error error;
    *scripts = read_scripts(&e->search->labels, token, &error);
    if (*scripts) return true;
    complain(e, "the %s cannot be read: %s (at character %zu). Paste it whole, in single quotes", what, error.reason,
             error.at + 1);
    return false;
}

/* Reads the token of a file. Its message names the file, so that the user knows what to correct. */
static struct scripts *read_file_token(struct sonde_engine *e, const char *path, const struct sonde_stored *found)
{
    struct sonde_text_error error;
    struct scripts *scripts = read_scripts(&e->search->labels, found->token, &error);
    if (scripts) {
        scripts->noun = "tape";
        free_ends(scripts, found->kind);
        return scripts;
    }
    complain(e, "the tape in %.300s cannot be read: %s (at character %zu). Correct it, or remove the file", path,
             error.reason, error.at + 1);
    return NULL;
}

/* Runs the tapes of a token in order until one fails; no tape may fail. Counts the last case that ran. `regression` is
 * the file that holds the token, or NULL. Valid tapes become leads of the search: there they are observed, and guides
 * learn from them. */
static void run_scripts(struct sonde_engine *e, struct scripts *scripts, const char *regression)
{
    struct sonde_runner *runner = &e->single->runner;
    runner->stops_at_failure = true;
    struct sonde_search *s = e->search;
    uint32_t n_before = s->n_found;
    bool leads = sonde_single_example(e->single, scripts->pointers, scripts->n, regression, !e->options.replay);
    runner->stops_at_failure = false;
    /* Tapes after a failing one were not run, and must not be judged. */
    scripts->n = runner->n_ran;
    /* the case remembers fewer tapes than that, so they are copied from the token */
    if (s->n_found > n_before && scripts->n > SONDE_CASE_RING)
        sonde_found_keep_earlier(s->found[n_before], scripts->all, scripts->n - 1);
    /* Leads are counted later, although they come before this case. */
    if (s->n_found > n_before) s->found[n_before]->test += e->legacy->n_counted;
    for (uint32_t i = 0; i < scripts->n && leads; i++) {
        struct sonde_tape *ran = ran_by(e, scripts, i);
        if (!ran) continue;
        sonde_tape_end(ran);
        bool is_last = i + 1 == scripts->n;
        sonde_engine_lead(e, ran, NULL)->is_counted = is_last;
        e->legacy->n_counted += is_last;
    }
}

/* Runs the token of --replay, and shows the run whatever its outcome. A token that leaves draws open causes a warning.
 * A token that names a value that was not drawn is an error: the run then shows another input. */
static void run_replay(struct sonde_engine *e, struct scripts *scripts)
{
    struct sonde_search *s = e->search;
    s->t->shows = true;
    run_scripts(e, scripts, NULL);
    s->t->shows = false;
    sonde_engine_show_replay(e);
    if (e->options.is_strict) {
        demand(e, scripts, "the token", false);
        return;
    }
    struct sonde_fit fit = judge(e, scripts);
    if (!sonde_fit_is_followed(&fit))
        complain(e, "this run did not draw the values of the %s: %s", scripts->noun, fit.text);
    else if (fit.n_missing)
        snprintf(s->warning, sizeof s->warning, "%.400s; the simplest value%s drawn", fit.text,
                 fit.n_missing > 1 ? "s were" : " was");
}

static void replay_token(struct sonde_engine *e, const char *token)
{
    struct scripts *scripts;
    if (!read_given_token(e, token, "replay token", &scripts)) return;
    run_replay(e, scripts);
    free_scripts(scripts);
}

/* Replays a tape file. A tape that names another property is an error: its values would mean nothing here. */
static void replay_stored(struct sonde_engine *e, const char *path, const struct sonde_stored *found)
{
    bool is_named = !e->options.is_strict; /* sonde_replay is called with a function and has no property name */
    if (is_named && found->property && strcmp(found->property, e->report.property) != 0) {
        complain(e,
                 "the tape in %.300s belongs to the property %.200s, not to %.200s; choose its property with --filter",
                 path, found->property, e->report.property);
        return;
    }
    struct scripts *scripts = read_file_token(e, path, found);
    if (!scripts) return;
    run_replay(e, scripts);
    free_scripts(scripts);
}

static void replay_file(struct sonde_engine *e, const char *path)
{
    struct sonde_stored found;
    const char *reason = NULL;
    int status = sonde_store_read_file(path, &found, &reason);
    if (status < 0) {
        complain(e, "the tape file '%.300s' cannot be read: %s%s", path, reason ? reason : strerror(-status),
                 status == -ENOENT ? ". Give a token like 's1:x=3', in single quotes, or the name of a file" : "");
        return;
    }
    replay_stored(e, path, &found);
    sonde_stored_clear(&found);
}

/* Runs an example of the source file, all of which must be readable and valid. */
static void run_example(struct sonde_engine *e, const char *token)
{
    struct scripts *scripts;
    char what[256];
    if (!read_given_token(e, token, "example", &scripts)) return;
    run_scripts(e, scripts, NULL);
    snprintf(what, sizeof what, strlen(token) > SHOWN_TOKEN ? "the example \"%.200s...\"" : "the example \"%s\"",
             token);
    demand(e, scripts, what, false);
    free_scripts(scripts);
}

/* ---- Files on disk */

/* Returns whether all tapes still lead to the values they name, but at least one lacks draws that the property has
 * now. */
static bool lacks_draws_only(struct sonde_engine *e, const struct scripts *scripts)
{
    bool lacks = false;
    for (uint32_t i = 0; i < scripts->n; i++) {
        const struct sonde_tape *ran = ran_by(e, scripts, i);
        struct sonde_fit fit = {0};
        if (ran) sonde_fit_judge(&fit, &scripts->all[i], ran, e->search->t->labels, scripts->noun);
        if (!ran || !sonde_fit_is_followed(&fit)) return false;
        lacks |= fit.n_missing > 0;
    }
    return lacks;
}

/* Returns the token of what the tapes led to; heap-allocated. */
static char *text_of_run(struct sonde_engine *e, const struct scripts *scripts)
{
    struct sonde_bytes all = {0};
    for (uint32_t i = 0; i < scripts->n; i++) {
        struct sonde_tape *ran = ran_by(e, scripts, i);
        sonde_tape_end(ran);
        char *text = sonde_tape_to_text(ran, &e->search->labels);
        if (i) sonde_bytes_add(&all, " ; ", 3);
        sonde_bytes_add(&all, text, strlen(text));
        sonde_free(text);
    }
    sonde_bytes_add(&all, "", 1);
    return (char *)all.data;
}

/* Rewrites a file (--refresh) whose tapes still lead to the values they name, but lack draws that the property has now.
 * Returns whether the file has such tapes. */
static bool refresh(struct sonde_engine *e, const struct scripts *scripts, const struct sonde_stored *found)
{
    bool is_wanted = e->options.refresh && e->search->t->verdict == SONDE_VALID;
    if (!is_wanted || !lacks_draws_only(e, scripts)) return false;
    char *token = text_of_run(e, scripts);
    int error = sonde_store_replace_token(found->path, found->named, token);
    if (error) complain(e, "%.300s cannot be rewritten: %s", found->path, strerror(-error));
    else {
        sonde_complain("%s: rewritten", found->path);
        /* The token is not in a buffer of fixed size, because tokens have any length. */
        fprintf(stderr, "- %s\n+ %s\n", found->token, token);
    }
    sonde_free(token);
    return true;
}

/* Runs a schedule near the schedule of a regression: this build fails with it. Records the failure as a failure of the
 * regression. */
static void run_near(struct sonde_engine *e, struct scripts *scripts, const char *path)
{
    struct sonde_tape *last = &scripts->all[scripts->n - 1];
    sonde_tape_end(&e->search->t->tape);
    sonde_tape_copy(last, &e->search->t->tape);
    run_scripts(e, scripts, path);
}

/* Judges a regression that passed. The file names the build that failed. A pass in a different build counts only if
 * that build could have shown the failure. */
static void judge_regression(struct sonde_engine *e, struct scripts *scripts, const struct sonde_stored *found)
{
    struct sonde_obstacle why;
    enum sonde_sight sight = sonde_engine_sight(e, found, &why);
    if (sight == SONDE_SIGHT_STEPS) {
        if (sonde_engine_search_near(e, scripts->pointers, scripts->n)) run_near(e, scripts, found->path);
        else sonde_engine_count_unjudged_regression(e, &why);
        return;
    }
    if (sight == SONDE_SIGHT_NONE) sonde_engine_count_unjudged_regression(e, &why);
    bool is_rewritten = refresh(e, scripts, found);
    if (!is_rewritten) demand(e, scripts, found->path, true);
    if (sight == SONDE_SIGHT_CLEAR && found->steps && sonde_engine_counts_steps(e))
        complain(e,
                 "%.300s no longer fails%s%.200s, although the steps of threads are the same as when it failed. Record "
                 "it again, or remove it",
                 found->path, found->place && *found->place ? " at " : "", found->place ? found->place : "");
}

/* Runs one regression. Returns false, which ends the iteration, only after an interrupt. */
static bool run_regression(void *context, const struct sonde_stored *found)
{
    struct sonde_engine *e = context;
    struct scripts *scripts = read_file_token(e, found->path, found);
    if (!scripts) return !sonde_interrupted();
    e->report.n_regressions++;
    run_scripts(e, scripts, found->path);
    if (e->search->t->verdict == SONDE_VALID) judge_regression(e, scripts, found);
    else demand(e, scripts, found->path, true);
    free_scripts(scripts);
    return !sonde_interrupted();
}

static void warn_unreadable(const struct sonde_stored *found, const struct sonde_text_error *error)
{
    sonde_warn("%s was not run and is left unchanged: %s (at character %zu of its tape)",
               found->path ? found->path : "?", error->reason, error->at + 1);
}

/* Returns whether the case shows the stored failure. Any hang counts as a stored hang, since the store has no call path
 * to compare. */
static bool is_same_failure(const sonde *t, const struct sonde_stored *found)
{
    char now[ID_ROOM];
    if (t->claim.kind == SONDE_CLAIM_HANG && found->kind && strcmp(found->kind, "hang") == 0) return true;
    snprintf(now, sizeof now, "%016" PRIx64, sonde_claim_identity(&t->claim));
    return sonde_store_is_id(found->id, now);
}

/* Keeps the tape that ran, not the one that was read: a token lacks the domains of its draws. */
static void remember(struct sonde_engine *e, const struct scripts *scripts)
{
    if (e->n_remembered == SONDE_FOUND_MAX) return;
    struct sonde_found *f = e->remembered[e->n_remembered++] = sonde_calloc(1, sizeof *f);
    sonde *t = e->search->t;
    f->identity = sonde_claim_identity(&t->claim);
    f->claim = t->claim;
    f->hits = 1;
    sonde_found_tape(&f->tape, t);
    f->size = sonde_tape_size(&f->tape);
    f->n_earlier = scripts->n - 1;
    f->earlier = sonde_calloc(f->n_earlier, sizeof *f->earlier);
    for (uint32_t i = 0; i < f->n_earlier; i++) {
        /* the tape that ran has domains, without which it could not be shrunk */
        struct sonde_tape *ran = sonde_single_ran(e->single, f->n_earlier - i);
        if (ran) sonde_tape_end(ran);
        sonde_tape_copy(&f->earlier[i], ran ? ran : &scripts->all[i]);
    }
}

/* Counts a failure that cannot be replayed as it was. Such a failure is neither shown nor fixed: it stays in the
 * store, and the report mentions it. */
static void keep_stale(struct sonde_engine *e, const struct sonde_stored *found, const char *reason)
{
    if (e->report.n_stale++ == 0)
        snprintf(e->stale, sizeof e->stale, "%.300s: %.700s", found->path ? found->path : found->id, reason);
    e->report.stale = e->stale;
}

/* Decides whether a stored failure that passed is fixed: only if this run could have shown it. */
static void judge_passed(struct sonde_engine *e, const struct scripts *scripts, const struct sonde_stored *found)
{
    char reason[REASON_ROOM];
    struct sonde_obstacle why;
    struct sonde_fit fit = judge(e, scripts);
    describe_void(e->search->t, reason, sizeof reason);
    enum sonde_sight sight = sonde_engine_sight(e, found, &why);
    if (sight == SONDE_SIGHT_STEPS && sonde_engine_search_near(e, scripts->pointers, scripts->n)) remember(e, scripts);
    else if (sight == SONDE_SIGHT_STEPS) sonde_engine_count_unjudged(e, &why);
    else if (reason[0]) keep_stale(e, found, reason);
    else if (!sonde_fit_is_whole(&fit)) keep_stale(e, found, fit.text);
    else if (sight != SONDE_SIGHT_CLEAR) sonde_engine_count_unjudged(e, &why);
    else if (found->steps && sonde_engine_counts_steps(e))
        keep_stale(e, found, "it no longer fails, although the steps of threads are the same as when it failed");
    else if (sonde_store_set_aside(e->store, e->report.property, found->id) == 0) e->report.n_fixed++;
}

/* Returns whether there is time for another stored failure. If the time is limited, stored failures get half of it, and
 * the search the other half. */
static bool has_time_for_stored(const struct sonde_engine *e)
{
    double seconds = e->options.seconds;
    return !sonde_interrupted() && !(seconds > 0 && sonde_clock_now() - e->search->started > seconds / 2);
}

/* Returns whether the file names another property, because a person may have put it there. */
static bool is_of_another_property(const struct sonde_engine *e, const struct sonde_stored *found)
{
    return found->property && strncmp(found->property, e->report.property, SONDE_STORE_TEXT_MAX) != 0;
}

/* Runs one stored failure. If it passes, it is fixed, and set aside. If it fails in another way, that is another
 * failure, and the stored one may still exist. Runs of stored failures do not count as cases, and no guide learns from
 * them. So a run with a given seed does not depend on the store. */
static bool run_stored_failure(void *context, const struct sonde_stored *found)
{
    struct sonde_engine *e = context;
    struct sonde_text_error error;
    if (!has_time_for_stored(e)) {
        e->report.n_unreplayed++;
        return true;
    }
    /* A shared directory may hold files of other programs; such a file is worth a message only in the program's own
     * directory. */
    if (is_of_another_property(e, found)) {
        if (!found->is_unclaimed) keep_stale(e, found, "it belongs to another property");
        return true;
    }
    struct scripts *scripts = read_scripts(&e->search->labels, found->token, &error);
    if (!scripts) {
        warn_unreadable(found, &error);
        e->report.n_unreadable++;
        return true;
    }
    const sonde *t = e->search->t;
    scripts->noun = "tape";
    free_ends(scripts, found->kind);
    sonde_single_fails(e->single, scripts->pointers, scripts->n, scripts->n > 1, 0);
    bool fails = t->verdict == SONDE_FAILED;
    if (fails) remember(e, scripts);
    if (fails && is_same_failure(t, found)) sonde_store_adopt(e->store, e->report.property, found);
    else if (found->is_unclaimed) (void)0; /* the file is probably from another program */
    else if (t->verdict == SONDE_MISUSE) keep_stale(e, found, "with its input the property misuses sonde");
    else if (!fails) judge_passed(e, scripts, found);
    free_scripts(scripts);
    return true;
}

static void run_regressions(struct sonde_engine *e)
{
    const char *directory = e->options.regressions;
    if (!directory) return;
    long n = sonde_store_each_regression(e->store, directory, e->report.property, run_regression, e);
    if (n < 0) complain(e, "the regressions in %s cannot be read: %s", directory, strerror((int)-n));
}

/* Adds to the message how many more inputs are wrong. */
static void finish_complaints(struct sonde_engine *e)
{
    size_t n = strlen(e->message);
    if (e->n_complaints < 2) return;
    snprintf(e->message + n, sizeof e->message - n, ". %u more input%s wrong", e->n_complaints - 1,
             e->n_complaints == 2 ? " is" : "s are");
}

static void replay(struct sonde_engine *e)
{
    const char *token = e->options.replay;
    if (token && token[0] == '@') replay_file(e, token + 1);
    else if (token) replay_token(e, token);
    if (token) return;
    for (const char *const *x = e->property->examples; x && *x; x++) run_example(e, *x);
    run_regressions(e);
    finish_complaints(e);
    if (e->n_complaints) return;
    /* Stored failures run last, and within half of the time limit: the user's inputs come first. */
    sonde_store_each_failure(e->store, e->report.property, run_stored_failure, e);
    e->report.n_unreadable += sonde_store_unreadable(e->store);
    sonde_store_sync(e->store, e->report.property);
}

/* Leaks and late children are checked for here, because a stored failure may be one of these. */
bool sonde_engine_replay(struct sonde_engine *e)
{
    e->single->checks_leaks = e->search->leaks.is_possible;
    e->single->awaits_children = true;
    replay(e);
    e->single->checks_leaks = e->single->awaits_children = false;
    return e->n_complaints == 0;
}
