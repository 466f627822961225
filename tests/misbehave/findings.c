/* Thirteen kinds of findings, each for one input, x = 777777, which a short search does not come to by itself. With -DMENDED
 * the same program without the bugs. tests/compile/judged.sh finds each by one build and replays it by others. */
#include <pthread.h>
#include <sonde.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef MENDED
enum { IS_MENDED = 1 };
#else
enum { IS_MENDED = 0 };
#endif

static bool is_hit(sonde *t)
{
    return sonde_int(t, "x", 0, 1000000) == 777777 && !IS_MENDED;
}

SONDE_PROPERTY(check)
{
    bool hit = is_hit(t);
    sonde_check(t, !hit);
}

SONDE_PROPERTY(exits)
{
    if (is_hit(t)) exit(0);
}

SONDE_PROPERTY(crash)
{
    int here = 0, *volatile p = is_hit(t) ? NULL : &here;
    *(volatile int *)p = 1;
}

SONDE_PROPERTY(overrun)
{
    char *p = calloc(10, 1);
    volatile int at = is_hit(t) ? 10 : 0;
    volatile char c = p[at];
    (void)c;
    free(p);
}

SONDE_PROPERTY(overflow)
{
    volatile int x = is_hit(t) ? 2147483647 : 0;
    volatile int y = x + 1;
    (void)y;
}

SONDE_PROPERTY(leak)
{
    volatile char *p = malloc(10);
    p[0] = 1;
    if (!is_hit(t)) free((void *)(uintptr_t)p);
}

SONDE_PROPERTY(uninitialised)
{
    int *p = malloc(sizeof *p);
    if (!is_hit(t)) *p = 0;
    if (*(volatile int *)p) usleep(1);
    free(p);
}

static int shared;

static void *bump(void *is_racy)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (!is_racy) pthread_mutex_lock(&lock);
    shared++;
    if (!is_racy) pthread_mutex_unlock(&lock);
    return NULL;
}

SONDE_PROPERTY(race)
{
    pthread_t a, b;
    void *is_racy = is_hit(t) ? &shared : NULL;
    pthread_create(&a, NULL, bump, is_racy);
    pthread_create(&b, NULL, bump, is_racy);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

/* By processor time, which the load of the machine does not change: more than 0.1 s, less than 20. */
SONDE_PROPERTY(hang)
{
    if (!is_hit(t)) return;
    for (clock_t start = clock(); clock() - start < CLOCKS_PER_SEC;) continue;
}

SONDE_PROPERTY(memory)
{
    bool hit = is_hit(t);
    size_t size = hit ? (size_t)200 << 20 : 1;
    volatile char *p = malloc(size);
    for (size_t i = 0; i < size; i += 4096) p[i] = 1;
    usleep(hit ? 500000 : 0); /* the supervisor looks now and then */
    free((void *)(uintptr_t)p);
}

static int descend(int depth)
{
    volatile char room[1000];
    room[0] = (char)depth;
    return depth ? descend(depth - 1) + room[0] : 0;
}

SONDE_PROPERTY(stack)
{
    volatile int sum = descend(is_hit(t) ? 4000 : 4); /* 4 MB */
    (void)sum;
}

static int counter, bound;

static void *count(void *unused)
{
    int n = counter;
    if (IS_MENDED) n = __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
    else counter = n + 1;
    return unused;
}

static void both(sonde *t, void *unused)
{
    pthread_t a, b;
    counter = 0;
    pthread_create(&a, NULL, count, unused);
    pthread_create(&b, NULL, count, unused);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    sonde_check(t, counter >= bound);
}

SONDE_PROPERTY(schedule)
{
    bound = sonde_int(t, "x", 0, 1000000) == 777777 ? 2 : 1;
    sonde_threads(t, "threads", both, NULL);
}

SONDE_MAIN()
