/* See moves.h. Each move finds its changes to a choice or to an open part, and applies one. The worth of a change is
 * how often changes of the same site helped before. It is less for choices far from the first wrong byte ("the
 * difference"), and for choices followed by many right bytes. Of several values for a choice, the later ones are worth
 * less. */
#include "import/moves.h"

#include "base/mem.h"
#include "tape/literal.h"
#include "tape/script.h"

#include <stdlib.h>

/* The number of choices before the difference that are changed. With half or twice this number, as many files are
 * imported. */
enum { NEAR = 40 };

/* Lowers the worth of a change for each choice between it and the difference; with half or twice this number, imports
 * differ little. */
static const double DISTANCE = 0.15;
/* Lowers the worth of a change for each right byte written since the choice; with 0, imports take more runs. */
static const double SETTLED = 0.05;
/* Lowers the worth of a change for each value of the choice that is tried before it. */
static const double RANK = 0.3;
/* Does the same as RANK, for a choice drawn right at the difference. With one number for both, imports take more
 * runs. */
static const double RANK_HERE = 0.05;
/* Factor for the worth of changing a list, since lengths are wrong more often than other choices. With 1, imports take
 * more runs. */
static const double LISTS = 2;

/* The arguments of a search for changes. */
struct finding {
    const struct sonde_aim *aim;
    const struct sonde_guess *guess;
    const struct sonde_import_run *run;
    struct sonde_changes *out;
};

/* The arguments for applying a change. */
struct edit {
    const struct sonde_aim *aim;
    const struct sonde_import_run *run;
    const struct sonde_change *change;
    struct sonde_tape *script;
};

uint32_t sonde_moves_blamed(const struct sonde_import_run *run, const struct sonde_change *change)
{
    return run->tape.choices[change->choice].site + (change->move != SONDE_IMPORT_REDRAW);
}

/* Adds a change that is worth `like.worth` times the share of changes at its site that helped. */
static void add(const struct finding *f, struct sonde_change like, double distance, uint32_t rank)
{
    struct sonde_changes *out = f->out;
    like.worth *= sonde_guess_blamed(f->guess, sonde_moves_blamed(f->run, &like));
    bool is_here = f->run->at[like.choice].at == f->run->m;
    like.worth /= (1 + DISTANCE * distance) * (1 + (is_here ? RANK_HERE : RANK) * rank);
    like.order = out->n;
    out->all = sonde_grow(out->all, &out->cap, (size_t)out->n + 1, sizeof *out->all);
    out->all[out->n++] = like;
}

/* Returns the number of bytes of the target that are still to be written, plus one. */
static uint64_t bytes_left(const struct finding *f)
{
    return f->aim->n + 1 - (uint64_t)f->run->m;
}

/* ---- Changes to a choice */

/* Adds all other values of a choice. */
static void find_answers(const struct finding *f, struct sonde_change like, double distance)
{
    struct sonde_answer answers[SONDE_ANSWERS];
    const struct sonde_import_run *run = f->run;
    const struct sonde_choice *choice = &run->tape.choices[like.choice];
    struct sonde_guess_at at = run->at[like.choice];
    if (choice->flags & SONDE_CHOICE_FORCED) return;
    if (choice->kind == SONDE_KIND_LENGTH && like.move == SONDE_IMPORT_REDRAW) return;
    /* for the last choice, ALTER is the same as REDRAW */
    if (like.choice + 1 == run->tape.n_choices && like.move == SONDE_IMPORT_ALTER) return;
    if (run->m > at.at) like.worth /= 1 + SETTLED * (run->m - at.at);
    uint32_t n = sonde_guess_answers(f->guess, &run->tape, like.choice, at, run->m, answers);
    for (uint32_t i = 0; i < n; i++) {
        like.answer = answers[i];
        add(f, like, distance, i);
    }
}

/* Adds other counts of a loop. The draws of the first site in the loop, until the count is drawn again, tell how many
 * rounds there were. The last round went wrong, so the count without it comes first: a count that is too large looks
 * as if it had no effect. A loop that ended too early gets one more round for each byte that is left. */
static void find_repeats(const struct finding *f, struct sonde_change like, double distance)
{
    const struct sonde_tape *tape = &f->run->tape;
    const struct sonde_choice *choice = &tape->choices[like.choice], *first = choice + 1;
    uint64_t n = 0;
    (void)distance; /* not used: a loop may have begun at any distance from the difference */
    if ((choice->kind != SONDE_KIND_INT && choice->kind != SONDE_KIND_UINT) || choice->flags & SONDE_CHOICE_FORCED)
        return;
    for (uint32_t i = like.choice + 1; i < tape->n_choices && tape->choices[i].site != choice->site; i++)
        n += tape->choices[i].site == first->site;
    const uint64_t wanted[] = {n - 1, n, n + bytes_left(f)};
    for (uint32_t i = 0; i < (n > 1 ? 3 : n + n); i++) {
        bool fits;
        const struct sonde_value value = {.type = SONDE_VALUE_UINT, .as.u = wanted[i]};
        like.answer.index = sonde_choice_index(tape, choice, value, &fits);
        if (!fits) like.answer.index = choice->max;
        if (like.answer.index != choice->index) add(f, like, 0, i / 2);
    }
}

