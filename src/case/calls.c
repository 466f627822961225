/* See calls.h. */
#include "case/calls.h"

#include "case/linear.h"
#include "tape/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Maximum lengths in a report: characters of an argument, and words of the memory of a call without a printer. */
enum { VALUE = 256, WORDS = 8 };

/* ---- Arguments */

static bool is_argument(const struct sonde_choice *c)
{
    return c->kind != SONDE_KIND_LENGTH && c->kind != SONDE_KIND_SIZE && !(c->flags & SONDE_CHOICE_RULE);
}

/* Returns the string of the user's printer for the outermost span inside `span` that holds the choice, and sets `end`
 * to the span's end. Returns NULL if no printer showed the choice. */
static const char *shown_around(const sonde *t, uint32_t span, uint32_t choice, uint32_t *end)
{
    const struct sonde_tape *tape = &t->tape;
    for (uint32_t i = span + 1; i < tape->n_spans; i++) {
        const struct sonde_tape_span *s = &tape->spans[i];
        const char *text = choice >= s->start && choice < s->end ? sonde_case_shown(t, i) : NULL;
        if (!text) continue;
        *end = s->end;
        return text;
    }
    return NULL;
}

/* The first choice of the call is its rule; the others are its arguments. */
void sonde_call_write(FILE *out, const sonde *t, const struct sonde_made_call *c)
{
    const struct sonde_tape *tape = &t->tape;
    const struct sonde_tape_span *s = &tape->spans[c->span];
    uint32_t end = s->end > s->start ? s->end : tape->n_choices, n = 0;
    for (uint32_t i = s->start + 1; i < end; i++) n += is_argument(&tape->choices[i]);
    fprintf(out, "%s(", c->rule->name);
    const char *before = "";
    for (uint32_t i = s->start + 1; i < end; i++) {
        char text[VALUE];
        uint32_t next = i + 1;
        const char *shown = shown_around(t, c->span, i, &next);
        if (!shown && !is_argument(&tape->choices[i])) continue;
        if (!shown) sonde_choice_print(tape, &tape->choices[i], text, sizeof text);
        if (!shown && n > 1)
            fprintf(out, "%s%s = %s", before, sonde_label_text(t->labels, tape->choices[i].label), text);
        else fprintf(out, "%s%s", before, shown ? shown : text);
        before = ", ";
        i = next - 1;
    }
    fputc(')', out);
}

/* ---- Results */

/* Returns whether two words of memory look like an address. Addresses differ from run to run. */
static bool is_address(const uint32_t *words, size_t i, size_t n)
{
    enum { FROM = 0x5500, UPTO = 0x7fff }; /* upper halves of addresses of programs, heaps and stacks on Linux */
    return sizeof(void *) == 8 && i % 2 == 0 && i + 1 < n && words[i + 1] >= FROM && words[i + 1] <= UPTO;
}

static void write_memory(FILE *out, const void *call, size_t size)
{
    uint32_t words[WORDS] = {0};
    size_t n = (size + sizeof *words - 1) / sizeof *words;
    memcpy(words, call, size < sizeof words ? size : sizeof words);
    fputc('[', out);
    for (size_t i = 0; i < n && i < WORDS; i++) {
        if (is_address(words, i, n)) fprintf(out, "%saddress", i ? ", " : ""), i++;
        else fprintf(out, "%s%" PRId32, i ? ", " : "", (int32_t)words[i]);
    }
    fputs(n > WORDS ? ", ...]" : "]", out);
}

static bool has_printer(const sonde_machine *machine)
{
    for (size_t i = 0; i < machine->n_rules; i++)
        if (machine->rules[i].print) return true;
    return false;
}

void sonde_call_write_end(FILE *out, const sonde_machine *machine, const struct sonde_made_call *c)
{
    if (c->began == SONDE_PENDING) {
        fputs(", not called", out);
    } else if (c->ended == SONDE_PENDING) {
        fputs(" does not return", out);
    } else if (c->rule->print) {
        fputs(" -> ", out);
        c->rule->print(out, c->call);
    } else if (machine->call && !has_printer(machine)) {
        fputs(" -> call ", out);
        write_memory(out, c->call, machine->call);
        if (machine->value) fprintf(out, ", value %" PRIu64, machine->value(c->call));
    }
}
