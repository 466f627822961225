/* See retrace.h. The generator is read as a parser that nobody has the grammar of.
 *
 * A run is left at the first byte that differs from the text (case/aim.h). Then one of the choices before that byte was wrong: mostly one of
 * the last, or the length of a list that should have ended or gone on here, or what a part that is still open was begun as. Each is given
 * other answers, in the order of what helped before; a run that gets further is the new one to go on from. Draws behind the changed one are
 * answered by the guess, which learns from each step, so that soon most files need a run per list and few others.
 *
 * Where no single change helps, changes that do not get further by themselves are looked into: from each of the best, the search goes on
 * with the choices behind it, up to DEPTH changes that are all needed at once. PATIENCE bounds the runs without progress. */
#include "import/retrace.h"

#include "base/mem.h"
#include "tape/literal.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEAR = 40,    /* choices before the difference that are changed */
    AROUND = 4,   /* choices of each open part that are changed, too */
    FIRST = 16,   /* of the case: what holds for all of it is drawn there */
    ANSWERS = 24, /* that are tried of each */
    ALL_OF = 10,  /* of so many, all answers, where nothing else helps */
    EDITS = 4096,
    BY_CHANCE = 2,    /* bytes */
    SECOND_LOOK = 24, /* changes, */
    UNLIKELY = 3,     /* that are worth no less than such a part of what helped */
    BRANCHES = 16,    /* changes that are looked into though they do not get further, */
    ALIKE = 2,        /* of one choice */
    TWIGS = 3,        /* and behind one of these */
    DEPTH = 3,
    PATIENCE = 20000,    /* runs without progress */
    IDLES = 64,          /* choices that are known to be about something else */
    DEEP = 16,           /* parts of parts that may be the part itself */
    PAST = 24,           /* steps that can be taken back */
    SECOND_THOUGHTS = 6, /* other steps that are tried in the place of one */
    TRIES = 400,         /* changes that are tried at once; fewer where several are needed */
    EFFORT = 3,
    DEATHS = 20 /* runs that died, or drew as much as a case may: each costs as much as thousands of others */
};

/* One run: its tape, how far the text was written at each choice, and how it ended. */
struct attempt {
    struct sonde_tape tape;
    struct sonde_guess_at *at;
    uint32_t cap_at;
    uint32_t m; /* bytes as they should be; n + 1: the whole text */
    bool differs;
    uint32_t since; /* choices from there on were drawn for the last piece that was put */
    char wrong[SONDE_AIM_WRONG];
    uint32_t n_wrong;
};

/* A change of one answer. `keeps`: what was drawn behind it is answered as before, else it is guessed anew. `ends`: of a list; those inside of it
 * that reach up to the difference end there, too. `wraps`: not 0, that span becomes a part of another one like itself, and what is changed is a
 * choice of that one. `by`: not 0, it is replaced by that part of itself instead. */
struct change {
    uint32_t choice;
    bool keeps, ends;
    uint32_t wraps, by;
    struct sonde_answer answer;
    double worth;
    uint32_t order; /* of those that are worth the same */
    bool
        is_settled; /* a value that was written as a whole, and so was what followed it: it is right, unless it swallowed too much */
};

struct branch {
    struct attempt by;
    uint32_t floor; /* choices from there on may be changed */
    double worth;
};

/* A step that was taken: from where, and by which change. */
struct past {
    struct attempt before;
    struct change taken;
};

struct retrace {
    const struct sonde_import_test *test;
    struct sonde_guess *guess;
    struct sonde_guide *guide;   /* the guess's; NULL: none */
    const struct sonde_aim *aim; /* the test's */
    struct sonde_retraced *out;
    struct sonde_tape script;
    uint32_t furthest;
    uint64_t last_progress; /* in runs */
    struct past past[PAST]; /* the last steps, the newest last */
    uint32_t n_past;
    struct change
        excluded[SECOND_THOUGHTS]; /* changes that were tried from where the search stands, and led into a dead end */
    uint32_t n_excluded;
    struct change taken; /* the last that helped */
    unsigned effort;     /* how often all of it has failed from where the search stands: more is tried then */
    uint32_t deaths;
};

static void init_attempt(struct attempt *a)
{
    *a = (struct attempt){.m = 0};
    sonde_tape_init(&a->tape);
}

static void clear_attempt(struct attempt *a)
{
    sonde_tape_clear(&a->tape);
    sonde_free(a->at);
}

