/* The commands of `sonde share`: status, watch, export, import, prune. They use the same operations of a location as
 * an agent does (struct sonde_place_ops), for each of its properties in turn.
 *
 * Any string from a shared location may be hostile. Each is bounded, and printed by sonde_write_line or as JSON, never
 * as it is. Names of properties become file names only through sonde_safe_name. */
#include "share.h"

#include "base/bytes.h"
#include "base/digits.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/map.h"
#include "base/mem.h"
#include "report/write.h"
#include "share/link.h"
#include "share/roster.h"
#include "store/files.h"
#include "store/format.h"
#include "store/home.h"
#include "tape/codec.h"
#include "tape/text.h"

#include <errno.h>
#include <inttypes.h>
#include <sonde.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Messages */

/* Prints "sonde share COMMAND: " and a message on stderr. The arguments may be hostile strings. */
SONDE_PRINTF(2, 3) static void complain(const char *command, const char *format, ...)
{
    char sentence[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    fprintf(stderr, "sonde share %s: ", command);
    sonde_write_line(stderr, sentence);
    fputc('\n', stderr);
}

/* Prints "PROGRAM/PROPERTY: " on stdout. */
static void print_property(const char *program, const char *property)
{
    sonde_write_line(stdout, program);
    fputc('/', stdout);
    sonde_write_line(stdout, property);
    fputs(": ", stdout);
}

/* ---- The properties of a location */

/* A visitor of properties. The location is open for the property until the visitor returns. */
typedef void property_visit(void *context, const char *program, const char *property, struct sonde_shared_place *place);

/* A walk over the properties of a location. */
struct walk {
    const char *command, *name; /* name of the command, for messages; name of the location */
    bool is_read_only;
    const char *only; /* visit only this property; NULL: all */
    property_visit *visit;
    void *context;
    int status; /* exit status; not 0 ends the walk */
    unsigned n; /* properties visited */
};

/* Opens the location for one property, or for none. Returns NULL after a message, and sets the status. The caller
 * closes it. */
static struct sonde_shared_place *open_place(struct walk *r, const char *program, const char *property)
{
    char message[512] = "";
    struct sonde_place_setup setup = {.name = r->name,
                                      .program = program,
                                      .property = property,
                                      .is_as_stored = r->visit != NULL,
                                      .is_read_only = r->is_read_only};
    struct sonde_shared_place *place = sonde_share_ops(r->name)->open(&setup, message, sizeof message);
    if (place) return place;
    complain(r->command, "%s", message);
    r->status = SONDE_USAGE;
    return NULL;
}

/* Opens the location again, for one property, and visits it. A location is opened for one property at a time. */
static void visit_property(void *context, const char *program, const char *property)
{
    struct walk *r = context;
    if (r->status || (r->only && strcmp(r->only, property) != 0)) return;
    struct sonde_shared_place *place = open_place(r, program, property);
    if (!place) return;
    r->n++;
    r->visit(r->context, program, property, place);
    sonde_share_ops(r->name)->close(place);
}

/* Visits the properties of the location; returns an exit status, after a message if it is not 0. */
static int each_property(struct walk *r)
{
    const char *wrong = sonde_link_check(r->name);
    if (wrong) {
        complain(r->command, "%s", wrong);
        return SONDE_USAGE;
    }
    struct sonde_shared_place *place = open_place(r, NULL, NULL);
    if (!place) return r->status;
    int error = sonde_share_ops(r->name)->each_property(place, visit_property, r);
    sonde_share_ops(r->name)->close(place);
    if (error) complain(r->command, "'%s' cannot be read: %s", r->name, strerror(-error));
    return error ? SONDE_USAGE : r->status;
}

/* Removes the options before the arguments. `flag` is the only option of the command, NULL if it has none; *is_set
 * tells whether the flag was given. Returns false after a message about an unknown option. */
static bool take_flag(int *argc, char ***argv, const char *flag, bool *is_set)
{
    *is_set = false;
    while (*argc > 1 && !strncmp((*argv)[1], "--", 2)) {
        if (!flag || strcmp((*argv)[1], flag) != 0) {
            complain((*argv)[0], "unknown option '%s'; sonde share --help lists the options", (*argv)[1]);
            return false;
        }
        *is_set = true;
        (*argv)[1] = (*argv)[0];
        ++*argv, --*argc;
    }
    return true;
}

/* Checks the number of arguments; returns false after a message. */
static bool has_arguments(const char *command, int argc, int min, int max)
{
    if (argc - 1 >= min && argc - 1 <= max) return true;
    fprintf(stderr, "sonde share %s: %s arguments; sonde share --help shows what the command takes\n", command,
            argc - 1 < min ? "too few" : "too many");
    return false;
}

/* ---- status */

/* The counts for one property. */
struct status {
    struct sonde_json_out *json; /* NULL: print for people */
    unsigned n_failures, n_shrunk, n_tapes;
    struct sonde_roster roster;
};

static bool count_tape(void *context, const struct sonde_notice *notice)
{
    struct status *s = context;
    s->n_tapes += !notice->is_bytes;
    return true;
}

static bool count_failure(void *context, const struct sonde_shared_failure *f)
{
    struct status *s = context;
    s->n_shrunk += f->is_shrunk;
    s->n_failures += !f->is_shrunk;
    if (s->json && !f->is_shrunk)
        sonde_json_put(s->json, "{id: %.*s, kind: %.*s, message: %.*s, place: %.*s}", 64, f->id, 64, f->kind, 500,
                       f->message, 300, f->place);
    return true;
}

/* Visits all tapes of a location. One call of `look` visits only a limited number, so this function calls it until *n
 * stays the same. The visitor must add 1 to *n for each tape. */
static void look_at_all(const struct sonde_place_ops *ops, struct sonde_shared_place *place, sonde_notice_visit *visit,
                        void *context, const unsigned *n)
{
    enum { ROUNDS = 1000 }; /* ends a walk over a location that grows as fast as it is read */
    for (unsigned i = 0, before = UINT32_MAX; i < ROUNDS && *n != before; i++) {
        before = *n;
        if (ops->look(place, visit, context) < 0) return;
    }
}

static void print_status(const struct status *s, const char *program, const char *property)
{
    char cases[SONDE_GROUPED], rate[SONDE_GROUPED], tapes[SONDE_GROUPED];
    print_property(program, property);
    printf("%u worker%s, %s cases, %s a second, %s tapes, %u failure%s, %u shrunk%s\n", s->roster.n_workers,
           s->roster.n_workers == 1 ? "" : "s", sonde_grouped(s->roster.cases, cases),
           sonde_grouped((uint64_t)s->roster.rate, rate), sonde_grouped(s->n_tapes, tapes), s->n_failures,
           s->n_failures == 1 ? "" : "s", s->n_shrunk, s->roster.n_ended ? " (some workers have ended)" : "");
}

/* The location that `show` visits: show_property needs its operations, and its context is the JSON output. */
static const char *name_of_place;

/* Prints one property: a line for people, or an object of the array "properties". The order of calls is the order of
 * the JSON fields, since workers and failures are written as they are visited. */
static void show_property(void *context, const char *program, const char *property, struct sonde_shared_place *place)
{
    struct sonde_json_out *json = context;
    struct status s = {.json = json, .roster.list = json};
    const struct sonde_place_ops *ops = sonde_share_ops(name_of_place);
    if (json) sonde_json_put(json, "{program: %.*s, property: %.*s, workers: [", 500, program, 500, property);
    ops->each_worker(place, sonde_roster_add, &s.roster);
    look_at_all(ops, place, count_tape, &s, &s.n_tapes);
    if (json)
        sonde_json_put(json, "], ended: %u, cases: %" PRIu64 ", rate: %.1f, tapes: %u, failures: [", s.roster.n_ended,
                       s.roster.cases, s.roster.rate, s.n_tapes);
    ops->look_for_failures(place, count_failure, &s); /* visits all of them, since the location is read-only */
    if (json) sonde_json_put(json, "], shrunk: %u}", s.n_shrunk);
    else print_status(&s, program, property);
}

/* Prints the status of a location; returns an exit status. */
static int show(const char *command, const char *place, bool is_json)
{
    struct sonde_json_out json = {.out = stdout};
    struct walk r = {.command = command,
                     .name = place,
                     .is_read_only = true,
                     .visit = show_property,
                     .context = is_json ? &json : NULL};
    name_of_place = place;
    if (is_json) sonde_json_put(&json, "{properties: [");
    int status = each_property(&r);
    if (is_json) sonde_json_put(&json, "]}");
    if (is_json) putchar('\n');
    else if (!status && !r.n) puts("nothing has been shared there yet");
    fflush(stdout);
    return status;
}

int sonde_share_status(int argc, char **argv)
{
    bool is_json;
    if (!take_flag(&argc, &argv, "--json", &is_json) || !has_arguments("status", argc, 1, 1)) return SONDE_USAGE;
    return show("status", argv[1], is_json);
}

int sonde_share_watch(int argc, char **argv)
{
    bool is_set;
    if (!take_flag(&argc, &argv, NULL, &is_set) || !has_arguments("watch", argc, 1, 1)) return SONDE_USAGE;
    for (;;) {
        if (isatty(STDOUT_FILENO)) fputs("\033[H\033[2J", stdout);
        int status = show("watch", argv[1], false);
        if (status || ferror(stdout)) return status;
        sleep(2);
    }
}

/* ---- export */

/* The state of an export. Notices are collected in `held` and fetched together, which saves round trips to a server. */
struct exporting {
    const char *place, *out;
    bool is_flat, as_bytes; /* is_flat: write all tapes directly to `out`; as_bytes: in the format of --bytes */
    struct sonde_shared_place *open;
    char *folder; /* the directory for the property */
    struct sonde_shared_tape held[SONDE_TAPES_AT_ONCE];
    uint32_t n_held;
    unsigned n, turn, n_seen; /* tapes written; counter for temporary names; notices visited */
    unsigned n_missing;       /* tapes that are listed but could not be fetched */
    int why_missing;          /* the error of the first missing tape */
    int error;                /* error of writing a tape; ends the export */
};

/* Appends the bytes of a tape as fuzz targets (sonde_fuzz.h) read them. Returns false if the string is not a tape. */
static bool encode(const char *text, struct sonde_bytes *out)
{
    struct sonde_labels labels;
    struct sonde_tape tape;
    struct sonde_text_error error;
    size_t n = 0;
    sonde_labels_init(&labels);
    sonde_tape_init(&tape);
    bool is_one = sonde_tape_from_text(&tape, &labels, text, strlen(text), &error) == 0;
    uint8_t *bytes = is_one ? sonde_tape_encode(&tape, &labels, &n) : NULL;
    sonde_bytes_add(out, bytes, n);
    sonde_free(bytes);
    sonde_tape_clear(&tape);
    sonde_labels_clear(&labels);
    return is_one;
}

/* Writes a tape to a file that is named by a hash of its contents, so that the same tape is written once. */
static void write_tape(struct exporting *x, const char *text)
{
    struct sonde_bytes bytes = {0};
    size_t n = 0;
    bool is_good = true;
    if (x->as_bytes) is_good = encode(text, &bytes);
    else {
        char *file = sonde_stored_write(&(struct sonde_stored){.token = text}, &n);
        sonde_bytes_add(&bytes, file, n);
        sonde_free(file);
    }
    char *path = sonde_path("%s/%016" PRIx64 "%s", x->folder, sonde_hash_text(0, text), x->as_bytes ? "" : ".tape");
    if (is_good && !x->error) x->error = sonde_write_file_lightly(path, (const char *)bytes.data, bytes.n, &x->turn);
    x->n += is_good && !x->error;
    if (!is_good && !x->n_missing++) x->why_missing = -EINVAL;
    sonde_free(path);
    sonde_bytes_clear(&bytes);
}

/* Fetches the held tapes together, writes them and frees them. */
static void export_held(struct exporting *x)
{
    if (x->n_held) sonde_share_ops(x->place)->fetch(x->open, x->held, x->n_held);
    for (uint32_t i = 0; i < x->n_held; i++) {
        if (!x->held[i].error) write_tape(x, x->held[i].text);
        else if (!x->n_missing++) x->why_missing = x->held[i].error;
        sonde_free(x->held[i].text);
        sonde_free(x->held[i].notice.where);
    }
    x->n_held = 0;
}

/* Holds a tape until there are enough to fetch. Files of other fuzzers are not exported. */
static bool export_tape(void *context, const struct sonde_notice *notice)
{
    struct exporting *x = context;
    x->n_seen++;
    if (notice->is_bytes) return true;
    struct sonde_shared_tape *held = &x->held[x->n_held++];
    *held = (struct sonde_shared_tape){.notice = *notice};
    held->notice.where = notice->where ? sonde_strdup(notice->where) : NULL;
    if (x->n_held == SONDE_TAPES_AT_ONCE) export_held(x);
    return !x->error;
}

/* Exports the tapes of one property. */
static void export_property(void *context, const char *program, const char *property, struct sonde_shared_place *place)
{
    struct exporting *x = context;
    x->open = place;
    char *safe[2] = {sonde_safe_name(program), sonde_safe_name(property)}; /* a server may send any names */
    x->folder = x->is_flat ? sonde_strdup(x->out) : sonde_path("%s/%s/%s", x->out, safe[0], safe[1]);
    sonde_free(safe[0]);
    sonde_free(safe[1]);
    if (!x->error) x->error = sonde_make_directories(x->folder);
    if (!x->error) look_at_all(sonde_share_ops(x->place), place, export_tape, x, &x->n_seen);
    export_held(x);
    sonde_free(x->folder);
}

/* Returns the reason why a tape could not be fetched, in words. */
static const char *reason_of(int error)
{
    if (error == -EAGAIN) return "not complete, or damaged";
    if (error == -EINVAL) return "gone, or not a tape";
    if (error == -ENOTSUP) return "written by a newer version of sonde";
    if (error == -ELOOP) return "a symbolic link";
    return strerror(-error);
}

int sonde_share_export(int argc, char **argv)
{
    bool as_bytes;
    if (!take_flag(&argc, &argv, "--bytes", &as_bytes) || !has_arguments("export", argc, 2, 3)) return SONDE_USAGE;
    struct exporting x = {.place = argv[1], .out = argv[2], .is_flat = argc > 3, .as_bytes = as_bytes};
    struct walk r = {.command = "export",
                     .name = argv[1],
                     .is_read_only = true,
                     .only = argc > 3 ? argv[3] : NULL,
                     .visit = export_property,
                     .context = &x};
    int status = each_property(&r);
    if (status) return status;
    if (argc > 3 && !r.n) {
        complain("export", "there are no tapes of a property '%s'; sonde share status lists the properties", argv[3]);
        return SONDE_USAGE;
    }
    if (x.error) complain("export", "cannot write to '%s': %s", x.out, strerror(-x.error));
    if (x.n_missing)
        complain("export", "%u tape%s could not be fetched and %s left out: %s", x.n_missing, sonde_plural(x.n_missing),
                 x.n_missing == 1 ? "is" : "are", reason_of(x.why_missing));
    printf("%u tapes\n", x.n);
    return x.error || x.n_missing ? SONDE_INTERNAL : SONDE_PASSED;
}

/* ---- import */

/* The state of an import. Tapes are collected in `held` and put together, which saves round trips to a server. */
struct importing {
    const char *place;
    struct sonde_shared_place *open;
    struct sonde_shared_tape held[SONDE_TAPES_AT_ONCE];
    uint32_t n_held;
    unsigned n, n_left_out; /* tapes put; files that are not tapes or cannot be read */
    bool is_incomplete;     /* a directory that the user named cannot be read completely */
    int error;              /* error of putting a tape; ends the import */
};

/* Returns the token of a file. The file may be a tape file, a bare token, or what `export --bytes` writes, which
 * begins with "sond". Returns NULL if the file is none of these. The caller frees it with sonde_free. */
static char *token_of(const char *bytes, size_t n)
{
    struct sonde_stored found;
    const char *reason;
    if (n >= 4 && !memcmp(bytes, "sond", 4)) {
        struct sonde_labels labels;
        struct sonde_tape tape;
        sonde_labels_init(&labels);
        sonde_tape_init(&tape);
        sonde_tape_decode_any(&tape, &labels, (const uint8_t *)bytes, n);
        char *text = sonde_tape_to_text(&tape, &labels);
        sonde_tape_clear(&tape);
        sonde_labels_clear(&labels);
        return text;
    }
    if (sonde_stored_read(&found, bytes, n, &reason) < 0) return NULL;
    char *text = sonde_strdup(found.token);
    sonde_stored_clear(&found);
    return text;
}

/* Puts the held tapes together and frees them. */
static void import_held(struct importing *x)
{
    if (x->n_held) sonde_share_ops(x->place)->put(x->open, x->held, x->n_held);
    for (uint32_t i = 0; i < x->n_held; i++) {
        if (x->held[i].error) x->error = x->held[i].error;
        x->n += !x->held[i].error;
        sonde_free(x->held[i].text);
    }
    x->n_held = 0;
}

/* Reads a file and holds its tape until there are enough to put. A tape is put without keys: what it covers is not
 * known here. Files that are not one tape are counted as left out. */
static void import_file(struct importing *x, const char *path)
{
    char *bytes;
    size_t n;
    if (sonde_read_file(path, SONDE_SHARED_TEXT_MAX, true, &bytes, &n) < 0) {
        x->n_left_out++;
        return;
    }
    char *token = token_of(bytes, n);
    sonde_free(bytes);
    if (!token || strchr(token, ';')) {
        x->n_left_out++;
        sonde_free(token);
        return;
    }
    x->held[x->n_held++] =
        (struct sonde_shared_tape){.notice.name = sonde_hash_text(SONDE_WIRE_VERSION, token), .text = token};
    if (x->n_held == SONDE_TAPES_AT_ONCE) import_held(x);
}

/* Imports all files of a directory and below it. Errors of directories are reported; the import continues. */
static void import_folder(struct importing *x, const char *path)
{
    struct sonde_tree tree = {.n = 0};
    struct sonde_tree_file file;
    sonde_tree_begin(&tree, path);
    while (!x->error && sonde_tree_next(&tree, &file)) {
        if (!file.error) {
            import_file(x, file.path);
            continue;
        }
        complain("import", "'%s' cannot be read: %s", file.path, strerror(-file.error));
        x->n_left_out++;
        x->is_incomplete = true;
    }
    sonde_tree_end(&tree);
}

int sonde_share_import(int argc, char **argv)
{
    bool is_set;
    if (!take_flag(&argc, &argv, NULL, &is_set) || !has_arguments("import", argc, 4, 10000)) return SONDE_USAGE;
    struct importing x = {.place = argv[1]};
    struct walk r = {.command = "import", .name = argv[1]};
    const char *wrong = sonde_link_check(argv[1]);
    if (wrong) {
        complain("import", "%s", wrong);
        return SONDE_USAGE;
    }
    x.open = open_place(&r, argv[2], argv[3]);
    if (!x.open) return SONDE_USAGE;
    for (int i = 4; i < argc && !x.error; i++) import_folder(&x, argv[i]);
    import_held(&x);
    sonde_share_ops(argv[1])->close(x.open);
    if (x.error) complain("import", "cannot write to '%s': %s", argv[1], strerror(-x.error));
    printf("%u tapes, %u files left out\n", x.n, x.n_left_out);
    return x.error ? SONDE_INTERNAL : x.is_incomplete ? SONDE_USAGE : SONDE_PASSED;
}

/* ---- prune */

/* The state of pruning one property. */
struct pruning {
    const char *place;
    struct sonde_shared_place *open;
    bool is_dry;                      /* only count: --dry-run */
    struct sonde_map kept;            /* keys of the tapes that are kept */
    unsigned n, n_dropped, n_unknown; /* number of tapes, of dropped tapes, and of tapes without keys */
    int error;                        /* error of dropping a tape; ends the pruning of this property */
};

/* Drops a tape unless it names a key that no kept tape has, or is one of the first UNKNOWN_MAX without keys.
 * Greedy in the order of visits: the result covers all keys, but need not be the smallest set. */
static bool prune_tape(void *context, const struct sonde_notice *notice)
{
    enum { UNKNOWN_MAX = 1000 }; /* tapes without keys that are kept: what they cover is not known */
    struct pruning *x = context;
    bool is_needed = !notice->n_keys && x->n_unknown++ < UNKNOWN_MAX;
    if (notice->is_bytes) return true;
    for (unsigned i = 0; i < notice->n_keys; i++) {
        uint32_t *is_kept = sonde_map_at(&x->kept, notice->keys[i]);
        is_needed |= !*is_kept;
        *is_kept = 1;
    }
    x->n++;
    if (is_needed) return true;
    if (!x->is_dry) x->error = sonde_share_ops(x->place)->drop(x->open, notice);
    x->n_dropped += !x->error;
    return !x->error;
}

/* Prunes one property and prints the counts. */
static void prune_property(void *context, const char *program, const char *property, struct sonde_shared_place *place)
{
    struct pruning *all = context, x = {.place = all->place, .open = place, .is_dry = all->is_dry};
    look_at_all(sonde_share_ops(x.place), place, prune_tape, &x, &x.n);
    print_property(program, property);
    printf("%u of %u tapes %s\n", x.n_dropped, x.n, x.is_dry ? "would be dropped" : "dropped");
    if (x.error) all->error = x.error;
    sonde_map_clear(&x.kept);
}

int sonde_share_prune(int argc, char **argv)
{
    bool is_dry;
    if (!take_flag(&argc, &argv, "--dry-run", &is_dry) || !has_arguments("prune", argc, 1, 1)) return SONDE_USAGE;
    struct pruning x = {.place = argv[1], .is_dry = is_dry};
    struct walk r = {.command = "prune", .name = argv[1], .is_read_only = true, .visit = prune_property, .context = &x};
    int status = each_property(&r);
    if (!status && x.error) complain("prune", "some tapes could not be dropped: %s", strerror(-x.error));
    return status ? status : x.error ? SONDE_INTERNAL : SONDE_PASSED;
}
