/* libxml2: a URI that was parsed and saved is the same URI. */
#include <libxml/uri.h>
#include <libxml/xmlmemory.h>
#include <sonde.h>

static void drop(void *uri)
{
    xmlFreeURI(uri);
}

static void drop_text(void *text)
{
    xmlFree(text);
}

static void a_saved_uri_has_its_path(sonde *t)
{
    const char *text = sonde_string_of(t, "text", "a/?#.@", 0, 8);
    xmlURIPtr uri = xmlParseURI(text);
    sonde_assume(t, uri != NULL);
    sonde_defer(t, drop, uri);
    xmlChar *saved = xmlSaveUri(uri);
    sonde_defer(t, drop_text, saved);
    sonde_check(t, saved != NULL);
    sonde_note(t, "saved as %s", (char *)saved);
    xmlURIPtr back = xmlParseURI((char *)saved);
    sonde_check(t, back != NULL);
    sonde_defer(t, drop, back);
    sonde_check_eq(t, (const char *)(back->path ? back->path : "(none)"),
                   (const char *)(uri->path ? uri->path : "(none)"));
}

SONDE_MAIN(a_saved_uri_has_its_path)
