#define _GNU_SOURCE /* pipe2 */
/* Recognises child processes that the property forks; see family.h. A fork by the C library calls handlers. A fork
 * by the bare system call does not, but the kernel clears a page in every child. Each child inherits an end of a
 * pipe, which closes when the child ends or executes another program. So the worker knows when no child is left that
 * could return or fail.
 *
 * All state belongs to the worker. A child is recognised by *mark == 0, which costs one load after each case. The
 * page `left` is MAP_SHARED, so that a child's writes to it reach the worker. */
#include "exec/family.h"

#include "base/descriptor.h"
#include "base/heap.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static int plain_mark = 1; /* used if the kernel cannot clear a page; then only fork handlers clear the mark */
static volatile int *mark = &plain_mark;
const volatile int *sonde_forked_mark = &plain_mark;
unsigned long long sonde_forked_case, sonde_forked_late;

/* Messages of children to the worker. Each number is the case that forked the child; 0: no message. */
struct left {
    atomic_ullong returned; /* a child returned from the property */
    atomic_ullong failed;   /* a child wrote `claim`; stored after `claim` */
    atomic_int is_taken;    /* set by the child that writes the claim, until the worker has read it */
    struct sonde_claim claim;
    struct sonde_reach reached; /* counts of the checks that children evaluated */
};
static struct left *left;
static struct sonde_claim own;   /* claim of this process, if it is a child */
static struct sonde_claim taken; /* claim of the child that sonde_forked_take reported last */
static bool has_sent;            /* this process, or the one that forked it, has written a claim */
static bool is_watching, has_forked;
static int alive[2] = {-1, -1};

static void on_fork_in_parent(void)
{
    if (!sonde_fork_is_own()) has_forked = true;
}

/* Detaches from the shared heap at once, so that no write of the child reaches it. This does not run after a fork by
 * the bare system call. Such a child is recognised by the wiped page when it returns, and may have written to the heap
 * before. */
static void on_fork_in_child(void)
{
    if (sonde_fork_is_own() || !is_watching) return;
    *mark = 0;
    struct sonde_heap *heap = sonde_heap_current();
    if (heap) sonde_heap_detach(heap);
    if (left) sonde_reached_share(&left->reached);
}

static struct sonde_claim *childs_claim(void)
{
    return sonde_forked_is_child() ? &own : NULL;
}

/* Passes the claim of this child on to the worker. If several children fail, the worker gets only the first claim. */
static void send_claim(void)
{
    int is_free = 0;
    has_sent = true;
    if (!left || !atomic_compare_exchange_strong(&left->is_taken, &is_free, 1)) return;
    size_t n = strlen(own.message);
    left->claim = own;
    left->claim.in_child = true;
    snprintf(left->claim.message + n, sizeof own.message - n, "%sin a child process that the property forked",
             n ? "; " : "");
    atomic_store(&left->failed, sonde_forked_case);
}

static void *map_page(size_t size, int sharing)
{
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

/* Opens the pipe, non-blocking: a process that writes to it by mistake must not wait. */
static void open_pipe(void)
{
    if (pipe2(alive, O_CLOEXEC | O_NONBLOCK) != 0) alive[0] = alive[1] = -1;
    for (int i = 0; i < 2; i++) alive[i] = sonde_descriptor_hide(alive[i], false);
}

/* Closes the end that children inherit. Only then does the other end show whether any child is left. */
static void drop_end(void)
{
    if (alive[1] < 0) return;
    sonde_descriptor_forget(alive[1]);
    close(alive[1]);
    alive[1] = -1;
}

static void take_end(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", alive[0]);
    alive[1] = sonde_descriptor_hide(open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK), false);
}

void sonde_forked_watch(void)
{
    static bool has_handlers; /* a forked worker inherits the handlers */
    if (!has_handlers) pthread_atfork(NULL, on_fork_in_parent, on_fork_in_child);
    has_handlers = true;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    volatile int *page = map_page(size, MAP_PRIVATE);
    if (page && madvise((void *)page, size, MADV_WIPEONFORK) == 0) mark = page;
    *mark = 1;
    sonde_forked_mark = mark;
    left = map_page(sizeof *left, MAP_SHARED);
    has_forked = has_sent = false;
    is_watching = true;
    sonde_child_hook = (struct sonde_child_hook){.claim = childs_claim, .tell = send_claim};
    sonde_forked_late = 0;
    open_pipe();
}

bool sonde_forked_begin(void)
{
    if (is_watching) return false; /* already watching: the property runs other properties */
    sonde_forked_watch();
    return true;
}

/* Stops watching. Fork handlers cannot be removed; from here on they do nothing. */
void sonde_forked_end(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    if (mark != &plain_mark) munmap((void *)mark, size);
    if (left) munmap(left, sizeof *left);
    for (int i = 0; i < 2; i++) {
        if (alive[i] < 0) continue;
        sonde_descriptor_forget(alive[i]);
        close(alive[i]);
        alive[i] = -1;
    }
    left = NULL;
    mark = &plain_mark;
    sonde_forked_mark = mark;
    sonde_child_hook = (struct sonde_child_hook){.claim = NULL};
    is_watching = has_forked = false;
}

__attribute__((noreturn)) void sonde_forked_exit(void)
{
    unsigned long long none = 0;
    if (left && !has_sent) atomic_compare_exchange_strong(&left->returned, &none, sonde_forked_case);
    _exit(0);
}

bool sonde_forked_has_news(void)
{
    if (has_forked || !left) return has_forked;
    return atomic_load_explicit(&left->returned, memory_order_relaxed)
           || atomic_load_explicit(&left->failed, memory_order_relaxed);
}

/* Takes one message: a child's claim first, else a child's return. */
static unsigned long long take_one(void)
{
    unsigned long long which = atomic_exchange(&left->failed, 0);
    taken.kind = SONDE_CLAIM_NONE;
    if (!which) return atomic_exchange(&left->returned, 0);
    taken = left->claim;
    atomic_store(&left->is_taken, 0);
    return which;
}

void sonde_forked_adopt_checks(sonde *t)
{
    if (left) sonde_reached_adopt(&t->reached, &left->reached);
}

const struct sonde_claim *sonde_forked_claim(void)
{
    return taken.kind == SONDE_CLAIM_NONE ? NULL : &taken;
}

/* Returns whether no child has the other end of the pipe any more, or the code under test has closed this end. */
static bool all_have_ended(void)
{
    char text[256];
    ssize_t n;
    while ((n = read(alive[0], text, sizeof text)) > 0) continue;
    return n == 0 || errno != EAGAIN;
}

unsigned long long sonde_forked_take(double seconds)
{
    const double step = 0.001; /* seconds between two checks */
    unsigned long long which = 0;
    if (!left) return 0;
    drop_end();
    bool is_over = false;
    /* The order matters: read the messages, then check whether all children have ended, then read the messages again.
     * So a child that returned and ended in between is not missed. */
    for (double waited = 0; (which = take_one()) == 0 && !is_over && waited < seconds; waited += step) {
        is_over = all_have_ended(); /* if all children have ended, take_one is called a last time */
        if (!is_over) usleep((useconds_t)(step * 1e6));
    }
    /* From the next case on only new forks count. */
    has_forked = false;
    take_end();
    return which;
}
