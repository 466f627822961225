/* Structures of real libraries under control: the stack of Concurrency Kit (libck-dev) and the wait-free stack of
 * Userspace RCU (liburcu-dev), as their headers have them. Compiled twice: as they are, and with a bug planted in a
 * copy. Both libraries have inline assembly for atomic operations, in which no thread can be interrupted; so macros
 * make them use the compiler's. */
#define _LGPL_SOURCE /* urcu's functions inline, so that they are instrumented */
#include <sonde.h>

#include <ck_stack.h>
#include <pthread.h>
#include <urcu/wfstack.h>

enum { THREADS = 2, NODES = 2 };

static struct ck_stack ck;
static struct ck_stack_entry ck_nodes[THREADS][NODES];
static struct cds_wfs_stack wfs;
static struct cds_wfs_node wfs_nodes[THREADS][NODES];
static int popped[THREADS]; /* by each thread */

static void run_all(void *(*fn)(void *))
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, fn, (void *)i);
    for (long i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void *use_ck(void *which)
{
    long me = (long)which;
    for (int i = 0; i < NODES; i++) ck_stack_push_upmc(&ck, &ck_nodes[me][i]);
    popped[me] = ck_stack_pop_upmc(&ck) != NULL;
    return NULL;
}

static void run_ck(sonde *t, void *unused)
{
    (void)unused;
    ck_stack_init(&ck);
    run_all(use_ck);
    int n = popped[0] + popped[1];
    for (struct ck_stack_entry *e = ck.head; e; e = e->next) n++;
    sonde_check_eq(t, n, THREADS * NODES);
}
SONDE_PROPERTY(ck_stack_loses_nothing)
{
    sonde_threads(t, "run", run_ck, NULL);
}

static void *use_wfs(void *which)
{
    long me = (long)which;
    for (int i = 0; i < NODES; i++) cds_wfs_push(&wfs, &wfs_nodes[me][i]);
    if (me == 0) popped[0] = __cds_wfs_pop_blocking(&wfs) != NULL; /* one thread alone may */
    return NULL;
}

static void run_wfs(sonde *t, void *unused)
{
    (void)unused;
    cds_wfs_init(&wfs);
    for (int i = 0; i < THREADS * NODES; i++) cds_wfs_node_init(&wfs_nodes[0][0] + i);
    run_all(use_wfs);
    int n = popped[0];
    while (__cds_wfs_pop_blocking(&wfs)) n++;
    sonde_check_eq(t, n, THREADS * NODES);
}
SONDE_PROPERTY(urcu_stack_loses_nothing)
{
    sonde_threads(t, "run", run_wfs, NULL);
}

SONDE_MAIN()
