/* The commands `sonde min`, `merge` and `cov`: directories of tapes, judged by the code that each tape reaches in a
 * test program.
 *
 *    min     copies a small set of tapes that reaches as much as all
 *    merge   adds to a directory the tapes of others that reach something new
 *    cov     prints which lines the tapes reach
 *
 * The test program itself runs the tapes and reports features (engine/measure.h has the protocol). One process runs
 * many tapes; it is started again after a tape that ended it. Each tape is run once. min and merge then go through the
 * tapes by size and keep each that has a feature which no earlier one had. */
#include "base/die.h"
#include "base/mem.h"
#include "engine/measure.h"
#include "pipe.h"
#include "report/write.h"
#include "tape/script.h"
#include "tape/text.h"
#include "tools.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- The test program ------------------------------------------------------------------------------------------*/

/* A test program that runs tapes for us. */
struct runner {
    char **command;
    pid_t child; /* 0: not running */
    FILE *to, *from;
    char *line;
    size_t cap;
};

/* Longest wait for the program's first line. A program that does not know the protocol may wait for input itself, and
 * both would wait forever. */
enum { GREETING_MS = 30000 };

/* Starts the test program and exchanges greetings. Returns false if it does not speak the protocol; call stop then.
 * SIGPIPE is ignored (split_arguments), so a program that died is noticed by its missing reply. */
static bool start(struct runner *a)
{
    int in[2], out[2];
    if (pipe(in) < 0 || pipe(out) < 0) return false;
    fflush(NULL);
    a->child = fork();
    if (a->child == 0) {
        setenv("SONDE_MEASURE", "1", 1);
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        execvp(a->command[0], a->command);
        sonde_complain("sonde: cannot run '%s': %s", a->command[0], strerror(errno));
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    a->to = fdopen(in[1], "w");
    a->from = fdopen(out[0], "r");
    struct pollfd greeting = {.fd = out[0], .events = POLLIN};
    bool has_asked = a->to && fputs(SONDE_MEASURE_REQUEST "\n", a->to) >= 0 && fflush(a->to) == 0;
    return a->child > 0 && has_asked && a->from && poll(&greeting, 1, GREETING_MS) == 1
           && getline(&a->line, &a->cap, a->from) > 0 && !strcmp(a->line, SONDE_MEASURE_GREETING "\n");
}

/* Ends the test program, if it runs, and waits for it. */
static void stop(struct runner *a)
{
    if (!a->child) return;
    if (a->to) fclose(a->to);
    if (a->from) fclose(a->from);
    waitpid(a->child, NULL, 0);
    a->child = 0;
    a->to = a->from = NULL;
}

/* The result of one tape. */
struct shown {
    enum { SHOWN_VALID, SHOWN_OTHER, SHOWN_FAILED, SHOWN_DIED, SHOWN_UNREADABLE } verdict;
    uint64_t size;
    uint64_t *features; /* sorted */
    uint32_t n, cap;
    const char *token; /* the tape as the program recorded it; valid until the next call of ask */
};

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Reads a reply, `VERDICT SIZE FEATURE...\tTOKEN`. Each feature of a valid tape counts twice, the second time under
 * another number. So a valid tape is kept for a feature that only discarded tapes had before. */
static void read_answer(struct shown *shown, char *line)
{
    char *tab = strchr(line, '\t');
    line[strcspn(line, "\n")] = 0;
    shown->token = tab ? tab + 1 : "";
    if (tab) *tab = 0;
    char *rest = NULL, *word = strtok_r(line, " ", &rest);
    shown->n = 0;
    shown->verdict = !word || !strcmp(word, "unreadable") ? SHOWN_UNREADABLE
                     : !strcmp(word, "valid")             ? SHOWN_VALID
                     : !strcmp(word, "failed")            ? SHOWN_FAILED
                                                          : SHOWN_OTHER;
    word = strtok_r(NULL, " ", &rest);
    shown->size = word ? strtoull(word, NULL, 10) : 0;
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        uint64_t feature = strtoull(word, NULL, 16);
        shown->features = sonde_grow(shown->features, &shown->cap, (size_t)shown->n + 2, sizeof *shown->features);
        shown->features[shown->n++] = feature;
        if (shown->verdict == SHOWN_VALID) shown->features[shown->n++] = feature * 31 + 1;
    }
    if (shown->n) qsort(shown->features, shown->n, sizeof *shown->features, by_number);
}

