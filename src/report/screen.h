/* The live screen of --ui: about ten lines of statistics, redrawn at the bottom of the terminal during the search.
 * The terminal must be able to move its cursor up and to erase lines. The cursor is never hidden and stays below
 * the screen, so nothing has to be restored, however the program ends. */
#ifndef SONDE_REPORT_SCREEN_H
#define SONDE_REPORT_SCREEN_H

#include <sonde/extend.h>

enum {
    SONDE_SCREEN_SAMPLES = 48, /* number of columns of the curve, which fits a window of 80 columns */
    SONDE_SCREEN_FAILURE = 160 /* maximum size of a failure's message in bytes; more than a line of most windows */
};

/* The state between two frames. */
struct sonde_screen {
    FILE *out;
    bool utf8; /* draw the curve with block characters; else with ASCII */
    int lines; /* number of lines of the screen that are on the terminal now */
    /* Coverage over time. When the array is full, each pair of samples becomes one. */
    uint64_t samples[SONDE_SCREEN_SAMPLES];
    uint32_t n_samples;
    double sample_seconds, next_sample;
    uint64_t before_tests; /* number of cases when the rate was last measured */
    double before_seconds, rate;
    char failure[SONDE_SCREEN_FAILURE]; /* message of the last failure */
};

/* Initialises a screen that draws to `out`, with a curve of blocks (utf8) or of ASCII. Nothing has to be freed. */
void sonde_screen_init(struct sonde_screen *screen, FILE *out, bool utf8);
/* Forgets the numbers of the previous property. */
void sonde_screen_begin(struct sonde_screen *screen);
/* Remembers the message of a new failure, which the screen shows on a separate line. */
void sonde_screen_found(struct sonde_screen *screen, const char *message);
/* Draws a PROGRESS event in a window of this width and height. Returns false if the window is too small. */
bool sonde_screen_draw(struct sonde_screen *screen, const struct sonde_event *event, unsigned width, unsigned height);
/* Erases the screen, so that something else can be printed. */
void sonde_screen_erase(struct sonde_screen *screen);

/* Returns a curve of n numbers, one character each, scaled from the least to the largest. The caller frees it. */
char *sonde_screen_curve(const uint64_t *samples, uint32_t n, bool utf8);

#endif
