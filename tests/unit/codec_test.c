/* The byte form: what was written comes back, nothing else does, and every byte string is some script. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "lib/tapes.h"
#include "lib/short.h"
#include "tape/codec.h"
#include "tape/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* ---- Helpers */

struct bytes {
    uint8_t *data;
    size_t n;
};

static struct bytes encode(const struct sonde_tape *tape, const struct sonde_labels *labels)
{
    struct bytes b;
    b.data = sonde_tape_encode(tape, labels, &b.n);
    return b;
}

static struct bytes encode_everything(void)
{
    struct tapes b;
    tapes_everything(&b);
    struct bytes encoded = encode(&b.tape, &b.labels);
    tapes_clear(&b);
    return encoded;
}

/* A small tape with a list and a few kinds. */
static struct bytes encode_small(void)
{
    struct tapes b;
    tapes_begin(&b);
    tapes_int(&b, "n", -10, 10, -3);
    tapes_double(&b, "d", 0, 1, 0.5);
    tapes_text(&b, "s", "hi");
    tapes_open(&b, "xs", SONDE_SPAN_LIST);
    tapes_uint(&b, SONDE_KIND_LENGTH, SONDE_LABEL_LENGTH, 0, 5, 2);
    for (int i = 1; i <= 2; i++) {
        tapes_open(&b, "xs[]", SONDE_SPAN_ELEMENT);
        tapes_int(&b, "x", 0, 9, i);
        tapes_close(&b);
    }
    tapes_close(&b);
    sonde_tape_end(&b.tape);
    struct bytes encoded = encode(&b.tape, &b.labels);
    tapes_clear(&b);
    return encoded;
}

static void seal(uint8_t *data, size_t n)
{
    uint64_t sum = sonde_hash_bytes(SONDE_CODEC_VERSION, data, n - 8);
    for (unsigned i = 0; i < 8; i++) data[n - 8 + i] = (uint8_t)(sum >> (8 * i));
}

static void assert_same_choice(const struct sonde_tape *a, const struct sonde_choice *x, const struct sonde_tape *b,
                               const struct sonde_choice *y)
{
    assert_int_equal(x->kind, y->kind);
    assert_int_equal(x->flags, y->flags);
    assert_int_equal(x->label, y->label);
    assert_int_equal(x->site, y->site);
    assert_int_equal(x->span, y->span);
    assert_true(x->index == y->index);
    assert_true(x->max == y->max);
    if (x->kind == SONDE_KIND_DOUBLE) {
        struct sonde_double_bounds p = sonde_choice_bounds(a, x), q = sonde_choice_bounds(b, y);
        assert_memory_equal(&p, &q, sizeof p);
    } else if (x->kind == SONDE_KIND_BLOB) {
        struct sonde_blob p = sonde_choice_blob(a, x), q = sonde_choice_blob(b, y);
        assert_true(p.min == q.min && p.max == q.max && p.len == q.len);
        assert_int_equal(p.alphabet.kind, q.alphabet.kind);
        assert_int_equal(p.alphabet.size, q.alphabet.size);
    } else {
        assert_true(x->base == y->base);
    }
}

static void assert_same_tape(const struct sonde_tape *a, const struct sonde_tape *b)
{
    assert_int_equal(a->n_choices, b->n_choices);
    for (uint32_t i = 0; i < a->n_choices; i++) assert_same_choice(a, &a->choices[i], b, &b->choices[i]);
    assert_int_equal(sonde_tape_compare(a, b), 0);
    assert_int_equal(a->n_spans, b->n_spans);
    assert_memory_equal(a->spans, b->spans, a->n_spans * sizeof *a->spans);
}

