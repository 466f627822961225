/* Three properties more for inih. They close gaps that the survivors of inih.c show. */
#include <sonde.h>

#include "ini.h"

#include <stdio.h>
#include <string.h>

struct last {
    char section[64], name[64], value[256];
    int n;
};

static int keep(void *user, const char *section, const char *name, const char *value)
{
    struct last *last = user;
    snprintf(last->section, sizeof last->section, "%s", section);
    snprintf(last->name, sizeof last->name, "%s", name);
    snprintf(last->value, sizeof last->value, "%s", value);
    last->n++;
    return 1;
}

SONDE_PROPERTY(comments_follow_a_blank)
{
    struct last *got = sonde_new(t, struct last);
    char *value = sonde_string_of(t, "value", "ab;", 1, 8), text[32];
    bool has_mark = sonde_bool(t, "mark");
    snprintf(text, sizeof text, "%sname=%s ; no", has_mark ? "\xEF\xBB\xBF" : "", value);
    sonde_check_eq(t, ini_parse_string(text, keep, got), 0);
    sonde_check_eq(t, got->n, 1);
    sonde_check_eq(t, (const char *)got->name, "name");
    sonde_check_eq(t, (const char *)got->value, (const char *)value);
}

SONDE_PROPERTY(long_lines_are_errors)
{
    struct last *got = sonde_new(t, struct last);
    char *text = sonde_alloc(t, 512);
    int n = (int)sonde_int(t, "length", 150, 250);
    strcpy(text, "first=1\nn=");
    memset(text + 10, 'x', (size_t)n);
    strcat(text, "\nlast=2\n");
    bool is_long = n + 3 > INI_MAX_LINE - 1;
    sonde_check_eq(t, ini_parse_string(text, keep, got), is_long ? 2 : 0);
    sonde_check_eq(t, (const char *)got->value, "2");
}

SONDE_PROPERTY(long_sections_are_cut)
{
    struct last *got = sonde_new(t, struct last);
    char text[128], name[80] = "";
    int n = (int)sonde_int(t, "length", 1, 70);
    memset(name, 's', (size_t)n);
    snprintf(text, sizeof text, "[%s]\nname=1\n", name);
    name[49] = '\0';
    sonde_check_eq(t, ini_parse_string(text, keep, got), 0);
    sonde_check_eq(t, (const char *)got->section, (const char *)name);
}
