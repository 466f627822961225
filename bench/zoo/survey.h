/* The results of a record for each subject and guide, added up: the material of tables. */
#ifndef BENCH_ZOO_SURVEY_H
#define BENCH_ZOO_SURVEY_H

#include "lib/stats.h"
#include "zoo/record.h"

enum { ZOO_GUIDES_MAX = 16 };

/* One fault and one guide. Seeds are split into odd and even ones: what is chosen by one half is judged by the other. */
struct zoo_met {
    double logs[2]; /* sums of log tests */
    unsigned n[2], met;
    double exposure; /* tests made while it was not met */
};

struct zoo_measure {
    unsigned subject;
    double p;
    bool is_counted;
    char tags[3][ZOO_TAG]; /* fault, written, decade */
    struct zoo_met by[ZOO_GUIDES_MAX];
};

struct zoo_spent {
    double cpu_logs, cost_logs, cpu_s;
    uint64_t tests, valid, payloads;
    unsigned rows;
};

struct zoo_surveyed {
    uint64_t number;
    char tags[ZOO_TAGS][ZOO_TAG];
    unsigned n_tags, measures, n_measures; /* measures: the first of them */
    struct zoo_spent by[ZOO_GUIDES_MAX];
};

struct zoo_survey {
    char guides[ZOO_GUIDES_MAX][32];
    unsigned n_guides;
    char form[8];
    uint64_t limit;
    struct zoo_surveyed *subjects;
    struct zoo_measure *measures;
    unsigned n_subjects, n_measures;
    unsigned n_left_out; /* rows of another form, build or limit than the first */
};

/* 0, or a negative errno. Subjects that lack rows of a guide are left out, so that all guides are judged by the same ones. */
int zoo_survey_read(struct zoo_survey *s, const char *path);
void zoo_survey_clear(struct zoo_survey *s);

/* The mean of log tests of a guide on a subject over faults and seeds: odd (1), even (0) or all (2). NAN without any. */
double zoo_log_tests(const struct zoo_survey *s, unsigned subject, unsigned guide, int half);
/* Whether it met none of the faults. */
bool zoo_met_none(const struct zoo_survey *s, unsigned subject, unsigned guide);
/* -1: it is not there. */
int zoo_guide_index(const struct zoo_survey *s, const char *name);

/* How much worse the first guide is than the best of the others, which is chosen by half of the seeds and judged by the other half:
 * logarithms, two per subject at most. Returns how many. With one seed there are none. */
unsigned zoo_regrets(const struct zoo_survey *s, int guide, const char *tag, double *logs);
bool zoo_has_tag(const struct zoo_survey *s, unsigned measure, const char *tag);

#endif
