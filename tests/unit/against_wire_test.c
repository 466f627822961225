/* Messages of --against arrive as they were sent; other bytes are refused. */
#include "lib/mocka.h"

#include "exec/against_wire.h"

#include <stdlib.h>

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void a_message_arrives_as_it_was_sent(void **state)
{
    (void)state;
    int ends[2];
    char type;
    struct sonde_bytes in = {0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_true(sonde_against_send(ends[0], 'T', "hello", 5));
    assert_true(sonde_against_send(ends[0], 'G', "", 0));
    assert_true(sonde_against_receive(ends[1], 1, &in, &type));
    assert_int_equal(type, 'T');
    assert_int_equal(in.n, 5);
    assert_memory_equal(in.data, "hello", 5);
    assert_true(sonde_against_receive(ends[1], 1, &in, &type));
    assert_int_equal(in.n, 0);
    assert_false(sonde_against_receive(ends[1], 0.05, &in, &type)); /* nothing more within the time */
    close(ends[0]);
    assert_false(sonde_against_receive(ends[1], 1, &in, &type)); /* the other side is gone */
    close(ends[1]);
    sonde_bytes_clear(&in);
}

static void bytes_that_are_no_message_are_refused(void **state)
{
    (void)state;
    static const uint8_t lies[][5] = {{0, 0, 0, 0, 'T'}, {0xff, 0xff, 0xff, 0xff, 'T'}, {200, 0, 0, 0, 'T'}};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        int ends[2];
        char type;
        struct sonde_bytes in = {0};
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
        assert_int_equal(write(ends[0], lies[i], sizeof lies[i]), sizeof lies[i]);
        close(ends[0]);
        assert_false(sonde_against_receive(ends[1], 1, &in, &type));
        close(ends[1]);
        sonde_bytes_clear(&in);
    }
}

static void fill(struct sonde_against_reply *reply)
{
    *reply = (struct sonde_against_reply){.verdict = SONDE_FAILED, .kind = SONDE_CLAIM_CRASH, .brief = 77};
    reply->draws_differ = true;
    reply->where = (struct sonde_disagreement){3, 4, "draw 4"};
    snprintf(reply->words, sizeof reply->words, "SIGSEGV");
    sonde_observed_add(&reply->observed, "n", SONDE_OBSERVED_NUMBER, "12", 2);
    sonde_observed_add(&reply->observed, "nothing", SONDE_OBSERVED_NULL, "", 0);
    sonde_observed_add(&reply->observed, "packed", SONDE_OBSERVED_MEMORY, "a\0b", 3);
    reply->observed.all[2].draws = 9;
}

static void a_reply_is_read_as_it_was_written(void **state)
{
    (void)state;
    struct sonde_against_reply reply, back;
    struct sonde_bytes bytes = {0};
    char difference[100];
    fill(&reply);
    sonde_against_put_reply(&bytes, &reply);
    assert_true(sonde_against_read_reply(bytes.data, bytes.n, &back));
    assert_int_equal(back.verdict, SONDE_FAILED);
    assert_int_equal(back.brief, 77);
    assert_true(back.draws_differ);
    assert_string_equal(back.where.text, "draw 4");
    assert_string_equal(back.words, "SIGSEGV");
    assert_int_equal(back.observed.all[2].draws, 9);
    assert_false(sonde_observed_differ(&reply.observed, &back.observed, difference, sizeof difference));
    sonde_observed_clear(&back.observed);
    sonde_observed_clear(&reply.observed);
    sonde_bytes_clear(&bytes);
}

/* Every shorter reply, and every reply with one byte changed, is refused or read, never read beyond its end. */
static void a_damaged_reply_is_harmless(void **state)
{
    (void)state;
    struct sonde_against_reply reply, back;
    struct sonde_bytes bytes = {0};
    fill(&reply);
    sonde_against_put_reply(&bytes, &reply);
    for (uint32_t n = 0; n < bytes.n; n++) {
        uint8_t *copy = malloc(n + 1u);
        memcpy(copy, bytes.data, n);
        assert_false(sonde_against_read_reply(copy, n, &back));
        sonde_observed_clear(&back.observed);
        free(copy);
    }
    for (uint32_t i = 0; i < bytes.n; i++) {
        uint8_t before = bytes.data[i];
        bytes.data[i] = (uint8_t)(before ^ 0xff);
        sonde_against_read_reply(bytes.data, bytes.n, &back);
        sonde_observed_clear(&back.observed);
        bytes.data[i] = before;
    }
    sonde_observed_clear(&reply.observed);
    sonde_bytes_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_arrives_as_it_was_sent),
        cmocka_unit_test(bytes_that_are_no_message_are_refused),
        cmocka_unit_test(a_reply_is_read_as_it_was_written),
        cmocka_unit_test(a_damaged_reply_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
