/* Serves a run with --against; see engine.h. Tapes run as single cases, in a worker that is replaced when it dies. So
 * the same is known of how a case ended as in any run. */
#include "engine/engine.h"

#include "base/descriptor.h"
#include "base/die.h"
#include "engine/workers/single.h"
#include "engine/workers/supervise.h"
#include "exec/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 4096, NAMES_SHOWN = 800 };

/* Both are in the heap that the worker shares. */
struct served {
    struct sonde_search search;
    struct sonde_single single;
    struct sonde_options options;
    struct sonde_tape script;
};

static const sonde_property *find(const sonde_property *properties, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(properties[i].name ? properties[i].name : "property", name)) return &properties[i];
    return NULL;
}

static void refuse(int fd, const sonde_property *properties, size_t n, const char *name)
{
    char words[NAME], names[NAMES_SHOWN] = "";
    for (size_t i = 0, used = 0; i < n && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", properties[i].name);
    snprintf(words, sizeof words, "it has no property '%.200s'; its properties are %s", name, names);
    sonde_against_welcome(fd, words);
}

static struct served *create(struct sonde_heap *heap, const sonde_property *property,
                             const struct sonde_options *options)
{
    struct sonde_heap *before = sonde_single_enter(heap);
    struct served *v = sonde_calloc(1, sizeof *v);
    sonde_options_merge(&v->options, property, options);
    /* The limits of the run that asks count, not those that the property sets for itself. */
    v->options.timeout_cpu = options->timeout_cpu;
    v->options.timeout_wall = options->timeout_wall;
    sonde_search_init(&v->search, property, &v->options, 0);
    sonde_single_init(&v->single, &v->search);
    sonde_tape_init(&v->script);
    sonde_single_leave(before);
    return v;
}

/* Reads the next tape, in the heap of the search. */
static bool next(int fd, struct served *v, bool *is_cut)
{
    struct sonde_heap *before = sonde_single_enter(v);
    bool is_there = sonde_against_next(fd, &v->script, &v->search.labels, is_cut);
    sonde_single_leave(before);
    return is_there;
}

static enum sonde_status serve(int fd, const sonde_property *property, const struct sonde_options *options)
{
    bool is_cut;
    sonde_exec_begin();
    struct sonde_heap *heap = sonde_heap_create(sonde_supervise_room(options));
    if (!heap) {
        sonde_against_welcome(fd, "it gets no shared memory");
        return SONDE_INTERNAL;
    }
    struct served *v = create(heap, property, options);
    const struct sonde_tape *script = &v->script;
    atomic_uint warm_up = 0, *before = sonde_warm_up_share(&warm_up);
    sonde_against_welcome(fd, NULL);
    do {
        if (!next(fd, v, &is_cut)) break;
        v->search.t->observes = true;
        sonde_single_fails(&v->single, &script, 1, false, 0);
    } while (sonde_against_reply(fd, v->search.t, script, is_cut));
    sonde_single_clear(&v->single);
    sonde_warm_up_share(before);
    sonde_heap_destroy(heap);
    sonde_exec_end();
    return SONDE_PASSED;
}

enum sonde_status sonde_serve(const sonde_property *properties, size_t n, const struct sonde_options *options)
{
    char name[NAME];
    int fd = sonde_descriptor_hide(dup(STDIN_FILENO), false), nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (fd < 0 || nowhere < 0 || dup2(nowhere, STDIN_FILENO) < 0) return SONDE_INTERNAL;
    if (!sonde_against_greet(fd, name, sizeof name)) {
        sonde_say(SONDE_AGAINST_VARIABLE
                  " is set, but the program was not started by a run with --against; unset it to run the "
                  "tests");
        return SONDE_USAGE;
    }
    const sonde_property *property = find(properties, n, name);
    if (!property) {
        refuse(fd, properties, n, name);
        return SONDE_USAGE;
    }
    return serve(fd, property, options);
}