/* Whatever was read must be a tape that can be used: nested, in its domains, and writable again. */
static void assert_sound(const struct sonde_tape *tape, struct sonde_labels *labels)
{
    for (uint32_t i = 0; i < tape->n_choices; i++) {
        const struct sonde_choice *c = &tape->choices[i];
        assert_true(c->index <= c->max);
        assert_true(c->span < tape->n_spans);
        assert_true(tape->spans[c->span].start <= i && i < tape->spans[c->span].end);
    }
    for (uint32_t i = 1; i < tape->n_spans; i++) {
        const struct sonde_tape_span *s = &tape->spans[i], *parent = &tape->spans[s->parent];
        assert_true(s->parent < i && s->depth == parent->depth + 1 && s->depth <= SONDE_READ_DEPTH_MAX);
        assert_true(s->start <= s->end && s->end <= parent->end && s->start >= parent->start);
        assert_true(s->next > i && s->next <= parent->next);
    }
    struct sonde_tape again;
    struct bytes b = encode(tape, labels);
    sonde_tape_init(&again);
    assert_int_equal(sonde_tape_decode(&again, labels, b.data, b.n), 0);
    assert_int_equal(sonde_tape_compare(tape, &again), 0);
    sonde_tape_clear(&again);
    sonde_free(b.data);
    char *text = sonde_tape_to_text(tape, labels);
    assert_memory_equal(text, "s1:", 3);
    sonde_free(text);
}

/* Both readers on any bytes, from a copy of exactly their size. Returns what the strict one said. */
static int read_exactly(const uint8_t *data, size_t n)
{
    struct sonde_tape script;
    struct sonde_labels labels;
    uint8_t *copy = malloc(n ? n : 1);
    if (n) memcpy(copy, data, n);
    sonde_tape_init(&script);
    sonde_labels_init(&labels);
    sonde_tape_decode_any(&script, &labels, copy, n);
    assert_sound(&script, &labels);
    int result = sonde_tape_decode(&script, &labels, copy, n);
    if (result == 0) assert_sound(&script, &labels);
    else assert_true(script.n_choices == 0 && script.n_spans == 1);
    free(copy);
    sonde_tape_clear(&script);
    sonde_labels_clear(&labels);
    return result;
}

/* ---- Round trips */

static void decoding_gives_the_tape_back(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_tape script;
    tapes_everything(&b);
    struct bytes encoded = encode(&b.tape, &b.labels);
    sonde_tape_init(&script);
    assert_int_equal(sonde_tape_decode(&script, &b.labels, encoded.data, encoded.n), 0);
    assert_same_tape(&b.tape, &script);
    sonde_tape_decode_any(&script, &b.labels, encoded.data, encoded.n);
    assert_same_tape(&b.tape, &script);
    sonde_tape_decode_any(&script, &b.labels, encoded.data + 5, encoded.n - 13); /* the body alone */
    assert_same_tape(&b.tape, &script);
    sonde_free(encoded.data);
    sonde_tape_clear(&script);
    tapes_clear(&b);
}

static void decoding_needs_no_labels_of_before(void **state)
{
    (void)state;
    struct tapes b, other;
    struct bytes encoded = encode_everything();
    tapes_everything(&b);
    tapes_begin(&other);
    assert_int_equal(sonde_tape_decode(&other.tape, &other.labels, encoded.data, encoded.n), 0);
    char *want = sonde_tape_to_text(&b.tape, &b.labels), *got = sonde_tape_to_text(&other.tape, &other.labels);
    assert_string_equal(got, want);
    sonde_free(want);
    sonde_free(got);
    sonde_free(encoded.data);
    tapes_clear(&b);
    tapes_clear(&other);
}

static void encoding_is_canonical(void **state)
{
    (void)state;
    struct bytes first = encode_everything();
    struct tapes b;
    tapes_begin(&b);
    assert_int_equal(sonde_tape_decode(&b.tape, &b.labels, first.data, first.n), 0);
    struct bytes second = encode(&b.tape, &b.labels);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.data, second.data, first.n);
    sonde_free(first.data);
    sonde_free(second.data);
    tapes_clear(&b);
}

