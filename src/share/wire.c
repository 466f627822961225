#define _GNU_SOURCE /* POLLRDHUP */
/* The messages of the wire and their buffers (wire.h). The contents of a buffer move to its beginning only when the
 * buffer is empty or half read, so that bytes are not moved often. */
#include "share/wire.h"

#include "base/check.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HEAD = 5,        /* number of bytes for the length and the type of a message */
    CHUNK = 1 << 16, /* number of bytes that are read at a time */
};

void sonde_wire_init(struct sonde_wire *w, int fd)
{
    *w = (struct sonde_wire){.fd = fd};
    if (fd >= 0) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void sonde_wire_close(struct sonde_wire *w)
{
    if (w->fd >= 0) close(w->fd);
    sonde_bytes_clear(&w->in);
    sonde_bytes_clear(&w->out);
    *w = (struct sonde_wire){.fd = -1};
}

uint32_t sonde_wire_waiting(const struct sonde_wire *w)
{
    return w->out.n - w->out_at;
}

/* Moves the unread bytes of a buffer to its beginning, if that pays. */
static void compact(struct sonde_bytes *b, uint32_t *at)
{
    if (!*at || (*at < b->n && *at < b->n / 2)) return;
    memmove(b->data, b->data + *at, b->n - *at);
    b->n -= *at;
    *at = 0;
}

bool sonde_wire_put(struct sonde_wire *w, char type, const void *data, uint32_t n, uint32_t room)
{
    if (w->fd < 0 || n >= SONDE_WIRE_LONGEST || sonde_wire_waiting(w) + n + HEAD > room) return false;
    compact(&w->out, &w->out_at);
    sonde_bytes_add_u32(&w->out, n + 1);
    sonde_bytes_add(&w->out, &type, 1);
    sonde_bytes_add(&w->out, data, n);
    return true;
}

/* Writes as much as possible without waiting. MSG_NOSIGNAL: an agent that died must not end the run. */
static void write_some(struct sonde_wire *w)
{
    while (w->fd >= 0 && w->out_at < w->out.n) {
        ssize_t n = send(w->fd, w->out.data + w->out_at, w->out.n - w->out_at, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno != EAGAIN) w->out_at = w->out.n; /* drops the rest: the other side will not read it */
        if (n <= 0) break;
        w->out_at += (uint32_t)n;
    }
    compact(&w->out, &w->out_at);
}

/* Reads as much as possible without waiting; returns true if the other side is gone. */
static bool read_some(struct sonde_wire *w)
{
    enum { CHUNKS = 16 }; /* maximum number of chunks that one call reads: a flood must not keep the reader here */
    for (int i = 0; i < CHUNKS && w->in.n - w->in_at < 2 * SONDE_WIRE_LONGEST; i++) {
        compact(&w->in, &w->in_at);
        w->in.data = sonde_grow(w->in.data, &w->in.cap, (size_t)w->in.n + CHUNK, 1);
        ssize_t n = recv(w->fd, w->in.data + w->in.n, CHUNK, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno != EAGAIN;
        if (n == 0) return true;
        w->in.n += (uint32_t)n;
    }
    return false;
}

/* Returns the length of the next message; 0 if it is not complete yet, and more than SONDE_WIRE_LONGEST if it is
 * invalid. */
static uint32_t next_length(const struct sonde_wire *w)
{
    uint32_t there = w->in.n - w->in_at;
    if (there < HEAD) return 0;
    struct sonde_reader r = sonde_reader(w->in.data + w->in_at, 4);
    uint32_t length = sonde_read_u32(&r);
    if (length == 0 || length > SONDE_WIRE_LONGEST) return UINT32_MAX;
    return there - 4 >= length ? length : 0;
}

bool sonde_wire_move(struct sonde_wire *w)
{
    if (w->fd < 0) return false;
    write_some(w);
    bool is_gone = read_some(w);
    uint32_t length = next_length(w);
    return length <= SONDE_WIRE_LONGEST && (!is_gone || length);
}

bool sonde_wire_take(struct sonde_wire *w, struct sonde_wire_message *m)
{
    uint32_t length = next_length(w);
    if (length == 0 || length > SONDE_WIRE_LONGEST) return false;
    const uint8_t *at = w->in.data + w->in_at + 4;
    *m = (struct sonde_wire_message){.type = (char)at[0], .data = at + 1, .n = length - 1};
    w->in_at += 4 + length;
    sonde_assert(w->in_at <= w->in.n);
    return true;
}

bool sonde_wire_has_ended(int fd)
{
    struct pollfd side = {.fd = fd, .events = POLLRDHUP};
    return poll(&side, 1, 0) > 0 && (side.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

/* ---- Failures: the id, a byte for is_shrunk, and five strings that end with NUL. */

bool sonde_failure_id_is_good(const char *id, size_t n)
{
    return n == SONDE_FAILURE_ID && strspn(id, "0123456789abcdef") >= SONDE_FAILURE_ID;
}

static void add_text(struct sonde_bytes *out, const char *text)
{
    sonde_bytes_add(out, text ? text : "", strlen(text ? text : "") + 1);
}

void sonde_wire_add_failure(struct sonde_bytes *out, const struct sonde_shared_failure *f)
{
    uint8_t is_shrunk = f->is_shrunk;
    sonde_bytes_add(out, f->id, SONDE_FAILURE_ID);
    sonde_bytes_add(out, &is_shrunk, 1);
    add_text(out, f->kind);
    add_text(out, f->message);
    add_text(out, f->place);
    add_text(out, f->found);
    add_text(out, f->text);
}

/* Returns the string at *at and moves *at past it; NULL if it is not terminated. */
static const char *next_text(const uint8_t **at, const uint8_t *end)
{
    const uint8_t *nul = *at < end ? memchr(*at, '\0', (size_t)(end - *at)) : NULL;
    const char *text = (const char *)*at;
    *at = nul ? nul + 1 : end;
    return nul ? text : NULL;
}

bool sonde_wire_read_failure(const uint8_t *data, uint32_t n, struct sonde_shared_failure *f)
{
    *f = (struct sonde_shared_failure){0};
    if (n < SONDE_FAILURE_ID + 1) return false;
    memcpy(f->id, data, SONDE_FAILURE_ID);
    if (!sonde_failure_id_is_good(f->id, strlen(f->id))) return false;
    f->is_shrunk = data[SONDE_FAILURE_ID] != 0;
    const uint8_t *at = data + SONDE_FAILURE_ID + 1, *end = data + n;
    const char **texts[] = {&f->kind, &f->message, &f->place, &f->found, &f->text};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!(*texts[i] = next_text(&at, end))) return false;
    return at == end;
}
