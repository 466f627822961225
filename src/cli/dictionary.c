/* Reads a dictionary (--dict): words that the search tries in strings and bytes. The format is AFL's. The name
 * before a word, and a level after the name as in name@1="x", are ignored. A word is a C string, so one that holds
 * a zero byte is refused, and the error names its line. */
#include "cli/dictionary.h"

#include "base/mem.h"
#include "store/files.h"
#include "tape/literal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Unescapes the n bytes between the quotes, in place: the result is never longer. Returns NULL, or
 * the error. */
static const char *unescape(char *text, size_t n)
{
    size_t to = 0;
    for (size_t i = 0; i < n; i++) {
        char c = text[i];
        if (!c) return "holds a zero byte, which a word cannot";
        if (c != '\\') {
            text[to++] = c;
            continue;
        }
        if (i + 1 < n && (text[i + 1] == '\\' || text[i + 1] == '"')) {
            text[to++] = text[++i];
            continue;
        }
        if (i + 3 >= n || text[i + 1] != 'x' || sonde_hex_digit(text[i + 2]) < 0 || sonde_hex_digit(text[i + 3]) < 0) {
            return "has a backslash that starts none of \\\\, \\\" and \\xNN";
        }
        int byte = sonde_hex_digit(text[i + 2]) * 16 + sonde_hex_digit(text[i + 3]);
        if (byte == 0) return "holds a zero byte, which a word cannot";
        text[to++] = (char)byte;
        i += 3;
    }
    text[to] = 0;
    return to ? NULL : "is empty";
}

/* Adds the word of a line; ignores a comment or an empty line. Returns NULL, or what is wrong with the line. */
static const char *read_line(struct sonde_dictionary *dictionary, char *line)
{
    line += strspn(line, " \t");
    size_t n = strlen(line);
    while (n && strchr(" \t\r\n", line[n - 1])) n--;
    if (n == 0 || *line == '#') return NULL;
    char *quote = memchr(line, '"', n);
    bool has_name = quote && quote > line;
    if (!quote || quote == line + n - 1 || line[n - 1] != '"') return "lacks a word in double quotes";
    /* A blank between the name and the word is accepted as well as `=`. */
    if (has_name && quote[-1] != '=' && quote[-1] != ' ') return "lacks = between the name and the word";
    const char *wrong = unescape(quote + 1, (size_t)(line + n - 1 - quote - 1));
    if (wrong) return wrong;
    dictionary->words = sonde_grow(dictionary->words, &dictionary->cap, dictionary->n + 2, sizeof *dictionary->words);
    dictionary->words[dictionary->n++] = sonde_strdup(quote + 1);
    dictionary->words[dictionary->n] = NULL;
    return NULL;
}

/* Reads n bytes line by line; the last line need not end with a line feed. Overwrites line feeds, and the byte
 * after the last one, with zeros. Returns 0, or -EINVAL with a message about the first wrong line. */
static int read_lines(struct sonde_dictionary *dictionary, const char *file, char *text, size_t n, char *message)
{
    char *stop = text + n, *end;
    for (size_t number = 1; text < stop; number++, text = end + 1) {
        end = memchr(text, '\n', (size_t)(stop - text));
        if (!end) end = stop;
        *end = '\0';
        const char *wrong = strlen(text) < (size_t)(end - text) ? "holds a zero byte, which a word cannot"
                                                                : read_line(dictionary, text);
        if (wrong) {
            snprintf(message, SONDE_CLI_MESSAGE, "%s:%zu: this line %s; write it as name=\"word\"", file, number,
                     wrong);
            return -EINVAL;
        }
    }
    return 0;
}

/* Accepts a pipe as well as a regular file, for --dict <(command) in a shell. */
int sonde_dictionary_read(struct sonde_dictionary *dictionary, const char *file, char message[SONDE_CLI_MESSAGE])
{
    enum { BYTES_MAX = 64 << 20 }; /* limit far above the size of any dictionary; a larger file was named by mistake */
    char *bytes = NULL;
    size_t n = 0;
    int error = sonde_read_file(file, BYTES_MAX, false, &bytes, &n);
    if (error) {
        snprintf(message, SONDE_CLI_MESSAGE, "cannot read '%s': %s", file, sonde_below_reason(error));
        return error;
    }
    error = read_lines(dictionary, file, bytes, n, message);
    sonde_free(bytes);
    return error;
}

void sonde_dictionary_clear(struct sonde_dictionary *dictionary)
{
    for (uint32_t i = 0; i < dictionary->n; i++) sonde_free(dictionary->words[i]);
    sonde_free(dictionary->words);
    memset(dictionary, 0, sizeof *dictionary);
}
