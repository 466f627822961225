/* JSON, written to a stream. A format says what comes next, as printf's does, and the compiler checks its arguments as it
 * checks printf's; quotes, escapes and commas are made here, so that whatever the arguments hold, the output is JSON.
 *
 *     sonde_json_put(&to, "{kind: %s, line: %d, values: [", kind, line);
 *     for (i = 0; i < n; i++) sonde_json_put(&to, "%g", values[i]);
 *     sonde_json_put(&to, "]}");                            {"kind": "check", "line": 3, "values": [0.5, 1]}
 *
 * A format holds brackets, names before colons, values, and words (true, null, 1) that are written as they are. Blanks and
 * commas in it are for the reader. Values:
 *
 *     %s %.*s       a string with its quotes, null for NULL; before a colon, a name
 *     %d %u         an integer, with the lengths l, ll and z
 *     %hhd          a bool: true or false
 *     %g            a double with all its digits; "inf", "-inf" or "nan" as a string
 *     %.3f %.6g     a double with so many digits; null if it is not finite
 *
 * Bytes that are not UTF-8 become U+FFFD, control and deceptive characters escapes; the locale does not matter. */
#ifndef SONDE_BASE_JSON_H
#define SONDE_BASE_JSON_H

#include <sonde/extend.h>

/* Begin with {.out = stream}. Errors of the stream are looked for by whoever closes it. */
struct sonde_json_out {
    FILE *out;
    const char *between; /* separates the outermost values; NULL: ", " */
    bool has_value;      /* the innermost open bracket holds something: a comma comes next */
    bool has_name;       /* a name was written, and its value comes next */
    unsigned depth;      /* open brackets, at most 64 */
    uint64_t is_object;  /* a bit for each of them, the innermost lowest */
};

SONDE_PRINTF(2, 3) void sonde_json_put(struct sonde_json_out *to, const char *format, ...);
/* Writes n bytes as a string. */
void sonde_json_string(struct sonde_json_out *to, const char *text, size_t n);
/* Writes a value, or several with commas between them, that is JSON already. */
void sonde_json_raw(struct sonde_json_out *to, const char *json);

#endif
