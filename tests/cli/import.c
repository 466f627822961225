/* Generators that write a string as they draw, for --import (tests/cli/import.sh): JSON, expressions, XML, tables,
 * settings, and properties that it must not stumble over. Each is written as a user would write it, without a thought
 * of --import. */
#include <sonde.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Appends the string to a file, so that tests see which cases a search has run. */
static void tell(const sonde_text *text)
{
    const char *path = getenv("TEXTS");
    FILE *out = path ? fopen(path, "a") : NULL;
    if (!out) return;
    fprintf(out, "%s\n", text->at);
    fclose(out);
}

/* ---- JSON: a kind, lists by length, strings as they are */

static void put_json(sonde *t, sonde_text *out, int depth)
{
    static const char *const words[] = {"null", "true", "false"};
    enum { NUMBER, WORD, STRING, ARRAY, OBJECT };
    sonde_span(t, "value");
    size_t kind = sonde_pick(t, "kind", depth > 0 ? 5 : 3);
    if (kind == NUMBER) {
        sonde_put(t, out, "%lld", (long long)sonde_i64(t, "number", -1000000, 1000000));
    } else if (kind == WORD) {
        sonde_put(t, out, "%s", sonde_element(t, "word", words));
    } else if (kind == STRING) {
        sonde_put(t, out, "\"%s\"",
                  sonde_string_of(t, "text", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-.:/@", 0,
                                  60));
    } else {
        sonde_put(t, out, kind == ARRAY ? "[" : "{");
        sonde_list xs = sonde_list_of(t, "items", 0, 40);
        while (sonde_more(&xs)) {
            if (xs.i > 0) sonde_put(t, out, ",");
            if (kind == OBJECT)
                sonde_put(t, out, "\"%s\":", sonde_string_of(t, "key", "abcdefghijklmnopqrstuvwxyz_0123456789", 1, 20));
            put_json(t, out, depth - 1);
        }
        sonde_put(t, out, kind == ARRAY ? "]" : "}");
    }
}

static void json(sonde *t)
{
    sonde_text text = {0};
    put_json(t, &text, 8);
    tell(&text);
    sonde_check(t, strlen(text.at) == text.n);
}

/* Fails for one string. */
static void json_fails(sonde *t)
{
    sonde_text text = {0};
    put_json(t, &text, 8);
    sonde_check(t, !strstr(text.at, "\"forbidden\":true"));
}

/* ---- Expressions: precedence, brackets drawn or needed, continued by chance */

static void put_expression(sonde *t, sonde_text *out, int level, int depth);

static void put_factor(sonde *t, sonde_text *out, int depth)
{
    sonde_span(t, "factor");
    switch (sonde_weighted(t, "kind", (const unsigned[]){4, 3, depth > 0 ? 2 : 0, depth > 0 ? 1 : 0}, 4)) {
    case 0: sonde_put(t, out, "%d", sonde_int(t, "value", 0, 99999)); break;
    case 1: sonde_put(t, out, "%c", (int)('a' + sonde_pick(t, "name", 26))); break;
    case 2:
        sonde_put(t, out, "(");
        put_expression(t, out, 0, depth - 1);
        sonde_put(t, out, ")");
        break;
    default: sonde_put(t, out, "-"); put_factor(t, out, depth - 1);
    }
}

static void put_expression(sonde *t, sonde_text *out, int level, int depth)
{
    static const char *const operators[] = {"+-", "*/%"};
    sonde_span(t, level ? "term" : "sum");
    for (bool first = true; first || sonde_chance(t, "more", 0.4); first = false) {
        if (!first) sonde_put(t, out, "%c", operators[level][sonde_pick(t, "operator", strlen(operators[level]))]);
        if (level) put_factor(t, out, depth);
        else put_expression(t, out, 1, depth);
    }
}

static void arithmetic(sonde *t)
{
    sonde_text text = {0};
    put_expression(t, &text, 0, 20);
    tell(&text);
}

