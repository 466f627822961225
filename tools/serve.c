#define _GNU_SOURCE /* getrandom */
/* The command `sonde serve`: the web server of the live report. A test program with --serve starts it and sends it data
 * over descriptor 3 (cli/live.h has the protocol).
 *
 * Access. Only a browser on this machine that has the printed URL, with its token, may see the page:
 *
 *    - The server listens on 127.0.0.1.
 *    - A request must name it by a name of this machine (Host). Otherwise a foreign name that resolves to 127.0.0.1
 *      would do (DNS rebinding).
 *    - A request must not come from a page of another site (Origin, Sec-Fetch-Site).
 *    - A request must have the token: in the URL the first time, then in a cookie. A browser sends cookies to every
 *      port of a host, so also to servers of other users. Therefore the cookie is bound to a random path that only the
 *      browser knows.
 *    - Orders (pause, continue, stop) are POST requests with a second token in a header, which only the page has.
 *    - The page may run its own scripts, marked by a nonce, and connect to this server; nothing else.
 *
 * Cost. The number of connections, the memory of each and the time that it may be idle are bounded. Connections that
 * have not shown the token have a separate bound, at which a new one replaces the oldest of them. So other users of
 * this machine cannot keep the owner off the page. Pages share one copy of the data: a new object replaces the old one
 * and wakes the connections that wait for it.
 *
 * Threads. libmicrohttpd handles all requests in one thread; the main thread reads descriptor 3. server.lock protects
 * what both use. */
#include "tools.h"

#ifndef SONDE_SERVES

int sonde_tool_serve(int argc, char **argv)
{
    (void)argc, (void)argv;
    const char *message =
        "this sonde was built without a server; install libmicrohttpd (Debian: libmicrohttpd-dev) and build it again\n";
    fputs(message, stderr);
    FILE *to = fdopen(3, "w");
    if (to) {
        fputs(message, to);
        fclose(to);
    }
    return SONDE_USAGE;
}

#else

#include "report/page.h"

#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <microhttpd.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PROGRAM = 3,       /* descriptor of the connection to the test program */
    CONNECTIONS = 128, /* maximum number of connections; further ones are refused */
    UNKNOWN_MAX = 64,  /* maximum number of connections that have not shown the token; beyond it the oldest is closed */
    MEMORY = 16 * 1024, /* bytes for one connection; longer headers are refused */
    IDLE_SECONDS = 10,  /* a connection that sends nothing for this time is closed */
    BODY = 1024,        /* maximum size of the body of a POST, which is ignored; a larger one ends the connection */
    FRAME = 64 << 20,   /* maximum size of the data in bytes */
    GRACE_SECONDS = 1,  /* at its end the server waits this long for pages to receive the last data */
    WATCHERS = 32,      /* maximum number of pages that receive events */
    SECRET = 32         /* hexadecimal digits of a token: 128 random bits */
};

/* Data for the page: JSON with a reference count. Each reader of `bytes` has a reference. */
struct data {
    atomic_uint holders;
    size_t n;
    char bytes[];
};

/* A page that receives events. Protected by server.lock. */
struct watcher {
    struct MHD_Connection *connection;
    struct data *data; /* the data being sent; NULL: none */
    size_t sent;       /* number of bytes of the event sent, including "data: " and the line ends */
    uint64_t seen;     /* server.number of the last data sent */
    bool sleeps, is_used, has_ended;
    int state_seen;
};

/* A connection. Only the thread of the server uses it. */
struct client {
    MHD_socket fd;
    uint64_t number; /* number in the order of arrival; 0: this slot is free */
    bool is_known;   /* the connection has shown the token */
};

