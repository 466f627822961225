/* See `text.h`. The memory belongs to the case, so nothing is freed here. Outgrown pieces are freed when the case ends,
 * even if a draw leaves the case in the middle of a string. */
#include "gen/text.h"

#include <stdarg.h>
#include <string.h>

void sonde_gen_begin(struct sonde_gen_text *text, sonde *t, const char *label)
{
    sonde_open(t, label);
    *text = (struct sonde_gen_text){.t = t, .label = label};
    /* An empty string has memory and a NUL, too. */
    sonde_gen_put(text, "", 0);
}

void sonde_gen_put(struct sonde_gen_text *text, const char *chars, size_t n)
{
    if (text->cap - text->n <= n) { /* one byte is kept for the NUL */
        /* Doubling keeps the abandoned pieces together no larger than the string itself. */
        size_t cap = 2 * text->cap + n + 32;
        char *more = sonde_alloc(text->t, cap);
        if (text->n > 0) memcpy(more, text->at, text->n);
        text->at = more;
        text->cap = cap;
    }
    memcpy(text->at + text->n, chars, n);
    text->n += n;
    text->at[text->n] = '\0';
}

void sonde_gen_print(struct sonde_gen_text *text, const char *format, ...)
{
    char piece[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (n > 0) sonde_gen_put(text, piece, (size_t)n < sizeof piece ? (size_t)n : sizeof piece - 1);
}

/* Prints bytewise, because the string may be invalid UTF-8. */
static void print_quoted(FILE *out, const void *value)
{
    fputc('"', out);
    for (const unsigned char *c = value; *c; c++) {
        if (*c == '"' || *c == '\\') fprintf(out, "\\%c", *c);
        else if (*c == '\n') fputs("\\n", out);
        else if (*c == '\t') fputs("\\t", out);
        else if (*c < ' ' || *c >= 0x7f) fprintf(out, "\\x%02x", *c);
        else fputc(*c, out);
    }
    fputc('"', out);
}

char *sonde_gen_end(struct sonde_gen_text *text)
{
    char *exact = sonde_alloc(text->t, text->n + 1);
    memcpy(exact, text->at, text->n + 1);
    sonde_show(text->t, print_quoted, exact);
    sonde_close(text->t, text->label);
    return exact;
}
