/* See lex.h. The input is preprocessed: it has no comments, line splices or macros, so a token is what the compiler
 * sees. This suffices to find operators and brackets. It does not tell a type from a variable.
 *
 * The source is read once, in linear time. Tokens point into it. Each has the line that the compiler would report, from
 * the line markers, and each bracket has the index of its partner. */
#include "lex.h"

#include "base/check.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reports whether a character can be part of an identifier: bytes of UTF-8 and, as an extension, $ included. */
static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 128;
}

/* Returns the end of a word. Each skip function below takes the first character of a token and returns its end. */
static const char *skip_word(const char *s)
{
    while (is_word(*s)) s++;
    return s;
}

/* Skips a string or character and the suffix that C++ allows after it ("x"s). Stops at the line's end if the closing
 * quote is missing. */
static const char *skip_quoted(const char *s)
{
    char quote = *s++;
    while (*s && *s != quote && *s != '\n') s += *s == '\\' && s[1] ? 2 : 1;
    return *s == quote ? skip_word(s + 1) : s;
}

/* Skips a raw string, R"x( ... )x", from its quote. The delimiter x has at most 16 characters. */
static const char *skip_raw(const char *s)
{
    char end[32];
    size_t n = strcspn(s + 1, "(\n");
    if (n > 16 || s[1 + n] != '(') return skip_quoted(s);
    snprintf(end, sizeof end, ")%.*s\"", (int)n, s + 1);
    const char *found = strstr(s + 1 + n, end);
    return found ? skip_word(found + strlen(end)) : s + strlen(s);
}

/* Reports whether [s, end) is one of a list that ends with NULL. */
static bool is_prefix(const char *s, const char *end, const char *const *list)
{
    for (; *list; list++)
        if ((size_t)(end - s) == strlen(*list) && memcmp(s, *list, (size_t)(end - s)) == 0) return true;
    return false;
}

/* Skips a word, or a string with a prefix: L"x", u8"x", R"(x)". */
static const char *skip_word_or_text(const char *s)
{
    static const char *const plain[] = {"L", "u", "U", "u8", NULL}, *const raw[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    const char *end = skip_word(s);
    if (*end == '"' && is_prefix(s, end, raw)) return skip_raw(end);
    if ((*end == '"' || *end == '\'') && is_prefix(s, end, plain)) return skip_quoted(end);
    return end;
}

/* Skips a preprocessing number, the pp-number of the C standard: with suffixes, digit separators and exponents. Some
 * pp-numbers, such as 1x2y, are not numbers; the compiler rejects these later. */
static const char *skip_number(const char *s)
{
    while (is_word(*s) || *s == '.' || (*s == '\'' && is_word(s[1]))
           || ((*s == '+' || *s == '-') && strchr("eEpP", s[-1])))
        s++;
    return s;
}

/* Skips an operator, the longest that matches. "<:" is "[", except in "<::", which C++ reads as "<" and "::". */
static const char *skip_operator(const char *s)
{
    static const char *const long_ones[] = {"<<=", ">>=", "...", "->*", "<=>", "&&", "||", "==", "!=", "<=", ">=",
                                            "<<",  ">>",  "->",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=",
                                            "|=",  "^=",  "::",  ".*",  "##",  "<%", "%>", ":>", NULL};
    if (s[0] == '<' && s[1] == ':' && (s[2] != ':' || s[3] == ':' || s[3] == '>')) return s + 2;
    for (size_t i = 0; long_ones[i]; i++)
        if (strncmp(s, long_ones[i], strlen(long_ones[i])) == 0) return s + strlen(long_ones[i]);
    return s + 1;
}

const char *sonde_lex_skip(const char *s)
{
    if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) return skip_number(s);
    if (is_word(*s)) return skip_word_or_text(s);
    if (*s == '"' || *s == '\'') return skip_quoted(s);
    return skip_operator(s);
}

/* ---- Locations */

/* Returns the index of a marker, adding it if it is new. Searches from the last one added, which is nearly always the
 * one wanted. */
static uint32_t marker_index(struct sonde_tokens *t, const char *marker)
{
    for (uint32_t i = t->n_markers; i-- > 0;)
        if (strcmp(t->markers[i], marker) == 0) return i;
    t->markers = sonde_grow(t->markers, &t->cap_markers, (size_t)t->n_markers + 1, sizeof *t->markers);
    t->markers[t->n_markers] = sonde_strdup(marker);
    return t->n_markers++;
}

/* Reads a line marker, such as `# 12 "file.c" 1 3 4`. Returns false if the directive is something else. Flags 3 (system
 * header) and 4 (extern "C") are kept. Flags 1 and 2 (enter and leave a file) are dropped: a marker that is written
 * again must not enter the file again. */
static bool read_marker(struct sonde_tokens *t, const char *s, uint32_t *line, uint32_t *marker)
{
    char *end;
    char name[8192];
    while (*s == ' ' || *s == '#') s++;
    if (strncmp(s, "line ", 5) == 0) s += 5;
    if (!isdigit((unsigned char)*s)) return false;
    *line = (uint32_t)strtoul(s, &end, 10);
    while (*end == ' ') end++;
    if (*end != '"') return *end == '\n';
    const char *after = skip_quoted(end);
    const char *stop = strchr(after, '\n');
    size_t n = (size_t)(after - end);
    if (n + 8 > sizeof name || !stop) return false;
    bool is_system = memchr(after, '3', (size_t)(stop - after)), is_c = memchr(after, '4', (size_t)(stop - after));
    snprintf(name, sizeof name, "%.*s%s%s", (int)n, end, is_system ? " 3" : "", is_c ? " 4" : "");
    *marker = marker_index(t, name);
    return true;
}

