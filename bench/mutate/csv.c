/* libcsv: fields come back from quoted and plain text, whatever the blocks of input; strict mode refuses bad quotes. */
#include <sonde.h>

#include "csv.h"

#include <stdio.h>
#include <string.h>

struct table {
    char text[2048]; /* each field is followed by |, each row by a line break */
    size_t n;
};

static void add_field(void *field, size_t n, void *data)
{
    struct table *table = data;
    memcpy(table->text + table->n, field, n);
    table->n += n;
    table->text[table->n++] = '|';
}

static void add_row(int end, void *data)
{
    (void)end;
    struct table *table = data;
    table->text[table->n++] = '\n';
}

/* Parses a string in blocks of drawn sizes. Returns whether all of it was accepted. */
static bool parse(sonde *t, const char *text, unsigned char options, struct table *got)
{
    struct csv_parser p;
    size_t n = strlen(text), block = 1, from = 0;
    csv_init(&p, options);
    while (from < n) {
        block = (size_t)sonde_int(t, "block", 1, (int64_t)(n - from));
        if (csv_parse(&p, text + from, block, add_field, add_row, got) != block) break;
        from += block;
    }
    bool is_good = from == n && csv_fini(&p, add_field, add_row, got) == 0;
    csv_free(&p);
    return is_good;
}

SONDE_PROPERTY(reads_what_it_wrote)
{
    struct table *want = sonde_new(t, struct table), *got = sonde_new(t, struct table);
    char *text = sonde_alloc(t, 4096);
    size_t n = 0;
    for (sonde_list rows = sonde_list_of(t, "rows", 0, 4); sonde_more(&rows);) {
        size_t n_fields = (size_t)sonde_int(t, "fields", 1, 4);
        for (size_t i = 0; i < n_fields; i++) {
            char *field = sonde_string_of(t, "field", "ab\", \n", 0, 12);
            if (i > 0) text[n++] = ',';
            n += csv_write(text + n, 64, field, strlen(field));
            add_field(field, strlen(field), want);
        }
        text[n++] = '\n';
        add_row('\n', want);
    }
    sonde_check(t, parse(t, text, sonde_bool(t, "strict") ? CSV_STRICT : 0, got));
    sonde_check_eq(t, (const char *)got->text, (const char *)want->text);
}

SONDE_PROPERTY(strips_blanks_of_plain_fields)
{
    struct table *want = sonde_new(t, struct table), *got = sonde_new(t, struct table);
    char *text = sonde_alloc(t, 2048);
    for (sonde_list fields = sonde_list_of(t, "fields", 1, 6); sonde_more(&fields);) {
        char *field = sonde_string_of(t, "field", "abc", 0, 8);
        if (want->n > 0) strcat(text, ",");
        strcat(text, sonde_string_of(t, "before", " \t", 0, 2));
        strcat(text, field);
        strcat(text, sonde_string_of(t, "after", " \t", 0, 2));
        add_field(field, strlen(field), want);
    }
    strcat(text, "\r\n");
    add_row('\n', want);
    sonde_assume(t, strcspn(text, "abc,") < strlen(text)); /* a blank line is not a row */
    sonde_check(t, parse(t, text, 0, got));
    sonde_check_eq(t, (const char *)got->text, (const char *)want->text);
}

SONDE_PROPERTY(strict_refuses_bad_quotes)
{
    struct table *got = sonde_new(t, struct table);
    char text[32];
    const char *bad = sonde_bool(t, "plain") ? "a\"b" : "\"a\"b";
    snprintf(text, sizeof text, "%s,%s", sonde_string_of(t, "field", "abc", 0, 8), bad);
    sonde_check(t, !parse(t, text, CSV_STRICT, got));
}

SONDE_MAIN()
