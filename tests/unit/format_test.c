#define _GNU_SOURCE
/* Tape files as bytes: every byte string is answered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "store/format.h"
#include "tape/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct sonde_stored whole = {
    .property = "insert_keeps_order",
    .kind = "check",
    .message = "ordered(root, -1, 11)\n\\x00 caf\xc3\xa9",
    .place = "tree.c:41",
    .found = "seed 7, test 91",
    .shown = "--timeout 0.1",
    .build = "gcc 12, optimised",
    .steps = "fibers 3f1c9a04b7d25e68",
    .confirmed = "no",
    .number = "12",
    .token = "s1:#size=30 tree{value=3 left=yes tree{value=3}} xs[#=3 {x=1} {x=2}] d=0x1.8p3 s=a%20b b=00ff ?",
};

static void assert_text(const char *got, const char *want)
{
    if (!want) assert_null(got);
    else assert_string_equal(got, want);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct sonde_stored found;
    const char *reason;
    size_t n;
    char *bytes = sonde_stored_write(&whole, &n);
    assert_int_equal(sonde_stored_read(&found, bytes, n, &reason), 0);
    assert_text(found.property, whole.property);
    assert_text(found.kind, whole.kind);
    assert_text(found.message, whole.message);
    assert_text(found.place, whole.place);
    assert_text(found.found, whole.found);
    assert_text(found.shown, whole.shown);
    assert_text(found.build, whole.build);
    assert_text(found.steps, whole.steps);
    assert_text(found.confirmed, whole.confirmed);
    assert_text(found.number, whole.number);
    assert_text(found.token, whole.token);
    sonde_stored_clear(&found);
    sonde_free(bytes);
}

static void every_control_byte_survives_the_head(void **state)
{
    (void)state;
    struct sonde_stored found, what = {.token = "s1:"};
    char text[256];
    const char *reason;
    size_t n;
    for (int i = 0; i < 255; i++) text[i] = (char)(i + 1);
    text[255] = '\0';
    what.message = text;
    char *bytes = sonde_stored_write(&what, &n);
    for (size_t i = 0; i < n; i++) assert_true((unsigned char)bytes[i] >= 32 || bytes[i] == '\n');
    assert_int_equal(sonde_stored_read(&found, bytes, n, &reason), 0);
    assert_text(found.message, text);
    sonde_stored_clear(&found);
    sonde_free(bytes);
}

static void texts_are_cut_and_tapes_are_not(void **state)
{
    (void)state;
    static char text[1 << 20];
    struct sonde_stored found, what = {.message = text, .token = text};
    const char *reason;
    size_t n;
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "s1:", 3);
    char *bytes = sonde_stored_write(&what, &n);
    assert_int_equal(sonde_stored_read(&found, bytes, n, &reason), 0);
    assert_int_equal(strlen(found.message), SONDE_STORE_TEXT_MAX);
    assert_text(found.token, text);
    sonde_stored_clear(&found);
    sonde_free(bytes);
}

/* A tape may begin with an internal label, if written by hand. Such a tape is not a line of the head. */
static void a_tape_that_begins_with_a_size_is_replaced(void **state)
{
    (void)state;
    const char *before = "# sonde tape 1\n# kind: check\n#size=30 x=3\n", *reason;
    size_t n;
    char *after = sonde_stored_replace(before, strlen(before), "s1:x=4", &n);
    struct sonde_stored got;
    assert_int_equal(sonde_stored_read(&got, after, n, &reason), 0);
    assert_text(got.token, "s1:x=4");
    assert_text(got.kind, "check");
    sonde_stored_clear(&got);
    sonde_free(after);
}

static void a_changed_byte_is_noticed(void **state)
{
    (void)state;
    struct sonde_stored found;
    const char *reason;
    size_t n;
    char *bytes = sonde_stored_write(&whole, &n);
    for (size_t i = 0; i + 1 < n; i++) {
        bytes[i] ^= 1;
        int status = sonde_stored_read(&found, bytes, n, &reason);
        if (status == 0) sonde_stored_clear(&found);
        /* Where the head of the checksum line is hit, it becomes a line like any other, and the rest is whole. */
        else assert_int_equal(status, i == strlen("# sonde tape ") ? status : -EINVAL);
        assert_true((status == 0) == !memmem(bytes, n, "\n# checksum: ", 13));
        bytes[i] ^= 1;
    }
    sonde_free(bytes);
}

/* ---- Mutants */

struct random {
    uint64_t state;
};

static uint32_t upto(struct random *r, uint32_t max)
{
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 32) % ((uint64_t)max + 1));
}

