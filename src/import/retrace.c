/* See retrace.h. The search uses the generator as a parser whose grammar is unknown.
 *
 * A run is left at the first byte that differs from the target (case/aim.h), so one of the choices before it was
 * wrong. moves.h finds changes that may correct it. The guess chooses the draws after a changed one and learns from
 * each step. Soon most files need one run per list and few other runs.
 *
 * The search is best-first over runs. A node is a run with its possible changes; its value estimates how likely the
 * node leads to the target. The node with the highest product of its value and the worth of its next change is tried
 * next. A run that gets further gains value with each byte, so the search mostly follows the furthest one. A run that
 * does not get further may be the first of several changes that are needed together. Its value is its node's value
 * times the worth of the change, less for each byte that it lost. So the search covers several changes at once and
 * steps back without special cases. */
#include "import/retrace.h"

#include "base/mem.h"
#include "import/moves.h"

#include <string.h>

enum {
    /* maximum number of nodes; the least promising is dropped. With 16 a few imports fail; 128 are no better */
    OPEN = 64,
    PATIENCE = 20000, /* number of runs without progress after which the search ends */
    DEATHS = 20,      /* number of costly runs (test.h) after which the search ends */
    WATCHED = 200     /* how many of the last choices of a run the guess learns from: bounds the time of a run */
};
/* Factor for the value of a run that does not get further. With half of this factor imports take more runs; with twice
 * this factor fewer succeed. */
static const double ASTRAY = 0.5;
/* Factor for the value of a run that wrote the right kind of byte. With 1, imports take more runs. */
static const double ALIKE = 2;

/* A run with its possible changes. */
struct node {
    struct sonde_import_run run;
    double value;
    double hope; /* worth that is assumed for the first change until the changes have been computed */
    /* index of the first choice that may be changed: the choice before it was changed to make this run */
    uint32_t floor;
    struct sonde_changes changes;
    uint32_t next; /* index of the next change to try */
    bool is_found; /* the changes have been computed */
};

/* The state of a search. */
struct retrace {
    const struct sonde_import_test *test;
    struct sonde_guess *guess;
    struct sonde_guide *guide;   /* the guide of the guess; NULL: draws get the simplest values */
    const struct sonde_aim *aim; /* the aim of the test */
    struct sonde_retraced *out;
    struct sonde_tape script;
    struct sonde_import_run best; /* the run that got furthest */
    uint64_t last_progress;       /* number of runs when `best` was found */
    uint32_t deaths;
    struct sonde_map known; /* hashes of the tapes of all runs */
    struct node nodes[OPEN];
    uint32_t n;
};

static void clear_run(struct sonde_import_run *run)
{
    sonde_tape_clear(&run->tape);
    sonde_free(run->at);
}

static void copy_run(struct sonde_import_run *to, const struct sonde_import_run *from)
{
    sonde_tape_copy(&to->tape, &from->tape);
    to->at = sonde_grow(to->at, &to->cap_at, (size_t)from->tape.n_choices + 1, sizeof *to->at);
    if (from->tape.n_choices) memcpy(to->at, from->at, from->tape.n_choices * sizeof *to->at);
    to->m = from->m;
    to->since = from->since;
    to->wrong = from->wrong;
}

/* ---- Running */

/* Returns whether the last run wrote the whole target. A line feed at the end of the target may be missing, because
 * editors add one to every file. */
static bool is_whole(const struct sonde_aim *aim)
{
    uint32_t at = sonde_aim_skip(aim, aim->at);
    return !aim->differs && aim->n_puts > 0 && (at == aim->n || (at + 1 == aim->n && aim->text[at] == '\n'));
}