static void literals_and_holes_survive(void **state)
{
    (void)state;
    static const char text[] = "s1:a=hello%20you b=? t{?} xs[{x=1} ?] #size=3";
    struct tapes b, other;
    tapes_begin(&b);
    assert_int_equal(sonde_tape_from_text(&b.tape, &b.labels, text, strlen(text), NULL), 0);
    struct bytes encoded = encode(&b.tape, &b.labels);
    tapes_begin(&other);
    assert_int_equal(sonde_tape_decode(&other.tape, &other.labels, encoded.data, encoded.n), 0);
    char *got = sonde_tape_to_text(&other.tape, &other.labels);
    assert_string_equal(got, text);
    sonde_free(got);
    sonde_free(encoded.data);
    tapes_clear(&b);
    tapes_clear(&other);
}

static void contents_are_not_taken_for_alphabets(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    tapes_blob(&b, "bytes", sonde_alphabet_make(SONDE_ALPHABET_BYTES, NULL), 0, 9, "ab\0", 3);
    tapes_blob(&b, "s", sonde_alphabet_make(SONDE_ALPHABET_CUSTOM, "ab"), 0, 9, "b", 1);
    sonde_tape_set_symbol(&b.tape, &b.tape.choices[0], 0, 'z');
    assert_string_equal(sonde_choice_blob(&b.tape, &b.tape.choices[1]).alphabet.text, "ab");
    tapes_clear(&b);
}

static void a_repeated_choice_takes_two_bytes(void **state)
{
    (void)state;
    struct tapes b;
    size_t sizes[2];
    for (int more = 0; more < 2; more++) {
        tapes_begin(&b);
        for (int i = 0; i < 10 + 100 * more; i++) tapes_int(&b, "x", 0, 1000000, i);
        sonde_tape_end(&b.tape);
        struct bytes encoded = encode(&b.tape, &b.labels);
        sizes[more] = encoded.n;
        sonde_free(encoded.data);
        tapes_clear(&b);
    }
    assert_int_equal(sizes[1] - sizes[0], 200);
}

static void the_documented_example_holds(void **state)
{
    (void)state;
    static const uint8_t want[] = {'s',       'o',
                                   'n',       'd',
                                   1, /* magic, version */
                                   3,         't',
                                   0,         'x',
                                   0,         'b',
                                   0,            /* three labels */
                                   0 * 4 + 1, 0, /* open t, no flags */
                                   1 * 4 + 2, SONDE_KIND_INT,
                                   10,        0,
                                   3,            /* x in 0..10: index 3 */
                                   1 * 4 + 3, 7, /* x, the same domain: index 7 */
                                   2 * 4 + 2, SONDE_KIND_BOOL,
                                   1,         1, /* b: index 1 of 0..1 */
                                   0,            /* close */
                                   0xb5,      0x27,
                                   0x76,      0x08,
                                   0x3e,      0x18,
                                   0x3f,      0xbd};
    struct tapes b;
    tapes_begin(&b);
    tapes_open(&b, "t", 0);
    tapes_int(&b, "x", 0, 10, 3);
    tapes_int(&b, "x", 0, 10, 7);
    tapes_uint(&b, SONDE_KIND_BOOL, "b", 0, 1, 1);
    tapes_close(&b);
    sonde_tape_end(&b.tape);
    struct bytes encoded = encode(&b.tape, &b.labels);
    assert_int_equal(encoded.n, sizeof want);
    assert_memory_equal(encoded.data, want, sizeof want);
    sonde_free(encoded.data);
    tapes_clear(&b);
}

/* ---- The strict reader */

static void every_truncation_is_refused(void **state)
{
    (void)state;
    struct bytes b = encode_everything();
    for (size_t n = 0; n < b.n; n++) assert_int_equal(read_exactly(b.data, n), -EINVAL);
    assert_int_equal(read_exactly(b.data, b.n), 0);
    sonde_free(b.data);
}

