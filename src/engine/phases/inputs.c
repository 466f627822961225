/* See inputs.h. A file is a tape (store/format.h), tokens (one per line), or plain bytes. Plain bytes become the first
 * bytes or the first string that the property draws; all other draws get the simplest value. A run with the simplest
 * input shows which draw that is. Files are read in the order of their names, so that a run with the same seed is the
 * same run.
 *
 * The user has not checked each file of a directory of inputs, so nothing in it ends the run. */
#include "engine/phases/inputs.h"

#include "base/die.h"
#include "base/hash.h"
#include "base/strings.h"
#include "exec/interrupt.h"
#include "store/files.h"
#include "tape/order.h"
#include "tape/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SAID = 8 }; /* number of skipped files that get a warning each; further ones are only counted */

/* One reading of --inputs. `plain` is filled in for the first file that is plain bytes, so a directory of tapes does
 * not run the property for it. */
struct taking {
    struct sonde_engine *e;
    struct sonde_plain plain;
    uint32_t n_files, n_foreign, n_left_out;
    size_t bytes; /* sum of the bytes of all tapes */
    size_t named; /* length of the part of each path that the user named */
    bool is_full;
};

struct sonde_lead *sonde_engine_lead(struct sonde_engine *e, const struct sonde_tape *tape, const char *path)
{
    struct sonde_legacy *l = e->legacy;
    l->leads = sonde_grow(l->leads, &l->cap_leads, (size_t)l->n_leads + 1, sizeof *l->leads);
    struct sonde_lead *lead = &l->leads[l->n_leads++];
    *lead = (struct sonde_lead){.path = path ? sonde_strdup(path) : NULL};
    sonde_tape_init(&lead->tape);
    sonde_tape_copy(&lead->tape, tape);
    return lead;
}

/* Warns that a file is skipped. Only the first few are named: a wrong directory would hide all other messages. */
SONDE_PRINTF(3, 4) static void leave_out(struct taking *k, const char *path, const char *format, ...)
{
    enum { REASON = 512 };
    char reason[REASON];
    va_list args;
    if (k->n_left_out++ >= SAID) return;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    sonde_warn("--inputs: '%s' is left out: %s", path, reason);
}

/* Adds an input, unless all inputs together exceed the memory of the search: the tapes stay until the search has run
 * them. */
static void take(struct taking *k, const struct sonde_tape *script, const char *path)
{
    k->bytes += sonde_tape_bytes(script);
    k->is_full = k->bytes > k->e->options.memory;
    if (!k->is_full) sonde_engine_lead(k->e, script, path);
}

/* ---- Tapes and tokens */

/* Adds the tapes of one token, which are separated by ;. `line` is the line of the file, 0 if the file has one token.
 * Spaces around a tape are allowed, as --replay allows them; an unreadable part does not affect the others. */
static void take_token(struct taking *k, const char *path, const char *token, size_t n, unsigned line)
{
    for (const char *end = token + n; token < end && !k->is_full;) {
        const char *stop = memchr(token, ';', (size_t)(end - token));
        struct sonde_text_error error;
        struct sonde_tape script;
        size_t skipped = strspn(token, " ");
        size_t length = (size_t)((stop ? stop : end) - token);
        sonde_tape_init(&script);
        if (skipped > length) skipped = length;
        int status = sonde_tape_from_text(&script, &k->e->search->labels, token + skipped, length - skipped, &error);
        if (!status) take(k, &script, path);
        else if (line) leave_out(k, path, "line %u: %s (at character %zu)", line, error.reason, error.at + 1);
        else leave_out(k, path, "%s (at character %zu of its tape)", error.reason, error.at + 1);
        sonde_tape_clear(&script);
        token += length + (stop != NULL);
    }
}

