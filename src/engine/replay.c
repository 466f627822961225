/* What is run before the search: the token of --replay, else the property's examples, the regression tapes, and the
 * failures that the store kept. A token may hold several tapes, separated by ;, to be run in a row in one process. */
#include "engine/phases.h"

#include "base/die.h"
#include "exec/sanitizer.h"
#include "tape/text.h"

#include <inttypes.h>
#include <string.h>

enum { TAPES_MAX = SONDE_CASE_RING }; /* as many as a failure is ever kept with */

/* The tapes of one token. */
struct scripts {
    struct sonde_tape all[TAPES_MAX];
    const struct sonde_tape *pointers[TAPES_MAX];
    uint32_t n;
};

static void clear_scripts(struct scripts *scripts)
{
    for (uint32_t i = 0; i < TAPES_MAX; i++) sonde_tape_clear(&scripts->all[i]);
    sonde_free(scripts);
}

/* NULL if it cannot be read; *error then says why, at a byte of the token. */
static struct scripts *read_scripts(struct sonde_engine *e, const char *token, struct sonde_text_error *error)
{
    struct scripts *scripts = sonde_calloc(1, sizeof *scripts);
    const char *part = token;
    for (bool last = false; !last; scripts->n++) {
        size_t n = strcspn(part, ";");
        if (scripts->n == TAPES_MAX) {
            *error = (struct sonde_text_error){.at = (size_t)(part - token), .reason = "there are too many tapes"};
            clear_scripts(scripts);
            return NULL;
        }
        last = part[n] == '\0';
        size_t skipped = strspn(part, " ");
        struct sonde_tape *script = &scripts->all[scripts->n];
        if (skipped > n) skipped = n;
        if (sonde_tape_from_text(script, &e->search.labels, part + skipped, n - skipped, error) < 0) {
            error->at += (size_t)(part - token) + skipped;
            clear_scripts(scripts);
            return NULL;
        }
        scripts->pointers[scripts->n] = script;
        part += n + 1;
    }
    return scripts;
}

/* Runs a token and counts its last case. False if it cannot be read. */
static bool run_token(struct sonde_engine *e, const char *token, const char *regression, struct sonde_text_error *error)
{
    struct scripts *scripts = read_scripts(e, token, error);
    if (!scripts) return false;
    sonde_supervisor_example(&e->supervisor, scripts->pointers, scripts->n, regression);
    clear_scripts(scripts);
    return true;
}

static bool run_given_token(struct sonde_engine *e, const char *token, const char *what)
{
    struct sonde_text_error error;
    if (run_token(e, token, NULL, &error)) return true;
    snprintf(e->message, sizeof e->message,
             "the %s cannot be read: %s at character %zu. Paste it whole, in single quotes", what, error.reason,
             error.at + 1);
    return false;
}

static bool run_file(struct sonde_engine *e, const char *path)
{
    struct sonde_stored found;
    const char *reason = NULL;
    int status = sonde_store_read_file(path, &found, &reason);
    if (status < 0) {
        snprintf(e->message, sizeof e->message, "the tape file %s cannot be read: %s", path,
                 reason ? reason : strerror(-status));
        return false;
    }
    bool good = run_given_token(e, found.token, "tape in the file");
    sonde_stored_clear(&found);
    return good;
}

/* ---- What is kept on disk */

static void warn_unreadable(const struct sonde_stored *found, const struct sonde_text_error *error)
{
    sonde_warn("%s: %s at character %zu of the tape; it was left as it is and not run", found->path ? found->path : "?",
               error->reason, error->at + 1);
}

static bool run_kept(void *context, const struct sonde_stored *found)
{
    struct sonde_engine *e = context;
    struct sonde_text_error error;
    if (!run_token(e, found->token, found->path, &error)) warn_unreadable(found, &error);
    return true;
}

