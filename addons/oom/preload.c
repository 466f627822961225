/* libsonde_oom.so: the allocating functions, for programs that are run with LD_PRELOAD. It also sees the allocations of
 * libraries, including the C library. It would replace a sanitizer's allocator, so it cannot be used with a sanitizer:
 * link with libsonde_oom.a then. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "counter.h"

#include <dlfcn.h>

#define EXPORT __attribute__((visibility("default")))

/* The GNU C library has its allocator under further names. Its dlsym may allocate, so it cannot be used here. The dlsym
 * of musl does not. */
#ifdef __GLIBC__
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t align, size_t size);
#define REAL(name) __libc_##name
#else
#define REAL(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))
#endif

EXPORT void *malloc(size_t size);
EXPORT void *calloc(size_t n, size_t size);
EXPORT void *realloc(void *old, size_t size);
EXPORT void *memalign(size_t align, size_t size);
EXPORT void *aligned_alloc(size_t align, size_t size);
EXPORT int posix_memalign(void **p, size_t align, size_t size);

void *malloc(size_t size)
{
    return fails() ? NULL : REAL(malloc)(size);
}

void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : REAL(calloc)(n, size);
}

/* A realloc to size 0 is a free, which cannot fail. */
void *realloc(void *old, size_t size)
{
    return size && fails() ? NULL : REAL(realloc)(old, size);
}

void *memalign(size_t align, size_t size)
{
    return fails() ? NULL : REAL(memalign)(align, size);
}

void *aligned_alloc(size_t align, size_t size)
{
    return memalign(align, size);
}

/* posix_memalign returns the error and leaves errno unchanged. */
int posix_memalign(void **p, size_t align, size_t size)
{
    int before = errno;
    if (align < sizeof(void *) || (align & (align - 1))) return EINVAL;
    void *got = memalign(align, size);
    errno = before;
    if (!got) return ENOMEM;
    *p = got;
    return 0;
}
