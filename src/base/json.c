/* See json.h. */
#include "base/json.h"

#include "base/bytes.h"
#include "base/visible.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* YAML refuses some characters that JSON allows; TAP's diagnostics are read as YAML. */
static bool is_foreign_to_yaml(uint32_t code)
{
    return code == 0xfffe || code == 0xffff;
}

size_t sonde_json_character(const char *text, size_t n, char out[SONDE_JSON_CHARACTER])
{
    uint32_t code;
    size_t length = sonde_next_character(text, n, &code);
    if (code == UINT32_MAX) snprintf(out, SONDE_JSON_CHARACTER, "\xef\xbf\xbd");
    else if (code == '"' || code == '\\') snprintf(out, SONDE_JSON_CHARACTER, "\\%c", (char)code);
    else if (code == '\n') snprintf(out, SONDE_JSON_CHARACTER, "\\n");
    else if (code == '\t') snprintf(out, SONDE_JSON_CHARACTER, "\\t");
    else if (sonde_is_control(code) || sonde_is_deceptive(code) || is_foreign_to_yaml(code))
        snprintf(out, SONDE_JSON_CHARACTER, "\\u%04" PRIx32, code & 0xffff);
    else snprintf(out, SONDE_JSON_CHARACTER, "%.*s", (int)length, text);
    return length;
}

void sonde_bytes_add_json(struct sonde_bytes *out, const char *text, size_t n)
{
    char character[SONDE_JSON_CHARACTER];
    sonde_bytes_add(out, "\"", 1);
    for (size_t i = 0; i < n;) {
        i += sonde_json_character(text + i, n - i, character);
        sonde_bytes_add(out, character, strlen(character));
    }
    sonde_bytes_add(out, "\"", 1);
}
