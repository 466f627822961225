/* Reading a grammar from its source: which notation it has, and the steps. */
#include "grammar/notation.h"

#include "base/mem.h"
#include "store/files.h"

#include <ctype.h>
#include <string.h>

static const uint32_t NONE = SONDE_SYNTAX_NONE;

/* Returns the offset of the first rule: after white space, comments and the number of a rule. */
static size_t first_rule(const struct sonde_syntax_source *s)
{
    size_t at = 0;
    while (at < s->n) {
        const char *rest = s->text + at;
        const char *end = NULL;
        if (isspace((unsigned char)*rest)) end = rest + 1;
        else if (*rest == ';') end = memchr(rest, '\n', s->n - at);
        else if (*rest == '/') end = memchr(rest + 1, '/', s->n - at - 1);
        else if (*rest == '[') end = memchr(rest, ']', s->n - at);
        else break;
        while (end && *rest == '/' && end[-1] != '*') end = memchr(end + 1, '/', s->n - (size_t)(end + 1 - s->text));
        if (!end) return s->n;
        at = (size_t)(end - s->text) + (*rest == '/' || *rest == '[');
    }
    return at;
}

/* Returns whether the first rule is defined by ::=. */
static bool is_ebnf(const struct sonde_syntax_source *s)
{
    size_t at = first_rule(s);
    while (at < s->n && (isalnum((unsigned char)s->text[at]) || strchr("_-.<>", s->text[at]))) at++;
    while (at < s->n && isspace((unsigned char)s->text[at])) at++;
    return s->n - at >= 3 && !memcmp(s->text + at, "::=", 3);
}

struct sonde_syntax *sonde_syntax_read(const struct sonde_syntax_source *given, char error[SONDE_SYNTAX_ERROR])
{
    static const char mark[] = "\xef\xbb\xbf"; /* byte order mark: some editors begin UTF-8 with it */
    struct sonde_syntax_source without = *given;
    const struct sonde_syntax_source *source = &without;
    if (without.n >= 3 && !memcmp(without.text, mark, 3)) without.text += 3, without.n -= 3;
    struct sonde_syntax *g = sonde_calloc(1, sizeof *g);
    struct sonde_build b = {.g = g,
                            .text = source->text,
                            .n = source->n,
                            .name = source->name,
                            .rule = NONE,
                            .repeat_at = SIZE_MAX,
                            .min = 1,
                            .max = 1,
                            .error = error};
    error[0] = '\0';
    g->start = NONE;
    g->is_ebnf = is_ebnf(source);
    if (source->n > SONDE_SYNTAX_BYTES) sonde_build_fail(&b, 0, "the grammar is larger than 64 MiB");
    else if (memchr(source->text, '\0', source->n))
        sonde_build_fail(&b, (size_t)((char *)memchr(source->text, '\0', source->n) - source->text),
                         "a grammar cannot have the byte 0");
    else if (g->is_ebnf) sonde_ebnf_read(&b);
    else sonde_abnf_read(&b);
    if (!b.has_failed && g->start == NONE)
        sonde_build_fail(&b, source->n, "there is no rule; write name = elements (ABNF) or name ::= elements (EBNF)");
    if (!b.has_failed && !g->is_ebnf) sonde_abnf_core(&b);
    if (!b.has_failed) sonde_syntax_check(&b, source);
    sonde_free(b.frames);
    if (!b.has_failed) return g;
    sonde_syntax_free(g);
    return NULL;
}

char *sonde_syntax_load(const char *path, size_t *n, char error[SONDE_SYNTAX_ERROR])
{
    char *bytes = NULL;
    int status = sonde_below_read(path, strlen(path), SONDE_SYNTAX_BYTES, &bytes, n);
    if (!status) return bytes;
    snprintf(error, SONDE_SYNTAX_ERROR, "'%.500s' cannot be read: %s", path, sonde_below_reason(status));
    return NULL;
}