static struct {
    pthread_mutex_t lock;
    struct data *newest;
    uint64_t number; /* number of the newest data; 0: there is none yet */
    bool is_over;
    atomic_int paused;
    struct watcher watchers[WATCHERS];
    char token[SECRET + 1], order_token[SECRET + 1];
    char path[SECRET + 1]; /* the page is /PATH/ */
    struct client clients[CONNECTIONS];
    uint64_t n_clients; /* connections accepted since the start */
    unsigned port;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Data */

/* Returns a new object for n bytes, with one reference; NULL if memory is exhausted. */
static struct data *make_data(size_t n)
{
    struct data *t = malloc(sizeof *t + n + 1);
    if (!t) return NULL;
    atomic_init(&t->holders, 1);
    t->n = n;
    t->bytes[n] = '\0';
    return t;
}

/* Drops a reference; frees the object with the last one. NULL is allowed. */
static void release(struct data *t)
{
    if (t && atomic_fetch_sub(&t->holders, 1) == 1) free(t);
}

/* Returns the newest data with a new reference, to be dropped by release; NULL if there is none yet. */
static struct data *acquire_newest(void)
{
    pthread_mutex_lock(&server.lock);
    struct data *t = server.newest;
    if (t) atomic_fetch_add(&t->holders, 1);
    pthread_mutex_unlock(&server.lock);
    return t;
}

/* Resumes all pages that wait for an event. The caller has the lock. */
static void wake_all(void)
{
    for (int i = 0; i < WATCHERS; i++) {
        struct watcher *w = &server.watchers[i];
        if (!w->is_used || !w->sleeps) continue;
        w->sleeps = false;
        MHD_resume_connection(w->connection);
    }
}

/* Makes new data the newest, taking over the caller's reference, and wakes the pages. */
static void publish(struct data *t)
{
    pthread_mutex_lock(&server.lock);
    struct data *old = server.newest;
    server.newest = t;
    server.number++;
    wake_all();
    pthread_mutex_unlock(&server.lock);
    release(old);
}

/* ---- Access control */

/* Fills a token with random digits. Returns false if the system has no random numbers. */
static bool make_secret(char out[SECRET + 1])
{
    unsigned char bytes[SECRET / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* Compares in constant time, so that the time taken does not reveal how many digits are right. `given` may be NULL. */
static bool is_secret(const char *given, const char *secret)
{
    unsigned char differs = 0;
    if (!given || strlen(given) != SECRET) return false;
    for (size_t i = 0; i < SECRET; i++) differs |= (unsigned char)(given[i] ^ secret[i]);
    return differs == 0;
}

static const char *header(struct MHD_Connection *c, const char *name)
{
    return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* Reports whether a Host header is a name of this machine with the server's port. */
static bool is_own_host(const char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char own[64];
    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        snprintf(own, sizeof own, "%s:%u", names[i], server.port);
        if (!strcmp(host, own)) return true;
    }
    return false;
}

/* Reports whether a request comes from this page or from the user. Browsers name the site of the requesting page in
 * both headers; for an address that the user typed, Sec-Fetch-Site is `none`. */
static bool is_own_site(struct MHD_Connection *c)
{
    const char *origin = header(c, "Origin"), *site = header(c, "Sec-Fetch-Site");
    if (origin && (strncmp(origin, "http://", 7) != 0 || !is_own_host(origin + 7))) return false;
    return !site || !strcmp(site, "same-origin") || !strcmp(site, "none");
}

static void cookie_name(char *out, size_t size)
{
    /* A browser sends the cookies of a host to all its ports, so each run on this host needs a different name. */
    snprintf(out, size, "sonde-%u", server.port);
}

/* ---- Connections */

/* Closes the oldest connection that has not shown the token, if there are UNKNOWN_MAX of these. */
static void close_oldest_unknown(void)
{
    struct client *oldest = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < CONNECTIONS; i++) {
        struct client *g = &server.clients[i];
        if (!g->number || g->is_known) continue;
        n++;
        if (!oldest || g->number < oldest->number) oldest = g;
    }
    if (n < UNKNOWN_MAX) return;
    shutdown(oldest->fd, SHUT_RDWR); /* libmicrohttpd closes the socket when it reads the end */
    oldest->is_known = true;         /* so that this connection is not chosen again */
}

/* Registers a new connection, or frees the slot of one that was closed; called by libmicrohttpd. */
static void on_connection(void *user, struct MHD_Connection *c, void **state, enum MHD_ConnectionNotificationCode what)
{
    (void)user;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*state) *(struct client *)*state = (struct client){0};
        *state = NULL;
        return;
    }
    const union MHD_ConnectionInfo *fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    close_oldest_unknown();
    for (size_t i = 0; fd && i < CONNECTIONS && !*state; i++) {
        if (server.clients[i].number) continue;
        server.clients[i] = (struct client){.fd = fd->connect_fd, .number = ++server.n_clients};
        *state = &server.clients[i];
    }
}