enum { ROOM = 4096 };
static const char *const pieces[] = {"# sonde tape 1\n",
                                     "# sonde tape 9\n",
                                     "# checksum: ",
                                     "# property: ",
                                     "\r\n",
                                     "\n\n",
                                     "\\x",
                                     "\\x0",
                                     "\\",
                                     "s1:",
                                     "s2:",
                                     "#",
                                     "# ",
                                     "{",
                                     "[",
                                     "]",
                                     "}",
                                     "?",
                                     "=",
                                     "%",
                                     "%0",
                                     "xs[#=99999999999 ",
                                     "0x",
                                     "#size="};

static size_t mutate(struct random *r, char *bytes, size_t n)
{
    char piece[64];
    uint32_t at = upto(r, (uint32_t)n);
    uint32_t length = upto(r, n - at < 40 ? (uint32_t)(n - at) : 40);
    const char *known = pieces[upto(r, sizeof pieces / sizeof *pieces - 1)];
    switch (upto(r, 6)) {
    case 0: return at;
    case 1: memmove(bytes + at, bytes + at + length, n - at - length); return n - length;
    case 2:
        if (at < n) bytes[at] = (char)upto(r, 255);
        return n;
    case 3:
        if (at < n) bytes[at] ^= (char)(1 << upto(r, 7));
        return n;
    case 4:
        length = (uint32_t)strlen(known);
        memcpy(piece, known, length);
        break;
    case 5: memcpy(piece, bytes + at, length); break;
    default:
        for (uint32_t i = 0; i < length; i++) piece[i] = "\0\xff\n\t \\x#:=s1"[upto(r, 12)];
    }
    if (n + length > ROOM) return n;
    at = upto(r, (uint32_t)n);
    memmove(bytes + at + length, bytes + at, n - at);
    memcpy(bytes + at, piece, length);
    return n + length;
}

/* Without its checksum in two cases of three, so that the reader of tapes is reached, too. */
static size_t start(struct random *r, char *bytes)
{
    size_t n;
    char *whole_bytes = sonde_stored_write(&whole, &n);
    memcpy(bytes, whole_bytes, n);
    sonde_free(whole_bytes);
    if (upto(r, 2)) {
        char *line = memmem(bytes, n, "# checksum", 10), *end = memchr(line, '\n', n - (size_t)(line - bytes));
        size_t gone = (size_t)(end + 1 - line);
        memmove(line, end + 1, n - (size_t)(end + 1 - bytes));
        n -= gone;
    }
    return n;
}

static unsigned read_mutants(uint64_t seed, unsigned count)
{
    struct random r = {seed};
    struct sonde_tape script;
    struct sonde_labels labels;
    unsigned tapes = 0;
    sonde_tape_init(&script);
    sonde_labels_init(&labels);
    for (unsigned i = 0; i < count; i++) {
        char room[ROOM];
        size_t n = start(&r, room);
        for (uint32_t k = upto(&r, 5) + 1; k; k--) n = mutate(&r, room, n);
        char *bytes = malloc(n ? n : 1); /* as long as it is, so that a sanitizer sees its end */
        memcpy(bytes, room, n);
        struct sonde_stored found;
        const char *reason;
        int status = sonde_stored_read(&found, bytes, n, &reason);
        free(bytes);
        assert_true((status == 0) == (reason == NULL));
        if (status) {
            assert_true(status == -EINVAL || status == -ENOTSUP);
            assert_null(found.memory);
            continue;
        }
        if (sonde_tape_from_text(&script, &labels, found.token, strlen(found.token), NULL) == 0) tapes++;
        sonde_stored_clear(&found);
        if (labels.n > SONDE_LABELS_MAX / 2) sonde_labels_clear(&labels), sonde_labels_init(&labels);
    }
    sonde_tape_clear(&script);
    sonde_labels_clear(&labels);
    return tapes;
}

static void a_hundred_thousand_mutants_are_answered(void **state)
{
    (void)state;
    unsigned tapes = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) tapes += read_mutants(seed, 25000);
    /* Enough of them got through to the reader of tapes, and enough did not. */
    assert_in_range(tapes, 5000, 80000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),         cmocka_unit_test(every_control_byte_survives_the_head),
        cmocka_unit_test(texts_are_cut_and_tapes_are_not), cmocka_unit_test(a_tape_that_begins_with_a_size_is_replaced),
        cmocka_unit_test(a_changed_byte_is_noticed),       cmocka_unit_test(a_hundred_thousand_mutants_are_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
