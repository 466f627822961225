#define _GNU_SOURCE /* pipe2 */
/* See forked.h. A fork by the C library calls handlers; one by the system call does not, but leaves its mark on a page that
 * the kernel clears in every child. Each child inherits the end of a pipe that closes when it ends or becomes another
 * program, so it is known when nobody is left who could come back.
 *
 * All state is of the worker; a stranger is recognised by *mark == 0, which costs one load after each
 * case. The page with `returned` is MAP_SHARED, so that the stranger's last write reaches the worker. */
#include "exec/forked.h"

#include "base/descriptor.h"
#include "base/heap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static int plain_mark = 1; /* where there is no such page, only handlers know */
static volatile int *mark = &plain_mark;
const volatile int *sonde_forked_mark = &plain_mark;
unsigned long long sonde_forked_case, sonde_forked_late;

static atomic_ullong *returned; /* shared with strangers: the case that forked the first who came back; 0: none */
static bool is_own_fork, has_forked;
static int alive[2] = {-1, -1};

static void on_fork_in_parent(void)
{
    if (!is_own_fork) has_forked = true;
}

/* Detaching at once: from here on nothing that the child writes reaches the shared heap. A fork by the
 * bare system call is not seen here; it is seen by the wiped page when it comes back, and may have
 * written to the heap before. */
static void on_fork_in_child(void)
{
    if (is_own_fork) return;
    *mark = 0;
    struct sonde_heap *heap = sonde_heap_current();
    if (heap) sonde_heap_detach(heap);
}

static void *map_page(size_t size, int sharing)
{
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? NULL : page;
}

/* Whoever writes to it by mistake must not wait. */
static void open_pipe(void)
{
    if (pipe2(alive, O_CLOEXEC | O_NONBLOCK) != 0) alive[0] = alive[1] = -1;
    for (int i = 0; i < 2; i++) alive[i] = sonde_descriptor_hide(alive[i], false);
}

/* The end of it that children inherit: only while this process has none itself does the other say who is there. */
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
    static bool has_handlers; /* a worker inherits them */
    if (!has_handlers) pthread_atfork(NULL, on_fork_in_parent, on_fork_in_child);
    has_handlers = true;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    volatile int *page = map_page(size, MAP_PRIVATE);
    if (page && madvise((void *)page, size, MADV_WIPEONFORK) == 0) mark = page;
    *mark = 1;
    sonde_forked_mark = mark;
    returned = map_page(size, MAP_SHARED);
    has_forked = false;
    sonde_forked_late = 0;
    open_pipe();
}

void sonde_forked_own(bool is_own)
{
    is_own_fork = is_own;
}

__attribute__((noreturn)) void sonde_forked_came_back(void)
{
    unsigned long long nobody = 0;
    if (returned) atomic_compare_exchange_strong(returned, &nobody, sonde_forked_case);
    _exit(0);
}

bool sonde_forked_has_news(void)
{
    return has_forked || (returned && atomic_load_explicit(returned, memory_order_relaxed) != 0);
}

/* Nobody has the other end any more; or the code under test has closed this one. */
static bool all_have_ended(void)
{
    char text[256];
    ssize_t n;
    while ((n = read(alive[0], text, sizeof text)) > 0) continue;
    return n == 0 || errno != EAGAIN;
}

unsigned long long sonde_forked_take(double seconds)
{
    const double step = 0.001;
    unsigned long long who = 0;
    if (!returned) return 0;
    drop_end();
    bool is_over = false;
    /* The order matters: ask for a return, then whether all have ended, then ask once more. A child
     * that returned and ended in between is not missed. */
    for (double waited = 0; (who = atomic_exchange(returned, 0)) == 0 && !is_over && waited < seconds; waited += step) {
        is_over = all_have_ended(); /* and then one more look */
        if (!is_over) usleep((useconds_t)(step * 1e6));
    }
    /* From the next case on only new forks count. */
    has_forked = false;
    take_end();
    return who;
}
