/* A server as a shared location: Redis or Valkey, through hiredis. Keys begin with sonde:1:{PROGRAM/PROPERTY}: where 1
 * is the version of this layout. The braces keep the keys of a property on one node of a cluster.
 *
 *     notices     stream: name (n), keys (k) and sender (w) of each tape; about the last 100,000
 *     t:NAME      the tape as a string, for thirty days
 *     failed      hash: ids of the failures in the stream, with "!" appended for shrunk ones
 *     failures    stream: failures in the form of share/wire.h (f), and senders (w)
 *     claim:ID    the worker that shrinks a failure; expires after a minute
 *     w:WORKER    its last report; expires after a minute
 *
 * Besides these, sonde:version holds the version, and the set sonde:1:rooms names all PROGRAM/PROPERTY.
 *
 * Notices and tapes are separate, so that a worker reads only a hundred bytes of a tape that it does not need. Where
 * several steps must be atomic, the server runs them as a script: to note and append a failure, to check and renew a
 * claim. All times are expiries, so only the clock of the server matters.
 *
 * A call first makes sure that there is a connection (begin_call). Requests that belong together are all written before
 * their replies are read, which costs one round trip. A lost connection is opened again by a later call, at most every
 * two seconds.
 *
 * Neither the server nor its other clients are trusted. Each call has a deadline for all of its replies together. It
 * has limits for their bytes and for the elements of each array; beyond these the connection is closed. The server
 * empties entries of streams that are longer than any of ours, so that another client cannot make a reply too long. */
#include "share.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "store/files.h"
#include "store/home.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SONDE_HIREDIS
#include <hiredis/hiredis.h>

enum {
    NOTICES = 100000,         /* entries that the stream of notices keeps, roughly; bounds the memory of the server */
    FAILURES = 4096,          /* entries that the stream of failures keeps, roughly */
    DAYS_30 = 30 * 24 * 3600, /* seconds that a tape is kept */
    WORKER_SECONDS = 60,      /* seconds that a report is kept; its age is computed from the time left */
    AT_ONCE = 1000,           /* number of notices that one request asks for */
    ARGUMENTS = 12,           /* maximum number of words of a command, with the final NULL of request_texts */
    REPLIES_MAX = 8 << 20,    /* maximum number of bytes that one call receives */
    ELEMENTS_MAX = 1 << 17,   /* maximum number of elements of an array in a reply */
    NOTICE_MAX = 2048,        /* maximum size of a notice in bytes; notices of sonde are shorter */
    NOTICES_BYTES = 2 << 20,  /* maximum size of the notices in one reply: well below REPLIES_MAX */
    FAILURES_BYTES = 4 << 20, /* maximum size of the failures in one reply; one has at most SONDE_WIRE_LONGEST bytes */
    SCANS_MAX = 1000          /* maximum number of replies to SCAN: ends a scan that a server never ends */
};
/* Seconds between two attempts to open a lost connection. */
static const double again_seconds = 2;
/* Seconds that the replies to one call of an agent may take. */
static const double reply_seconds = 3;
/* The same for a tool: a person waits for it, but the tool has nothing else to do. */
static const double tool_seconds = 10;
/* The same once the run has ended, because the run then waits for its agent. */
static const double hurry_seconds = 1;

/* The id of an entry of a stream: "MS-SEQ". */
struct stream_id {
    uint64_t ms, seq;
};
/* A range of entries that have not been read, both ends included. */
struct unread {
    struct stream_id from, to;
};
enum { UNREAD_MAX = 8 }; /* maximum number of unread ranges; with more, the two oldest are joined */

/* A server, and the connection to it. */
struct sonde_shared_place {
    char *user, *host, *socket, *password; /* from the server's address and the environment; NULL if not given */
    char *prefix, *worker, *property;      /* prefix of the property's keys; name of this worker; PROGRAM/PROPERTY */
    int port, database;
    redisContext *link; /* NULL: there is no connection */
    double tried;       /* time of the last attempt to connect */
    double deadline;    /* deadline of this call */
    size_t received;    /* bytes received in this call */
    int run;            /* see sonde_place_setup */
    struct stream_id last_notice;
    struct unread unread[UNREAD_MAX]; /* ranges of the stream of failures, the newest last */
    unsigned n_unread;
    struct stream_id newest_failure;
    bool is_read_only;
    bool names_property; /* adds the property to sonde:1:rooms */
    char *message;       /* receives the error of opening; borrowed; NULL after opening */
    size_t size;
};

/* ---- The connection */

/* Closes the connection; the next call opens it again. */
static void disconnect(struct sonde_shared_place *p)
{
    if (p->link) redisFree(p->link);
    p->link = NULL;
}

/* Returns the negative errno for the words of an error reply. */
static int errno_of(const char *text)
{
    static const struct {
        const char *word;
        int error;
    } words[] = {{"OOM", ENOSPC},       {"MISCONF", ENOSPC}, {"NOPERM", EACCES}, {"NOAUTH", EACCES},
                 {"WRONGPASS", EACCES}, {"READONLY", EROFS}, {"LOADING", EAGAIN}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(text, words[i].word, strlen(words[i].word))) return -words[i].error;
    return -EPROTO;
}

