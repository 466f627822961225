/* sonde_reporter_register: add a custom kind of report.
 * See also: sonde_guide_register sonde_main */
#include <sonde/extend.h>
#include <stdlib.h>

struct dots {
    struct sonde_reporter base;
    FILE *out;
};

static void event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    struct dots *dots = (struct dots *)reporter;
    if (event->kind == SONDE_EVENT_PROPERTY_END) fputs(".\n", dots->out);
}

static void destroy(struct sonde_reporter *reporter)
{
    free(reporter);
}

static struct sonde_reporter *create(FILE *out)
{
    struct dots *dots = calloc(1, sizeof *dots);
    if (!dots) return NULL;
    dots->base.event = event;
    dots->base.destroy = destroy;
    dots->out = out;
    return &dots->base;
}

static void adding_is_commutative(sonde *t)
{
    int a = sonde_int(t, "a", 0, 1000), b = sonde_int(t, "b", 0, 1000);
    sonde_check_eq(t, a + b, b + a);
}

int main(int argc, char **argv)
{
    static const struct sonde_reporter_ops ops = {.name = "dots",
                                                  .summary = "a dot for each property",
                                                  .create = create};
    const sonde_property properties[] = {{.name = "adding_is_commutative", .run = adding_is_commutative}};
    if (sonde_reporter_register(&ops) != 0) return SONDE_USAGE;
    return sonde_main(argc, argv, properties, 1);
}