static void swap_attempts(struct attempt *a, struct attempt *b)
{
    struct attempt kept = *a;
    *a = *b;
    *b = kept;
}

static void copy_attempt(struct attempt *to, const struct attempt *from)
{
    sonde_tape_copy(&to->tape, &from->tape);
    to->at = sonde_grow(to->at, &to->cap_at, (size_t)from->tape.n_choices + 1, sizeof *to->at);
    if (from->tape.n_choices) memcpy(to->at, from->at, from->tape.n_choices * sizeof *to->at);
    to->m = from->m;
    to->since = from->since;
    to->differs = from->differs;
    memcpy(to->wrong, from->wrong, sizeof to->wrong);
    to->n_wrong = from->n_wrong;
}

/* ---- Running */

/* A text editor ends a file with a line feed, whatever is in it. */
static bool is_whole(const struct sonde_aim *aim)
{
    uint32_t at = sonde_aim_skip(aim, aim->at);
    return !aim->differs && aim->n_puts > 0 && (at == aim->n || (at + 1 == aim->n && aim->text[at] == '\n'));
}

/* What can stand at the furthest place that was reached. */
static void note_word(struct retrace *k)
{
    struct sonde_retraced *out = k->out;
    const struct sonde_aim *aim = k->aim;
    char word[SONDE_RETRACE_WORD] = "";
    uint32_t n = 0;
    if (aim->at < k->furthest) return;
    if (aim->at > k->furthest) out->n_can = 0, out->can_end = false;
    if (!aim->differs) out->can_end = true;
    if (!aim->n_wrong) return;
    while (n < aim->n_wrong && n < SONDE_RETRACE_WORD - 1 && !(n && sonde_aim_is_space(aim->wrong[n]))) n++;
    memcpy(word, aim->wrong, n);
    for (uint32_t i = 0; i < out->n_can; i++)
        if (out->can[i][0] == word[0]) return; /* one for each byte says what is possible */
    if (out->n_can < SONDE_RETRACE_CAN) memcpy(out->can[out->n_can++], word, sizeof word);
}

static void note_run(struct retrace *k, struct attempt *a)
{
    const struct sonde_aim *aim = k->aim;
    uint32_t n = a->tape.n_choices, i = 0;
    a->at = sonde_grow(a->at, &a->cap_at, (size_t)n + 1, sizeof *a->at);
    for (uint32_t mark = 0; mark <= aim->n_marks; mark++) {
        bool is_last = mark == aim->n_marks;
        uint32_t since = i, at = is_last ? aim->at : aim->marks[mark].at, end = is_last ? n : aim->marks[mark].choices;
        for (; i < end && i < n; i++) a->at[i] = sonde_guess_drawn(k->guess, &a->tape, i, since, at);
    }
    a->m = is_whole(aim) ? aim->n + 1 : aim->at;
    a->differs = aim->differs;
    a->since = aim->n_marks > 1 ? aim->marks[aim->n_marks - 2].choices : 0;
    memcpy(a->wrong, aim->wrong, sizeof a->wrong);
    a->n_wrong = aim->n_wrong;
    note_word(k);
    if (a->m > k->furthest) {
        k->furthest = a->m;
        k->last_progress = k->out->runs;
    }
}

/* Runs k->script. A failure is a finding, and the import continues. */
static void run(struct retrace *k, struct attempt *a)
{
    struct sonde_import_end end = k->test->run(k->test->user, &k->script, k->guide, &a->tape);
    k->out->runs++;
    k->out->has_failed |= end.has_failed;
    k->out->was_misused |= end.was_misused;
    k->deaths += end.was_costly;
    note_run(k, a);
}

static bool is_over(const struct retrace *k)
{
    return k->out->runs - k->last_progress > PATIENCE || k->out->was_misused || k->deaths > DEATHS
           || (k->test->enough && k->test->enough(k->test->user));
}

/* ---- Changes */

static uint32_t add_text(struct sonde_tape *script, const struct sonde_blob *blob, const char *bytes, uint32_t n)
{
    if (blob->alphabet.kind != SONDE_ALPHABET_BYTES) return sonde_tape_add_literal(script, bytes, n);
    char *hex = sonde_malloc(2 * (size_t)n + 1);
    for (uint32_t i = 0; i < n; i++) {
        hex[2 * i] = "0123456789abcdef"[(unsigned char)bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 0xf];
    }
    uint32_t at = sonde_tape_add_literal(script, hex, 2 * n);
    sonde_free(hex);
    return at;
}