/* The checksum is made right again, so that what is tested is the parser behind it. */
static void truncated_bodies_with_a_right_checksum_are_refused(void **state)
{
    (void)state;
    struct bytes b = encode_everything();
    int n_accepted = 0;
    for (size_t n = 13; n < b.n; n++) {
        uint8_t *copy = malloc(n);
        memcpy(copy, b.data, n);
        seal(copy, n);
        n_accepted += read_exactly(copy, n) == 0;
        free(copy);
    }
    assert_int_equal(n_accepted, 0); /* a label is missing, or unused, or a span is open, or an end is short */
    sonde_free(b.data);
}

static void every_change_of_one_byte_is_refused(void **state)
{
    (void)state;
    struct bytes b = encode_small();
    const unsigned step = is_short() ? 7 : 1;
    for (size_t i = 0; i < b.n; i++) {
        uint8_t old = b.data[i];
        for (unsigned byte = 0; byte < 256; byte += step) {
            b.data[i] = (uint8_t)byte;
            int want = byte == old ? 0 : i == 4 && byte > SONDE_CODEC_VERSION ? -ENOTSUP : -EINVAL;
            assert_int_equal(read_exactly(b.data, b.n), want);
        }
        b.data[i] = old;
    }
    sonde_free(b.data);
}

/* With the checksum made right, a change may give another tape; then it is that tape's own encoding (assert_sound). */
static void changed_bytes_with_a_right_checksum_are_read_soundly(void **state)
{
    (void)state;
    if (is_short()) return;
    struct bytes b = encode_small();
    int n_accepted = 0;
    for (size_t i = 5; i + 8 < b.n; i++) {
        uint8_t old = b.data[i];
        for (unsigned byte = 0; byte < 256; byte++) {
            b.data[i] = (uint8_t)byte;
            seal(b.data, b.n);
            n_accepted += read_exactly(b.data, b.n) == 0;
        }
        b.data[i] = old;
    }
    assert_true(n_accepted > 256);
    sonde_free(b.data);
}

static void second_ways_to_write_a_tape_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        uint8_t body[24];
        size_t n;
        int want;
    } cases[] = {
        {"nothing", {0}, 1, 0},
        {"one choice", {1, 'x', 0, 2, SONDE_KIND_BOOL, 1, 1}, 7, 0},
        {"a number with a group too many", {1, 'x', 0, 2, SONDE_KIND_BOOL, 1, 0x81, 0}, 8, -EINVAL},
        {"a label that is not used", {2, 'x', 0, 'y', 0, 2, SONDE_KIND_BOOL, 1, 1}, 9, -EINVAL},
        {"a label twice", {2, 'x', 0, 'x', 0, 2, SONDE_KIND_BOOL, 1, 1, 6, SONDE_KIND_BOOL, 1, 1}, 13, -EINVAL},
        {"labels out of order", {2, 'y', 0, 'x', 0, 6, SONDE_KIND_BOOL, 1, 1, 2, SONDE_KIND_BOOL, 1, 1}, 13, -EINVAL},
        {"a domain said twice", {1, 'x', 0, 2, SONDE_KIND_BOOL, 1, 1, 2, SONDE_KIND_BOOL, 1, 1}, 11, -EINVAL},
        {"an index out of its domain", {1, 'x', 0, 2, SONDE_KIND_BOOL, 1, 2}, 7, -EINVAL},
        {"no such kind", {1, 'x', 0, 2, 15, 1, 1}, 7, -EINVAL},
        {"like nothing", {1, 'x', 0, 3, 1}, 5, -EINVAL},
        {"no such label", {1, 'x', 0, 6, SONDE_KIND_BOOL, 1, 1}, 7, -EINVAL},
        {"a close too many", {0, 0}, 2, -EINVAL},
        {"a span left open", {1, 't', 0, 1, 0}, 5, -EINVAL},
        {"no such flag", {1, 't', 0, 1, 16, 0}, 6, -EINVAL},
        {"a close with a label", {1, 't', 0, 1, 0, 4}, 6, -EINVAL},
        {"a blob longer than allowed", {1, 's', 0, 2, SONDE_KIND_BLOB, 0, 0, 1, 2, 'a', 'b'}, 11, -EINVAL},
        {"a blob shorter than allowed", {1, 's', 0, 2, SONDE_KIND_BLOB, 0, 3, 4, 2, 'a', 'b'}, 11, -EINVAL},
        {"an empty alphabet", {1, 's', 0, 2, SONDE_KIND_BLOB, 3, 0, 0, 4, 0}, 10, -EINVAL},
        {"a symbol out of the alphabet", {1, 's', 0, 2, SONDE_KIND_BLOB, 3, 'a', 0, 0, 4, 1, 1}, 12, -EINVAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t data[64] = {'s', 'o', 'n', 'd', SONDE_CODEC_VERSION};
        memcpy(data + 5, cases[i].body, cases[i].n);
        seal(data, cases[i].n + 13);
        if (read_exactly(data, cases[i].n + 13) != cases[i].want) fail_msg("%s", cases[i].what);
    }
}

