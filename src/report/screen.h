/* The live screen of --ui: about ten lines at the end of what a terminal shows, written anew in their place while the
 * search goes on. It needs a terminal that can move its cursor up and erase; the cursor is never hidden and rests below
 * the screen, so nothing has to be put right however the program ends. */
#ifndef SONDE_REPORT_SCREEN_H
#define SONDE_REPORT_SCREEN_H

#include <sonde/extend.h>

enum { SONDE_SCREEN_SAMPLES = 48, SONDE_SCREEN_FAILURE = 160 };

struct sonde_screen {
    FILE *out;
    bool utf8; /* blocks for the curve; else ASCII */
    int lines; /* that it takes now; 0: it is not there */
    /* Coverage over time. When there is no more room, two samples become one. */
    uint64_t samples[SONDE_SCREEN_SAMPLES];
    uint32_t n_samples;
    double sample_seconds, next_sample;
    uint64_t before_tests; /* of the last drawing, for the rate */
    double before_seconds, rate;
    char failure[SONDE_SCREEN_FAILURE]; /* the last one */
};

/* `utf8`: the curve is made of blocks, else of ASCII. */
void sonde_screen_init(struct sonde_screen *screen, FILE *out, bool utf8);
/* Another property begins. */
void sonde_screen_begin(struct sonde_screen *screen);
/* A new failure, for a line of its own. */
void sonde_screen_found(struct sonde_screen *screen, const char *message);
/* Draws a PROGRESS event. `width`, `height`: of the window. False if it is too small for this. */
bool sonde_screen_draw(struct sonde_screen *screen, const struct sonde_event *event, unsigned width, unsigned height);
/* Takes it away, so that something else can be printed. */
void sonde_screen_erase(struct sonde_screen *screen);

/* The curve of n numbers, from the least to the largest, one character each; heap-allocated. */
char *sonde_screen_curve(const uint64_t *samples, uint32_t n, bool utf8);

#endif
