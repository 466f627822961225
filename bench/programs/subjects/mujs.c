/* P4: JavaScript in mujs, compiled and not run: nothing could interrupt it. Valid: it compiles. */
#include "programs/program.h"

#include "mujs.h"

enum { DEEPEST = 5 };

static const char *const names[] = {"a", "b", "c", "f", "x", "arguments", "eval", "undefined"};
static const char *const literals[] = {"0",    "1",    "-1",   "1.5",  "1e3", "0x10", "'a'", "\"use strict\"", "true",
                                       "null", "this", "/a/g", "/(a/", "[]",  "{}",   "''",  "/[z-a]/"};
static const char *const binary[] = {"+",  "-", "*", "/", "%",  "==",  "===", "!=",         "<", ">=", "&&",
                                     "||", "&", "|", "^", "<<", ">>>", "in",  "instanceof", ",", "=",  "+="};
static const char *const unary[] = {"!", "-", "~", "typeof ", "void ", "delete ", "++", "--", "new "};

static void expression(sonde *t, struct text *out, int depth);
static void statement(sonde *t, struct text *out, int depth);

static void arguments(sonde *t, struct text *out, int depth)
{
    sonde_list list = sonde_list_of(t, "arguments", 0, 2);
    while (text_more(&list, out, ", ")) expression(t, out, depth + 1);
}

static void function(sonde *t, struct text *out, int depth)
{
    text_add(out, "function ");
    text_word(t, "name", out, names);
    text_add(out, "(");
    sonde_list parameters = sonde_list_of(t, "parameters", 0, 2);
    while (text_more(&parameters, out, ", ")) text_word(t, "name", out, names);
    text_add(out, ") {");
    sonde_list body = sonde_list_of(t, "statements", 0, 3);
    while (sonde_more(&body)) statement(t, out, depth + 1);
    text_add(out, "}");
}

static void object(sonde *t, struct text *out, int depth)
{
    static const char *const keys[] = {"a: ", "'b': ", "1: ", "get c() {}, d: ", "set c(x) {}, d: ", "get: "};
    text_add(out, "({");
    sonde_list list = sonde_list_of(t, "fields", 0, 3);
    while (sonde_more(&list)) {
        text_word(t, "key", out, keys);
        expression(t, out, depth + 1);
        text_add(out, ", ");
    }
    text_add(out, "})");
}

static void expression(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "expression");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 10 : 2)) {
    case 0: text_word(t, "name", out, names); break;
    case 1: text_word(t, "literal", out, literals); break;
    case 2:
    case 3: text_infix(t, "operator", out, binary, expression(t, out, depth + 1)); break;
    case 4:
        text_word(t, "operator", out, unary);
        expression(t, out, depth + 1);
        break;
    case 5:
        expression(t, out, depth + 1);
        text_add(out, "(");
        arguments(t, out, depth);
        text_add(out, ")");
        break;
    case 6:
        expression(t, out, depth + 1);
        text_add(out, ".");
        text_word(t, "name", out, names);
        break;
    case 7:
        text_add(out, "(");
        expression(t, out, depth + 1);
        text_add(out, " ? ");
        expression(t, out, depth + 1);
        text_add(out, " : ");
        expression(t, out, depth + 1);
        text_add(out, ")");
        break;
    case 8: object(t, out, depth); break;
    default:
        text_add(out, "(");
        function(t, out, depth + 1);
        text_add(out, ")");
    }
}

static void block(sonde *t, struct text *out, int depth)
{
    text_add(out, "{ ");
    sonde_list list = sonde_list_of(t, "statements", 0, 3);
    while (sonde_more(&list)) statement(t, out, depth + 1);
    text_add(out, "} ");
}

/* A statement that begins with words, and has an expression in brackets, and a block. */
static void compound(sonde *t, struct text *out, int depth)
{
    static const char *const heads[] = {"if (",
                                        "while (",
                                        "with (",
                                        "for (;;",
                                        "for (var a in ",
                                        "x: for (a = 0;;",
                                        "for (a in ",
                                        "switch (a) { case (",
                                        "switch (a) { default: ("};
    size_t head = sonde_pick(t, "head", sizeof heads / sizeof *heads);
    text_add(out, "%s", heads[head]);
    expression(t, out, depth + 1);
    text_add(out, head == 7 ? "): " : ") ");
    block(t, out, depth);
    if (head >= 7) text_add(out, "} ");
    if (head == 0 && sonde_bool(t, "has else")) {
        text_add(out, "else ");
        block(t, out, depth);
    }
}

static void statement(sonde *t, struct text *out, int depth)
{
    static const char *const jumps[] = {"break; ",      "continue; ", "return; ", "break x; ",
                                        "continue x; ", "debugger; ", "; "};
    sonde_span(t, "statement");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 7 : 3)) {
    case 0:
        expression(t, out, depth + 1);
        text_add(out, "; ");
        break;
    case 1:
        text_add(out, "var ");
        text_word(t, "name", out, names);
        text_add(out, " = ");
        expression(t, out, depth + 1);
        text_add(out, "; ");
        break;
    case 2: text_word(t, "jump", out, jumps); break;
    case 3:
    case 4: compound(t, out, depth); break;
    case 5:
        text_add(out, "try ");
        block(t, out, depth);
        text_add(out, sonde_bool(t, "has finally") ? "finally " : "catch (e) ");
        block(t, out, depth);
        break;
    default: function(t, out, depth); text_add(out, " ");
    }
}

void program_generate(sonde *t, struct text *out)
{
    sonde_list list = sonde_list_of(t, "statements", 1, 4);
    while (sonde_more(&list)) statement(t, out, 0);
}

/* ---- Running one */

static void say_nothing(js_State *js, const char *message)
{
    (void)js;
    (void)message;
}

void program_start(void) {}

bool program_run(const char *text, size_t n)
{
    (void)n;
    js_State *js = js_newstate(NULL, NULL, 0);
    if (!js) return false;
    js_setreport(js, say_nothing);
    bool is_valid = js_ploadstring(js, "text", text) == 0;
    js_freestate(js);
    return is_valid;
}
