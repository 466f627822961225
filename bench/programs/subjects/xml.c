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

static void draw_attributes(sonde *t, struct text *out, const struct xml_vocabulary *w)
{
    size_t taken[ATTRIBUTES], n = 0;
    sonde_list list = sonde_list_of(t, "attributes", 0, ATTRIBUTES);
    while (sonde_more(&list)) {
        size_t name = sonde_pick(t, "attribute", w->n_attributes);
        const char *value = w->values[sonde_pick(t, "value", w->n_values)];
        if (is_taken(taken, n, name)) continue;
        taken[n++] = name;
        text_add(out, " %s=\"%s\"", w->attributes[name], value);
    }
}

static void draw_element(sonde *t, struct text *out, const struct xml_vocabulary *w, int depth)
{
    sonde_span(t, "element");
    const char *tag = w->tags[sonde_pick(t, "tag", w->n_tags)];
    text_add(out, "<%s", tag);
    draw_attributes(t, out, w);
    text_add(out, ">");
    if (depth < DEEPEST) {
        sonde_list children = sonde_list_of(t, "children", 0, CHILDREN);
        while (sonde_more(&children)) draw_element(t, out, w, depth + 1);
    }
    if (sonde_chance(t, "has text", 0.1)) text_add(out, "%s", w->texts[sonde_pick(t, "text", w->n_texts)]);
    text_add(out, "</%s>", tag);
}

void xml_document(sonde *t, struct text *out, const struct xml_vocabulary *words)
{
    text_add(out, "<%s %s>", words->root, words->declaration);
    sonde_list children = sonde_list_of(t, "children", 1, CHILDREN);
    while (sonde_more(&children)) draw_element(t, out, words, 1);
    text_add(out, "</%s>", words->root);
}

/* ---- libxml2 */

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

void xml_quiet(void)
{
    xmlInitParser();
    xmlSetStructuredErrorFunc(NULL, say_nothing);
    xmlSetGenericErrorFunc(NULL, print_nothing);
    xmlSetExternalEntityLoader(load_nothing);
}