/* The same as a tree: an operator is drawn before its left side, brackets where the tree needs them. */
static void put_tree(sonde *t, sonde_text *out, int above, int depth)
{
    static const char operators[] = "+-*/";
    sonde_span(t, "tree");
    if (depth == 0 || !sonde_bool(t, "is_inner")) {
        sonde_put(t, out, "%d", sonde_int(t, "leaf", 0, 999));
        return;
    }
    size_t which = sonde_pick(t, "operator", 4);
    int mine = which < 2 ? 1 : 2;
    if (mine < above) sonde_put(t, out, "(");
    put_tree(t, out, mine, depth - 1);
    sonde_put(t, out, " %c ", operators[which]);
    put_tree(t, out, mine + 1, depth - 1);
    if (mine < above) sonde_put(t, out, ")");
}

static void tree(sonde *t)
{
    sonde_text text = {0};
    put_tree(t, &text, 0, 12);
    tell(&text);
}

/* ---- XML: names drawn once and written twice, attributes, character data and children mixed */

static void put_element(sonde *t, sonde_text *out, int depth)
{
    static const char *const names[] = {"a",    "p",     "b",   "div",  "span", "list",
                                        "item", "table", "row", "cell", "name", "title"};
    sonde_span(t, "element");
    const char *name = sonde_element(t, "name", names);
    sonde_put(t, out, "<%s", name);
    for (sonde_list xs = sonde_list_of(t, "attributes", 0, 5); sonde_more(&xs);) {
        const char *key = sonde_string_of(t, "key", "abcdefghijklmnopqrstuvwxyz-", 1, 10);
        sonde_put(t, out, " %s=\"%s\"", key, sonde_string(t, "value", 0, 30));
    }
    if (depth == 0 || sonde_chance(t, "is_empty", 0.2)) {
        sonde_put(t, out, "/>");
        return;
    }
    sonde_put(t, out, ">");
    while (sonde_chance(t, "more", 0.6)) {
        if (sonde_bool(t, "is_text")) sonde_put(t, out, "%s", sonde_regex(t, "text", "[a-zA-Z0-9 .,!?\n]{1,40}"));
        else put_element(t, out, depth - 1);
    }
    sonde_put(t, out, "</%s>", name);
}

static void xml(sonde *t)
{
    sonde_text text = {0};
    put_element(t, &text, 8);
    tell(&text);
}

/* ---- A table: counts first, which are written; columns of several types */

static void table(sonde *t)
{
    sonde_text text = {0};
    int rows = sonde_int(t, "rows", 0, 200), columns = sonde_int(t, "columns", 1, 12);
    sonde_put(t, &text, "%d,%d\n", rows, columns);
    for (int i = 0; i < rows; i++) {
        sonde_span(t, "row");
        for (int j = 0; j < columns; j++) {
            if (j > 0) sonde_put(t, &text, ",");
            switch (sonde_pick(t, "type", 4)) {
            case 0: break;
            case 1: sonde_put(t, &text, "%d", sonde_int(t, "number", INT_MIN, INT_MAX)); break;
            case 2: sonde_put(t, &text, "%g", sonde_double(t, "real", -1e6, 1e6)); break;
            default:
                sonde_put(t, &text, "\"%s\"",
                          sonde_string_of(t, "word", "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ.", 0, 30));
            }
        }
        sonde_put(t, &text, "\n");
    }
}

/* Counts that are not written: a loop over a plain number. */
static void hidden_counts(sonde *t)
{
    sonde_text text = {0};
    int n = sonde_int(t, "n", 0, 100);
    for (int i = 0; i < n; i++) {
        int m = sonde_int(t, "m", 0, 100);
        for (int j = 0; j < m; j++) sonde_put(t, &text, "%s%d", j ? " " : "", sonde_int(t, "x", 0, 999));
        sonde_put(t, &text, ";");
    }
}

/* ---- Settings: sections, keys, values of several types, comments */

