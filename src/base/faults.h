/* The seam between a case, which draws which calls of the C library fail (sonde_faults, sonde_crash, sonde_power_cut), and addons/faults/, which takes
 * the place of these calls.
 *
 * The replaced calls live outside of this library, as failing allocators do (base/oom.h). While a case has armed the hook, each of them asks
 * whether it fails, and reports what it does to files. The hook is off while sonde itself works: none of its calls fails or is followed.
 *
 * There is one hook per process. Threads of sonde_threads share it, since one of them runs at a time. Calls of threads that sonde did not
 * start are counted, and otherwise left alone: a draw there would not be repeatable. */
#ifndef SONDE_BASE_FAULTS_H
#define SONDE_BASE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde;

struct sonde_fault_call {
    const char *name;   /* of the function; static */
    unsigned kinds;     /* enum sonde_fault: how it can fail here */
    const void *caller; /* where it returns to; NULL: unknown */
};

/* What calls do to files (case/disk). Each is reported twice: before it happens, and with its result. */
enum sonde_disk_act {
    SONDE_DISK_OPEN,     /* at, path, flags; the result is a descriptor */
    SONDE_DISK_WRITE,    /* fd, offset, n; the result is the number of bytes */
    SONDE_DISK_RESIZE,   /* fd, or at and path; n is the size */
    SONDE_DISK_GROW,     /* fd; n is the size, unless the file is larger */
    SONDE_DISK_MAP,      /* fd, offset, n: shared, for writing; the result is the address */
    SONDE_DISK_UNMAP,    /* offset is the address */
    SONDE_DISK_SYNC_MAP, /* offset is the address, n */
    SONDE_DISK_SYNC,     /* fd; a file or a directory */
    SONDE_DISK_SYNC_ALL, /* fd of a file system, -1: all of them */
    SONDE_DISK_MAKE,     /* at, path: a directory, link or node */
    SONDE_DISK_LINK,     /* at, path, to_at, to, flags as of linkat */
    SONDE_DISK_RENAME,   /* at, path, to_at, to, flags as of renameat2 */
    SONDE_DISK_REMOVE,   /* at, path */
    SONDE_DISK_STATUS,   /* fd, or at and path: may change mode, owner or times, which are not modelled */
    SONDE_DISK_OTHER     /* fd, or at and path: changes what is not modelled */
};

/* Is on the caller's stack from the first report to the second. */
struct sonde_disk_event {
    enum sonde_disk_act act;
    const char *call; /* the function; static */
    int fd, flags;
    int at, to_at; /* where paths begin: a descriptor, or AT_FDCWD */
    const char *path, *to;
    int64_t offset; /* -1: where the descriptor stands */
    uint64_t n;
    bool is_done; /* the second report */
    int64_t result;
    void *kept; /* belongs to the one who is told */
};

struct sonde_fault_hook {
    size_t size; /* of this struct: a preloaded library of another version is not used */
    unsigned (*ask)(struct sonde *t, const struct sonde_fault_call *call);       /* a kind, or 0; NULL: nothing fails */
    void (*disk)(struct sonde_fault_hook *hook, struct sonde_disk_event *event); /* NULL: changes are not followed */
    bool (*is_ours)(const struct sonde_fault_hook *hook); /* whether the calling thread runs the case; notes if not */
    void (*on_process)(const struct sonde_fault_hook *hook); /* the code starts a process while files are followed */
    struct sonde *t;
    bool follows_files; /* what is opened now is closed by a crash */
    /* Set by addons/faults/. begin: what is opened from now on belongs to the process that may die. die: closes that, silences its streams. */
    void (*begin)(struct sonde_fault_hook *hook);
    void (*die)(struct sonde_fault_hook *hook);
};

/* The hook that a case of this thread has armed; NULL: none. */
extern _Thread_local struct sonde_fault_hook *sonde_faults_armed
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* From here on, until it is armed again, nothing fails. */
static inline void sonde_faults_disarm(void)
{
    if (__builtin_expect(!sonde_faults_armed, 1)) return;
    sonde_faults_armed->ask = NULL;
    sonde_faults_armed->disk = NULL;
    sonde_faults_armed = NULL;
}

#endif
