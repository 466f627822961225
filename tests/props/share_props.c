/* sonde on sonde: what runs exchange passes through hands that are not ours. Names of files in a shared directory, messages on
 * the wire and the ring between jobs may be any bytes; what was written comes back as it was. */
#define _GNU_SOURCE /* for the sources included here */
#include "../../src/engine/search/exchange.c"
#include "../../src/share/folder.c"

#include <sonde.h>
#include <sys/socket.h>

/* ---- Names */

static struct sonde_notice draw_notice(sonde *t)
{
    struct sonde_notice notice = {.name = sonde_u64(t, "name", 0, UINT64_MAX)};
    for (sonde_list keys = sonde_list_of(t, "keys", 0, SONDE_SHARED_KEYS); sonde_more(&keys);)
        notice.keys[notice.n_keys++] = (uint32_t)sonde_u64(t, "key", 0, UINT32_MAX);
    return notice;
}

enum { NAME = 17 + 8 * SONDE_SHARED_KEYS + sizeof SUFFIX };

static void a_name_says_what_was_written(sonde *t)
{
    struct sonde_notice notice = draw_notice(t), back;
    char name[NAME];
    write_name(&notice, name, sizeof name);
    sonde_check(t, read_name(name, &back));
    sonde_check_eq(t, back.name, notice.name);
    sonde_check_eq(t, (int)back.n_keys, (int)notice.n_keys);
    for (unsigned i = 0; i < notice.n_keys; i++) sonde_check_eq(t, back.keys[i], notice.keys[i]);
}

/* A written name, with a few bytes changed, or cut off. Whatever is read as a name is written again as the same
 * bytes. */
static void any_name_is_refused_or_means_itself(sonde *t)
{
    struct sonde_notice notice = draw_notice(t), back;
    char name[NAME], again[NAME];
    write_name(&notice, name, sizeof name);
    for (sonde_list changes = sonde_list_of(t, "changes", 0, 3); sonde_more(&changes);) {
        static const char odd[] = "0aAgG-./ \1\xff";
        size_t at = sonde_pick(t, "at", (unsigned)strlen(name) + 1);
        name[at] = odd[sonde_pick(t, "byte", sizeof odd)]; /* the last of them is NUL */
        name[NAME - 1] = '\0';
    }
    bool is_one = read_name(name, &back);
    sonde_classify(t, is_one, "a name");
    if (!is_one) return;
    write_name(&back, again, sizeof again);
    sonde_check_eq(t, (const char *)again, (const char *)name);
}

/* ---- The wire */

struct ends {
    struct sonde_wire a, b;
};

static void open_ends(sonde *t, struct ends *e)
{
    int fds[2];
    sonde_assume(t, socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
    sonde_wire_init(&e->a, fds[0]);
    sonde_wire_init(&e->b, fds[1]);
}

static void close_ends(struct ends *e)
{
    sonde_wire_close(&e->a);
    sonde_wire_close(&e->b);
}

static void messages_come_back_in_order(sonde *t)
{
    enum { MOST = 6 };
    struct {
        char type;
        const uint8_t *data;
        size_t n;
    } sent[MOST];
    struct ends e;
    struct sonde_wire_message m;
    unsigned n = 0, taken = 0;
    open_ends(t, &e);
    for (sonde_list all = sonde_list_of(t, "messages", 0, MOST); sonde_more(&all); n++) {
        sent[n].type = (char)sonde_int(t, "type", 'A', 'Z');
        sent[n].data = sonde_bytes(t, "data", 0, 40, &sent[n].n);
        sonde_check(t, sonde_wire_put(&e.a, sent[n].type, sent[n].data, (uint32_t)sent[n].n, 1 << 20));
        if (sonde_bool(t, "moves")) sonde_wire_move(&e.a), sonde_wire_move(&e.b);
    }
    sonde_check(t, sonde_wire_move(&e.a));
    sonde_check(t, sonde_wire_move(&e.b));
    for (; sonde_wire_take(&e.b, &m); taken++) {
        sonde_check(t, taken < n && m.type == sent[taken].type && m.n == sent[taken].n);
        sonde_check(t, memcmp(m.data, sent[taken].data, m.n) == 0);
    }
    sonde_check_eq(t, taken, n);
    close_ends(&e);
}

/* Most of the bytes begin with lengths that make sense. */
static void any_bytes_are_messages_or_end_the_wire(sonde *t)
{
    struct ends e;
    struct sonde_wire_message m;
    size_t n, sum = 0, read = 0;
    open_ends(t, &e);
    for (sonde_list parts = sonde_list_of(t, "parts", 0, 6); sonde_more(&parts);) {
        const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 12, &n);
        uint8_t length[4] = {(uint8_t)sonde_int(t, "length", 0, 16), 0, (uint8_t)sonde_int(t, "high", 0, 32)};
        sonde_assume(t, send(e.a.fd, length, sizeof length, 0) == sizeof length);
        sonde_assume(t, n == 0 || send(e.a.fd, bytes, n, 0) == (ssize_t)n);
        sum += n + sizeof length;
    }
    bool is_alive = sonde_wire_move(&e.b);
    while (sonde_wire_take(&e.b, &m)) {
        sonde_check(t, m.n < SONDE_WIRE_LONGEST);
        read += m.n + 5;
        for (uint32_t i = 0; i < m.n; i++) sonde_check(t, m.data[i] <= UINT8_MAX); /* it can be read */
    }
    sonde_check(t, read <= sum);
    sonde_classify(t, !is_alive, "ended");
    close_ends(&e);
}

