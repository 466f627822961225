/* See list.h. Each line has the verdict on the record, which is the worst verdict of its problems. */
#include "list.h"

#include <stdio.h>

static const char *const verdicts[] = {"derived", "annotate", "refused"};

int list_records(struct record *const *all, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct judgement j = judge(all[i]);
        if (!j.n_problems) printf("%s\tderived\n", all[i]->name);
        for (uint32_t k = 0; k < j.n_problems; k++) {
            const struct problem *p = &j.problems[k];
            printf("%s\t%s\t%s\t%s\t%s\t%s\n", all[i]->name, verdicts[judge_verdict(&j)], record_name(p->record),
                   p->path, p->write, p->why);
        }
    }
    return complaints() ? SONDE_USAGE : SONDE_PASSED;
}

void complain_of(const struct judgement *j)
{
    for (uint32_t i = 0; i < j->n_problems; i++) {
        const struct problem *p = &j->problems[i];
        const char *name = record_name(p->record);
        if (*p->path)
            complain(p->place,
                     "%s: field '%s' %s; write %s after its name, or SONDE_ABOUT(%s, %s, ...) beside the test", name,
                     p->path, p->why, p->write, name, p->path);
        else complain(p->place, "%s %s; write %s", name, p->why, p->write);
    }
}
