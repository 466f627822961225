/* The calls that can fail or change files. wrap.c and preload.c include this file, and intercept the calls in different
 * ways. DEFINE(type, name, parameters) begins the function that replaces a call; REAL(name) is the C library's
 * function.
 *
 * A call that fails has no effect; a short one does a part of its work. possible.h defines which results are possible.
 * Calls inside the C library's functions are not seen. Streams that are opened while files are tracked write through
 * here instead (streams.h). */
#include "base/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>
#include <wchar.h>

#include "possible.h"

#ifndef RWF_SYNC /* musl does not name the kernel's flags */
#define RWF_DSYNC 2
#define RWF_SYNC 4
#endif
#ifndef FALLOC_FL_ZERO_RANGE
#define FALLOC_FL_COLLAPSE_RANGE 8
#define FALLOC_FL_ZERO_RANGE 16
#define FALLOC_FL_INSERT_RANGE 32
#endif

/* Returns the hook of this process. libsonde finds this function by its name (src/case/faults.c). */
struct sonde_fault_hook *sonde_fault_hook_(void) __attribute__((visibility("default")));

static void begin_process(struct sonde_fault_hook *hook);
static void end_process(struct sonde_fault_hook *hook);

/* There is one hook per process, not one per thread: threads of sonde_threads may have separate thread-locals. */
static struct sonde_fault_hook hook = {.size = sizeof hook, .begin = begin_process, .die = end_process};

struct sonde_fault_hook *sonde_fault_hook_(void)
{
    return &hook;
}

/* Types of socket addresses as <sys/socket.h> declares them: in glibc a union of pointers. */
#ifdef __GLIBC__
typedef __SOCKADDR_ARG address_out;
typedef __CONST_SOCKADDR_ARG address_in;
#else
typedef struct sockaddr *restrict address_out;
typedef const struct sockaddr *address_in;
#endif

#define CALLER __builtin_return_address(0)

/* Returns whether the hook is on and this thread runs the case. */
static bool is_on(bool is_armed)
{
    return __builtin_expect(is_armed, 0) && hook.is_ours && hook.is_ours(&hook);
}

#define ASKS is_on(__atomic_load_n(&hook.ask, __ATOMIC_RELAXED) != NULL)
#define REPORTS is_on(__atomic_load_n(&hook.disk, __ATOMIC_RELAXED) != NULL)
#define FOLLOWS is_on(__atomic_load_n(&hook.follows_files, __ATOMIC_RELAXED))

/* Asks the hook whether this call fails; returns the kind of fault, 0 for none. Preserves errno. */
static unsigned ask(const char *name, unsigned kinds, const void *caller)
{
    if (!kinds || !hook.ask) return 0;
    int before = errno;
    unsigned kind = hook.ask(hook.t, &(struct sonde_fault_call){name, kinds, caller});
    errno = before;
    return kind;
}

/* Sets errno for a kind of fault; returns -1. */
static int refuse(unsigned kind)
{
    errno = kind == INTERRUPTED ? EINTR
            : kind == AGAIN     ? EAGAIN
            : kind == NO_SPACE  ? ENOSPC
            : kind == NO_OPEN   ? EMFILE
            : kind == RESET     ? ECONNRESET
                                : EIO;
    return -1;
}

/* ---- Reports to the model of the disk */

/* Makes the first report, before the change. Preserves the code's errno. */
static void begin_change(struct sonde_disk_event *event)
{
    int before = errno;
    event->is_done = false;
    event->kept = NULL;
    if (REPORTS) hook.disk(&hook, event);
    errno = before;
}

/* Makes the second report, after the change; returns the result. */
static int64_t end_change(struct sonde_disk_event *event, int64_t result)
{
    int before = errno;
    event->is_done = true;
    event->result = result;
    if (event->kept && hook.disk) hook.disk(&hook, event);
    errno = before;
    return result;
}

/* CHANGE sets defaults in an event and lets the given fields override them, which compilers would warn about. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#else
#pragma GCC diagnostic ignored "-Woverride-init"
#endif

/* Wraps a call that changes files in the two reports. The rest of the arguments are fields of the event. */
#define CHANGE(type_, made, act_, name_, ...)                                                                          \
    __extension__({                                                                                                    \
        struct sonde_disk_event event_ = {                                                                             \
            .act = act_, .call = name_, .fd = -1, .at = AT_FDCWD, .to_at = AT_FDCWD, __VA_ARGS__};                     \
        begin_change(&event_);                                                                                         \
        (type_) end_change(&event_, (int64_t)(made));                                                                  \
    })

#include "descriptors.h"
#include "transfers.h"
#include "paths.h"
#include "streams.h"
