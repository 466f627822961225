/* inih: a file is read as it was written, the first bad line is reported, and no bytes crash it. */
#include <sonde.h>

#include "ini.h"

#include <stdio.h>
#include <string.h>

struct entry {
    char section[16], name[16], value[32];
};
struct entries {
    struct entry all[64];
    int n;
};

static int add(void *user, const char *section, const char *name, const char *value)
{
    struct entries *entries = user;
    if (entries->n == 64) return 0;
    struct entry *e = &entries->all[entries->n++];
    snprintf(e->section, sizeof e->section, "%s", section);
    snprintf(e->name, sizeof e->name, "%s", name);
    snprintf(e->value, sizeof e->value, "%s", value);
    return 1;
}

static const char *blank(sonde *t)
{
    static const char *const blanks[] = {"", " ", "\t", "  "};
    return blanks[sonde_pick(t, "blank", 4)];
}

SONDE_PROPERTY(reads_what_was_written)
{
    struct entries *want = sonde_new(t, struct entries), *got = sonde_new(t, struct entries);
    char *text = sonde_alloc(t, 4096), section[16] = "";
    size_t n = 0;
    for (sonde_list lines = sonde_list_of(t, "lines", 0, 12); sonde_more(&lines);) {
        switch (sonde_pick(t, "kind", 4)) {
        case 0: {
            struct entry *e = &want->all[want->n++];
            memcpy(e->section, section, sizeof section);
            snprintf(e->name, sizeof e->name, "%s", sonde_string_of(t, "name", "abcxyz09", 1, 8));
            snprintf(e->value, sizeof e->value, "%s", sonde_string_of(t, "value", "abc09=[]", 0, 10));
            const char *sign = sonde_bool(t, "colon") ? ":" : "=", *comment = sonde_bool(t, "comment") ? " ; no" : "";
            n += (size_t)sprintf(text + n, "%s%s%s%s", e->name, blank(t), sign, blank(t));
            n += (size_t)sprintf(text + n, "%s%s%s\n", e->value, blank(t), comment);
            break;
        }
        case 1:
            snprintf(section, sizeof section, "%s", sonde_string_of(t, "section", "stuv12", 1, 6));
            n += (size_t)sprintf(text + n, "[%s]%s\n", section, blank(t));
            break;
        case 2: n += (size_t)sprintf(text + n, "%s%s\n", sonde_bool(t, "hash") ? "#" : ";", blank(t)); break;
        default: n += (size_t)sprintf(text + n, "%s\n", blank(t));
        }
    }
    sonde_check_eq(t, ini_parse_string(text, add, got), 0);
    sonde_check_eq(t, got->n, want->n);
    for (int i = 0; i < want->n; i++) {
        sonde_check_eq(t, got->all[i].section, (const char *)want->all[i].section);
        sonde_check_eq(t, got->all[i].name, (const char *)want->all[i].name);
        sonde_check_eq(t, got->all[i].value, (const char *)want->all[i].value);
    }
}

SONDE_PROPERTY(reports_the_first_bad_line)
{
    static const char *const good[] = {"a=1\n", "[s]\n", "# c\n", "\n", "b : 2 ; c\n"};
    static const char *const bad[] = {"[open\n", "nothing\n"};
    struct entries *got = sonde_new(t, struct entries);
    char *text = sonde_alloc(t, 1024);
    int line = 0, first = 0;
    for (sonde_list lines = sonde_list_of(t, "lines", 0, 10); sonde_more(&lines);) {
        bool is_bad = sonde_chance(t, "bad", 0.2);
        line++;
        if (is_bad && first == 0) first = line;
        strcat(text, is_bad ? bad[sonde_pick(t, "which", 2)] : good[sonde_pick(t, "good", 5)]);
    }
    sonde_check_eq(t, ini_parse_string(text, add, got), first);
}

SONDE_PROPERTY(survives_any_bytes)
{
    struct entries *got = sonde_new(t, struct entries);
    size_t n;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 300, &n);
    sonde_check_ge(t, ini_parse_string_length((const char *)bytes, n, add, got), 0);
}

SONDE_MAIN()
