/* Random C declarations, for the test of sonde derive (tests/compile/declarations.sh): structs of all kinds of fields,
 * with the annotations that they need. A set is some enumerations and structs that use each other; the last struct of a
 * set is the one that is derived.
 *
 * `write_sets` appends each set to the file that SETS names, under unique names, so that many can be compiled at once.
 * `each_set_holds` runs the command TRY on one set at a time: slow, but it shrinks, for when all at once have
 * failed. */
#include <sonde.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_STRUCTS = 4, MOST_FIELDS = 7 };

struct set {
    sonde *t;
    FILE *out;
    const char *name; /* begins all names of the set */
    int n;            /* structs so far */
    int n_structs;    /* that there will be */
    int n_names;      /* of fields */
};

static const char *const numbers[] = {"char",     "signed char", "unsigned char", "short",         "unsigned short",
                                      "int",      "unsigned",    "long",          "unsigned long", "long long",
                                      "uint64_t", "int8_t",      "uint16_t",      "int32_t",       "size_t",
                                      "float",    "double",      "long double",   "bool",          "wchar_t"};
enum { N_INTEGERS = 15 };
static const char *const counts[] = {"size_t", "int", "unsigned char", "short", "uint64_t"};

static const char *number(const struct set *s)
{
    return sonde_element(s->t, "number", numbers);
}

static const char *integer(const struct set *s)
{
    return numbers[sonde_pick(s->t, "integer", N_INTEGERS)];
}

static int fresh(struct set *s)
{
    return s->n_names++;
}

/* A type for an element: a number, or a struct that is there already. */
static const char *element(const struct set *s, char *buffer, size_t size)
{
    if (s->n == 0 || sonde_bool(s->t, "is_number")) return number(s);
    snprintf(buffer, size, "struct %s_%d", s->name, sonde_int(s->t, "which", 0, s->n - 1));
    return buffer;
}

/* ---- Fields */

static void plain_number(struct set *s)
{
    static const char *const qualifiers[] = {"", "", "const ", "volatile "};
    fprintf(s->out, "    %s%s f%d;\n", sonde_element(s->t, "qualifier", qualifiers), number(s), fresh(s));
}

static void annotated_number(struct set *s)
{
    static const char *const notes[] = {"SONDE_RANGE(1, 12)", "SONDE_FLAGS(1, 4, 8)", "SONDE_ONE_OF(3, 5, 70)",
                                        "SONDE_IS(7)",        "SONDE_BY(draw_seven)", "SONDE_WAS(\"old\")"};
    fprintf(s->out, "    %s f%d %s;\n", integer(s), fresh(s), sonde_element(s->t, "note", notes));
}

static void bit_field(struct set *s)
{
    bool is_signed = sonde_bool(s->t, "is_signed");
    fprintf(s->out, "    %s f%d : %d;\n", is_signed ? "int" : "unsigned", fresh(s), sonde_int(s->t, "width", 1, 31));
    if (sonde_bool(s->t, "pads")) fprintf(s->out, "    unsigned : 3;\n");
}

static void enumeration(struct set *s)
{
    fprintf(s->out, "    enum %s_e f%d;\n", s->name, fresh(s));
}

static void fixed_array(struct set *s)
{
    char buffer[64];
    const char *of = element(s, buffer, sizeof buffer);
    fprintf(s->out, "    %s f%d[%d]", of, fresh(s), sonde_int(s->t, "n", 1, 4));
    if (sonde_bool(s->t, "two")) fprintf(s->out, "[%d]", sonde_int(s->t, "m", 1, 3));
    fprintf(s->out, ";\n");
}

static void text(struct set *s)
{
    switch (sonde_pick(s->t, "text", 5)) {
    case 0: fprintf(s->out, "    char *f%d SONDE_TEXT(0, 9);\n", fresh(s)); break;
    case 1: fprintf(s->out, "    const char *f%d SONDE_UTF8(1, 5) SONDE_NULLABLE;\n", fresh(s)); break;
    case 2: fprintf(s->out, "    char f%d[8] SONDE_REGEX(\"[a-c]{0,7}\");\n", fresh(s)); break;
    case 3: fprintf(s->out, "    char f%d[2][5] SONDE_TEXT(0, 4);\n", fresh(s)); break;
    default: fprintf(s->out, "    unsigned char *f%d SONDE_TEXT(0, 4);\n", fresh(s));
    }
}

static void counted(struct set *s)
{
    char buffer[64];
    const char *count = sonde_element(s->t, "count", counts), *of = element(s, buffer, sizeof buffer);
    int f = fresh(s);
    bool is_first = sonde_bool(s->t, "count_first");
    if (is_first) fprintf(s->out, "    %s n%d;\n", count, f);
    switch (sonde_pick(s->t, "list", 4)) {
    case 0: fprintf(s->out, "    %s *f%d SONDE_COUNT(n%d, 0, 3);\n", of, f, f); break;
    case 1: fprintf(s->out, "    %s f%d[6] SONDE_COUNT(n%d);\n", of, f, f); break;
    case 2: fprintf(s->out, "    char **f%d SONDE_COUNT(n%d, 1, 3) SONDE_TEXT(0, 3);\n", f, f); break;
    default:
        fprintf(s->out, "    const %s *f%d SONDE_COUNT(n%d, 0, 2), *g%d SONDE_COUNT(n%d, 0, 2);\n", of, f, f, f, f);
    }
    if (!is_first) fprintf(s->out, "    %s n%d;\n", count, f);
}