/* Runs a tape in the test program and fills *shown. A tape that ends the program is not an error: its verdict is
 * SHOWN_DIED. Returns false, after a message, if the program cannot be used at all. */
static bool ask(struct runner *a, const char *token, struct shown *shown)
{
    if (!a->child && !start(a)) {
        sonde_complain(
            "sonde: '%s' does not report what tapes reach; name a test program built with this version of sonde, and "
            "add --filter NAME if it has several properties",
            a->command[0]);
        stop(a);
        return false;
    }
    bool told = fprintf(a->to, "%s\n", token) > 0 && fflush(a->to) == 0;
    if (told && getline(&a->line, &a->cap, a->from) >= 0) {
        read_answer(shown, a->line);
        return true;
    }
    stop(a); /* this tape ended the program */
    shown->n = 0;
    shown->verdict = SHOWN_DIED;
    return true;
}

/* ---- Tapes -----------------------------------------------------------------------------------------------------*/

/* A tape, where it was found, and its result. */
struct tape {
    char *path, *token;
    struct shown shown;
    bool is_old; /* for merge: the tape is in the output directory already */
};

/* All tapes of a command, with its options. */
struct corpus {
    const char *command; /* name of the command, for messages */
    struct runner runner;
    struct tape *tapes;
    uint32_t n, cap;
    bool trims, is_lcov;
};

/* Replaces a tape by the one that the program recorded: it has every choice that was drawn, and no unused rest. */
static void set_token(struct tape *tape)
{
    sonde_free(tape->token);
    tape->token = sonde_strdup(tape->shown.token);
}

/* Reads a tape and runs it. Skips an unreadable file with a message. Returns false if the program cannot be used. */
static bool add_file(struct corpus *c, const char *path, bool is_old)
{
    char argument[8192];
    struct sonde_loaded loaded;
    snprintf(argument, sizeof argument, "@%s", path);
    if (!sonde_load(c->command, &loaded, argument)) {
        sonde_complain("sonde %s: %s could not be read and is left out", c->command, path);
        return true;
    }
    c->tapes = sonde_grow(c->tapes, &c->cap, (size_t)c->n + 1, sizeof *c->tapes);
    struct tape *tape = &c->tapes[c->n++];
    *tape = (struct tape){.path = sonde_strdup(path), .is_old = is_old};
    tape->token = sonde_tape_to_text(&loaded.tape, loaded.labels);
    sonde_unload(&loaded);
    if (!ask(&c->runner, tape->token, &tape->shown)) return false;
    if (tape->shown.verdict <= SHOWN_FAILED) set_token(tape);
    return true;
}

static bool add_new_file(void *corpus, const char *path)
{
    return add_file(corpus, path, false);
}

static bool add_old_file(void *corpus, const char *path)
{
    return add_file(corpus, path, true);
}

static bool add_folder(struct corpus *c, const char *path, bool is_old)
{
    struct sonde_folder_visit visit = {c->command, is_old ? add_old_file : add_new_file, c, is_old};
    return sonde_visit_folder(&visit, path);
}

static void clear(struct corpus *c)
{
    stop(&c->runner);
    free(c->runner.line);
    for (uint32_t i = 0; i < c->n; i++) {
        sonde_free(c->tapes[i].path);
        sonde_free(c->tapes[i].token);
        sonde_free(c->tapes[i].shown.features);
    }
    sonde_free(c->tapes);
}

/* ---- Sets of features ------------------------------------------------------------------------------------------*/