/* Elements of a list that wrote something that is as it should be. */
static uint32_t count_elements(const struct attempt *a, uint32_t list)
{
    const struct sonde_tape *tape = &a->tape;
    uint32_t n = 0;
    for (uint32_t i = list + 1; i < tape->spans[list].next; i = tape->spans[i].next) {
        const struct sonde_tape_span *s = &tape->spans[i];
        if (!(s->flags & SONDE_SPAN_ELEMENT) || s->flags & SONDE_SPAN_REJECTED) continue;
        bool is_empty = s->start >= tape->n_choices || s->start == s->end;
        n += is_empty ? s->next < tape->n_spans : a->at[s->start].at < a->m;
    }
    return n;
}

/* Whether a span ends at the difference, or within what was drawn for the piece that has it. */
static bool reaches_up(const struct attempt *a, uint32_t span)
{
    return a->tape.spans[span].end == a->tape.n_choices || a->tape.spans[span].end > a->since;
}

/* Ends the lists within span `within` that reach up to the difference. */
static void end_lists(struct sonde_tape *script, const struct attempt *a, uint32_t within)
{
    for (uint32_t i = within + 1; i < a->tape.n_spans; i++) {
        uint32_t c = reaches_up(a, i) ? sonde_list_length(&a->tape, i) : UINT32_MAX;
        if (c == UINT32_MAX) continue;
        uint64_t n = count_elements(a, i), base = a->tape.choices[c].base, max = a->tape.choices[c].max;
        script->choices[c].index = n < base ? 0 : n - base < max ? n - base : max;
    }
}

/* A span like that at `at`, with the same choices of its own, of which the part there is the first. */
static void wrap(struct sonde_tape *to, const struct sonde_tape *from, uint32_t at, const struct change *change)
{
    struct sonde_tape outer, inserted;
    const struct sonde_tape_span *s = &from->spans[at];
    sonde_tape_init(&outer);
    sonde_tape_init(&inserted);
    sonde_tape_begin(&outer);
    uint32_t span = sonde_tape_open(&outer, 0, s->label, s->flags);
    for (uint32_t c = s->start; c <= change->choice; c++) {
        struct sonde_choice choice = from->choices[c];
        if (choice.span != at || choice.kind == SONDE_KIND_BLOB || choice.kind == SONDE_KIND_DOUBLE) continue;
        choice.span = span;
        if (c == change->choice) choice.index = change->answer.index;
        sonde_tape_add(&outer, &choice);
    }
    sonde_tape_close(&outer, span);
    sonde_tape_end(&outer);
    sonde_script_insert(&inserted, &outer, span, SONDE_NO_SPAN, from, at);
    sonde_script_replace(to, from, at, &inserted, span);
    sonde_tape_clear(&outer);
    sonde_tape_clear(&inserted);
}

static void make_script(struct retrace *k, const struct attempt *a, const struct change *change)
{
    if (change->by) {
        sonde_script_replace(&k->script, &a->tape, change->wraps, &a->tape, change->by);
        return;
    }
    if (change->wraps) {
        wrap(&k->script, &a->tape, change->wraps, change);
        return;
    }
    if (change->keeps) sonde_tape_copy(&k->script, &a->tape);
    else sonde_script_prefix(&k->script, &a->tape, change->choice + 1);
    struct sonde_choice *c = &k->script.choices[change->choice];
    if (c->kind != SONDE_KIND_BLOB) {
        c->index = change->answer.index;
        if (change->ends) end_lists(&k->script, a, a->tape.choices[change->choice].span);
        return;
    }
    struct sonde_blob blob = sonde_choice_blob(&k->script, c);
    uint32_t base = add_text(&k->script, &blob, k->aim->text + change->answer.from, change->answer.n);
    k->script.choices[change->choice].base = base;
    k->script.choices[change->choice].kind = SONDE_KIND_LITERAL;
}

struct changes {
    struct change *all;
    uint32_t n;
};

static void add_change(struct changes *changes, const struct change *change)
{
    if (changes->n == EDITS) return;
    changes->all[changes->n] = *change;
    changes->all[changes->n].order = changes->n;
    changes->n++;
}

