/* See learn_notes.h. While a case runs, the tallies that it touches are only listed, because its verdict is not known
 * yet; sonde_learn_notes_end counts them. Tables have a fixed size: points that appear late are not explained. The
 * notes have no influence on the search. */
#include "guide/rl/learn_notes.h"

#include <inttypes.h>
#include <string.h>

/* Lists a tally. Pointers into the notes stay valid: the arrays are inside the structure and never move. */
static void list_tally(struct sonde_learn_notes *notes, struct sonde_learn_tally *tally)
{
    if (notes->n_pending < NOTES_PENDING) notes->pending[notes->n_pending++] = tally;
}

/* A point is a site: the same draw at another depth is the same point. */
struct sonde_learn_point_note *sonde_learn_notes_draw(struct sonde_learn_notes *notes, const struct sonde_choice *point,
                                                      uint32_t span, uint32_t bucket)
{
    uint32_t i = 0;
    while (i < notes->n_points && notes->points[i].point.site != point->site) i++;
    if (i == NOTES_POINTS) return NULL;
    struct sonde_learn_point_note *note = &notes->points[i];
    if (i == notes->n_points) {
        notes->n_points++;
        note->point = *point;
        note->span = span;
    }
    list_tally(notes, &note->all);
    list_tally(notes, &note->buckets[bucket]);
    return note;
}

void sonde_learn_notes_relation(struct sonde_learn_notes *notes, struct sonde_learn_point_note *note,
                                const struct sonde_learn_class *class, uint32_t mask)
{
    uint32_t i = 0;
    while (i < note->n_relations && note->relations[i].class.key != class->key) i++;
    if (i == NOTES_RELATIONS) return;
    if (i == note->n_relations) note->relations[note->n_relations++].class = *class;
    list_tally(notes, &note->relations[i].masks[mask]);
}

void sonde_learn_notes_state(struct sonde_learn_notes *notes, struct sonde_learn_point_note *note,
                             struct sonde_learn_state state, uint32_t bucket)
{
    /* A state without a draw around it has no name. */
    if (state.label == 0) return;
    uint32_t i = 0;
    while (i < note->n_states && note->states[i].state.key != state.key) i++;
    if (i == NOTES_STATES) return;
    if (i == note->n_states) note->states[note->n_states++].state = state;
    list_tally(notes, &note->states[i].all);
    list_tally(notes, &note->states[i].buckets[bucket]);
}

void sonde_learn_notes_end(struct sonde_learn_notes *notes, bool is_valid)
{
    for (uint32_t i = 0; i < notes->n_pending; i++) {
        notes->pending[i]->n++;
        notes->pending[i]->valid += is_valid;
    }
    notes->n_pending = 0;
}

/* ---- Printing */

enum { PERCENT = 100 };
/* Differences between shares of valid inputs that are worth printing: */
static const double noticeable = 0.1, /* between the inputs with one value and all inputs */
    clear = 0.2;                      /* between relations */

static double rate(struct sonde_learn_tally t)
{
    return t.n ? (double)t.valid / t.n : 0;
}

/* Prints the value of a bucket; for a wide domain only its order of magnitude. */
static void print_value(const struct sonde_choice *point, uint32_t bucket, FILE *out)
{
    if (point->kind == SONDE_KIND_BOOL || point->kind == SONDE_KIND_CHANCE) fputs(bucket ? "true" : "false", out);
    else if (point->max >= SONDE_LEARN_NARROW) fprintf(out, "size %" PRIu32, bucket);
    else if (point->kind == SONDE_KIND_UINT) fprintf(out, "%" PRIu64, point->base + bucket);
    else fprintf(out, "%" PRId64, sonde_learn_value(NULL, point, bucket));
}

/* Returns how many buckets a point can have. */
static uint32_t columns_of(const struct sonde_choice *point)
{
    return point->max < SONDE_LEARN_NARROW ? (uint32_t)point->max + 1 : SONDE_LEARN_NARROW;
}

/* Returns the name of a label for readers. Labels of the library itself have internal names. */
static const char *name_of(const struct sonde_labels *names, uint32_t label)
{
    const char *text = sonde_label_text(names, label);
    return strcmp(text, SONDE_LABEL_LENGTH) == 0 ? "length" : strcmp(text, SONDE_LABEL_SIZE) == 0 ? "size" : text;
}

/* Prints the values whose inputs are valid more often, or less often, than all inputs with this point. */
static void print_values(const struct sonde_choice *point, struct sonde_learn_tally all,
                         const struct sonde_learn_tally *buckets, FILE *out)
{
    enum {
        SHOWN = 8,  /* maximum number of values in one line */
        ENOUGH = 20 /* a value is shown if it was drawn at least this often */
    };
    for (int preferred = 1; preferred >= 0; preferred--) {
        unsigned n = 0;
        for (uint32_t i = 0; i < columns_of(point); i++) {
            struct sonde_learn_tally t = buckets[i];
            if (t.n < ENOUGH || (preferred ? rate(t) < rate(all) + noticeable : rate(t) > rate(all) - noticeable))
                continue;
            fputs(n > 0 ? ", " : preferred ? "      good: " : "      bad:  ", out);
            if (n++ == SHOWN) {
                fputs("...", out);
                break;
            }
            print_value(point, i, out);
            fprintf(out, " (%.0f %%)", PERCENT * rate(t));
        }
        if (n) fputc('\n', out);
    }
}