/* Adds bytes to the script as a literal, in hexadecimal for a blob of bytes. Returns its offset. */
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

/* Sets the answer of the change in the script; a blob becomes a literal copied from the target. */
static void set_answer(const struct edit *e)
{
    uint32_t c = e->change->choice;
    const struct sonde_answer *answer = &e->change->answer;
    e->script->choices[c].index = answer->index;
    if (e->script->choices[c].kind != SONDE_KIND_BLOB) return;
    struct sonde_blob blob = sonde_choice_blob(e->script, &e->script->choices[c]);
    uint32_t base = add_text(e->script, &blob, e->aim->text + answer->from, answer->n);
    e->script->choices[c].base = base;
    e->script->choices[c].kind = SONDE_KIND_LITERAL;
}

static void redraw(const struct edit *e)
{
    sonde_script_prefix(e->script, &e->run->tape, e->change->choice + 1);
    set_answer(e);
}

static void alter(const struct edit *e)
{
    sonde_tape_copy(e->script, &e->run->tape);
    set_answer(e);
}

/* ---- Changes to lists */

/* Returns whether a span ends at the difference, or within the draws for the piece that has the difference. */
static bool reaches_up(const struct sonde_import_run *run, uint32_t span)
{
    return run->tape.spans[span].end == run->tape.n_choices || run->tape.spans[span].end > run->since;
}

/* Counts the elements of a list that wrote right bytes. */
static uint32_t count_elements(const struct sonde_import_run *run, uint32_t list)
{
    const struct sonde_tape *tape = &run->tape;
    uint32_t n = 0;
    for (uint32_t i = list + 1; i < tape->spans[list].next; i = tape->spans[i].next) {
        const struct sonde_tape_span *s = &tape->spans[i];
        if (!(s->flags & SONDE_SPAN_ELEMENT) || s->flags & SONDE_SPAN_REJECTED) continue;
        bool is_empty = s->start >= tape->n_choices || s->start == s->end;
        n += is_empty ? s->next < tape->n_spans : run->at[s->start].at < run->m;
    }
    return n;
}

/* Returns the index of a length, or of the nearest possible length. */
static uint64_t index_of_length(const struct sonde_choice *c, uint64_t length)
{
    uint64_t index = length < c->base ? 0 : length - c->base;
    return index < c->max ? index : c->max;
}

/* Adds other lengths of a list. They are: n, the number of right elements; n plus one for each byte left; one more
 * than now; n plus or minus one. */
static void find_lengths(const struct finding *f, struct sonde_change like, double distance)
{
    const struct sonde_tape *tape = &f->run->tape;
    uint32_t c = sonde_list_length(tape, like.span);
    if (c == UINT32_MAX || tape->choices[c].flags & SONDE_CHOICE_FORCED) return;
    const struct sonde_choice *choice = &tape->choices[c];
    uint64_t right = count_elements(f->run, like.span);
    const uint64_t wanted[] = {right, right + bytes_left(f), choice->base + choice->index + 1, right + 1,
                               right ? right - 1 : 0};
    like.choice = c;
    like.worth = LISTS;
    for (uint32_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        like.answer.index = index_of_length(choice, wanted[i]);
        if (like.move == SONDE_IMPORT_END || like.answer.index != choice->index) add(f, like, distance, i);
        if (like.move == SONDE_IMPORT_END) return;
    }
}

static void end_lists(const struct edit *e)
{
    const struct sonde_tape *tape = &e->run->tape;
    alter(e);
    for (uint32_t i = e->change->span + 1; i < tape->n_spans; i++) {
        uint32_t c = reaches_up(e->run, i) ? sonde_list_length(tape, i) : UINT32_MAX;
        if (c != UINT32_MAX)
            e->script->choices[c].index = index_of_length(&tape->choices[c], count_elements(e->run, i));
    }
}

/* ---- Changes to parts that contain parts like themselves */

/* Returns the first span inside `span`, from `from` on, that has the same label; SONDE_NO_SPAN if there is none. Skips
 * the descendants of the spans it passes. */
static uint32_t find_alike(const struct sonde_tape *tape, uint32_t span, uint32_t from)
{
    while (from < tape->spans[span].next && tape->spans[from].label != tape->spans[span].label)
        from = tape->spans[from].next;
    return from < tape->spans[span].next ? from : SONDE_NO_SPAN;
}

/* Adds changes that wrap a part in another part like itself. */
static void find_wraps(const struct finding *f, struct sonde_change like, double distance)
{
    const struct sonde_tape *tape = &f->run->tape;
    uint32_t child = find_alike(tape, like.span, like.span + 1);
    (void)distance;
    if (child == SONDE_NO_SPAN) return;
    for (uint32_t c = tape->spans[like.span].start; c < tape->spans[child].start; c++) {
        if (tape->choices[c].span != like.span || !sonde_choice_is_constructor(&tape->choices[c])) continue;
        like.choice = c;
        find_answers(f, like, 0);
        like.answer = (struct sonde_answer){.index = tape->choices[c].index};
        add(f, like, 0, 0);
    }
}