/* Notes the word that the last run wrote at the furthest position reached. */
static void note_word(struct retrace *k)
{
    struct sonde_retraced *out = k->out;
    const struct sonde_aim *aim = k->aim;
    char word[SONDE_RETRACE_WORD] = "";
    uint32_t n = 0;
    if (aim->at < k->best.m) return;
    if (aim->at > k->best.m) out->n_can = 0, out->can_end = false;
    if (!aim->differs) out->can_end = true;
    if (!aim->n_wrong) return;
    while (n < aim->n_wrong && n < SONDE_RETRACE_WORD - 1 && !(n && sonde_aim_is_space(aim->wrong[n]))) n++;
    memcpy(word, aim->wrong, n);
    for (uint32_t i = 0; i < out->n_can; i++)
        if (out->can[i][0] == word[0]) return; /* the report needs one word for each first byte */
    if (out->n_can < SONDE_RETRACE_CAN) memcpy(out->can[out->n_can++], word, sizeof word);
}

/* Fills the rest of `run` from its tape and from what the run wrote. */
static void note_run(struct retrace *k, struct sonde_import_run *run)
{
    const struct sonde_aim *aim = k->aim;
    uint32_t n = run->tape.n_choices, i = 0;
    run->at = sonde_grow(run->at, &run->cap_at, (size_t)n + 1, sizeof *run->at);
    for (uint32_t mark = 0; mark <= aim->n_marks; mark++) {
        bool is_last = mark == aim->n_marks;
        uint32_t since = i, at = is_last ? aim->at : aim->marks[mark].at, end = is_last ? n : aim->marks[mark].choices;
        for (; i < end && i < n; i++) run->at[i] = sonde_guess_drawn(k->guess, &run->tape, i, since, at);
    }
    run->m = is_whole(aim) ? aim->n + 1 : aim->at;
    run->since = aim->n_marks > 1 ? aim->marks[aim->n_marks - 2].choices : 0;
    run->wrong = aim->n_wrong ? (unsigned char)aim->wrong[0] : -1;
    note_word(k);
}

/* Runs k->script. A failure of the property is noted, and the import continues. */
static void run_script(struct retrace *k, struct sonde_import_run *run)
{
    struct sonde_aim *aim = k->test->aim;
    for (bool is_parsed = aim->derivation.is_parsed;; is_parsed = true) {
        struct sonde_import_end end = k->test->run(k->test->user, &k->script, k->guide, &run->tape);
        k->out->runs++;
        k->out->has_failed |= end.has_failed;
        k->out->was_misused |= end.was_misused;
        k->deaths += end.was_costly;
        if (is_parsed || !aim->parse) break;
        aim->parse(aim); /* the property draws from a grammar: the next run follows the derivation */
    }
    note_run(k, run);
}

/* Returns whether a search cannot help, because a grammar decides all that is written. */
static bool is_decided(const struct sonde_aim *aim)
{
    return aim->derivation.is_parsed && !aim->derivation.has_drawn;
}

static bool is_over(const struct retrace *k)
{
    return k->best.m > k->aim->n || is_decided(k->aim) || k->out->runs - k->last_progress > PATIENCE
           || k->out->was_misused || k->deaths > DEATHS || (k->test->enough && k->test->enough(k->test->user));
}

/* Lets the guess learn from what a run wrote for the choices from `from` on, at most the last WATCHED. */
static void watch_run(struct retrace *k, const struct sonde_import_run *run, uint32_t from)
{
    uint32_t n = run->tape.n_choices;
    for (uint32_t c = n > from + WATCHED ? n - WATCHED : from; c < n; c++)
        sonde_guess_watch(k->guess, &run->tape, c, run->at[c]);
}

/* Lets the guess learn that the choices from `from` on were right, up to the first wrong byte. */
static void confirm_run(struct retrace *k, const struct sonde_import_run *run, uint32_t from)
{
    for (uint32_t c = from; c < run->tape.n_choices && run->at[c].at < run->m; c++)
        sonde_guess_learn(k->guess, &run->tape, c, run->at[c], true);
}

/* ---- Nodes */

/* Returns how promising the next change of a node is. */
static double promise_of(const struct node *x)
{
    if (!x->is_found) return x->value * x->hope;
    return x->next < x->changes.n ? x->value * x->changes.all[x->next].worth : 0;
}

