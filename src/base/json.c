/* See json.h. */
#include "base/json.h"

#include "base/check.h"
#include "base/visible.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Values */

/* Returns whether JSON allows and YAML rejects a character. TAP's diagnostics are read as YAML. */
static bool is_foreign_to_yaml(uint32_t code)
{
    return code == 0xfffe || code == 0xffff;
}

static void write_string(FILE *out, const char *text, size_t n)
{
    fputc('"', out);
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t code;
        length = sonde_next_character(text + i, n - i, &code);
        if (code == UINT32_MAX) fputs("\xef\xbf\xbd", out);
        else if (code == '"' || code == '\\') fprintf(out, "\\%c", (char)code);
        else if (code == '\n') fputs("\\n", out);
        else if (code == '\t') fputs("\\t", out);
        else if (sonde_is_control(code) || sonde_is_deceptive(code) || is_foreign_to_yaml(code))
            fprintf(out, "\\u%04" PRIx32, code & 0xffff);
        else fwrite(text + i, 1, length, out);
    }
    fputc('"', out);
}

/* Fills `text` with 15, 16 or 17 digits, the fewest that read back as the same number. Compares without ==, because
 * some compilers warn about == for doubles. */
static void print_exactly(char *text, size_t size, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        snprintf(text, size, "%.*g", digits, value);
        if (sscanf(text, "%lf", &back) == 1 && !(back < value) && !(back > value)) break;
    }
}

/* Writes all digits if `precision` is negative. */
static void write_double(FILE *out, double value, int precision, char letter)
{
    char text[400]; /* 1e308 by %f has 309 digits */
    if (!isfinite(value) && precision >= 0) snprintf(text, sizeof text, "null");
    else if (isnan(value)) snprintf(text, sizeof text, "\"nan\"");
    else if (isinf(value)) snprintf(text, sizeof text, value < 0 ? "\"-inf\"" : "\"inf\"");
    else if (precision < 0) print_exactly(text, sizeof text, value);
    else snprintf(text, sizeof text, letter == 'f' ? "%.*f" : "%.*g", precision, value);
    char *comma = strchr(text, ',');
    if (comma) *comma = '.'; /* some locales write a comma as the decimal point */
    fputs(text, out);
}

/* ---- Structure */

/* Writes what must precede a name, or a value without a name. */
static void separate(struct sonde_json_out *to, bool is_name)
{
    sonde_assert(!to->depth || to->has_name || is_name == (to->is_object & 1));
    if (to->has_value) fputs(to->between && !to->depth ? to->between : ", ", to->out);
    to->has_value = !is_name;
    to->has_name = is_name;
}

static void bracket(struct sonde_json_out *to, char c)
{
    bool is_object = c == '{' || c == '}';
    if (c == '{' || c == '[') {
        separate(to, false);
        sonde_assert(to->depth < 64);
        to->depth++;
        to->is_object = to->is_object << 1 | is_object;
    } else {
        sonde_assert(to->depth > 0 && !to->has_name && is_object == (to->is_object & 1));
        to->depth--;
        to->is_object >>= 1;
    }
    fputc(c, to->out);
    to->has_value = c == '}' || c == ']';
}

void sonde_json_string(struct sonde_json_out *to, const char *text, size_t n)
{
    separate(to, false);
    write_string(to->out, text, n);
}

void sonde_json_raw(struct sonde_json_out *to, const char *json)
{
    if (!*json) return;
    separate(to, false);
    fputs(json, to->out);
}

/* ---- Formats */

static void put_text(struct sonde_json_out *to, const char *text, size_t n, bool is_name)
{
    separate(to, is_name);
    if (text) write_string(to->out, text, n);
    else fputs("null", to->out);
    if (is_name) fputs(": ", to->out);
}

/* Writes one conversion; p points after its %. Returns a pointer to the rest of the format. */
static const char *convert(struct sonde_json_out *to, const char *p, va_list *args)
{
    int precision = -1, longs = 0;
    bool is_size = false, is_truth = false;
    if (*p == '.' && p[1] == '*') precision = va_arg(*args, int), p += 2;
    else if (*p == '.') precision = p[1] - '0', p += 2;
    for (; *p == 'l' || *p == 'z' || *p == 'h'; p++) longs += *p == 'l', is_size |= *p == 'z', is_truth |= *p == 'h';
    char letter = *p++;
    if (letter == 's') {
        const char *text = va_arg(*args, const char *);
        size_t n = !text ? 0 : precision < 0 ? strlen(text) : strnlen(text, (size_t)precision);
        put_text(to, text, n, *p == ':');
        return p + (*p == ':');
    }
    separate(to, false);
    if (is_truth) fputs(va_arg(*args, int) ? "true" : "false", to->out);
    else if (is_size) fprintf(to->out, "%zu", va_arg(*args, size_t));
    else if (letter == 'd')
        fprintf(to->out, "%lld",
                longs > 1 ? va_arg(*args, long long)
                : longs   ? va_arg(*args, long)
                          : va_arg(*args, int));
    else if (letter == 'u')
        fprintf(to->out, "%llu",
                longs > 1 ? va_arg(*args, unsigned long long)
                : longs   ? va_arg(*args, unsigned long)
                          : va_arg(*args, unsigned));
    else write_double(to->out, va_arg(*args, double), precision, letter);
    return p;
}

void sonde_json_put(struct sonde_json_out *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    for (const char *p = format; *p;) {
        size_t n = strcspn(p, " ,:{}[]%");
        if (n && p[n] == ':') {
            put_text(to, p, n++, true);
        } else if (n) {
            separate(to, false);
            fwrite(p, 1, n, to->out);
        } else if (*p == '%') {
            p = convert(to, p + 1, &args);
        } else {
            if (*p != ' ' && *p != ',') bracket(to, *p);
            n = 1;
        }
        p += n;
    }
    va_end(args);
}