/* Replaces a part by a new one: its direct choices up to the changed one, followed by the whole old part. */
static void wrap(const struct edit *e)
{
    struct sonde_tape outer, inserted;
    const struct sonde_tape *from = &e->run->tape;
    const struct sonde_tape_span *s = &from->spans[e->change->span];
    sonde_tape_init(&outer);
    sonde_tape_init(&inserted);
    sonde_tape_begin(&outer);
    uint32_t span = sonde_tape_open(&outer, 0, s->label, s->flags);
    for (uint32_t c = s->start; c <= e->change->choice; c++) {
        struct sonde_choice choice = from->choices[c];
        if (choice.span != e->change->span || choice.kind == SONDE_KIND_BLOB || choice.kind == SONDE_KIND_DOUBLE)
            continue;
        choice.span = span;
        if (c == e->change->choice) choice.index = e->change->answer.index;
        sonde_tape_add(&outer, &choice);
    }
    sonde_tape_close(&outer, span);
    sonde_tape_end(&outer);
    sonde_script_insert(&inserted, &outer, span, SONDE_NO_SPAN, from, e->change->span);
    sonde_script_replace(e->script, from, e->change->span, &inserted, span);
    sonde_tape_clear(&outer);
    sonde_tape_clear(&inserted);
}

/* Adds changes that replace a part by a part inside it. */
static void find_unwraps(const struct finding *f, struct sonde_change like, double distance)
{
    const struct sonde_tape *tape = &f->run->tape;
    (void)distance;
    like.choice = tape->spans[like.span].start;
    for (uint32_t part = find_alike(tape, like.span, like.span + 1); part != SONDE_NO_SPAN;
         part = find_alike(tape, part, part + 1)) {
        like.part = part;
        add(f, like, 0, 0);
    }
}

static void unwrap(const struct edit *e)
{
    const struct sonde_tape *tape = &e->run->tape;
    sonde_script_replace(e->script, tape, e->change->span, tape, e->change->part);
}

/* ---- The table */

/* The finders and the applier of each move. `like` holds the move and the choice or the span to be changed. Distances
 * are counted in choices, or in open parts. */
static const struct move {
    void (*of_choice)(const struct finding *f, struct sonde_change like, double distance);
    void (*of_span)(const struct finding *f, struct sonde_change like, double distance);
    void (*apply)(const struct edit *e);
    bool is_far; /* choices far from the difference are changed too */
} moves[SONDE_IMPORT_MOVES] = {
    [SONDE_IMPORT_REDRAW] = {.of_choice = find_answers, .apply = redraw},
    [SONDE_IMPORT_ALTER] = {.of_choice = find_answers, .apply = alter},
    [SONDE_IMPORT_REPEAT] = {.of_choice = find_repeats, .apply = alter, .is_far = true},
    [SONDE_IMPORT_RESIZE] = {.of_span = find_lengths, .apply = alter},
    [SONDE_IMPORT_END] = {.of_span = find_lengths, .apply = end_lists},
    [SONDE_IMPORT_WRAP] = {.of_span = find_wraps, .apply = wrap},
    [SONDE_IMPORT_UNWRAP] = {.of_span = find_unwraps, .apply = unwrap},
};

static int by_worth(const void *a, const void *b)
{
    const struct sonde_change *x = a, *y = b;
    if (x->worth != y->worth) return x->worth > y->worth ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void sonde_moves_find(const struct sonde_aim *aim, const struct sonde_guess *guess, const struct sonde_import_run *run,
                      uint32_t floor, struct sonde_changes *out)
{
    const struct finding f = {aim, guess, run, out};
    const struct sonde_tape *tape = &run->tape;
    uint32_t n = tape->n_choices, depth = 0;
    out->n = 0;
    for (uint32_t c = n; c-- > floor;)
        for (enum sonde_import_move i = 0; i < SONDE_IMPORT_MOVES; i++)
            if (moves[i].of_choice && (n - c <= NEAR || moves[i].is_far))
                moves[i].of_choice(&f, (struct sonde_change){.move = i, .choice = c, .worth = 1}, n - 1 - c);
    for (uint32_t span = tape->n_spans; span-- > 1;) {
        if (!reaches_up(run, span) || tape->spans[span].start >= n) continue;
        depth++;
        for (enum sonde_import_move i = 0; i < SONDE_IMPORT_MOVES; i++)
            if (moves[i].of_span)
                moves[i].of_span(&f, (struct sonde_change){.move = i, .span = span, .worth = 1}, depth);
    }
    if (out->n) qsort(out->all, out->n, sizeof *out->all, by_worth);
}

void sonde_moves_apply(const struct sonde_aim *aim, const struct sonde_import_run *run,
                       const struct sonde_change *change, struct sonde_tape *script)
{
    const struct edit e = {aim, run, change, script};
    moves[change->move].apply(&e);
}
