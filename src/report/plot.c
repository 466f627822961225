/* --plot-data: writes the progress of a search as a CSV table for plotting programs. A row is one moment of the
 * search; the last row has the final numbers. The table is about one property, because a plot has one x axis. */
#include "report/report.h"

#include <inttypes.h>

struct plot {
    struct sonde_reporter base;
    FILE *out;
};

/* Writes the header, then all rows when the property ends. Names of guides need no quotes: they have no commas. */
static void plot_event(struct sonde_reporter *reporter, const struct sonde_event *event)
{
    FILE *out = ((struct plot *)reporter)->out;
    if (event->kind == SONDE_EVENT_BEGIN)
        fputs("seconds,cpu_s,tests,valid,different,shapes,edges,valid_edges,guide\n", out);
    const struct sonde_insight *in = event->kind == SONDE_EVENT_PROPERTY_END ? event->report->insight : NULL;
    for (size_t i = 0; in && i < in->n_series; i++) {
        const struct sonde_series_point *p = &in->series[i];
        fprintf(out, "%.3f,%.3f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s\n",
                p->seconds, p->cpu_s, p->tests, p->valid, p->different, p->shapes, p->edges, p->valid_edges,
                p->guide ? p->guide : "");
    }
    fflush(out);
}

struct sonde_reporter *sonde_plot_create(FILE *out)
{
    struct plot *p = sonde_reporter_new(sizeof *p, plot_event);
    p->out = out;
    return &p->base;
}
