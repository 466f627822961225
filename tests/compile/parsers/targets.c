/* One program for all parsers; the environment variable PARSER names the one that gets the bytes. tests/compile/parsers.sh runs them. */
#define _GNU_SOURCE
#include "base/diff.h"
#include "base/json.h"
#include "cli/dictionary.h"
#include "exec/against_wire.h"
#include "grammar/parse.h"
#include "lex.h"
#include "mutate/state.h"
#include "parsers.h"
#include "places.h"
#include "share/roster.h"
#include "share/wire.h"
#include "store/format.h"
#include "tape/codec.h"
#include "tape/text.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

/* A tape that is read, written and read again is the same. */
static void parse_text(const uint8_t *data, size_t n)
{
    struct sonde_tape script = {0}, again = {0};
    struct sonde_labels labels;
    struct sonde_text_error error = {0};
    sonde_labels_init(&labels);
    if (sonde_tape_from_text(&script, &labels, (const char *)data, n, &error) == 0) {
        char *once = sonde_tape_to_text(&script, &labels);
        PROMISE(sonde_tape_from_text(&again, &labels, once, strlen(once), &error) == 0);
        char *twice = sonde_tape_to_text(&again, &labels);
        PROMISE(!strcmp(once, twice));
        sonde_free(once);
        sonde_free(twice);
    } else {
        PROMISE(error.reason && error.at <= n);
    }
    sonde_tape_clear(&script);
    sonde_tape_clear(&again);
    sonde_labels_clear(&labels);
}

/* There is one encoding of a tape; and every byte string is a script. */
static void parse_codec(const uint8_t *data, size_t n)
{
    struct sonde_tape script = {0};
    struct sonde_labels labels;
    sonde_labels_init(&labels);
    if (sonde_tape_decode(&script, &labels, data, n) == 0) {
        size_t size;
        uint8_t *bytes = sonde_tape_encode(&script, &labels, &size);
        PROMISE(size == n && !memcmp(bytes, data, n));
        sonde_free(bytes);
    }
    sonde_tape_clear(&script);
    memset(&script, 0, sizeof script);
    sonde_tape_decode_any(&script, &labels, data, n);
    PROMISE(script.n_choices <= SONDE_READ_CHOICES_MAX);
    sonde_tape_clear(&script);
    sonde_labels_clear(&labels);
}

static void parse_stored(const uint8_t *data, size_t n)
{
    struct sonde_stored stored;
    const char *reason = NULL;
    int error = sonde_stored_read(&stored, (const char *)data, n, &reason);
    PROMISE(error ? reason != NULL : stored.token != NULL);
    if (!error) {
        size_t size;
        char *bytes = sonde_stored_replace((const char *)data, n, "s1:x=3", &size);
        struct sonde_stored again;
        PROMISE(sonde_stored_read(&again, bytes, size, &reason) == 0 && !strcmp(again.token, "s1:x=3"));
        sonde_stored_clear(&again);
        sonde_free(bytes);
    }
    sonde_stored_clear(&stored);
}

static void parse_wire(const uint8_t *data, size_t n)
{
    int fds[2];
    struct sonde_wire wire;
    struct sonde_wire_message m;
    struct sonde_shared_failure f;
    size_t most = n < 65536 ? n : 65536, got = 0; /* which a socket takes at once */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) != 0) abort();
    ssize_t sent = most ? write(fds[0], data, most) : 0;
    sonde_wire_init(&wire, fds[1]);
    sonde_wire_move(&wire);
    while (sonde_wire_take(&wire, &m)) {
        got += m.n + 5;
        if (sonde_wire_read_failure(m.data, m.n, &f)) PROMISE(sonde_failure_id_is_good(f.id, strlen(f.id)));
    }
    PROMISE(sent < 0 || got <= (size_t)sent);
    sonde_wire_close(&wire);
    close(fds[0]);
}

static void parse_report(const uint8_t *data, size_t n)
{
    char *text = parsers_text(data, n), *json = NULL;
    size_t size;
    FILE *out = open_memstream(&json, &size);
    if (!out) abort();
    struct sonde_json_out list = {.out = out};
    struct sonde_roster roster = {.list = &list};
    sonde_json_put(&list, "[");
    sonde_roster_add(&roster, text, 0);
    sonde_json_put(&list, "]");
    fclose(out);
    PROMISE(roster.n_workers <= 1 && roster.n_ended == 0);
    free(json);
    free(text);
}

static void parse_dictionary(const uint8_t *data, size_t n)
{
    char file[64], message[SONDE_CLI_MESSAGE] = "";
    int fd = memfd_create("dictionary", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) abort();
    snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
    struct sonde_dictionary words = {0};
    int error = sonde_dictionary_read(&words, file, message);
    PROMISE(error ? *message != '\0' : !words.n || words.words[words.n] == NULL);
    sonde_dictionary_clear(&words);
    close(fd);
}

static void parse_tokens(const uint8_t *data, size_t n)
{
    char *text = parsers_text(data, n);
    struct sonde_tokens tokens = {0};
    bool is_matched = sonde_lex(&tokens, text);
    for (uint32_t i = 0; is_matched && i < tokens.n; i++) {
        PROMISE(tokens.all[i].match < tokens.n && tokens.all[tokens.all[i].match].match == i);
        PROMISE(tokens.all[i].at >= text && tokens.all[i].at + tokens.all[i].n <= text + n);
    }
    sonde_lex_clear(&tokens);
    free(text);
}

static void parse_places(const uint8_t *data, size_t n)
{
    char *text = parsers_text(data, n);
    struct sonde_page_modules modules;
    sonde_page_modules_read(&modules, text);
    for (uint32_t i = 0; i < modules.n; i++) PROMISE(modules.modules[i].path != NULL);
    sonde_page_modules_clear(&modules);
    free(text);
}

