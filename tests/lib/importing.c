/* See importing.h. */
#include "lib/importing.h"

#include "base/mem.h"
#include "exec/exec.h"
#include "guide/guides.h"

#include <string.h>

static struct sonde_import_end run(void *user, const struct sonde_tape *script, struct sonde_guide *guide,
                                   struct sonde_tape *actual)
{
    struct importing *i = user;
    i->t->aim = &i->aim;
    sonde_exec_inline(i->t, &i->property, guide ? guide : i->simplest, script);
    i->t->aim = NULL;
    sonde_tape_end(&i->t->tape);
    sonde_tape_copy(actual, &i->t->tape);
    return (struct sonde_import_end){.has_failed = i->t->verdict == SONDE_FAILED,
                                     .was_misused = i->t->verdict == SONDE_MISUSE,
                                     .was_costly = i->t->verdict == SONDE_OVERRUN};
}

void importing_init(struct importing *i, sonde_property_fn *writer)
{
    struct sonde_limits limits = {.choices = 5000, .spans = 10000, .bytes = 1 << 20, .memory = 1 << 26};
    struct sonde_guide_setup setup = {.seed = 1};
    memset(i, 0, sizeof *i);
    sonde_labels_init(&i->labels);
    i->t = sonde_case_create(&i->labels, limits);
    i->simplest = sonde_guide_simplest.create(&setup);
    i->property.run = writer;
    i->guess = sonde_guess_create(&i->aim);
    i->test = (struct sonde_import_test){.aim = &i->aim, .run = run, .user = i};
    sonde_tape_init(&i->out.tape);
}

void importing_clear(struct importing *i)
{
    sonde_guess_free(i->guess);
    sonde_free(i->aim.marks);
    sonde_tape_clear(&i->out.tape);
    i->simplest->ops->destroy(i->simplest);
    sonde_case_free(i->t);
    sonde_labels_clear(&i->labels);
}

void importing_aim(struct importing *i, const char *text)
{
    i->aim.text = text;
    i->aim.n = (uint32_t)strlen(text);
}

bool importing_text(struct importing *i, const char *text)
{
    importing_aim(i, text);
    sonde_tape_clear(&i->out.tape);
    i->out = (struct sonde_retraced){0};
    sonde_retrace(&i->test, i->guess, &i->out);
    return i->out.is_whole;
}

uint32_t importing_replay(struct importing *i, const struct sonde_tape *script)
{
    struct sonde_tape actual;
    sonde_tape_init(&actual);
    run(i, script, NULL, &actual);
    sonde_tape_clear(&actual);
    return i->aim.at;
}
