/* The command `sonde filter`: copies a few tapes of a directory that differ from each other (corpus/filter.h). It
 * needs no test program. Every tape is read once, and only the paths of tapes that may be selected stay in memory. */
#include "corpus/filter.h"

#include "base/die.h"
#include "base/mem.h"
#include "tape/text.h"
#include "tools.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Default of --size. `generator` determines the number of tapes by itself. */
enum { SIZE = 5000 };

/* The arguments and the state of the command. */
struct filtering {
    const char *command;
    enum sonde_filter_by by;
    uint64_t size, seed;
    bool has_size;
    const char *folders[2];
    struct sonde_filter *filter;
    struct sonde_loaded loaded;
    char **paths; /* paths[i]: file of the tape that has slot i of the filter now */
    uint32_t n_paths, cap_paths;
    uint64_t seen; /* number of tapes read */
};

/* ---- Arguments */

/* Reads a decimal number. Returns false if it is malformed or outside of [least, most]. */
static bool read_number(uint64_t *to, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    *to = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *to >= least && *to <= most;
}

/* Returns the value of --NAME VALUE or --NAME=VALUE; the first form advances *i. Returns NULL if argument *i is another
 * option or has no value. */
static const char *value_of(const char *name, int argc, char **argv, int *i)
{
    size_t n = strlen(name);
    const char *word = argv[*i];
    if (!word || strncmp(word, name, n) != 0 || (word[n] && word[n] != '=')) return NULL;
    if (word[n] == '=') return word + n + 1;
    return *i + 1 < argc ? argv[++*i] : NULL;
}

static bool read_option(struct filtering *f, int argc, char **argv, int *i)
{
    const char *value;
    if ((value = value_of("--by", argc, argv, i)) != NULL) {
        f->by = sonde_filter_find(value);
        return f->by != SONDE_FILTER_COUNT;
    }
    if ((value = value_of("--size", argc, argv, i)) != NULL) {
        f->has_size = true;
        return read_number(&f->size, value, 1, 1u << 22);
    }
    if ((value = value_of("--seed", argc, argv, i)) != NULL) return read_number(&f->seed, value, 0, UINT64_MAX);
    return false;
}

static bool read_arguments(struct filtering *f, int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++) {
        bool is_option = argv[i][0] == '-';
        if (is_option ? !read_option(f, argc, argv, &i) : n == 2) return false;
        if (!is_option) f->folders[n++] = argv[i];
    }
    return n == 2 && f->by != SONDE_FILTER_COUNT;
}

/* ---- Tapes */

/* Shows a tape to the filter and stores its path if the filter gives it a slot. Tapes are read again when they are
 * copied. Returns true in any case: an unreadable file is skipped with a message. */
static bool add_file(void *user, const char *path)
{
    struct filtering *f = user;
    if (!sonde_load_again(f->command, &f->loaded, path)) {
        sonde_complain("sonde %s: %s could not be read and is left out", f->command, path);
        return true;
    }
    f->seen++;
    uint32_t slot = sonde_filter_add(f->filter, &f->loaded.tape);
    if (slot == SONDE_FILTER_NONE) return true;
    if (slot == f->n_paths) {
        f->paths = sonde_grow(f->paths, &f->cap_paths, (size_t)slot + 1, sizeof *f->paths);
        f->paths[f->n_paths++] = NULL;
    }
    sonde_free(f->paths[slot]);
    f->paths[slot] = sonde_strdup(path);
    return true;
}

static bool copy_tape(struct filtering *f, const char *path)
{
    if (!sonde_load_again(f->command, &f->loaded, path)) return false; /* changed since it was added */
    char *token = sonde_tape_to_text(&f->loaded.tape, f->loaded.labels);
    bool good = sonde_write_tape(f->command, f->folders[1], token);
    sonde_free(token);
    return good;
}

/* Copies the tapes that the filter selects. Returns the exit status. */
static int copy_selected(struct filtering *f)
{
    uint32_t *slots = sonde_calloc((size_t)f->n_paths + 1, sizeof *slots);
    uint32_t n = sonde_filter_select(f->filter, slots);
    bool good = sonde_make_folder(f->command, f->folders[1]);
    for (uint32_t i = 0; good && i < n; i++) good = copy_tape(f, f->paths[slots[i]]);
    if (good) printf("%" PRIu32 " of %" PRIu64 " tapes kept\n", n, f->seen);
    sonde_free(slots);
    return good ? SONDE_PASSED : SONDE_USAGE;
}

int sonde_tool_filter(int argc, char **argv)
{
    struct filtering f = {.command = argv[0], .by = SONDE_FILTER_COUNT, .size = SIZE};
    if (!read_arguments(&f, argc, argv)) {
        fputs(
            "sonde filter: the arguments are wrong; write sonde filter --by random|sequence|choices|generator [--size N] "
            "[--seed S] CORPUS OUT\n",
            stderr);
        return SONDE_USAGE;
    }
    bool is_bounded = f.by != SONDE_FILTER_GENERATOR || f.has_size;
    f.filter = sonde_filter_create(f.by, is_bounded ? (uint32_t)f.size : 0, f.seed);
    f.loaded.labels = sonde_malloc(sizeof *f.loaded.labels);
    sonde_labels_init(f.loaded.labels);
    sonde_tape_init(&f.loaded.tape);
    struct sonde_folder_visit visit = {.command = f.command, .file = add_file, .user = &f};
    int status = sonde_visit_folder(&visit, f.folders[0]) ? copy_selected(&f) : SONDE_USAGE;
    for (uint32_t i = 0; i < f.n_paths; i++) sonde_free(f.paths[i]);
    sonde_free(f.paths);
    sonde_unload(&f.loaded);
    sonde_filter_free(f.filter);
    return status;
}
