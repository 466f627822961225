/* Implements `sonde new --all`: proposes tests that the names in a header suggest. Each proposal is printed as a
 * command with its reason; no file is written. */
#include "new.h"

#include <stdio.h>
#include <string.h>

/* Words that undo each other. */
static const char *const inverses[][2] = {{"encode", "decode"},
                                          {"pack", "unpack"},
                                          {"compress", "uncompress"},
                                          {"compress", "decompress"},
                                          {"deflate", "inflate"},
                                          {"escape", "unescape"},
                                          {"serialize", "deserialize"},
                                          {"serialise", "deserialise"},
                                          {"encrypt", "decrypt"},
                                          {"marshal", "unmarshal"},
                                          {"quote", "unquote"},
                                          {"print", "parse"},
                                          {"format", "parse"},
                                          {"dumps", "loads"},
                                          {"dump", "load"},
                                          {"write", "read"},
                                          {"save", "load"},
                                          {"to_string", "from_string"},
                                          {"ntop", "pton"},
                                          {"ntoa", "aton"}};
/* Suffixes of a second implementation of the same function. */
static const char *const variants[] = {"_fast", "_slow", "_ref",  "_reference", "_naive", "_simple",
                                       "_old",  "_new",  "_simd", "_scalar",    "2"};

static const struct prototype *named(const struct prototype *all, uint32_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, name)) return &all[i];
    return NULL;
}

/* Returns a name with one word replaced by another; NULL if the name does not have the word. The word must be at the
 * start or after _ or a digit: "unpack" does not have "pack". */
static const char *replaced(const char *name, const char *word, const char *by)
{
    const char *at = strstr(name, word);
    if (!at || (at > name && at[-1] != '_' && !strchr("0123456789", at[-1]))) return NULL;
    return keep_format("%.*s%s%s", (int)(at - name), name, by, at + strlen(word));
}

/* Proposes roundtrip tests. Returns their number, as the functions below do. */
static uint32_t propose_inverses(const struct prototype *all, uint32_t n, const char *header)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof inverses / sizeof *inverses; k++) {
            const char *other = replaced(all[i].name, inverses[k][0], inverses[k][1]);
            if (!other || !named(all, n, other)) continue;
            printf("sonde new roundtrip %s %s --header %s\n    # '%s' and '%s' undo each other\n", all[i].name, other,
                   header, inverses[k][0], inverses[k][1]);
            found++;
        }
    return found;
}

/* Proposes differential tests. */
static uint32_t propose_variants(const struct prototype *all, uint32_t n, const char *header)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++)
        for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
            const struct prototype *other = named(all, n, keep_format("%s%s", all[i].name, variants[k]));
            if (!other || other->n != all[i].n) continue;
            printf("sonde new differential %s %s --header %s\n    # '%s' looks like a second implementation\n",
                   all[i].name, other->name, header, variants[k]);
            found++;
        }
    return found;
}

/* Proposes crash tests for functions that read bytes of a given length, since these often get untrusted input. */
static uint32_t propose_readers(const struct prototype *all, uint32_t n, const char *header)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct conversion w = conversion_of(&all[i]);
        if (w.in != CARRIES_BYTES || w.in_size < 0) continue;
        printf("sonde new crash %s --header %s\n    # it reads bytes of a given length: any bytes must be safe\n",
               all[i].name, header);
        found++;
    }
    return found;
}

/* Proposes model tests for objects that one function creates, another frees, and others use. */
static uint32_t propose_models(const struct prototype *all, uint32_t n, const char *header)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct prototype *closer = all[i].result->kind == TYPE_POINTER ? closer_of(all[i].result) : NULL;
        const char *names = "";
        if (!closer || maker_of(all[i].result) != &all[i]) continue;
        for (uint32_t k = 0; k < n; k++) {
            const struct type *first = all[k].n ? all[k].types[0] : NULL;
            bool takes = first && first->kind == TYPE_POINTER && first->of->name
                         && !strcmp(first->of->name, all[i].result->of->name);
            if (takes && &all[k] != closer) names = keep_format("%s %s", names, all[k].name);
        }
        if (!*names) continue;
        printf("sonde new model%s --header %s\n    # %s creates what %s frees; these use it\n", names, header,
               all[i].name, closer->name);
        found++;
    }
    return found;
}

int new_proposals(const char *header)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    uint32_t found = propose_inverses(all, n, header) + propose_variants(all, n, header)
                     + propose_models(all, n, header) + propose_readers(all, n, header);
    if (!found) printf("# %s: no names here suggest a test; see docs/writing-properties.md\n", header);
    return SONDE_PASSED;
}