static void settings(sonde *t)
{
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    static const char *const truths[] = {"on", "off", "yes", "no", "true", "false"};
    sonde_text text = {0};
    for (sonde_list sections = sonde_list_of(t, "sections", 0, 20); sonde_more(&sections);) {
        sonde_put(t, &text, "[%s]\n", sonde_string_of(t, "section", name, 1, 20));
        for (sonde_list lines = sonde_list_of(t, "lines", 0, 30); sonde_more(&lines);) {
            if (sonde_chance(t, "is_comment", 0.1)) {
                sonde_put(t, &text, "# %s\n", sonde_string(t, "comment", 0, 60));
                continue;
            }
            sonde_put(t, &text, "%s = ", sonde_string_of(t, "key", name, 1, 20));
            switch (sonde_pick(t, "type", 4)) {
            case 0: sonde_put(t, &text, "%d\n", sonde_int(t, "number", -100000, 100000)); break;
            case 1: sonde_put(t, &text, "%s\n", sonde_element(t, "truth", truths)); break;
            case 2: sonde_put(t, &text, "%s\n", sonde_string(t, "value", 1, 40)); break;
            default: sonde_put(t, &text, "0x%x\n", sonde_u32(t, "hex", 0, 0xffffff));
            }
        }
    }
}

/* ---- S-expressions: white space drawn, comments, quotes, escapes in strings */

static void put_space(sonde *t, sonde_text *out)
{
    static const char *const spaces[] = {" ", "\n", "\n  ", "\n    "};
    sonde_put(t, out, "%s", sonde_element(t, "space", spaces));
}

static void put_lisp(sonde *t, sonde_text *out, int depth)
{
    static const char *const symbols[] = {"define", "lambda", "if", "let", "cons", "car",
                                          "cdr",    "+",      "-",  "*",   "=",    "<"};
    sonde_span(t, "form");
    if (sonde_chance(t, "is_quoted", 0.1)) sonde_put(t, out, "'");
    switch (sonde_pick(t, "kind", depth > 0 ? 5 : 4)) {
    case 0: sonde_put(t, out, "%d", sonde_int(t, "integer", -9999, 9999)); break;
    case 1: sonde_put(t, out, "%s", sonde_element(t, "symbol", symbols)); break;
    case 2: sonde_put(t, out, "%s", sonde_regex(t, "name", "[a-z][a-z0-9-]{0,11}[?!]?")); break;
    case 3:
        sonde_put(t, out, "\"");
        for (sonde_list cs = sonde_list_of(t, "characters", 0, 30); sonde_more(&cs);) {
            char c = (char)sonde_int(t, "character", ' ', '~');
            sonde_put(t, out, c == '"' || c == '\\' ? "\\%c" : "%c", c);
        }
        sonde_put(t, out, "\"");
        break;
    default:
        sonde_put(t, out, "(");
        for (sonde_list xs = sonde_list_of(t, "forms", 0, 12); sonde_more(&xs);) {
            if (xs.i > 0) put_space(t, out);
            put_lisp(t, out, depth - 1);
        }
        sonde_put(t, out, ")");
    }
}

static void lisp(sonde *t)
{
    sonde_text text = {0};
    put_lisp(t, &text, 10);
    tell(&text);
}

/* ---- A small language: declarations, statements, calls, blocks indented by their depth */

static void put_name(sonde *t, sonde_text *out)
{
    sonde_put(t, out, "%s", sonde_string_of(t, "name", "abcdefghijklmnopqrstuvwxyz_", 1, 8));
}

static void put_value(sonde *t, sonde_text *out, int depth)
{
    static const char *const operators[] = {"+", "-", "*", "/", "<", "==", "&&"};
    sonde_span(t, "value");
    switch (sonde_weighted(t, "kind", (const unsigned[]){3, 3, depth > 0 ? 2 : 0, depth > 0 ? 2 : 0}, 4)) {
    case 0: sonde_put(t, out, "%d", sonde_int(t, "number", 0, 1000)); break;
    case 1: put_name(t, out); break;
    case 2:
        put_name(t, out);
        sonde_put(t, out, "(");
        for (sonde_list xs = sonde_list_of(t, "arguments", 0, 4); sonde_more(&xs);) {
            if (xs.i > 0) sonde_put(t, out, ", ");
            put_value(t, out, depth - 1);
        }
        sonde_put(t, out, ")");
        break;
    default:
        sonde_put(t, out, "(");
        put_value(t, out, depth - 1);
        sonde_put(t, out, " %s ", sonde_element(t, "operator", operators));
        put_value(t, out, depth - 1);
        sonde_put(t, out, ")");
    }
}