/* Bytes that are read as a failure are written as the same bytes; the byte of is_shrunk counts as true unless it is
 * 0. */
static void any_bytes_are_a_failure_or_none(sonde *t)
{
    struct sonde_shared_failure f = {.id = "0123456789abcdef", .is_shrunk = sonde_bool(t, "shrunk")}, back;
    struct sonde_bytes bytes = {0}, again = {0};
    const char **const texts[] = {&f.kind, &f.message, &f.place, &f.found, &f.text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = sonde_string_of(t, "text", "a;\n\xff", 0, 4);
    sonde_wire_add_failure(&bytes, &f);
    for (sonde_list changes = sonde_list_of(t, "changes", 0, 3); sonde_more(&changes);)
        bytes.data[sonde_pick(t, "at", bytes.n)] = (uint8_t)sonde_int(t, "byte", 0, UINT8_MAX);
    bytes.n -= sonde_pick(t, "cut", 3);
    uint8_t *exact = sonde_alloc(t, bytes.n); /* a byte beyond it is seen */
    sonde_assume(t, exact != NULL);
    memcpy(exact, bytes.data, bytes.n);
    bool is_one = sonde_wire_read_failure(exact, bytes.n, &back);
    sonde_classify(t, is_one, "a failure");
    if (is_one) {
        sonde_wire_add_failure(&again, &back);
        exact[SONDE_FAILURE_ID] = exact[SONDE_FAILURE_ID] != 0;
        sonde_check(t, again.n == bytes.n && memcmp(again.data, exact, bytes.n) == 0);
        sonde_check(t, sonde_failure_id_is_good(back.id, strlen(back.id)));
    }
    sonde_bytes_clear(&bytes);
    sonde_bytes_clear(&again);
}

/* ---- The ring between jobs, which lies in reach of the code under test */

static void put_number(struct sonde_outbox *box, struct sonde_tape *tape, uint32_t number)
{
    sonde_tape_reserve(tape, 1 + number % 5, 0, 0);
    tape->n_choices = 1 + number % 5;
    tape->n_spans = tape->n_bytes = 0;
    memset(tape->choices, 0, choice_bytes(tape->n_choices));
    memcpy(tape->choices, &number, sizeof number);
    sonde_outbox_put(box, tape);
}

static void a_damaged_ring_gives_what_was_put_and_its_end_is_reached(sonde *t)
{
    struct sonde_outbox *box = sonde_outbox_create();
    struct sonde_inbox in = {.from = box};
    struct sonde_tape tape;
    sonde_tape_init(&tape);
    uint32_t n = (uint32_t)sonde_int(t, "n", 1, 40), calls = 0, taken;
    for (uint32_t i = 0; i < n; i++) put_number(box, &tape, i);
    uint32_t end = (uint32_t)box->head;
    for (sonde_list changes = sonde_list_of(t, "changes", 0, 3); sonde_more(&changes);)
        box->ring[sonde_pick(t, "at", end)] = (unsigned char)sonde_int(t, "byte", 0, UINT8_MAX);
    for (; !sonde_inbox_is_empty(&in) && calls <= n; calls++) {
        if (!sonde_inbox_take(&in, &tape)) continue;
        memcpy(&taken, tape.choices, sizeof taken);
        sonde_check(t, taken >= calls && taken < n); /* in order, and none twice */
    }
    sonde_check(t, sonde_inbox_is_empty(&in));
    put_number(box, &tape, n);
    sonde_check(t, sonde_inbox_take(&in, &tape));
    memcpy(&taken, tape.choices, sizeof taken);
    sonde_check_eq(t, taken, n);
    sonde_tape_clear(&tape);
    sonde_outbox_free(box);
}

SONDE_MAIN(a_name_says_what_was_written, any_name_is_refused_or_means_itself, messages_come_back_in_order,
           any_bytes_are_messages_or_end_the_wire, any_bytes_are_a_failure_or_none,
           a_damaged_ring_gives_what_was_put_and_its_end_is_reached)
