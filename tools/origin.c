/* See origin.h. */
#include "origin.h"

#include "base/mem.h"
#include "words.h"

#include <ctype.h>
#include <string.h>

/* A source file, in lines. */
struct file {
    char *path;
    char *text; /* NULL: the file cannot be read */
    const char **lines;
    uint32_t n, cap;
    bool is_read;
};

/* A token of a source line, as written. */
struct written {
    const char *at;
    uint32_t n;
    uint32_t preprocessed; /* index of the same token after preprocessing; UINT32_MAX: a macro, or an argument of one */
};

/* Tokens of a line above which macros are not looked for: the table of the comparison grows with the product. */
enum { LINE_MAX_TOKENS = 8192, TABLE_MAX = 1 << 22 };

struct origin {
    const struct sonde_tokens *tokens;
    struct file *files; /* one for each marker */
    /* The line compared last: preprocessed tokens [a, b), and what was written. */
    uint32_t a, b;
    struct written *written;
    uint32_t n, cap;
    char name[128]; /* of the macro returned last */
};

struct origin *origin_create(const struct sonde_tokens *tokens)
{
    struct origin *o = sonde_calloc(1, sizeof *o);
    o->tokens = tokens;
    o->files = sonde_calloc(tokens->n_markers + 1, sizeof *o->files);
    return o;
}

void origin_free(struct origin *o)
{
    for (uint32_t i = 0; i < o->tokens->n_markers; i++) {
        sonde_free(o->files[i].path);
        sonde_free(o->files[i].text);
        sonde_free(o->files[i].lines);
    }
    sonde_free(o->files);
    sonde_free(o->written);
    sonde_free(o);
}

/* ---- Files */

const char *origin_path(struct origin *o, uint32_t marker)
{
    struct file *f = &o->files[marker];
    if (f->path) return f->path;
    const char *from = o->tokens->markers[marker] + 1;
    char *to = f->path = sonde_malloc(strlen(from) + 2);
    for (; *from && *from != '"'; from++) *to++ = *from == '\\' && from[1] ? *++from : *from;
    *to = 0;
    return f->path;
}

/* Returns the file that a marker names, read and split into lines. */
static struct file *file_of(struct origin *o, uint32_t marker)
{
    struct file *f = &o->files[marker];
    if (f->is_read) return f;
    f->is_read = true;
    f->text = words_read_file(origin_path(o, marker));
    for (char *s = f->text; s && *s;) {
        f->lines = sonde_grow(f->lines, &f->cap, (size_t)f->n + 1, sizeof *f->lines);
        f->lines[f->n++] = s;
        s += strcspn(s, "\n");
        if (*s) *s++ = 0;
    }
    return f;
}

/* Returns a line of a file, from 1; an empty string if there is no such line. */
static const char *line_of(struct origin *o, uint32_t marker, uint32_t line)
{
    const struct file *f = file_of(o, marker);
    return line >= 1 && line <= f->n ? f->lines[line - 1] : "";
}

/* Reports whether a line has the comment; sets *is_alone if it has nothing else. */
static bool has_comment(const char *line, bool *is_alone)
{
    const char *found = strstr(line, "sonde: no mutants");
    while (isspace((unsigned char)*line)) line++;
    *is_alone = line[0] == '/' && (line[1] == '/' || line[1] == '*');
    return found != NULL;
}

bool origin_forbids(struct origin *o, uint32_t marker, uint32_t line)
{
    bool is_alone;
    if (has_comment(line_of(o, marker, line), &is_alone)) return true;
    return has_comment(line_of(o, marker, line - 1), &is_alone) && is_alone;
}

/* ---- Lines */

/* Splits a line as written into tokens, without comments. */
static void split(struct origin *o, const char *s)
{
    for (o->n = 0; *s && o->n < LINE_MAX_TOKENS;) {
        if (isspace((unsigned char)*s)) s++;
        else if (s[0] == '/' && s[1] == '/') return;
        else if (s[0] == '/' && s[1] == '*') {
            s = strstr(s + 2, "*/");
            if (!s) return;
            s += 2;
        } else {
            const char *end = sonde_lex_skip(s);
            o->written = sonde_grow(o->written, &o->cap, (size_t)o->n + 1, sizeof *o->written);
            o->written[o->n++] = (struct written){.at = s, .n = (uint32_t)(end - s), .preprocessed = UINT32_MAX};
            s = end;
        }
    }
}

static bool is_same(const struct written *w, const struct sonde_token *t)
{
    return w->n == t->n && memcmp(w->at, t->at, t->n) == 0;
}

/* Matches the tokens as written, from `from` to `to`, with k preprocessed tokens from j0 on. This is the longest common
 * subsequence, by the usual table. Element (i, j) is the length for the tokens from i and from j on. */
