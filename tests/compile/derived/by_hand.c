/* The code that SONDE_DERIVE saves: the type of examples/17_derive.c with its generator, printer, equality and order
 * written by hand, and the claim that the derived ones agree with them. */
#include <sonde.h>
#include <sonde/derive.h>
#include <string.h>

enum kind { NUMBER, TEXT, LIST };

struct value {
    enum kind kind;
    union {
        long number;
        char *text SONDE_TEXT(0, 20);
        struct {
            size_t n;
            struct value *items SONDE_COUNT(n, 0, 5);
        } list;
    } as SONDE_TAG(kind, NUMBER : number, TEXT : text, LIST : list);
};

/* ---- By hand */

static void hand_draw(sonde *t, struct value *v, int depth)
{
    sonde_span(t, "value");
    v->kind = (enum kind)sonde_int(t, "kind", NUMBER, depth > 0 ? LIST : TEXT);
    switch (v->kind) {
    case NUMBER: v->as.number = sonde_i64(t, "number", INT64_MIN, INT64_MAX); break;
    case TEXT: v->as.text = sonde_string(t, "text", 0, 20); break;
    case LIST: {
        sonde_list items = sonde_list_of(t, "items", 0, 5);
        v->as.list.n = items.n;
        v->as.list.items = sonde_alloc(t, items.n * sizeof *v->as.list.items);
        while (sonde_more(&items)) hand_draw(t, &v->as.list.items[items.i], depth - 1);
        break;
    }
    }
}

static void hand_print_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void hand_print(FILE *out, const void *what)
{
    static const char *const kinds[] = {"NUMBER", "TEXT", "LIST"};
    const struct value *v = what;
    fprintf(out, "{.kind = %s, .as = {", kinds[v->kind]);
    switch (v->kind) {
    case NUMBER: fprintf(out, ".number = %ld", v->as.number); break;
    case TEXT:
        fputs(".text = ", out);
        hand_print_text(out, v->as.text);
        break;
    case LIST:
        fprintf(out, ".list = {.n = %zu, .items = {", v->as.list.n);
        for (size_t i = 0; i < v->as.list.n; i++) {
            if (i > 0) fputs(", ", out);
            hand_print(out, &v->as.list.items[i]);
        }
        fputs("}}", out);
    }
    fputs("}}", out);
}

static int hand_order(const struct value *a, const struct value *b)
{
    int order = (a->kind > b->kind) - (a->kind < b->kind);
    if (order != 0) return order;
    switch (a->kind) {
    case NUMBER: return (a->as.number > b->as.number) - (a->as.number < b->as.number);
    case TEXT: order = strcmp(a->as.text, b->as.text); return (order > 0) - (order < 0);
    case LIST:
        if (a->as.list.n != b->as.list.n) return a->as.list.n > b->as.list.n ? 1 : -1;
        for (size_t i = 0; i < a->as.list.n && order == 0; i++)
            order = hand_order(&a->as.list.items[i], &b->as.list.items[i]);
    }
    return order;
}

static bool hand_same(const struct value *a, const struct value *b)
{
    return hand_order(a, b) == 0;
}

/* ---- Derived */

SONDE_DERIVE(struct value, value);

static const char *text_of(char *buffer, size_t size, void (*print)(FILE *, const void *), const struct value *v)
{
    FILE *out = tmpfile();
    print(out, v);
    rewind(out);
    buffer[fread(buffer, 1, size - 1, out)] = 0;
    fclose(out);
    return buffer;
}

static void agree(sonde *t, const struct value *a, const struct value *b)
{
    static char one[1 << 20], other[1 << 20];
    sonde_check_eq(t, order_value(a, b), hand_order(a, b));
    sonde_check_eq(t, same_value(a, b), hand_same(a, b));
    sonde_check_eq(t, text_of(one, sizeof one, print_value, a), text_of(other, sizeof other, hand_print, a));
}

SONDE_PROPERTY(agree_on_what_is_derived)
{
    agree(t, draw_value(t, "a"), draw_value(t, "b"));
}
SONDE_PROPERTY(agree_on_what_is_not)
{
    struct value a, b;
    hand_draw(t, &a, 3);
    hand_draw(t, &b, 3);
    agree(t, &a, &b);
}

SONDE_MAIN()
