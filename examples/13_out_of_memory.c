/* 13: memory that runs out. Code that handles a failing malloc rarely runs, so that is where the bugs are. sonde_oom
 * makes one allocation of the code under test fail; which one is drawn like any other value, and shrinks.
 *
 * Look for: `fails_at=2`. If the first allocation fails, the code handles it well; if the second fails, it does not.
 *
 * Linked with the flags of `pkg-config --libs sonde-oom`, which replace malloc and related functions. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

/* ---- The code under test: a growing array of strings. */

struct texts {
    char **at;
    size_t n, cap;
};

/* Returns false if memory runs out, and promises that nothing has changed then. */
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
        char *word = sonde_string(t, "word", 0, 8); /* memory from sonde never fails */
        size_t before = texts->n;
        bool is_added = add(texts, word);
        sonde_check_eq(t, texts->n, before + is_added);
    }
}

SONDE_MAIN(texts_are_added_or_not)
