/* See mutated.h. The compiler checks all mutants at once (objections.h). Each is at a location that names it
 * (schema.h), so that errors name the mutants that are rejected. Comparisons of a mutant with its original (WATCH_BOTH
 * and others) are given up first, then the mutant.
 *
 * Compilers accept integers where pointers are wanted, with a warning. Such warnings count as errors here. */
#include "mutated.h"

#include "base/die.h"
#include "base/mem.h"
#include "mutants.h"
#include "objections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The mutants of one source, and those that the compiler rejected so far. */
struct mutation {
    struct mutants_request request;
    struct rejected rejected;
};

/* Adds a number to a set. Returns false if it was there. */
static bool reject(bool **set, uint32_t *cap, uint32_t i)
{
    uint32_t before = *cap;
    *set = sonde_grow(*set, cap, (size_t)i + 1, sizeof **set);
    memset(*set + before, 0, (*cap - before) * sizeof **set);
    bool is_new = !(*set)[i];
    (*set)[i] = true;
    return is_new;
}

/* Reports whether a message is an objection: an error, or a warning about an integer in place of a pointer. */
static bool is_objection(const char *message)
{
    return strstr(message, "error: ") || strstr(message, "-Wint-conversion")
           || (strstr(message, "pointer") && strstr(message, "integer"));
}

/* Rejects a mutant, and keeps the message without its location. Returns false if it was rejected before. */
static bool reject_mutant(struct rejected *r, uint32_t i, const char *message)
{
    uint32_t before = r->cap_reasons;
    if (!reject(&r->mutants, &r->cap_mutants, i)) return false;
    r->reasons = sonde_grow(r->reasons, &r->cap_reasons, (size_t)i + 1, sizeof *r->reasons);
    memset(r->reasons + before, 0, (r->cap_reasons - before) * sizeof *r->reasons);
    const char *start = strstr(message, ": ");
    r->reasons[i] = sonde_strdup(start ? start + 2 : message);
    return true;
}

/* Rejects what one message is about. Returns whether that is new. */
static bool read_message(void *mutation, const char *message)
{
    struct rejected *r = &((struct mutation *)mutation)->rejected;
    uint32_t i;
    if (!is_objection(message)) return false;
    if ((i = objections_number(message, "sonde-mutant:"))) return reject_mutant(r, i, message);
    if ((i = objections_number(message, "sonde-watch:"))) return reject(&r->watches, &r->cap_watches, i);
    if (!(i = objections_number(message, "sonde-site:"))) return false;
    return reject(&r->watches, &r->cap_watches, i) || reject(&r->sites, &r->cap_sites, i);
}

/* Rejects all mutants at the line of an error in the source itself. Returns whether that is new. */
static bool read_line(void *mutation, const char *message)
{
    struct rejected *r = &((struct mutation *)mutation)->rejected;
    const char *error = strstr(message, ": error: "), *colon = error;
    while (colon && colon > message && (colon[-1] == ':' || (colon[-1] >= '0' && colon[-1] <= '9'))) colon--;
    uint32_t line = error && *colon == ':' ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    return line && reject(&r->lines, &r->cap_lines, line);
}

/* Returns the number of elements that are set. */
static uint32_t count(const bool *set, uint32_t cap)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < cap; i++) n += set[i];
    return n;
}

/* Writes the source for a check that names mutants. */
static char *write_marked(void *mutation)
{
    struct mutants_request request = ((struct mutation *)mutation)->request;
    struct mutants_count n;
    request.is_marked = true;
    return mutants_write(&request, &n);
}

bool mutated_is_test(const char *preprocessed)
{
    return strstr(preprocessed, "/sonde.h\"") || strstr(preprocessed, " \"sonde.h\"");
}

/* Prints how many mutants a source has, and which the compiler rejected. */
static void print_summary(const char *source, const struct mutants_count *n, const struct rejected *r,
                          const char *dropped)
{
    sonde_complain("sonde cc: %s: %u mutants at %u sites; %u more do not compile, %u sites are not compared", source,
                   (unsigned)n->mutants, (unsigned)n->sites, (unsigned)count(r->mutants, r->cap_mutants),
                   (unsigned)count(r->watches, r->cap_watches));
    fputs(dropped ? dropped : "", stderr);
}

static void clear(struct rejected *r)
{
    for (uint32_t i = 0; i < r->cap_reasons; i++) sonde_free(r->reasons[i]);
    sonde_free(r->reasons);
    sonde_free(r->mutants);
    sonde_free(r->watches);
    sonde_free(r->sites);
    sonde_free(r->lines);
}

char *mutated_source(const struct precond_step *step, const char *source, const char *preprocessed)
{
    const struct words *globs = &step->mutants->globs;
    struct mutation m = {
        .request = {.source = source, .text = preprocessed, .globs = globs, .skips = &step->mutants->skips}};
    struct objections o = {.step = step,
                           .wants_warnings = true,
                           .state = &m,
                           .write = write_marked,
                           .reject = read_message,
                           .reject_indirectly = read_line};
    struct mutants_count n;
    struct text dropped = {0};
    char *messages = NULL, *text = NULL;
    if (!globs->n && mutated_is_test(preprocessed)) return NULL;
    m.request.rejected = &m.rejected;
    if (objections_settle(&o, &messages)) {
        m.request.dropped = &dropped;
        text = mutants_write(&m.request, &n);
        if (step->mutants->is_verbose) print_summary(source, &n, &m.rejected, dropped.all);
    } else {
        char *error = strstr(messages, "error: ");
        if (error) error[strcspn(error, "\n")] = 0;
        sonde_complain("sonde cc: %s is compiled without mutants, since the compiler rejects them: %s", source,
                       error ? error : "no message");
    }
    sonde_free(dropped.all);
    sonde_free(messages);
    clear(&m.rejected);
    return text;
}
