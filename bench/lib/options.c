/* The options that all suites share. */
#include "lib/bench.h"

#include "guide/guides.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

SONDE_PRINTF(2, 3) SONDE_NORETURN static void refuse(const struct bench *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", b->suite);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    exit(2);
}

static void help(const struct bench *b)
{
    printf("usage: bench/run %s [options]\n"
           "  --tests N       tests per row (%" PRIu64 ")\n"
           "  --seconds S     and at most so long per row (%g; 0: no bound)\n"
           "  --seed N        one seed\n"
           "  --seeds A-B     several (%" PRIu64 "-%" PRIu64 ")\n"
           "  --guide NAMES   comma-separated (%s)\n"
           "  --guide-options KNOBS\n"
           "                  for all of them, as NAME=VALUE,...\n"
           "  --only ROWS     comma-separated\n"
           "  --json          one object per row and nothing else\n"
           "  --full          the size of the paper\n"
           "  --stats         what each guide did, to standard error\n",
           b->suite, b->tests, b->seconds, b->first_seed, b->last_seed, b->guides);
    for (const struct bench_flag *f = b->flags; f && f->name; f++) printf("  %-15s %s\n", f->name, f->help);
    exit(0);
}

static uint64_t number(const struct bench *b, const char *option, const char *text, const char **rest)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (end == text || errno || *text == '-') refuse(b, "%s: '%s' is no number", option, text);
    if (rest) *rest = end;
    else if (*end) refuse(b, "%s: '%s' is no number", option, text);
    return n;
}

static void read_seeds(struct bench *b, const char *text)
{
    const char *rest;
    b->first_seed = number(b, "--seeds", text, &rest);
    if (*rest != '-') refuse(b, "--seeds: '%s' should read A-B", text);
    b->last_seed = number(b, "--seeds", rest + 1, NULL);
    if (b->last_seed < b->first_seed || b->last_seed - b->first_seed >= BENCH_SEEDS_MAX)
        refuse(b, "--seeds: '%s' should be at least one seed and at most %d", text, BENCH_SEEDS_MAX);
}

/* The i-th item of a comma-separated list; its length is 0 behind the last. */
static const char *item(const char *list, unsigned i, size_t *len)
{
    while (i-- > 0) {
        list += strcspn(list, ",");
        if (*list) list++;
    }
    *len = strcspn(list, ",");
    return list;
}

const char *bench_guide(const struct bench *b, unsigned i)
{
    size_t len;
    const char *name = item(b->guides, i, &len);
    if (len == 0) return NULL;
    for (size_t k = 0; sonde_guides[k]; k++) {
        const char *known = sonde_guides[k]->name;
        if (strlen(known) == len && strncmp(known, name, len) == 0) return known;
    }
    for (size_t k = 0; b->others && b->others[k]; k++)
        if (strlen(b->others[k]) == len && strncmp(b->others[k], name, len) == 0) return b->others[k];
    refuse(b, "--guide: there is no guide '%.*s'", (int)len, name);
}

bool bench_wants(struct bench *b, const char *row)
{
    if (!b->only) return true;
    size_t len;
    for (unsigned i = 0;; i++) {
        const char *name = item(b->only, i, &len);
        if (len == 0) return false;
        if (strlen(row) != len || strncmp(row, name, len) != 0) continue;
        b->has_match = true;
        return true;
    }
}

static bool read_flag(const struct bench *b, const char *option)
{
    for (const struct bench_flag *f = b->flags; f && f->name; f++) {
        if (f->value || strcmp(f->name, option) != 0) continue;
        *f->set = true;
        return true;
    }
    if (strcmp(option, "--help") == 0) help(b);
    return false;
}

static bool read_valued(struct bench *b, const char *option, const char *value)
{
    char *end;
    for (const struct bench_flag *f = b->flags; f && f->name; f++) {
        if (!f->value || strcmp(f->name, option) != 0) continue;
        *f->value = value;
        return true;
    }
    if (strcmp(option, "--tests") == 0) b->tests = number(b, option, value, NULL);
    else if (strcmp(option, "--seed") == 0) b->first_seed = b->last_seed = number(b, option, value, NULL);
    else if (strcmp(option, "--seeds") == 0) read_seeds(b, value);
    else if (strcmp(option, "--guide") == 0) b->guides = value;
    else if (strcmp(option, "--guide-options") == 0) {
        char wrong[512];
        b->guide_options = value;
        if (sonde_knobs_check(value, wrong, sizeof wrong) < 0) refuse(b, "--guide-options: %s", wrong);
    } else if (strcmp(option, "--only") == 0) b->only = value;
    else if (strcmp(option, "--seconds") == 0) {
        b->seconds = strtod(value, &end);
        if (end == value || *end || !(b->seconds >= 0)) refuse(b, "--seconds: '%s' is no number of seconds", value);
    } else return false;
    return true;
}

void bench_start(struct bench *b, int argc, char **argv)
{
    uint64_t tests = b->tests;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) b->json = true;
        else if (strcmp(argv[i], "--full") == 0) b->full = true;
        else if (strcmp(argv[i], "--stats") == 0) b->stats = true;
        else if (read_flag(b, argv[i])) continue;
        else if (i + 1 < argc && read_valued(b, argv[i], argv[i + 1])) i++;
        else refuse(b, "unknown option '%s', or its value is missing; try --help", argv[i]);
    }
    if (b->full && b->full_tests && b->tests == tests) b->tests = b->full_tests;
    for (unsigned i = 0; bench_guide(b, i); i++) continue; /* refuses unknown ones before anything runs */
}

int bench_end(struct bench *b)
{
    if (!b->only || b->has_match) return 0;
    fprintf(stderr, "%s: --only: there is no row '%s'\n", b->suite, b->only);
    return 2;
}
