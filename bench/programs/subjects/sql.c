/* P5: SQL in sqlite, on an empty database in memory. Valid: every statement is carried out. */
#include "programs/program.h"

#include "sqlite3.h"

enum { DEEPEST = 4, STEPS = 20000 };

static const char *const tables[] = {"t1", "t2", "t3", "main.t1"};
static const char *const columns[] = {"a", "b", "c", "d", "rowid", "t1.a", "t2.d", "x"};
static const char *const names[] = {"a", "b", "c", "d", "x"};
static const char *const objects[] = {"t1", "t2", "t3", "i1", "i2"};
static const char *const literals[] = {"0",
                                       "1",
                                       "-1",
                                       "2.5",
                                       "'a'",
                                       "'abc'",
                                       "NULL",
                                       "x'00ff'",
                                       "1e10",
                                       "''",
                                       "10",
                                       "'%a%'",
                                       "9223372036854775807",
                                       "CURRENT_DATE"};
static const char *const binary[] = {"+",  "-",   "*",  "/", "%", "||", "=",    "<>", "<",      "<=",   ">",
                                     ">=", "AND", "OR", "&", "|", "<<", "LIKE", "IS", "IS NOT", "GLOB", "IN"};
static const char *const functions[] = {"abs",    "count",        "sum",       "max",      "min",    "length",
                                        "lower",  "substr",       "typeof",    "avg",      "total",  "hex",
                                        "round",  "instr",        "nullif",    "coalesce", "random", "json",
                                        "printf", "group_concat", "row_number"};
static const char *const types[] = {"", "INTEGER", "TEXT", "REAL", "BLOB", "INTEGER PRIMARY KEY"};
static const char *const collations[] = {"BINARY", "NOCASE", "RTRIM", "x"};

static void expression(sonde *t, struct text *out, int depth);
static void select(sonde *t, struct text *out, int depth);

static void expressions(sonde *t, struct text *out, int depth)
{
    sonde_list list = sonde_list_of(t, "expressions", 1, 3);
    while (text_more(&list, out, ", ")) expression(t, out, depth + 1);
}

static void call(sonde *t, struct text *out, int depth)
{
    text_word(t, "function", out, functions);
    text_add(out, "(");
    size_t kind = sonde_pick(t, "arguments", 3);
    if (kind == 1) text_add(out, "*");
    if (kind == 2) text_add(out, "DISTINCT ");
    if (kind != 1) expressions(t, out, depth);
    text_add(out, ")");
    if (sonde_chance(t, "has window", 0.1)) {
        text_add(out, " OVER (ORDER BY ");
        expression(t, out, depth + 1);
        text_add(out, ")");
    }
}

static void expression(sonde *t, struct text *out, int depth)
{
    sonde_span(t, "expression");
    switch (sonde_pick(t, "kind", depth < DEEPEST ? 9 : 2)) {
    case 0: text_word(t, "column", out, columns); break;
    case 1: text_word(t, "literal", out, literals); break;
    case 2:
    case 3:
        text_add(out, "(");
        text_infix(t, "operator", out, binary, expression(t, out, depth + 1));
        text_add(out, ")");
        break;
    case 4: call(t, out, depth); break;
    case 5:
        text_add(out, "CASE WHEN ");
        expression(t, out, depth + 1);
        text_add(out, " THEN ");
        expression(t, out, depth + 1);
        text_add(out, " ELSE ");
        expression(t, out, depth + 1);
        text_add(out, " END");
        break;
    case 6:
        text_add(out, sonde_bool(t, "is exists") ? "EXISTS (" : "(");
        select(t, out, depth + 1);
        text_add(out, ")");
        break;
    case 7:
        expression(t, out, depth + 1);
        text_add(out, " COLLATE ");
        text_word(t, "collation", out, collations);
        break;
    default:
        expression(t, out, depth + 1);
        text_add(out, " BETWEEN ");
        expression(t, out, depth + 1);
        text_add(out, " AND ");
        expression(t, out, depth + 1);
    }
}

static void clause(sonde *t, struct text *out, const char *words, int depth)
{
    if (!sonde_chance(t, words, 0.3)) return;
    text_add(out, " %s ", words);
    expression(t, out, depth + 1);
}

