/* The kinds of reports: built-in ones, and those that the user's program registers (sonde/extend.h).
 *
 * Kinds are registered by constructors or at the start of main, before options are read, and are never removed. A
 * wrong registration is recorded (base/refusal.h), and sonde_main reports it later: a constructor cannot return an
 * error. */
#include "report/report.h"

#include "base/mem.h"
#include "base/refusal.h"

#include <string.h>

enum { REPORTERS_MAX = 16 }; /* maximum number of kinds that a program can register; programs have one or two */

const char *const sonde_report_kinds[] = {"terminal", "json", "tap", "junit", "github", "sarif", "html", "tyche", NULL};

/* The registered kinds, ending with NULL. */
static const struct sonde_reporter_ops *registered[REPORTERS_MAX + 1];

const struct sonde_reporter_ops *sonde_reporter_at(size_t i)
{
    return registered[i < REPORTERS_MAX ? i : REPORTERS_MAX];
}

/* The name is given with its length, because --report has KIND:FILE in one string. */
const struct sonde_reporter_ops *sonde_reporter_find(const char *name, size_t n)
{
    for (size_t i = 0; registered[i]; i++)
        if (strlen(registered[i]->name) == n && memcmp(registered[i]->name, name, n) == 0) return registered[i];
    return NULL;
}

static bool is_taken(const char *name)
{
    for (size_t i = 0; sonde_report_kinds[i]; i++)
        if (strcmp(sonde_report_kinds[i], name) == 0) return true;
    return sonde_reporter_find(name, strlen(name)) != NULL;
}

int sonde_reporter_register_(unsigned version, const struct sonde_reporter_ops *ops)
{
    size_t n = 0;
    if (version != SONDE_EXTEND_VERSION)
        return sonde_refuse("sonde_reporter_register: the reporter was compiled for version %u of sonde/extend.h, and "
                            "this is version %u; compile it again",
                            version, (unsigned)SONDE_EXTEND_VERSION);
    if (!ops || !ops->name || !ops->summary || !*ops->name || strpbrk(ops->name, ":,"))
        return sonde_refuse(
            "sonde_reporter_register: a reporter needs a summary, and a name without a colon or a comma; set both");
    if (!ops->create)
        return sonde_refuse("sonde_reporter_register: the reporter '%s' has no operation create; set it", ops->name);
    if (is_taken(ops->name))
        return sonde_refuse("sonde_reporter_register: there is already a kind of report '%s'; choose another name",
                            ops->name);
    while (registered[n]) n++;
    if (n == REPORTERS_MAX)
        return sonde_refuse("sonde_reporter_register: '%s' exceeds the limit of %d reporters; register fewer",
                            ops->name, REPORTERS_MAX);
    registered[n] = ops;
    return 0;
}

/* ---- Creating a reporter */

static void destroy(struct sonde_reporter *reporter)
{
    sonde_free(reporter);
}

void *sonde_reporter_new(size_t size, void (*event)(struct sonde_reporter *reporter, const struct sonde_event *event))
{
    struct sonde_reporter *reporter = sonde_calloc(1, size);
    reporter->event = event;
    reporter->destroy = destroy;
    return reporter;
}
