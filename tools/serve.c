#define _GNU_SOURCE /* getrandom */
/* sonde serve: the live page of a test program, for --serve (cli/live.h has the conversation, over descriptor 3).
 *
 * Only a browser on this machine that was given the address with its token may see it. The server listens on 127.0.0.1. A
 * request must name it by a name of this machine (Host: else a foreign name that resolves to 127.0.0.1 would do), must not
 * come from a page of another site (Origin, Sec-Fetch-Site), and must bring the token: in the address the first time, then in
 * a cookie. A browser sends a cookie to every port of a host, so also to servers of other users of this machine; therefore
 * the cookie is bound to a path, and that path is random and known to the browser alone. Orders (pause, continue, stop) are
 * POSTs with a second token in a header, which only the page knows. The page may run its own scripts, marked by a nonce, and
 * talk to this server; nothing else.
 *
 * Cost: connections, the memory of each and the time of idle ones are bounded. Connections that have not shown the token are
 * bounded apart: a new one takes the place of the oldest of them. So other users of this machine, who can connect as well,
 * cannot keep the owner off the page. Data is not copied per page: a new object takes the place of the old one, and those who
 * wait for it are woken. */
#include "tools.h"

#ifndef SONDE_SERVES

int sonde_tool_serve(int argc, char **argv)
{
    (void)argc, (void)argv;
    const char *sentence =
        "this sonde was built without a server; install libmicrohttpd (Debian: libmicrohttpd-dev) and build it again\n";
    fputs(sentence, stderr);
    FILE *to = fdopen(3, "w");
    if (to) {
        fputs(sentence, to);
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
    PROGRAM = 3,        /* descriptor of the conversation */
    CONNECTIONS = 128,  /* at once; more are turned away, */
    UNKNOWN_MAX = 64,   /* and of these, the ones that have not shown the token: the oldest makes way */
    MEMORY = 16 * 1024, /* of a connection: longer headers are refused */
    IDLE_SECONDS = 10,  /* a connection that says nothing is closed */
    BODY = 1024,        /* of a POST, which is not looked at; a longer one ends the connection */
    FRAME = 64 << 20,   /* bytes of data at most */
    GRACE_SECONDS = 1,  /* for those who wait, at the end */
    WATCHERS = 32,      /* pages at once */
    SECRET = 32         /* hexadecimal digits of a token */
};

/* The newest data, in one block that is counted; who reads it holds it. */
struct text {
    atomic_uint holders;
    size_t n;
    char bytes[];
};

struct watcher {
    struct MHD_Connection *connection;
    struct text *text; /* that is being sent; NULL: none */
    size_t sent;       /* of it, with what stands around it */
    uint64_t seen;     /* the number of the last one */
    bool sleeps, is_used, has_ended;
    int state_seen;
};

/* One connection. Only the thread of the server touches it. */
struct guest {
    MHD_socket fd;
    uint64_t number; /* in the order in which they came; 0: free */
    bool is_known;   /* it has shown the token */
};

static struct {
    pthread_mutex_t lock;
    struct text *newest;
    uint64_t number; /* of the newest; 0: none yet */
    bool is_over;
    atomic_int paused;
    struct watcher watchers[WATCHERS];
    char token[SECRET + 1], order_token[SECRET + 1];
    char path[SECRET + 1]; /* the page is /PATH/ */
    struct guest guests[CONNECTIONS];
    uint64_t n_guests; /* that have ever come */
    unsigned port;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Texts */

static struct text *make_text(size_t n)
{
    struct text *t = malloc(sizeof *t + n + 1);
    if (!t) return NULL;
    atomic_init(&t->holders, 1);
    t->n = n;
    t->bytes[n] = '\0';
    return t;
}

static void let_go(struct text *t)
{
    if (t && atomic_fetch_sub(&t->holders, 1) == 1) free(t);
}

static struct text *hold_newest(void)
{
    pthread_mutex_lock(&server.lock);
    struct text *t = server.newest;
    if (t) atomic_fetch_add(&t->holders, 1);
    pthread_mutex_unlock(&server.lock);
    return t;
}

/* With the lock held. */
static void wake_all(void)
{
    for (int i = 0; i < WATCHERS; i++) {
        struct watcher *w = &server.watchers[i];
        if (!w->is_used || !w->sleeps) continue;
        w->sleeps = false;
        MHD_resume_connection(w->connection);
    }
}

static void publish(struct text *t)
{
    pthread_mutex_lock(&server.lock);
    struct text *old = server.newest;
    server.newest = t;
    server.number++;
    wake_all();
    pthread_mutex_unlock(&server.lock);
    let_go(old);
}

/* ---- Who is asking */

static bool make_secret(char out[SECRET + 1])
{
    unsigned char bytes[SECRET / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* Constant-time comparison. */
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

/* One of the names of this machine, with the port. */
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

/* A page of another site says so by either header; a browser that is told an address by its user says `none`. */
static bool is_own_site(struct MHD_Connection *c)
{
    const char *origin = header(c, "Origin"), *site = header(c, "Sec-Fetch-Site");
    if (origin && (strncmp(origin, "http://", 7) != 0 || !is_own_host(origin + 7))) return false;
    return !site || !strcmp(site, "same-origin") || !strcmp(site, "none");
}

static void cookie_name(char *out, size_t size)
{
    snprintf(out, size, "sonde-%u", server.port); /* pages of several runs have one host */
}

/* ---- Connections */

/* Closes the oldest connection that has not shown the token, if there are as many of these as there may be. */
static void make_way(void)
{
    struct guest *oldest = NULL;
    unsigned n = 0;
    for (size_t i = 0; i < CONNECTIONS; i++) {
        struct guest *g = &server.guests[i];
        if (!g->number || g->is_known) continue;
        n++;
        if (!oldest || g->number < oldest->number) oldest = g;
    }
    if (n < UNKNOWN_MAX) return;
    shutdown(oldest->fd, SHUT_RDWR); /* the library closes it when it sees the end */
    oldest->is_known = true;         /* not to be chosen again */
}

static void on_connection(void *user, struct MHD_Connection *c, void **state, enum MHD_ConnectionNotificationCode what)
{
    (void)user;
    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (*state) *(struct guest *)*state = (struct guest){0};
        *state = NULL;
        return;
    }
    const union MHD_ConnectionInfo *fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
    make_way();
    for (size_t i = 0; fd && i < CONNECTIONS && !*state; i++) {
        if (server.guests[i].number) continue;
        server.guests[i] = (struct guest){.fd = fd->connect_fd, .number = ++server.n_guests};
        *state = &server.guests[i];
    }
}

/* The connection has shown the token. */
static void welcome_guest(struct MHD_Connection *c)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    struct guest *g = info ? info->socket_context : NULL;
    if (g) g->is_known = true;
}

/* ---- Answers */

static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, struct MHD_Response *r)
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

static enum MHD_Result say(struct MHD_Connection *c, unsigned status, const char *sentence)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(strlen(sentence), (void *)(uintptr_t)sentence, MHD_RESPMEM_PERSISTENT);
    if (r) MHD_add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
    if (r && status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(r, "Allow", "GET, HEAD, POST");
    return answer(c, status, r);
}

/* Moves the token from the address into a cookie for the page's path, and the browser to that path. */
static enum MHD_Result welcome(struct MHD_Connection *c)
{
    char name[32], cookie[192], location[SECRET + 3];
    struct MHD_Response *r = MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
    cookie_name(name, sizeof name);
    snprintf(location, sizeof location, "/%s/", server.path);
    snprintf(cookie, sizeof cookie, "%s=%s; HttpOnly; SameSite=Strict; Path=%s", name, server.token, location);
    if (r) MHD_add_response_header(r, "Set-Cookie", cookie);
    if (r) MHD_add_response_header(r, "Location", location);
    return answer(c, MHD_HTTP_SEE_OTHER, r);
}

/* Listens and shows; three buttons at the top. All texts are set as texts. */
static const char live_script[] =
    "(function(){var token='%s';var bar=document.createElement('p');bar.id='live';"
    "bar.style.cssText='position:sticky;top:0;margin:0;padding:.4em 1em;background:Canvas;border-bottom:1px solid;z-index:9';"
    "var word=document.createElement('span');word.id='live-state';word.textContent='running ';"
    "function order(name){return fetch(name,{method:'POST',headers:{'X-Sonde-Token':token}})}"
    "function button(text,name){var b=document.createElement('button');b.textContent=text;b.id='live-'+name;"
    "b.onclick=function(){order(name)};bar.append(b,' ');return b}"
    "bar.append(word);var p=button('Pause','pause'),c=button('Go on','resume'),s=button('Stop','stop');c.disabled=true;"
    "document.body.prepend(bar);"
    "function state(text){word.textContent=text+' ';var over=text==='ended'||text==='not connected';"
    "p.disabled=over||text==='paused';c.disabled=over||text!=='paused';s.disabled=over}"
    "var waits=null;function show(){if(!window.sondePage||!sondePage.render){setTimeout(show,50);return}"
    "var d=waits;waits=null;if(d)sondePage.render(d)}"
    "var e=new EventSource('events');e.onmessage=function(m){var idle=!waits;waits=JSON.parse(m.data);if(idle)show()};"
    "e.addEventListener('state',function(m){state(m.data);if(m.data==='ended')e.close()});"
    "e.onerror=function(){if(e.readyState===2)state('not connected')}})()";

static enum MHD_Result send_page(struct MHD_Connection *c)
{
    char nonce[SECRET + 1], policy[320], script[sizeof live_script + SECRET], *html = NULL;
    size_t n = 0;
    FILE *out = make_secret(nonce) ? open_memstream(&html, &n) : NULL;
    if (!out) return say(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "there is no memory for the page\n");
    struct text *now = hold_newest();
    snprintf(script, sizeof script, live_script, server.order_token);
    sonde_page_write_parts(out,
                           &(struct sonde_page_parts){.data = now ? now->bytes : NULL, .nonce = nonce, .live = script});
    fclose(out);
    let_go(now);
    struct MHD_Response *r = MHD_create_response_from_buffer(n, html, MHD_RESPMEM_MUST_FREE);
    snprintf(
        policy, sizeof policy,
        "default-src 'none'; script-src 'nonce-%s'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'",
        nonce);
    if (r) MHD_add_response_header(r, "Content-Type", "text/html; charset=utf-8");
    if (r) MHD_add_response_header(r, "Content-Security-Policy", policy);
    return answer(c, MHD_HTTP_OK, r);
}

/* ---- Server-sent events */

static const char before_data[] = "data: ", after_data[] = "\n\n";

/* The bytes from `at` on of what goes around and of the text itself. */
static size_t piece(const struct text *t, size_t at, char *out, size_t max)
{
    size_t head = sizeof before_data - 1, whole = head + t->n + sizeof after_data - 1, n = 0;
    for (; n < max && at < whole; n++, at++)
        out[n] = at < head ? before_data[at] : at < head + t->n ? t->bytes[at - head] : after_data[at - head - t->n];
    return n;
}

static int state_now(void)
{
    return server.is_over ? 2 : atomic_load(&server.paused) ? 1 : 0;
}

static ssize_t next_event(void *user, uint64_t position, char *out, size_t max)
{
    static const char *const states[] = {"running", "paused", "ended"};
    struct watcher *w = user;
    (void)position;
    pthread_mutex_lock(&server.lock);
    if (!w->text && w->seen != server.number && server.newest) {
        w->text = server.newest;
        atomic_fetch_add(&w->text->holders, 1);
        w->seen = server.number;
        w->sent = 0;
    }
    int state = state_now();
    ssize_t n = 0;
    if (w->text) {
        n = (ssize_t)piece(w->text, w->sent, out, max);
        w->sent += (size_t)n;
        if (w->sent == w->text->n + sizeof before_data - 1 + sizeof after_data - 1) {
            let_go(w->text);
            w->text = NULL;
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

static void end_watcher(void *user)
{
    struct watcher *w = user;
    pthread_mutex_lock(&server.lock);
    let_go(w->text);
    memset(w, 0, sizeof *w);
    pthread_mutex_unlock(&server.lock);
}

static enum MHD_Result send_events(struct MHD_Connection *c)
{
    struct watcher *w = NULL;
    pthread_mutex_lock(&server.lock);
    for (int i = 0; i < WATCHERS && !w; i++)
        if (!server.watchers[i].is_used) w = &server.watchers[i];
    if (w) *w = (struct watcher){.connection = c, .is_used = true, .state_seen = -1};
    pthread_mutex_unlock(&server.lock);
    if (!w) return say(c, MHD_HTTP_SERVICE_UNAVAILABLE, "too many pages are watching\n");
    struct MHD_Response *r = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 32 * 1024, next_event, w, end_watcher);
    if (r) MHD_add_response_header(r, "Content-Type", "text/event-stream");
    else end_watcher(w);
    return answer(c, MHD_HTTP_OK, r);
}

/* ---- Orders */

static enum MHD_Result obey(struct MHD_Connection *c, const char *url)
{
    static const struct {
        const char *url;
        char order;
        int paused;
    } orders[] = {{"pause", 'p', 1}, {"resume", 'c', 0}, {"stop", 's', 0}};
    if (!is_secret(header(c, "X-Sonde-Token"), server.order_token))
        return say(c, MHD_HTTP_FORBIDDEN, "orders need the page's own token\n");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (strcmp(url, orders[i].url) != 0) continue;
        if (send(PROGRAM, &orders[i].order, 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
            return say(c, MHD_HTTP_SERVICE_UNAVAILABLE, "the run has ended\n");
        atomic_store(&server.paused, orders[i].paused);
        pthread_mutex_lock(&server.lock);
        wake_all();
        pthread_mutex_unlock(&server.lock);
        return say(c, MHD_HTTP_OK, "told\n");
    }
    return say(c, MHD_HTTP_NOT_FOUND, "there is no such order; there are pause, resume and stop\n");
}

static enum MHD_Result send_data(struct MHD_Connection *c)
{
    struct text *now = hold_newest();
    const char *bytes = now ? now->bytes : "null";
    struct MHD_Response *r =
        MHD_create_response_from_buffer(now ? now->n : 4, (void *)(uintptr_t)bytes, MHD_RESPMEM_MUST_COPY);
    let_go(now);
    if (r) MHD_add_response_header(r, "Content-Type", "application/json");
    return answer(c, MHD_HTTP_OK, r);
}

/* ---- Requests */

/* Returns what follows /PATH/ in an address; NULL if it begins otherwise. */
static const char *below_path(const char *url)
{
    char path[SECRET + 1] = "";
    if (strlen(url) < SECRET + 2 || url[0] != '/' || url[SECRET + 1] != '/') return NULL;
    memcpy(path, url + 1, SECRET);
    return is_secret(path, server.path) ? url + SECRET + 2 : NULL;
}

static enum MHD_Result judge(struct MHD_Connection *c, const char *url, const char *method)
{
    char name[32];
    bool is_get = !strcmp(method, "GET") || !strcmp(method, "HEAD"), is_post = !strcmp(method, "POST");
    cookie_name(name, sizeof name);
    if (!is_own_host(header(c, "Host"))) return say(c, 421, "name this server by a name of this machine\n");
    if (!is_own_site(c)) return say(c, MHD_HTTP_FORBIDDEN, "requests of other sites are refused\n");
    if (!is_get && !is_post) return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET, HEAD and POST are all there is\n");
    if (is_get && !strcmp(url, "/")
        && is_secret(MHD_lookup_connection_value(c, MHD_GET_ARGUMENT_KIND, "token"), server.token)) {
        welcome_guest(c);
        return welcome(c);
    }
    const char *rest = below_path(url);
    if (!rest || !is_secret(MHD_lookup_connection_value(c, MHD_COOKIE_KIND, name), server.token))
        return say(c, MHD_HTTP_FORBIDDEN, "open the address that the test program has printed, with its token\n");
    welcome_guest(c);
    if (is_post) return obey(c, rest);
    if (!*rest) return send_page(c);
    if (!strcmp(rest, "data")) return send_data(c);
    if (!strcmp(rest, "events") && !strcmp(method, "GET")) return send_events(c);
    return say(c, MHD_HTTP_NOT_FOUND, "there is no such page\n");
}

/* Called for the headers, for each part of a body, and at its end; the body is of no interest. */
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
    return judge(c, url, method);
}

static void on_end(void *user, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why)
{
    (void)user, (void)c, (void)why;
    free(*state);
    *state = NULL;
}

static void say_nothing(void *user, const char *format, va_list values)
{
    (void)user, (void)format, (void)values;
}

/* ---- The conversation with the test program */

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

/* A line, without its end; false at the end of the conversation, or where it is none. */
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

static void converse(void)
{
    char line[64];
    while (read_line(line, sizeof line)) {
        size_t n = strncmp(line, "data ", 5) == 0 ? strtoul(line + 5, NULL, 10) : 0;
        struct text *t = n && n <= FRAME ? make_text(n) : NULL;
        if (!t) return;
        if (!read_all(t->bytes, n)) {
            let_go(t);
            return;
        }
        /* An event is one line; in JSON, line ends are blanks between values and nowhere else. */
        for (char *p = t->bytes; (p = memchr(p, '\n', n - (size_t)(p - t->bytes)));) *p = ' ';
        publish(t);
    }
}

static struct MHD_Daemon *start(unsigned port)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
                            on_request, NULL, MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL, MHD_OPTION_SOCK_ADDR,
                            &here, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY, MHD_OPTION_CONNECTION_TIMEOUT,
                            (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL, MHD_OPTION_END);
}

/* To the test program, which prints it, and for people who call the command by hand. */
static int refuse(const char *sentence)
{
    dprintf(PROGRAM, "%s\n", sentence);
    fprintf(stderr, "sonde serve: %s\n", sentence);
    return SONDE_USAGE;
}

int sonde_tool_serve(int argc, char **argv)
{
    char *end;
    unsigned long port = argc > 1 ? strtoul(argv[1], &end, 10) : 0;
    if (fcntl(PROGRAM, F_GETFD) < 0) {
        fputs("sonde serve: a test program starts this command: ./test --serve\n", stderr);
        return SONDE_USAGE;
    }
    if (port > 65535 || (argc > 1 && *end)) return refuse("a port is a number from 0 to 65535");
    signal(SIGPIPE, SIG_IGN);
    if (!make_secret(server.token) || !make_secret(server.order_token) || !make_secret(server.path))
        return refuse("there are no random numbers");
    struct MHD_Daemon *daemon = start((unsigned)port);
    if (!daemon) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "it cannot listen on 127.0.0.1, port %lu: %s", port, strerror(errno));
        return refuse(sentence);
    }
    server.port = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    dprintf(PROGRAM, "http://127.0.0.1:%u/?token=%s\n", server.port, server.token);
    converse();
    pthread_mutex_lock(&server.lock);
    server.is_over = true;
    wake_all();
    pthread_mutex_unlock(&server.lock);
    sleep(GRACE_SECONDS);
    MHD_stop_daemon(daemon);
    let_go(server.newest);
    return SONDE_PASSED;
}

#endif