/* What a site is blamed for depends on whether what follows is kept. */
static uint32_t blamed(const struct attempt *a, uint32_t c, bool keeps)
{
    return a->tape.choices[c].site + keeps;
}

/* The answers of one choice, in the way that `like` says; `distance` from the difference makes it less likely. */
static void change_choice(const struct retrace *k, const struct attempt *a, struct change like, double distance,
                          bool all, struct changes *changes)
{
    enum { MOST = 300 };
    struct sonde_answer answers[MOST];
    uint32_t c = like.choice;
    const struct sonde_choice *choice = &a->tape.choices[c];
    if (choice->flags & SONDE_CHOICE_FORCED || (choice->kind == SONDE_KIND_LENGTH && !like.keeps)) return;
    struct sonde_guess_wish wish = {a->m, all};
    uint32_t n = sonde_guess_answers(k->guess, &a->tape, c, a->at[c], wish, answers, all ? MOST : ANSWERS);
    double settled =
        a->m > a->at[c].at ? a->m - a->at[c].at : 0; /* bytes that were right since it was drawn speak for it */
    like.is_settled =
        a->at[c].at < a->m && a->at[a->tape.n_choices - 1].at > a->at[c].at && !sonde_choice_is_constructor(choice);
    like.worth = sonde_guess_blamed(k->guess, blamed(a, c, like.keeps)) / (1 + 0.15 * distance) / (1 + 0.05 * settled);
    for (uint32_t i = 0; i < n; i++) {
        struct change change = like;
        change.answer = answers[i];
        change.worth /= 1 + (a->at[c].at == a->m ? 0.05 : 0.3) * i;
        add_change(changes, &change);
    }
}

/* A list that reaches up to the difference ends with the element before, or goes on; those inside of it may end with it. */
static void change_list(const struct retrace *k, const struct attempt *a, uint32_t list, double distance,
                        struct changes *changes)
{
    uint32_t c = sonde_list_length(&a->tape, list), seen = count_elements(a, list);
    if (c == UINT32_MAX || a->tape.choices[c].flags & SONDE_CHOICE_FORCED) return;
    const struct sonde_choice *choice = &a->tape.choices[c];
    uint64_t rest = seen + (uint64_t)(k->aim->n - (a->m < k->aim->n ? a->m : k->aim->n)) + 1;
    uint64_t wanted[] = {seen, rest, choice->base + choice->index + 1, seen + 1, seen - 1};
    double worth = 2 * sonde_guess_blamed(k->guess, blamed(a, c, true)) / (1 + 0.15 * distance);
    for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        uint64_t index = wanted[i] < choice->base ? 0 : wanted[i] - choice->base;
        if (index > choice->max) index = choice->max;
        struct change change = {.choice = c, .keeps = true, .answer.index = index, .worth = worth / (1 + 0.2 * i)};
        if (index != choice->index && (seen || i < 4)) add_change(changes, &change);
        change.ends = true;
        if (i == 0) add_change(changes, &change);
    }
}

/* A part that has a part like itself may be one of a larger one, the left side of what follows; or be that part alone. */
static void change_by_wrapping(const struct retrace *k, const struct attempt *a, uint32_t span, struct changes *changes)
{
    const struct sonde_tape_span *s = &a->tape.spans[span];
    uint32_t child = span + 1;
    while (child < s->next && (a->tape.spans[child].label != s->label || a->tape.spans[child].parent != span))
        child = a->tape.spans[child].next;
    if (child >= s->next) return;
    uint32_t first = child;
    struct change unwrap = {.choice = s->start, .keeps = true, .wraps = span, .by = child};
    unwrap.worth = sonde_guess_blamed(k->guess, blamed(a, s->start, true)) / 2;
    for (uint32_t deep = 0; deep < DEEP && child < a->tape.spans[unwrap.by].next; deep++) {
        unwrap.by = child;
        add_change(changes, &unwrap);
        unwrap.worth /= 1.2;
        for (child++; child < a->tape.spans[unwrap.by].next && a->tape.spans[child].label != s->label;)
            child = a->tape.spans[child].next;
    }
    for (uint32_t c = s->start; c < a->tape.spans[first].start; c++) {
        struct change like = {.choice = c, .keeps = true, .wraps = span};
        if (a->tape.choices[c].span != span || !sonde_choice_is_constructor(&a->tape.choices[c])) continue;
        change_choice(k, a, like, 4, false, changes);
        like.answer.index = a->tape.choices[c].index;
        like.worth = sonde_guess_blamed(k->guess, blamed(a, c, true)) / 2;
        add_change(changes, &like);
    }
}