static void newer_versions_are_told_apart(void **state)
{
    (void)state;
    uint8_t data[] = {'s', 'o', 'n', 'd', 2, 1, 2, 3};
    assert_int_equal(read_exactly(data, sizeof data), -ENOTSUP);
    data[4] = 0;
    assert_int_equal(read_exactly(data, sizeof data), -EINVAL);
}

/* ---- The reader of anything */

static void random_bytes_are_scripts(void **state)
{
    (void)state;
    uint64_t n_choices = 0;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct sonde_rng rng;
        sonde_rng_seed(&rng, seed, 0);
        for (int round = 0; round < 500; round++) {
            struct tapes b;
            uint8_t data[100];
            size_t n = sonde_rng_upto(&rng, sizeof data);
            for (size_t i = 0; i < n; i++) data[i] = (uint8_t)sonde_rng_next(&rng);
            if (n > 3) data[0] = 1, data[1] = 'x', data[2] = 0;
            read_exactly(data, n);
            tapes_begin(&b);
            sonde_tape_decode_any(&b.tape, &b.labels, data, n);
            n_choices += b.tape.n_choices;
            tapes_clear(&b);
        }
    }
    assert_true(n_choices > 5000);
}

static void several_changes_are_read_soundly(void **state)
{
    (void)state;
    if (is_short()) return;
    struct bytes b = encode_everything();
    uint8_t *copy = malloc(b.n);
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct sonde_rng rng;
        sonde_rng_seed(&rng, seed, 0);
        memcpy(copy, b.data, b.n);
        for (int i = 0; i < 4; i++) copy[sonde_rng_upto(&rng, b.n - 1)] = (uint8_t)sonde_rng_next(&rng);
        read_exactly(copy, b.n);
    }
    free(copy);
    sonde_free(b.data);
}

static void a_small_change_of_bytes_is_a_small_change_of_the_script(void **state)
{
    (void)state;
    struct tapes b;
    struct sonde_tape script;
    tapes_begin(&b);
    for (int i = 0; i < 50; i++) tapes_int(&b, "x", 0, 100, i);
    sonde_tape_end(&b.tape);
    struct bytes encoded = encode(&b.tape, &b.labels);
    sonde_tape_init(&script);
    encoded.data[encoded.n - 9] ^= 1; /* the last index */
    sonde_tape_decode_any(&script, &b.labels, encoded.data, encoded.n);
    assert_int_equal(script.n_choices, 50);
    assert_int_equal(script.choices[49].index, 49 ^ 1);
    for (uint32_t i = 0; i < 49; i++) assert_int_equal(script.choices[i].index, i);
    encoded.data[encoded.n - 9] = 127; /* folded */
    sonde_tape_decode_any(&script, &b.labels, encoded.data, encoded.n);
    assert_int_equal(script.choices[49].index, 127 % 101);
    sonde_free(encoded.data);
    sonde_tape_clear(&script);
    tapes_clear(&b);
}

