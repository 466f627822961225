/* See plot.h. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 400, LEFT = 70, RIGHT = 150, TOP = 40, BOTTOM = 50, POINTS = 60 };

static const char *const colours[] = {"#777777", "#1f77b4", "#2ca02c", "#d62728", "#9467bd", "#000000",
                                      "#e377c2", "#ff7f0e", "#17becf", "#bcbd22", "#8c564b"};

static double value_of(const struct measure_counts *p, enum plot_of what)
{
    switch (what) {
    case PLOT_SEM_VALID: return (double)p->sem_valid;
    case PLOT_SEM_ALL: return (double)p->sem_all;
    case PLOT_UNIQUE_VALID: return (double)p->unique_valid;
    default: return (double)p->diverse_valid;
    }
}

/* Returns the value that a run had reached by a time. */
static double at_time(const struct record *r, enum plot_of what, double seconds)
{
    double value = 0;
    for (uint32_t i = 0; i < r->n_series && r->series[i].cpu <= seconds + 0.01; i++)
        value = value_of(&r->series[i], what);
    return value;
}

static double median_at(const struct plot_arm *arm, enum plot_of what, double seconds)
{
    double values[BENCH_SEEDS_MAX];
    for (unsigned i = 0; i < arm->n; i++) values[i] = at_time(&arm->records[i], what, seconds);
    return arm->n ? bench_median(values, arm->n) : 0;
}

/* The end of an axis: 1, 2 or 5 times a power of ten. */
static double round_up(double x)
{
    double step = pow(10, floor(log10(x > 1 ? x : 1)));
    return x <= step ? step : x <= 2 * step ? 2 * step : x <= 5 * step ? 5 * step : 10 * step;
}

static void write_axes(FILE *out, const char *title, double seconds, double top)
{
    int right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
    fprintf(out, "<text x=\"%d\" y=\"20\" font-size=\"14\">%s</text>\n", LEFT, title);
    for (int i = 0; i <= 5; i++) {
        double x = LEFT + (right - LEFT) * i / 5.0, y = bottom - (bottom - TOP) * i / 5.0;
        fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n", LEFT, y, right, y);
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 6, y + 4, top * i / 5);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x, bottom + 18, seconds * i / 5);
    }
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">CPU seconds</text>\n", (LEFT + right) / 2,
            bottom + 38);
}

/* Where the last seed had been run, in the median of the runs that had seeds; 0: none had. */
static double seeds_end(const struct plot_arm *arm)
{
    double ends[BENCH_SEEDS_MAX];
    unsigned n = 0;
    for (unsigned i = 0; i < arm->n; i++) {
        const struct bench_row *row = &arm->records[i].row;
        for (unsigned k = 0; k < row->n_more; k++)
            if (strcmp(row->more[k].name, "seeds_end_s") == 0) ends[n++] = row->more[k].value;
    }
    return n ? bench_median(ends, n) : 0;
}

static void write_arm(FILE *out, const struct plot_arm *arm, unsigned i, enum plot_of what, double seconds, double top)
{
    const char *colour = colours[i % (sizeof colours / sizeof *colours)];
    int right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM;
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", colour);
    for (int k = 0; k <= POINTS; k++) {
        double at = seconds * k / POINTS;
        fprintf(out, "%.1f,%.1f ", LEFT + (right - LEFT) * at / seconds,
                bottom - (bottom - TOP) * median_at(arm, what, at) / top);
    }
    fprintf(out, "\"/>\n<text x=\"%d\" y=\"%u\" fill=\"%s\">%s %.0f</text>\n", right + 8, TOP + 10 + 18 * i, colour,
            arm->name, median_at(arm, what, seconds));
    double end = seeds_end(arm);
    if (end > 0)
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", LEFT + (right - LEFT) * end / seconds,
                bottom - (bottom - TOP) * median_at(arm, what, end) / top, colour);
}

int plot_write(const char *path, const char *title, enum plot_of what, const struct plot_arm *arms, unsigned n)
{
    double seconds = 0, top = 1;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < arms[i].n; k++) seconds = fmax(seconds, arms[i].records[k].seconds);
    for (unsigned i = 0; i < n; i++) top = fmax(top, median_at(&arms[i], what, seconds));
    FILE *out = fopen(path, "w");
    if (!out) return -1;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT);
    write_axes(out, title, seconds, round_up(top));
    for (unsigned i = 0; i < n; i++) write_arm(out, &arms[i], i, what, seconds, round_up(top));
    fprintf(out, "</svg>\n");
    return fclose(out) == 0 ? 0 : -1;
}