static int by_worth(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->worth != y->worth) return x->worth > y->worth ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* What reaches up to the difference: lists that end or go on, and parts that become one of another are decided here, wherever they began; parts that
 * should have been others, where that may be changed. */
static void change_open(const struct retrace *k, const struct attempt *a, uint32_t floor, uint32_t near,
                        struct changes *changes)
{
    const struct sonde_tape *tape = &a->tape;
    uint32_t n = tape->n_choices, depth = 0;
    for (uint32_t i = tape->n_spans; i-- > 1;) {
        const struct sonde_tape_span *s = &tape->spans[i];
        if (!reaches_up(a, i) || s->start >= n) continue;
        depth++;
        if (s->flags & SONDE_SPAN_LIST) change_list(k, a, i, depth, changes);
        change_by_wrapping(k, a, i, changes);
        uint32_t taken = 0;
        for (uint32_t c = s->start; c < n && taken < AROUND && c < near; c++) {
            if (tape->choices[c].span != i || c < floor) continue;
            taken++;
            change_choice(k, a, (struct change){.choice = c}, 8 + depth, false, changes);
            change_choice(k, a, (struct change){.choice = c, .keeps = true}, 8 + depth, false, changes);
        }
    }
}

/* Changes that may lead on, the most likely first. With `all` those that are left when these have been tried. */
static void find_changes(const struct retrace *k, const struct attempt *a, uint32_t floor, bool all,
                         struct changes *changes)
{
    uint32_t n = a->tape.n_choices;
    while (n > 0 && a->at[n - 1].at > a->m) n--; /* what stands for bytes behind it has nothing to do with it */
    uint32_t near = n > NEAR ? n - NEAR : 0;
    changes->n = 0;
    for (uint32_t c = n; c-- > floor && c >= near;) {
        bool wants_all = (all && n - c <= ALL_OF) || a->at[c].at + 2 >= a->m;
        change_choice(k, a, (struct change){.choice = c}, n - 1 - c, wants_all, changes);
        if (c + 1 < n) change_choice(k, a, (struct change){.choice = c, .keeps = true}, n - c, wants_all, changes);
    }
    change_open(k, a, floor, near, changes);
    for (uint32_t c = floor; c < FIRST && c < near; c++)
        change_choice(k, a, (struct change){.choice = c, .keeps = true}, 30 + c, false, changes);
    qsort(changes->all, changes->n, sizeof *changes->all, by_worth);
}

/* ---- Learning */

/* `a` has led on from `before` by a change of choice c: what was drawn anew was right as far as the text says. */
static void learn_step(struct retrace *k, const struct attempt *before, const struct attempt *a,
                       const struct change *change)
{
    uint32_t c = change->choice, m = a->m;
    if (change->wraps) {
        for (uint32_t i = before->tape.spans[change->wraps].start; i < a->tape.n_choices && a->at[i].at < m; i++)
            sonde_guess_confirm(k->guess, &a->tape, i, a->at[i]);
        return;
    }
    sonde_guess_refute(k->guess, &before->tape, c, before->at[c]);
    sonde_guess_confirm(k->guess, &a->tape, c, a->at[c]);
    for (uint32_t i = change->keeps ? before->tape.n_choices : c + 1; i < a->tape.n_choices && a->at[i].at < m; i++)
        sonde_guess_confirm(k->guess, &a->tape, i, a->at[i]);
}

/* Whatever a run wrote says what answers mean. */
static void watch_run(struct retrace *k, const struct attempt *a, const struct change *change)
{
    enum { MOST = 200 };
    uint32_t from = change ? change->choice : 0, n = a->tape.n_choices;
    if (change && change->keeps && from + MOST < n) from = n - MOST;
    for (uint32_t c = from; c < n && c < from + MOST; c++) sonde_guess_watch(k->guess, &a->tape, c, a->at[c]);
}

/* ---- The search */

static uint32_t kind_of_byte(unsigned char c)
{
    if (c >= '0' && c <= '9') return 1;
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') return 2;
    return c <= ' ' ? 3 : 4;
}

