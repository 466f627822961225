/* See blank.h. One pass over the source, which tracks whether the current byte is code, in a comment or in a
 * literal. */
#include "base/blank.h"

#include <stdbool.h>
#include <string.h>

enum within { CODE, LINE_COMMENT, COMMENT, STRING, CHARACTER };

/* The position of the pass, and what the byte there is part of. */
struct pass {
    const char *at, *end;
    enum within within;
};

static bool follows(const struct pass *p, const char *two)
{
    return p->end - p->at >= 2 && p->at[0] == two[0] && p->at[1] == two[1];
}

/* Moves over one byte of code, or over the start of a comment or literal. Returns whether it was code, not white
 * space. */
static bool pass_code(struct pass *p)
{
    if (follows(p, "//") || follows(p, "/*")) {
        p->within = p->at[1] == '/' ? LINE_COMMENT : COMMENT;
        p->at += 2;
        return false;
    }
    if (*p->at == '"') p->within = STRING;
    if (*p->at == '\'') p->within = CHARACTER;
    return memchr(" \t\r\f\v", *p->at++, 6) == NULL; /* a NUL is not code either */
}

/* Moves over one byte of a literal, or over an escape. A literal ends with its line at the latest. */
static void pass_literal(struct pass *p)
{
    char quote = p->within == STRING ? '"' : '\'';
    if (*p->at == '\\' && p->end - p->at >= 2 && p->at[1] != '\n') p->at++;
    else if (*p->at == quote) p->within = CODE;
    p->at++;
}

static void pass_comment(struct pass *p)
{
    if (p->within == COMMENT && follows(p, "*/")) {
        p->within = CODE;
        p->at++;
    }
    p->at++;
}

/* Moves over the end of a line. A backslash before it continues what the line is in. */
static void pass_end(struct pass *p, const char *start)
{
    const char *last = p->at;
    if (last > start && last[-1] == '\r') last--;
    bool goes_on = p->within == COMMENT || (last > start && last[-1] == '\\');
    if (!goes_on) p->within = CODE;
    p->at++;
}

void sonde_blank_lines(const char *source, size_t n, uint8_t *blank, uint32_t n_lines)
{
    struct pass p = {.at = source, .end = source + n, .within = CODE};
    const char *start = source;
    uint32_t line = 0;
    memset(blank, 1, n_lines);
    while (p.at < p.end && line < n_lines) {
        if (*p.at == '\n') {
            pass_end(&p, start);
            start = p.at;
            line++;
        } else if (p.within == CODE) {
            if (pass_code(&p)) blank[line] = 0;
        } else if (p.within == STRING || p.within == CHARACTER) {
            blank[line] = 0;
            pass_literal(&p);
        } else {
            pass_comment(&p);
        }
    }
}
