/* P8: WebAssembly (.wat) in wabt. The generator; wasm_run.cc runs one. Bodies of functions are lists of operations that
 * know nothing of the stack. */
#include "programs/program.h"

enum { DEEPEST = 3 };

static const char *const types[] = {"i32", "i64", "f32", "f64"};
static const char *const variables[] = {"0", "1", "2", "$x", "$y"};
static const char *const plain[] = {"nop",
                                    "drop",
                                    "select",
                                    "return",
                                    "unreachable",
                                    "i32.add",
                                    "i32.sub",
                                    "i32.mul",
                                    "i32.div_s",
                                    "i32.and",
                                    "i32.shl",
                                    "i32.eqz",
                                    "i32.eq",
                                    "i32.lt_s",
                                    "i64.add",
                                    "i64.mul",
                                    "i64.eqz",
                                    "i64.ge_u",
                                    "i64.rotl",
                                    "f32.add",
                                    "f32.neg",
                                    "f32.lt",
                                    "f32.sqrt",
                                    "f64.add",
                                    "f64.div",
                                    "f64.abs",
                                    "f64.eq",
                                    "i32.wrap_i64",
                                    "i64.extend_i32_s",
                                    "f32.convert_i32_s",
                                    "f64.promote_f32",
                                    "i32.trunc_f64_s",
                                    "i32.reinterpret_f32",
                                    "i32.extend8_s",
                                    "memory.size",
                                    "memory.grow",
                                    "memory.copy",
                                    "memory.fill",
                                    "ref.is_null",
                                    "i32.clz"};
static const char *const memory[] = {"i32.load",  "i64.load",  "f32.load",  "f64.load",   "i32.load8_u", "i64.load16_s",
                                     "i32.store", "i64.store", "f64.store", "i32.store8", "i64.store32"};
static const char *const offsets[] = {"", "", " offset=4", " align=1", " align=8", " offset=8 align=2"};
static const char *const numbers[] = {"0", "1", "-1", "42", "0x7fffffff", "1000000", "1.5", "nan"};
static const char *const indexed[] = {"local.get",    "local.set",   "local.tee", "global.get",
                                      "global.set",   "call",        "br",        "br_if",
                                      "ref.func",     "table.get",   "table.set", "call_indirect (type 0)",
                                      "br_table 0 1", "memory.init", "data.drop", "elem.drop"};

static void body(sonde *t, struct text *out, int depth);

static void result(sonde *t, struct text *out)
{
    if (!sonde_bool(t, "has result")) return;
    text_add(out, " (result ");
    text_word(t, "type", out, types);
    text_add(out, ")");
}

static void operation(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "operation");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 7 : 4)) {
    case 0:
        text_word(t, "type", out, types);
        text_add(out, ".const ");
        text_word(t, "number", out, numbers);
        break;
    case 1: text_word(t, "plain", out, plain); break;
    case 2:
        text_word(t, "indexed", out, indexed);
        text_add(out, " ");
        text_word(t, "variable", out, variables);
        break;
    case 3:
        text_word(t, "access", out, memory);
        text_word(t, "offset", out, offsets);
        break;
    case 4:
    case 5:
        text_add(out, sonde_bool(t, "is loop") ? "loop" : "block");
        if (sonde_chance(t, "has label", 0.2)) text_add(out, " $x");
        result(t, out);
        text_add(out, "\n");
        body(t, out, depth + 1);
        text_add(out, "end");
        break;
    default:
        text_add(out, "if");
        result(t, out);
        text_add(out, "\n");
        body(t, out, depth + 1);
        if (sonde_bool(t, "has else")) {
            text_add(out, "else\n");
            body(t, out, depth + 1);
        }
        text_add(out, "end");
    }
    text_add(out, "\n");
}

static void body(sonde *t, struct text *out, int depth)
{
    sonde_list operations = sonde_list_of(t, "operations", 0, 6);
    while (sonde_more(&operations)) operation(t, out, depth);
}

static void list_of_types(sonde *t, struct text *out, const char *what, size_t max)
{
    sonde_list list = sonde_list_of(t, what, 0, max);
    while (sonde_more(&list)) {
        text_add(out, " (%s ", what);
        text_word(t, "type", out, types);
        text_add(out, ")");
    }
}

static void function(sonde *t, struct text *out)
{
    text_add(out, "(func");
    if (sonde_chance(t, "has name", 0.3)) {
        text_add(out, " ");
        text_add(out, "%s", sonde_bool(t, "name") ? "$y" : "$x");
    }
    if (sonde_chance(t, "is exported", 0.2)) text_add(out, " (export \"f\")");
    list_of_types(t, out, "param", 2);
    list_of_types(t, out, "result", 1);
    list_of_types(t, out, "local", 2);
    text_add(out, "\n");
    body(t, out, 0);
    text_add(out, ")\n");
}

static void field(sonde *t, struct text *out)
{
    static const char *const others[] = {"(memory 1)",
                                         "(memory 1 2)",
                                         "(table 2 funcref)",
                                         "(start 0)",
                                         "(export \"m\" (memory 0))",
                                         "(export \"g\" (global 0))",
                                         "(data (i32.const 0) \"abc\")",
                                         "(elem (i32.const 0) 0)",
                                         "(type (func (param i32)))",
                                         "(type (func (result i64)))",
                                         "(import \"a\" \"b\" (func (param i32)))",
                                         "(elem func 0)"};
    sonde_span(t, "field");
    size_t kind = sonde_weighted(t, "field", (unsigned[]){4, 2, 1}, 3);
    if (kind == 0) {
        function(t, out);
    } else if (kind == 1) {
        text_word(t, "other", out, others);
        text_add(out, "\n");
    } else {
        bool is_mutable = sonde_bool(t, "is mutable");
        text_add(out, "(global %s", is_mutable ? "(mut " : "");
        text_word(t, "type", out, types);
        text_add(out, "%s (", is_mutable ? ")" : "");
        text_word(t, "type", out, types);
        text_add(out, ".const ");
        text_word(t, "number", out, numbers);
        text_add(out, "))\n");
    }
}

void program_generate(sonde *t, struct text *out)
{
    text_add(out, "(module\n");
    sonde_list fields = sonde_list_of(t, "fields", 1, 5);
    while (sonde_more(&fields)) field(t, out);
    text_add(out, ")\n");
}
