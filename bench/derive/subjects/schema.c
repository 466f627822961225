/* XML Schema in libxml2 (bench/programs/subjects/xsd.c): the generator by hand beside a derived one, for
 * bench/derive/compare. Its faults are schemas that libxml2 takes, with at least one of some word in them: the first is
 * found by any valid one. Words are drawn as indices, as by hand; a string that one element in ten has is one value of
 * ten of a tag. */
#include "derive/beside.h"
#include "programs/subjects/xml.h"

#include <sonde/derive.h>
#include <string.h>

struct attribute {
    size_t name SONDE_RANGE(0, xml_vocabulary.attributes.n - 1);
    size_t value SONDE_RANGE(0, xml_vocabulary.values.n - 1);
};

struct element {
    size_t tag SONDE_RANGE(0, xml_vocabulary.tags.n - 1);
    size_t n_attributes, n_children;
    struct attribute *attributes SONDE_COUNT(n_attributes, 0, 4);
    struct element *children SONDE_COUNT(n_children, 0, 3);
    uint8_t has_text;
    union {
        size_t text SONDE_RANGE(0, xml_vocabulary.texts.n - 1);
    } is SONDE_TAG(has_text, 0 :, 1 :, 2 :, 3 :, 4 :, 5 :, 6 :, 7 :, 8 :, 9 : text);
};

struct schema {
    size_t n;
    struct element *children SONDE_COUNT(n, 1, 3);
};
SONDE_DERIVE(struct schema, schema);

static struct text text;

static bool is_taken(const struct attribute *attributes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (attributes[i].name == attributes[n].name) return true;
    return false;
}

static void write_element(const struct element *e)
{
    const struct xml_vocabulary *w = &xml_vocabulary;
    text_add(&text, "<%s", w->tags.words[e->tag]);
    for (size_t i = 0; i < e->n_attributes; i++)
        if (!is_taken(e->attributes, i))
            text_add(&text, " %s=\"%s\"", w->attributes.words[e->attributes[i].name],
                     w->values.words[e->attributes[i].value]);
    text_add(&text, ">");
    for (size_t i = 0; i < e->n_children; i++) write_element(&e->children[i]);
    if (e->has_text == 9) text_add(&text, "%s", w->texts.words[e->is.text]);
    text_add(&text, "</%s>", w->tags.words[e->tag]);
}

static void clear(void)
{
    text.n = 0;
    text.bytes[0] = '\0';
}

static void schema_hand(sonde *t)
{
    clear();
    program_generate(t, &text);
}

static void schema_derived(sonde *t)
{
    const struct schema *schema = draw_schema(t, "schema");
    clear();
    text_add(&text, "<%s %s>", xml_vocabulary.root, xml_vocabulary.declaration);
    for (size_t i = 0; i < schema->n; i++) write_element(&schema->children[i]);
    text_add(&text, "</%s>", xml_vocabulary.root);
}

/* Elements and attributes. */
static unsigned long schema_records(void)
{
    unsigned long n = 0;
    for (const char *c = text.bytes; *c; c++) n += *c == '<' && c[1] != '/';
    for (const char *c = text.bytes; *c; c++) n += *c == '=' && c[1] == '"';
    return n;
}

struct run {
    void (*draw)(sonde *t);
    const char *word;
};

static void find(sonde *t)
{
    const struct run *run = sonde_context(t);
    run->draw(t);
    sonde_assume(t, program_run(text.bytes, text.n));
    sonde_check(t, !strstr(text.bytes, run->word));
}

int main(int argc, char **argv)
{
    static bool draws;
    static const char *which;
    static const struct bench_flag flags[] = {{"--draw", &draws, "only draw, by hand or derived", &which},
                                              {NULL, NULL, NULL, NULL}};
    static const char *const columns[] = {NULL}, *const words[] = {"<xs:",
                                                                   "type=",
                                                                   "<xs:attribute ",
                                                                   "<xs:complexType",
                                                                   "<xs:restriction",
                                                                   "xs:sequence"};
    static struct bench bench = {.suite = "derive",
                                 .columns = columns,
                                 .flags = flags,
                                 .guides = "cgpt,auto",
                                 .tests = 20000,
                                 .first_seed = 1,
                                 .last_seed = 10};
    static struct beside b = {.bench = &bench, .subject = "xsd"};
    bench_start(&bench, argc, argv);
    program_start();
    const struct beside_draw by_hand = {schema_hand, schema_records}, derived = {schema_derived, schema_records};
    if (which) beside_draw(&bench, strcmp(which, "hand") ? &derived : &by_hand);
    for (unsigned g = 0; !which && (b.guide = bench_guide(&bench, g)) != NULL; g++) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            struct run runs[] = {{schema_hand, words[i]}, {schema_derived, words[i]}};
            beside_fault(&b, words[i], &(sonde_property){.name = "hand", .run = find, .context = &runs[0]},
                         &(sonde_property){.name = "derived", .run = find, .context = &runs[1]});
        }
        beside_end(&b);
    }
    return bench_end(&bench);
}
