/* The memos of a case; see sonde_memo in case.h. There are few of them, so they are in a list that is searched. */
#include "case/case.h"

const struct sonde_memo *sonde_case_memo(const sonde *t, const void *of, const void *text)
{
    for (const struct sonde_memo *k = t->memos; k; k = k->next)
        if (k->of == of && k->text == text) return k;
    return NULL;
}

/* Links the new memo last: a worker that dies before that leaks its memory, and the list stays valid. */
void sonde_case_add_memo(sonde *t, const struct sonde_memo *kept)
{
    struct sonde_memo *copy = sonde_malloc(sizeof *copy);
    *copy = *kept;
    copy->next = t->memos;
    t->memos = copy;
}

void sonde_case_free_memos(sonde *t)
{
    while (t->memos) {
        struct sonde_memo *next = t->memos->next;
        t->memos->free(t->memos->what);
        sonde_free(t->memos);
        t->memos = next;
    }
}

bool sonde_case_has_label(const sonde *t, const char *label)
{
    for (const struct sonde_memo *k = t->memos; k; k = k->next)
        if (label >= k->labels && label < k->labels_end) return true;
    return false;
}
