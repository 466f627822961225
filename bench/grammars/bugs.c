/* Ten bugs of parsers, for `bench/run grammars`: two small parsers that are right, and read wrongly what $BUG names. The property
 * draws by the grammar of their format and holds without a bug. The least input that each refuses was written down in
 * bench/grammars.py before a search was run. */
#include <sonde.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *bug = "";

static bool is_bug(const char *name)
{
    return strcmp(bug, name) == 0;
}

/* ---- JSON */

struct json {
    const char *at, *end;
    int depth;
    bool is_wrong, in_array, after_array;
};

static bool next_is(const struct json *j, char c)
{
    return j->at < j->end && *j->at == c;
}

static bool take(struct json *j, char c)
{
    if (!next_is(j, c)) return false;
    j->at++;
    return true;
}

static void blanks(struct json *j)
{
    while (j->at < j->end && strchr(" \t\n\r", *j->at)) j->at++;
}

static bool digits(struct json *j)
{
    const char *from = j->at;
    while (j->at < j->end && isdigit((unsigned char)*j->at)) j->at++;
    return j->at > from;
}

static bool number(struct json *j)
{
    take(j, '-');
    if (!take(j, '0') && !digits(j)) return false;
    if (take(j, '.') && !digits(j)) return false;
    if (!take(j, 'e') && !take(j, 'E')) return true;
    if (!take(j, '+')) take(j, '-');
    return digits(j);
}

static bool string(struct json *j)
{
    if (!take(j, '"')) return false;
    for (; j->at < j->end && *j->at != '"'; j->at++) {
        if (*j->at != '\\') continue;
        j->at++;
        if (*j->at == '\\' && is_bug("escaped backslash") && j->at < j->end) j->at++; /* as if it began an escape */
        for (int i = 1; *j->at == 'u' && i <= 4; i++)
            if (is_bug("upper hex") && isupper((unsigned char)j->at[i])) return false;
    }
    return take(j, '"');
}

static bool value(struct json *j);

static bool object(struct json *j)
{
    bool is_empty = true;
    for (blanks(j); !take(j, '}'); blanks(j)) {
        if (!is_empty && !take(j, ',')) return false;
        if (!is_empty && is_bug("after a nested array") && j->after_array) return false;
        blanks(j);
        if (!string(j)) return false;
        blanks(j);
        if (!take(j, ':') || !value(j)) return false;
        is_empty = false;
    }
    return true;
}

static bool array(struct json *j)
{
    bool is_empty = true;
    if (is_bug("nesting") && j->depth > 3) return false;
    for (blanks(j); !take(j, ']'); blanks(j)) {
        if (!is_empty && !take(j, ',')) return false;
        if (!is_empty && is_bug("blank after comma") && next_is(j, ' ')) return false;
        const char *from = (blanks(j), j->at);
        if (!value(j)) return false;
        if (is_bug("empty object in array") && j->at - from == 2 && *from == '{') return false;
        is_empty = false;
    }
    return true;
}

static bool value(struct json *j)
{
    bool is_right = false, is_array = false;
    blanks(j);
    j->depth++;
    if (next_is(j, '"')) is_right = string(j);
    else if (take(j, '{')) is_right = object(j);
    else if (take(j, '[')) is_right = array(j), is_array = true;
    else if (j->end - j->at >= 4 && (!memcmp(j->at, "true", 4) || !memcmp(j->at, "null", 4)))
        j->at += 4, is_right = true;
    else if (j->end - j->at >= 5 && !memcmp(j->at, "false", 5)) j->at += 5, is_right = true;
    else is_right = number(j);
    j->after_array = is_array;
    j->depth--;
    return is_right;
}

static void json_is_read(sonde *t)
{
    static sonde_language language;
    language.file = getenv("GRAMMAR");
    sonde_text text = sonde_grammar(t, "text", &language);
    struct json j = {.at = text.at, .end = text.at + text.n};
    bool is_right = value(&j);
    blanks(&j);
    sonde_check(t, is_right && j.at == j.end);
}

/* ---- URIs: split as RFC 3986, appendix B does it, and put together again */

struct span {
    const char *at;
    size_t n;
};

static struct span until(const char **at, const char *end, const char *stops)
{
    const char *from = *at;
    while (*at < end && !strchr(stops, **at)) ++*at;
    return (struct span){from, (size_t)(*at - from)};
}

/* Returns whether an authority is an optional user, a host and an optional port of digits. */
static bool is_authority(struct span a)
{
    const char *at = a.at, *end = a.at + a.n, *user = a.n ? memchr(a.at, '@', a.n) : NULL;
    const char *colon = a.n ? memchr(a.at, ':', a.n) : NULL;
    if (is_bug("colon in user") && user && colon && colon < user) return false;
    if (user) at = user + 1;
    if (at < end && *at == '[') {
        if (is_bug("colon in host") && memchr(at, ':', (size_t)(end - at))) return false;
        while (at < end && *at != ']') at++;
        if (at++ == end) return false;
    } else until(&at, end, ":");
    if (at == end) return true;
    if (*at++ != ':') return false;
    while (at < end && isdigit((unsigned char)*at)) at++;
    return at == end;
}

static void uri_is_split(sonde *t)
{
    static sonde_language language;
    language.file = getenv("GRAMMAR");
    sonde_text text = sonde_grammar(t, "text", &language);
    const char *at = text.at, *end = at + text.n;
    struct span scheme = until(&at, end, ":/?#");
    bool has_scheme = at < end && *at == ':';
    if (!has_scheme) at = text.at;
    else at++;
    for (size_t i = 0; has_scheme && i < scheme.n; i++)
        if (is_bug("digit in scheme")) sonde_check(t, !isdigit((unsigned char)scheme.at[i]));
    if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
        at += 2;
        sonde_check(t, is_authority(until(&at, end, "/?#")));
    }
    until(&at, end, "?#");
    if (at < end && *at == '?') {
        at++;
        struct span query = until(&at, end, "#");
        if (is_bug("empty query")) sonde_check(t, query.n > 0);
    }
    if (at < end && *at == '#') at = end;
    sonde_check(t, at == end);
}

int main(int argc, char **argv)
{
    const sonde_property properties[] = {{.name = "json_is_read", .run = json_is_read},
                                         {.name = "uri_is_split", .run = uri_is_split}};
    if (getenv("BUG")) bug = getenv("BUG");
    return sonde_main(argc, argv, properties, 2);
}