static void match_between(struct origin *o, uint32_t from, uint32_t to, uint32_t j0, uint32_t k)
{
    if (from == to || k == 0) return;
    const struct sonde_token *t = o->tokens->all + j0;
    struct written *w = o->written + from;
    uint32_t n = to - from, width = k + 1;
    if ((uint64_t)(n + 1) * width > TABLE_MAX) return;
    uint16_t *length = sonde_calloc((size_t)(n + 1) * width, sizeof *length);
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t j = k; j-- > 0;) {
            uint16_t down = length[(i + 1) * width + j], right = length[i * width + j + 1];
            uint16_t both = (uint16_t)(length[(i + 1) * width + j + 1] + 1);
            length[i * width + j] = is_same(&w[i], &t[j]) ? both : down > right ? down : right;
        }
    for (uint32_t i = 0, j = 0; i < n && j < k;) {
        if (is_same(&w[i], &t[j])) w[i++].preprocessed = j0 + j++;
        else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
        else j++;
    }
    sonde_free(length);
}

/* Matches the tokens as written with the tokens [a, b). Begins with those at both ends, so that a bracket of a macro is
 * not taken for one beside it. */
static void match(struct origin *o)
{
    const struct sonde_token *t = o->tokens->all;
    uint32_t from = 0, to = o->n, j = o->a, end = o->b;
    for (; from < to && j < end && is_same(&o->written[from], &t[j]); from++, j++) o->written[from].preprocessed = j;
    for (; from < to && j < end && is_same(&o->written[to - 1], &t[end - 1]); to--, end--)
        o->written[to - 1].preprocessed = end - 1;
    match_between(o, from, to, j, end - j);
}

/* Reports whether two tokens are on one line. gcc marks the tokens of a system header's macro as such, so that a line
 * may have several markers with one path. */
static bool is_one_line(struct origin *o, uint32_t i, uint32_t k)
{
    const struct sonde_token *a = &o->tokens->all[i], *b = &o->tokens->all[k];
    if (a->line != b->line) return false;
    return a->marker == b->marker || !strcmp(origin_path(o, a->marker), origin_path(o, b->marker));
}

/* Compares the line of token i with its source, unless that was the last line compared. */
static void compare_line(struct origin *o, uint32_t i)
{
    const struct sonde_token *t = &o->tokens->all[i];
    if (o->a <= i && i < o->b) return;
    for (o->a = i; o->a > 0 && is_one_line(o, o->a - 1, i);) o->a--;
    for (o->b = i + 1; o->b < o->tokens->n && is_one_line(o, o->b, i);) o->b++;
    split(o, line_of(o, t->marker, t->line));
    match(o);
}

const char *origin_macro(struct origin *o, uint32_t i, uint32_t *column)
{
    const char *line = line_of(o, o->tokens->all[i].marker, o->tokens->all[i].line);
    const struct written *macro = NULL, *before = NULL; /* `before`: the last name before the last token in common */
    *column = 0;
    compare_line(o, i);
    for (uint32_t k = 0; k < o->n; k++) {
        const struct written *w = &o->written[k];
        if (w->preprocessed == i) {
            *column = (uint32_t)(w->at - line) + 1;
            return NULL;
        }
        if (w->preprocessed < UINT32_MAX && w->preprocessed > i) break;
        if (w->preprocessed < i) before = macro ? macro : before, macro = NULL;
        else if (!macro && (isalpha((unsigned char)*w->at) || *w->at == '_')) macro = w;
    }
    if (!macro) macro = before; /* in `MAX(a, b)`, code after the argument a is still from MAX */
    if (!macro) return NULL;
    uint32_t n = macro->n < sizeof o->name ? macro->n : (uint32_t)sizeof o->name - 1;
    memcpy(o->name, macro->at, n);
    o->name[n] = 0;
    return o->name;
}

/* Returns the index of token i as written; UINT32_MAX if it was not written there. */
static uint32_t written_at(const struct origin *o, uint32_t i)
{
    for (uint32_t k = 0; k < o->n; k++)
        if (o->written[k].preprocessed == i) return k;
    return UINT32_MAX;
}

const char *origin_written(struct origin *o, uint32_t a, uint32_t b, uint32_t *n)
{
    compare_line(o, a);
    if (b > o->b || o->n == 0) return NULL;
    /* A range begins where the token before it ends: it then has the whole of a macro at its start. */
    uint32_t before = a > o->a ? written_at(o, a - 1) : UINT32_MAX, after = b < o->b ? written_at(o, b) : o->n;
    uint32_t first = a == o->a || before < UINT32_MAX ? before + 1 : written_at(o, a);
    uint32_t last = after < UINT32_MAX ? after - 1 : written_at(o, b - 1);
    if (first >= o->n || last >= o->n || first > last) return NULL;
    /* Each end must be written there, or be made by a macro that begins or ends there. A bracket of a macro may have
     * been taken for one that was written. */
    const struct written *head = &o->written[first], *tail = &o->written[last];
    if (head->preprocessed != a && head->preprocessed != UINT32_MAX) return NULL;
    if (tail->preprocessed != b - 1 && tail->preprocessed != UINT32_MAX) return NULL;
    if (head->preprocessed == UINT32_MAX && !isalpha((unsigned char)*head->at) && *head->at != '_') return NULL;
    *n = (uint32_t)(o->written[last].at + o->written[last].n - o->written[first].at);
    return o->written[first].at;
}