/* Marks the connection as one that has shown the token. */
static void mark_known(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct client *g = info ? info->socket_context : NULL;
    if (g) g->is_known = true;
}

/* ---- Responses */

/* Sends a response with the headers that every response has, and frees it. */
static enum MHD_Result send_response(struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
{
    if (!r) return MHD_NO;
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
    enum MHD_Result result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

/* Sends a line of plain text; `message` must be static. */
static enum MHD_Result reply(struct MHD_Connection *c, unsigned status, const char *message)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(strlen(message), (void *)(uintptr_t)message, MHD_RESPMEM_PERSISTENT);
    if (r) MHD_add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
    if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(r, "Allow", "GET, HEAD, POST");
    return send_response(c, status, r);
}

/* Moves the token from the URL into a cookie for the page's path, and redirects the browser to that path. */
static enum MHD_Result set_cookie(struct MHD_Connection *c)
{
    char name[32], cookie[192], location[SECRET + 3];
    struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    cookie_name(name, sizeof name);
    snprintf(location, sizeof location, "/%s/", server.path);
    snprintf(cookie, sizeof cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=%s", name, server.token, location);
    if (r) MHD_add_response_header(r, "Set-Cookie", cookie);
    if (r) MHD_add_response_header(r, "Location", location);
    return send_response(c, MHD_HTTP_SEE_OTHER, r);
}

/* The script of the live page: receives events, renders the data, and adds three buttons at the top. It sets strings as
 * textContent, never as HTML. %s is the token for orders. */
static const char live_script[] =
    "(function(){var token='%s';var bar=document.createElement('p');bar.id='live';"
    "bar.style.cssText='position:sticky;top:0;margin:0;padding:.4em 1em;background:Canvas;border-bottom:1px solid;z-index:9';"
    "var word=document.createElement('span');word.id='live-state';word.textContent='running ';"
    "function order(name){return fetch(name,{method:'POST',headers:{'X-Sonde-Token':token}})}"
    "function button(label,name){var b=document.createElement('button');b.textContent=label;b.id='live-'+name;"
    "b.onclick=function(){order(name)};bar.append(b,' ');return b}"
    "bar.append(word);var p=button('Pause','pause'),c=button('Continue','resume'),s=button('Stop','stop');c.disabled=true;"
    "document.body.prepend(bar);"
    "function state(now){word.textContent=now+' ';var over=now==='ended'||now==='not connected';"
    "p.disabled=over||now==='paused';c.disabled=over||now!=='paused';s.disabled=over}"
    "var waits=null;function show(){if(!window.sondePage||!sondePage.render){setTimeout(show,50);return}"
    "var d=waits;waits=null;if(d)sondePage.render(d)}"
    "var e=new EventSource('events');e.onmessage=function(m){var idle=!waits;waits=JSON.parse(m.data);if(idle)show()};"
    "e.addEventListener('state',function(m){state(m.data);if(m.data==='ended')e.close()});"
    "e.onerror=function(){if(e.readyState===2)state('not connected')}})()";

/* Sends the page with the newest data. Its policy allows only scripts that have the nonce, which is new each time. */
static enum MHD_Result send_page(struct MHD_Connection *c)
{
    char nonce[SECRET + 1], policy[320], script[sizeof live_script + SECRET], *html = NULL;
    size_t n = 0;
    FILE *out = make_secret(nonce) ? open_memstream(&html, &n) : NULL;
    if (!out) return reply(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "there is no memory for the page\n");
    struct data *now = acquire_newest();
    snprintf(script, sizeof script, live_script, server.order_token);
    sonde_page_write_parts(out,
                           &(struct sonde_page_parts){.data = now ? now->bytes : NULL, .nonce = nonce, .live = script});
    fclose(out);
    release(now);
    struct MHD_Response *r = MHD_create_response_from_buffer(n, html, MHD_RESPMEM_MUST_FREE);
    snprintf(
        policy, sizeof policy,
        "default-src 'none'; script-src 'nonce-%s'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'",
        nonce);
    if (r) MHD_add_response_header(r, "Content-Type", "text/html; charset=utf-8");
    if (r) MHD_add_response_header(r, "Content-Security-Policy", policy);
    return send_response(c, MHD_HTTP_OK, r);
}

/* ---- Server-sent events */

static const char before_data[] = "data: ", after_data[] = "\n\n";

/* Copies bytes of an event, "data: JSON\n\n", from position `at` on. Returns their number, at most `max`. */
static size_t piece(const struct data *t, size_t at, char *out, size_t max)
{
    size_t head = sizeof before_data - 1, whole = head + t->n + sizeof after_data - 1, n = 0;
    for (; n < max && at < whole; n++, at++)
        out[n] = at < head ? before_data[at] : at < head + t->n ? t->bytes[at - head] : after_data[at - head - t->n];
    return n;
}

/* Returns the state of the run, an index into `states` of next_event. */
static int state_now(void)
{
    return server.is_over ? 2 : atomic_load(&server.paused) ? 1 : 0;
}

/* Writes the next bytes for a page; called by libmicrohttpd. First finishes the data in progress, then sends the newest
 * data, then a change of state. With nothing to send it suspends the connection until wake_all. */
static ssize_t next_event(void *user, uint64_t position, char *out, size_t max)
{
    static const char *const states[] = {"running", "paused", "ended"};
    struct watcher *w = user;
    (void)position;
    pthread_mutex_lock(&server.lock);
    if (!w->data && w->seen != server.number && server.newest) {
        w->data = server.newest;
        atomic_fetch_add(&w->data->holders, 1);
        w->seen = server.number;
        w->sent = 0;
    }
    int state = state_now();
    ssize_t n = 0;
    if (w->data) {
        n = (ssize_t)piece(w->data, w->sent, out, max);
        w->sent += (size_t)n;
        if (w->sent == w->data->n + sizeof before_data - 1 + sizeof after_data - 1) {
            release(w->data);
            w->data = NULL;
        }
    } else if (state != w->state_seen && max >= 64) {
        w->state_seen = state;
        n = snprintf(out, max, "event: state\ndata: %s\n\n", states[state]);
    } else if (server.is_over) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        w->sleeps = true;
        MHD_suspend_connection(w->connection);
    }
    pthread_mutex_unlock(&server.lock);
    return n;
}

/* Frees the slot of a page; called by libmicrohttpd when its response ends. */
static void end_watcher(void *user)
{
    struct watcher *w = user;
    pthread_mutex_lock(&server.lock);
    release(w->data);
    memset(w, 0, sizeof *w);
    pthread_mutex_unlock(&server.lock);
}

/* Starts a stream of events to a page. */
static enum MHD_Result send_events(struct MHD_Connection *c)
{
    struct watcher *w = NULL;
    pthread_mutex_lock(&server.lock);
    for (int i = 0; i < WATCHERS && !w; i++)
        if (!server.watchers[i].is_used) w = &server.watchers[i];
    if (w) *w = (struct watcher){.connection = c, .is_used = true, .state_seen = -1};
    pthread_mutex_unlock(&server.lock);
    if (!w) return reply(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages are open; close one and reload\n");
    struct MHD_Response *r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32 * 1024, next_event, w, end_watcher);
    if (r) MHD_add_response_header(r, "Content-Type", "text/event-stream");
    else end_watcher(w);
    return send_response(c, MHD_HTTP_OK, r);
}

/* ---- Orders */

/* Passes an order on to the test program as one byte, and updates the state that pages show. */
static enum MHD_Result run_order(struct MHD_Connection *c, const char *url)
{
    static const struct {
        const char *url;
        char order;
        int paused;
    } orders[] = {{"pause", 'p', 1}, {"resume", 'c', 0}, {"stop", 's', 0}};
    if (!is_secret(header(c, "X-Sonde-Token"), server.order_token))
        return reply(c, MHD_HTTP_FORBIDDEN, "orders need the page's token, in the header X-Sonde-Token\n");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (strcmp(url, orders[i].url) != 0) continue;
        if (send(PROGRAM, &orders[i].order, 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
            return reply(c, MHD_HTTP_SERVICE_UNAVAILABLE, "the run has ended\n");
        atomic_store(&server.paused, orders[i].paused);
        pthread_mutex_lock(&server.lock);
        wake_all();
        pthread_mutex_unlock(&server.lock);
        return reply(c, MHD_HTTP_OK, "ok\n");
    }
    return reply(c, MHD_HTTP_NOT_FOUND, "there is no such order; the orders are pause, resume and stop\n");
}

/* Sends the newest data as JSON. */
static enum MHD_Result send_data(struct MHD_Connection *c)
{
    struct data *now = acquire_newest();
    const char *bytes = now ? now->bytes : "null";
    struct MHD_Response *r =
        MHD_create_response_from_buffer(now ? now->n : 4, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    release(now);
    if (r) MHD_add_response_header(r, "Content-Type", "application/json");
    return send_response(c, MHD_HTTP_OK, r);
}

/* ---- Requests */

/* Returns the rest of a URL after /PATH/; NULL if it begins otherwise. */
static const char *below_path(const char *url)
{
    char path[SECRET + 1] = "";
    if (strlen(url) < SECRET + 2 || url[0] != '/' || url[SECRET + 1] != '/') return NULL;
    memcpy(path, url + 1, SECRET);
    return is_secret(path, server.path) ? url + SECRET + 2 : NULL;
}

/* Checks a request and responds to it: first whether it may be served at all, then by its path. */
static enum MHD_Result handle_request(struct MHD_Connection *c, const char *url, const char *method)
{
    char name[32];
    bool is_get = !strcmp(method, "GET") || !strcmp(method, "HEAD"), is_post = !strcmp(method, "POST");
    cookie_name(name, sizeof name);
    if (!is_own_host(header(c, "Host")))
        return reply(c, 421, "the Host header is wrong; open the page as 127.0.0.1 or localhost\n");
    if (!is_own_site(c)) return reply(c, MHD_HTTP_FORBIDDEN, "requests from other sites are refused\n");
    if (!is_get && !is_post)
        return reply(c, MHD_HTTP_METHOD_NOT_ALLOWED, "the method is not allowed; use GET, HEAD or POST\n");
    if (is_get && !strcmp(url, "/")
        && is_secret(MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token"), server.token)) {
        mark_known(c);
        return set_cookie(c);
    }
    const char *rest = below_path(url);
    if (!rest || !is_secret(MHD_lookup_connection_value(c, MHD_COOKIE_KIND, name), server.token))
        return reply(c, MHD_HTTP_FORBIDDEN,
                     "the token is missing or wrong; open the address that the test program printed\n");
    mark_known(c);
    if (is_post) return run_order(c, rest);
    if (!*rest) return send_page(c);
    if (!strcmp(rest, "data")) return send_data(c);
    if (!strcmp(rest, "events") && !strcmp(method, "GET")) return send_events(c);
    return reply(c, MHD_HTTP_NOT_FOUND, "there is no such page\n");
}

/* Handles a request; libmicrohttpd calls it for the headers, for each part of the body, and at the end. Counts the
 * bytes of the body, in *state, and ignores their content. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *c, const char *url, const char *method,
                                  const char *version, const char *body, size_t *n, void **state)
{
    (void)user, (void)version, (void)body;
    static const char is_known = 0;
    if (!*state) {
        *state = malloc(sizeof(size_t));
        if (!*state) return MHD_NO;
        memset(*state, is_known, sizeof(size_t));
        return MHD_YES;
    }
    size_t *got = *state;
    if (*n) {
        *got += *n;
        *n = 0;
        return *got > BODY ? MHD_NO : MHD_YES;
    }
    return handle_request(c, url, method);
}

/* Frees the state of a request; called by libmicrohttpd. */
static void on_end(void *user, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why)
{
    (void)user, (void)c, (void)why;
    free(*state);
    *state = NULL;
}

/* Discards libmicrohttpd's log. */
static void discard_log(void *user, const char *format, va_list values)
{
    (void)user, (void)format, (void)values;
}

/* ---- Data from the test program */

/* Reads n bytes. Returns false at the end of the input, or on an error. */
static bool read_all(char *out, size_t n)
{
    while (n) {
        ssize_t got = read(PROGRAM, out, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        out += got;
        n -= (size_t)got;
    }
    return true;
}

/* Reads a line, without its end. Returns false at the end of the input, or if the line is too long. */
static bool read_line(char *out, size_t size)
{
    for (size_t n = 0; n + 1 < size; n++) {
        if (!read_all(out + n, 1)) return false;
        if (out[n] != '\n') continue;
        out[n] = '\0';
        return true;
    }
    return false;
}

/* Publishes data until the test program ends or sends something else. Each message is `data N`, a line end and N bytes
 * of JSON. */
static void read_program(void)
{
    char line[64];
    while (read_line(line, sizeof line)) {
        size_t n = strncmp(line, "data ", 5) == 0 ? strtoul(line + 5, NULL, 10) : 0;
        struct data *t = n && n <= FRAME ? make_data(n) : NULL;
        if (!t) return;
        if (!read_all(t->bytes, n)) {
            release(t);
            return;
        }
        /* An event is one line. JSON has line ends only between values, where blanks mean the same. */
        for (char *p = t->bytes; (p = memchr(p, '\n', n - (size_t)(p - t->bytes)));) *p = ' ';
        publish(t);
    }
}

/* Starts the server on this machine only; port 0 takes any free one. Returns NULL if that fails. */
static struct MHD_Daemon *start(unsigned port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
                            on_request, NULL, MHD_OPTION_EXTERNAL_LOGGER, discard_log, NULL, MHD_OPTION_SOCK_ADDR,
                            &here, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
                            (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL, MHD_OPTION_END);
}

/* Reports an error to the test program, which prints it, and on standard error for people who run the command by hand.
 * Returns the exit status. */
static int refuse(const char *message)
{
    dprintf(PROGRAM, "%s\n", message);
    fprintf(stderr, "sonde serve: %s\n", message);
    return SONDE_USAGE;
}

int sonde_tool_serve(int argc, char **argv)
{
    char *end;
    unsigned long port = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
    if (fcntl(PROGRAM, F_GETFD) < 0) {
        fputs("sonde serve: only a test program can start this command; run ./test --serve\n", stderr);
        return SONDE_USAGE;
    }
    if (port > 65535 || (argc > 1 && *end)) return refuse("the port must be a number from 0 to 65535");
    signal(SIGPIPE, SIG_IGN);
    if (!make_secret(server.token) || !make_secret(server.order_token) || !make_secret(server.path))
        return refuse("the system has no random numbers (getrandom failed)");
    struct MHD_Daemon *daemon = start((unsigned)port);
    if (!daemon) {
        char message[128];
        snprintf(message, sizeof message, "cannot listen on 127.0.0.1, port %lu: %s", port, strerror(errno));
        return refuse(message);
    }
    server.port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    dprintf(PROGRAM, "http://127.0.0.1:%u/?token=%s\n", server.port, server.token);
    read_program();
    pthread_mutex_lock(&server.lock);
    server.is_over = true;
    wake_all();
    pthread_mutex_unlock(&server.lock);
    sleep(GRACE_SECONDS);
    MHD_stop_daemon(daemon);
    release(server.newest);
    return SONDE_PASSED;
}

#endif