/* How promising a change is that did not get further: by how far it got, and by what it wrote there. */
static double promise_of(const struct retrace *k, const struct attempt *a, const struct change *change)
{
    double worth = a->m + change->worth;
    if (a->n_wrong && a->m < k->aim->n
        && kind_of_byte((unsigned char)a->wrong[0]) == kind_of_byte((unsigned char)k->aim->text[a->m]))
        worth += 0.5;
    return worth;
}

/* Keeps the best; `a` may be swapped away. It must have been the change's doing that something could be written, or there is
 * something behind it that can be changed. */
static void keep_branch(struct retrace *k, struct branch *branches, uint32_t *n, struct attempt *a,
                        const struct change *change)
{
    uint32_t c = change->choice, of_choice = 0;
    for (uint32_t i = 0; i < *n; i++) of_choice += branches[i].floor == c + 1;
    if (of_choice >= (uint32_t)ALIKE << k->effort) return;
    if (a->tape.n_choices <= c || (a->m <= a->at[c].at && a->tape.n_choices == c + 1)) return;
    double worth = promise_of(k, a, change);
    uint32_t worst = 0;
    if (*n < BRANCHES) {
        init_attempt(&branches[*n].by);
        worst = (*n)++;
    } else {
        for (uint32_t i = 1; i < BRANCHES; i++)
            if (branches[i].worth < branches[worst].worth) worst = i;
        if (branches[worst].worth >= worth) return;
    }
    swap_attempts(&branches[worst].by, a);
    branches[worst].floor = c + 1;
    branches[worst].worth = worth;
}

/* Runs one change; whether it gets further than both `a` and `best`. */
static bool try_change(struct retrace *k, const struct attempt *a, const struct attempt *best,
                       const struct change *change, struct attempt *next)
{
    make_script(k, a, change);
    run(k, next);
    bool helped = next->m > a->m && next->tape.n_choices > change->choice;
    watch_run(k, next, change);
    sonde_guess_blame(k->guess, blamed(a, change->choice, change->keeps), helped);
    return helped && next->m > best->m;
}

/* Which changes are tried. */
struct tries {
    bool all;     /* answers of small domains */
    bool settled; /* values, too */
    uint32_t limit;
};

static bool is_excluded(const struct retrace *k, const struct change *change)
{
    for (uint32_t i = 0; i < k->n_excluded; i++) {
        const struct change *x = &k->excluded[i];
        if (x->choice == change->choice && x->answer.index == change->answer.index
            && x->answer.from == change->answer.from && x->answer.n == change->answer.n && x->keeps == change->keeps
            && x->ends == change->ends && x->wraps == change->wraps && x->by == change->by)
            return true;
    }
    return false;
}

/* What was written at the difference is the same as before: the change is about what comes behind it. */
static bool has_no_effect(const struct attempt *a, const struct attempt *next)
{
    return next->m == a->m && next->n_wrong && a->n_wrong && next->wrong[0] == a->wrong[0];
}

/* A change without effect there may still be a part of one that has: another kind of part, say. */
static bool may_branch(const struct attempt *a, const struct attempt *next, const struct change *change)
{
    if (!has_no_effect(a, next)) return true;
    return sonde_choice_is_constructor(&a->tape.choices[change->choice]) && next->tape.n_choices != a->tape.n_choices;
}

static bool is_idle(const uint32_t idles[IDLES], const struct change *change)
{
    for (uint32_t i = 0; i < IDLES; i++)
        if (idles[i] == change->choice + 1 && change->keeps && !change->wraps && !change->ends) return true;
    return false;
}

/* Tries changes until one gets further than `a`, which becomes that run. A byte or two more may be chance: then others are tried that may get further
 * still. Those that do not help but look promising are kept. */
