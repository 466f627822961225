/* See batch.h. */
#include "zoo/batch.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- Names of the file scope */

enum { NAMES_MAX = 256, NAME_SIZE = 48 };

struct names {
    char all[NAMES_MAX][NAME_SIZE];
    unsigned n;
};

/* The position of a reader in the source. */
struct place {
    int braces, parens;
    bool is_enum; /* in the braces of an enum, whose names are outside, too */
};

/* Not a name that a subject gives: a word of C, or one that others know it by. */
static bool is_kept(const char *name)
{
    static const char *const words[] = {"static",  "inline",  "int",   "bool",   "struct", "enum",    "unsigned",
                                        "const",   "void",    "char",  "long",   "size_t", "extern",  "sonde",
                                        "uint8_t", "typedef", "union", "signed", "short",  "uint32_t"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i]) == 0) return true;
    return strncmp(name, "zoo_", 4) == 0 || strncmp(name, "subject_", 8) == 0;
}

static void note_name(struct names *names, const char *name)
{
    for (unsigned i = 0; i < names->n; i++)
        if (strcmp(names->all[i], name) == 0) return;
    if (!is_kept(name) && names->n < NAMES_MAX) snprintf(names->all[names->n++], NAME_SIZE, "%s", name);
}

/* Behind a comment, a literal or a directive; where it is if there is none. */
static const char *skip_other(const char *at, bool is_line_start)
{
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at == '#' && is_line_start) return at + strcspn(at, "\n");
    if (*at != '"' && *at != '\'') return at;
    char quote = *at++;
    while (*at && *at != quote) at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static void move_place(struct place *place, char c)
{
    place->braces += (c == '{') - (c == '}');
    place->parens += (c == '(') - (c == ')');
    if (place->braces == 0 && (c == '}' || c == ';')) place->is_enum = false;
}

static void collect_names(const char *text, struct names *names)
{
    struct place place = {0};
    bool is_line_start = true;
    for (const char *at = text, *behind; *at; at = behind) {
        char name[NAME_SIZE];
        behind = skip_other(at, is_line_start);
        is_line_start = *at == '\n' || (is_line_start && *at == ' ');
        if (behind > at) continue;
        behind = at + 1;
        if (!isalpha((unsigned char)*at) && *at != '_') {
            move_place(&place, *at);
            while (isdigit((unsigned char)*at) && isalnum((unsigned char)*behind)) behind++;
            continue;
        }
        while (isalnum((unsigned char)*behind) || *behind == '_') behind++;
        snprintf(name, sizeof name, "%.*s", (int)(behind - at), at);
        bool is_outside = place.braces == 0 || (place.is_enum && place.braces == 1);
        if (place.braces == 0 && strcmp(name, "enum") == 0) place.is_enum = true;
        if (is_outside && place.parens == 0) note_name(names, name);
    }
}

/* ---- Joined, and taken apart */

struct zoo_text zoo_join(const char *first, const struct zoo_piece *pieces, unsigned n)
{
    struct zoo_text out = {0};
    zoo_print(&out, "%s", first);
    for (unsigned i = 0; i < n; i++) {
        const struct zoo_piece *p = &pieces[i];
        struct names names = {.n = 0};
        collect_names(p->text, &names);
        for (unsigned k = 0; k < names.n; k++)
            zoo_print(&out, "#define %s %s_%" PRIu64 "\n", names.all[k], names.all[k], p->number);
        zoo_print(&out, "#line 1 \"%s\"\n%s\n", p->file, p->text);
        for (unsigned k = 0; k < names.n; k++) zoo_print(&out, "#undef %s\n", names.all[k]);
    }
    return out;
}

/* The line that a preprocessor puts before the contents of a file; the end of the output if there is none. */
static const char *beginning_of(const char *preprocessed, const char *file)
{
    struct zoo_text line = {0};
    zoo_print(&line, "\n# 1 \"%s\"\n", file);
    const char *at = strstr(preprocessed, line.s);
    zoo_text_clear(&line);
    return at ? at + 1 : preprocessed + strlen(preprocessed);
}

bool zoo_part(const char *preprocessed, const struct zoo_piece *pieces, unsigned n, unsigned i, struct zoo_text *out)
{
    const char *first = beginning_of(preprocessed, pieces[0].file), *from = beginning_of(preprocessed, pieces[i].file);
    const char *to = i + 1 < n ? beginning_of(preprocessed, pieces[i + 1].file) : preprocessed + strlen(preprocessed);
    if (!*from || to <= from) return false;
    zoo_print(out, "%.*s", (int)(first - preprocessed), preprocessed);
    zoo_print(out, "%.*s", (int)(to - from), from);
    return true;
}
