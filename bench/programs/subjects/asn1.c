/* P9: ASN.1 modules in libtasn1. The library reads modules only from files, so each becomes one, in memory. Valid: a module
 * of which it makes a tree. */
#define _GNU_SOURCE
#include "programs/program.h"

#include <libtasn1.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DEEPEST = 4 };

static const char *const names[] = {"A", "B", "C", "Foo", "Bar"};
static const char *const fields[] = {"a", "b", "c", "foo", "bar"};
static const char *const plain[] = {"INTEGER",           "BOOLEAN",       "NULL",
                                    "OCTET STRING",      "BIT STRING",    "UTF8String",
                                    "OBJECT IDENTIFIER", "ANY",           "GeneralizedTime",
                                    "IA5String",         "UTCTime",       "ENUMERATED {a(0), b(1)}",
                                    "PrintableString",   "GeneralString", "BMPString"};
static const char *const tags[] = {"", "", "", "[0] ", "[1] IMPLICIT ", "[2] EXPLICIT ", "[APPLICATION 1] "};
static const char *const ends[] = {"", "", "", " OPTIONAL", " DEFAULT 1", " DEFAULT TRUE", " (SIZE (1..MAX))"};

static void type(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "type");
    text_word(t, "tag", out, tags);
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 6 : 2)) {
    case 0: text_word(t, "plain", out, plain); break;
    case 1: text_word(t, "name", out, names); break;
    case 2:
        text_add(out, sonde_bool(t, "is set") ? "SET OF " : "SEQUENCE OF ");
        type(t, out, depth + 1);
        break;
    default: {
        text_add(out, "%s {", (const char *[]){"SEQUENCE", "SET", "CHOICE"}[sonde_pick(t, "composite", 3)]);
        sonde_list parts = sonde_list_of(t, "parts", 1, 4);
        while (text_more(&parts, out, ", ")) {
            text_word(t, "field", out, fields);
            text_add(out, " ");
            type(t, out, depth + 1);
            text_word(t, "end", out, ends);
        }
        text_add(out, "}");
    }
    }
}

void program_generate(sonde *t, struct text *out)
{
    text_add(out, "M { }\nDEFINITIONS %s TAGS ::=\nBEGIN\n", sonde_bool(t, "is implicit") ? "IMPLICIT" : "EXPLICIT");
    sonde_list definitions = sonde_list_of(t, "definitions", 1, 5);
    while (sonde_more(&definitions)) {
        sonde_span(t, "definition");
        if (sonde_chance(t, "is value", 0.2)) {
            text_word(t, "field", out, fields);
            text_add(out, " OBJECT IDENTIFIER ::= {");
            text_word(t, "field", out, fields);
            text_add(out, " %d}\n", sonde_int(t, "arc", 0, 9));
        } else {
            text_word(t, "name", out, names);
            text_add(out, " ::= ");
            type(t, out, 0);
            text_add(out, "\n");
        }
    }
    text_add(out, "END\n");
}

static int file = -1;
static char path[64];

void program_start(void)
{
    file = memfd_create("module", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
}

bool program_run(const char *text, size_t n)
{
    asn1_node tree = NULL;
    char why[ASN1_MAX_ERROR_DESCRIPTION_SIZE];
    if (ftruncate(file, 0) < 0 || pwrite(file, text, n, 0) != (ssize_t)n) return false;
    bool is_valid = asn1_parser2tree(path, &tree, why) == ASN1_SUCCESS;
    asn1_delete_structure(&tree);
    return is_valid;
}