/* Ranges are never empty, each belongs to a file, and their lines are not among those that could overflow. */
static void parse_patch(const uint8_t *data, size_t n)
{
    struct sonde_diff diff = {0};
    sonde_diff_parse(&diff, (const char *)data, n);
    for (uint32_t i = 0; i < diff.n_ranges; i++) {
        const struct sonde_diff_range *r = &diff.ranges[i];
        PROMISE(r->file < diff.n_files && r->first <= r->last && r->last < UINT32_MAX);
        PROMISE(*diff.files[r->file]);
    }
    sonde_diff_clear(&diff);
}

/* A reply of the other program of --against has one encoding. */
static void parse_reply(const uint8_t *data, size_t n)
{
    struct sonde_against_reply reply;
    if (sonde_against_read_reply(data, n, &reply)) {
        struct sonde_against_reply again;
        struct sonde_bytes once = {0}, twice = {0};
        sonde_against_put_reply(&once, &reply);
        PROMISE(once.n <= n && sonde_against_read_reply(once.data, once.n, &again));
        sonde_against_put_reply(&twice, &again);
        PROMISE(once.n == twice.n && !memcmp(once.data, twice.data, once.n));
        sonde_observed_clear(&again.observed);
        sonde_bytes_clear(&once);
        sonde_bytes_clear(&twice);
    }
    sonde_observed_clear(&reply.observed);
}

/* A grammar is refused with a reason, or each node follows its parts; then it parses the last bytes of its source. */
static void parse_grammar(const uint8_t *data, size_t n)
{
    enum { LONGEST = 64 };
    char error[SONDE_SYNTAX_ERROR] = "";
    uint32_t most = n < LONGEST ? (uint32_t)n : LONGEST;
    const struct sonde_syntax_source source = {.text = (const char *)data, .n = n};
    struct sonde_syntax *g = sonde_syntax_read(&source, error);
    PROMISE(g ? !*error : *error);
    if (!g) return;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct sonde_syntax_node *x = &g->nodes[i];
        PROMISE(x->rule < g->n_rules);
        if (x->kind == SONDE_SYNTAX_REPEAT) PROMISE(x->first < i && x->min <= x->max);
        if (x->kind == SONDE_SYNTAX_RULE) PROMISE(x->first < g->n_rules);
        if (x->kind == SONDE_SYNTAX_SEQUENCE || x->kind == SONDE_SYNTAX_CHOICE)
            for (uint32_t k = 0; k < x->n; k++) PROMISE(g->kids[x->first + k] < i);
    }
    struct sonde_aim aim = {.text = (const char *)data + n - most, .n = most, .grammar = g};
    sonde_grammar_parse(&aim);
    PROMISE(aim.derivation.is_parsed && aim.derivation.parsed <= most);
    sonde_free(aim.derivation.decisions);
    sonde_syntax_free(g);
}

enum { MUTANTS = 3, PROPERTIES = 2, KEY = 77 };

static void begin_mutation(struct sonde_mutation *m)
{
    *m = (struct sonde_mutation){.n_properties = PROPERTIES, .n_mutants = MUTANTS};
    m->mutants = sonde_calloc(MUTANTS, sizeof *m->mutants);
    m->properties = sonde_calloc(PROPERTIES, sizeof *m->properties);
    for (uint32_t i = 0; i < MUTANTS; i++) {
        m->mutants[i] = (struct sonde_mutant_result){.number = i + 1, .killer = UINT32_MAX};
        m->mutants[i].kills = sonde_calloc(PROPERTIES, sizeof *m->mutants[i].kills);
    }
}

/* The state that --continue reads is written as it was read, but for control characters, which become spaces. */
static void parse_mutants(const uint8_t *data, size_t n)
{
    struct sonde_mutation m, again;
    char *text = parsers_text(data, n);
    begin_mutation(&m);
    long read = sonde_state_read(&m, KEY, text);
    PROMISE(read <= MUTANTS);
    if (read >= 0) {
        char *once = sonde_state_write(&m, KEY);
        begin_mutation(&again);
        PROMISE(sonde_state_read(&again, KEY, once) == read);
        char *twice = sonde_state_write(&again, KEY);
        bool has_control = false;
        for (const char *c = text; *c; c++) has_control |= (unsigned char)*c < ' ' && *c != '\t' && *c != '\n';
        PROMISE(has_control || !strcmp(once, twice));
        sonde_free(once);
        sonde_free(twice);
        sonde_mutation_clear(&again);
    }
    sonde_mutation_clear(&m);
    free(text);
}

static const struct {
    const char *name;
    void (*parse)(const uint8_t *data, size_t n);
} parsers[] = {{"text", parse_text},       {"codec", parse_codec},     {"stored", parse_stored},
               {"wire", parse_wire},       {"name", parse_name},       {"report", parse_report},
               {"profile", parse_profile}, {"tokens", parse_tokens},   {"dictionary", parse_dictionary},
               {"places", parse_places},   {"patch", parse_patch},     {"reply", parse_reply},
               {"grammar", parse_grammar}, {"mutants", parse_mutants}, {"module", parse_module}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static void (*parse)(const uint8_t *data, size_t n);
    const char *name = getenv("PARSER");
    for (size_t i = 0; !parse && name && i < sizeof parsers / sizeof *parsers; i++)
        if (!strcmp(parsers[i].name, name)) parse = parsers[i].parse;
    PROMISE(parse);
    uint8_t *exact = malloc(n ? n : 1); /* libFuzzer's own copy may have room behind it */
    if (!exact) abort();
    if (n) memcpy(exact, data, n);
    parse(exact, n);
    free(exact);
    return 0;
}
