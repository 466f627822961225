/* The interface between a case, which draws the C library calls that fail (sonde_faults, sonde_crash,
 * sonde_power_cut), and addons/faults/, which replaces these calls.
 *
 * The replaced calls live outside this library, like the failing allocators (base/oom.h). While a case has armed the
 * hook, each call asks the hook whether to fail, and reports to it what the call does to files. The hook is off while
 * sonde itself works, so none of sonde's calls fails or is tracked.
 *
 * There is one hook per process. Threads of sonde_threads share it, since one of them runs at a time. Calls from
 * threads that sonde did not start are counted, and otherwise left alone: a draw there would not be repeatable. */
#ifndef SONDE_BASE_FAULTS_H
#define SONDE_BASE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sonde;

/* A replaced call that is about to run. */
struct sonde_fault_call {
    const char *name;   /* the function's name; static */
    unsigned kinds;     /* bits of enum sonde_fault: the ways in which this call can fail */
    const void *caller; /* return address of the call; NULL: unknown */
};

/* Operations on files (case/disk). Each is reported twice: before it happens, and with its result. The comments name
 * the members of struct sonde_disk_event that are used. */
enum sonde_disk_act {
    SONDE_DISK_OPEN,     /* uses at, path, flags; the result is a descriptor */
    SONDE_DISK_WRITE,    /* uses fd, offset, n; the result is the number of bytes */
    SONDE_DISK_RESIZE,   /* uses fd, or at and path; n is the new size */
    SONDE_DISK_GROW,     /* uses fd; n is the new size, unless the file is larger already */
    SONDE_DISK_MAP,      /* uses fd, offset, n: a shared, writable mapping; the result is its address */
    SONDE_DISK_UNMAP,    /* offset is the address of the mapping */
    SONDE_DISK_SYNC_MAP, /* offset is the address of the mapping; uses n */
    SONDE_DISK_SYNC,     /* uses fd: a file or a directory; the result is 0, -1 (a drawn failure) or a real errno */
    SONDE_DISK_SYNC_ALL, /* uses fd, a file of the file system; -1: all file systems */
    SONDE_DISK_MAKE,     /* uses at, path: creates a directory, link or node */
    SONDE_DISK_LINK,     /* uses at, path, to_at, to; flags as in linkat */
    SONDE_DISK_RENAME,   /* uses at, path, to_at, to; flags as in renameat2 */
    SONDE_DISK_REMOVE,   /* uses at, path */
    SONDE_DISK_STATUS,   /* uses fd, or at and path: may change mode, owner or times, which are not modelled */
    SONDE_DISK_OTHER     /* uses fd, or at and path: changes something that is not modelled */
};

/* One operation on a file; on the caller's stack from the first report to the second. */
struct sonde_disk_event {
    enum sonde_disk_act act;
    const char *call; /* the function's name; static */
    int fd, flags;
    int at, to_at; /* directories for relative paths in `path` and `to`: descriptors, or AT_FDCWD */
    const char *path, *to;
    int64_t offset; /* -1: the descriptor's current offset */
    uint64_t n;
    bool is_done; /* this is the second report, which has the result */
    int64_t result;
    void *kept; /* data that the receiver keeps between the two reports */
};

/* The functions through which replaced calls and the case talk to each other. */
struct sonde_fault_hook {
    size_t size; /* size of this struct, which detects a preloaded library of another version */
    /* Returns the kind of failure to inject into the call; 0: the call works. NULL: every call works. */
    unsigned (*ask)(struct sonde *t, const struct sonde_fault_call *call);
    void (*disk)(struct sonde_fault_hook *hook, struct sonde_disk_event *event); /* NULL: no reports */
    /* Returns whether the calling thread runs the case; if it does not, records that a foreign thread made a call. */
    bool (*is_ours)(const struct sonde_fault_hook *hook);
    void (*on_process)(const struct sonde_fault_hook *hook); /* called if a process starts while files are tracked */
    struct sonde *t;
    bool follows_files; /* a simulated crash will close the files that are opened now */
    /* Set by addons/faults/. begin: files opened from now on belong to the process that may crash. die: closes them
     * and silences their streams. */
    void (*begin)(struct sonde_fault_hook *hook);
    void (*die)(struct sonde_fault_hook *hook);
};

/* Points to the hook that a case of this thread has armed; NULL: none. */
extern _Thread_local struct sonde_fault_hook *sonde_faults_armed
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Disarms the hook: nothing fails until a case arms it again. */
static inline void sonde_faults_disarm(void)
{
    if (__builtin_expect(!sonde_faults_armed, 1)) return;
    sonde_faults_armed->ask = NULL;
    sonde_faults_armed->disk = NULL;
    sonde_faults_armed = NULL;
}

#endif
