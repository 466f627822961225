/* Writes strings of unknown content to terminals, XML and shells, escaped for each. All functions use one decoder,
 * which splits a string into characters of UTF-8 and bytes that are not UTF-8. No function allocates or fails: the
 * caller that closes the stream checks it for errors. */
#include "report/write.h"

#include "base/visible.h"

#include <inttypes.h>
#include <string.h>

/* Writes a character, or \xNN for each byte that is invalid or a control character, or \uNNNN for a deceptive
 * character. */
static void write_visible(FILE *out, const char *text, size_t length, uint32_t code)
{
    if (code == UINT32_MAX || sonde_is_control(code)) {
        for (size_t i = 0; i < length; i++) fprintf(out, "\\x%02x", (unsigned char)text[i]);
    } else if (sonde_is_deceptive(code)) {
        fprintf(out, "\\u%04" PRIx32, code);
    } else {
        fwrite(text, 1, length, out);
    }
}

/* Drops a line end at the end of the string, and writes the indent after each other line end. */
void sonde_write_plain(FILE *out, const char *text, size_t n, unsigned indent)
{
    if (n && text[n - 1] == '\n') n--;
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t code;
        length = sonde_next_character(text + i, n - i, &code);
        if (code == '\n') fprintf(out, "\n%*s", (int)indent, "");
        else if (code == '\t') fputc('\t', out);
        else write_visible(out, text + i, length, code);
    }
}

/* Escapes line ends, so that one string cannot look like two lines of a report. */
void sonde_write_line(FILE *out, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t code;
        length = sonde_next_character(text + i, n - i, &code);
        if (code == '\n') fputs("\\n", out);
        else if (code == '\t') fputs("\\t", out);
        else write_visible(out, text + i, length, code);
    }
}

/* Returns whether XML 1.0 allows a character (production Char), except for 0x7f..0x9f, which it discourages. */
static bool xml_allows(uint32_t code)
{
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    return code != 0xfffe && code != 0xffff && code <= 0x10ffff && !(code >= 0x7f && code < 0xa0);
}

void sonde_write_xml(FILE *out, const char *text, size_t n)
{
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t code;
        length = sonde_next_character(text + i, n - i, &code);
        if (!xml_allows(code)) fputs("\xef\xbf\xbd", out);
        else if (code == '<') fputs("&lt;", out);
        else if (code == '>') fputs("&gt;", out);
        else if (code == '&') fputs("&amp;", out);
        else if (code == '"') fputs("&quot;", out);
        else if (code < 0x20) fprintf(out, "&#%" PRIu32 ";", code); /* attributes normalise plain white space */
        else fwrite(text + i, 1, length, out);
    }
}

/* Writes a word as printf with octal escapes of three digits, which every shell understands. "$(...)" drops line
 * ends at the end of the word; a word that has one is written as $'...', which needs bash, ksh or zsh. */
static void write_shell_escaped(FILE *out, const char *text)
{
    bool ends_with_line = text[strlen(text) - 1] == '\n';
    fputs(ends_with_line ? "$'" : "\"$(printf '", out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20 || c >= 0x7f || c == '\'') fprintf(out, "\\%03o", c);
        else if (c == '\\' || (c == '%' && !ends_with_line)) fprintf(out, "%c%c", c, c);
        else fputc(c, out);
    }
    fputs(ends_with_line ? "'" : "')\"", out);
}

/* Writes a word unquoted if every character is safe, and in single quotes if every character is visible. Otherwise
 * it writes escapes, so that copying from a terminal gives the same word. */
void sonde_write_shell(FILE *out, const char *text)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@%+=,";
    if (*text && !text[strspn(text, safe)]) {
        fputs(text, out);
        return;
    }
    size_t n = strlen(text);
    bool is_visible = true;
    for (size_t i = 0, length; i < n; i += length) {
        uint32_t code;
        length = sonde_next_character(text + i, n - i, &code);
        if (code == UINT32_MAX || sonde_is_control(code) || sonde_is_deceptive(code)) is_visible = false;
    }
    if (!is_visible) {
        write_shell_escaped(out, text);
        return;
    }
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\''", out);
        else fputc(*text, out);
    }
    fputc('\'', out);
}

/* Prints as many digits as are significant. */
const char *sonde_duration(double seconds, char out[SONDE_GROUPED])
{
    if (!(seconds >= 0.001)) snprintf(out, SONDE_GROUPED, "under 1 ms");
    else if (seconds < 0.0995) snprintf(out, SONDE_GROUPED, "%.0f ms", seconds * 1000);
    else snprintf(out, SONDE_GROUPED, seconds < 99.95 ? "%.1f s" : "%.0f s", seconds);
    return out;
}