static void take_lines(struct taking *k, const char *path, const char *text, size_t n)
{
    const char *end = text + n;
    for (unsigned line = 1; text < end && !k->is_full; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        while (length && text[length - 1] == '\r') length--;
        if (length) take_token(k, path, text, length, line);
        text = stop ? stop + 1 : end;
    }
}

/* Takes a tape file. Skips a tape that names another property without a warning: a directory may serve all properties
 * of a program. */
static void take_tape(struct taking *k, const char *path, const char *bytes, size_t n)
{
    struct sonde_stored found;
    const char *reason = NULL;
    if (sonde_stored_read(&found, bytes, n, &reason) < 0) {
        leave_out(k, path, "%s", reason);
        return;
    }
    if (found.property && strcmp(found.property, k->e->report.property) != 0) k->n_foreign++;
    else take_token(k, path, found.token, strlen(found.token), 0);
    sonde_stored_clear(&found);
}

/* ---- Plain bytes */

/* The simplest input takes the shortest path through the property. If the property draws its string only under a
 * condition, the probe may find none. */
void sonde_engine_probe(struct sonde_engine *e, struct sonde_plain *k)
{
    struct sonde_tape empty;
    const struct sonde_tape *script = &empty;
    if (k->has_probed) return;
    k->has_probed = true;
    k->blob = UINT32_MAX;
    sonde_tape_init(&k->probe);
    sonde_tape_init(&empty);
    sonde_tape_begin(&empty);
    sonde_tape_end(&empty);
    sonde_single_fails(e->single, &script, 1, false, 0);
    sonde_single_keep_finding(e->single, "when the simplest input was run, to find the draw that takes a file");
    sonde_tape_end(&e->search->t->tape);
    sonde_tape_copy(&k->probe, &e->search->t->tape);
    for (uint32_t i = 0; i < k->probe.n_choices && k->blob == UINT32_MAX; i++)
        if (k->probe.choices[i].kind == SONDE_KIND_BLOB) k->blob = i;
    sonde_tape_clear(&empty);
}

