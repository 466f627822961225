/* See survey.h. */
#include "zoo/survey.h"

#include "zoo/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int zoo_guide_index(const struct zoo_survey *s, const char *name)
{
    for (unsigned i = 0; i < s->n_guides; i++)
        if (strcmp(s->guides[i], name) == 0) return (int)i;
    return -1;
}

/* ---- Adding up */

static int guide_of(struct zoo_survey *s, const char *name)
{
    int known = zoo_guide_index(s, name);
    if (known >= 0 || s->n_guides == ZOO_GUIDES_MAX) return known;
    snprintf(s->guides[s->n_guides], sizeof s->guides[0], "%s", name);
    return (int)s->n_guides++;
}

static void add_measures(struct zoo_survey *s, const struct zoo_row *row)
{
    for (unsigned i = 0; i < row->n_bugs; i++) {
        struct zoo_measure *m = &s->measures[s->n_measures++];
        *m = (struct zoo_measure){.subject = s->n_subjects - 1, .p = row->p[i], .is_counted = row->is_counted[i]};
        memcpy(m->tags[0], row->bug_tags[i][0], ZOO_TAG);
        memcpy(m->tags[1], row->bug_tags[i][1], ZOO_TAG);
        snprintf(m->tags[2], ZOO_TAG, "1/p of 10^%d", zoo_decade(row->p[i]));
    }
}

/* Rows come sorted, the rows of a subject together. */
static struct zoo_surveyed *subject_of(struct zoo_survey *s, const struct zoo_row *row)
{
    struct zoo_surveyed *last = s->n_subjects ? &s->subjects[s->n_subjects - 1] : NULL;
    if (last && last->number == row->number) return last;
    struct zoo_surveyed *now = &s->subjects[s->n_subjects++];
    *now = (struct zoo_surveyed){.number = row->number,
                                 .n_tags = row->n_tags,
                                 .measures = s->n_measures,
                                 .n_measures = row->n_bugs};
    memcpy(now->tags, row->tags, sizeof now->tags);
    add_measures(s, row);
    return now;
}

static void add_row(struct zoo_survey *s, const struct zoo_row *row)
{
    int guide = guide_of(s, row->guide);
    if (guide < 0) {
        s->n_left_out++;
        return;
    }
    struct zoo_surveyed *subject = subject_of(s, row);
    struct zoo_spent *spent = &subject->by[guide];
    unsigned half = row->seed % 2;
    for (unsigned i = 0; i < row->n_bugs && i < subject->n_measures; i++) {
        struct zoo_met *met = &s->measures[subject->measures + i].by[guide];
        double tests;
        met->met += zoo_row_tests(row, i, &tests);
        met->exposure += tests;
        met->logs[half] += log(tests > 1 ? tests : 1);
        met->n[half]++;
    }
    spent->cpu_logs += log(row->cpu_s > 1e-4 ? row->cpu_s : 1e-4);
    spent->cost_logs += log((double)row->cost + 1);
    spent->cpu_s += row->cpu_s;
    spent->tests += row->tests;
    spent->valid += row->valid;
    spent->payloads += row->payloads;
    spent->rows++;
}

static bool is_complete(const struct zoo_survey *s, const struct zoo_surveyed *subject)
{
    for (unsigned i = 0; i < s->n_guides; i++)
        if (subject->by[i].rows == 0) return false;
    return true;
}

static void drop_incomplete(struct zoo_survey *s)
{
    unsigned subjects = 0, measures = 0;
    for (unsigned i = 0; i < s->n_subjects; i++) {
        struct zoo_surveyed subject = s->subjects[i];
        if (!is_complete(s, &subject)) continue;
        memmove(&s->measures[measures], &s->measures[subject.measures], subject.n_measures * sizeof *s->measures);
        subject.measures = measures;
        for (unsigned k = 0; k < subject.n_measures; k++) s->measures[measures + k].subject = subjects;
        measures += subject.n_measures;
        s->subjects[subjects++] = subject;
    }
    s->n_left_out += s->n_subjects - subjects;
    s->n_subjects = subjects;
    s->n_measures = measures;
}

