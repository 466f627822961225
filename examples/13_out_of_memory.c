/* 13: memory that runs out. Code that handles a failing malloc is seldom run, so that is where the bugs are. sonde_oom
 * makes one allocation of the code under test fail; which one is drawn like any other value, and shrinks.
 *
 * What to look for: `fails_at=2`. The first allocation that fails is handled well; the second is not.
 *
 * Linked with the flags of `pkg-config --libs sonde-oom`, which put failing allocators under malloc and its kin. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

/* ---- The code under test: a growing array of texts. */

struct texts {
    char **at;
    size_t n, cap;
};

/* False if there is no memory; then nothing has changed. Or so it says. */
static bool add(struct texts *texts, const char *text)
{
    if (texts->n == texts->cap) {
        size_t cap = texts->cap ? 2 * texts->cap : 2;
        char **at = realloc(texts->at, cap * sizeof *at);
        if (!at) return false;
        texts->at = at;
        texts->cap = cap;
    }
    texts->n++; /* the bug: too early, if the copy fails */
    texts->at[texts->n - 1] = strdup(text);
    return texts->at[texts->n - 1] != NULL;
}

static void clear(void *what)
{
    struct texts *texts = what;
    for (size_t i = 0; i < texts->n; i++) free(texts->at[i]);
    free(texts->at);
}

/* ---- The property */

static void texts_are_added_or_not(sonde *t)
{
    struct texts *texts = sonde_new(t, struct texts);
    sonde_defer(t, clear, texts);
    sonde_oom(t, "fails_at", 15);
    sonde_list words = sonde_list_of(t, "words", 0, 10);
    while (sonde_more(&words)) {
        char *word = sonde_string(t, "word", 0, 8); /* sonde's own memory never fails */
        size_t before = texts->n;
        bool is_added = add(texts, word);
        sonde_check_eq(t, texts->n, before + is_added);
    }
}

SONDE_MAIN(texts_are_added_or_not)