static void pointer(struct set *s)
{
    char buffer[64];
    int any = sonde_int(s->t, "to", 0, s->n_structs - 1); /* itself, or one that comes later, too */
    switch (sonde_pick(s->t, "pointer", 4)) {
    case 0: fprintf(s->out, "    struct %s_%d *f%d SONDE_NULLABLE;\n", s->name, any, fresh(s)); break;
    case 1: fprintf(s->out, "    %s *f%d SONDE_NONNULL;\n", element(s, buffer, sizeof buffer), fresh(s)); break;
    case 2:
        fprintf(s->out, "    void (*f%d)(void *) SONDE_IS(NULL);\n    void *f%d SONDE_IS(NULL);\n", fresh(s), fresh(s));
        break;
    default: fprintf(s->out, "    %s *f%d SONDE_NULLABLE;\n", number(s), fresh(s));
    }
}

static void inner(struct set *s)
{
    char buffer[64];
    int f = fresh(s);
    switch (sonde_pick(s->t, "inner", 4)) {
    case 0: fprintf(s->out, "    %s f%d;\n", element(s, buffer, sizeof buffer), f); break;
    case 1:
        fprintf(s->out, "    struct { int lo, hi; } f%d SONDE_SUCH_THAT(it->f%d.lo != it->f%d.hi);\n", f, f, f);
        break;
    case 2: fprintf(s->out, "    struct { %s in%d; };\n", number(s), f); break;
    default: fprintf(s->out, "    struct { uint8_t n; %s *p SONDE_COUNT(n, 0, 3); } f%d[2], g%d;\n", number(s), f, f);
    }
}

static void tagged(struct set *s)
{
    char buffer[64];
    int f = fresh(s);
    const char *of = element(s, buffer, sizeof buffer);
    bool is_enum = sonde_bool(s->t, "is_enum"), is_first = sonde_bool(s->t, "tag_first"),
         has_name = sonde_bool(s->t, "has_name");
    char of_enum[32];
    snprintf(of_enum, sizeof of_enum, "enum %s_e", s->name);
    const char *tag = is_enum ? of_enum : integer(s);
    if (is_first) fprintf(s->out, "    %s t%d;\n", tag, f);
    fprintf(s->out, "    union { %s a%d; %s b%d; struct %s_%d *c%d SONDE_NULLABLE; } ", number(s), f, of, f, s->name,
            s->n_structs - 1, f);
    if (has_name) fprintf(s->out, "f%d ", f);
    if (is_enum)
        fprintf(s->out, "SONDE_TAG(t%d, %s_A: a%d, %s_B: b%d, %s_C: c%d);\n", f, s->name, f, s->name, f, s->name, f);
    else fprintf(s->out, "SONDE_TAG(t%d, 0: a%d, 1: b%d, 5: c%d, 7:);\n", f, f, f, f);
    if (!is_first) fprintf(s->out, "    %s t%d;\n", tag, f);
}

/* ---- Sets */

static void (*const fields[])(struct set *) = {plain_number, annotated_number, bit_field, enumeration, fixed_array,
                                               text,         counted,          pointer,   inner,       tagged};

static void draw_struct(struct set *s)
{
    sonde_span(s->t, "struct");
    fprintf(s->out, "struct %s_%d {\n", s->name, s->n);
    sonde_list list = sonde_list_of(s->t, "fields", 1, MOST_FIELDS);
    while (sonde_more(&list)) sonde_element(s->t, "field", fields)(s);
    if (s->n == s->n_structs - 1 && sonde_bool(s->t, "flexible"))
        fprintf(s->out, "    unsigned short n_last;\n    %s last[] SONDE_COUNT(n_last, 0, 5);\n", number(s));
    fprintf(s->out, "};\n");
    s->n++;
}

static void draw_set(sonde *t, FILE *out, const char *name)
{
    struct set s = {.t = t, .out = out, .name = name, .n_structs = sonde_int(t, "structs", 1, MOST_STRUCTS)};
    fprintf(out, "enum %s_e { %s_A, %s_B = 5, %s_C = -3, %s_D = 5 };\n", name, name, name, name, name);
    for (int i = 0; i < s.n_structs; i++) fprintf(out, "struct %s_%d;\n", name, i);
    while (s.n < s.n_structs) draw_struct(&s);
    fprintf(out, "typedef struct %s_%d %s;\n", name, s.n - 1, name);
}

SONDE_PROPERTY(write_sets)
{
    static int n;
    char name[16];
    snprintf(name, sizeof name, "s%d", n++);
    FILE *out = fopen(getenv("SETS"), "ae");
    if (!out) return;
    draw_set(t, out, name);
    fclose(out);
}

SONDE_PROPERTY(each_set_holds)
{
    FILE *out = fopen("one.h", "we");
    sonde_check(t, out);
    fputs("#include \"before.h\"\n", out);
    draw_set(t, out, "s0");
    fclose(out);
    sonde_check(t, system(getenv("TRY")) == 0);
}

SONDE_MAIN()