/* A set of features: a hash table with open addressing. Its size is a power of two, and it is at most half full. 0
 * marks a free slot, so feature 0 is stored as 1. Begins as {0}. */
struct set {
    uint64_t *slots;
    uint32_t n, mask;
};

/* Adds a feature. Returns whether it was new. */
static bool set_add(struct set *set, uint64_t feature)
{
    if (2 * (uint64_t)set->n >= set->mask) {
        struct set old = *set;
        set->mask = old.mask ? 2 * old.mask + 1 : 1023;
        set->slots = sonde_calloc((size_t)set->mask + 1, sizeof *set->slots);
        set->n = 0;
        for (uint32_t i = 0; old.slots && i <= old.mask; i++)
            if (old.slots[i]) set_add(set, old.slots[i]);
        sonde_free(old.slots);
    }
    if (!feature) feature = 1;
    uint32_t at = (uint32_t)(feature * UINT64_C(0x9e3779b97f4a7c15) >> 32) & set->mask;
    while (set->slots[at] && set->slots[at] != feature) at = (at + 1) & set->mask;
    if (set->slots[at]) return false;
    set->slots[at] = feature;
    set->n++;
    return true;
}

/* Adds the features of a tape. Returns how many were new. */
static uint32_t set_add_all(struct set *set, const struct shown *shown)
{
    uint32_t added = 0;
    for (uint32_t i = 0; i < shown->n; i++) added += set_add(set, shown->features[i]);
    return added;
}

/* Reports whether `shown` has all features of `wanted`. Both lists are sorted. */
static bool has_all(const struct shown *shown, const struct shown *wanted)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < wanted->n; i++) {
        while (at < shown->n && shown->features[at] < wanted->features[i]) at++;
        if (at == shown->n || shown->features[at] != wanted->features[i]) return false;
    }
    return true;
}

/* ---- min and merge ---------------------------------------------------------------------------------------------*/

/* Removes the lengths of lists ("[#=3 ") from a token, in place. Without a length a list has as many elements as are
 * written; a trimmed token would contradict its old lengths. */
static void forget_lengths(char *token)
{
    char *to = token;
    while (*token) {
        *to++ = *token++;
        if (to[-1] != '[' || strncmp(token, "#=", 2) != 0) continue;
        token += 2 + strspn(token + 2, "0123456789");
        while (*token == ' ') token++;
    }
    *to = 0;
}

/* Returns the tape without one of its spans, as a token to be freed; NULL if it has no such span. */
static char *without_span(const struct corpus *c, const char *token, uint32_t span)
{
    struct sonde_loaded loaded;
    struct sonde_tape smaller;
    char *text = NULL;
    if (!sonde_load(c->command, &loaded, token)) return NULL;
    sonde_tape_init(&smaller);
    if (span < loaded.tape.n_spans) {
        sonde_script_without(&smaller, &loaded.tape, &span, 1);
        text = sonde_tape_to_text(&smaller, loaded.labels);
        forget_lengths(text);
    }
    sonde_tape_clear(&smaller);
    sonde_unload(&loaded);
    return text;
}

static uint32_t count_spans(const struct corpus *c, const char *token)
{
    struct sonde_loaded loaded;
    if (!sonde_load(c->command, &loaded, token)) return 0;
    uint32_t n = loaded.tape.n_spans;
    sonde_unload(&loaded);
    return n;
}

/* Shrinks a tape: drops each span without which the tape still reaches the same features. Begins with the last, because
 * late choices depend on early ones, as in shrinking. Returns false if the program cannot be used. */
static bool trim(struct corpus *c, struct tape *tape)
{
    struct shown shown = {.n = 0};
    bool good = true;
    for (uint32_t span = count_spans(c, tape->token); good && span-- > 1;) {
        char *token = without_span(c, tape->token, span);
        if (!token) continue;
        good = ask(&c->runner, token, &shown);
        if (good && shown.verdict == tape->shown.verdict && shown.size < tape->shown.size
            && has_all(&shown, &tape->shown)) {
            tape->shown.size = shown.size;
            tape->shown.token = shown.token;
            set_token(tape);
        }
        sonde_free(token);
    }
    sonde_free(shown.features);
    return good;
}