static bool try_changes(struct retrace *k, struct attempt *a, uint32_t floor, const struct tries *tries,
                        struct branch *branches, uint32_t *n)
{
    struct changes changes = {.all = sonde_malloc(EDITS * sizeof *changes.all)};
    struct attempt next, best;
    struct change helped = {0};
    uint32_t left = UINT32_MAX, idles[IDLES] = {0}, n_idle = 0;
    init_attempt(&next);
    init_attempt(&best);
    find_changes(k, a, floor, tries->all, &changes);
    for (uint32_t i = 0; i < changes.n && i < tries->limit && left > 0 && !is_over(k); i++) {
        const struct change *change = &changes.all[i];
        if (is_idle(idles, change) || is_excluded(k, change) || (change->is_settled && !tries->settled)) continue;
        if (left != UINT32_MAX) left--;
        if (change->worth < helped.worth / UNLIKELY) break;
        if (try_change(k, a, &best, change, &next)) {
            helped = *change;
            swap_attempts(&best, &next);
            left = best.m - a->m > BY_CHANCE ? 0 : left < SECOND_LOOK ? left : SECOND_LOOK;
        } else if (next.m <= a->m) {
            bool is_idle_now = has_no_effect(a, &next) && change->keeps && !change->wraps && !change->ends;
            if (is_idle_now) idles[n_idle++ % IDLES] = change->choice + 1;
            if (branches && may_branch(a, &next, change)) keep_branch(k, branches, n, &next, change);
        }
    }
    bool has_helped = best.m > a->m;
    if (has_helped) learn_step(k, a, &best, &helped);
    if (has_helped) k->taken = helped;
    if (has_helped) swap_attempts(a, &best);
    clear_attempt(&next);
    clear_attempt(&best);
    sonde_free(changes.all);
    return has_helped;
}

/* A number that says how often something is done: with too small a one the text is left early, with too large a one where it is left now. So the
 * smallest that gets as far as now may get further. */
static bool try_count(struct retrace *k, struct attempt *a, uint32_t c)
{
    const struct sonde_choice *choice = &a->tape.choices[c];
    struct attempt next;
    bool helped = false;
    uint64_t low = 0, high = choice->index;
    if ((choice->kind != SONDE_KIND_INT && choice->kind != SONDE_KIND_UINT) || choice->max < 4) return false;
    init_attempt(&next);
    while (low < high && !helped && !is_over(k)) {
        struct change change = {.choice = c, .keeps = true, .answer.index = low + (high - low) / 2};
        make_script(k, a, &change);
        run(k, &next);
        helped = next.m > a->m && next.tape.n_choices > c;
        if (next.m < a->m) low = change.answer.index + 1;
        else high = change.answer.index;
        if (helped) learn_step(k, a, &next, &change);
    }
    if (helped) swap_attempts(a, &next);
    clear_attempt(&next);
    return helped;
}

static bool try_counts(struct retrace *k, struct attempt *a, uint32_t floor)
{
    uint32_t n = a->tape.n_choices;
    for (uint32_t c = n; c-- > floor && n - c < 4 * NEAR;)
        if (try_count(k, a, c)) return true;
    for (uint32_t c = floor; c < FIRST && c + 4 * NEAR < n; c++)
        if (try_count(k, a, c)) return true;
    return false;
}

static bool climb(struct retrace *k, struct attempt *a, uint32_t floor, uint32_t goal, uint32_t depth);

static int by_promise(const void *a, const void *b)
{
    const struct branch *x = a, *y = b;
    if (x->worth != y->worth) return x->worth > y->worth ? -1 : 1;
    return x->floor > y->floor ? -1 : x->floor < y->floor;
}

/* One step further than `a`, by one change or by several at once. */
static bool step(struct retrace *k, struct attempt *a, uint32_t floor, uint32_t depth)
{
    struct branch branches[BRANCHES];
    bool is_top = floor == 0;
    struct tries tries = {.limit = (is_top ? TRIES : TRIES / 4u) << k->effort}, more = {true, true, EDITS};
    uint32_t n = 0;
    bool helped = try_changes(k, a, floor, &tries, depth ? branches : NULL, &n);
    if (!helped && depth == DEPTH) helped = try_changes(k, a, floor, &more, branches, &n);
    if (n) qsort(branches, n, sizeof *branches, by_promise);
    for (uint32_t i = 0; i < n && i < (is_top ? BRANCHES : (uint32_t)TWIGS << k->effort) && !helped && !is_over(k);
         i++) {
        helped = climb(k, &branches[i].by, branches[i].floor, a->m, depth - 1);
        if (helped) swap_attempts(a, &branches[i].by);
    }
    for (uint32_t i = 0; i < n; i++) clear_attempt(&branches[i].by);
    return helped;
}

/* Goes on from `a` until it is further than `goal`. */
static bool climb(struct retrace *k, struct attempt *a, uint32_t floor, uint32_t goal, uint32_t depth)
{
    while (a->m <= goal && !is_over(k))
        if (!step(k, a, floor, depth)) return false;
    return a->m > goal;
}

/* ---- Steps that are taken back */