/* Returns the most promising node, or NULL if there is nothing left to try. */
static struct node *best_node(struct retrace *k)
{
    struct node *best = NULL;
    for (uint32_t i = 0; i < k->n; i++)
        if (promise_of(&k->nodes[i]) > (best ? promise_of(best) : 0)) best = &k->nodes[i];
    return best;
}

static struct node *worst_node(struct retrace *k)
{
    struct node *worst = &k->nodes[0];
    for (uint32_t i = 1; i < k->n; i++)
        if (promise_of(&k->nodes[i]) < promise_of(worst)) worst = &k->nodes[i];
    return worst;
}

/* Adds a node unless it is the least promising. Swaps memory: the node takes the memory of `run`, and `run` gets the
 * memory of the dropped node. */
static void add_node(struct retrace *k, struct sonde_import_run *run, struct node like)
{
    struct node *x = k->n < OPEN ? &k->nodes[k->n++] : worst_node(k);
    if (promise_of(x) > promise_of(&like)) return;
    like.run = *run;
    like.changes = (struct sonde_changes){.all = x->changes.all, .cap = x->changes.cap};
    *run = x->run;
    *x = like;
}

/* ---- The search */

/* Returns whether a run with the same tape was made before, and remembers this one. */
static bool is_known(struct retrace *k, const struct sonde_import_run *run)
{
    return (*sonde_map_at(&k->known, sonde_tape_hash(&run->tape)))++ > 0;
}

static uint32_t kind_of_byte(int c)
{
    if (c >= '0' && c <= '9') return 1;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') return 2;
    return c <= ' ' ? 3 : 4;
}

/* Returns whether a change did not affect the first wrong byte, but only later draws. */
static bool has_no_effect(const struct node *x, const struct sonde_import_run *next)
{
    return next->m == x->run.m && next->wrong >= 0 && next->wrong == x->run.wrong;
}

/* Drops other values for the choice of a change that had no effect: they will have none either. */
static void drop_alike(struct node *x, const struct sonde_change *change)
{
    uint32_t n = x->next;
    if (change->move != SONDE_IMPORT_ALTER) return;
    for (uint32_t i = x->next; i < x->changes.n; i++) {
        const struct sonde_change *other = &x->changes.all[i];
        if (other->choice != change->choice || other->move != change->move) x->changes.all[n++] = *other;
    }
    x->changes.n = n;
}

/* Adds a run that got further than its node. If no run got as far before, the search continues from this one. */
static void take_step(struct retrace *k, const struct node *x, const struct sonde_change *change,
                      struct sonde_import_run *next)
{
    struct node step = {.value = x->value * (1 + next->m - x->run.m),
                        .hope = x->changes.all[0].worth,
                        .floor = x->floor};
    if (next->m > k->best.m) {
        bool has_answer = change->move != SONDE_IMPORT_WRAP && change->move != SONDE_IMPORT_UNWRAP;
        uint32_t c = change->choice;
        if (has_answer) sonde_guess_learn(k->guess, &x->run.tape, c, x->run.at[c], false);
        confirm_run(k, next, c);
        copy_run(&k->best, next);
        k->last_progress = k->out->runs;
        for (uint32_t i = 0; i < k->n; i++) k->nodes[i].value /= step.value; /* keeps values in range */
        step.value = 1;
        step.floor = 0;
    }
    add_node(k, next, step);
}

/* Adds a run that did not get further, if a second change after this one may help. */
static void take_branch(struct retrace *k, struct node *x, const struct sonde_change *change,
                        struct sonde_import_run *next)
{
    uint32_t c = change->choice;
    double value = x->value * change->worth * ASTRAY / (1 + x->run.m - next->m), hope = x->changes.all[0].worth;
    if (has_no_effect(x, next)) {
        drop_alike(x, change);
        if (!sonde_choice_is_constructor(&x->run.tape.choices[c])) return;
        if (next->tape.n_choices == x->run.tape.n_choices) value *= ASTRAY;
    }
    if (next->tape.n_choices <= c || (next->m <= next->at[c].at && next->tape.n_choices == c + 1)) return;
    if (next->wrong >= 0 && next->m < k->aim->n
        && kind_of_byte(next->wrong) == kind_of_byte((unsigned char)k->aim->text[next->m]))
        value *= ALIKE;
    add_node(k, next, (struct node){.value = value, .hope = hope, .floor = c + 1});
}

