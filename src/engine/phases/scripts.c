/* See scripts.h. */
#include "engine/phases/scripts.h"

#include "base/mem.h"

#include <string.h>

void sonde_scripts_free(struct sonde_scripts *scripts)
{
    for (uint32_t i = 0; i < SONDE_SCRIPTS_MAX; i++) sonde_tape_clear(&scripts->all[i]);
    sonde_free(scripts);
}

/* Adds the n bytes at `part` of a token. Counted before it is read, so that sonde_scripts_free frees it in any case. */
static bool read_script(struct sonde_labels *labels, struct sonde_scripts *scripts, const char *part, size_t n,
                        struct sonde_text_error *error)
{
    size_t skipped = strspn(part, " ");
    if (skipped > n) skipped = n;
    *error = (struct sonde_text_error){.reason = "there are too many tapes"};
    if (scripts->n == SONDE_SCRIPTS_MAX) return false;
    struct sonde_tape *script = scripts->all + scripts->n;
    scripts->pointers[scripts->n++] = script;
    if (sonde_tape_from_text(script, labels, part + skipped, n - skipped, error) == 0) return true;
    error->at += skipped;
    return false;
}

struct sonde_scripts *sonde_scripts_read(struct sonde_labels *labels, const char *token, struct sonde_text_error *error)
{
    struct sonde_scripts *scripts = sonde_calloc(1, sizeof *scripts);
    bool has_several = strchr(token, ';') != NULL;
    const char *part = token;
    scripts->noun = "token";
    for (;; part++) {
        size_t n = strcspn(part, ";");
        /* An empty token is a tape without choices; an empty part of several is a mistake. */
        bool is_empty = has_several && strspn(part, " ") >= n;
        if (!read_script(labels, scripts, part, n, error)) break;
        if (is_empty) *error = (struct sonde_text_error){.reason = "a tape is missing beside the ;"};
        if (is_empty) break;
        part += n;
        if (!*part) return scripts;
    }
    error->at += (size_t)(part - token);
    sonde_scripts_free(scripts);
    return NULL;
}

void sonde_scripts_free_ends(struct sonde_scripts *scripts, const char *kind)
{
    /* With these kinds the property returned, so its tape is complete and nothing is free. */
    bool has_returned = !kind || !strcmp(kind, "expect") || !strcmp(kind, "leak") || !strcmp(kind, "undefined");
    for (uint32_t i = 0; i < scripts->n && !has_returned; i++) scripts->all[i].spans[0].flags |= SONDE_SPAN_FREE;
}
