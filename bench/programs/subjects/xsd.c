/* P1: XML Schema in libxml2. Valid: a schema that it compiles. */
#include "xml.h"

#include <libxml/xmlschemas.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const tags[] = {
    "xs:element",        "xs:complexType",
    "xs:simpleType",     "xs:sequence",
    "xs:choice",         "xs:all",
    "xs:attribute",      "xs:attributeGroup",
    "xs:group",          "xs:any",
    "xs:anyAttribute",   "xs:restriction",
    "xs:extension",      "xs:simpleContent",
    "xs:complexContent", "xs:union",
    "xs:list",           "xs:enumeration",
    "xs:pattern",        "xs:minInclusive",
    "xs:maxInclusive",   "xs:minExclusive",
    "xs:maxExclusive",   "xs:length",
    "xs:minLength",      "xs:maxLength",
    "xs:totalDigits",    "xs:fractionDigits",
    "xs:whiteSpace",     "xs:key",
    "xs:keyref",         "xs:unique",
    "xs:selector",       "xs:field",
    "xs:annotation",     "xs:documentation",
    "xs:appinfo",        "xs:import",
    "xs:include",        "xs:redefine",
    "xs:notation",       "a",
};
static const char *const attributes[] = {
    "name",
    "type",
    "ref",
    "base",
    "minOccurs",
    "maxOccurs",
    "use",
    "default",
    "fixed",
    "value",
    "substitutionGroup",
    "abstract",
    "final",
    "block",
    "mixed",
    "nillable",
    "form",
    "itemType",
    "memberTypes",
    "namespace",
    "processContents",
    "refer",
    "xpath",
    "id",
    "targetNamespace",
    "elementFormDefault",
    "attributeFormDefault",
    "finalDefault",
    "blockDefault",
    "schemaLocation",
    "public",
    "system",
    "version",
    "source",
};
static const char *const values[] = {
    "a",
    "b",
    "c",
    "t:a",
    "t:b",
    "xs:string",
    "xs:int",
    "xs:integer",
    "xs:decimal",
    "xs:boolean",
    "xs:date",
    "xs:ID",
    "xs:IDREF",
    "xs:NMTOKENS",
    "xs:QName",
    "xs:anyType",
    "xs:anySimpleType",
    "xs:token",
    "xs:float",
    "xs:base64Binary",
    "xs:anyURI",
    "0",
    "1",
    "2",
    "-1",
    "10",
    "3.5",
    "unbounded",
    "true",
    "false",
    "required",
    "optional",
    "prohibited",
    "qualified",
    "unqualified",
    "#all",
    "extension",
    "restriction",
    "substitution",
    "lax",
    "strict",
    "skip",
    "##any",
    "##other",
    "##local",
    "##targetNamespace",
    "urn:t",
    "preserve",
    "replace",
    "collapse",
    "[a-z]+",
    "\\d{2,3}",
    "(a|b)*c?",
    ".",
    ".//a",
    "a/b",
    "@a",
    "*",
    "2001-01-01",
    "a b",
    "",
};
static const char *const texts[] = {"x", " ", "text", "1"};

void program_generate(sonde *t, struct text *out)
{
    static const struct xml_vocabulary words = {
        .root = "xs:schema",
        .declaration = "xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" xmlns:t=\"urn:t\"",
        .tags = tags,
        .attributes = attributes,
        .values = values,
        .texts = texts,
        .n_tags = COUNT(tags),
        .n_attributes = COUNT(attributes),
        .n_values = COUNT(values),
        .n_texts = COUNT(texts),
    };
    xml_document(t, out, &words);
}

void program_start(void)
{
    xml_quiet();
}

bool program_run(const char *text, size_t n)
{
    xmlSchemaParserCtxtPtr context = xmlSchemaNewMemParserCtxt(text, (int)n);
    if (!context) return false;
    xmlSchemaPtr schema = xmlSchemaParse(context);
    bool is_valid = schema != NULL;
    xmlSchemaFree(schema);
    xmlSchemaFreeParserCtxt(context);
    xmlResetLastError();
    return is_valid;
}
