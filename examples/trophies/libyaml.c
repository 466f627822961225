/* libyaml: a document of one scalar that the emitter writes is read back with that scalar. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

static void drop(void *document)
{
    yaml_document_delete(document);
}

/* Emits one document with one scalar, plain if the emitter allows it. */
static size_t emit(sonde *t, const char *value, unsigned char *out, size_t size)
{
    yaml_emitter_t emitter;
    yaml_event_t event;
    size_t n = 0;
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_string(&emitter, out, size, &n);
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    bool ok = yaml_emitter_emit(&emitter, &event);
    yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
    ok = ok && yaml_emitter_emit(&emitter, &event);
    yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)value, (int)strlen(value), 1, 1,
                                 YAML_ANY_SCALAR_STYLE);
    ok = ok && yaml_emitter_emit(&emitter, &event);
    yaml_document_end_event_initialize(&event, 1);
    ok = ok && yaml_emitter_emit(&emitter, &event);
    yaml_stream_end_event_initialize(&event);
    ok = ok && yaml_emitter_emit(&emitter, &event);
    yaml_emitter_delete(&emitter);
    sonde_check(t, ok);
    return n;
}

static void an_emitted_scalar_is_read_back(sonde *t)
{
    const char *value = sonde_string_of(t, "value", "ab :-#'\"", 0, 6);
    unsigned char *text = sonde_buffer(t, 1000);
    size_t n = emit(t, value, text, 1000);
    sonde_note(t, "emitted: \"%.*s\"", (int)n, (char *)text);
    yaml_parser_t parser;
    yaml_document_t *document = sonde_new(t, yaml_document_t);
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, text, n);
    bool loaded = yaml_parser_load(&parser, document);
    yaml_parser_delete(&parser);
    sonde_check(t, loaded);
    sonde_defer(t, drop, document);
    yaml_node_t *root = yaml_document_get_root_node(document);
    sonde_check(t, root != NULL);
    sonde_check_eq(t, (const char *)root->data.scalar.value, value);
}

SONDE_MAIN(an_emitted_scalar_is_read_back)