/* Orders tapes that are in the output already first, then by size: a large tape is kept only for features that no small
 * one has. The path makes the order the same in every run. */
static int by_size(const void *a, const void *b)
{
    const struct tape *x = a, *y = b;
    if (x->is_old != y->is_old) return x->is_old ? -1 : 1;
    if (x->shown.size != y->shown.size) return x->shown.size < y->shown.size ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Writes the tapes that have a new feature to a directory, and prints how many. Failing tapes are left out. Returns the
 * exit status. */
static int keep_useful(struct corpus *c, const char *folder)
{
    struct set set = {0};
    uint32_t kept = 0, old = 0, failing = 0;
    bool good = sonde_make_folder(c->command, folder);
    if (c->n) qsort(c->tapes, c->n, sizeof *c->tapes, by_size);
    for (uint32_t i = 0; good && i < c->n; i++) {
        struct tape *tape = &c->tapes[i];
        failing += tape->shown.verdict == SHOWN_FAILED || tape->shown.verdict == SHOWN_DIED;
        bool counts = tape->shown.verdict <= SHOWN_OTHER && set_add_all(&set, &tape->shown) > 0;
        old += tape->is_old;
        if (!counts || tape->is_old) continue;
        kept++;
        good = (!c->trims || trim(c, tape)) && sonde_write_tape(c->command, folder, tape->token);
    }
    if (good) {
        printf("%" PRIu32 " of %" PRIu32 " tapes kept, for %" PRIu32 " features", kept, c->n - old, set.n);
        if (failing) printf("; %" PRIu32 " fail and were left out", failing);
        puts(set.n ? "" : "; is the code under test built with sonde cc?");
    }
    sonde_free(set.slots);
    return good ? SONDE_PASSED : SONDE_USAGE;
}

/* Splits the arguments: options, directories, `--` and the test program's command. Returns the index of the first
 * directory; -1 after a message if they are wrong or if there are fewer than `least` directories. */
static int split_arguments(struct corpus *c, int argc, char **argv, int least)
{
    int n = 1;
    c->command = argv[0];
    signal(SIGPIPE, SIG_IGN);
    while (n < argc && strcmp(argv[n], "--") != 0) n++;
    int first = 1;
    for (; first < n && argv[first][0] == '-'; first++) {
        if (!strcmp(argv[first], "--trim")) c->trims = true;
        else if (!strcmp(argv[first], "--lcov")) c->is_lcov = true;
        else break;
    }
    c->runner.command = argv + n + 1;
    if (n + 1 < argc && n - first >= least && (first == n || argv[first][0] != '-')) return first;
    sonde_complain("sonde %s: the arguments are wrong; write directories, then --, then the test program with its "
                   "options (see sonde help %s)",
                   argv[0], argv[0]);
    return -1;
}

/* Returns the index of the "--". */
static int end_of_folders(const struct corpus *c, char **argv)
{
    return (int)(c->runner.command - argv) - 1;
}

int sonde_tool_min(int argc, char **argv)
{
    struct corpus c = {0};
    int first = split_arguments(&c, argc, argv, 2);
    if (first < 0) return SONDE_USAGE;
    int end = end_of_folders(&c, argv);
    bool good = true;
    for (int i = first; good && i < end - 1; i++) good = add_folder(&c, argv[i], false);
    int status = good ? keep_useful(&c, argv[end - 1]) : SONDE_USAGE;
    clear(&c);
    return status;
}

int sonde_tool_merge(int argc, char **argv)
{
    struct corpus c = {0};
    int first = split_arguments(&c, argc, argv, 2);
    if (first < 0) return SONDE_USAGE;
    bool good = add_folder(&c, argv[first], true);
    for (int i = first + 1; good && i < end_of_folders(&c, argv); i++) good = add_folder(&c, argv[i], false);
    int status = good ? keep_useful(&c, argv[first]) : SONDE_USAGE;
    clear(&c);
    return status;
}

/* ---- cov -------------------------------------------------------------------------------------------------------*/

/* A counter in the code, its source line, and how many tapes reached it. */
struct place {
    char *module, *function, *file;
    uint64_t offset;
    uint32_t line, tapes;
};

struct places {
    struct place *all;
    uint32_t n, cap;
};

/* Runs the tapes again, without those that end the program, if any did. The counts are in the memory of the test
 * program, and are lost when it dies. Returns false if the program cannot be used. */
static bool run_again(struct corpus *c)
{
    bool died = false;
    for (uint32_t i = 0; i < c->n; i++) died = died || c->tapes[i].shown.verdict == SHOWN_DIED;
    if (!died) return true;
    stop(&c->runner);
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->tapes[i].shown.verdict == SHOWN_DIED) continue;
        if (!ask(&c->runner, c->tapes[i].token, &c->tapes[i].shown)) return false;
    }
    return true;
}

