/* A place that workers share: what an agent asks of it. The folder (folder.h) is one; sonde-share has Redis as another.
 *
 * A place is named by the user (`dir:PATH`, `redis://...`) and holds one room per property, so that workers of several
 * programs may use it. Nothing in it is believed: texts are bounded here and read by the readers of files, and each worker
 * runs what it takes before it counts for anything. Calls may take as long as the place likes, because an agent is a
 * process of its own; none of them ends it. Each answers 0 or a negative errno where it answers int.
 *
 * Time is the place's own. Hosts have clocks that differ; whoever asks for the age of something compares two times that
 * the place has given. */
#ifndef SONDE_SHARE_PLACE_H
#define SONDE_SHARE_PLACE_H

#include "share/wire.h"

/* What is known of a tape before it is fetched: its name, a hash of its text, and keys of what it showed its sender (a place
 * in a build's code, with a rough count). Who knows all of the keys has no use for it. */
struct sonde_notice {
    uint64_t name;
    uint8_t n_keys; /* 0: nothing is known of it */
    bool is_bytes;  /* another fuzzer's: no tape */
    uint32_t keys[SONDE_SHARED_KEYS];
    char *where; /* for the place alone; owned by whoever has the notice */
};

struct sonde_shared_place;

/* One of several tapes that are put, or fetched, together: over a network that is slow, many take no longer than one. */
struct sonde_parcel {
    struct sonde_notice notice;
    char *text;     /* given, or fetched: then sonde_free it; bytes, if the notice says so; NULL: there is none */
    size_t n;       /* length of it */
    int error;      /* what became of it: 0 or a negative errno */
    unsigned tries; /* the caller's: how often it was fetched in vain */
};
enum { SONDE_PARCELS = 16 }; /* that are handed over at a time, at most */

/* Who asks, and for which property. */
struct sonde_place_setup {
    const char *name;     /* as the user wrote it */
    const char *program;  /* the last part of its path */
    const char *property; /* NULL: for tools, which look at all of them */
    bool is_as_stored;    /* both names are as each_room gave them */
    const char *worker;   /* what this one is called; unique among those at work */
    int run; /* the wire to the run; once it has ended (sonde_wire_has_ended), calls must return soon. 0: none */
    bool is_read_only; /* for tools: nothing is made that stays */
};

/* Both return false for what they cannot take now: it comes again the next time, and the visit may end. */
typedef bool sonde_notice_visit(void *context, const struct sonde_notice *notice);
typedef bool sonde_shared_failure_visit(void *context, const struct sonde_shared_failure *failure);
typedef void sonde_room_visit(void *context, const char *program, const char *property);
typedef void sonde_worker_visit(void *context, const char *text, double age);

struct sonde_place_ops {
    /* NULL with a sentence in `message` if it cannot be used; else there may be one that is good to know. */
    struct sonde_shared_place *(*open)(const struct sonde_place_setup *setup, char *message, size_t size);
    void (*close)(struct sonde_shared_place *place);
    /* Tapes, each under its name. One that is there already is no error. -EFBIG: the place holds as many as it may. */
    void (*put)(struct sonde_shared_place *place, struct sonde_parcel *parcels, uint32_t n);
    /* Tapes of others, each once as long as the visit answers true; at most some thousand at a time. */
    int (*look)(struct sonde_shared_place *place, sonde_notice_visit *visit, void *context);
    /* Their texts. -EAGAIN: not yet whole, ask again. */
    void (*fetch)(struct sonde_shared_place *place, struct sonde_parcel *parcels, uint32_t n);
    /* The first as it was found counts, and the first that is shrunk. */
    int (*put_failure)(struct sonde_shared_place *place, const struct sonde_shared_failure *failure);
    /* Failures that have not been taken yet, or have changed; the newest first, a bounded number at a time. */
    int (*look_for_failures)(struct sonde_shared_place *place, sonde_shared_failure_visit *visit, void *context);
    /* 1: it is this worker's for a minute, again if it was already; 0: another's. */
    int (*claim)(struct sonde_shared_place *place, const char *id);
    int (*release)(struct sonde_shared_place *place, const char *id);
    /* How this worker is doing: one line of JSON. */
    int (*beat)(struct sonde_shared_place *place, const char *text);
    /* ---- For tools. */
    /* The properties that are there: names as they were given to open, or as they stand there. */
    int (*each_room)(struct sonde_shared_place *place, sonde_room_visit *visit, void *context);
    /* Of the property it was opened for: what workers last said, and how long ago, in seconds. */
    int (*each_worker)(struct sonde_shared_place *place, sonde_worker_visit *visit, void *context);
    /* Takes a tape away. */
    int (*drop)(struct sonde_shared_place *place, const struct sonde_notice *notice);
};

/* dir:PATH, the place that the library knows by itself. */
#define SONDE_FOLDER_PREFIX "dir:"
extern const struct sonde_place_ops sonde_folder_ops;

/* Runs an agent until the other side of the wire is gone; then brings the rest to the place, within some seconds. Closes fd.
 * Returns an exit status. */
int sonde_agent_run(const struct sonde_place_ops *ops, const struct sonde_place_setup *setup, int fd);

/* How long a claim lasts that is not renewed, and a worker counts as being at work without a word. */
enum { SONDE_LEASE_SECONDS = 60, SONDE_SILENT_SECONDS = 30 };

#endif
