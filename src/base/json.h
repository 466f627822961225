/* JSON, written to a stream by formats like printf's, whose arguments the compiler checks. Quotes, escapes and commas
 * are added here, so the output is valid JSON whatever the arguments hold.
 *
 *     sonde_json_put(&to, "{kind: %s, line: %d, values: [", kind, line);
 *     for (i = 0; i < n; i++) sonde_json_put(&to, "%g", values[i]);
 *     sonde_json_put(&to, "]}");                            {"kind": "check", "line": 3, "values": [0.5, 1]}
 *
 * A format holds brackets, names before colons, values, and words (true, null, 1) that are written unchanged. Blanks
 * and commas in it are ignored. Values:
 *
 *     %s %.*s       a string with its quotes, null for NULL; before a colon, a name
 *     %d %u         an integer, with the lengths l, ll and z
 *     %hhd          a bool: true or false
 *     %g            a double with all its digits; "inf", "-inf" or "nan" as a string
 *     %.3f %.6g     a double with this many digits; null if it is not finite
 *
 * Bytes that are not UTF-8 become U+FFFD; control and deceptive characters become escapes. The locale is ignored. */
#ifndef SONDE_BASE_JSON_H
#define SONDE_BASE_JSON_H

#include <sonde/extend.h>

/* A JSON output; begin with {.out = stream}. The code that closes the stream checks it for errors. */
struct sonde_json_out {
    FILE *out;
    const char *between; /* separates the outermost values; NULL: ", " */
    bool has_value;      /* the innermost open bracket has a value: a comma comes next */
    bool has_name;       /* a name was written, and its value comes next */
    unsigned depth;      /* number of open brackets, at most 64 */
    uint64_t is_object;  /* a bit for each open bracket, set for an object; the innermost is the lowest bit */
};

/* Writes what a format describes; see above. */
SONDE_PRINTF(2, 3) void sonde_json_put(struct sonde_json_out *to, const char *format, ...);
/* Writes n bytes as a string. */
void sonde_json_string(struct sonde_json_out *to, const char *text, size_t n);
/* Writes a string that is JSON already: a value, or several with commas between them. */
void sonde_json_raw(struct sonde_json_out *to, const char *json);

#endif
