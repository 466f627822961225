/* libyaml, after the YAML example of a coverage-guided fuzzer ("Flexible and Automatic Targeted Property-Based
 * Testing", section 5.3): a string of ASCII characters, nothing else known. Valid: it can be read. The events that were
 * read are written and read again, and must be the same; where they are not, this aborts, so that every tool sees
 * it. */
#include "programs/program.h"

#include <yaml.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_EVENTS = 512, LONGEST = 64 };

static unsigned char written[1 << 18];

void program_generate(sonde *t, struct text *out)
{
    static char ascii[128];
    for (int i = 0; i < 127; i++) ascii[i] = (char)(i + 1);
    text_add(out, "%s", sonde_string_of(t, "text", ascii, 0, LONGEST));
}

void program_start(void) {}

/* The events of a string, up to the end of the stream; -1: it cannot be read, or there are too many. */
static int read_events(const unsigned char *text, size_t n, yaml_event_t *events)
{
    yaml_parser_t parser;
    int n_events = 0;
    bool is_read = false;
    if (!yaml_parser_initialize(&parser)) return -1;
    yaml_parser_set_input_string(&parser, text, n);
    while (!is_read && n_events < MOST_EVENTS && yaml_parser_parse(&parser, &events[n_events]))
        is_read = events[n_events++].type == YAML_STREAM_END_EVENT;
    yaml_parser_delete(&parser);
    if (is_read) return n_events;
    while (n_events) yaml_event_delete(&events[--n_events]);
    return -1;
}

static bool is_same_text(const yaml_char_t *a, const yaml_char_t *b)
{
    return a && b ? strcmp((const char *)a, (const char *)b) == 0 : a == b;
}

static bool is_same(const yaml_event_t *a, const yaml_event_t *b)
{
    if (a->type != b->type) return false;
    switch (a->type) {
    case YAML_ALIAS_EVENT: return is_same_text(a->data.alias.anchor, b->data.alias.anchor);
    case YAML_SCALAR_EVENT:
        return is_same_text(a->data.scalar.anchor, b->data.scalar.anchor)
               && a->data.scalar.length == b->data.scalar.length
               && memcmp(a->data.scalar.value, b->data.scalar.value, a->data.scalar.length) == 0;
    case YAML_SEQUENCE_START_EVENT:
        return is_same_text(a->data.sequence_start.anchor, b->data.sequence_start.anchor)
               && is_same_text(a->data.sequence_start.tag, b->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return is_same_text(a->data.mapping_start.anchor, b->data.mapping_start.anchor)
               && is_same_text(a->data.mapping_start.tag, b->data.mapping_start.tag);
    default: return true;
    }
}

/* Writes events, which belong to the emitter from then on: so this reads them from the string again. Returns false if
 * the emitter refuses. */
static bool write_events(const char *text, size_t n, size_t *n_written)
{
    static yaml_event_t events[MOST_EVENTS];
    yaml_emitter_t emitter;
    int n_events = read_events((const unsigned char *)text, n, events), i = 0;
    if (!yaml_emitter_initialize(&emitter)) abort();
    yaml_emitter_set_output_string(&emitter, written, sizeof written, n_written);
    while (i < n_events && yaml_emitter_emit(&emitter, &events[i])) i++;
    yaml_emitter_delete(&emitter);
    bool is_written = i == n_events;
    for (i++; i < n_events; i++) yaml_event_delete(&events[i]);
    return is_written;
}

bool program_run(const char *text, size_t n)
{
    static yaml_event_t before[MOST_EVENTS], after[MOST_EVENTS];
    size_t n_written = 0;
    int n_before = read_events((const unsigned char *)text, n, before);
    if (n_before < 0) return false;
    int n_after = write_events(text, n, &n_written) ? read_events(written, n_written, after) : -2;
    bool is_same_stream = n_after == -2 || n_after == n_before;
    for (int i = 0; n_after >= 0 && i < n_before && i < n_after; i++) is_same_stream &= is_same(&before[i], &after[i]);
    for (int i = 0; i < n_before; i++) yaml_event_delete(&before[i]);
    for (int i = 0; i < n_after; i++) yaml_event_delete(&after[i]);
    if (!is_same_stream) abort();
    return true;
}
