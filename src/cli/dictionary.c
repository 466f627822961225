/* Reads a dictionary. A word is a C string here, so one that holds a zero byte is refused, with its line.
 * The format is AFL's; where AFL is lenient (a level after the name, as in name@1="x") the name is
 * simply ignored. */
#include "cli/dictionary.h"

#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Unescapes the n bytes between the quotes in place. NULL, or what is wrong with them. In place: the
 * result is never longer. */
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
        if (i + 3 >= n || text[i + 1] != 'x' || hex_digit(text[i + 2]) < 0 || hex_digit(text[i + 3]) < 0) {
            return "has a backslash that starts none of \\\\, \\\" and \\xNN";
        }
        int byte = hex_digit(text[i + 2]) * 16 + hex_digit(text[i + 3]);
        if (byte == 0) return "holds a zero byte, which a word cannot";
        text[to++] = (char)byte;
        i += 3;
    }
    text[to] = 0;
    return to ? NULL : "is empty";
}

/* NULL for a line that is fine: a word, a comment, or nothing. */
static const char *read_line(struct sonde_dictionary *dictionary, char *line)
{
    line += strspn(line, " \t");
    size_t n = strlen(line);
    while (n && strchr(" \t\r\n", line[n - 1])) n--;
    if (n == 0 || *line == '#') return NULL;
    char *quote = memchr(line, '"', n);
    bool has_name = quote && quote > line;
    if (!quote || quote == line + n - 1 || line[n - 1] != '"') return "lacks a word in double quotes";
    /* A blank between the name and the word is accepted, too. */
    if (has_name && quote[-1] != '=' && quote[-1] != ' ') return "lacks = between the name and the word";
    const char *wrong = unescape(quote + 1, (size_t)(line + n - 1 - quote - 1));
    if (wrong) return wrong;
    dictionary->words = sonde_grow(dictionary->words, &dictionary->cap, dictionary->n + 2, sizeof *dictionary->words);
    dictionary->words[dictionary->n++] = sonde_strdup(quote + 1);
    dictionary->words[dictionary->n] = NULL;
    return NULL;
}

int sonde_dictionary_read(struct sonde_dictionary *dictionary, const char *file, char message[SONDE_CLI_MESSAGE])
{
    FILE *in = fopen(file, "re");
    if (!in) {
        int error = errno;
        snprintf(message, SONDE_CLI_MESSAGE, "cannot read '%s': %s", file, strerror(error));
        return -error;
    }
    char *line = NULL;
    size_t cap = 0, number = 0;
    int error = 0;
    /* getline tells the end of the file from an error only by ferror and errno. */
    errno = 0;
    while (!error && getline(&line, &cap, in) >= 0) {
        number++;
        const char *wrong = read_line(dictionary, line);
        if (!wrong) continue;
        snprintf(message, SONDE_CLI_MESSAGE, "%s:%zu: this line %s; write it as name=\"word\"", file, number, wrong);
        error = -EINVAL;
    }
    if (!error && ferror(in)) {
        error = errno ? -errno : -EIO;
        snprintf(message, SONDE_CLI_MESSAGE, "cannot read '%s': %s", file, strerror(-error));
    }
    free(line);
    fclose(in);
    return error;
}

void sonde_dictionary_clear(struct sonde_dictionary *dictionary)
{
    for (uint32_t i = 0; i < dictionary->n; i++) sonde_free(dictionary->words[i]);
    sonde_free(dictionary->words);
    memset(dictionary, 0, sizeof *dictionary);
}
