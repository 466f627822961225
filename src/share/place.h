/* The interface of a shared location, through which the workers of a fleet exchange tapes and failures. A directory
 * is one (sonde_folder_ops); sonde-share has Redis as another.
 *
 * The user names a location (`dir:PATH`, `redis://...`). It keeps the data of each property apart, so that workers of
 * several programs may use it. Nothing in it is trusted. The length of strings is limited, the readers of files check
 * their form, and a tape counts only after a worker has run it. Calls may take any time, because an agent is a separate
 * process. No call ends the process. Functions that return int return 0 or a negative errno.
 *
 * Times are measured by the location, because the clocks of hosts differ. An age is the difference of two times that
 * the location has given. */
#ifndef SONDE_SHARE_PLACE_H
#define SONDE_SHARE_PLACE_H

#include "share/wire.h"

/* A notice describes a tape before the tape is fetched. `name` is a hash of the tape's string. `keys` are what the tape
 * covered for its sender: code locations of a build, with rough counts. A worker that has reached all of the keys does
 * not need the tape. */
struct sonde_notice {
    uint64_t name;
    uint8_t n_keys; /* 0: what the tape covers is unknown */
    bool is_bytes;  /* not a tape, but the input file of another fuzzer */
    uint32_t keys[SONDE_SHARED_KEYS];
    char *where; /* used by the location alone; the owner of the notice frees it */
};

struct sonde_shared_place;

/* A tape of a batch that one call puts or fetches: over a slow network, many tapes take no longer than one. */
struct sonde_shared_tape {
    struct sonde_notice notice;
    char *text;     /* the tape as a string, or bytes if notice.is_bytes; the caller frees it after a fetch; or NULL */
    size_t n;       /* length of `text` */
    int error;      /* set by put and fetch: 0 or a negative errno */
    unsigned tries; /* used by the caller: how often fetching the tape failed */
};
enum { SONDE_TAPES_AT_ONCE = 16 }; /* maximum number of tapes that one call puts or fetches */

/* The arguments of open: the location, the worker and its property. */
struct sonde_place_setup {
    const char *name;     /* the name of the location, as the user wrote it */
    const char *program;  /* the last part of the program's path */
    const char *property; /* NULL: all properties, for tools */
    bool is_as_stored;    /* `program` and `property` are names that each_property gave */
    const char *worker;   /* the name of this worker, unique in the fleet */
    int run; /* the wire to the run; once the run has ended (sonde_wire_has_ended), calls must return soon. 0: none */
    bool is_read_only; /* for tools: create nothing that stays */
};

/* Visitors return false for a notice or failure that they cannot take now. The next visit offers it again, and this
 * visit may end. */
typedef bool sonde_notice_visit(void *context, const struct sonde_notice *notice);
typedef bool sonde_shared_failure_visit(void *context, const struct sonde_shared_failure *failure);
typedef void sonde_property_visit(void *context, const char *program, const char *property);
typedef void sonde_worker_visit(void *context, const char *text, double age);

/* The operations of a kind of location. */
struct sonde_place_ops {
    /* Opens a location. Returns NULL and writes an error to `message` if it cannot be used; else `message` may hold a
     * note. */
    struct sonde_shared_place *(*open)(const struct sonde_place_setup *setup, char *message, size_t size);
    /* Closes a location and frees it. */
    void (*close)(struct sonde_shared_place *place);
    /* Writes tapes, each under its name; one that exists already is not an error. Sets the error of each: -EFBIG means
     * that the location is full. */
    void (*put)(struct sonde_shared_place *place, struct sonde_shared_tape *tapes, uint32_t n);
    /* Visits notices of other workers' tapes, each until the visitor returns true; at most a bounded number per
     * call. */
    int (*look)(struct sonde_shared_place *place, sonde_notice_visit *visit, void *context);
    /* Fetches the strings of tapes and sets the error of each. -EAGAIN: the tape is incomplete; fetch it again. */
    void (*fetch)(struct sonde_shared_place *place, struct sonde_shared_tape *tapes, uint32_t n);
    /* Writes a failure. For each id, keeps the first failure as found and the first shrunk one, and ignores
     * later ones. */
    int (*put_failure)(struct sonde_shared_place *place, const struct sonde_shared_failure *failure);
    /* Visits failures that have not been taken yet, or have changed; the newest first, a bounded number per call. */
    int (*look_for_failures)(struct sonde_shared_place *place, sonde_shared_failure_visit *visit, void *context);
    /* Claims a failure for shrinking, or renews the claim. Returns 1 if this worker has it for SONDE_LEASE_SECONDS, 0
     * if another worker has it. */
    int (*claim)(struct sonde_shared_place *place, const char *id);
    /* Gives up a claim of this worker. */
    int (*release)(struct sonde_shared_place *place, const char *id);
    /* Writes the report of this worker: one line of JSON. */
    int (*report)(struct sonde_shared_place *place, const char *text);
    /* ---- For tools. */
    /* Visits the properties of the location: names as they were given to open, or as they are stored. */
    int (*each_property)(struct sonde_shared_place *place, sonde_property_visit *visit, void *context);
    /* Visits the last reports of the property's workers, with their ages in seconds. */
    int (*each_worker)(struct sonde_shared_place *place, sonde_worker_visit *visit, void *context);
    /* Removes a tape. */
    int (*drop)(struct sonde_shared_place *place, const struct sonde_notice *notice);
};

/* A directory, dir:PATH: the kind of location that the library itself supports. */
#define SONDE_FOLDER_PREFIX "dir:"
extern const struct sonde_place_ops sonde_folder_ops;

/* Runs an agent until the run closes its side of the wire, then sends the rest to the location within some seconds.
 * Closes fd. Returns an exit status. */
int sonde_agent_run(const struct sonde_place_ops *ops, const struct sonde_place_setup *setup, int fd);

enum {
    SONDE_LEASE_SECONDS = 60,  /* seconds that a claim lasts unless it is renewed */
    SONDE_SILENT_SECONDS = 30, /* a worker that has not reported for more than this many seconds counts as ended */
};

#endif