static void select(sonde *t, struct text *out, int depth)
{
    static const char *const joins[] = {", ", " JOIN ", " LEFT JOIN ", " NATURAL JOIN ", " CROSS JOIN "};
    static const char *const compounds[] = {" UNION ", " UNION ALL ", " EXCEPT ", " INTERSECT "};
    sonde_span(t, "select");
    text_add(out, sonde_chance(t, "distinct", 0.2) ? "SELECT DISTINCT " : "SELECT ");
    if (sonde_bool(t, "all columns")) text_add(out, "*");
    else expressions(t, out, depth);
    text_add(out, " FROM ");
    sonde_list from = sonde_list_of(t, "from", 1, 3);
    while (sonde_more(&from)) {
        if (from.i) text_word(t, "join", out, joins);
        text_word(t, "table", out, tables);
    }
    clause(t, out, "WHERE", depth);
    clause(t, out, "GROUP BY", depth);
    clause(t, out, "HAVING", depth);
    if (depth < DEEPEST && sonde_chance(t, "is compound", 0.15)) {
        text_word(t, "compound", out, compounds);
        select(t, out, depth + 1);
    }
    clause(t, out, "ORDER BY", depth);
    clause(t, out, "LIMIT", depth);
}

static void column_list(sonde *t, struct text *out, bool has_types)
{
    text_add(out, "(");
    sonde_list list = sonde_list_of(t, "columns", 1, 3);
    while (text_more(&list, out, ", ")) {
        text_word(t, "name", out, names);
        text_add(out, " ");
        if (has_types) text_word(t, "type", out, types);
    }
    text_add(out, ")");
}

static void change(sonde *t, struct text *out)
{
    switch (sonde_pick(t, "change", 3)) {
    case 0:
        text_add(out, sonde_bool(t, "replaces") ? "REPLACE INTO " : "INSERT INTO ");
        text_word(t, "table", out, tables);
        if (sonde_bool(t, "has columns")) column_list(t, out, false);
        if (sonde_bool(t, "from select")) {
            text_add(out, " ");
            select(t, out, 1);
        } else {
            text_add(out, " VALUES (");
            expressions(t, out, 1);
            text_add(out, ")");
        }
        break;
    case 1:
        text_add(out, "UPDATE ");
        text_word(t, "table", out, tables);
        text_add(out, " SET ");
        text_word(t, "name", out, names);
        text_add(out, " = ");
        expression(t, out, 1);
        clause(t, out, "WHERE", 1);
        break;
    default:
        text_add(out, "DELETE FROM ");
        text_word(t, "table", out, tables);
        clause(t, out, "WHERE", 1);
    }
}

static void definition(sonde *t, struct text *out)
{
    static const char *const dropped[] = {"TABLE", "INDEX", "VIEW", "TRIGGER"};
    static const char *const others[] = {"BEGIN",       "COMMIT",    "ROLLBACK",
                                         "ANALYZE",     "REINDEX",   "PRAGMA foreign_keys = 1",
                                         "SAVEPOINT x", "RELEASE x", "PRAGMA table_info(t1)",
                                         "VACUUM"};
    switch (sonde_pick(t, "definition", 6)) {
    case 0:
        text_add(out, "CREATE TABLE ");
        text_word(t, "object", out, objects);
        column_list(t, out, true);
        break;
    case 1:
        text_add(out, sonde_bool(t, "unique") ? "CREATE UNIQUE INDEX " : "CREATE INDEX ");
        text_word(t, "object", out, objects);
        text_add(out, " ON ");
        text_word(t, "table", out, tables);
        column_list(t, out, false);
        break;
    case 2:
        text_add(out, "CREATE VIEW ");
        text_word(t, "object", out, objects);
        text_add(out, " AS ");
        select(t, out, 1);
        break;
    case 3:
        text_add(out, "CREATE TRIGGER ");
        text_word(t, "object", out, objects);
        text_add(out, " AFTER INSERT ON ");
        text_word(t, "table", out, tables);
        text_add(out, " BEGIN ");
        change(t, out);
        text_add(out, "; END");
        break;
    case 4:
        text_add(out, "DROP ");
        text_word(t, "kind", out, dropped);
        text_add(out, " ");
        text_word(t, "object", out, objects);
        break;
    default: text_word(t, "other", out, others);
    }
}

void program_generate(sonde *t, struct text *out)
{
    sonde_list statements = sonde_list_of(t, "statements", 1, 6);
    while (sonde_more(&statements)) {
        sonde_span(t, "statement");
        switch (sonde_pick(t, "statement", 3)) {
        case 0: select(t, out, 0); break;
        case 1: change(t, out); break;
        default: definition(t, out);
        }
        text_add(out, ";\n");
    }
}

/* ---- Running one */

void program_start(void)
{
    sqlite3_initialize();
}

static int too_long(void *left)
{
    return --*(int *)left < 0;
}

bool program_run(const char *text, size_t n)
{
    sqlite3 *db;
    int left = STEPS / 1000;
    (void)n;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) return false;
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_progress_handler(db, 1000, too_long, &left);
    bool is_valid = sqlite3_exec(db, text, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_close(db);
    return is_valid;
}
