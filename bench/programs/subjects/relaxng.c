/* P2: RelaxNG in libxml2. Valid: a schema that it compiles. */
#include "xml.h"

#include <libxml/relaxng.h>

static const char *const tags[] = {"element",    "attribute",   "group",     "interleave", "choice",
                                   "optional",   "zeroOrMore",  "oneOrMore", "list",       "mixed",
                                   "ref",        "parentRef",   "empty",     "value",      "data",
                                   "notAllowed", "externalRef", "grammar",   "param",      "except",
                                   "start",      "define",      "div",       "include",    "name",
                                   "anyName",    "nsName",      "text",      "a"};
static const char *const attributes[] = {"name", "combine", "type", "datatypeLibrary", "ns", "href", "id"};
static const char *const values[] = {"a",
                                     "b",
                                     "c",
                                     "choice",
                                     "interleave",
                                     "string",
                                     "token",
                                     "int",
                                     "decimal",
                                     "date",
                                     "ID",
                                     "boolean",
                                     "pattern",
                                     "length",
                                     "minLength",
                                     "maxInclusive",
                                     "minInclusive",
                                     "http://www.w3.org/2001/XMLSchema-datatypes",
                                     "urn:t",
                                     "",
                                     "x:a",
                                     "a b",
                                     "1"};
static const char *const texts[] = {"a", "b", "1", "10", "[a-z]+", "x:a", " "};

const struct xml_vocabulary xml_vocabulary = {
    .root = "grammar",
    .declaration = "xmlns=\"http://relaxng.org/ns/structure/1.0\" "
                   "datatypeLibrary=\"http://www.w3.org/2001/XMLSchema-datatypes\" xmlns:x=\"urn:x\"",
    .tags = XML_WORDS(tags),
    .attributes = XML_WORDS(attributes),
    .values = XML_WORDS(values),
    .texts = XML_WORDS(texts),
};

bool program_run(const char *text, size_t n)
{
    xmlRelaxNGParserCtxtPtr context = xmlRelaxNGNewMemParserCtxt(text, (int)n);
    if (!context) return false;
    xmlRelaxNGPtr schema = xmlRelaxNGParse(context);
    bool is_valid = schema != NULL;
    xmlRelaxNGFree(schema);
    xmlRelaxNGFreeParserCtxt(context);
    xmlResetLastError();
    return is_valid;
}