static void what_came_before_the_damage_is_kept(void **state)
{
    (void)state;
    static const uint8_t body[] = {1, 'x', 0, 2, SONDE_KIND_INT, 10, 0, 3, 3, 4, 3};
    struct tapes b;
    tapes_begin(&b);
    sonde_tape_decode_any(&b.tape, &b.labels, body, sizeof body);
    assert_int_equal(b.tape.n_choices, 2);
    assert_int_equal(b.tape.choices[0].index, 3);
    assert_int_equal(b.tape.choices[1].index, 4);
    tapes_clear(&b);
}

static void a_blob_cut_short_keeps_what_there_is(void **state)
{
    (void)state;
    static const uint8_t body[] = {1, 's', 0, 2, SONDE_KIND_BLOB, 0, 0, 100, 50, 'a', 'b', 'c'};
    struct tapes b;
    tapes_begin(&b);
    sonde_tape_decode_any(&b.tape, &b.labels, body, sizeof body);
    assert_int_equal(b.tape.n_choices, 1);
    struct sonde_blob blob = sonde_choice_blob(&b.tape, &b.tape.choices[0]);
    assert_int_equal(blob.len, 3);
    assert_int_equal(sonde_blob_symbol(&blob, 2), 'c');
    tapes_clear(&b);
}

static void a_text_cut_short_keeps_what_there_is(void **state)
{
    (void)state;
    static const uint8_t body[] = {1, 's', 0, 2, SONDE_KIND_BLOB, SONDE_ALPHABET_UTF8, 0, 100, 3, 1, 2, 0x80};
    struct tapes b;
    tapes_begin(&b);
    sonde_tape_decode_any(&b.tape, &b.labels, body, sizeof body);
    char *text = sonde_tape_to_text(&b.tape, &b.labels);
    assert_string_equal(text, "s1:s=bc");
    sonde_free(text);
    tapes_clear(&b);
}

static void made_up_labels_leave_room_for_real_ones(void **state)
{
    (void)state;
    struct tapes b;
    tapes_begin(&b);
    for (unsigned i = 0; i < SONDE_LABELS_MAX; i++) {
        uint8_t body[] = {1, (uint8_t)('0' + i % 64), (uint8_t)('0' + i / 64 % 64), (uint8_t)('0' + i / 4096), 0};
        sonde_tape_decode_any(&b.tape, &b.labels, body, sizeof body);
    }
    assert_int_equal(b.labels.n, SONDE_LABELS_MAX / 2);
    assert_int_not_equal(sonde_label_intern(&b.labels, "real"), 0);
    static const uint8_t known[] = {1, 'r', 'e', 'a', 'l', 0, 2, SONDE_KIND_BOOL, 1, 1};
    sonde_tape_decode_any(&b.tape, &b.labels, known, sizeof known);
    assert_int_equal(b.tape.choices[0].label, sonde_label_intern(&b.labels, "real"));
    tapes_clear(&b);
}

/* ---- Limits */

/* `prefix`, then `unit` n times. */
static struct bytes repeat(const uint8_t *prefix, size_t n_prefix, const uint8_t *unit, size_t n_unit, size_t n)
{
    struct bytes b = {malloc(n_prefix + n * n_unit), n_prefix + n * n_unit};
    memcpy(b.data, prefix, n_prefix);
    for (size_t i = 0; i < n; i++) memcpy(b.data + n_prefix + i * n_unit, unit, n_unit);
    return b;
}

static void assert_bounded(struct bytes body, uint32_t choices, uint32_t spans)
{
    struct tapes b;
    tapes_begin(&b);
    sonde_tape_decode_any(&b.tape, &b.labels, body.data, body.n);
    assert_int_equal(b.tape.n_choices, choices);
    assert_int_equal(b.tape.n_spans, spans);
    assert_true(b.tape.n_bytes <= SONDE_READ_BYTES_MAX);
    tapes_clear(&b);
    free(body.data);
}

