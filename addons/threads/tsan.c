/* The functions that code compiled with -fsanitize=thread calls, by gcc or clang. They replace the runtime of
 * ThreadSanitizer: gcc and clang insert a call before each access to memory, and in place of each atomic
 * operation.
 *
 * Only sequentially consistent behaviour is explored: atomic operations are never reordered, whatever order they
 * ask for. */
#include "libc.h"

/* Defines a function that is called before an access. */
#define ACCESS(name, size, writes)                                                                                     \
    void name(void *p);                                                                                                \
    void name(void *p)                                                                                                 \
    {                                                                                                                  \
        sonde_access(p, size, writes, SONDE_CALLER);                                                                   \
    }
/* Defines such a function that gets the location of the access as an argument. */
#define ACCESS_PC(name, size, writes)                                                                                  \
    void name(void *p, void *pc);                                                                                      \
    void name(void *p, void *pc)                                                                                       \
    {                                                                                                                  \
        sonde_access(p, size, writes, pc);                                                                             \
    }
#define ACCESSES(size)                                                                                                 \
    ACCESS(__tsan_read##size, size, false)                                                                             \
    ACCESS(__tsan_write##size, size, true)                                                                             \
    ACCESS(__tsan_unaligned_read##size, size, false)                                                                   \
    ACCESS(__tsan_unaligned_write##size, size, true)                                                                   \
    ACCESS(__tsan_volatile_read##size, size, false)                                                                    \
    ACCESS(__tsan_volatile_write##size, size, true)                                                                    \
    ACCESS(__tsan_unaligned_volatile_read##size, size, false)                                                          \
    ACCESS(__tsan_unaligned_volatile_write##size, size, true)                                                          \
    ACCESS(__tsan_read_write##size, size, true)                                                                        \
    ACCESS(__tsan_unaligned_read_write##size, size, true)                                                              \
    ACCESS_PC(__tsan_read##size##_pc, size, false)                                                                     \
    ACCESS_PC(__tsan_write##size##_pc, size, true)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void *p, size_t size);
void __tsan_read_range(void *p, size_t size)
{
    sonde_access(p, size, false, SONDE_CALLER);
}

void __tsan_write_range(void *p, size_t size);
void __tsan_write_range(void *p, size_t size)
{
    sonde_access(p, size, true, SONDE_CALLER);
}

/* clang calls these instead of memcpy, memmove and memset. */
void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memcpy(void *to, const void *from, size_t n)
{
    return sonde_move(to, from, n, SONDE_CALLER);
}

void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n)
{
    return sonde_move(to, from, n, SONDE_CALLER);
}

void *__tsan_memset(void *to, int byte, size_t n);
void *__tsan_memset(void *to, int byte, size_t n)
{
    return sonde_fill(to, byte, n, SONDE_CALLER);
}

/* A constructor or destructor of C++ is about to set the pointer to the virtual functions. Setting the same value
 * again is harmless. */
void __tsan_vptr_update(void **to, void *value);
void __tsan_vptr_update(void **to, void *value)
{
    if (*to != value) sonde_access(to, sizeof *to, true, SONDE_CALLER);
}

void __tsan_vptr_read(void **from);
void __tsan_vptr_read(void **from)
{
    sonde_access(from, sizeof *from, false, SONDE_CALLER);
}

/* Calls that ThreadSanitizer needs for its stack traces; there is nothing to do here. */
void __tsan_init(void);
void __tsan_init(void) {}
void __tsan_func_entry(void *caller);
void __tsan_func_entry(void *caller)
{
    (void)caller;
}
void __tsan_func_exit(void);
void __tsan_func_exit(void) {}
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_begin(void) {}
void __tsan_ignore_thread_end(void);
void __tsan_ignore_thread_end(void) {}

/* ---- Atomic operations. They are really atomic, because memory may be shared with other OS threads or processes. */

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    sonde_atomic_fences(order);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
}

/* The macros below define the functions for one type. Each announces the operation, makes it, and reports whether
 * the value has changed: a loop of operations that change nothing is a loop that waits. */
#define ORDER __ATOMIC_SEQ_CST
#define LOAD(bits, type)                                                                                               \
    type __tsan_atomic##bits##_load(const volatile type *p, int order);                                                \
    type __tsan_atomic##bits##_load(const volatile type *p, int order)                                                 \
    {                                                                                                                  \
        sonde_atomic_reads((const void *)(uintptr_t)p, (struct sonde_atomic){sizeof *p, order, SONDE_CALLER});         \
        return __atomic_load_n(p, ORDER);                                                                              \
    }
#define STORE(bits, type)                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *p, type value, int order);                                         \
    void __tsan_atomic##bits##_store(volatile type *p, type value, int order)                                          \
    {                                                                                                                  \
        sonde_atomic_writes((void *)(uintptr_t)p, (struct sonde_atomic){sizeof *p, order, SONDE_CALLER});              \
        bool same = __atomic_exchange_n(p, value, ORDER) == value;                                                     \
        sonde_atomic_wrote(!same);                                                                                     \
    }
#define UPDATE(bits, type, name, builtin)                                                                              \
    type __tsan_atomic##bits##_##name(volatile type *p, type value, int order);                                        \
    type __tsan_atomic##bits##_##name(volatile type *p, type value, int order)                                         \
    {                                                                                                                  \
        sonde_atomic_updates((void *)(uintptr_t)p, (struct sonde_atomic){sizeof *p, order, SONDE_CALLER});             \
        type before = builtin(p, value, ORDER);                                                                        \
        sonde_atomic_wrote(*p != before);                                                                              \
        return before;                                                                                                 \
    }
#define EXCHANGES(bits, type, name)                                                                                    \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *p, type *wanted, type value, int order,           \
                                                      int otherwise);                                                  \
    int __tsan_atomic##bits##_compare_exchange_##name(volatile type *p, type *wanted, type value, int order,           \
                                                      int otherwise)                                                   \
    {                                                                                                                  \
        struct sonde_atomic a = {sizeof *p, order, SONDE_CALLER};                                                      \
        sonde_atomic_tries((void *)(uintptr_t)p, a);                                                                   \
        type before = *wanted;                                                                                         \
        bool done = __atomic_compare_exchange_n(p, wanted, value, false, ORDER, ORDER);                                \
        sonde_atomic_tried((void *)(uintptr_t)p, a, otherwise, done);                                                  \
        sonde_atomic_wrote(done &&before != value);                                                                    \
        return done;                                                                                                   \
    }
#define EXCHANGE_VALUE(bits, type)                                                                                     \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type wanted, type value, int order,              \
                                                    int otherwise);                                                    \
    type __tsan_atomic##bits##_compare_exchange_val(volatile type *p, type wanted, type value, int order,              \
                                                    int otherwise)                                                     \
    {                                                                                                                  \
        struct sonde_atomic a = {sizeof *p, order, SONDE_CALLER};                                                      \
        sonde_atomic_tries((void *)(uintptr_t)p, a);                                                                   \
        type before = wanted;                                                                                          \
        bool done = __atomic_compare_exchange_n(p, &before, value, false, ORDER, ORDER);                               \
        sonde_atomic_tried((void *)(uintptr_t)p, a, otherwise, done);                                                  \
        sonde_atomic_wrote(done &&wanted != value);                                                                    \
        return before;                                                                                                 \
    }
#define ATOMICS(bits, type)                                                                                            \
    LOAD(bits, type)                                                                                                   \
    STORE(bits, type)                                                                                                  \
    UPDATE(bits, type, exchange, __atomic_exchange_n)                                                                  \
    UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                                                  \
    UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                                                  \
    UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                                                  \
    UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                                                    \
    UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                                                  \
    UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                                                \
    EXCHANGES(bits, type, strong)                                                                                      \
    EXCHANGES(bits, type, weak)                                                                                        \
    EXCHANGE_VALUE(bits, type)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

#ifdef __SIZEOF_INT128__
/* Operations on 16 bytes are plain accesses, since not every machine has an instruction for them. That is enough
 * within one OS thread. */
__extension__ typedef unsigned __int128 wide;
#define WIDE_UPDATE(name, expression)                                                                                  \
    wide __tsan_atomic128_##name(volatile wide *p, wide value, int order);                                             \
    wide __tsan_atomic128_##name(volatile wide *p, wide value, int order)                                              \
    {                                                                                                                  \
        sonde_atomic_updates((void *)(uintptr_t)p, (struct sonde_atomic){sizeof *p, order, SONDE_CALLER});             \
        wide before = *p;                                                                                              \
        *p = expression;                                                                                               \
        sonde_atomic_wrote(*p != before);                                                                              \
        return before;                                                                                                 \
    }
WIDE_UPDATE(exchange, value)
WIDE_UPDATE(fetch_add, before + value)
WIDE_UPDATE(fetch_sub, before - value)
WIDE_UPDATE(fetch_and, before &value)
WIDE_UPDATE(fetch_or, before | value)
WIDE_UPDATE(fetch_xor, before ^ value)

wide __tsan_atomic128_load(const volatile wide *p, int order);
wide __tsan_atomic128_load(const volatile wide *p, int order)
{
    sonde_atomic_reads((const void *)(uintptr_t)p, (struct sonde_atomic){sizeof *p, order, SONDE_CALLER});
    return *p;
}

void __tsan_atomic128_store(volatile wide *p, wide value, int order);
void __tsan_atomic128_store(volatile wide *p, wide value, int order)
{
    sonde_atomic_writes((void *)(uintptr_t)p, (struct sonde_atomic){sizeof *p, order, SONDE_CALLER});
    sonde_atomic_wrote(*p != value);
    *p = value;
}

static int exchange_wide(volatile wide *p, wide *wanted, wide value)
{
    wide before = *p;
    bool done = before == *wanted;
    if (done) *p = value;
    sonde_atomic_wrote(done && before != value);
    *wanted = before;
    return done;
}

#define WIDE_EXCHANGES(name)                                                                                           \
    int __tsan_atomic128_compare_exchange_##name(volatile wide *p, wide *wanted, wide value, int order,                \
                                                 int otherwise);                                                       \
    int __tsan_atomic128_compare_exchange_##name(volatile wide *p, wide *wanted, wide value, int order, int otherwise) \
    {                                                                                                                  \
        struct sonde_atomic a = {sizeof *p, order, SONDE_CALLER};                                                      \
        sonde_atomic_tries((void *)(uintptr_t)p, a);                                                                   \
        int done = exchange_wide(p, wanted, value);                                                                    \
        sonde_atomic_tried((void *)(uintptr_t)p, a, otherwise, done);                                                  \
        return done;                                                                                                   \
    }
WIDE_EXCHANGES(strong)
WIDE_EXCHANGES(weak)

wide __tsan_atomic128_compare_exchange_val(volatile wide *p, wide wanted, wide value, int order, int otherwise);
wide __tsan_atomic128_compare_exchange_val(volatile wide *p, wide wanted, wide value, int order, int otherwise)
{
    struct sonde_atomic a = {sizeof *p, order, SONDE_CALLER};
    sonde_atomic_tries((void *)(uintptr_t)p, a);
    bool done = exchange_wide(p, &wanted, value);
    sonde_atomic_tried((void *)(uintptr_t)p, a, otherwise, done);
    return wanted;
}
#endif