/* A hang that is stopped elsewhere is the same one for all that can be said without the other's way. */
static bool is_same_failure(const sonde *t, const struct sonde_stored *found)
{
    const char *id = found->id;
    char now[17];
    if (t->claim.kind == SONDE_CLAIM_HANG && found->kind && strcmp(found->kind, "hang") == 0) return true;
    snprintf(now, sizeof now, "%016" PRIx64, sonde_claim_identity(&t->claim));
    return strcmp(now, id) == 0;
}

static void remember(struct sonde_engine *e, const struct scripts *scripts)
{
    if (e->n_remembered == SONDE_FOUND_MAX) return;
    struct sonde_found *f = e->remembered[e->n_remembered++] = sonde_calloc(1, sizeof *f);
    sonde *t = e->search.t;
    f->identity = sonde_claim_identity(&t->claim);
    f->claim = t->claim;
    f->hits = 1;
    sonde_tape_end(&t->tape);
    sonde_tape_copy(&f->tape, &t->tape);
    f->size = sonde_tape_size(&t->tape);
    f->n_earlier = scripts->n - 1;
    f->earlier = sonde_calloc(f->n_earlier, sizeof *f->earlier);
    for (uint32_t i = 0; i < f->n_earlier; i++) {
        struct sonde_tape *ran =
            sonde_supervisor_ran(&e->supervisor, f->n_earlier - i); /* as text, it could not be shrunk */
        if (ran) sonde_tape_end(ran);
        sonde_tape_copy(&f->earlier[i], ran ? ran : &scripts->all[i]);
    }
}

/* A stored failure that passes is fixed, and set aside. One that fails otherwise is another failure, and this one may
 * still be there. None of them counts as a test, and no guide learns from them: a run with a given seed is the same
 * run whatever the store holds. */
static bool run_stored_failure(void *context, const struct sonde_stored *found)
{
    struct sonde_engine *e = context;
    struct sonde_text_error error;
    struct scripts *scripts = read_scripts(e, found->token, &error);
    if (!scripts) {
        warn_unreadable(found, &error);
        return true;
    }
    const sonde *t = e->search.t;
    sonde_supervisor_fails(&e->supervisor, scripts->pointers, scripts->n, scripts->n > 1, 0);
    bool fails = t->verdict == SONDE_FAILED;
    if (fails) remember(e, scripts);
    clear_scripts(scripts);
    if (fails && is_same_failure(t, found)) return true;
    if (t->verdict != SONDE_VALID && t->verdict != SONDE_DISCARDED) return true;
    if (sonde_store_set_aside(e->store, e->report.property, found->id) == 0) e->report.n_fixed++;
    return true;
}

static bool run_regressions(struct sonde_engine *e)
{
    const char *directory = e->options.regressions;
    if (!directory) return true;
    long n = sonde_store_each_regression(e->store, directory, e->report.property, run_kept, e);
    if (n < 0)
        snprintf(e->message, sizeof e->message, "the regressions in %s cannot be read: %s", directory,
                 strerror((int)-n));
    return n >= 0;
}

static bool replay(struct sonde_engine *e)
{
    const char *token = e->options.replay;
    if (token) {
        e->search.t->shows = true;
        bool good = token[0] == '@' ? run_file(e, token + 1) : run_given_token(e, token, "replay token");
        e->search.t->shows = false;
        if (good) sonde_engine_show_replay(e);
        return good;
    }
    for (const char *const *x = e->property->examples; x && *x; x++)
        if (!run_given_token(e, *x, "example")) return false;
    if (!run_regressions(e)) return false;
    sonde_store_each_failure(e->store, e->report.property, run_stored_failure, e);
    return true;
}

bool sonde_engine_replay(struct sonde_engine *e)
{
    e->supervisor.checks_leaks = sonde_leaks_can_be_found();
    e->supervisor.awaits_children = true;
    bool good = replay(e);
    e->supervisor.checks_leaks = e->supervisor.awaits_children = false;
    return good;
}