/* Appends a request to the output buffer, to be written by take_reply. Several requests can be appended before their
 * replies are taken, which costs one round trip. Each needs one call of take_reply, in the same order. */
static void request(struct sonde_shared_place *p, int n, const char **words, const size_t *lengths)
{
    if (p->link && redisAppendCommandArgv(p->link, n, words, lengths) != REDIS_OK) disconnect(p);
}

/* Appends a request of strings, the last of which is followed by NULL. */
static void request_texts(struct sonde_shared_place *p, const char *const *words)
{
    const char *all[ARGUMENTS];
    size_t lengths[ARGUMENTS];
    int n = 0;
    for (; words[n]; n++) all[n] = words[n], lengths[n] = strlen(words[n]);
    request(p, n, all, lengths);
}

#define REQUEST(place, ...) request_texts(place, (const char *const[]){__VA_ARGS__, NULL})

/* Waits until the connection can be read or written; returns false if the deadline passes. Also watches the wire to
 * the run: once the run has ended, the deadline becomes earlier. */
static bool await(struct sonde_shared_place *p, short events)
{
    for (;;) {
        double now = sonde_clock_now();
        bool is_ending = p->run && sonde_wire_has_ended(p->run);
        if (is_ending && p->deadline > now + hurry_seconds) p->deadline = now + hurry_seconds;
        double left = p->deadline - now;
        if (left <= 0) return false;
        struct pollfd fds[] = {{.fd = p->link->fd, .events = events},
                               {.fd = is_ending || !p->run ? -1 : p->run, .events = POLLRDHUP}};
        int ready = poll(fds, 2, 1 + (int)(left * 1000));
        if (ready > 0 && fds[0].revents) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

/* Writes buffered requests and reads what has arrived. Returns 0, or a negative errno if the call must end. */
static int exchange(struct sonde_shared_place *p)
{
    int is_written = 0;
    if (redisBufferWrite(p->link, &is_written) != REDIS_OK) return -ENOTCONN;
    if (!await(p, is_written ? POLLIN : POLLIN | POLLOUT)) return -ETIMEDOUT;
    size_t before = p->link->reader->len;
    if (redisBufferRead(p->link) != REDIS_OK) return -ENOTCONN;
    p->received += p->link->reader->len - before;
    return p->received > REPLIES_MAX ? -EMSGSIZE : 0;
}

/* Takes the next reply, which the caller frees with freeReplyObject. Returns NULL and sets *error after an error
 * reply, or if the connection fails; then it is closed. */
static redisReply *take_reply(struct sonde_shared_place *p, int *error)
{
    void *answer = NULL;
    *error = p->link ? 0 : -ENOTCONN;
    while (!*error && !answer) {
        if (redisReaderGetReply(p->link->reader, &answer) != REDIS_OK)
            *error = p->link->reader->err == REDIS_ERR_OOM ? -EMSGSIZE : -EPROTO;
        else if (!answer) *error = exchange(p);
    }
    if (*error) {
        if (p->link) disconnect(p);
        return NULL;
    }
    redisReply *reply = answer;
    *error = reply->type == REDIS_REPLY_ERROR ? errno_of(reply->str) : 0;
    if (!*error) return reply;
    freeReplyObject(reply);
    return NULL;
}

/* Takes the next reply and ignores its value; returns 0 or a negative errno. */
static int take_status(struct sonde_shared_place *p)
{
    int error;
    redisReply *reply = take_reply(p, &error);
    if (reply) freeReplyObject(reply);
    return error;
}

/* Sends one request and takes its reply, as take_reply does. */
static redisReply *ask_texts(struct sonde_shared_place *p, int *error, const char *const *words)
{
    request_texts(p, words);
    return take_reply(p, error);
}

#define ASK(place, error, ...) ask_texts(place, error, (const char *const[]){__VA_ARGS__, NULL})

/* Sends one request and ignores the value of its reply; returns 0 or a negative errno. */
static int run_command(struct sonde_shared_place *p, const char *const *words)
{
    request_texts(p, words);
    return take_status(p);
}

/* Reports whether the server is on this machine, so that a password is not required. */
static bool is_loopback(const struct sonde_shared_place *p)
{
    return p->socket || !strcmp(p->host, "localhost") || !strncmp(p->host, "127.", 4) || !strcmp(p->host, "::1");
}

/* Closes the connection, writes the message of open, if it is being opened, and returns -EACCES. */
SONDE_PRINTF(2, 3) static int refuse(struct sonde_shared_place *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (p->message) vsnprintf(p->message, p->size, format, args);
    va_end(args);
    disconnect(p);
    return -EACCES;
}

static int report_disconnect(struct sonde_shared_place *p)
{
    refuse(p, "the server '%s' closed the connection", p->socket ? p->socket : p->host);
    return -ENOTCONN;
}

static int report_timeout(struct sonde_shared_place *p)
{
    refuse(p, "the server '%s' did not respond in time", p->socket ? p->socket : p->host);
    return -ETIMEDOUT;
}

/* Begins a connection: sends the password, selects the database and checks that the server responds. All requests are
 * sent at once, so the replies must all be taken or the connection closed. Returns 0 or a negative errno, with the
 * message of open. */
static int log_in(struct sonde_shared_place *p)
{
    int error = 0;
    char database[16];
    snprintf(database, sizeof database, "%d", p->database);
    if (p->password && p->user) REQUEST(p, "AUTH", p->user, p->password);
    else if (p->password) REQUEST(p, "AUTH", p->password);
    if (p->database) REQUEST(p, "SELECT", database);
    REQUEST(p, "PING");
    if (p->password) error = take_status(p);
    bool is_refused = error && p->link; /* the server sent an error reply: the connection is still open */
    if (is_refused)
        return refuse(
            p,
            "the server rejects the password: set SONDE_SHARE_PASSWORD, or SONDE_SHARE_PASSWORD_FILE to a file that holds it");
    if (!error && p->database) error = take_status(p);
    if (!error) error = take_status(p);
    if (error == -EACCES)
        return refuse(
            p,
            "the server requires a password: set SONDE_SHARE_PASSWORD, or SONDE_SHARE_PASSWORD_FILE to a file that holds it");
    if (error == -ENOTCONN) return report_disconnect(p);
    if (error == -ETIMEDOUT) return report_timeout(p);
    if (error == -ENOSPC) {
        refuse(p, "the server '%s' has no disk space or memory left; sonde tries again",
               p->socket ? p->socket : p->host);
        return -ENOSPC;
    }
    if (error)
        refuse(p, "the server '%s' does not respond like Redis (%s)", p->socket ? p->socket : p->host,
               strerror(-error));
    return error; /* -EAGAIN: the server has just started and is loading its data */
}

/* Checks that the data on the server is of this version; another version uses other keys and would not be seen. Adds
 * the property to the set of rooms with each connection, since the server may have lost it. Otherwise `sonde share`
 * does not see the property. */
static int check_version(struct sonde_shared_place *p)
{
    int error;
    if (!p->is_read_only) REQUEST(p, "SET", "sonde:version", "1", "NX");
    REQUEST(p, "GET", "sonde:version");
    if (p->names_property) REQUEST(p, "SADD", "sonde:1:rooms", p->property);
    if (!p->is_read_only) take_status(p);
    redisReply *reply = take_reply(p, &error);
    bool is_other = reply && reply->type == REDIS_REPLY_STRING && strcmp(reply->str, "1") != 0;
    if (reply) freeReplyObject(reply);
    if (p->names_property) take_status(p);
    if (is_other)
        return refuse(
            p,
            "the server was used by another version of sonde (see its key sonde:version); use the same version everywhere, or another database");
    return 0;
}

/* Before hiredis 1.0 a number of elements was an int. */
#if HIREDIS_MAJOR > 0
typedef size_t n_elements;
#else
typedef int n_elements;
#endif
static redisReplyObjectFunctions bounded;
static void *(*create_array)(const redisReadTask *task, n_elements n);

/* Replaces the allocator of hiredis, which trusts the number of elements that the server sends. NULL makes hiredis
 * report a lack of memory, which take_reply turns into -EMSGSIZE. */
static void *create_bounded_array(const redisReadTask *task, n_elements n)
{
    return (unsigned long long)n > ELEMENTS_MAX ? NULL : create_array(task, n);
}

/* Makes a reader use create_bounded_array. */
static void bound_arrays(redisReader *reader)
{
    create_array = reader->fn->createArray == create_bounded_array ? create_array : reader->fn->createArray;
    bounded = *reader->fn;
    bounded.createArray = create_bounded_array;
    reader->fn = &bounded;
}

/* Connects to the server, within the time for one call, and makes the connection nonblocking. */
static int connect_to(struct sonde_shared_place *p)
{
    double left = p->run && sonde_wire_has_ended(p->run) ? hurry_seconds : reply_seconds;
    struct timeval patience = {.tv_sec = (time_t)left};
    p->link = p->socket ? redisConnectUnixWithTimeout(p->socket, patience)
                        : redisConnectWithTimeout(p->host, p->port, patience);
    if (!p->link || p->link->err) {
        char why[128];
        snprintf(why, sizeof why, "%s", p->link ? p->link->errstr : "no memory");
        refuse(p, "the server '%s' cannot be reached: %s", p->socket ? p->socket : p->host, why);
        return -ENOTCONN;
    }
    p->link->flags &= ~REDIS_BLOCK;
    fcntl(p->link->fd, F_SETFL, fcntl(p->link->fd, F_GETFL) | O_NONBLOCK);
    bound_arrays(p->link->reader);
    return 0;
}

/* Begins a call: sets its deadline and its limit of bytes, and makes sure that there is a connection. Returns 0 or a
 * negative errno; -ENOTCONN also if it is too early for another attempt. */
static int begin_call(struct sonde_shared_place *p)
{
    double now = sonde_clock_now();
    p->deadline = now + (p->is_read_only ? tool_seconds : reply_seconds);
    p->received = 0;
    if (p->link) return 0;
    if (now - p->tried < again_seconds) return -ENOTCONN;
    p->tried = now;
    int error = connect_to(p);
    if (!error) error = log_in(p);
    if (!error) error = check_version(p);
    if (error) return error;
    return p->link ? 0 : report_disconnect(p);
}

/* ---- Opening */

static void close_redis(struct sonde_shared_place *p)
{
    disconnect(p);
    if (p->password) explicit_bzero(p->password, strlen(p->password));
    char *const texts[] = {p->user, p->host, p->socket, p->password, p->prefix, p->worker, p->property};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) sonde_free(texts[i]);
    sonde_free(p);
}

/* Parses redis://[USER@]HOST[:PORT][/DATABASE] or redis+unix:SOCKET. An IPv6 address is in brackets. Returns NULL, or
 * the error (static). */
static const char *parse(struct sonde_shared_place *p, const char *name)
{
    static const char plain[] = "redis://", unix_socket[] = "redis+unix:";
    p->port = 6379;
    if (!strncmp(name, "rediss://", 9))
        return "this sonde-share has no TLS (hiredis before 1.0 has none): go through stunnel or ssh -L, or use redis+unix:SOCKET";
    if (!strncmp(name, unix_socket, strlen(unix_socket))) {
        p->socket = sonde_strdup(name + strlen(unix_socket));
        return *p->socket ? NULL : "the path of the socket is missing";
    }
    const char *at = name + strlen(plain), *user = strchr(at, '@');
    if (user) p->user = sonde_path("%.*s", (int)(user - at), at), at = user + 1;
    size_t n = *at == '[' ? strcspn(at, "]") + 1 : strcspn(at, ":/");
    p->host = *at == '[' ? sonde_path("%.*s", (int)(n > 2 ? n - 2 : 0), at + 1) : sonde_path("%.*s", (int)n, at);
    if (!*p->host) return "the host is missing: redis://HOST[:PORT]";
    at += strlen(at) < n ? strlen(at) : n;
    char *end = (char *)(uintptr_t)at;
    if (*at == ':') p->port = (int)strtol(at + 1, &end, 10);
    if (*end == '/' && end[1]) p->database = (int)strtol(end + 1, &end, 10);
    else if (*end == '/') end++;
    return *end || p->port < 1 || p->port > 65535 ? "write redis://[USER@]HOST[:PORT][/DATABASE]" : NULL;
}

/* Returns the password from the environment or from the file that it names, or NULL. The caller clears and frees it.
 * Passwords are not read from the command line, which every user of the machine can read. */
static char *read_password(void)
{
    const char *given = getenv("SONDE_SHARE_PASSWORD"), *file = getenv("SONDE_SHARE_PASSWORD_FILE");
    char *bytes;
    size_t n;
    if (given && *given) return sonde_strdup(given);
    if (!file || !*file || sonde_read_file(file, 4096, false, &bytes, &n) < 0) return NULL;
    while (n && (bytes[n - 1] == '\n' || bytes[n - 1] == '\r')) n--;
    char *password = sonde_path("%.*s", (int)n, bytes);
    explicit_bzero(bytes, n);
    sonde_free(bytes);
    return password;
}

/* Without a password only a server on this machine is used, unless SONDE_SHARE_INSECURE is set: others could write
 * inputs that the tests then run. */
static struct sonde_shared_place *open_redis(const struct sonde_place_setup *setup, char *message, size_t size)
{
    struct sonde_shared_place *p = sonde_calloc(1, sizeof *p);
    const char *told = getenv("SONDE_SHARE_INSECURE");
    p->tried = -1e9;
    p->worker = sonde_safe_name(setup->worker ? setup->worker : "tool");
    p->is_read_only = setup->is_read_only;
    p->names_property = setup->property && !setup->is_read_only;
    p->password = read_password();
    const char *names[2] = {setup->program ? setup->program : "", setup->property ? setup->property : ""};
    char *program = setup->is_as_stored ? sonde_strdup(names[0]) : sonde_safe_name(names[0]);
    char *property = setup->is_as_stored ? sonde_strdup(names[1]) : sonde_safe_name(names[1]);
    p->property = sonde_path("%s/%s", program, property);
    p->prefix = sonde_path("sonde:1:{%s}:", p->property);
    sonde_free(program);
    sonde_free(property);
    p->run = setup->run;
    p->message = message;
    p->size = size;
    const char *wrong = parse(p, setup->name);
    if (wrong) snprintf(message, size, "%s", wrong);
    else if (!p->password && !is_loopback(p) && !(told && *told))
        snprintf(
            message, size,
            "the server '%s' is on another host and no password is set, so other users of the network could send inputs to your tests. Set SONDE_SHARE_PASSWORD, or "
            "SONDE_SHARE_INSECURE=1 if that network is yours",
            p->host);
    else if (begin_call(p) == 0) {
        p->message = NULL;
        return p;
    }
    close_redis(p);
    return NULL;
}

/* ---- Tapes */

/* Returns a key of the property; the caller frees it. */
static char *key(const struct sonde_shared_place *p, const char *rest)
{
    return sonde_path("%s%s", p->prefix, rest);
}

/* Requests to write a tape and its notice. The script makes both one step, so that each tape has one notice. SET NX
 * succeeds only for the first of several workers that found the same tape. */
static void request_put(struct sonde_shared_place *p, const struct sonde_notice *notice, const char *text)
{
    static const char script[] =
        "if redis.call('SET', KEYS[1], ARGV[2], 'NX', 'EX', ARGV[5]) then "
        "redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[6], '*', 'n', ARGV[1], 'k', ARGV[3], 'w', ARGV[4]) end return 1";
    char name[17], keys[8 * SONDE_SHARED_KEYS + 1] = "", days[16], most[16];
    snprintf(name, sizeof name, "%016" PRIx64, notice->name);
    for (unsigned i = 0; i < notice->n_keys; i++) snprintf(keys + 8 * i, 9, "%08" PRIx32, notice->keys[i]);
    snprintf(days, sizeof days, "%d", DAYS_30);
    snprintf(most, sizeof most, "%d", NOTICES);
    char *body = sonde_path("%st:%s", p->prefix, name), *stream = key(p, "notices");
    REQUEST(p, "EVAL", script, "2", body, stream, name, text, keys, p->worker, days, most);
    sonde_free(body);
    sonde_free(stream);
}

/* After an error no replies are outstanding: begin_call failed, or take_status closed the connection and fails for the
 * rest. */
static void put(struct sonde_shared_place *p, struct sonde_shared_tape *tapes, uint32_t n)
{
    int error = begin_call(p);
    for (uint32_t i = 0; i < n && !error; i++) request_put(p, &tapes[i].notice, tapes[i].text);
    for (uint32_t i = 0; i < n; i++) tapes[i].error = error ? error : take_status(p);
}

static bool read_hex(const char *text, size_t n, uint64_t *value)
{
    char copy[17] = "", *end;
    if (n > 16 || strspn(text, "0123456789abcdef") < n) return false;
    memcpy(copy, text, n);
    *value = strtoull(copy, &end, 16);
    return *end == '\0';
}

/* Returns the value of a field of an entry, or NULL. hiredis terminates strings with NUL, so strcmp is safe. */
static const redisReply *field(const redisReply *fields, const char *name)
{
    for (size_t i = 0; i + 1 < fields->elements; i += 2)
        if (fields->element[i]->type == REDIS_REPLY_STRING && !strcmp(fields->element[i]->str, name)
            && fields->element[i + 1]->type == REDIS_REPLY_STRING)
            return fields->element[i + 1];
    return NULL;
}

/* Reports whether a reply is an entry of a stream: [id, [name, value, ...]]. */
static bool is_entry(const redisReply *e)
{
    return e->type == REDIS_REPLY_ARRAY && e->elements == 2 && e->element[0]->type == REDIS_REPLY_STRING
           && e->element[0]->len < 60 && e->element[1]->type == REDIS_REPLY_ARRAY;
}

/* Reads a notice; returns false if the entry is not one, or this worker sent it. */
static bool read_notice(const struct sonde_shared_place *p, const redisReply *entry, struct sonde_notice *notice)
{
    const redisReply *fields = entry->element[1], *name = field(fields, "n"), *keys = field(fields, "k"),
                     *worker = field(fields, "w");
    *notice = (struct sonde_notice){0};
    if (!name || !keys || name->len != 16 || keys->len % 8 || keys->len / 8 > SONDE_SHARED_KEYS) return false;
    bool is_ours = worker && !p->is_read_only && !strcmp(worker->str, p->worker); /* all tools have the same name */
    if (is_ours || !read_hex(name->str, 16, &notice->name)) return false;
    for (size_t i = 0; i < (size_t)keys->len / 8; i++) {
        uint64_t one;
        if (!read_hex(keys->str + 8 * i, 8, &one)) return false;
        notice->keys[notice->n_keys++] = (uint32_t)one;
    }
    return true;
}

/* A request for entries of a stream. */
struct range {
    const char *stream, *command; /* XRANGE: the oldest first; XREVRANGE: the newest */
    struct stream_id from, to;    /* first and last id, both included; `to` is the later one, also for XREVRANGE */
    int most;
    int entry_max, bytes_max; /* a longer entry is returned without its fields; a longer reply ends early */
};

/* Reads the entries of a range. Returns [number of entries in the range, [entry...]], which the caller frees, or NULL
 * and sets *error. The array may be shorter than the number, because the script leaves out what is too long: another
 * client can write entries of any length. The script always returns the first entry, so that the caller gets past
 * it. */
static redisReply *read_range(struct sonde_shared_place *p, const struct range *r, int *error)
{
    static const char script[] =
        "local got = redis.call(ARGV[1], KEYS[1], ARGV[2], ARGV[3], 'COUNT', ARGV[4]) local out, sum = {}, 0 "
        "for i = 1, #got do local size = 0 for _, word in ipairs(got[i][2]) do size = size + #word end "
        "if size > tonumber(ARGV[5]) then got[i][2] = {} size = 0 end sum = sum + size + 100 "
        "if i > 1 and sum > tonumber(ARGV[6]) then break end out[i] = got[i] end return {#got, out}";
    enum { ID = 48 };
    char from[ID], to[ID], count[16], longest[16], bytes[16];
    bool is_reverse = !strcmp(r->command, "XREVRANGE");
    snprintf(from, sizeof from, "%" PRIu64 "-%" PRIu64, r->from.ms, r->from.seq);
    snprintf(to, sizeof to, "%" PRIu64 "-%" PRIu64, r->to.ms, r->to.seq);
    snprintf(count, sizeof count, "%d", r->most);
    snprintf(longest, sizeof longest, "%d", r->entry_max);
    snprintf(bytes, sizeof bytes, "%d", r->bytes_max);
    char *name = key(p, r->stream);
    REQUEST(p, "EVAL", script, "1", name, r->command, is_reverse ? to : from, is_reverse ? from : to, count, longest,
            bytes);
    redisReply *reply = take_reply(p, error);
    sonde_free(name);
    bool is_one = reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2
                  && reply->element[0]->type == REDIS_REPLY_INTEGER && reply->element[1]->type == REDIS_REPLY_ARRAY;
    if (is_one || !reply) return reply;
    freeReplyObject(reply);
    *error = -EPROTO;
    return NULL;
}

static struct stream_id id_after(struct stream_id id)
{
    return id.seq < UINT64_MAX ? (struct stream_id){id.ms, id.seq + 1} : (struct stream_id){id.ms + 1, 0};
}

static struct stream_id id_before(struct stream_id id)
{
    return id.seq ? (struct stream_id){id.ms, id.seq - 1} : (struct stream_id){id.ms - 1, UINT64_MAX};
}

static bool is_later(struct stream_id a, struct stream_id b)
{
    return a.ms > b.ms || (a.ms == b.ms && a.seq > b.seq);
}

static struct stream_id read_id(const char *text)
{
    char *end;
    struct stream_id id = {.ms = strtoull(text, &end, 10)};
    if (*end == '-') id.seq = strtoull(end + 1, NULL, 10);
    return id;
}

static const struct stream_id last_of_all = {UINT64_MAX, UINT64_MAX};

/* Continues after the last notice that was taken. A refused notice without keys is skipped, so that it does not delay
 * others. */
static int look(struct sonde_shared_place *p, sonde_notice_visit *visit, void *context)
{
    int error = begin_call(p);
    struct range r = {"notices", "XRANGE", id_after(p->last_notice), last_of_all, AT_ONCE, NOTICE_MAX, NOTICES_BYTES};
    redisReply *reply = error ? NULL : read_range(p, &r, &error);
    const redisReply *entries = reply ? reply->element[1] : NULL;
    for (size_t i = 0; entries && i < entries->elements; i++) {
        struct sonde_notice notice;
        const redisReply *entry = entries->element[i];
        if (!is_entry(entry)) continue;
        struct stream_id id = read_id(entry->element[0]->str);
        if (!is_later(id, p->last_notice)) break; /* a correct server sends only later notices */
        bool is_good = read_notice(p, entry, &notice);
        if (is_good) notice.where = sonde_strdup(entry->element[0]->str);
        bool is_taken = !is_good || visit(context, &notice) || !notice.n_keys;
        if (is_good) sonde_free(notice.where);
        if (!is_taken) break;
        p->last_notice = id;
    }
    if (reply) freeReplyObject(reply);
    return error;
}

/* Takes the reply with one tape. Accepts only a string whose hash is the name of the tape: other clients can write
 * to its key. */
static int take_text(struct sonde_shared_place *p, struct sonde_shared_tape *tape)
{
    int error;
    redisReply *reply = take_reply(p, &error);
    if (!reply) return error == -ENOTCONN ? -EAGAIN : error;
    bool is_it = reply->type == REDIS_REPLY_STRING && reply->len > 0 && strlen(reply->str) == (size_t)reply->len
                 && sonde_hash_text(SONDE_WIRE_VERSION, reply->str) == tape->notice.name;
    if (is_it) tape->text = sonde_strdup(reply->str), tape->n = (size_t)reply->len;
    freeReplyObject(reply);
    return is_it ? 0 : -EINVAL;
}

/* GETRANGE instead of GET limits the length: other clients can write strings of any length. */
static void fetch(struct sonde_shared_place *p, struct sonde_shared_tape *tapes, uint32_t n)
{
    char last[16];
    int error = begin_call(p);
    snprintf(last, sizeof last, "%d", SONDE_SHARED_TEXT_MAX);
    for (uint32_t i = 0; i < n && !error; i++) {
        char *name = sonde_path("%st:%016" PRIx64, p->prefix, tapes[i].notice.name);
        REQUEST(p, "GETRANGE", name, "0", last);
        sonde_free(name);
    }
    for (uint32_t i = 0; i < n; i++) {
        tapes[i].text = NULL;
        tapes[i].error = error ? -EAGAIN : take_text(p, &tapes[i]);
    }
}

static int drop(struct sonde_shared_place *p, const struct sonde_notice *notice)
{
    int error = begin_call(p);
    if (error) return error;
    char *name = sonde_path("%st:%016" PRIx64, p->prefix, notice->name), *stream = key(p, "notices");
    REQUEST(p, "DEL", name);
    if (notice->where) REQUEST(p, "XDEL", stream, notice->where);
    error = take_status(p);
    int error_of_notice = notice->where ? take_status(p) : 0;
    if (!error) error = error_of_notice;
    sonde_free(name);
    sonde_free(stream);
    return error;
}

/* ---- Failures */

/* The script appends a failure only if its id was not noted before: the first one is kept, and the first shrunk one.
 * Its bytes contain NULs, so the lengths of the words are given. */
static int put_failure(struct sonde_shared_place *p, const struct sonde_shared_failure *f)
{
    static const char script[] =
        "if redis.call('HSETNX', KEYS[1], ARGV[1], 1) == 1 then "
        "redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], '*', 'f', ARGV[2], 'w', ARGV[3]) end return 1";
    struct sonde_bytes bytes = {0};
    char which[SONDE_FAILURE_ID + 2], most[16];
    int error = begin_call(p);
    if (error) return error;
    snprintf(which, sizeof which, "%s%s", f->id, f->is_shrunk ? "!" : "");
    snprintf(most, sizeof most, "%d", FAILURES);
    sonde_wire_add_failure(&bytes, f);
    char *failed = key(p, "failed"), *stream = key(p, "failures");
    const char *words[] = {"EVAL", script, "2", failed, stream, which, (const char *)bytes.data, p->worker, most};
    size_t lengths[sizeof words / sizeof *words];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        lengths[i] = words[i] == (const char *)bytes.data ? bytes.n : strlen(words[i]);
    request(p, sizeof words / sizeof *words, words, lengths);
    error = take_status(p);
    sonde_free(failed);
    sonde_free(stream);
    sonde_bytes_clear(&bytes);
    return error;
}

/* Visits a failure; returns whether it was taken. An entry that is not a failure, or is from this worker, is
 * skipped. */
static bool visit_failure(const struct sonde_shared_place *p, const redisReply *entry,
                          sonde_shared_failure_visit *visit, void *context)
{
    struct sonde_shared_failure f;
    const redisReply *bytes = field(entry->element[1], "f"), *worker = field(entry->element[1], "w");
    bool is_ours = worker && !p->is_read_only && !strcmp(worker->str, p->worker);
    bool is_one = bytes && !is_ours && (size_t)bytes->len < SONDE_WIRE_LONGEST
                  && sonde_wire_read_failure((const uint8_t *)bytes->str, (uint32_t)bytes->len, &f);
    return !is_one || visit(context, &f);
}

/* Adds the range of entries since the last look. If there are too many ranges, joins the two oldest: then some entries
 * are visited twice, which does no harm. */
static void expect_newer(struct sonde_shared_place *p)
{
    if (p->n_unread && p->unread[p->n_unread - 1].to.ms == UINT64_MAX) return; /* the last range was not read at all */
    if (p->n_unread == UNREAD_MAX) {
        p->unread[1].from = p->unread[0].from;
        memmove(p->unread, p->unread + 1, --p->n_unread * sizeof *p->unread);
    }
    p->unread[p->n_unread++] = (struct unread){id_after(p->newest_failure), {UINT64_MAX, UINT64_MAX}};
}

/* Visits up to `most` entries of the newest range, from its end. Returns how many were taken, or a negative errno. The
 * rest of the range stays unread. */
static int read_failures(struct sonde_shared_place *p, int most, sonde_shared_failure_visit *visit, void *context)
{
    struct unread *range = &p->unread[p->n_unread - 1];
    struct range r = {"failures", "XREVRANGE", range->from, range->to, most, SONDE_WIRE_LONGEST, FAILURES_BYTES};
    int error, n = 0;
    redisReply *reply = read_range(p, &r, &error);
    if (!reply) return error;
    const redisReply *entries = reply->element[1];
    bool is_over = reply->element[0]->integer < most && (size_t)reply->element[0]->integer <= entries->elements;
    for (; n < (int)entries->elements; n++) {
        const redisReply *entry = entries->element[n];
        struct stream_id id = is_entry(entry) ? read_id(entry->element[0]->str) : (struct stream_id){0, 0};
        if (is_later(range->from, id) || is_later(id, range->to)) { /* a correct server stays in the range */
            is_over = true;
            break;
        }
        if (!visit_failure(p, entry, visit, context)) {
            is_over = false;
            break;
        }
        if (is_later(id, p->newest_failure)) p->newest_failure = id;
        range->to = id_before(id);
    }
    if (is_over || entries->elements == 0 || is_later(range->from, range->to)) p->n_unread--;
    freeReplyObject(reply);
    return n;
}

/* Visits the newest failures first, then older ones up to a limit. So a failure that was found just now does not wait
 * for all the entries with which another client floods the stream. A tool reads all. */
static int look_for_failures(struct sonde_shared_place *p, sonde_shared_failure_visit *visit, void *context)
{
    enum { AT_A_TIME = 64 }; /* failures per call */
    int left = AT_A_TIME, n = begin_call(p);
    if (n) return n;
    expect_newer(p);
    for (bool is_over = false; !is_over && p->n_unread && left > 0;) {
        unsigned before = p->n_unread;
        n = read_failures(p, left, visit, context);
        is_over = n < 0 || (n == 0 && p->n_unread == before); /* the visit takes no more */
        if (n > 0 && !p->is_read_only) left -= n;
        if (p->is_read_only && !is_over) begin_call(p); /* in a tool each part has a new deadline */
    }
    return n < 0 ? n : 0;
}

/* Runs a script on the claim of a failure. Returns the number that the script returns, or a negative errno. */
static int run(struct sonde_shared_place *p, const char *script, const char *id)
{
    char seconds[16];
    int error = begin_call(p);
    if (error) return error;
    snprintf(seconds, sizeof seconds, "%d", SONDE_LEASE_SECONDS);
    char *name = sonde_path("%sclaim:%s", p->prefix, id);
    redisReply *reply = ASK(p, &error, "EVAL", script, "1", name, p->worker, seconds);
    int answer = reply ? (reply->type == REDIS_REPLY_INTEGER ? (int)reply->integer : -EPROTO) : error;
    if (reply) freeReplyObject(reply);
    sonde_free(name);
    return answer;
}

/* The script checks and sets the claim in one step; setting it also renews its expiry. */
static int claim(struct sonde_shared_place *p, const char *id)
{
    return run(p,
               "local holder = redis.call('GET', KEYS[1]) if holder and holder ~= ARGV[1] then return 0 end "
               "redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2]) return 1",
               id);
}

static int release(struct sonde_shared_place *p, const char *id)
{
    return run(p, "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 0", id);
}

/* ---- Workers */

/* The report expires by itself, so a worker that died disappears from the overview. */
static int report(struct sonde_shared_place *p, const char *text)
{
    char seconds[16];
    int error = begin_call(p);
    if (error) return error;
    snprintf(seconds, sizeof seconds, "%d", WORKER_SECONDS);
    char *name = sonde_path("%sw:%s", p->prefix, p->worker);
    error = run_command(p, (const char *const[]){"SET", name, text, "EX", seconds, NULL});
    sonde_free(name);
    return error;
}

/* Visits one report. Its age follows from the time left until it expires. */
static void visit_worker(struct sonde_shared_place *p, const char *name, sonde_worker_visit *visit, void *context)
{
    int error;
    REQUEST(p, "GETRANGE", name, "0", "2000");
    REQUEST(p, "TTL", name);
    redisReply *text = take_reply(p, &error), *left = take_reply(p, &error);
    if (text && left && text->type == REDIS_REPLY_STRING && text->len && left->type == REDIS_REPLY_INTEGER
        && left->integer >= 0)
        visit(context, text->str, WORKER_SECONDS - (double)left->integer);
    if (text) freeReplyObject(text);
    if (left) freeReplyObject(left);
}

/* Visits the workers of one reply to SCAN and sets the cursor of the next one; "0" after the last. */
static void visit_workers(struct sonde_shared_place *p, const redisReply *reply, char cursor[32],
                          sonde_worker_visit *visit, void *context)
{
    bool is_one = reply && reply->type == REDIS_REPLY_ARRAY && reply->elements == 2
                  && reply->element[0]->type == REDIS_REPLY_STRING && reply->element[1]->type == REDIS_REPLY_ARRAY;
    const redisReply *names = is_one ? reply->element[1] : NULL;
    for (size_t i = 0; names && i < names->elements; i++)
        if (names->element[i]->type == REDIS_REPLY_STRING) visit_worker(p, names->element[i]->str, visit, context);
    snprintf(cursor, 32, "%s", is_one ? reply->element[0]->str : "0");
}

/* Uses SCAN instead of KEYS, which would block a large server. */
static int each_worker(struct sonde_shared_place *p, sonde_worker_visit *visit, void *context)
{
    char cursor[32] = "0";
    int error = begin_call(p);
    char *pattern = sonde_path("%sw:*", p->prefix);
    for (unsigned i = 0; i < SCANS_MAX && !error && (!i || strcmp(cursor, "0") != 0); i++) {
        redisReply *reply = ASK(p, &error, "SCAN", cursor, "MATCH", pattern, "COUNT", "1000");
        visit_workers(p, reply, cursor, visit, context);
        if (reply) freeReplyObject(reply);
        if (p->is_read_only && !error) error = begin_call(p); /* in a tool each part has a new deadline */
    }
    sonde_free(pattern);
    return error;
}

/* The members of the set are PROGRAM/PROPERTY; safe names have no slash. */
static int each_property(struct sonde_shared_place *p, sonde_property_visit *visit, void *context)
{
    int error = begin_call(p);
    redisReply *reply = error ? NULL : ASK(p, &error, "SMEMBERS", "sonde:1:rooms");
    for (size_t i = 0; reply && reply->type == REDIS_REPLY_ARRAY && i < reply->elements; i++) {
        char *slash = reply->element[i]->str ? strchr(reply->element[i]->str, '/') : NULL;
        if (!slash) continue;
        *slash = '\0';
        visit(context, reply->element[i]->str, slash + 1);
    }
    if (reply) freeReplyObject(reply);
    return error;
}

const struct sonde_place_ops sonde_redis_ops = {.open = open_redis,
                                                .close = close_redis,
                                                .put = put,
                                                .look = look,
                                                .fetch = fetch,
                                                .put_failure = put_failure,
                                                .look_for_failures = look_for_failures,
                                                .claim = claim,
                                                .release = release,
                                                .report = report,
                                                .each_property = each_property,
                                                .each_worker = each_worker,
                                                .drop = drop};

#else

/* The build without hiredis only prints a message. */
static struct sonde_shared_place *open_none(const struct sonde_place_setup *setup, char *message, size_t size)
{
    (void)setup;
    snprintf(
        message, size,
        "this sonde-share was built without hiredis: install libhiredis-dev and build sonde again, or share a directory (dir:PATH)");
    return NULL;
}

const struct sonde_place_ops sonde_redis_ops = {.open = open_none};

#endif
