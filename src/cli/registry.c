/* Collects the properties and examples of a program; registry.h says why their order is fixed. Constructors
 * register them before main, in an order that depends on the linker, so the lists are sorted by file and line
 * here. Nothing is allocated before main. */
#include "cli/registry.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Linked lists through objects that the macros define statically. They need no initialisation, because constructors of
 * the user may run before constructors of the library. */
static struct sonde_registered_ *first_property;
static struct sonde_example_ *first_example;

/* Adds a property to the list. Constructors call it before the library is set up, so it does nothing else. */
void sonde_register_(struct sonde_registered_ *property)
{
    property->next = first_property;
    first_property = property;
}

void sonde_register_example_(struct sonde_example_ *example)
{
    example->next = first_example;
    first_example = example;
}

static int compare_locations(const char *a_file, int a_line, const char *b_file, int b_line)
{
    int order = strcmp(a_file, b_file);
    return order ? order : (a_line > b_line) - (a_line < b_line);
}

static int compare_properties(const void *a, const void *b)
{
    const struct sonde_registered_ *x = *(struct sonde_registered_ *const *)a,
                                   *y = *(struct sonde_registered_ *const *)b;
    return compare_locations(x->file, x->line, y->file, y->line);
}

static int compare_examples(const void *a, const void *b)
{
    const struct sonde_example_ *x = *(struct sonde_example_ *const *)a, *y = *(struct sonde_example_ *const *)b;
    return compare_locations(x->file, x->line, y->file, y->line);
}

/* Takes the first property by file and line, so that the result is the same in every build. */
const char *sonde_registry_file(void)
{
    const struct sonde_registered_ *first = first_property;
    for (const struct sonde_registered_ *r = first; r; r = r->next)
        if (compare_properties(&r, &first) < 0) first = r;
    return first ? first->file : NULL;
}

/* ---- Errors */

/* Prints where property i was declared: "at test.c:12", or its position in the array given to sonde_main. */
static void print_location(char *out, size_t size, struct sonde_registered_ *const *registered, size_t n_given,
                           size_t i)
{
    if (i < n_given) snprintf(out, size, "given to SONDE_MAIN or sonde_main as number %zu", i + 1);
    else snprintf(out, size, "at %s:%d", registered[i - n_given]->file, registered[i - n_given]->line);
}

/* Reports whether a property lacks its name or function, with a message. Only properties given to sonde_main
 * can lack these, because the macros fill in both. */
static bool is_incomplete(const sonde_property *all, size_t n, char *message, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        if (all[i].name && all[i].name[0] && all[i].run) continue;
        snprintf(message, size, "property %zu of sonde_main lacks %s; set it", i + 1,
                 all[i].run ? "a name" : "its function `run`");
        return true;
    }
    return false;
}

/* Reports whether two properties have one name, with a message. Quadratic; programs have tens of properties, not
 * thousands. */
static bool has_duplicates(const sonde_property *all, size_t n, struct sonde_registered_ *const *registered,
                           size_t n_given, char *message, size_t size)
{
    for (size_t i = 1; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(all[i].name, all[k].name) != 0) continue;
            char one[512], other[512];
            print_location(one, sizeof one, registered, n_given, k);
            print_location(other, sizeof other, registered, n_given, i);
            snprintf(message, size, "two properties are called %s, one %s, one %s; give one of them another name",
                     all[i].name, one, other);
            return true;
        }
    }
    return false;
}

/* ---- Examples */

static size_t count_examples(const sonde_property *p)
{
    size_t n = 0;
    while (p->examples && p->examples[n]) n++;
    return n;
}

/* Appends a token to a property's examples. The array is copied each time, because the original belongs to the
 * user and may be constant. The old array is not freed, as it may be the user's; this happens once per process. */
static void add_example(sonde_property *p, const char *token)
{
    size_t n = count_examples(p);
    const char **examples = sonde_calloc(n + 2, sizeof *examples);
    if (n) memcpy(examples, p->examples, n * sizeof *examples);
    examples[n] = token;
    p->examples = examples;
}

/* Adds every registered example to its property. Returns false, with a message, if one names no property. */
static bool attach_examples(sonde_property *all, size_t n, char *message, size_t size)
{
    size_t n_examples = 0, k = 0;
    for (struct sonde_example_ *e = first_example; e; e = e->next) n_examples++;
    struct sonde_example_ **sorted = sonde_calloc(n_examples, sizeof *sorted);
    for (struct sonde_example_ *e = first_example; e; e = e->next) sorted[k++] = e;
    if (n_examples) qsort(sorted, n_examples, sizeof *sorted, compare_examples);
    const struct sonde_example_ *unmatched = NULL;
    for (k = 0; k < n_examples && !unmatched; k++) {
        size_t i = 0;
        while (i < n && strcmp(all[i].name, sorted[k]->property) != 0) i++;
        if (i < n) add_example(&all[i], sorted[k]->token);
        else unmatched = sorted[k];
    }
    if (unmatched)
        snprintf(message, size,
                 "%s:%d: SONDE_EXAMPLE names %s, but this program has no property of that name; --list prints the "
                 "names",
                 unmatched->file, unmatched->line, unmatched->property);
    sonde_free(sorted);
    return !unmatched;
}

/* ---- All properties */

const sonde_property *sonde_registry_all(const sonde_property *given, size_t n_given, size_t *n, char *message,
                                         size_t size)
{
    size_t n_registered = 0, k = 0;
    if (!given && n_given) {
        snprintf(message, size, "sonde_main was given NULL for %zu properties; give an array of as many", n_given);
        return NULL;
    }
    for (struct sonde_registered_ *r = first_property; r; r = r->next) n_registered++;
    *n = n_given + n_registered;
    struct sonde_registered_ **sorted = sonde_calloc(n_registered, sizeof *sorted);
    for (struct sonde_registered_ *r = first_property; r; r = r->next) sorted[k++] = r;
    if (n_registered) qsort(sorted, n_registered, sizeof *sorted, compare_properties);
    static sonde_property *all; /* freed by the next call, since a program may call sonde_main again */
    sonde_free(all);
    all = sonde_calloc(*n, sizeof *all);
    if (n_given) memcpy(all, given, n_given * sizeof *all);
    for (k = 0; k < n_registered; k++) all[n_given + k] = sorted[k]->property;
    bool is_wrong = is_incomplete(all, *n, message, size) || has_duplicates(all, *n, sorted, n_given, message, size)
                    || !attach_examples(all, *n, message, size);
    sonde_free(sorted);
    return is_wrong ? NULL : all;
}
