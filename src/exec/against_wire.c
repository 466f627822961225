/* See against_wire.h. */
#include "exec/against_wire.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

/* The longest message: a tape has at most 64 MiB of strings (tape/text.h), a list of observed values is far smaller. */
enum { LONGEST = 80 << 20, HEAD = 5 };

static bool send_all(int fd, const uint8_t *data, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        data += sent;
        n -= (size_t)sent;
    }
    return true;
}

bool sonde_against_send(int fd, char type, const void *data, size_t n)
{
    struct sonde_bytes out = {0};
    if (n > LONGEST) return false;
    sonde_bytes_add_u32(&out, (uint32_t)n + 1);
    sonde_bytes_add(&out, &type, 1);
    sonde_bytes_add(&out, data, n);
    bool is_sent = send_all(fd, out.data, out.n);
    sonde_bytes_clear(&out);
    return is_sent;
}

/* Waits until there is something to read, or the other side has closed. */
static bool await(int fd, double end)
{
    for (;;) {
        double left = end - sonde_clock_now();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (left <= 0) return false;
        int n = poll(&p, 1, left > 1 ? 1000 : (int)(left * 1000) + 1);
        if (n > 0) return true;
        if (n < 0 && errno != EINTR) return false;
    }
}

static bool receive_all(int fd, double end, uint8_t *data, size_t n)
{
    while (n) {
        /* The reply is mostly there already, so the clock is read only if it is not. */
        ssize_t got = recv(fd, data, n, MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) && await(fd, end)) continue;
        if (got <= 0) return false;
        data += got;
        n -= (size_t)got;
    }
    return true;
}

bool sonde_against_receive(int fd, double seconds, struct sonde_bytes *in, char *type)
{
    uint8_t head[HEAD], part[4096];
    double end = sonde_clock_now() + seconds;
    in->n = 0;
    if (!receive_all(fd, end, head, sizeof head)) return false;
    struct sonde_reader reader = sonde_reader(head, sizeof head);
    size_t n = sonde_read_u32(&reader);
    if (n == 0 || n > LONGEST) return false;
    *type = (char)head[HEAD - 1];
    for (n--; n;) {
        /* In parts: memory is only taken for bytes that have arrived. */
        size_t some = n < sizeof part ? n : sizeof part;
        if (!receive_all(fd, end, part, some)) return false;
        sonde_bytes_add(in, part, some);
        n -= some;
    }
    return true;
}

/* ---- Replies */

static void put_text(struct sonde_bytes *out, const char *text)
{
    size_t n = strlen(text);
    sonde_bytes_add_u32(out, (uint32_t)n);
    sonde_bytes_add(out, text, n);
}

static bool read_text(struct sonde_reader *in, char *out, size_t size)
{
    uint32_t n = sonde_read_u32(in);
    const uint8_t *text = sonde_read_bytes(in, n);
    if (!text || n >= size || memchr(text, 0, n)) return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

static void put_observed(struct sonde_bytes *out, const struct sonde_observed *list)
{
    sonde_bytes_add_u32(out, list->mark.n);
    sonde_bytes_add_u64(out, list->mark.n_all);
    sonde_bytes_add_u64(out, list->mark.digest);
    for (uint32_t i = 0; i < list->mark.n; i++) {
        const struct sonde_observed_value *v = &list->all[i];
        sonde_bytes_add_u32(out, (uint32_t)v->kind);
        sonde_bytes_add_u32(out, v->draws);
        sonde_bytes_add_u64(out, v->size);
        sonde_bytes_add_u64(out, v->hash);
        put_text(out, (const char *)list->bytes + v->name);
        sonde_bytes_add_u32(out, v->n);
        sonde_bytes_add(out, list->bytes + v->at, v->n);
    }
}

static bool read_observed(struct sonde_reader *in, struct sonde_observed *list)
{
    uint32_t n = sonde_read_u32(in);
    struct sonde_observed_mark mark = {.n_all = sonde_read_u64(in), .digest = sonde_read_u64(in)};
    if (in->is_short || n > SONDE_OBSERVED_VALUES || n > mark.n_all) return false;
    enum { LONGEST_NAME = 16384 };
    char name[LONGEST_NAME];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t kind = sonde_read_u32(in), draws = sonde_read_u32(in);
        uint64_t size = sonde_read_u64(in), hash = sonde_read_u64(in);
        if (!read_text(in, name, sizeof name)) return false;
        uint32_t n_bytes = sonde_read_u32(in);
        const uint8_t *bytes = sonde_read_bytes(in, n_bytes);
        if (!bytes || kind >= SONDE_OBSERVED_KINDS || n_bytes > size || n_bytes > SONDE_OBSERVED_BYTES) return false;
        sonde_observed_add(list, name, (enum sonde_observed_kind)kind, bytes, n_bytes);
        if (list->mark.n != i + 1) return false; /* more than a list holds */
        list->all[i].draws = draws;
        list->all[i].size = size;
        list->all[i].hash = hash;
    }
    list->mark.n_all = mark.n_all;
    list->mark.digest = mark.digest;
    return true;
}

void sonde_against_put_reply(struct sonde_bytes *out, const struct sonde_against_reply *r)
{
    sonde_bytes_add_u32(out, (uint32_t)r->verdict);
    sonde_bytes_add_u32(out, (uint32_t)r->kind);
    sonde_bytes_add_u64(out, r->brief);
    sonde_bytes_add_u32(out, r->draws_differ);
    sonde_bytes_add_u32(out, r->where.in_first);
    sonde_bytes_add_u32(out, r->where.in_second);
    put_text(out, r->draws_differ ? r->where.text : "");
    put_text(out, r->words);
    put_observed(out, &r->observed);
}

bool sonde_against_read_reply(const void *data, size_t n, struct sonde_against_reply *r)
{
    struct sonde_reader in = sonde_reader(data, n);
    *r = (struct sonde_against_reply){.verdict = (enum sonde_verdict)sonde_read_u32(&in)};
    r->kind = (enum sonde_claim_kind)sonde_read_u32(&in);
    r->brief = sonde_read_u64(&in);
    r->draws_differ = sonde_read_u32(&in) != 0;
    r->where.in_first = sonde_read_u32(&in);
    r->where.in_second = sonde_read_u32(&in);
    return !in.is_short && (unsigned)r->verdict <= SONDE_MISUSE && (unsigned)r->kind <= SONDE_CLAIM_MISUSE
           && read_text(&in, r->where.text, sizeof r->where.text) && read_text(&in, r->words, sizeof r->words)
           && read_observed(&in, &r->observed) && in.at == in.n;
}
