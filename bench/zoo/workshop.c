/* See workshop.h. */
#include "zoo/workshop.h"

#include "base/hash.h"
#include "zoo/batch.h"
#include "zoo/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const zoo_form_names[] = {"probe", "one", "canary"};

enum { BATCH = 16, PROBE_SECONDS = 60 };

/* ---- Files */

SONDE_PRINTF(2, 3) static void path_to(char path[PATH_MAX], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(path, PATH_MAX, format, args);
    va_end(args);
}

int zoo_write_file(const char *path, const char *text, size_t n)
{
    char part[PATH_MAX];
    path_to(part, "%s.part", path);
    FILE *f = fopen(part, "w");
    if (!f) return -errno;
    bool is_whole = fwrite(text, 1, n, f) == n;
    int wrong = is_whole ? 0 : errno;
    if (fclose(f) != 0 && !wrong) wrong = errno;
    if (!wrong && rename(part, path) < 0) wrong = errno;
    if (wrong) unlink(part);
    return -wrong;
}

/* Reads the contents of a file, at most so much, with a NUL after it; "" if it cannot be read. */
static const char *read_file(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    if (f) fclose(f);
    text[n] = '\0';
    return text;
}

static int hash_file(uint64_t *hash, const char *path)
{
    char text[1 << 16];
    FILE *f = fopen(path, "r");
    if (!f) return -errno;
    for (size_t n; (n = fread(text, 1, sizeof text, f)) > 0;) *hash = sonde_hash_bytes(*hash, text, n);
    fclose(f);
    return 0;
}

/* Like zoo_write_file, but prints an error if it fails: once, as the next will fare no better. */
static bool write_or_report(const char *path, const struct zoo_text *text)
{
    static bool is_reported;
    int status = zoo_write_file(path, text->s, text->n);
    if (status < 0 && !is_reported) fprintf(stderr, "zoo: %s: %s\n", path, strerror(-status));
    is_reported |= status < 0;
    return status == 0;
}

int zoo_workshop_open(struct zoo_workshop *shop, const char *folder)
{
    char path[PATH_MAX];
    const char *build = getenv("BUILD") ? getenv("BUILD") : "build", *compiler = getenv("CC");
    shop->compiler = compiler && *compiler ? compiler : "cc";
    if (folder) snprintf(shop->folder, sizeof shop->folder, "%s", folder);
    else snprintf(shop->folder, sizeof shop->folder, "%s/zoo", build);
    path_to(shop->tool, "%s/sonde", build);
    path_to(path, "%s/libsonde.a", build);
    shop->library = ZOO_GENERATION;
    int status = hash_file(&shop->library, shop->tool);
    if (status == 0) status = hash_file(&shop->library, path);
    if (status < 0) return status;
    return mkdir(shop->folder, 0777) < 0 && errno != EEXIST ? -errno : 0;
}

unsigned zoo_read_range(const char *text, struct zoo_animal **animals)
{
    enum { MOST = 100000 };
    char *rest;
    errno = 0;
    uint64_t first = strtoull(text, &rest, 10), last = first;
    bool is_number = rest > text && *text != '-';
    const char *second = *rest == '-' ? rest + 1 : NULL;
    if (second) last = strtoull(second, &rest, 10);
    is_number = is_number && !errno && !*rest && (!second || (rest > second && *second != '-'));
    *animals = NULL;
    if (!is_number || first < 1 || last < first || last - first >= MOST) return 0;
    unsigned n = (unsigned)(last - first + 1);
    *animals = calloc(n, sizeof **animals);
    if (!*animals) abort();
    for (unsigned i = 0; i < n; i++) (*animals)[i].number = first + i;
    return n;
}

/* ---- Verdicts, as one line */

static const char *const reasons[] = {"hardly ever valid",
                                      "nearly always valid, as half of the others",
                                      "no fault near what was wanted",
                                      "its faults are too common or too rare",
                                      "the probe does not compile",
                                      "the probe does not end well"};
enum { N_REASONS = sizeof reasons / sizeof *reasons, REASON_COMPILE = 4, REASON_CRASH = 5 };

static int reason_number(const char *reason)
{
    for (int i = 0; reason && i < N_REASONS; i++)
        if (strcmp(reason, reasons[i]) == 0) return i;
    return -1;
}

static void print_fault(struct zoo_text *out, const struct zoo_fault *f)
{
    zoo_print(out, " %" PRIx32 " %d %a %d", f->bug.atoms, (int)f->bug.style, f->p, (int)f->how);
}