/* ---- The whole source */

/* Deepest nesting of brackets; a source with more is compiled as it is. */
enum { DEPTH_MAX = 4096 };

static char partner_of(char opening)
{
    return opening == '(' ? ')' : opening == '[' ? ']' : '}';
}

/* Connects the last token, if it is a bracket, with its partner. Returns false if a closing bracket has no partner of
 * its kind, or at DEPTH_MAX: the source is then left alone. Digraphs such as <: do not count as brackets here, so a
 * source that mixes both fails too. */
static bool match_bracket(struct sonde_tokens *t, uint32_t *open, uint32_t *depth)
{
    struct sonde_token *token = &t->all[t->n];
    token->match = t->n;
    if (token->n != 1) return true;
    if (strchr("([{", *token->at)) {
        if (*depth == DEPTH_MAX) return false;
        open[(*depth)++] = t->n;
    } else if (strchr(")]}", *token->at)) {
        if (!*depth) return false;
        token->match = open[--*depth];
        if (partner_of(*t->all[token->match].at) != *token->at) return false;
        t->all[token->match].match = t->n;
    }
    return true;
}

/* Asserts that tokens are in order, that brackets match in pairs and nest, and that markers exist. */
static void tokens_check(const struct sonde_tokens *t)
{
    sonde_assert(t->n <= t->cap && t->n_markers <= t->cap_markers);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct sonde_token *token = &t->all[i];
        sonde_assert(token->n > 0 && token->marker < t->n_markers && token->match < t->n);
        sonde_assert(i + 1 == t->n || token->at + token->n <= token[1].at);
        sonde_assert(t->all[token->match].match == i);
        sonde_assert(token->match <= i || partner_of(*token->at) == *t->all[token->match].at);
        sonde_assert(token->match <= i + 1 || token[1].match < token->match);
    }
}

bool sonde_lex(struct sonde_tokens *t, const char *text)
{
    static uint32_t open[DEPTH_MAX];
    uint32_t depth = 0, line = 1, marker = 0;
    bool starts_line = true, directive = false;
    *t = (struct sonde_tokens){0};
    for (const char *s = text; *s;) {
        if (*s == '\n') {
            line++;
            starts_line = true;
            s++;
        } else if (isspace((unsigned char)*s)) s++;
        else if (starts_line && *s == '#') {
            const char *end = strchr(s, '\n');
            if (read_marker(t, s, &line, &marker)) line--; /* the line end after the marker adds 1 again */
            else directive = true;
            s = end ? end : s + strlen(s);
        } else {
            const char *end = sonde_lex_skip(s);
            t->all = sonde_grow(t->all, &t->cap, (size_t)t->n + 1, sizeof *t->all);
            t->all[t->n] = (struct sonde_token){
                .at = s, .n = (uint32_t)(end - s), .line = line, .marker = marker, .follows_directive = directive};
            directive = false;
            if (!match_bracket(t, open, &depth)) return false;
            t->n++;
            starts_line = false;
            for (; s < end; s++) line += *s == '\n'; /* a raw string may have line ends */
        }
    }
    if (depth != 0 || t->n_markers == 0) return false;
    tokens_check(t);
    return true;
}

void sonde_lex_clear(struct sonde_tokens *t)
{
    for (uint32_t i = 0; i < t->n_markers; i++) sonde_free(t->markers[i]);
    sonde_free(t->markers);
    sonde_free(t->all);
    *t = (struct sonde_tokens){0};
}

/* ---- Queries */
static bool is_text(const struct sonde_token *t, const char *text)
{
    return t->n == strlen(text) && memcmp(t->at, text, t->n) == 0;
}

/* Reports whether a token is the C++ word for an operator. In C these words are macros, expanded by now. */
static bool is_spelled(const struct sonde_token *t, const char *text)
{
    static const char *const words[][2] = {{"and", "&&"},   {"or", "||"},     {"not", "!"},    {"not_eq", "!="},
                                           {"xor", "^"},    {"bitand", "&"},  {"bitor", "|"},  {"compl", "~"},
                                           {"or_eq", "|="}, {"and_eq", "&="}, {"xor_eq", "^="}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][1], text) == 0 && is_text(t, words[i][0])) return true;
    return false;
}

bool sonde_token_is(const struct sonde_token *t, const char *text)
{
    if (is_text(t, text)) return true;
    return islower((unsigned char)*t->at) && !is_word(*text) && is_spelled(t, text);
}

bool sonde_token_is_literal(const struct sonde_token *t)
{
    char last = t->at[t->n - 1];
    return isdigit((unsigned char)*t->at) || (*t->at == '.' && t->n > 1 && isdigit((unsigned char)t->at[1]))
           || last == '"' || last == '\'' || *t->at == '"' || *t->at == '\'';
}

bool sonde_token_is_name(const struct sonde_token *t)
{
    return is_word(*t->at) && !sonde_token_is_literal(t);
}