/* Runs the next change of a node. `next` is scratch for the run. */
static void try_change(struct retrace *k, struct node *x, struct sonde_import_run *next)
{
    const struct sonde_change change = x->changes.all[x->next++];
    sonde_moves_apply(k->aim, &x->run, &change, &k->script);
    run_script(k, next);
    watch_run(k, next, change.choice);
    bool has_helped = next->m > x->run.m && next->tape.n_choices > change.choice;
    sonde_guess_blame(k->guess, sonde_moves_blamed(&x->run, &change), has_helped);
    if (is_known(k, next)) return;
    k->out->helped[change.move] += has_helped;
    if (has_helped) take_step(k, x, &change, next);
    else if (next->m <= x->run.m) take_branch(k, x, &change, next);
}

/* Tries the most promising change until the search is over or nothing is left. */
static void search_tape(struct retrace *k)
{
    struct sonde_import_run next = {0};
    struct node *x;
    sonde_tape_init(&next.tape);
    while (!is_over(k) && (x = best_node(k))) {
        if (x->is_found) {
            try_change(k, x, &next);
        } else {
            sonde_moves_find(k->aim, k->guess, &x->run, x->floor, &x->changes);
            x->is_found = true;
        }
    }
    clear_run(&next);
}

/* Copies the choices that were drawn before the last right byte; whether later ones are right is unknown. */
static void copy_prefix(const struct sonde_import_run *run, struct sonde_tape *out)
{
    uint32_t n = run->tape.n_choices;
    while (n > 0 && run->at[n - 1].at >= run->m) n--;
    sonde_script_prefix(out, &run->tape, n);
    sonde_tape_end(out);
    if (out->n_spans) out->spans[0].flags |= SONDE_SPAN_FREE;
}

/* Makes the run to start from. If it writes nothing, forgets what the guess learned from other targets and tries
 * again. If the property failed, the second run uses the simplest input. */
static void run_first(struct retrace *k, struct sonde_import_run *run)
{
    sonde_tape_begin(&k->script);
    sonde_tape_end(&k->script);
    k->guide = sonde_guess_guide(k->guess);
    run_script(k, run);
    if (k->aim->n_puts) return;
    sonde_guess_forget(k->guess);
    if (k->out->has_failed) k->guide = NULL;
    run_script(k, run);
    k->guide = sonde_guess_guide(k->guess);
}

void sonde_retrace(const struct sonde_import_test *test, struct sonde_guess *guess, struct sonde_retraced *out)
{
    struct retrace k = {.test = test, .guess = guess, .aim = test->aim, .out = out};
    struct sonde_import_run first = {0};
    sonde_tape_init(&first.tape);
    sonde_tape_init(&k.best.tape);
    sonde_tape_init(&k.script);
    run_first(&k, &first);
    out->n_puts = k.aim->n_puts;
    watch_run(&k, &first, 0);
    confirm_run(&k, &first, 0);
    copy_run(&k.best, &first);
    add_node(&k, &first, (struct node){.value = 1, .hope = 1});
    if (out->n_puts) search_tape(&k);
    out->is_whole = k.best.m > k.aim->n;
    out->n = out->is_whole ? k.aim->n : k.best.m;
    if (out->is_whole) sonde_tape_copy(&out->tape, &k.best.tape);
    else copy_prefix(&k.best, &out->tape);
    for (uint32_t i = 0; i < k.n; i++) {
        clear_run(&k.nodes[i].run);
        sonde_free(k.nodes[i].changes.all);
    }
    clear_run(&first);
    clear_run(&k.best);
    sonde_tape_clear(&k.script);
    sonde_map_clear(&k.known);
}
