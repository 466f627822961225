/* See notes.h. Only the form of an annotation is checked here; judge.c checks whether it fits its field. */
#include "notes.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of arguments of one annotation; further ones are ignored. */
enum { MOST_PARTS = 256 };

/* The arguments of an annotation. */
struct parts {
    const char *text; /* all of them, as written */
    const char *all[MOST_PARTS];
    uint32_t n;
};

const char *notes_word(const char *attribute, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(attribute, "sonde ", 6) != 0) return NULL;
    attribute += 6;
    return !strncmp(attribute, word, n) && attribute[n] == ' ' ? attribute + n + 1 : NULL;
}

static void add_count(struct notes *to, const struct parts *p)
{
    to->count = p->all[0];
    if (p->n > 1) to->count_min = p->all[1];
    if (p->n > 2) to->count_max = p->all[2];
}

static void add_text(struct notes *to, const struct parts *p, enum text_kind kind)
{
    to->text = kind;
    to->text_min = p->n > 0 ? p->all[0] : "0";
    to->text_max = p->n > 1 ? p->all[1] : "40";
}

/* Reads SONDE_TAG(tag, VALUE: member, ...). The colon is the last one of a part: VALUE may be C++, a::b. */
static void add_tag(struct notes *to, const struct parts *p, struct place place)
{
    to->tag = p->all[0];
    for (uint32_t i = 1; i < p->n; i++) {
        const char *colon = strrchr(p->all[i], ':'), *part;
        if (!colon) {
            complain(place, "SONDE_TAG: '%s' is not VALUE: member; write SONDE_TAG(%s, VALUE: member, ...)", p->all[i],
                     to->tag);
            return;
        }
        struct choice *choice = PUSH(to->choices, to->n_choices, to->cap_choices);
        split_list(keep_format("%.*s", (int)(colon - p->all[i]), p->all[i]), &part, 1);
        choice->constant = part;
        choice->member = split_list(colon + 1, &part, 1) ? part : "";
    }
    if (!to->n_choices)
        complain(place, "SONDE_TAG(%s) names no member; write SONDE_TAG(%s, VALUE: member, ...)", to->tag, to->tag);
}

static void add_condition(struct notes *to, const char *condition, struct place place)
{
    if (to->n_such_that < MOST_CONDITIONS) to->such_that[to->n_such_that++] = condition;
    else complain(place, "a field has at most %d SONDE_SUCH_THAT; join them by &&", MOST_CONDITIONS);
}

/* Adds an annotation by its word. Unknown words are ignored. */
static void add_word(struct notes *to, const char *word, const struct parts *p, struct place place)
{
    if (!strcmp(word, "COUNT")) add_count(to, p);
    else if (!strcmp(word, "TAG")) add_tag(to, p, place);
    else if (!strcmp(word, "TEXT")) add_text(to, p, TEXT_ASCII);
    else if (!strcmp(word, "UTF8")) add_text(to, p, TEXT_UTF8);
    else if (!strcmp(word, "REGEX")) to->text = TEXT_REGEX, to->regex = p->text;
    else if (!strcmp(word, "NULLABLE")) to->nullable = true;
    else if (!strcmp(word, "NONNULL")) to->nonnull = true;
    else if (!strcmp(word, "RANGE")) to->lo = p->all[0], to->hi = p->all[1];
    else if (!strcmp(word, "ONE_OF")) to->one_of = p->text;
    else if (!strcmp(word, "FLAGS")) to->flags = p->text;
    else if (!strcmp(word, "IS")) to->is = p->text;
    else if (!strcmp(word, "BY")) to->by = p->text;
    else if (!strcmp(word, "WAS")) to->was = p->text;
    else if (!strcmp(word, "SUCH_THAT")) add_condition(to, p->text, place);
}

/* Reports whether an annotation needs no arguments. */
static bool may_be_empty(const char *word)
{
    return !strcmp(word, "NULLABLE") || !strcmp(word, "NONNULL") || !strcmp(word, "TEXT") || !strcmp(word, "UTF8");
}

void notes_add(struct notes *to, const char *attribute, struct place place)
{
    char word[16];
    struct parts p = {.text = NULL};
    if (strncmp(attribute, "sonde ", 6) != 0) return;
    size_t n = strcspn(attribute + 6, " ");
    if (n >= sizeof word) return;
    memcpy(word, attribute + 6, n);
    word[n] = 0;
    p.text = keep_text(attribute + 6 + n + (attribute[6 + n] == ' '));
    p.n = split_list(p.text, p.all, MOST_PARTS);
    if (p.n == 0 && !may_be_empty(word)) complain(place, "SONDE_%s() needs an argument; see docs/deriving.md", word);
    else add_word(to, word, &p, place);
}

void notes_merge(struct notes *to, const struct notes *from)
{
    if (from->count) to->count = from->count, to->count_min = from->count_min, to->count_max = from->count_max;
    if (from->text)
        to->text = from->text, to->text_min = from->text_min, to->text_max = from->text_max, to->regex = from->regex;
    to->nullable |= from->nullable;
    to->nonnull |= from->nonnull;
    if (from->lo) to->lo = from->lo, to->hi = from->hi;
    if (from->one_of) to->one_of = from->one_of;
    if (from->flags) to->flags = from->flags;
    if (from->is) to->is = from->is;
    if (from->by) to->by = from->by;
    if (from->was) to->was = from->was;
    for (uint32_t i = 0; i < from->n_such_that && to->n_such_that < MOST_CONDITIONS; i++)
        to->such_that[to->n_such_that++] = from->such_that[i];
    if (from->tag) to->tag = from->tag, to->choices = from->choices, to->n_choices = from->n_choices;
}