static void put_block(sonde *t, sonde_text *out, int indent);

static void put_statement(sonde *t, sonde_text *out, int indent)
{
    static const char *const types[] = {"int", "char", "long"};
    sonde_span(t, "statement");
    sonde_put(t, out, "%*s", 4 * indent, "");
    size_t kind = sonde_pick(t, "kind", indent < 4 ? 5 : 3);
    if (kind == 0) {
        sonde_put(t, out, "return ");
        put_value(t, out, 3);
        sonde_put(t, out, ";\n");
    } else if (kind == 1) {
        sonde_put(t, out, "%s ", sonde_element(t, "type", types));
        put_name(t, out);
        if (sonde_bool(t, "is_set")) {
            sonde_put(t, out, " = ");
            put_value(t, out, 3);
        }
        sonde_put(t, out, ";\n");
    } else if (kind == 2) {
        put_name(t, out);
        sonde_put(t, out, " = ");
        put_value(t, out, 3);
        sonde_put(t, out, ";\n");
    } else {
        sonde_put(t, out, kind == 3 ? "if (" : "while (");
        put_value(t, out, 2);
        sonde_put(t, out, ") ");
        put_block(t, out, indent);
        if (kind == 3 && sonde_chance(t, "has_else", 0.3)) {
            sonde_put(t, out, "%*selse ", 4 * indent, "");
            put_block(t, out, indent);
        }
    }
}

static void put_block(sonde *t, sonde_text *out, int indent)
{
    sonde_put(t, out, "{\n");
    for (sonde_list xs = sonde_list_of(t, "statements", 0, 10); sonde_more(&xs);) put_statement(t, out, indent + 1);
    sonde_put(t, out, "%*s}\n", 4 * indent, "");
}

static void language(sonde *t)
{
    sonde_text text = {0};
    for (sonde_list fs = sonde_list_of(t, "functions", 1, 8); sonde_more(&fs);) {
        sonde_put(t, &text, "int ");
        put_name(t, &text);
        sonde_put(t, &text, "(");
        for (sonde_list xs = sonde_list_of(t, "parameters", 0, 3); sonde_more(&xs);) {
            sonde_put(t, &text, "%sint ", xs.i ? ", " : "");
            put_name(t, &text);
        }
        sonde_put(t, &text, ") ");
        put_block(t, &text, 0);
    }
}

/* ---- Properties that must not end a run */

static void silent(sonde *t)
{
    (void)sonde_int(t, "x", 0, 1000000);
}

/* Dies while it writes. */
static void crashes(sonde *t)
{
    sonde_text text = {0};
    for (sonde_list xs = sonde_list_of(t, "xs", 1, 9); sonde_more(&xs);)
        sonde_put(t, &text, "%d.", sonde_int(t, "x", 0, 9));
    if (strstr(text.at, "6.6.6.")) abort();
}

/* The second string does not count. */
static void two_texts(sonde *t)
{
    sonde_text text = {0}, other = {0};
    sonde_put(t, &text, "%d", sonde_int(t, "x", 0, 9));
    sonde_put(t, &other, "%d", sonde_int(t, "y", 0, 9));
    sonde_put(t, &text, "%d", sonde_int(t, "z", 0, 9));
    sonde_check(t, text.n == 2 && other.n == 1);
}

static void only_some(sonde *t)
{
    sonde_text text = {0};
    int x = sonde_int(t, "x", 0, 999);
    sonde_put(t, &text, "%d", x);
    sonde_assume(t, x % 2 == 0);
}

/* Never ends after a string that it can write. */
static void endless(sonde *t)
{
    sonde_text text = {0};
    int x = sonde_int(t, "x", 0, 999);
    sonde_put(t, &text, "%d", x);
    while (x == 7) sonde_bool(t, "more");
}

SONDE_MAIN(json, json_fails, arithmetic, tree, xml, table, hidden_counts, settings, lisp, language, silent, crashes,
           two_texts, only_some, endless)
