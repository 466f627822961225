/* The agent between a run and a shared location: here the location is a table in memory and the run is the test. */
#include "lib/mocka.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "share/place.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- A place in memory, which can be made to fail. Written by the test before the agent starts, and by the agent
 * then. */

static struct {
    struct sonde_notice notices[256];
    char texts[256][64];
    unsigned n, visited, put, fetched, opened, put_calls, fetch_calls;
    const char *refuses; /* the connection breaks there, once */
    bool is_closed, is_out_of_order;
    char put_text[64][64];
    unsigned n_failures, n_shrunk, claims, releases;
    int claim;
    bool is_full;
    unsigned damaged_until; /* notices before that number cannot be fetched */
    const char *foreign;    /* failures of another worker */
    unsigned n_foreign, told;
} table;

static struct sonde_shared_place *open_table(const struct sonde_place_setup *setup, char *message, size_t size)
{
    (void)setup;
    table.opened++;
    snprintf(message, size, "the table is not there");
    return table.is_out_of_order ? NULL : (struct sonde_shared_place *)(void *)&table;
}

static void close_table(struct sonde_shared_place *p)
{
    (void)p;
    table.is_closed = true;
}

static void put(struct sonde_shared_place *p, struct sonde_shared_tape *tapes, uint32_t n)
{
    (void)p;
    table.put_calls++;
    assert_true(n > 0 && n <= SONDE_TAPES_AT_ONCE);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(tapes[i].notice.name == sonde_hash_text(SONDE_WIRE_VERSION, tapes[i].text));
        tapes[i].error = table.is_full                                            ? -EFBIG
                         : table.refuses && !strcmp(tapes[i].text, table.refuses) ? -ENOTCONN
                                                                                  : 0;
        if (!tapes[i].error) snprintf(table.put_text[table.put++ % 64], 64, "%s", tapes[i].text);
    }
    for (uint32_t i = 0; i < n; i++)
        if (tapes[i].error) table.refuses = NULL;
}

static int look(struct sonde_shared_place *p, sonde_notice_visit *visit, void *context)
{
    (void)p;
    while (table.visited < table.n && visit(context, &table.notices[table.visited])) table.visited++;
    return 0;
}

static void fetch(struct sonde_shared_place *p, struct sonde_shared_tape *tapes, uint32_t n)
{
    (void)p;
    table.fetch_calls++;
    assert_true(n > 0 && n <= SONDE_TAPES_AT_ONCE);
    for (uint32_t i = 0; i < n; i++) {
        table.fetched++;
        tapes[i].error = tapes[i].notice.name < table.damaged_until ? -EINVAL : 0;
        if (tapes[i].error) continue;
        tapes[i].text = sonde_strdup(table.texts[tapes[i].notice.name]);
        tapes[i].n = strlen(tapes[i].text);
    }
}

static int put_failure(struct sonde_shared_place *p, const struct sonde_shared_failure *f)
{
    (void)p;
    table.n_failures++;
    table.n_shrunk += f->is_shrunk;
    return 0;
}

static int look_for_failures(struct sonde_shared_place *p, sonde_shared_failure_visit *visit, void *context)
{
    (void)p;
    struct sonde_shared_failure f = {
        .id = "0123456789abcdef", .kind = "", .message = "", .place = "", .found = "", .text = table.foreign};
    while (table.told < table.n_foreign && visit(context, &f)) table.told++;
    return 0;
}

static int claim(struct sonde_shared_place *p, const char *id)
{
    (void)p, (void)id;
    table.claims++;
    return table.claim;
}

static int release(struct sonde_shared_place *p, const char *id)
{
    (void)p, (void)id;
    table.releases++;
    return 0;
}

static int report(struct sonde_shared_place *p, const char *text)
{
    (void)p, (void)text;
    return 0;
}

