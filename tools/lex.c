/* See lex.h. Preprocessed C or C++ only: no comments, no line splices, no macros, so a token is what
 * the compiler sees. Good enough for finding operators and brackets; what kind a name is of nobody
 * knows here.
 *
 * One pass, linear. Tokens point into the text. Each knows the line that it is reported at, by the line
 * markers of the preprocessor, and each bracket knows its partner. */
#include "lex.h"

#include "base/check.h"
#include "base/mem.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 128;
}

static const char *skip_word(const char *s)
{
    while (is_word(*s)) s++;
    return s;
}

/* Behind the closing quote, and behind the suffix that C++ allows there. */
static const char *skip_quoted(const char *s)
{
    char quote = *s++;
    while (*s && *s != quote && *s != '\n') s += *s == '\\' && s[1] ? 2 : 1;
    return *s == quote ? skip_word(s + 1) : s;
}

/* R"x( ... )x" */
static const char *skip_raw(const char *s)
{
    char end[32];
    size_t n = strcspn(s + 1, "(\n");
    if (n > 16 || s[1 + n] != '(') return skip_quoted(s);
    snprintf(end, sizeof end, ")%.*s\"", (int)n, s + 1);
    const char *found = strstr(s + 1 + n, end);
    return found ? skip_word(found + strlen(end)) : s + strlen(s);
}

static bool is_prefix(const char *s, const char *end, const char *const *list)
{
    for (; *list; list++)
        if ((size_t)(end - s) == strlen(*list) && memcmp(s, *list, (size_t)(end - s)) == 0) return true;
    return false;
}

static const char *skip_word_or_text(const char *s)
{
    static const char *const plain[] = {"L", "u", "U", "u8", NULL}, *const raw[] = {"R", "LR", "uR", "UR", "u8R", NULL};
    const char *end = skip_word(s);
    if (*end == '"' && is_prefix(s, end, raw)) return skip_raw(end);
    if ((*end == '"' || *end == '\'') && is_prefix(s, end, plain)) return skip_quoted(end);
    return end;
}

/* A preprocessing number of the standard (pp-number): it takes in suffixes, digit separators and
 * exponents, and also what is no number, which the compiler refuses later. */
static const char *skip_number(const char *s)
{
    while (is_word(*s) || *s == '.' || (*s == '\'' && is_word(s[1]))
           || ((*s == '+' || *s == '-') && strchr("eEpP", s[-1])))
        s++;
    return s;
}

/* The longest first. "<:" is "[" unless it begins "<::", which C++ reads as "<" and "::". */
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

static const char *skip_token(const char *s)
{
    if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) return skip_number(s);
    if (is_word(*s)) return skip_word_or_text(s);
    if (*s == '"' || *s == '\'') return skip_quoted(s);
    return skip_operator(s);
}

/* ---- Where */

/* The latest first: nearly always it is the one before. */
static uint32_t marker_index(struct sonde_tokens *t, const char *marker)
{
    for (uint32_t i = t->n_markers; i-- > 0;)
        if (strcmp(t->markers[i], marker) == 0) return i;
    t->markers = sonde_grow(t->markers, &t->cap_markers, (size_t)t->n_markers + 1, sizeof *t->markers);
    t->markers[t->n_markers] = sonde_strdup(marker);
    return t->n_markers++;
}

/* # 12 "file.c" 1 3 4: 1 and 2 tell of entering and leaving, and must not be said again. */
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

/* ---- All of it */

enum { DEPTH_MAX = 4096 };

static char partner_of(char opening)
{
    return opening == '(' ? ')' : opening == '[' ? ']' : '}';
}

/* False for a closing bracket without an opening one of its kind, or too deep: then the file is left alone. Digraphs are no
 * brackets here, so a file that mixes both has such ones. */
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

/* Tokens follow each other in the text; brackets know each other, of their kind and nested; markers are there. */
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

/* False also without any line marker: then it is no preprocessed text. */
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
            if (read_marker(t, s, &line, &marker)) line--; /* the line end counts */
            else directive = true;
            s = end ? end : s + strlen(s);
        } else {
            const char *end = skip_token(s);
            t->all = sonde_grow(t->all, &t->cap, (size_t)t->n + 1, sizeof *t->all);
            t->all[t->n] = (struct sonde_token){
                .at = s, .n = (uint32_t)(end - s), .line = line, .marker = marker, .follows_directive = directive};
            directive = false;
            if (!match_bracket(t, open, &depth)) return false;
            t->n++;
            starts_line = false;
            for (; s < end; s++) line += *s == '\n'; /* in raw strings */
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

/* ---- Questions */

static bool is_text(const struct sonde_token *t, const char *text)
{
    return t->n == strlen(text) && memcmp(t->at, text, t->n) == 0;
}

/* In C these are macros, and gone. */
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