/* Adds the literal of these bytes: hex pairs, or the string as it is. */
static uint32_t add_literal(struct sonde_tape *script, const struct sonde_blob *blob, const char *bytes, size_t n)
{
    if (blob->alphabet.kind != SONDE_ALPHABET_BYTES) return sonde_tape_add_literal(script, bytes, (uint32_t)n);
    char *hex = sonde_malloc(2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = "0123456789abcdef"[(unsigned char)bytes[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[bytes[i] & 0xf];
    }
    uint32_t at = sonde_tape_add_literal(script, hex, (uint32_t)(2 * n));
    sonde_free(hex);
    return at;
}

/* Returns why these bytes cannot be drawn; NULL if they can. Checked here because a script would cut or fold bytes that
 * do not fit, and the input would be another one. */
static const char *misfit(const struct sonde_blob *blob, const char *bytes, size_t n)
{
    bool is_bytes = blob->alphabet.kind == SONDE_ALPHABET_BYTES;
    size_t n_symbols = 0;
    for (size_t i = 0; i < n; n_symbols++) {
        uint32_t code = 0;
        i += is_bytes ? 1 : sonde_utf8_decode(bytes + i, n - i, &code);
        if (!is_bytes && (!code || sonde_alphabet_symbol(&blob->alphabet, code) >= blob->alphabet.size))
            return "it has a character that the property's string cannot have";
    }
    if (n_symbols > blob->max) return "it is longer than what the property draws";
    return n_symbols < blob->min ? "it is shorter than what the property draws" : NULL;
}

const char *sonde_engine_plain_script(const struct sonde_plain *k, const char *bytes, size_t n,
                                      struct sonde_tape *script)
{
    if (k->blob == UINT32_MAX)
        return "it is not a tape, and with the simplest input the property draws neither bytes nor a string";
    struct sonde_blob blob = sonde_choice_blob(&k->probe, &k->probe.choices[k->blob]);
    const char *reason = misfit(&blob, bytes, n);
    /* An editor ends a file with a line feed, whatever its contents. */
    if (reason && n && bytes[n - 1] == '\n' && !misfit(&blob, bytes, n - 1)) reason = NULL, n--;
    if (reason) return reason;
    sonde_tape_copy(script, &k->probe);
    /* A literal has no kind: the draw reads it by its own alphabet, as it reads a token. */
    struct sonde_choice *choice = &script->choices[k->blob];
    choice->base = add_literal(script, &blob, bytes, n);
    choice->kind = SONDE_KIND_LITERAL;
    return NULL;
}

static void take_plain(struct taking *k, const char *path, const char *bytes, size_t n)
{
    struct sonde_tape script;
    sonde_tape_init(&script);
    sonde_engine_probe(k->e, &k->plain);
    const char *reason = sonde_engine_plain_script(&k->plain, bytes, n, &script);
    if (reason) leave_out(k, path, "%s", reason);
    else take(k, &script, path);
    sonde_tape_clear(&script);
}

/* ---- Files */

/* Takes a file, and decides by its content whether it is a tape, tokens or bytes. The file name matters only for a tape
 * without its first line. */
static void take_file(struct taking *k, const char *path)
{
    char *bytes = NULL;
    size_t n = 0;
    k->n_files++;
    int error = sonde_below_read(path, k->named, SONDE_READ_BYTES_MAX, &bytes, &n);
    if (error == -EFBIG) leave_out(k, path, "it is larger than %d MiB", SONDE_READ_BYTES_MAX >> 20);
    else if (error) leave_out(k, path, "%s", sonde_below_reason(error));
    else if (sonde_bytes_start(bytes, n, "# sonde tape") || sonde_ends(path, ".tape")) take_tape(k, path, bytes, n);
    else if (sonde_text_has_version(bytes, n)) take_lines(k, path, bytes, n);
    else take_plain(k, path, bytes, n);
    sonde_free(bytes);
}

/* Reads the files of a directory until the memory is full, or until an interrupt: a directory may hold a million
 * files. */
static void take_folder(struct taking *k, const char *path)
{
    struct sonde_tree tree = {.n = 0};
    struct sonde_tree_file file;
    sonde_tree_begin(&tree, path);
    while (!k->is_full && !sonde_interrupted() && sonde_tree_next(&tree, &file)) {
        if (file.error) leave_out(k, file.path, "%s", sonde_below_reason(file.error));
        else take_file(k, file.path);
    }
    sonde_tree_end(&tree);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

void sonde_engine_take_inputs(struct sonde_engine *e)
{
    const char *path = e->options.inputs;
    struct taking k = {.e = e};
    if (!path) return;
    k.named = strlen(path);
    uint32_t before = e->legacy->n_leads;
    if (is_folder(path)) take_folder(&k, path);
    else take_file(&k, path);
    if (k.n_left_out > SAID) sonde_warn("--inputs: %" PRIu32 " more in '%s' are left out", k.n_left_out - SAID, path);
    if (k.is_full)
        sonde_warn("--inputs: the inputs from '%s' take more memory than --memory allows; only the first %" PRIu32
                   " are used",
                   path, e->legacy->n_leads - before);
    if (!k.n_files) sonde_warn("--inputs: there is no file in '%s'", path);
    else if (k.n_foreign == k.n_files)
        sonde_warn("--inputs: nothing in '%s' belongs to the property %s", path, e->report.property);
    if (k.plain.has_probed) sonde_tape_clear(&k.plain.probe);
}

/* Describes only one of the inputs that did not fit: mostly all have the same reason, a generator that has changed. */
void sonde_engine_report_inputs(struct sonde_engine *e)
{
    const struct sonde_led *led = &e->search->led;
    uint32_t given = e->legacy->n_leads - e->legacy->n_counted;
    if (led->n_strayed) sonde_warn("--inputs: %s; it was run with the values that fit", led->strayed);
    if (led->n_strayed > 1)
        sonde_warn("--inputs: %" PRIu32 " more inputs do not produce the values they name", led->n_strayed - 1);
    if (given && led->n == e->legacy->n_leads && !led->n_valid && !e->search->n_found)
        sonde_warn("%s: of %" PRIu32 " inputs, none was valid", e->options.inputs ? "--inputs" : "--import", given);
}

/* Called before the search, so that an hour of searching is not lost because the directory cannot be written. */
bool sonde_engine_check_inputs(struct sonde_engine *e)
{
    const char *in = e->options.inputs, *out = e->options.inputs_out;
    if (in && access(in, F_OK) < 0) {
        snprintf(e->message, sizeof e->message, "--inputs: '%.500s' cannot be read: %s", in, strerror(errno));
        return false;
    }
    int error = out ? sonde_make_directories(out) : 0;
    if (out && !error && access(out, W_OK) < 0) error = -errno;
    if (error)
        snprintf(e->message, sizeof e->message, "--inputs-out: cannot write to '%.500s': %s", out, strerror(-error));
    return error == 0;
}

/* ---- Inputs that were found */

/* Returns whether the file has this input already, perhaps from another run. */
static bool holds(const char *path, const char *token)
{
    struct sonde_stored found;
    const char *reason;
    if (sonde_store_read_file(path, &found, &reason) < 0) return false;
    bool is_same = strcmp(found.token, token) == 0;
    sonde_stored_clear(&found);
    return is_same;
}

/* Writes an input to a file named by the hash of its token, so that a second run writes nothing twice. A file of that
 * name with another input is left alone. */
static void write_input(struct sonde_engine *e, const struct sonde_tape *tape, const struct sonde_labels *labels,
                        const char *kind)
{
    char found[SONDE_FOUND_BY];
    if (e->has_refused) return;
    char *token = sonde_tape_to_text(tape, labels);
    char *path = sonde_path("%s/%016" PRIx64 ".tape", e->options.inputs_out, sonde_hash_text(0, token));
    snprintf(found, sizeof found, "seed %" PRIu64 ", guide %s", e->options.seed, e->search->guide->ops->name);
    struct sonde_stored what = {.property = e->report.property, .kind = kind, .found = found, .token = token};
    size_t n;
    char *bytes = sonde_stored_write(&what, &n);
    int error = 0;
    if (access(path, F_OK) < 0) error = sonde_write_file_lightly(path, bytes, n, &e->turn);
    else if (!holds(path, token)) error = -EEXIST;
    if (error) sonde_warn("--inputs-out: cannot write '%s': %s", path, strerror(-error));
    e->has_refused = error && error != -EEXIST;
    e->n_written += !error;
    sonde_free(bytes);
    sonde_free(path);
    sonde_free(token);
}

void sonde_engine_write_saved(struct sonde_engine *e, const struct sonde_search *s)
{
    if (!e->options.inputs_out || s->is_torn) return;
    for (uint32_t i = 0; i < SONDE_SAVED_MAX; i++) {
        const struct sonde_saved_tape *h = s->saved.slots[i];
        if (h) write_input(e, &h->kept->tape, &s->labels, sonde_saved_word(h->what));
    }
}

/* Writes a uniform sample of all different valid inputs, besides the saved corpus, where each input was kept for a
 * reason. */
void sonde_engine_write_sample(struct sonde_engine *e)
{
    const struct sonde_sample *sample = &e->search->rerun.sample;
    if (!e->options.inputs_out) return;
    for (uint32_t i = 0; i < sample->n; i++) {
        const struct sonde_sampled *input = sample->inputs[i];
        if (input->verdict == SONDE_VALID) write_input(e, &input->tape, &e->search->labels, "valid");
    }
    sonde_say("%s: %" PRIu32 " inputs are in '%s'%s", e->report.property, e->n_written, e->options.inputs_out,
              e->has_refused ? "; the others could not be written" : "");
}
