/* See roster.h. */
#include "share/roster.h"

#include "share/place.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 0 if there is none. */
static double number_in(const char *text, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(text, key);
    double value = at ? strtod(at + strlen(key), NULL) : 0;
    return value > 0 && value < 1e18 ? value : 0;
}

void sonde_roster_add_string(struct sonde_bytes *out, const char *text, size_t most)
{
    sonde_bytes_add_json(out, text, strnlen(text, most));
}

/* Not by %.1f: the program's locale may write a comma. */
const char *sonde_roster_rate(double rate, char out[SONDE_ROSTER_RATE])
{
    uint64_t tenths = rate > 0 && rate < 1e18 ? (uint64_t)(rate * 10 + 0.5) : 0;
    snprintf(out, SONDE_ROSTER_RATE, "%" PRIu64 ".%u", tenths / 10, (unsigned)(tenths % 10));
    return out;
}

static const char worker_key[] = "\"worker\": \"";

/* A worker's own name has no quote in it. A name with a quote was not written by sonde: it is cut off there. */
static void add_worker(struct sonde_roster *r, const char *text, double age, double rate)
{
    const char *name = strstr(text, worker_key) + strlen(worker_key);
    char numbers[320], written[SONDE_ROSTER_RATE];
    if (r->workers.n) sonde_bytes_add(&r->workers, ", ", 2);
    sonde_bytes_add(&r->workers, "{\"worker\": ", 11);
    enum { NAME_MAX_BYTES = 300 };
    size_t n_name = strcspn(name, "\"");
    sonde_roster_add_string(&r->workers, name, n_name < NAME_MAX_BYTES ? n_name : NAME_MAX_BYTES);
    int n = snprintf(
        numbers, sizeof numbers,
        ", \"age\": %.0f, \"cases\": %.0f, \"places\": %.0f, \"failures\": %.0f, \"sent\": %.0f, \"fetched\": %.0f, \"rate\": %s}",
        age, number_in(text, "cases"), number_in(text, "places"), number_in(text, "failures"), number_in(text, "sent"),
        number_in(text, "fetched"), sonde_roster_rate(rate, written));
    sonde_bytes_add(&r->workers, numbers, (size_t)n);
}

void sonde_roster_add(void *roster, const char *text, double age)
{
    struct sonde_roster *r = roster;
    if (!strstr(text, worker_key)) return; /* junk is not a worker */
    double seconds = number_in(text, "seconds"), cases = number_in(text, "cases"),
           rate = seconds > 0 ? cases / seconds : 0;
    bool is_silent = age > SONDE_SILENT_SECONDS;
    r->cases += (uint64_t)cases;
    r->n_ended += is_silent;
    if (is_silent) return;
    r->n_workers++;
    r->rate += rate;
    if (!r->most || r->n_workers <= r->most) add_worker(r, text, age, rate);
}