static const struct sonde_place_ops ops = {.open = open_table,
                                           .close = close_table,
                                           .put = put,
                                           .look = look,
                                           .fetch = fetch,
                                           .put_failure = put_failure,
                                           .look_for_failures = look_for_failures,
                                           .claim = claim,
                                           .release = release,
                                           .report = report};

static void add(const char *text, uint8_t n_keys, uint32_t a, uint32_t b)
{
    snprintf(table.texts[table.n], sizeof table.texts[0], "%s", text);
    table.notices[table.n] = (struct sonde_notice){.name = table.n, .n_keys = n_keys, .keys = {a, b}};
    table.n++;
}

/* ---- The run */

struct run {
    struct sonde_wire wire;
    int theirs;
    pthread_t agent;
};

static void *run_agent(void *arg)
{
    static const struct sonde_place_setup setup = {.name = "table"};
    struct run *r = arg;
    sonde_agent_run(&ops, &setup, r->theirs);
    return NULL;
}

/* Messages sent before the agent begins are there when it does. */
static void open_wire(struct run *r)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    sonde_wire_init(&r->wire, ends[0]);
    r->theirs = ends[1];
}

static void begin_agent(struct run *r)
{
    assert_int_equal(pthread_create(&r->agent, NULL, run_agent, r), 0);
}

static void start(struct run *r)
{
    open_wire(r);
    begin_agent(r);
}

static void stop(struct run *r)
{
    for (int i = 0; i < 1000 && sonde_wire_waiting(&r->wire); i++) sonde_wire_move(&r->wire), usleep(1000);
    sonde_wire_close(&r->wire);
    pthread_join(r->agent, NULL);
}

static void tell(struct run *r, char type, const void *data, uint32_t n)
{
    assert_true(sonde_wire_put(&r->wire, type, data, n, 1 << 20));
    sonde_wire_move(&r->wire);
}

static void tell_keys(struct run *r, uint32_t first, uint32_t n)
{
    struct sonde_bytes b = {0};
    for (uint32_t i = 0; i < n; i++) sonde_bytes_add_u32(&b, first + i);
    tell(r, 'K', b.data, b.n);
    sonde_bytes_clear(&b);
}

static void tell_tape(struct run *r, const char *text, uint32_t key)
{
    struct sonde_bytes b = {0};
    sonde_bytes_add(&b, "\1", 1);
    sonde_bytes_add_u32(&b, key);
    sonde_bytes_add(&b, text, strlen(text));
    tell(r, 'T', b.data, b.n);
    sonde_bytes_clear(&b);
}

/* The next message of that type; NULL if none comes for so long that none will. */
static const char *await(struct run *r, char type, double seconds)
{
    static char text[256];
    struct sonde_wire_message m;
    for (double end = sonde_clock_now() + seconds; sonde_clock_now() < end; usleep(2000)) {
        sonde_wire_move(&r->wire);
        while (sonde_wire_take(&r->wire, &m)) {
            if (m.type != type) continue;
            snprintf(text, sizeof text, "%.*s", (int)m.n, (const char *)m.data);
            return text;
        }
    }
    return NULL;
}

static int begin(void **state)
{
    (void)state;
    memset(&table, 0, sizeof table);
    return 0;
}

static const double long_enough = 60, a_while = 1;

static void only_what_would_be_new_is_fetched(void **state)
{
    (void)state;
    struct run r;
    add("known", 2, 10, 11);
    add("new", 2, 10, 99);
    add("the same again", 1, 99, 0);
    add("new, too", 1, 98, 0);
    start(&r);
    tell_keys(&r, 10, 5);
    tell(&r, 'R', NULL, 0);
    assert_string_equal(await(&r, 'T', long_enough), "new");
    assert_string_equal(await(&r, 'T', long_enough), "new, too");
    assert_null(await(&r, 'T', a_while));
    assert_int_equal(table.fetched, 3); /* with "the same again", which was asked for together with "new" */
    stop(&r);
    assert_true(table.is_closed);
}

