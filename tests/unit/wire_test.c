/* The wire between a run and its agent: what goes in comes out, whole and in order, however it is cut; and bytes that
 * no agent writes do no harm. */
#include "lib/mocka.h"

#include "base/mem.h"
#include "share/wire.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct ends {
    struct sonde_wire a, b;
};

static void open_ends(struct ends *e)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    sonde_wire_init(&e->a, fds[0]);
    sonde_wire_init(&e->b, fds[1]);
}

static void close_ends(struct ends *e)
{
    sonde_wire_close(&e->a);
    sonde_wire_close(&e->b);
}

static void messages_come_out_whole_and_in_order(void **state)
{
    (void)state;
    enum { N = 300 };
    struct ends e;
    struct sonde_wire_message m;
    char *text = sonde_malloc(N * 100);
    memset(text, 'x', N * 100);
    open_ends(&e);
    unsigned taken = 0;
    for (unsigned i = 0; i < N; i++) {
        assert_true(sonde_wire_put(&e.a, 'T', text, i * 100, 1 << 24));
        assert_true(sonde_wire_move(&e.a));
        if (i % 50) continue;
        assert_true(sonde_wire_move(&e.b));
        while (sonde_wire_take(&e.b, &m)) assert_int_equal(m.n, 100 * taken++);
    }
    for (unsigned i = 0; taken < N && i < 100000; i++) {
        sonde_wire_move(&e.a);
        sonde_wire_move(&e.b);
        while (sonde_wire_take(&e.b, &m)) assert_int_equal(m.n, 100 * taken++);
    }
    assert_int_equal(taken, N);
    sonde_free(text);
    close_ends(&e);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct ends e;
    char text[1000] = "";
    open_ends(&e);
    assert_true(sonde_wire_put(&e.a, 'T', text, 900, 1000));
    assert_false(sonde_wire_put(&e.a, 'T', text, 900, 1000));
    assert_true(sonde_wire_put(&e.a, 'F', text, 900, 2000));
    close_ends(&e);
    assert_false(sonde_wire_put(&e.a, 'T', text, 1, 1000));
}

static void what_was_sent_is_read_after_the_sender_has_gone(void **state)
{
    (void)state;
    struct ends e;
    struct sonde_wire_message m;
    open_ends(&e);
    sonde_wire_put(&e.a, 'F', "last words", 10, 1000);
    sonde_wire_move(&e.a);
    sonde_wire_close(&e.a);
    assert_true(sonde_wire_move(&e.b));
    assert_true(sonde_wire_take(&e.b, &m));
    assert_memory_equal(m.data, "last words", 10);
    assert_false(sonde_wire_move(&e.b));
    sonde_wire_put(&e.b, 'T', "to nobody", 9, 1000); /* no signal, no wait */
    assert_false(sonde_wire_move(&e.b));
    close_ends(&e);
}

static void a_length_that_cannot_be_ends_the_wire(void **state)
{
    (void)state;
    static const uint8_t wrong[][5] = {{0, 0, 0, 0, 'T'}, {255, 255, 255, 255, 'T'}, {2, 0, 16, 0, 'T'}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ends e;
        struct sonde_wire_message m;
        open_ends(&e);
        assert_int_equal(write(e.a.fd, wrong[i], 5), 5);
        assert_false(sonde_wire_move(&e.b));
        assert_false(sonde_wire_take(&e.b, &m));
        close_ends(&e);
    }
}

static const struct sonde_shared_failure failure = {.id = "0123456789abcdef",
                                                    .is_shrunk = true,
                                                    .kind = "check",
                                                    .message = "a != b",
                                                    .place = "a.c:7",
                                                    .found = "",
                                                    .text = "s1:x=3"};

static void a_failure_comes_back_as_it_was(void **state)
{
    (void)state;
    struct sonde_bytes b = {0};
    struct sonde_shared_failure back;
    sonde_wire_add_failure(&b, &failure);
    assert_true(sonde_wire_read_failure(b.data, b.n, &back));
    assert_string_equal(back.id, failure.id);
    assert_string_equal(back.place, failure.place);
    assert_string_equal(back.text, failure.text);
    assert_true(back.is_shrunk);
    for (uint32_t n = 0; n < b.n; n++) assert_false(sonde_wire_read_failure(b.data, n, &back));
    sonde_bytes_clear(&b);
}

static void damaged_failures_do_no_harm(void **state)
{
    (void)state;
    struct sonde_bytes b = {0};
    struct sonde_rng rng;
    sonde_rng_seed(&rng, 25, 1);
    sonde_wire_add_failure(&b, &failure);
    uint8_t *copy = sonde_malloc(b.n);
    unsigned good = 0;
    for (unsigned i = 0; i < 100000; i++) {
        struct sonde_shared_failure back;
        memcpy(copy, b.data, b.n);
        for (unsigned k = 0; k < 1 + i % 4; k++)
            copy[sonde_rng_upto(&rng, b.n - 1)] = (uint8_t)sonde_rng_upto(&rng, 255);
        if (!sonde_wire_read_failure(copy, b.n - (uint32_t)sonde_rng_upto(&rng, 3), &back)) continue;
        good++;
        assert_true(sonde_failure_id_is_good(back.id, strlen(back.id))); /* it becomes the name of a file */
        assert_true(strlen(back.text) < b.n);
    }
    assert_true(good > 0 && good < 100000);
    sonde_free(copy);
    sonde_bytes_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_come_out_whole_and_in_order),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(what_was_sent_is_read_after_the_sender_has_gone),
        cmocka_unit_test(a_length_that_cannot_be_ends_the_wire),
        cmocka_unit_test(a_failure_comes_back_as_it_was),
        cmocka_unit_test(damaged_failures_do_no_harm),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