static bool save_verdict(const struct zoo_workshop *shop, uint64_t number, uint64_t key, const struct zoo_verdict *v)
{
    struct zoo_text out = {0};
    char path[PATH_MAX];
    zoo_print(&out, "%016" PRIx64 " %d %a %a %d %u", key, reason_number(v->dropped), v->p_valid, v->draws, v->has_one,
              v->n_canaries);
    if (v->has_one) print_fault(&out, &v->one);
    for (unsigned i = 0; i < v->n_canaries; i++) print_fault(&out, &v->canaries[i]);
    zoo_print(&out, " .\n");
    path_to(path, "%s/%" PRIu64 ".verdict", shop->folder, number);
    bool is_saved = write_or_report(path, &out);
    zoo_text_clear(&out);
    return is_saved;
}

static bool read_fault(const char **at, struct zoo_fault *f)
{
    unsigned atoms, style, how;
    int n = 0;
    if (sscanf(*at, " %x %u %la %u%n", &atoms, &style, &f->p, &how, &n) < 4 || !n) return false;
    if (style >= ZOO_BUG_STYLES || how > ZOO_PRODUCT) return false;
    f->bug = (struct zoo_bug){atoms, (enum zoo_bug_style)style};
    f->how = (enum zoo_how)how;
    *at += n;
    return true;
}

/* Returns false if there is no verdict, it is for another source, or it is not whole. */
static bool load_verdict(const struct zoo_workshop *shop, uint64_t number, uint64_t key, struct zoo_verdict *v)
{
    char path[PATH_MAX], text[4096];
    uint64_t its_key;
    int reason, has_one, n = 0;
    path_to(path, "%s/%" PRIu64 ".verdict", shop->folder, number);
    *v = (struct zoo_verdict){0};
    const char *at = read_file(path, text, sizeof text);
    if (sscanf(at, "%" SCNx64 " %d %la %la %d %u%n", &its_key, &reason, &v->p_valid, &v->draws, &has_one,
               &v->n_canaries, &n)
        < 6)
        return false;
    if (its_key != key || reason >= N_REASONS || v->n_canaries > ZOO_BUGS) return false;
    at += n;
    v->dropped = reason >= 0 ? reasons[reason] : NULL;
    v->has_one = has_one;
    if (v->has_one && !read_fault(&at, &v->one)) return false;
    for (unsigned i = 0; i < v->n_canaries; i++)
        if (!read_fault(&at, &v->canaries[i])) return false;
    return strcmp(at, " .\n") == 0;
}

/* ---- Probes */

struct probe {
    struct zoo_subject *z;
    uint64_t key;
    struct zoo_text text;
    char source[PATH_MAX];
};

static uint64_t key_of(const struct zoo_text *text, uint64_t with)
{
    return sonde_mix(sonde_hash_bytes(with, text->s, text->n));
}

/* As one source; alone as it is, so that what the compiler says is about the probe itself. */
static bool write_probes(const struct probe *probes, unsigned n, const char *path)
{
    struct zoo_piece pieces[BATCH];
    for (unsigned i = 0; i < n; i++)
        pieces[i] = (struct zoo_piece){probes[i].z->number, probes[i].text.s, probes[i].source};
    struct zoo_text joined = zoo_join("", pieces, n);
    bool is_written = write_or_report(path, n > 1 ? &joined : &probes[0].text);
    zoo_text_clear(&joined);
    return is_written;
}

/* Compiles them into one library. */
static bool compile_probes(const struct zoo_workshop *shop, const struct probe *probes, unsigned n, const char *library)
{
    char source[PATH_MAX], log[PATH_MAX];
    if (n > 1) path_to(source, "%s/batch-%d.c", shop->folder, (int)getpid());
    else path_to(source, "%s", probes[0].source);
    path_to(log, "%s/%" PRIu64 "-probe.log", shop->folder, probes[0].z->number);
    const char *const words[] = {shop->compiler,     "-std=gnu11", "-O1",   "-w",   "-fPIC", "-shared",
                                 "-Ibench/zoo/stub", "-o",         library, source, NULL};
    bool is_done = write_probes(probes, n, source) && zoo_command((char *const *)(uintptr_t)words, log);
    if (is_done || n > 1) unlink(log);
    unlink(source);
    return is_done;
}

/* In a separate process, as it runs code that was made up. If it does not end well there is no verdict. */
static void calibrate(const struct zoo_workshop *shop, const struct probe *p, const char *library)
{
    pid_t child = zoo_fork(PROBE_SECONDS);
    if (child == 0) {
        char name[64];
        snprintf(name, sizeof name, "subject_%" PRIu64, p->z->number);
        void *loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL), *symbol = loaded ? dlsym(loaded, name) : NULL;
        if (!symbol) _exit(1);
        zoo_probe *probe;
        memcpy(&probe, &symbol, sizeof probe);
        struct zoo_verdict v = zoo_calibrate(p->z, probe);
        _exit(!save_verdict(shop, p->z->number, p->key, &v));
    }
    zoo_wait(child);
}