static void a_run_that_is_not_ready_gets_nothing(void **state)
{
    (void)state;
    struct run r;
    for (uint32_t i = 0; i < 200; i++) add("s1:x=1", 1, i, 0);
    start(&r);
    assert_null(await(&r, 'T', a_while));
    tell(&r, 'R', NULL, 0);
    unsigned n = 0;
    while (await(&r, 'T', n ? a_while : long_enough)) n++;
    assert_in_range(n, 1, 64); /* one batch */
    stop(&r);
}

static void what_others_have_sent_is_kept_back(void **state)
{
    (void)state;
    struct run r;
    add("theirs", 1, 7, 0);
    add("theirs, too", 1, 6, 0);
    start(&r);
    tell_keys(&r, 7, 1);
    tell(&r, 'R', NULL, 0);
    assert_string_equal(await(&r, 'T', long_enough), "theirs, too"); /* so it has looked */
    tell_tape(&r, "s1:x=7", 7);
    tell_tape(&r, "s1:x=8", 8);
    stop(&r);
    assert_int_equal(table.put, 1);
    assert_string_equal(table.put_text[0], "s1:x=8");
}

static bool was_put(const char *text)
{
    for (unsigned i = 0; i < table.put; i++)
        if (!strcmp(table.put_text[i % 64], text)) return true;
    return false;
}

static void tell_tapes(struct run *r, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        char text[32];
        snprintf(text, sizeof text, "s1:x=%u", i);
        tell_tape(r, text, 5000 + i);
    }
}

/* Each call may cost a way around the world. */
static void tapes_go_and_come_many_at_a_time(void **state)
{
    (void)state;
    struct run r;
    for (uint32_t i = 0; i < 40; i++) add("s1:y=1", 1, i, 0);
    open_wire(&r);
    tell_tapes(&r, 40);
    tell(&r, 'R', NULL, 0);
    begin_agent(&r);
    for (unsigned i = 0; i < 40; i++) assert_non_null(await(&r, 'T', long_enough));
    stop(&r);
    assert_int_equal(table.put, 40);
    assert_int_equal(table.fetched, 40);
    assert_int_equal(table.put_calls, (40 + SONDE_TAPES_AT_ONCE - 1) / SONDE_TAPES_AT_ONCE);
    assert_int_equal(table.fetch_calls, (40 + SONDE_TAPES_AT_ONCE - 1) / SONDE_TAPES_AT_ONCE);
}

static void what_a_lost_connection_did_not_take_is_sent_again(void **state)
{
    (void)state;
    struct run r;
    char text[32];
    table.refuses = "s1:x=20";
    open_wire(&r);
    tell_tapes(&r, 40);
    begin_agent(&r);
    assert_non_null(strstr(await(&r, 'S', long_enough), "could not be sent"));
    stop(&r);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(text, sizeof text, "s1:x=%u", i);
        if (!was_put(text)) fail_msg("%s was not sent", text);
    }
}

static void tell_failure(struct run *r, bool is_shrunk)
{
    struct sonde_bytes b = {0};
    struct sonde_shared_failure f = {.id = "0123456789abcdef",
                                     .is_shrunk = is_shrunk,
                                     .kind = "",
                                     .message = "",
                                     .place = "",
                                     .found = "",
                                     .text = "s1:x=1"};
    sonde_wire_add_failure(&b, &f);
    tell(r, 'F', b.data, b.n);
    sonde_bytes_clear(&b);
}

static void a_failure_is_claimed_shrunk_and_given_up(void **state)
{
    (void)state;
    struct run r;
    table.claim = 1;
    start(&r);
    tell_failure(&r, false);
    tell(&r, 'C', "0123456789abcdef", 16);
    const char *answer = await(&r, 'C', long_enough);
    assert_non_null(answer);
    assert_int_equal(answer[16], 1);
    tell_failure(&r, true);
    stop(&r);
    assert_int_equal(table.n_failures, 2);
    assert_int_equal(table.n_shrunk, 1);
    assert_int_equal(table.releases, 1);
}