/* Reads all counters from the test program, which prints them when its input is closed. Returns false if the program
 * cannot be started. */
static bool read_places(struct runner *a, struct places *places)
{
    if (!a->child && !start(a)) return false;
    fclose(a->to);
    a->to = NULL;
    while (getline(&a->line, &a->cap, a->from) >= 0) {
        uint64_t offset;
        uint32_t tapes;
        int at = 0;
        if (sscanf(a->line, "place %" SCNx64 " %" SCNu32 " %n", &offset, &tapes, &at) < 2 || !at) continue;
        a->line[strcspn(a->line, "\n")] = 0;
        places->all = sonde_grow(places->all, &places->cap, (size_t)places->n + 1, sizeof *places->all);
        places->all[places->n++] =
            (struct place){.module = sonde_strdup(a->line + at), .offset = offset, .tapes = tapes};
    }
    return true;
}

/* Reads the output of addr2line: two lines for each address, the function and FILE:LINE ("??:0" if unknown). */
static void read_lines(struct place *place, uint32_t n, FILE *in)
{
    char *line = NULL;
    size_t cap = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (getline(&line, &cap, in) < 0) break;
        line[strcspn(line, "\n")] = 0;
        place[i].function = sonde_strdup(line);
        if (getline(&line, &cap, in) < 0) break;
        char *colon = strrchr(line, ':');
        if (!colon || line[0] == '?') continue;
        *colon = 0;
        place[i].line = (uint32_t)strtoul(colon + 1, NULL, 10);
        place[i].file = sonde_strdup(line);
    }
    free(line);
}

/* Finds the lines of n counters of one module by one run of addr2line, whose input is a temporary file. Returns false
 * if addr2line could not be run or failed. */
static bool find_lines(struct place *place, uint32_t n)
{
    char name[] = "addr2line", functions[] = "-f", file[] = "-e";
    char *const argv[] = {name, functions, file, place[0].module, NULL};
    FILE *list = tmpfile();
    if (!list) return false;
    for (uint32_t i = 0; i < n; i++) fprintf(list, "%" PRIx64 "\n", place[i].offset);
    struct tool_pipe answer;
    bool good = fflush(list) == 0 && fseek(list, 0, SEEK_SET) == 0 && tool_pipe_open(&answer, argv, fileno(list));
    if (good) {
        read_lines(place, n, answer.out);
        good = tool_pipe_close(&answer);
    }
    fclose(list);
    return good;
}

static int by_line(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->file ? x->file : "", y->file ? y->file : "");
    if (order) return order;
    return x->line < y->line ? -1 : x->line > y->line;
}

static void free_place(struct place *place)
{
    sonde_free(place->module);
    sonde_free(place->function);
    sonde_free(place->file);
}

/* Merges the counters of each line: a line is reached by as many tapes as its most reached counter. Drops counters
 * whose line is unknown. */
