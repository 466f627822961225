/* See roster.h. */
#include "share/roster.h"

#include "share/place.h"

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
    sonde_bytes_add(out, "\"", 1);
    for (size_t i = 0; i < most && text[i]; i++) {
        unsigned char c = (unsigned char)text[i];
        char escaped[8];
        if (c == '"' || c == '\\') snprintf(escaped, sizeof escaped, "\\%c", c);
        else if (c < ' ' || c >= 127 || c == '<' || c == '>') snprintf(escaped, sizeof escaped, "\\u%04x", c);
        else snprintf(escaped, sizeof escaped, "%c", c);
        sonde_bytes_add(out, escaped, strlen(escaped));
    }
    sonde_bytes_add(out, "\"", 1);
}

/* The name that it gives itself, which cannot have a quote in it unless a stranger wrote it: then the name ends there. */
static void add_worker(struct sonde_roster *r, const char *text, double age, double rate)
{
    static const char key[] = "\"worker\": \"";
    const char *name = strstr(text, key);
    char numbers[256];
    name = name ? name + strlen(key) : "";
    if (r->workers.n) sonde_bytes_add(&r->workers, ", ", 2);
    sonde_bytes_add(&r->workers, "{\"worker\": ", 11);
    sonde_roster_add_string(&r->workers, name, strcspn(name, "\""));
    int n = snprintf(
        numbers, sizeof numbers,
        ", \"age\": %.0f, \"cases\": %.0f, \"places\": %.0f, \"failures\": %.0f, \"sent\": %.0f, \"fetched\": %.0f, \"rate\": %.1f}",
        age, number_in(text, "cases"), number_in(text, "places"), number_in(text, "failures"), number_in(text, "sent"),
        number_in(text, "fetched"), rate);
    sonde_bytes_add(&r->workers, numbers, (size_t)n);
}

void sonde_roster_add(void *roster, const char *text, double age)
{
    struct sonde_roster *r = roster;
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