static void compile_and_calibrate(const struct zoo_workshop *shop, const struct probe *probes, unsigned n)
{
    char library[PATH_MAX];
    path_to(library, "%s/%s/batch-%d.so", shop->folder[0] == '/' ? "" : ".", shop->folder, (int)getpid());
    if (compile_probes(shop, probes, n, library)) {
        for (unsigned i = 0; i < n; i++) calibrate(shop, &probes[i], library);
    } else /* one of them may spoil it for the others */
        for (unsigned i = 0; n > 1 && i < n; i++) compile_and_calibrate(shop, &probes[i], 1);
    unlink(library);
}

static void clear_probe(struct probe *p)
{
    zoo_text_clear(&p->text);
    zoo_free(p->z);
}

static bool add_probe(const struct zoo_workshop *shop, uint64_t number, struct probe *p)
{
    struct zoo_verdict v;
    p->z = zoo_make(number);
    p->text = zoo_emit(p->z, ZOO_PROBE, NULL, 0);
    p->key = key_of(&p->text, ZOO_GENERATION);
    path_to(p->source, "%s/%" PRIu64 "-probe.c", shop->folder, number);
    bool is_new = !load_verdict(shop, number, p->key, &v);
    if (!is_new) clear_probe(p);
    return is_new;
}

static void probe_batch(const struct zoo_workshop *shop, const struct zoo_animal *animals, unsigned n)
{
    struct probe *probes = calloc(n, sizeof *probes);
    unsigned n_new = 0;
    if (!probes) abort();
    for (unsigned i = 0; i < n; i++) n_new += add_probe(shop, animals[i].number, &probes[n_new]);
    if (n_new) compile_and_calibrate(shop, probes, n_new);
    for (unsigned i = 0; i < n_new; i++) clear_probe(&probes[i]);
    free(probes);
}

/* ---- Subjects */

unsigned zoo_faults_of(const struct zoo_verdict *v, enum zoo_form form, const struct zoo_fault **faults)
{
    *faults = form == ZOO_ONE ? &v->one : v->canaries;
    return v->dropped ? 0 : form == ZOO_ONE ? v->has_one : v->n_canaries;
}

struct zoo_text zoo_source_of(const struct zoo_subject *z, const struct zoo_verdict *v, enum zoo_form form)
{
    const struct zoo_fault *faults;
    struct zoo_bug bugs[ZOO_BUGS];
    unsigned n = zoo_faults_of(v, form, &faults);
    for (unsigned i = 0; i < n; i++) bugs[i] = faults[i].bug;
    return zoo_emit(z, form, bugs, n);
}

static const char not_compiled[] = "it could not be compiled";

/* Returns the words that `sonde cc` hands to the linker for a library; asks it once. */
static char **link_words(const struct zoo_workshop *shop, unsigned *n)
{
    enum { WORDS = 32 };
    static struct zoo_text printed;
    static char *words[WORDS];
    static unsigned n_words;
    char log[PATH_MAX];
    const char *const print[] = {shop->tool, "cc", "--print", "-shared", "-o", "x.so", "x.o", NULL};
    path_to(log, "%s/batch-%d.log", shop->folder, (int)getpid());
    if (!printed.s && zoo_command((char *const *)(uintptr_t)print, log)) {
        zoo_text_read(&printed, log);
        for (char *word = printed.s ? strtok(printed.s, " \n") : NULL; word; word = strtok(NULL, " \n")) {
            size_t length = strlen(word);
            bool is_archive = length > 2 && strcmp(word + length - 2, ".a") == 0;
            if (strncmp(word, "-Wl,", 4) == 0) word += 4;
            else if (!is_archive) continue;
            for (char *comma; n_words < WORDS && word; word = comma) {
                comma = is_archive ? NULL : strchr(word, ',');
                if (comma) *comma++ = '\0';
                words[n_words++] = word;
            }
        }
    }
    unlink(log);
    *n = n_words;
    return words;
}

