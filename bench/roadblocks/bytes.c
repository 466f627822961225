/* The subjects as a target of libFuzzer, as one writes it by hand with LLVM's FuzzedDataProvider: bytes and strings are taken
 * from the front, up to their longest length or to a backslash that is not doubled; numbers are taken from the end. A number has
 * four bytes (one if its range fits in one, eight if it does not fit in four), a double has eight. A value within
 * the range stays as it is, so that a compared value that libFuzzer copies to its place is right; others are folded into the range.
 *
 * ROADBLOCK in the environment names the subject. The number of tests up to the bug goes to standard output. */
#include "bug.h"

#include <sonde.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SUBJECTS_MAX = 64 };

struct sonde {
    const uint8_t *at;
    size_t n;
};

static const struct sonde_registered_ *subjects[SUBJECTS_MAX], *asked;
static size_t n_subjects;
static uint64_t tests;

void sonde_register_(struct sonde_registered_ *subject)
{
    if (n_subjects == SUBJECTS_MAX) abort();
    subjects[n_subjects++] = subject;
}

void bug(void)
{
    printf("%" PRIu64 "\n", tests);
    fflush(stdout);
    _exit(1);
}

/* Takes so many bytes from the end; missing ones are 0. */
static void take(sonde *t, void *to, size_t n)
{
    size_t there = n < t->n ? n : t->n;
    memset(to, 0, n);
    t->n -= there;
    if (there) memcpy(to, t->at + t->n, there);
}

static uint64_t fold(uint64_t x, uint64_t lo, uint64_t span)
{
    return span == UINT64_MAX ? x : lo + (x - lo) % (span + 1);
}

int64_t sonde_i64(sonde *t, const char *label, int64_t lo, int64_t hi)
{
    (void)label;
    int64_t x;
    int32_t middle;
    if (lo >= 0 && hi <= UINT8_MAX) {
        uint8_t narrow;
        take(t, &narrow, sizeof narrow);
        x = narrow;
    } else if (lo >= INT32_MIN && hi <= INT32_MAX) {
        take(t, &middle, sizeof middle);
        x = middle;
    } else take(t, &x, sizeof x);
    if (x >= lo && x <= hi) return x;
    return (int64_t)fold((uint64_t)x, (uint64_t)lo, (uint64_t)hi - (uint64_t)lo);
}

int sonde_int(sonde *t, const char *label, int lo, int hi)
{
    return (int)sonde_i64(t, label, lo, hi);
}

uint64_t sonde_u64(sonde *t, const char *label, uint64_t lo, uint64_t hi)
{
    uint32_t middle;
    uint64_t x;
    if (hi <= UINT8_MAX) return (uint64_t)sonde_i64(t, label, (int64_t)lo, (int64_t)hi);
    if (hi <= UINT32_MAX) {
        take(t, &middle, sizeof middle);
        x = middle;
    } else take(t, &x, sizeof x);
    return x >= lo && x <= hi ? x : fold(x, lo, hi - lo);
}

bool sonde_bool(sonde *t, const char *label)
{
    return sonde_i64(t, label, 0, 1) != 0;
}

double sonde_double(sonde *t, const char *label, double lo, double hi)
{
    (void)label;
    double x;
    take(t, &x, sizeof x);
    return x >= lo && x <= hi ? x : lo;
}

uint8_t *sonde_bytes(sonde *t, const char *label, size_t min, size_t max, size_t *n)
{
    static uint8_t kept[4][256]; /* more strings than any subject draws, each longer than any draws */
    static unsigned turn;
    uint8_t *to = kept[turn++ % 4];
    (void)label;
    if (max >= sizeof *kept) abort();
    memset(to, 0, sizeof *kept);
    for (*n = 0; *n < max && t->n > 0; t->at++, t->n--) {
        bool is_special = *t->at == '\\' && t->n > 1, is_end = is_special && t->at[1] != '\\';
        if (is_special) t->at++, t->n--;
        if (is_end) {
            t->at++, t->n--;
            break;
        }
        to[(*n)++] = *t->at;
    }
    if (*n < min) *n = min;
    return to;
}

/* Printable characters stay as they are. */
char *sonde_string(sonde *t, const char *label, size_t min, size_t max)
{
    size_t n;
    char *s = (char *)sonde_bytes(t, label, min, max, &n);
    for (size_t i = 0; i < n; i++) s[i] = (char)fold((uint8_t)s[i], ' ', '~' - ' ');
    return s;
}

char *sonde_string_of(sonde *t, const char *label, const char *alphabet, size_t min, size_t max)
{
    size_t n, letters = strlen(alphabet);
    char *s = (char *)sonde_bytes(t, label, min, max, &n);
    for (size_t i = 0; i < n; i++)
        if (s[i] == 0 || !strchr(alphabet, s[i])) s[i] = alphabet[(uint8_t)s[i] % letters];
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    sonde t = {data, n};
    const char *name = getenv("ROADBLOCK");
    for (size_t i = 0; !asked && i < n_subjects; i++)
        if (name && strcmp(subjects[i]->property.name, name) == 0) asked = subjects[i];
    if (!asked) {
        fprintf(stderr, "ROADBLOCK does not name a subject\n");
        exit(2);
    }
    tests++;
    asked->property.run(&t);
    return 0;
}