int zoo_survey_read(struct zoo_survey *s, const char *path)
{
    struct zoo_record record;
    struct zoo_row row, first = {0};
    *s = (struct zoo_survey){0};
    int status = zoo_record_read(&record, path);
    if (status < 0) return status;
    s->subjects = calloc(record.n + 1, sizeof *s->subjects);
    s->measures = calloc(record.n * ZOO_BUGS + 1, sizeof *s->measures);
    if (!s->subjects || !s->measures) abort();
    for (size_t i = 0; i < record.n; i++) {
        if (!zoo_row_read(record.lines[i], &row)) continue;
        if (!first.limit) first = row;
        bool is_alike = row.limit == first.limit && strcmp(row.form, first.form) == 0
                        && strcmp(row.build, first.build) == 0 && strcmp(row.library, first.library) == 0
                        && strcmp(row.options, first.options) == 0;
        if (is_alike) add_row(s, &row);
        else s->n_left_out++;
    }
    snprintf(s->form, sizeof s->form, "%s", first.form);
    s->limit = first.limit;
    zoo_record_clear(&record);
    drop_incomplete(s);
    return 0;
}

void zoo_survey_clear(struct zoo_survey *s)
{
    free(s->subjects);
    free(s->measures);
    *s = (struct zoo_survey){0};
}

/* ---- Results */

double zoo_log_tests(const struct zoo_survey *s, unsigned subject, unsigned guide, int half)
{
    const struct zoo_surveyed *z = &s->subjects[subject];
    double sum = 0;
    unsigned n = 0;
    for (unsigned i = 0; i < z->n_measures; i++) {
        const struct zoo_met *met = &s->measures[z->measures + i].by[guide];
        for (int k = 0; k < 2; k++) {
            if (half != 2 && half != k) continue;
            sum += met->logs[k];
            n += met->n[k];
        }
    }
    return n ? sum / n : NAN;
}

bool zoo_met_none(const struct zoo_survey *s, unsigned subject, unsigned guide)
{
    const struct zoo_surveyed *z = &s->subjects[subject];
    for (unsigned i = 0; i < z->n_measures; i++)
        if (s->measures[z->measures + i].by[guide].met) return false;
    return true;
}

bool zoo_has_tag(const struct zoo_survey *s, unsigned measure, const char *tag)
{
    const struct zoo_measure *m = &s->measures[measure];
    const struct zoo_surveyed *z = &s->subjects[m->subject];
    for (unsigned i = 0; i < 3; i++)
        if (strcmp(m->tags[i], tag) == 0) return true;
    for (unsigned i = 0; i < z->n_tags; i++)
        if (strcmp(z->tags[i], tag) == 0) return true;
    return false;
}

/* The best of the others on one half of the seeds; -1 if there is none. */
static int best_other(const struct zoo_survey *s, unsigned subject, int guide, int half)
{
    int best = -1;
    double least = INFINITY;
    for (unsigned i = 0; i < s->n_guides; i++) {
        double x = (int)i == guide ? NAN : zoo_log_tests(s, subject, i, half);
        if (x < least) least = x, best = (int)i;
    }
    return best;
}

unsigned zoo_regrets(const struct zoo_survey *s, int guide, const char *tag, double *logs)
{
    unsigned n = 0;
    for (unsigned i = 0; guide >= 0 && i < s->n_subjects; i++) {
        bool has = !tag;
        for (unsigned k = 0; tag && k < s->subjects[i].n_measures; k++)
            has |= zoo_has_tag(s, s->subjects[i].measures + k, tag);
        for (int half = 0; has && half < 2; half++) {
            int best = best_other(s, i, guide, half);
            double x = best < 0
                           ? NAN
                           : zoo_log_tests(s, i, (unsigned)guide, !half) - zoo_log_tests(s, i, (unsigned)best, !half);
            if (!isnan(x)) logs[n++] = x;
        }
    }
    return n;
}