/* From STEM.i, which the batch left: the compiler is started once, and the linker without it. */
static bool compile_rewritten(const struct zoo_workshop *shop, const char *stem, const char *library, const char *log)
{
    char source[PATH_MAX], object[PATH_MAX], *link[48];
    unsigned n, k = 0;
    path_to(source, "%s.i", stem);
    path_to(object, "%s.o", stem);
    const char *const words[] = {shop->tool, "cc", "--no-rewrite", "-std=gnu11", "-O1",  "-w", "-g0",
                                 "-fPIC",    "-c", "-o",           object,       source, NULL};
    const char *const first[] = {"ld", "-shared", "-o", library, object};
    if (access(source, R_OK) < 0) return false;
    char **more = link_words(shop, &n);
    for (unsigned i = 0; i < sizeof first / sizeof *first; i++) link[k++] = (char *)(uintptr_t)first[i];
    for (unsigned i = 0; i < n; i++) link[k++] = more[i];
    link[k] = NULL;
    bool is_done = n && zoo_command((char *const *)(uintptr_t)words, log) && zoo_command(link, log);
    unlink(source);
    unlink(object);
    return is_done;
}

static bool compile_subject(const struct zoo_workshop *shop, const char *stem)
{
    char source[PATH_MAX], library[PATH_MAX], part[PATH_MAX], log[PATH_MAX], *argv[20];
    unsigned k = 0;
    path_to(source, "%s.c", stem);
    path_to(library, "%s.so", stem);
    path_to(part, "%s.part.so", stem);
    path_to(log, "%s.log", stem);
    const char *const words[] = {shop->tool, "cc",      "-std=gnu11", "-O1", "-w",  "-g0",
                                 "-fPIC",    "-shared", "-o",         part,  source};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        argv[k++] = (char *)(uintptr_t)words[i];
        if (i == 1 && shop->is_plain) {
            argv[k++] = (char *)(uintptr_t) "--no-cover";
            argv[k++] = (char *)(uintptr_t) "--no-rewrite";
            argv[k++] = (char *)(uintptr_t) "--no-trace-cmp";
        }
    }
    argv[k] = NULL;
    bool is_done = compile_rewritten(shop, stem, part, log) || zoo_command(argv, log);
    if (is_done && rename(part, library) == 0) return unlink(log) == 0;
    unlink(part);
    return false;
}

struct key_line {
    uint64_t key;
    int is_simple;
};

static bool load_key(const char *stem, uint64_t key, struct key_line *line)
{
    char path[PATH_MAX], text[64];
    path_to(path, "%s.key", stem);
    return sscanf(read_file(path, text, sizeof text), "%" SCNx64 " %d", &line->key, &line->is_simple) == 2
           && line->key == key;
}

static void make_subject(const struct zoo_workshop *shop, const char *stem, const struct zoo_text *text, uint64_t key,
                         const struct zoo_animal *a)
{
    char path[PATH_MAX];
    const struct zoo_fault *faults;
    struct zoo_text line = {0};
    path_to(path, "%s.c", stem);
    if (!write_or_report(path, text) || !compile_subject(shop, stem)) return;
    path_to(path, "%s.so", stem);
    bool is_simple = shop->is_simple(shop, path, a->number, zoo_faults_of(&a->verdict, shop->form, &faults));
    zoo_print(&line, "%016" PRIx64 " %d\n", key, is_simple);
    path_to(path, "%s.key", stem);
    write_or_report(path, &line);
    zoo_text_clear(&line);
}

static uint64_t probe_key(const struct zoo_subject *z)
{
    struct zoo_text text = zoo_emit(z, ZOO_PROBE, NULL, 0);
    uint64_t key = key_of(&text, ZOO_GENERATION);
    zoo_text_clear(&text);
    return key;
}

static void stem_of(const struct zoo_workshop *shop, const struct zoo_animal *a, char stem[PATH_MAX])
{
    path_to(stem, "%s/%" PRIu64 "-%s%s", shop->folder, a->number, zoo_form_names[shop->form],
            shop->is_plain ? "-plain" : "");
}

/* Fills in what there is of a number; makes what is missing if `makes`. */
static void look_up(const struct zoo_workshop *shop, struct zoo_animal *a, bool makes)
{
    struct zoo_subject *z = zoo_make(a->number);
    const struct zoo_fault *faults;
    char stem[PATH_MAX];
    struct key_line line = {0};
    a->missing = "its probe could not be compiled or run";
    a->is_trouble = true;
    path_to(a->log, "%s/%" PRIu64 "-probe.log", shop->folder, a->number);
    if (load_verdict(shop, a->number, probe_key(z), &a->verdict)) {
        a->missing = a->verdict.dropped;
        a->is_trouble = false;
        if (!a->missing && zoo_faults_of(&a->verdict, shop->form, &faults) == 0)
            a->missing =
                shop->form == ZOO_ONE ? "no single fault near what was wanted" : "too few faults near what was wanted";
    }
    if (!a->missing) {
        struct zoo_text text = zoo_source_of(z, &a->verdict, shop->form);
        uint64_t key = key_of(&text, shop->library);
        stem_of(shop, a, stem);
        bool is_there = load_key(stem, key, &line);
        if (!is_there && makes) make_subject(shop, stem, &text, key, a);
        if (!is_there) is_there = load_key(stem, key, &line);
        if (!is_there) a->missing = not_compiled, a->is_trouble = true;
        else if (line.is_simple) a->missing = "enumerate has it within 20 cases";
        path_to(a->library, "%s.so", stem);
        path_to(a->log, "%s.log", stem);
        zoo_text_clear(&text);
    }
    zoo_free(z);
}

