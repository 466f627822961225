/* A library that sonde cc has not compiled, with thread-locals and a private key. */
#include <pthread.h>
#include <stdatomic.h>

int *library_local(void);
void library_at_exit(atomic_int *counter);

static _Thread_local int local = 5;

int *library_local(void)
{
    return &local;
}

static pthread_key_t key;
static void raise_counter(void *counter)
{
    atomic_fetch_add((atomic_int *)counter, 1);
}

__attribute__((constructor)) static void prepare(void)
{
    pthread_key_create(&key, raise_counter);
}

void library_at_exit(atomic_int *counter)
{
    pthread_setspecific(key, counter);
}
