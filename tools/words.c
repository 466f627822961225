/* See words.h. A list of words owns copies of its strings and ends with NULL, as execvp wants it. Nothing is freed:
 * these programs run once, and end. */
#include "words.h"

#include "base/mem.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void words_add(struct words *words, const char *word)
{
    words->all = sonde_grow(words->all, &words->cap, (size_t)words->n + 2, sizeof *words->all);
    words->all[words->n++] = sonde_strdup(word);
    words->all[words->n] = NULL;
}

void words_add_all(struct words *words, const char *const *more)
{
    while (*more) words_add(words, *more++);
}

__attribute__((format(printf, 2, 3))) void words_add_format(struct words *words, const char *format, ...)
{
    char text[2 * PATH_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    words_add(words, text);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

void words_split(struct words *words, const char *text)
{
    char *word = sonde_malloc(strlen(text) + 1);
    for (;;) {
        size_t n = 0;
        char quote = 0;
        while (is_blank(*text)) text++;
        if (!*text) break;
        for (; *text && (quote || !is_blank(*text)); text++) {
            if (*text == '\\' && text[1]) word[n++] = *++text;
            else if (quote ? *text == quote : *text == '"' || *text == '\'') quote = quote ? 0 : *text;
            else word[n++] = *text;
        }
        word[n] = 0;
        words_add(words, word);
    }
    sonde_free(word);
}

bool word_starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

bool word_is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(word, *list) != 0) list++;
    return *list != NULL;
}

const char *word_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *words_read_file(const char *path)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    uint32_t n = 0, cap = 0;
    if (!in) return NULL;
    do {
        text = sonde_grow(text, &cap, (size_t)n + 4096, 1);
        n += (uint32_t)fread(text + n, 1, cap - n - 1, in);
    } while (!feof(in) && !ferror(in));
    text[n] = 0;
    fclose(in);
    return text;
}

/* Options of gcc and clang whose value is the next word, unless it is joined to them (-Idir). The value of an option
 * that is missing here would be read as an input file. */
const char *const words_taking_another[] = {"-o",
                                            "-x",
                                            "-I",
                                            "-L",
                                            "-D",
                                            "-U",
                                            "-include",
                                            "-imacros",
                                            "-isystem",
                                            "-iquote",
                                            "-idirafter",
                                            "-iprefix",
                                            "-iwithprefix",
                                            "-isysroot",
                                            "-iframework",
                                            "-iwithprefixbefore",
                                            "-imultilib",
                                            "-F",
                                            "-MF",
                                            "-MT",
                                            "-MQ",
                                            "-Xlinker",
                                            "-Xpreprocessor",
                                            "-Xassembler",
                                            "-Xclang",
                                            "-mllvm",
                                            "-T",
                                            "-u",
                                            "-l",
                                            "-z",
                                            "-e",
                                            "-A",
                                            "-B",
                                            "-b",
                                            "-V",
                                            "-arch",
                                            "-target",
                                            "-aux-info",
                                            "-dumpbase",
                                            "-dumpbase-ext",
                                            "-dumpdir",
                                            "-wrapper",
                                            "-specs",
                                            "--param",
                                            "-framework",
                                            "-h",
                                            "-R",
                                            "-rpath",
                                            "-gcc-toolchain",
                                            NULL};
