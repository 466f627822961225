/* Gives strings of the grammars in examples/grammars to the parsers of libraries; for tests/compile/grammars.sh, which compiles
 * it with -DWITH_JANSSON and so on. The property `written` appends its strings to a file, each with its length before it. */
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

static sonde_language language;

#ifdef WITH_JANSSON
#include <jansson.h>
/* jansson refuses numbers that no double holds, and characters that are 0. */
static bool is_refused_knowingly(const json_error_t *error)
{
    return strstr(error->text, "real number overflow") || strstr(error->text, "too big integer")
           || strstr(error->text, "too big negative integer") || strstr(error->text, "\\u0000 is not allowed")
           || strstr(error->text, "invalid Unicode");
}

static void parsed(sonde *t)
{
    json_error_t error;
    sonde_text text = sonde_grammar(t, "json", &language);
    json_t *json = json_loadb(text.at, text.n, JSON_DECODE_ANY, &error);
    sonde_classify(t, !json, "refused");
    if (!json) sonde_check(t, is_refused_knowingly(&error));
    json_decref(json);
}
#elif defined WITH_URIPARSER
#include <uriparser/Uri.h>
static void parsed(sonde *t)
{
    UriUriA uri;
    const char *error;
    sonde_text text = sonde_grammar(t, "uri", &language);
    sonde_check_eq(t, uriParseSingleUriExA(&uri, text.at, text.at + text.n, &error), URI_SUCCESS);
    uriFreeUriMembersA(&uri);
}
#elif defined WITH_SQLITE
#include <sqlite3.h>
static void parsed(sonde *t)
{
    static sqlite3 *db;
    if (!db) sqlite3_open(":memory:", &db);
    sonde_text text = sonde_grammar(t, "sql", &language);
    for (const char *rest = text.at; *rest;) {
        sqlite3_stmt *statement = NULL;
        int status = sqlite3_prepare_v2(db, rest, -1, &statement, &rest);
        if (status != SQLITE_OK) sonde_note(t, "%s", sqlite3_errmsg(db));
        sonde_check_eq(t, status, SQLITE_OK);
        sqlite3_finalize(statement);
        while (*rest == ' ' || *rest == '\n') rest++;
    }
}
#elif defined WITH_FILE
/* Python's parser refuses comments and white space at most positions where RFC 5322 allows them ("J:; "). */
static void put_nothing(sonde *t, sonde_text *out)
{
    sonde_put(t, out, "%s", "");
}
static const sonde_drawn_rule blanks[] = {{"CFWS", put_nothing}, {"FWS", put_nothing}};

static void parsed(sonde *t)
{
    static FILE *out;
    if (!out) out = fopen(getenv("WRITTEN"), "w");
    sonde_text text = sonde_grammar(t, "text", &language);
    if (!out) return;
    fprintf(out, "%zu\n", text.n);
    fwrite(text.at, 1, text.n, out);
    fflush(out);
}
#endif

int main(int argc, char **argv)
{
    language = (sonde_language){.file = getenv("GRAMMAR")};
#ifdef WITH_FILE
    if (getenv("BLANKS")) language.drawn = blanks, language.n_drawn = 2;
#endif
    return sonde_main(argc, argv, &(sonde_property){.name = "parsed", .run = parsed, .crash_only = true}, 1);
}
