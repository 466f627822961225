/* Calls of the C library that fail on purpose (sonde_faults) are those of the code under test, never our own.
 *
 * The failing calls live outside of this library (faults/), as failing allocators do (base/oom.h). Each of them asks, while a
 * case has armed the hook, whether it is to fail; the answer is a draw. While we answer, the hook is off: so nothing that this
 * library does meanwhile fails, and no draw asks for another. */
#ifndef SONDE_BASE_FAULTS_H
#define SONDE_BASE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

struct sonde;

struct sonde_fault_call {
    const char *name;   /* of the function; static */
    unsigned kinds;     /* enum sonde_fault: how it can fail */
    const void *caller; /* where it returns to */
};

/* What calls do to files, reported where a power cut is to be survived (case/disk.h). */
enum sonde_disk_act {
    SONDE_DISK_WILL_OPEN, /* path, flags */
    SONDE_DISK_OPENED,
    SONDE_DISK_WILL_CHANGE, /* fd */
    SONDE_DISK_CHANGED,
    SONDE_DISK_SYNCED,
    SONDE_DISK_WILL_NAME, /* path, and `to` where it is renamed */
    SONDE_DISK_RENAMED,
    SONDE_DISK_REMOVED
};
struct sonde_disk_event {
    enum sonde_disk_act act;
    int fd, flags;
    int folder, to_folder; /* where paths begin: a descriptor, or AT_FDCWD */
    const char *path, *to;
};

enum { SONDE_FAULT_FILES = 64 };

/* One per thread, in faults/. */
struct sonde_fault_hook {
    unsigned (*ask)(struct sonde *t, const struct sonde_fault_call *call); /* a kind, or 0; NULL: nothing fails */
    struct sonde *t;
    /* Descriptors that were opened while files were followed, and not closed: a process that dies closes them. */
    bool follows_files;
    int n_files, files[SONDE_FAULT_FILES];
    void (*disk)(struct sonde_fault_hook *hook, const struct sonde_disk_event *event); /* NULL: nobody asks */
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
