/* See xml.h. */
#include "xml.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <string.h>

enum { DEEPEST = 5, CHILDREN = 3, ATTRIBUTES = 4 };

/* An attribute that an element has already would not be XML. */
static bool is_taken(const size_t *taken, size_t n, size_t name)
{
    for (size_t i = 0; i < n; i++)
        if (taken[i] == name) return true;
    return false;
}

static const char *draw_word(sonde *t, const char *label, const struct xml_words *of)
{
    return of->words[sonde_pick(t, label, of->n)];
}

static void draw_attributes(sonde *t, struct text *out)
{
    const struct xml_vocabulary *w = &xml_vocabulary;
    size_t taken[ATTRIBUTES], n = 0;
    sonde_list list = sonde_list_of(t, "attributes", 0, ATTRIBUTES);
    while (sonde_more(&list)) {
        size_t name = sonde_pick(t, "attribute", w->attributes.n);
        const char *value = draw_word(t, "value", &w->values);
        if (is_taken(taken, n, name)) continue;
        taken[n++] = name;
        text_add(out, " %s=\"%s\"", w->attributes.words[name], value);
    }
}

static void draw_element(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "element");
    const char *tag = draw_word(t, "tag", &xml_vocabulary.tags);
    text_add(out, "<%s", tag);
    draw_attributes(t, out);
    text_add(out, ">");
    if (depth < DEEPEST) {
        sonde_list children = sonde_list_of(t, "children", 0, CHILDREN);
        while (sonde_more(&children)) draw_element(t, out, depth + 1);
    }
    if (sonde_chance(t, "has text", 0.1)) text_add(out, "%s", draw_word(t, "text", &xml_vocabulary.texts));
    text_add(out, "</%s>", tag);
}

void program_generate(sonde *t, struct text *out)
{
    text_add(out, "<%s %s>", xml_vocabulary.root, xml_vocabulary.declaration);
    sonde_list children = sonde_list_of(t, "children", 1, CHILDREN);
    while (sonde_more(&children)) draw_element(t, out, 1);
    text_add(out, "</%s>", xml_vocabulary.root);
}

/* ---- libxml2 */

/* libxml2 seeds its hash tables by this function, whose state begins with the time and changes from case to case. In place
 * of the C library's, all tables have the same seed, so that counters depend on the input alone. */
int rand_r(unsigned *seed)
{
    (void)seed;
    return 0;
}

static void say_nothing(void *user, xmlErrorPtr error)
{
    (void)user;
    (void)error;
}

static void print_nothing(void *user, const char *format, ...)
{
    (void)user;
    (void)format;
}

static xmlParserInputPtr load_nothing(const char *url, const char *id, xmlParserCtxtPtr context)
{
    (void)url;
    (void)id;
    (void)context;
    return NULL;
}

/* No messages, nothing from files or the network. */
void program_start(void)
{
    xmlInitParser();
    xmlSetStructuredErrorFunc(NULL, say_nothing);
    xmlSetGenericErrorFunc(NULL, print_nothing);
    xmlSetExternalEntityLoader(load_nothing);
}
