/* Chunks of Lua, for the programs that read them: each statement is right by itself and knows nothing of the others. */
#include "programs/program.h"

enum { DEEPEST = 4 };

static const char *const names[] = {"a", "b", "c", "d", "e", "f", "i", "self"};
static const char *const numbers[] = {
    "0",   "1",  "2", "3", "10", "-1", "0.5", "1e3", "0x10", "255", "1e308", "0x7fffffffffffffff", "0x8000000000000000",
    "3.0", "100"};
static const char *const strings[] = {"\"\"",   "\"a\"", "\"abc\"",     "\"%d\"",       "'%a+'",
                                      "\"10\"", "[[x]]", "\"\\n\"",     "\"%s %5.2f\"", "\"(%w+)\"",
                                      "\"n\"",  "\"k\"", "\"__index\"", "\"__add\""};
static const char *const binary[] = {"+",  "-", "*",  "/",   "//", "%", "^", "..", "==", "~=", "<",
                                     "<=", ">", ">=", "and", "or", "&", "|", "~",  "<<", ">>"};
static const char *const unary[] = {"-", "not ", "#", "~"};
static const char *const functions[] = {
    "tostring",     "tonumber",     "type",         "pairs",          "ipairs",         "next",
    "select",       "rawget",       "rawset",       "rawlen",         "rawequal",       "setmetatable",
    "getmetatable", "pcall",        "error",        "assert",         "string.format",  "string.rep",
    "string.sub",   "string.find",  "string.gsub",  "string.match",   "string.gmatch",  "string.byte",
    "string.char",  "string.upper", "string.len",   "string.reverse", "string.pack",    "string.unpack",
    "table.insert", "table.remove", "table.concat", "table.sort",     "table.unpack",   "table.pack",
    "table.move",   "math.floor",   "math.max",     "math.type",      "coroutine.wrap", "unpack"};
static const char *const methods[] = {"len", "sub", "rep", "format", "insert", "upper", "find", "get"};

static void expression(sonde *t, struct text *out, int depth);
static void block(sonde *t, struct text *out, int depth);

static void expressions(sonde *t, struct text *out, int depth, size_t min)
{
    sonde_list list = sonde_list_of(t, "expressions", min, 3);
    while (text_more(&list, out, ", ")) expression(t, out, depth);
}

static void function_body(sonde *t, struct text *out, int depth)
{
    text_add(out, "(");
    sonde_list parameters = sonde_list_of(t, "parameters", 0, 2);
    while (text_more(&parameters, out, ", ")) text_word(t, "name", out, names);
    if (sonde_chance(t, "has varargs", 0.1)) text_add(out, parameters.n ? ", ..." : "...");
    text_add(out, ") ");
    block(t, out, depth + 1);
    text_add(out, " end");
}

static void table(sonde *t, struct text *out, int depth)
{
    text_add(out, "{");
    sonde_list fields = sonde_list_of(t, "fields", 0, 3);
    while (sonde_more(&fields)) {
        size_t kind = sonde_pick(t, "field", 3);
        if (kind == 1) {
            text_word(t, "name", out, names);
            text_add(out, " = ");
        } else if (kind == 2) {
            text_add(out, "[");
            expression(t, out, depth + 1);
            text_add(out, "] = ");
        }
        expression(t, out, depth + 1);
        text_add(out, ", ");
    }
    text_add(out, "}");
}

static void variable(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "variable");
    text_word(t, "name", out, names);
    size_t kind = depth < DEEPEST ? sonde_weighted(t, "part", (unsigned[]){6, 1, 1}, 3) : 0;
    if (kind == 1) {
        text_add(out, ".");
        text_word(t, "name", out, names);
    } else if (kind == 2) {
        text_add(out, "[");
        expression(t, out, depth + 1);
        text_add(out, "]");
    }
}

