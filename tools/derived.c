/* See derived.h. SONDE_DERIVE only declares functions. Their definitions are appended to the file because all types are
 * known at its end. sonde-derive, a separate program that needs libclang, writes them. */
#define _GNU_SOURCE /* pipe2 */

#include "derived.h"

#include "base/die.h"
#include "base/mem.h"
#include "pipe.h"
#include "tools.h"

#include <sonde.h>

#include <stdlib.h>
#include <string.h>

/* Reports whether a flag decides what a source means. sonde-derive gets only these flags. */
static bool is_about_meaning(const char *word)
{
    static const char *const starts[] = {
        "-I",      "-D",         "-U",        "-std=",     "-include",        "-imacros",      "-isystem",
        "-iquote", "-idirafter", "-isysroot", "-nostdinc", "-funsigned-char", "-fsigned-char", "-fshort-enums",
        "-m32",    NULL};
    for (size_t i = 0; starts[i]; i++)
        if (word_starts(word, starts[i])) return true;
    return false;
}

/* Appends the flags that sonde-derive needs, with their values. */
static void add_flags(struct words *command, const struct words *flags)
{
    for (uint32_t i = 0; i < flags->n; i++) {
        bool more = word_is_one_of(flags->all[i], words_taking_another) && i + 1 < flags->n;
        bool keeps = is_about_meaning(flags->all[i]);
        if (keeps) words_add(command, flags->all[i]);
        if (keeps && more) words_add(command, flags->all[i + 1]);
        i += more;
    }
}

/* Reads a stream to its end. Returns a string; the caller frees it. */
static char *read_rest(FILE *in)
{
    char *text = NULL;
    uint32_t n = 0, cap = 0;
    do {
        text = sonde_grow(text, &cap, (size_t)n + 65536, 1);
        n += (uint32_t)fread(text + n, 1, cap - n - 1, in);
    } while (!feof(in) && !ferror(in));
    text[n] = 0;
    return text;
}

/* Returns the C code that sonde-derive writes for a source, "" if there is nothing to derive. The user sees the
 * messages of sonde-derive; if it fails, so does this process. */
static char *derive(const char *source, const struct words *flags)
{
    struct words command = {0};
    struct tool_pipe answer;
    words_add(&command, sonde_companion("SONDE_DERIVE"));
    words_add_all(&command, (const char *const[]){"--if-any", source, NULL});
    add_flags(&command, flags);
    if (!tool_pipe_open_loudly(&answer, command.all))
        sonde_die(SONDE_INTERNAL, "sonde cc: cannot run %s", command.all[0]);
    char *text = read_rest(answer.out);
    if (!tool_pipe_close(&answer)) exit(SONDE_USAGE);
    return text;
}

char *derived_source(const char *source, const struct words *flags)
{
    char *text = words_read_file(source), *joined = NULL;
    char *derived = text && strstr(text, "SONDE_DERIVE(") ? derive(source, flags) : NULL;
    if (derived && *derived) {
        size_t n = strlen(text) + strlen(derived) + 2 * strlen(source) + 64;
        joined = sonde_malloc(n);
        snprintf(joined, n, "#line 1 \"%s\"\n%s\n#line 1 \"%s (derived)\"\n%s", source, text, source, derived);
    }
    sonde_free(derived);
    sonde_free(text);
    return joined;
}