/* ---- Their front end, in batches */

/* Returns the source to be compiled, with its conditions rewritten by `sonde cc`. */
static struct zoo_text rewrite(const struct zoo_workshop *shop, const struct zoo_piece *pieces, unsigned n)
{
    char source[PATH_MAX], output[PATH_MAX];
    struct zoo_text joined = zoo_join("#include <sonde.h>\n#include <string.h>\n", pieces, n), rewritten = {0};
    path_to(source, "%s/batch-%d.c", shop->folder, (int)getpid());
    path_to(output, "%s/batch-%d.i", shop->folder, (int)getpid());
    const char *const words[] = {shop->tool, "cc", "--print-rewritten", "-std=gnu11", "-O1", "-w", "-fPIC", "-c",
                                 source,     NULL};
    if (write_or_report(source, &joined) && zoo_command((char *const *)(uintptr_t)words, output))
        zoo_text_read(&rewritten, output);
    unlink(source);
    unlink(output);
    zoo_text_clear(&joined);
    return rewritten;
}

/* Leaves STEM.i of each. A subject whose file is missing in the end is compiled from its source. */
static void write_rewritten(const struct zoo_workshop *shop, const struct zoo_piece *pieces, unsigned n)
{
    struct zoo_text rewritten = rewrite(shop, pieces, n);
    for (unsigned i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct zoo_text part = {0};
        path_to(path, "%.*s.i", (int)strlen(pieces[i].file) - 2, pieces[i].file);
        if (zoo_part(zoo_text_of(&rewritten), pieces, n, i, &part)) zoo_write_file(path, part.s, part.n);
        zoo_text_clear(&part);
    }
    zoo_text_clear(&rewritten);
}

static void rewrite_batch(const struct zoo_workshop *shop, struct zoo_animal *animals, unsigned n)
{
    struct zoo_piece pieces[BATCH];
    struct zoo_text texts[BATCH];
    static char files[BATCH][PATH_MAX + 2];
    unsigned k = 0;
    for (unsigned i = 0; i < n; i++) {
        char stem[PATH_MAX];
        look_up(shop, &animals[i], false);
        if (animals[i].missing != not_compiled) continue;
        struct zoo_subject *z = zoo_make(animals[i].number);
        texts[k] = zoo_source_of(z, &animals[i].verdict, shop->form);
        zoo_free(z);
        stem_of(shop, &animals[i], stem);
        snprintf(files[k], sizeof files[k], "%s.c", stem);
        pieces[k] = (struct zoo_piece){animals[i].number, texts[k].s, files[k]};
        k++;
    }
    if (k > 1) write_rewritten(shop, pieces, k);
    while (k-- > 0) zoo_text_clear(&texts[k]);
}

/* ---- All of them */

static void work(const struct zoo_workshop *shop, struct zoo_animal *animals, unsigned n, unsigned job)
{
    for (unsigned at = job * BATCH; at < n; at += shop->jobs * BATCH) {
        unsigned some = n - at < BATCH ? n - at : BATCH;
        probe_batch(shop, animals + at, some);
        if (!shop->is_plain) rewrite_batch(shop, animals + at, some);
        for (unsigned i = 0; i < some; i++) look_up(shop, &animals[at + i], true);
    }
}

void zoo_prepare(const struct zoo_workshop *shop, struct zoo_animal *animals, unsigned n)
{
    pid_t workers[ZOO_JOBS_MAX];
    for (unsigned job = 0; job < shop->jobs; job++) {
        workers[job] = zoo_fork(0);
        if (workers[job] != 0) continue;
        work(shop, animals, n, job);
        _exit(0);
    }
    for (unsigned job = 0; job < shop->jobs; job++) zoo_wait(workers[job]);
    for (unsigned i = 0; i < n; i++) look_up(shop, &animals[i], false);
}
