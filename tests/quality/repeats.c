/* On code that takes its time a case that was run before is a waste: of the cases of `auto` fewer than 5 % are known inputs, as
 * the property sees them, valid or not. Whether the code takes a millisecond or none makes no difference to a search, so it takes
 * none here. Seeds are fixed. */
#include "lib/packet_cov.h"
#include "lib/sorted_cov.h"

#include <sonde.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 1 << 16, TESTS = 5000, SEEDS = 3 };

static uint64_t met[PLACES];
static unsigned long cases, known;

static uint64_t hash_of(const char *bytes, size_t n)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash | 1;
}

/* An input, as the code under test gets it. */
static void meet(const void *bytes, size_t n)
{
    uint64_t hash = hash_of(bytes, n);
    size_t at = hash >> 48;
    while (met[at] && met[at] != hash) at = (at + 1) % PLACES;
    known += met[at] == hash;
    met[at] = hash;
    cases++;
}

/* Terms of four kinds, drawn without spans: a mutant of one is often a small one that was there before. */
static size_t draw_term(sonde *t, int depth, char *out)
{
    static const char *const names = "xyz";
    int kind = depth > 0 ? sonde_int(t, "kind", 0, 3) : 0;
    if (kind == 0) return (size_t)sprintf(out, "%d", sonde_int(t, "number", 0, 9));
    if (kind == 1) return (size_t)sprintf(out, "%c", names[sonde_pick(t, "name", 3)]);
    size_t n = 0;
    out[n++] = '(';
    n += draw_term(t, depth - 1, out + n);
    out[n++] = kind == 2 ? '+' : '*';
    n += draw_term(t, depth - 1, out + n);
    out[n++] = ')';
    return n;
}

static void terms(sonde *t)
{
    char text[256] = "";
    meet(text, draw_term(t, 4, text));
    sonde_assume(t, strchr(text, 'x') != NULL);
}

/* A list whose length is a number like any other. */
static void lists(sonde *t)
{
    int list[12], n = sonde_int(t, "n", 0, 12);
    for (int i = 0; i < n; i++) list[i] = sonde_int(t, "x", 0, 30);
    meet(list, (size_t)n * sizeof *list);
    sonde_assume(t, is_sorted(list, (size_t)n));
}

static void texts(sonde *t)
{
    bool is_wrong = false;
    const char *text = sonde_string(t, "text", 0, 20);
    meet(text, strlen(text));
    packet_is_read((const unsigned char *)text, strlen(text), 7, &is_wrong);
}

static bool is_kept(const char *name, sonde_property_fn *property, int number)
{
    const double most = 5;
    cases = known = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        memset(met, 0, sizeof met);
        sonde_run(property, &(sonde_config){.seed = seed, .tests = TESTS, .seconds = 1e9, .quiet = true, .store = ""});
    }
    double share = 100.0 * (double)known / (double)cases;
    bool is_met = cases >= SEEDS * TESTS && share < most;
    printf("%s %d - %s: %.1f %% of %lu cases are known inputs, fewer than %g %%\n", is_met ? "ok" : "not ok", number,
           name, share, cases, most);
    return is_met;
}

int main(void)
{
    bool has_terms = is_kept("terms", terms, 1), has_lists = is_kept("lists", lists, 2),
         has_texts = is_kept("texts", texts, 3);
    puts("1..3");
    return !(has_terms && has_lists && has_texts);
}
