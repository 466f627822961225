/* See shrinking.h. */
#include "lib/shrinking.h"

#include "guide/guides.h"
#include "tape/text.h"

#include <string.h>

enum { MAX_CASES = 1000000 };

bool shrinking_fails(void *user, const struct sonde_tape *script, struct sonde_tape *actual)
{
    struct shrinking *s = user;
    sonde_exec_inline(s->t, &s->property, s->simplest, script);
    sonde_tape_copy(actual, &s->t->tape);
    return s->t->verdict == SONDE_FAILED && s->t->claim.line == s->line;
}

static bool was_discarded(void *user)
{
    return ((struct shrinking *)user)->t->verdict == SONDE_DISCARDED;
}

void shrinking_init(struct shrinking *s, sonde_property_fn *property)
{
    struct sonde_limits limits = {.choices = 100000, .spans = 200000, .bytes = 1 << 20, .memory = 1 << 26};
    struct sonde_guide_setup setup = {.seed = 1};
    memset(s, 0, sizeof *s);
    sonde_labels_init(&s->labels);
    s->t = sonde_case_create(&s->labels, limits);
    s->simplest = sonde_guide_simplest.create(&setup);
    s->property.run = property;
    s->test = (struct sonde_shrink_test){.fails = shrinking_fails, .discarded = was_discarded, .user = s};
    sonde_tape_init(&s->tape);
}

void shrinking_clear(struct shrinking *s)
{
    sonde_free(s->text);
    sonde_tape_clear(&s->tape);
    s->simplest->ops->destroy(s->simplest);
    sonde_case_free(s->t);
    sonde_labels_clear(&s->labels);
}

static bool take(struct shrinking *s)
{
    sonde_tape_copy(&s->tape, &s->t->tape);
    s->line = s->t->claim.line;
    s->start = sonde_tape_size(&s->tape);
    return s->t->verdict == SONDE_FAILED;
}

bool shrinking_find(struct shrinking *s, uint64_t seed, uint32_t least)
{
    struct sonde_guide_setup setup = {.seed = seed};
    struct sonde_guide *guide = sonde_guide_uniform.create(&setup);
    bool found = false;
    for (uint64_t i = 0; i < MAX_CASES && !found; i++) {
        sonde_exec_inline(s->t, &s->property, guide, NULL);
        found = s->t->verdict == SONDE_FAILED && s->t->tape.n_choices >= least;
    }
    guide->ops->destroy(guide);
    return found && take(s);
}

bool shrinking_start(struct shrinking *s, const char *text)
{
    struct sonde_tape script;
    struct sonde_text_error error;
    sonde_tape_init(&script);
    bool ok = sonde_tape_from_text(&script, &s->labels, text, strlen(text), &error) == 0;
    if (ok) sonde_exec_inline(s->t, &s->property, s->simplest, &script);
    sonde_tape_clear(&script);
    return ok && take(s);
}

const char *shrinking_run(struct shrinking *s)
{
    s->result = sonde_shrink(&s->tape, &s->test);
    sonde_free(s->text);
    s->text = sonde_tape_to_text(&s->tape, &s->labels);
    const char *text = s->text;
    if (strncmp(text, "s1:", 3) == 0) text += 3;
    while (*text == ' ') text++;
    size_t n = strlen(s->text);
    if (n > 2 && strcmp(s->text + n - 2, " ?") == 0) s->text[n - 2] = '\0'; /* the claim ended the case */
    return text;
}
