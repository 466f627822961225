/* Reading the reports of workers (roster.h). They are searched for names of fields rather than parsed as JSON, so that
 * any bytes can be read safely. */
#include "share/roster.h"

#include "share/place.h"
#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the number of a field; 0 if there is none, or it is not plausible. */
static double number_in(const char *text, const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "\"%s\": ", name);
    const char *at = strstr(text, key);
    double value = at ? strtod(at + strlen(key), NULL) : 0;
    return value > 0 && value < 1e18 ? value : 0;
}

static const char worker_key[] = "\"worker\": \"";

/* Lists a worker as a JSON object. Its name ends at the first quote: sonde does not write names with quotes. */
static void list_worker(struct sonde_json_out *to, const char *text, double age, double rate)
{
    enum { NAME_MAX_BYTES = 300 }; /* maximum number of bytes of a worker's name that are shown */
    const char *name = strstr(text, worker_key) + strlen(worker_key);
    size_t n = strcspn(name, "\"");
    sonde_json_put(to, "{worker:");
    sonde_json_string(to, name, n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES);
    sonde_json_put(to, "age: %.0f, cases: %.0f, places: %.0f, failures: %.0f", age, number_in(text, "cases"),
                   number_in(text, "places"), number_in(text, "failures"));
    sonde_json_put(to, "sent: %.0f, fetched: %.0f, rate: %.1f}", number_in(text, "sent"), number_in(text, "fetched"),
                   rate);
}

void sonde_roster_add(void *roster, const char *text, double age)
{
    struct sonde_roster *r = roster;
    if (!strstr(text, worker_key)) return; /* not a report */
    double seconds = number_in(text, "seconds"), cases = number_in(text, "cases"),
           rate = seconds > 0 ? cases / seconds : 0;
    bool is_silent = age > SONDE_SILENT_SECONDS;
    r->cases += (uint64_t)cases;
    r->n_ended += is_silent;
    if (is_silent) return;
    r->n_workers++;
    r->rate += rate;
    if (r->list && (!r->most || r->n_workers <= r->most)) list_worker(r->list, text, age, rate);
}
