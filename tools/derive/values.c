/* See values.h. A comment often says what no type can: "must be one of 8000, 12000 or 16000", "channels (1 or 2)",
 * "0-10", "MODE_FAST or MODE_BEST". It is read from the name of the parameter to the end of that sentence. */
#include "values.h"

#include "roles.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of characters that are read of one. */
enum { LONGEST = 300 };

static bool is_word_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Reports whether a comment marks a parameter, or the result, here: "@param", "\\return". */
static bool is_mark(const char *at)
{
    return (*at == '@' || *at == '\\') && (!strncmp(at + 1, "param", 5) || !strncmp(at + 1, "return", 6));
}

/* Returns the first sentence from `at` on that speaks of this name, and its length in *n; NULL if there is none. After
 * "@param name", the sentence ends at the next mark. */
static const char *sentence_about(const char *at, const char *name, size_t *n)
{
    size_t k = strlen(name);
    for (const char *from = at; k > 1 && (from = strstr(from, name)); from += k) {
        if ((from > at && is_word_letter(from[-1])) || is_word_letter(from[k])) continue;
        const char *line = from;
        bool is_marked = false;
        while (line > at && line[-1] != '\n') is_marked |= is_mark(--line);
        from += k;
        for (*n = 0; from[*n] && *n < LONGEST && !is_mark(from + *n); ++*n)
            if (!is_marked && (from[*n] == ';' || (from[*n] == '.' && isspace((unsigned char)from[*n + 1])))) break;
        return from;
    }
    return NULL;
}

bool comment_says(const struct prototype *p, uint32_t i, const char *words, size_t most)
{
    size_t n, k = strlen(words);
    for (const char *at = p->comment; *p->names[i] && (at = sentence_about(at, p->names[i], &n)); at += n)
        for (size_t from = 0; from + k <= n && from < most; from++)
            if (!strncasecmp(at + from, words, k)) return true;
    return false;
}

/* Adds a value, unless it is there. */
static uint32_t add_value(const char **all, uint32_t n, uint32_t most, const char *value)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(all[i], value)) return n;
    if (n < most) all[n++] = value;
    return n;
}

/* Lists the constants of the header that are words of this string. */
static uint32_t constants_in(const char *text, const char **all, uint32_t most)
{
    const char *const *constants;
    uint32_t n_constants = read_constants(&constants), n = 0;
    for (const char *at = text; *at;) {
        size_t k = 0;
        while (is_word_letter(at[k])) k++;
        for (uint32_t i = 0; i < n_constants && k > 2; i++)
            if (strlen(constants[i]) == k && !strncmp(at, constants[i], k)) n = add_value(all, n, most, constants[i]);
        at += k + !k;
    }
    return n;
}

/* Returns the number of characters of what separates two values of a list, or of a range: 0 if it is neither. */
static size_t separator(const char *at, bool *is_range)
{
    static const char *const ranges[] = {"to", "..", "...", "-", "through", NULL};
    size_t n = strspn(at, " \t\n*,/");
    size_t k = strspn(at + n, "abcdefghijklmnopqrstuvwxyz.-");
    const char *word = keep_format("%.*s", (int)k, at + n);
    *is_range = false;
    for (size_t i = 0; ranges[i]; i++) *is_range |= !strcmp(word, ranges[i]);
    if (k && !*is_range && strcmp(word, "or") != 0 && strcmp(word, "and") != 0) return 0;
    if (!k && strcspn(at, ",/") >= n) return 0; /* blanks alone separate no list */
    return n + k + strspn(at + n + k, " \t\n*");
}

/* Returns the number of digits of the number here; 0 if there is none. In C, a first 0 would make it octal. */
static size_t digits_at(const char *at)
{
    size_t n = strspn(at, "0123456789");
    return n < 10 && !is_word_letter(at[n]) && (n == 1 || *at != '0') ? n : 0;
}

static uint32_t add_number(const char **all, uint32_t n, uint32_t most, const char *at)
{
    return add_value(all, n, most, keep_format("%.*s", (int)digits_at(at), at));
}

/* Lists the numbers of the list or range that begins at *at; returns 0 if there is none, or the range is empty. Moves
 * *at to where it ended. */
static uint32_t numbers_at(const char **at, const char **all, uint32_t most, bool *is_range)
{
    uint32_t n = 0;
    *is_range = false;
    while (digits_at(*at)) {
        n = add_number(all, n, most, *at);
        *at += digits_at(*at);
        size_t k = separator(*at, is_range);
        if (!k || !digits_at(*at + k)) {
            *is_range = false; /* such as a dash before a word */
            break;
        }
        *at += k;
        if (*is_range) return atol(all[0]) < atol(*at) ? add_number(all, 1, most, *at) : 0;
    }
    return n > 1 ? n : 0;
}

/* Lists the numbers of the first list or range in this string. */
static uint32_t numbers_in(const char *text, const char **all, uint32_t most, bool *is_range)
{
    for (const char *at = text; *at; at += *at != '\0') {
        bool is_inside = at > text && is_word_letter(at[-1]);
        uint32_t n = is_inside ? 0 : numbers_at(&at, all, most, is_range);
        if (n) return n;
    }
    *is_range = false;
    return 0;
}

/* Lists the constants whose names have all words of the parameter's name, and begin as the function's name does:
 * LIB_MODE_FAST for lib_open(int mode). */
static uint32_t constants_for(const struct prototype *p, uint32_t i, const char **all, uint32_t most)
{
    const char *const *constants;
    uint32_t n_constants = read_constants(&constants), n = 0;
    size_t prefix = strcspn(p->name, "_") + 1;
    const char *words[] = {p->names[i], NULL};
    if (strlen(p->names[i]) < 3 || prefix > strlen(p->name)) return 0;
    for (uint32_t k = 0; k < n_constants; k++)
        if (!strncasecmp(constants[k], p->name, prefix) && has_word(constants[k], words))
            n = add_value(all, n, most, constants[k]);
    return n;
}

uint32_t values_of(const struct prototype *p, uint32_t i, const char **all, uint32_t most, bool *is_range)
{
    size_t length;
    uint32_t n = 0;
    *is_range = false;
    if (!*p->names[i]) return 0;
    for (const char *at = p->comment; (at = sentence_about(at, p->names[i], &length)); at += length) {
        const char *text = keep_format("%.*s", (int)length, at);
        n = constants_in(text, all, most);
        if (n < 2) n = numbers_in(text, all, most, is_range);
        if (n > 1) return n;
    }
    n = constants_for(p, i, all, most);
    return n > 1 ? n : 0;
}
