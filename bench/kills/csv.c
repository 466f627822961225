/* libcsv: any bytes, in two blocks, with any options, and fields that are written. */
#include "kills/kills.h"

#include "csv.h"

ORIGINAL(csv_init);
ORIGINAL(csv_parse);
ORIGINAL(csv_fini);
ORIGINAL(csv_free);
ORIGINAL(csv_error);
ORIGINAL(csv_write);
ORIGINAL(csv_set_delim);

static const struct library {
    __typeof__(&csv_init) init;
    __typeof__(&csv_parse) parse;
    __typeof__(&csv_fini) fini;
    __typeof__(&csv_free) free;
    __typeof__(&csv_error) error;
    __typeof__(&csv_write) write;
    __typeof__(&csv_set_delim) set_delim;
} libraries[2] = {{csv_init, csv_parse, csv_fini, csv_free, csv_error, csv_write, csv_set_delim},
                  {original_csv_init, original_csv_parse, original_csv_fini, original_csv_free, original_csv_error,
                   original_csv_write, original_csv_set_delim}};

struct trace {
    unsigned char bytes[512];
    size_t n;
};

static void add(struct trace *trace, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n && trace->n < sizeof trace->bytes; i++)
        trace->bytes[trace->n++] = ((const unsigned char *)bytes)[i];
}

static void add_field(void *field, size_t n, void *trace)
{
    add(trace, field ? "f" : "0", 1);
    add(trace, &n, sizeof n);
    if (field) add(trace, field, n);
}

static void add_row(int end, void *trace)
{
    add(trace, "r", 1);
    add(trace, &end, sizeof end);
}

static void agrees(sonde *t)
{
    struct trace *traces[2] = {sonde_new(t, struct trace), sonde_new(t, struct trace)};
    unsigned char options = (unsigned char)sonde_int(t, "options", 0, 31);
    bool has_delimiter = sonde_bool(t, "has delimiter");
    size_t n;
    const uint8_t *text = sonde_bytes(t, "text", 0, 40, &n);
    size_t first = (size_t)sonde_int(t, "first block", 0, 40), size = (size_t)sonde_int(t, "size", 0, 60);
    if (first > n) first = n;
    for (int i = 0; i < 2; i++) {
        const struct library *csv = &libraries[i];
        struct csv_parser p;
        unsigned char written[64] = {0};
        size_t read[2], length;
        int results[3];
        results[0] = csv->init(&p, options);
        if (has_delimiter) csv->set_delim(&p, ';');
        read[0] = csv->parse(&p, text, first, add_field, add_row, traces[i]);
        read[1] = read[0] == first ? csv->parse(&p, text + first, n - first, add_field, add_row, traces[i]) : 0;
        results[1] = csv->error(&p);
        results[2] = csv->fini(&p, add_field, add_row, traces[i]);
        csv->free(&p);
        length = csv->write(written, size, text, n);
        add(traces[i], read, sizeof read);
        add(traces[i], results, sizeof results);
        add(traces[i], &length, sizeof length);
        add(traces[i], written, sizeof written);
    }
    sonde_check(t, traces[0]->n == traces[1]->n && memcmp(traces[0]->bytes, traces[1]->bytes, traces[1]->n) == 0);
}

KILLS_MAIN