static void counts_and_depth_are_bounded(void **state)
{
    (void)state;
    if (is_short()) return;
    static const uint8_t label[] = {1, 'x', 0}, open[] = {1, 0}, open_close[] = {1, 0, 0};
    static const uint8_t first[] = {1, 'x', 0, 2, SONDE_KIND_BOOL, 1, 1}, like[] = {3, 1};
    assert_bounded(repeat(label, 3, open, 2, 1000000), 0, SONDE_READ_DEPTH_MAX + 1);
    assert_bounded(repeat(label, 3, open_close, 3, SONDE_READ_SPANS_MAX + 9), 0, SONDE_READ_SPANS_MAX);
    assert_bounded(repeat(first, sizeof first, like, 2, SONDE_READ_CHOICES_MAX + 9), SONDE_READ_CHOICES_MAX, 1);
}

static void huge_counts_cost_nothing(void **state)
{
    (void)state;
    if (is_short()) return;
    static const uint8_t labels[] = {0xff, 0xff, 0xff, 0xff, 0x0f, 'x', 0};
    static const uint8_t blob[] = {1,    's',  0,    2,    SONDE_KIND_BLOB,
                                   0,    0,    0xff, 0xff, 0xff,
                                   0xff, 0x0f, 0xff, 0xff, 0xff,
                                   0xff, 0x0f, 'a'};
    static const uint8_t literal[] = {1, 's', 0, 2, SONDE_KIND_LITERAL, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 'a'};
    static const uint8_t head[] = {1, 's', 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    read_exactly(labels, sizeof labels);
    read_exactly(blob, sizeof blob);
    read_exactly(literal, sizeof literal);
    read_exactly(head, sizeof head);
}

/* Many blobs over one long alphabet: small in bytes, large once unpacked. */
static void alphabets_cannot_be_used_to_stall(void **state)
{
    (void)state;
    if (is_short()) return;
    enum { LONG = 60000, MANY = 1000000 };
    uint8_t *prefix = malloc(LONG + 16);
    static const uint8_t like[] = {3, 0};
    size_t n = 0;
    memcpy(prefix, (uint8_t[]){1, 's', 0, 2, SONDE_KIND_BLOB, SONDE_ALPHABET_CUSTOM}, 6);
    n += 6;
    for (int i = 0; i < LONG; i++) prefix[n++] = (uint8_t)('a' + i % 26);
    memcpy(prefix + n, (uint8_t[]){0, 0, 9, 0}, 4);
    n += 4;
    struct bytes body = repeat(prefix, n, like, sizeof like, MANY);
    struct tapes b;
    tapes_begin(&b);
    sonde_tape_decode_any(&b.tape, &b.labels, body.data, body.n);
    assert_in_range(b.tape.n_choices, 100, MANY / 2);
    tapes_clear(&b);
    free(prefix);
    free(body.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_gives_the_tape_back),
        cmocka_unit_test(decoding_needs_no_labels_of_before),
        cmocka_unit_test(encoding_is_canonical),
        cmocka_unit_test(literals_and_holes_survive),
        cmocka_unit_test(contents_are_not_taken_for_alphabets),
        cmocka_unit_test(a_repeated_choice_takes_two_bytes),
        cmocka_unit_test(the_documented_example_holds),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(truncated_bodies_with_a_right_checksum_are_refused),
        cmocka_unit_test(every_change_of_one_byte_is_refused),
        cmocka_unit_test(changed_bytes_with_a_right_checksum_are_read_soundly),
        cmocka_unit_test(second_ways_to_write_a_tape_are_refused),
        cmocka_unit_test(newer_versions_are_told_apart),
        cmocka_unit_test(random_bytes_are_scripts),
        cmocka_unit_test(several_changes_are_read_soundly),
        cmocka_unit_test(a_small_change_of_bytes_is_a_small_change_of_the_script),
        cmocka_unit_test(what_came_before_the_damage_is_kept),
        cmocka_unit_test(a_blob_cut_short_keeps_what_there_is),
        cmocka_unit_test(a_text_cut_short_keeps_what_there_is),
        cmocka_unit_test(made_up_labels_leave_room_for_real_ones),
        cmocka_unit_test(counts_and_depth_are_bounded),
        cmocka_unit_test(huge_counts_cost_nothing),
        cmocka_unit_test(alphabets_cannot_be_used_to_stall),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