static void join_lines(struct places *places)
{
    uint32_t n = 0;
    if (places->n) qsort(places->all, places->n, sizeof *places->all, by_line);
    for (uint32_t i = 0; i < places->n; i++) {
        struct place *p = &places->all[i], *last = n ? &places->all[n - 1] : NULL;
        bool is_known = p->file && p->line && p->function;
        bool is_same = is_known && last && last->line == p->line && !strcmp(last->file, p->file);
        if (is_same && p->tapes > last->tapes) last->tapes = p->tapes;
        if (is_known && !is_same) places->all[n++] = *p;
        else free_place(p);
    }
    places->n = n;
}

/* Prints one file in the format of lcov. */
static void print_lcov(const struct place *place, uint32_t n)
{
    uint32_t hit = 0;
    printf("SF:%s\n", place[0].file);
    for (uint32_t i = 0; i < n; i++) {
        printf("DA:%" PRIu32 ",%" PRIu32 "\n", place[i].line, place[i].tapes);
        hit += place[i].tapes > 0;
    }
    printf("LF:%" PRIu32 "\nLH:%" PRIu32 "\nend_of_record\n", n, hit);
}

/* Prints "    not reached: 12, 15" if a line was not reached. */
static void print_lines_not_reached(const struct place *place, uint32_t n)
{
    const char *before = "    not reached: ";
    for (uint32_t i = 0; i < n; i++) {
        if (place[i].tapes) continue;
        printf("%s%" PRIu32, before, place[i].line);
        before = ", ";
    }
    if (before[0] == ',') putchar('\n');
}

/* Prints the functions of one file. Takes lines that follow each other as one function: only very odd code interleaves
 * the lines of two. */
static void print_functions(const struct place *place, uint32_t n)
{
    for (uint32_t i = 0, end; i < n; i = end) {
        uint32_t hit = 0;
        for (end = i; end < n && !strcmp(place[end].function, place[i].function); end++) hit += place[end].tapes > 0;
        fputs("  ", stdout);
        sonde_write_line(stdout, place[i].function);
        printf(": %" PRIu32 " of %" PRIu32 " lines\n", hit, end - i);
        print_lines_not_reached(place + i, end - i);
    }
}

/* Prints all files, for people or for lcov. */
static void print_files(const struct places *places, bool is_lcov)
{
    for (uint32_t i = 0, end; i < places->n; i = end) {
        uint32_t hit = 0;
        for (end = i; end < places->n && !strcmp(places->all[end].file, places->all[i].file); end++)
            hit += places->all[end].tapes > 0;
        if (is_lcov) {
            print_lcov(&places->all[i], end - i);
            continue;
        }
        sonde_write_line(stdout, places->all[i].file);
        printf(": %" PRIu32 " of %" PRIu32 " lines\n", hit, end - i);
        print_functions(&places->all[i], end - i);
    }
}

int sonde_tool_cov(int argc, char **argv)
{
    struct corpus c = {0};
    struct places places = {0};
    int first = split_arguments(&c, argc, argv, 1);
    if (first < 0) return SONDE_USAGE;
    bool good = true, has_lines = true;
    for (int i = first; good && i < end_of_folders(&c, argv); i++) good = add_folder(&c, argv[i], false);
    good = good && run_again(&c) && read_places(&c.runner, &places);
    for (uint32_t i = 0, end; good && i < places.n; i = end) {
        for (end = i; end < places.n && !strcmp(places.all[end].module, places.all[i].module);) end++;
        has_lines = find_lines(&places.all[i], end - i) && has_lines;
    }
    if (good && !places.n) fputs("sonde cov: the test program is not instrumented; build it with sonde cc\n", stderr);
    if (!has_lines) fputs("sonde cov: cannot find source lines without addr2line; install binutils\n", stderr);
    join_lines(&places);
    print_files(&places, c.is_lcov);
    bool found = places.n > 0;
    for (uint32_t i = 0; i < places.n; i++) free_place(&places.all[i]);
    sonde_free(places.all);
    clear(&c);
    return good && found ? SONDE_PASSED : SONDE_USAGE;
}