/* Prints the most common states and their values, in descending order. `last` is the count of the state before, so of
 * two states with the same count only one is shown. */
static void print_states(const struct sonde_learn_point_note *note, const struct sonde_labels *names, FILE *out)
{
    enum {
        SHOWN = 4,  /* maximum number of states that are printed */
        ENOUGH = 30 /* a state is shown if it had at least this many draws */
    };
    uint32_t last = UINT32_MAX;
    for (int shown = 0; shown < SHOWN; shown++) {
        const struct sonde_learn_state_note *next = NULL;
        for (uint32_t i = 0; i < note->n_states; i++) {
            const struct sonde_learn_state_note *s = &note->states[i];
            if (s->all.n < last && s->all.n >= ENOUGH && (!next || s->all.n > next->all.n)) next = s;
        }
        if (!next) return;
        last = next->all.n;
        fprintf(out, "    where \"%s\" around it is %" PRId64, name_of(names, next->state.label), next->state.value);
        if (next->state.by && next->state.by != next->state.label)
            fprintf(out, ", behind \"%s\"", name_of(names, next->state.by));
        fprintf(out, ": %.0f %%\n", PERCENT * rate(next->all));
        print_values(&note->point, next->all, next->buckets, out);
    }
}

/* Prints a mask. Bits as in rl.c, mask_of: 1 less, 2 equal, 4 greater. */
static void print_mask(uint32_t mask, FILE *out)
{
    static const char *const words[8] = {"",
                                         "less than all",
                                         "equal to all",
                                         "equal to one and less than the rest",
                                         "greater than all",
                                         "between",
                                         "equal to one and greater than the rest",
                                         "equal to one of several"};
    fputs(words[mask], out);
}

static void print_class(const struct sonde_learn_class *class, const struct sonde_labels *names, FILE *out)
{
    const char *label = name_of(names, class->label);
    switch (class->sort) {
    case LEARN_OWN_NEAREST: fprintf(out, "the \"%s\" drawn before it", label); break;
    case LEARN_OWN: fprintf(out, "every \"%s\" drawn before it here", label); break;
    case LEARN_SIBLING_NEAREST: fprintf(out, "the \"%s\" of the previous element", label); break;
    case LEARN_SIBLINGS: fprintf(out, "every \"%s\" of the elements before", label); break;
    case LEARN_PAIRED: fprintf(out, "every \"%s\" that followed the same draw in an element before", label); break;
    case LEARN_MIRROR: fprintf(out, "the \"%s\" at the same distance from the other end", label); break;
    case LEARN_BALANCE: fprintf(out, "the value that would balance an equation"); break;
    case LEARN_PARENT: fprintf(out, "the value that would balance an equation of the enclosing span"); break;
    case LEARN_ANCESTORS:
        fprintf(out, "every \"%s\" of an enclosing span", label);
        if (class->by) fprintf(out, ", reached through \"%s\"", name_of(names, class->by));
        break;
    }
}

/* Prints a relation, if the share of valid inputs depends on it. */
static void print_relation(const struct sonde_learn_relation_note *r, const struct sonde_labels *names, FILE *out)
{
    enum { ENOUGH = 10 }; /* a mask counts if it had at least this many draws */
    double low = 1, high = 0;
    for (uint32_t m = 1; m < 8; m++) {
        if (r->masks[m].n < ENOUGH) continue;
        if (rate(r->masks[m]) < low) low = rate(r->masks[m]);
        if (rate(r->masks[m]) > high) high = rate(r->masks[m]);
    }
    if (high - low < clear) return;
    fputs("    compared with ", out);
    print_class(&r->class, names, out);
    struct sonde_learn_tally others = {0, 0};
    unsigned n = 0;
    for (uint32_t m = 1; m < 8; m++) {
        if (r->masks[m].n >= ENOUGH && rate(r->masks[m]) > high - clear) {
            fputs(n++ ? ", " : ": ", out);
            print_mask(m, out);
            fprintf(out, " (%.0f %%)", PERCENT * rate(r->masks[m]));
        } else {
            others.n += r->masks[m].n;
            others.valid += r->masks[m].valid;
        }
    }
    fprintf(out, ", otherwise (%.0f %%)\n", PERCENT * rate(others));
}

void sonde_learn_notes_print(const struct sonde_learn_notes *notes, const struct sonde_labels *names, FILE *out)
{
    if (notes->n_points == 0) {
        fputs("  nothing: hardly any input was discarded\n", out);
        return;
    }
    fputs("  In brackets: how many of the inputs with such a value were valid.\n", out);
    for (uint32_t i = 0; i < notes->n_points; i++) {
        const struct sonde_learn_point_note *note = &notes->points[i];
        if (note->all.n == 0) continue;
        fprintf(out, "  \"%s\"", name_of(names, note->point.label));
        if (note->span) fprintf(out, " in \"%s\"", name_of(names, note->span));
        fprintf(out, ": %" PRIu32 " draws examined, %.0f %% in valid inputs\n", note->all.n, PERCENT * rate(note->all));
        print_values(&note->point, note->all, note->buckets, out);
        for (uint32_t k = 0; k < note->n_relations; k++) print_relation(&note->relations[k], names, out);
        print_states(note, names, out);
    }
}
