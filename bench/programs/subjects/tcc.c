/* P7: C in tcc. Valid: it compiles, to memory. */
#include "programs/program.h"

#include "libtcc.h"

enum { DEEPEST = 4 };

static const char *const types[] = {"int ",  "char ",     "unsigned ", "long ",   "double ", "float ",   "short ",
                                    "void ", "struct s ", "int *",     "char **", "T ",      "union u ", "long long "};
static const char *const names[] = {"a", "b", "c", "f", "g", "x", "main", "T"};
static const char *const literals[] = {"0",       "1",           "-1",   "1.5",     "'a'",
                                       "\"abc\"", "0xffffffffu", "1.0f", "100000L", "sizeof(int)"};
static const char *const binary[] = {"+",  "-", "*", "/",  "%",  "==", "<",  ">=", "&&",
                                     "||", "&", "|", "<<", ">>", "=",  "+=", ","};
static const char *const unary[] = {"-", "!", "~", "*", "&", "++", "--", "(int)", "(char *)", "sizeof "};

static void expression(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "expression");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 8 : 2)) {
    case 0: text_word(t, "name", out, names); break;
    case 1: text_word(t, "literal", out, literals); break;
    case 2:
    case 3:
        text_add(out, "(");
        text_infix(t, "operator", out, binary, expression(t, out, depth + 1));
        text_add(out, ")");
        break;
    case 4:
        text_word(t, "operator", out, unary);
        expression(t, out, depth + 1);
        break;
    case 5:
        text_word(t, "name", out, names);
        text_add(out, "(");
        expression(t, out, depth + 1);
        text_add(out, ")");
        break;
    case 6:
        text_word(t, "name", out, names);
        text_add(out, sonde_bool(t, "is pointer") ? "->" : ".");
        text_word(t, "name", out, names);
        break;
    default:
        text_word(t, "name", out, names);
        text_add(out, "[");
        expression(t, out, depth + 1);
        text_add(out, "]");
    }
}

static void declaration(sonde *t, struct text *out, int depth)
{
    static const char *const shapes[] = {"", "", "[4]", "[2][3]", ":3"};
    text_word(t, "type", out, types);
    text_word(t, "name", out, names);
    text_word(t, "shape", out, shapes);
    if (depth > 0 && sonde_bool(t, "has value")) {
        text_add(out, " = ");
        expression(t, out, depth);
    }
    text_add(out, "; ");
}

static void statement(sonde *t, struct text *out, int depth);

static void block(sonde *t, struct text *out, int depth)
{
    text_add(out, "{ ");
    sonde_list list = sonde_list_of(t, "statements", 0, 3);
    while (sonde_more(&list)) statement(t, out, depth + 1);
    text_add(out, "} ");
}

static void statement(sonde *t, struct text *out, int depth)
{
    static const char *const jumps[] = {"break; ", "continue; ", "return; ",   "goto l; ",
                                        "l: ; ",   "; ",         "case 1: ; ", "default: ; "};
    static const char *const heads[] = {"if (", "while (", "switch (", "for (;;"};
    sonde_span(t, "statement");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 6 : 4)) {
    case 0:
        expression(t, out, 1);
        text_add(out, "; ");
        break;
    case 1: declaration(t, out, 1); break;
    case 2:
        text_add(out, "return ");
        expression(t, out, 1);
        text_add(out, "; ");
        break;
    case 3: text_word(t, "jump", out, jumps); break;
    default:
        text_word(t, "head", out, heads);
        expression(t, out, 1);
        text_add(out, ") ");
        block(t, out, depth);
    }
}

static void definition(sonde *t, struct text *out)
{
    sonde_span(t, "definition");
    switch (sonde_pick(t, "kind", 4)) {
    case 0: declaration(t, out, 1); break;
    case 1: {
        text_add(out, sonde_bool(t, "is union") ? "union u { " : "struct s { ");
        sonde_list fields = sonde_list_of(t, "fields", 0, 3);
        while (sonde_more(&fields)) declaration(t, out, 0);
        text_add(out, "}; ");
        break;
    }
    case 2:
        text_add(out, "typedef ");
        declaration(t, out, 0);
        break;
    default:
        text_word(t, "type", out, types);
        text_word(t, "name", out, names);
        text_add(out, "(");
        if (sonde_bool(t, "has parameter")) {
            text_word(t, "type", out, types);
            text_word(t, "name", out, names);
        }
        text_add(out, ") ");
        block(t, out, 0);
    }
    text_add(out, "\n");
}

void program_generate(sonde *t, struct text *out)
{
    sonde_list list = sonde_list_of(t, "definitions", 1, 4);
    while (sonde_more(&list)) definition(t, out);
}

/* ---- Running one */

static void say_nothing(void *user, const char *message)
{
    (void)user;
    (void)message;
}

void program_start(void) {}

bool program_run(const char *text, size_t n)
{
    (void)n;
    TCCState *tcc = tcc_new();
    if (!tcc) return false;
    tcc_set_error_func(tcc, NULL, say_nothing);
    tcc_set_options(tcc, "-nostdinc -nostdlib");
    tcc_set_output_type(tcc, TCC_OUTPUT_MEMORY);
    bool is_valid = tcc_compile_string(tcc, text) == 0;
    tcc_delete(tcc);
    return is_valid;
}