static void a_place_that_is_gone_is_said_once_and_tried_again(void **state)
{
    (void)state;
    struct run r;
    table.is_out_of_order = true;
    start(&r);
    assert_string_equal(await(&r, 'S', long_enough), "the table is not there");
    tell_failure(&r, false);
    table.is_out_of_order = false; /* what waits is sent at the end, if not before */
    stop(&r);
    assert_int_equal(table.n_failures, 1);
    assert_true(table.opened >= 2);
}

static void a_place_that_was_full_gets_what_waited(void **state)
{
    (void)state;
    struct run r;
    table.is_full = true;
    open_wire(&r);
    tell_tapes(&r, 40);
    tell_failure(&r, false);
    begin_agent(&r);
    assert_non_null(strstr(await(&r, 'S', long_enough), "to make room, run sonde share prune"));
    table.is_full = false;
    stop(&r);
    assert_int_equal(table.put, 40);
    assert_int_equal(table.n_failures, 1); /* which did not wait for room */
}

static void what_cannot_be_fetched_leaves_the_table_of_keys_as_it_was(void **state)
{
    (void)state;
    struct run r;
    for (uint32_t i = 0; i < 200; i++) add("damaged", 2, 7 * i, 7 * i + 1);
    table.damaged_until = 200;
    add("good", 2, 0, 1); /* of which a damaged one has promised the same */
    start(&r);
    tell(&r, 'R', NULL, 0);
    assert_string_equal(await(&r, 'T', long_enough), "good");
    stop(&r);
    assert_int_equal(table.fetched, 201);
}

/* The wire takes some megabytes: messages that do not fit are sent when the run has read. */
static void no_failure_is_lost_on_a_wire_that_is_full(void **state)
{
    (void)state;
    struct run r;
    enum { LONG = 500000, N = 20 };
    char *text = sonde_malloc(LONG + 1);
    memset(text, 'x', LONG);
    text[LONG] = '\0';
    table.foreign = text;
    table.n_foreign = N;
    start(&r);
    sleep(2); /* in which nothing is read */
    for (unsigned i = 0; i < N; i++) assert_non_null(await(&r, 'F', long_enough));
    stop(&r);
    sonde_free(text);
}

static void nonsense_is_passed_over(void **state)
{
    (void)state;
    struct run r;
    start(&r);
    tell(&r, 'T', "\377\0", 2);
    tell(&r, 'T', "\0s1:x=1\0", 8);
    tell(&r, 'T', "", 0);
    tell(&r, 'C', "not an id", 9);
    tell(&r, 'C', "../../../../etc/", 16);
    tell(&r, 'F', "0123456789abcdef", 16);
    tell(&r, 'Z', "of a newer version", 18);
    tell_tape(&r, "s1:x=8", 8);
    stop(&r);
    assert_int_equal(table.put, 1);
    assert_int_equal(table.n_failures, 0);
    assert_int_equal(table.claims, 0);
}

int main(void)
{
    signal(SIGALRM, SIG_IGN); /* agents are processes, which give up by it; here they are threads */
#define TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        TEST(only_what_would_be_new_is_fetched),
        TEST(a_run_that_is_not_ready_gets_nothing),
        TEST(what_others_have_sent_is_kept_back),
        TEST(tapes_go_and_come_many_at_a_time),
        TEST(what_a_lost_connection_did_not_take_is_sent_again),
        TEST(a_failure_is_claimed_shrunk_and_given_up),
        TEST(a_place_that_is_gone_is_said_once_and_tried_again),
        TEST(a_place_that_was_full_gets_what_waited),
        TEST(what_cannot_be_fetched_leaves_the_table_of_keys_as_it_was),
        TEST(no_failure_is_lost_on_a_wire_that_is_full),
        TEST(nonsense_is_passed_over),
    };
    return cmocka_run_group_tests_name("agent", tests, NULL, NULL);
}
