/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include "yaml.h"
static yaml_char_t *word(const char *text)
{
    return (yaml_char_t *)(uintptr_t)text;
}
static void scalar(yaml_emitter_t *emitter, const char *anchor, const char *text)
{
    yaml_event_t event;
    yaml_scalar_event_initialize(&event, word(anchor), NULL, word(text), -1, 1, 1, YAML_PLAIN_SCALAR_STYLE);
    yaml_emitter_emit(emitter, &event);
}
static void alias_or_scalar(sonde *t, yaml_emitter_t *emitter, const char *text)
{
    yaml_event_t event;
    if (!sonde_bool(t, "alias")) {
        scalar(emitter, NULL, text);
        return;
    }
    yaml_alias_event_initialize(&event, word("x"));
    yaml_emitter_emit(emitter, &event);
}
SONDE_PROPERTY(emits)
{
    yaml_emitter_t emitter;
    yaml_event_t event;
    unsigned char out[1000];
    size_t n_out = 0;
    yaml_emitter_initialize(&emitter);
    yaml_emitter_set_output_string(&emitter, out, sizeof out, &n_out);
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    yaml_emitter_emit(&emitter, &event);
    yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1);
    yaml_emitter_emit(&emitter, &event);
    bool flow = sonde_bool(t, "flow");
    yaml_mapping_start_event_initialize(&event, NULL, NULL, 1,
                                        flow ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE);
    yaml_emitter_emit(&emitter, &event);
    scalar(&emitter, "x", "first");
    scalar(&emitter, NULL, "value");
    for (sonde_list xs = sonde_list_of(t, "pairs", 0, 5); sonde_more(&xs);) {
        alias_or_scalar(t, &emitter, "key");
        alias_or_scalar(t, &emitter, "value");
    }
    yaml_mapping_end_event_initialize(&event);
    yaml_emitter_emit(&emitter, &event);
    yaml_document_end_event_initialize(&event, 1);
    yaml_emitter_emit(&emitter, &event);
    yaml_stream_end_event_initialize(&event);
    yaml_emitter_emit(&emitter, &event);
    sonde_observe(t, "text", out, n_out);
    yaml_emitter_delete(&emitter);
}
SONDE_MAIN()