static void forget_past(struct retrace *k, uint32_t left)
{
    while (k->n_past > left) clear_attempt(&k->past[--k->n_past].before);
}

static void remember(struct retrace *k, struct attempt *before)
{
    if (k->n_past == PAST) {
        clear_attempt(&k->past[0].before);
        memmove(k->past, k->past + 1, (PAST - 1) * sizeof *k->past);
        k->n_past--;
    }
    init_attempt(&k->past[k->n_past].before);
    swap_attempts(&k->past[k->n_past].before, before);
    k->past[k->n_past++].taken = k->taken;
}

/* From where a step was taken, other ones, until they get further than `a`. */
static bool take_another(struct retrace *k, struct attempt *a, const struct past *past)
{
    struct attempt b;
    bool helped = false;
    k->excluded[0] = past->taken;
    init_attempt(&b);
    for (uint32_t n = 1; n < SECOND_THOUGHTS && !helped && !is_over(k); n++) {
        copy_attempt(&b, &past->before);
        k->n_excluded = n;
        bool has_moved = try_changes(k, &b, 0, &(struct tries){false, true, TRIES}, NULL, NULL);
        k->n_excluded = 0;
        if (!has_moved) break;
        k->excluded[n] = k->taken;
        helped = climb(k, &b, 0, a->m, 0);
    }
    if (helped) swap_attempts(a, &b);
    clear_attempt(&b);
    return helped;
}

/* A step may have been wrong though it got further: a string that swallowed what should have followed it. */
static bool go_back(struct retrace *k, struct attempt *a)
{
    for (uint32_t i = k->n_past; i-- > 0 && !is_over(k);) {
        if (!take_another(k, a, &k->past[i])) continue;
        forget_past(k, i);
        return true;
    }
    return false;
}

static void search_tape(struct retrace *k, struct attempt *a)
{
    struct attempt before;
    bool helped = true;
    init_attempt(&before);
    while (helped && a->m <= k->aim->n && !is_over(k)) {
        copy_attempt(&before, a);
        helped = step(k, a, 0, 2);
        if (!helped) helped = try_counts(k, a, 0);
        if (!helped) helped = try_changes(k, a, 0, &(struct tries){false, true, TRIES}, NULL, NULL);
        if (helped) remember(k, &before);
        if (!helped) helped = go_back(k, a);
        if (!helped) helped = step(k, a, 0, DEPTH);
        if (helped) k->effort = 0;
        else if (k->effort < EFFORT) k->effort++, helped = true;
    }
    forget_past(k, 0);
    clear_attempt(&before);
}

/* The choices that were drawn before the last byte that is right: what comes behind them is anybody's. */
static void give_prefix(struct retrace *k, const struct attempt *a)
{
    uint32_t n = a->tape.n_choices;
    while (n > 0 && a->at[n - 1].at >= a->m) n--;
    sonde_script_prefix(&k->out->tape, &a->tape, n);
    sonde_tape_end(&k->out->tape);
    if (k->out->tape.n_spans) k->out->tape.spans[0].flags |= SONDE_SPAN_FREE;
}

void sonde_retrace(const struct sonde_import_test *test, struct sonde_guess *guess, struct sonde_retraced *out)
{
    struct retrace k = {.test = test, .guess = guess, .aim = test->aim, .out = out};
    struct attempt a;
    init_attempt(&a);
    sonde_tape_init(&k.script);
    sonde_tape_begin(&k.script);
    sonde_tape_end(&k.script);
    k.guide = sonde_guess_guide(guess);
    run(&k, &a);
    if (!k.aim->n_puts && out->has_failed) { /* it failed before it could write: then from the simplest input */
        k.guide = NULL;
        run(&k, &a);
        k.guide = sonde_guess_guide(guess);
    }
    out->n_puts = k.aim->n_puts;
    watch_run(&k, &a, NULL);
    for (uint32_t i = 0; i < a.tape.n_choices && a.at[i].at < a.m; i++) sonde_guess_confirm(guess, &a.tape, i, a.at[i]);
    if (out->n_puts) search_tape(&k, &a);
    out->is_whole = a.m > k.aim->n;
    out->n = out->is_whole ? k.aim->n : a.m;
    if (out->is_whole) sonde_tape_copy(&out->tape, &a.tape);
    else give_prefix(&k, &a);
    sonde_tape_clear(&k.script);
    clear_attempt(&a);
}