static void call(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "call");
    size_t kind = sonde_pick(t, "callee", 3);
    if (kind == 0) {
        text_word(t, "function", out, functions);
    } else {
        variable(t, out, depth + 1);
        if (kind == 2) {
            text_add(out, ":");
            text_word(t, "method", out, methods);
        }
    }
    text_add(out, "(");
    expressions(t, out, depth + 1, 0);
    text_add(out, ")");
}

static void expression(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "expression");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 10 : 5)) {
    case 0: text_word(t, "number", out, numbers); break;
    case 1: text_word(t, "string", out, strings); break;
    case 2: variable(t, out, depth); break;
    case 3: text_add(out, "%s", (const char *[]){"nil", "true", "false"}[sonde_pick(t, "constant", 3)]); break;
    case 4: text_add(out, "{}"); break;
    case 5:
        text_add(out, "(");
        text_infix(t, "operator", out, binary, expression(t, out, depth + 1));
        text_add(out, ")");
        break;
    case 6:
        text_word(t, "operator", out, unary);
        expression(t, out, depth + 1);
        break;
    case 7: table(t, out, depth); break;
    case 8: call(t, out, depth); break;
    default: text_add(out, "function "); function_body(t, out, depth);
    }
}

static void loop(sonde *t, struct text *out, int depth)
{
    switch (sonde_pick(t, "loop", 4)) {
    case 0:
        text_add(out, "for ");
        text_word(t, "name", out, names);
        text_add(out, " = ");
        expressions(t, out, depth + 1, 2);
        break;
    case 1:
        text_add(out, "for ");
        text_word(t, "name", out, names);
        text_add(out, ", ");
        text_word(t, "name", out, names);
        text_add(out, " in ");
        expressions(t, out, depth + 1, 1);
        break;
    case 2:
        text_add(out, "while ");
        expression(t, out, depth + 1);
        break;
    default:
        text_add(out, "repeat ");
        block(t, out, depth + 1);
        text_add(out, " until ");
        expression(t, out, depth + 1);
        return;
    }
    text_add(out, " do ");
    block(t, out, depth + 1);
    text_add(out, " end");
}

static void statement(sonde *t, struct text *out, int depth)
{
    static const char *const attributes[] = {"", "", "", "<const>", "<close>"};
    sonde_span(t, "statement");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 10 : 4)) {
    case 0:
        text_add(out, "local ");
        text_word(t, "name", out, names);
        text_word(t, "attribute", out, attributes);
        text_add(out, " = ");
        expressions(t, out, depth + 1, 1);
        break;
    case 1:
        variable(t, out, depth + 1);
        text_add(out, " = ");
        expressions(t, out, depth + 1, 1);
        break;
    case 2: call(t, out, depth); break;
    case 3: text_add(out, "%s", (const char *[]){"break", "goto x", "::x::"}[sonde_pick(t, "jump", 3)]); break;
    case 4:
    case 5:
        text_add(out, "if ");
        expression(t, out, depth + 1);
        text_add(out, " then ");
        block(t, out, depth + 1);
        if (sonde_bool(t, "has else")) {
            text_add(out, " else ");
            block(t, out, depth + 1);
        }
        text_add(out, " end");
        break;
    case 6:
    case 7: loop(t, out, depth); break;
    case 8:
        text_add(out, "do ");
        block(t, out, depth + 1);
        text_add(out, " end");
        break;
    default:
        text_add(out, "local function ");
        text_word(t, "name", out, names);
        function_body(t, out, depth);
    }
}

static void block(sonde *t, struct text *out, int depth)
{
    sonde_list statements = sonde_list_of(t, "statements", depth == 0, 4);
    while (sonde_more(&statements)) {
        statement(t, out, depth);
        text_add(out, "; ");
    }
    if (sonde_chance(t, "returns", 0.2)) {
        text_add(out, "return ");
        expressions(t, out, depth + 1, 0);
    }
}

void program_generate(sonde *t, struct text *out)
{
    block(t, out, 0);
}
