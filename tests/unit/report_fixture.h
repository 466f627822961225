/* Literal reports for the tests of the reporters, and a sink that catches what they write. */
#ifndef TESTS_UNIT_REPORT_FIXTURE_H
#define TESTS_UNIT_REPORT_FIXTURE_H

#include "report/report.h"
#include "tape/label.h"
#include "tape/tape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define UNUSED __attribute__((unused))

/* A string that no format likes: quotes, markup, escape sequences, control bytes, broken and forbidden UTF-8. */
#define HOSTILE "a\"b\\c</x>&'#\x01\x1b[31m\t\xff\xc3(\xed\xa0\x80\xef\xbf\xbf]]>\xc3\xa9"

/* A stream into memory. */
struct sink {
    FILE *out;
    char *text;
    size_t size;
};

UNUSED static void sink_open(struct sink *sink)
{
    sink->out = open_memstream(&sink->text, &sink->size);
    assert_non_null(sink->out);
}

UNUSED static const char *sink_text(struct sink *sink)
{
    fflush(sink->out);
    return sink->text;
}

UNUSED static void sink_close(struct sink *sink)
{
    fclose(sink->out);
    free(sink->text);
}

/* A tape being written by hand. */
struct writer {
    struct sonde_tape tape;
    struct sonde_labels labels;
    uint32_t open[8];
    unsigned depth;
};

UNUSED static void writer_begin(struct writer *w)
{
    memset(w, 0, sizeof *w);
    sonde_tape_init(&w->tape);
    sonde_labels_init(&w->labels);
    sonde_tape_begin(&w->tape);
}

UNUSED static void writer_open(struct writer *w, const char *label, uint32_t flags)
{
    w->open[w->depth + 1] = sonde_tape_open(&w->tape, w->open[w->depth], sonde_label_intern(&w->labels, label), flags);
    w->depth++;
}

UNUSED static void writer_close(struct writer *w)
{
    sonde_tape_close(&w->tape, w->open[w->depth--]);
}

UNUSED static void writer_add(struct writer *w, const char *label, enum sonde_kind kind, uint64_t index, uint64_t base)
{
    struct sonde_choice choice = {.index = index,
                                  .max = UINT64_MAX,
                                  .base = base,
                                  .label = sonde_label_intern(&w->labels, label),
                                  .span = w->open[w->depth],
                                  .kind = (uint8_t)kind};
    if (kind == SONDE_KIND_BOOL) choice.max = 1;
    sonde_tape_add(&w->tape, &choice);
}

UNUSED static void writer_uint(struct writer *w, const char *label, uint64_t value)
{
    writer_add(w, label, SONDE_KIND_UINT, value, 0);
}

UNUSED static void writer_text(struct writer *w, const char *label, enum sonde_alphabet_kind kind, const char *text)
{
    struct sonde_blob shape = {.alphabet = sonde_alphabet_make(kind, NULL), .max = 1000};
    uint32_t symbols[256], n = (uint32_t)strlen(text);
    for (uint32_t i = 0; i < n; i++) {
        symbols[i] = sonde_alphabet_symbol(&shape.alphabet, (unsigned char)text[i]);
    }
    writer_add(w, label, SONDE_KIND_BLOB, n, sonde_tape_add_blob(&w->tape, &shape, symbols, n));
}

/* A list of which each element is one number. */
UNUSED static void writer_list(struct writer *w, const char *label, uint32_t n)
{
    writer_open(w, label, SONDE_SPAN_LIST);
    writer_add(w, SONDE_LABEL_LENGTH, SONDE_KIND_LENGTH, n, 0);
    for (uint32_t i = 0; i < n; i++) {
        writer_open(w, label, SONDE_SPAN_ELEMENT);
        writer_uint(w, "x", i + 1);
        writer_close(w);
    }
    writer_close(w);
}

UNUSED static void writer_end(struct writer *w)
{
    sonde_tape_end(&w->tape);
}

UNUSED static void writer_clear(struct writer *w)
{
    sonde_tape_clear(&w->tape);
    sonde_labels_clear(&w->labels);
}

/* The tape of the example in the documentation: a tree in a tree, a list, and a number. */
UNUSED static void writer_example(struct writer *w)
{
    writer_begin(w);
    writer_add(w, SONDE_LABEL_SIZE, SONDE_KIND_SIZE, 0, 0);
    writer_open(w, "tree", 0);
    writer_uint(w, "value", 3);
    writer_add(w, "left", SONDE_KIND_BOOL, 1, 0);
    writer_open(w, "tree", 0);
    writer_uint(w, "value", 4);
    writer_close(w);
    writer_open(w, "tree", 0);
    writer_uint(w, "value", 5);
    writer_close(w);
    writer_close(w);
    writer_list(w, "xs", 3);
    writer_uint(w, "x", 7);
    writer_end(w);
}

UNUSED static struct sonde_report report_passed(void)
{
    return (struct sonde_report){.property = "sorts",
                                 .program = "./test",
                                 .outcome = SONDE_OUTCOME_PASSED,
                                 .stopped = SONDE_STOP_TESTS,
                                 .seed = 42,
                                 .guide = "random",
                                 .stats = {.tests = 13120,
                                           .valid = 10000,
                                           .discarded = 3120,
                                           .unique_valid = 9000,
                                           .shapes = 31,
                                           .skeletons = 1200,
                                           .seconds = 0.8,
                                           .cpu_s = 0.7}};
}

UNUSED static struct sonde_failure failure_of(const struct sonde_tape *tape)
{
    return (struct sonde_failure){.id = "00000000deadbeef",
                                  .kind = "check",
                                  .message = "a == b does not hold: got 1, want 2",
                                  .file = "test.c",
                                  .line = 12,
                                  .condition = "a == b",
                                  .got = "1",
                                  .want = "2",
                                  .token = "s1:a=1 b=2",
                                  .notes = "",
                                  .tests_to_failure = 57,
                                  .hits = 1,
                                  .original_size = 40,
                                  .shrink_calls = 61,
                                  .shrink_complete = true,
                                  .tape = tape};
}

UNUSED static struct sonde_report report_falsified(const struct sonde_failure *failure, const struct writer *w)
{
    struct sonde_report r = report_passed();
    r.outcome = SONDE_OUTCOME_FALSIFIED;
    r.stopped = SONDE_STOP_FOUND;
    r.stats = (struct sonde_stats){.tests = 57, .valid = 50, .discarded = 6, .seconds = 0.002};
    r.failures = failure;
    r.n_failures = 1;
    r.names = w ? &w->labels : NULL;
    return r;
}

UNUSED static void tell(struct sonde_reporter *reporter, enum sonde_event_kind kind, size_t n_properties)
{
    reporter->event(reporter, &(struct sonde_event){.kind = kind, .n_properties = n_properties});
}

UNUSED static void tell_end(struct sonde_reporter *reporter, const struct sonde_report *report)
{
    reporter->event(reporter, &(struct sonde_event){.kind = SONDE_EVENT_PROPERTY_END,
                                                    .property = report->property,
                                                    .report = report});
}

#endif
