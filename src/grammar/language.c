/* See language.h. */
#include "grammar/language.h"

#include "base/mem.h"
#include "base/oom.h"
#include "case/case.h"

#include <string.h>

enum { GRAMMARS = 64 }; /* maximum number of grammars in a run: they are kept until it ends */

static const struct sonde_syntax *read_grammar(sonde *t, const char *label, const sonde_language *language)
{
    char error[SONDE_SYNTAX_ERROR];
    const void *text = language->grammar ? language->grammar : language->file;
    uint32_t n_kept = 0;
    for (const struct sonde_memo *k = t->memos; k; k = k->next) n_kept++;
    if (!text || (language->grammar && language->file))
        sonde_misuse_(t, "sonde_grammar(\"%s\"): give .grammar or .file, one of them", label);
    if (n_kept >= GRAMMARS)
        sonde_misuse_(t, "sonde_grammar(\"%s\"): more than %d grammars; make each sonde_language static", label,
                      GRAMMARS);
    uint64_t left = sonde_oom_pause(); /* sonde_oom must not count what sonde allocates */
    size_t n = language->grammar ? strlen(language->grammar) : 0;
    char *loaded = language->grammar ? NULL : sonde_syntax_load(language->file, &n, error);
    struct sonde_syntax *g = NULL;
    if (language->grammar || loaded)
        g = sonde_syntax_read(&(struct sonde_syntax_source){.text = loaded ? loaded : language->grammar,
                                                            .n = n,
                                                            .name = language->file,
                                                            .start = language->start,
                                                            .drawn = language->drawn,
                                                            .n_drawn = language->n_drawn},
                              error);
    sonde_free(loaded);
    if (g)
        sonde_case_add_memo(t, &(struct sonde_memo){.of = language,
                                                    .text = text,
                                                    .what = g,
                                                    .free = sonde_syntax_free,
                                                    .labels = g->names,
                                                    .labels_end = g->names + g->n_names});
    sonde_oom_resume(left);
    if (!g) sonde_misuse_(t, "sonde_grammar(\"%s\"): %s", label, error);
    return g;
}

const struct sonde_syntax *sonde_grammar_read(sonde *t, const char *label, const sonde_language *language)
{
    if (!language) sonde_misuse_(t, "sonde_grammar(\"%s\"): the language is NULL; give one", label);
    const struct sonde_memo *kept =
        sonde_case_memo(t, language, language->grammar ? language->grammar : language->file);
    return kept ? kept->what : read_grammar(t, label, language);
}

/* Prints bytewise, because a string may have any bytes. */
void sonde_grammar_print(FILE *out, const void *value)
{
    const sonde_text *text = value;
    fputc('"', out);
    for (size_t i = 0; i < text->n; i++) {
        unsigned char c = (unsigned char)text->at[i];
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c == '\n') fputs("\\n", out);
        else if (c == '\t') fputs("\\t", out);
        else if (c < ' ' || c >= 0x7f) fprintf(out, "\\x%02x", c);
        else fputc(c, out);
    }
    fputc('"', out);
}
