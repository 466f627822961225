/* Makes a property the target of a byte-level fuzzer; see sonde/extend.h. Nothing here uses the search or coverage.
 * The fuzzer has its own coverage, and two definitions of the functions that instrumented code calls could not be
 * linked together.
 *
 * Each input that the fuzzer asks for runs once, and nothing else runs. A run in between would neither be counted by
 * the fuzzer nor belong to the input that it examines next. So the meaning of an input is remembered from its run
 * (struct meanings), and mutants are made from that as the guides make them (guide/guides.h). Mutants take parts of
 * other inputs only from inputs that the fuzzer used again, that is, inputs that it kept. The fuzzer keeps discarded
 * inputs like valid ones, and valid ones are few if they are hard to make. So a mutant of a discarded input is mostly
 * made from a valid one instead.
 *
 * An edited tape has gaps. The values that fill them must be part of the input, or an input would not mean the same
 * twice. So an input has extra bytes for its gaps: a last choice, labelled #rest, that no property draws. */
#include "base/die.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/valgrind.h"
#include "program/sanitizer.h"
#include "exec/exec.h"
#include "exec/family.h"
#include "guide/guides.h"
#include "tape/codec.h"
#include "tape/script.h"
#include "tape/text.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- The meanings of inputs: the tapes of the last inputs that a fuzzer had run, by the hash of their bytes. A
 * mutator that starts from one of them knows its structure without running the property again.
 *
 * Memory is limited. A tape that was requested is likely to be requested again, because the fuzzer has kept its input.
 * Such a tape stays for some rounds longer.
 *
 * A table of slots by hash; an input may be in any of WAYS slots (set-associative, as caches are). Inputs are
 * identified by a hash of 64 bits alone: a collision gives a mutant of another input, which does no harm. */

/* A fuzzer usually comes back to what it kept within some ten thousand runs; a tape of a few hundred choices takes ten
 * kilobytes. */
enum { SLOTS = SONDE_LIMIT(1 << 14, 8), WAYS = 4, ROUNDS = 8 };
static const size_t most_bytes = SONDE_LIMIT((size_t)96 << 20, 1 << 14);

struct meaning {
    uint64_t hash;   /* hash of the input's bytes; 0: the slot is free */
    uint32_t rounds; /* number of visits of the hand (make_room) before the slot is emptied */
    bool was_back, is_valid;
    size_t bytes;
    struct sonde_tape tape;
};

struct meanings {
    struct meaning *slots;
    size_t bytes;  /* memory that the tapes take */
    uint64_t last; /* hash of the input that ran last */
    uint32_t hand; /* the slot to be emptied next */
};

struct meant {
    /* the tape of the input, valid until the next `keep`; NULL if it is unknown or was dropped */
    const struct sonde_tape *tape;
    bool is_valid;
    /* the fuzzer ran other inputs and came back to this one for the first time: so the fuzzer has kept it */
    bool is_back;
};

static void init_meanings(struct meanings *m)
{
    *m = (struct meanings){.slots = sonde_calloc(SLOTS, sizeof *m->slots)};
}

static void clear_meanings(struct meanings *m)
{
    for (uint32_t i = 0; i < SLOTS; i++) sonde_tape_clear(&m->slots[i].tape);
    sonde_free(m->slots);
}

static uint64_t hash_of(const uint8_t *data, size_t n)
{
    return sonde_mix(sonde_hash_bytes(n, data, n)) | 1;
}

static struct meaning *way(const struct meanings *m, uint64_t hash, uint32_t i)
{
    return &m->slots[((uint32_t)(hash >> 32) + i) % SLOTS];
}

static void forget(struct meanings *m, struct meaning *slot)
{
    m->bytes -= slot->bytes;
    sonde_tape_clear(&slot->tape);
    *slot = (struct meaning){.hash = 0};
}

/* Frees memory, starting with tapes that were not requested recently, by the clock algorithm. The hand visits the
 * slots in turn: each visit takes one round from a slot, and a slot without rounds is emptied. */
static void make_room(struct meanings *m)
{
    while (m->bytes > most_bytes) {
        struct meaning *slot = &m->slots[m->hand++ % SLOTS];
        if (slot->rounds) slot->rounds--;
        else if (slot->hash) forget(m, slot);
    }
}

/* Returns the slot that has this hash, else a free slot, else the one with the fewest rounds left. */
static struct meaning *slot_for(const struct meanings *m, uint64_t hash)
{
    struct meaning *least = way(m, hash, 0);
    for (uint32_t i = 0; i < WAYS; i++) {
        struct meaning *slot = way(m, hash, i);
        if (slot->hash == hash) return slot;
        if (!slot->hash || slot->rounds < least->rounds) least = slot;
        if (!slot->hash) break;
    }
    /* When a slot is replaced, the other slots in which the input could be lose a round, too. */
    for (uint32_t i = 0; i < WAYS && least->hash; i++) {
        struct meaning *slot = way(m, hash, i);
        if (slot->rounds) slot->rounds--;
    }
    return least;
}

/* Keeps a copy of the tape of an input's run, and whether it was valid. */
static void keep_meaning(struct meanings *m, const uint8_t *data, size_t n, const struct sonde_tape *tape,
                         bool is_valid)
{
    uint64_t hash = hash_of(data, n);
    struct meaning *slot = slot_for(m, hash);
    if (slot->hash != hash) slot->rounds = 0, slot->was_back = false;
    sonde_tape_copy(&slot->tape, tape);
    slot->hash = hash;
    slot->is_valid = is_valid;
    m->bytes -= slot->bytes;
    slot->bytes = slot->tape.cap_choices * sizeof *tape->choices + slot->tape.cap_spans * sizeof *tape->spans
                  + slot->tape.cap_bytes;
    m->bytes += slot->bytes;
    m->last = hash;
    make_room(m);
}

/* Requesting an entry keeps it alive. */
static struct meant find_meaning(struct meanings *m, const uint8_t *data, size_t n)
{
    uint64_t hash = hash_of(data, n);
    for (uint32_t i = 0; i < WAYS; i++) {
        struct meaning *slot = way(m, hash, i);
        if (slot->hash != hash) continue;
        bool is_back = hash != m->last && !slot->was_back;
        slot->rounds = ROUNDS;
        slot->was_back |= is_back;
        return (struct meant){.tape = &slot->tape, .is_valid = slot->is_valid, .is_back = is_back};
    }
    return (struct meant){.tape = NULL};
}

/* ---- The target */

#define REST_LABEL "#rest"
enum { REST_NEW = 24, REST_MAX = 64, FUZZ_CHOICES = 100000 };

struct sonde_fuzz {
    struct sonde_guide guide; /* draws from `bytes` */
    const uint8_t *bytes;
    size_t left;
    const sonde_property *property;
    sonde *t;
    struct sonde_labels labels;
    struct sonde_tape script, other;
    struct sonde_rng rng; /* each call of a mutator seeds it again */
    struct sonde_mutants *mutants;
    struct meanings meanings;
    uint32_t rest_label;
    bool tells_token;
    bool asks_for_leaks; /* LeakSanitizer or valgrind */
    bool watches_blocks; /* ask the leak checker only when an input leaves allocated blocks */
    uint32_t asked_in_vain;
};

/* ---- Draws made from bytes */

/* Takes as many bytes as the domain needs, the lowest first; missing bytes are 0, the simplest. */
static uint64_t take(struct sonde_fuzz *f, uint64_t max)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8 && (i == 0 || max >> (8 * i)); i++) {
        if (!f->left) break;
        value |= (uint64_t)*f->bytes++ << (8 * i);
        f->left--;
    }
    return max == UINT64_MAX ? value : value % (max + 1);
}

static uint64_t by_weight(const struct sonde_view *view, uint64_t left)
{
    uint64_t i = 0;
    while (i < view->point->max && left >= view->weights[i]) left -= view->weights[i++];
    return i;
}

static uint64_t by_chance(const struct sonde_choice *point, uint64_t byte)
{
    double p;
    memcpy(&p, &point->base, sizeof p);
    return (double)byte >= 256 * (1 - p); /* a missing byte gives the simplest value, which is `no` */
}

/* A length without a limit takes one byte: otherwise one changed byte would make lists of thousands. */
enum { OPEN_MAX = 255 };

static uint64_t bytes_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    struct sonde_fuzz *f = (struct sonde_fuzz *)guide;
    const struct sonde_choice *point = view->point;
    if (point->kind == SONDE_KIND_WEIGHTED) return by_weight(view, take(f, view->weight_sum - 1));
    if (point->kind == SONDE_KIND_CHANCE) return by_chance(point, take(f, UINT8_MAX));
    if (point->flags & SONDE_CHOICE_OPEN) return take(f, point->max < OPEN_MAX ? point->max : OPEN_MAX);
    return take(f, point->max);
}

/* The length never exceeds the number of bytes that are left. */
static size_t bytes_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                         size_t max)
{
    struct sonde_fuzz *f = (struct sonde_fuzz *)guide;
    uint64_t more = bytes_choose(guide, view);
    size_t n = max - min < more ? max : min + (size_t)more;
    if (n > min && n > f->left) n = f->left > min ? f->left : min;
    for (size_t i = 0; i < n; i++) symbols[i] = (uint32_t)take(f, view->alphabet->size - 1);
    return n;
}

static const struct sonde_guide_ops bytes_ops = {.name = "bytes",
                                                 .summary = "takes each choice from the bytes of a fuzzer",
                                                 .choose = bytes_choose,
                                                 .fill = bytes_fill};

/* ---- Printing the token, also for a case that ends the process */

static struct sonde_fuzz *telling; /* NULL unless a token was requested: then the process runs one input */

/* NOLINTBEGIN(bugprone-signal-handler): see tell_and_die */
static void tell_token(void)
{
    struct sonde_fuzz *f = telling;
    if (!f) return;
    telling = NULL;
    if (f->t->owner) sonde_case_died(f->t);
    char *token = sonde_tape_to_text(&f->t->tape, &f->labels);
    fprintf(stderr, "\nsonde token: %s\n", token);
    sonde_free(token);
}
/* NOLINTEND(bugprone-signal-handler) */

/* The C standard does not allow this in a signal handler, but the process has nothing else left to do. */
static void tell_and_die(int number)
{
    tell_token();
    signal(number, SIG_DFL);
    raise(number);
}

extern __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

/* Print the token for a hang, too: the fuzzer's own limit may be twenty minutes. */
static void tell_at_every_end(struct sonde_fuzz *f)
{
    enum { SECONDS = 5 };
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGALRM};
    telling = f;
    alarm(SECONDS);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(tell_token);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) signal(deadly[i], tell_and_die);
    sonde_tools_hasten(SIGALRM);
    atexit(tell_token);
}

/* ---- Life */

/* The counterpart of --guard for a program without sonde's options. */
static bool wants_guards(void)
{
    static const char *const on[] = {"1", "yes", "true", "on"};
    const char *word = getenv("SONDE_GUARD");
    for (size_t i = 0; word && i < sizeof on / sizeof *on; i++)
        if (!strcmp(word, on[i])) return true;
    return false;
}

/* Without a property this code only mutates and translates inputs. worker_setup runs before the leak check begins:
 * what it keeps belongs to no input. */
struct sonde_fuzz *sonde_fuzz_create(const sonde_property *property)
{
    struct sonde_fuzz *f = sonde_calloc(1, sizeof *f);
    f->guide.ops = &bytes_ops;
    sonde_labels_init(&f->labels);
    sonde_tape_init(&f->script);
    sonde_tape_init(&f->other);
    init_meanings(&f->meanings);
    f->mutants = sonde_mutants_create(&f->rng);
    f->rest_label = sonde_label_intern(&f->labels, REST_LABEL);
    f->property = property;
    if (!property) return f;
    f->t = sonde_case_create(&f->labels, (struct sonde_limits){.choices = FUZZ_CHOICES,
                                                               .spans = FUZZ_CHOICES,
                                                               .bytes = 1u << 24,
                                                               .memory = SONDE_CASE_MEMORY,
                                                               .guards = wants_guards()});
    sonde_tools_hasten(SIGALRM); /* the signal by which libFuzzer ends a hang */
    sonde_forked_begin();
    if (property->worker_setup) property->worker_setup(property->context);
    sonde_warm_up(property);
    f->watches_blocks = !getenv("SONDE_FUZZ_NO_LEAKS") && sonde_blocks_watch();
    f->asks_for_leaks = f->watches_blocks || (sonde_valgrind_is_memcheck() && property->reset != SONDE_GLOBALS);
    if (f->asks_for_leaks) sonde_leaks_begin();
    f->tells_token = getenv("SONDE_FUZZ_TOKEN") != NULL;
    return f;
}

void sonde_fuzz_free(struct sonde_fuzz *f)
{
    if (!f) return;
    if (telling == f) telling = NULL;
    if (f->property && f->property->worker_teardown) f->property->worker_teardown(f->property->context);
    if (f->t) sonde_case_free(f->t);
    sonde_tape_clear(&f->script);
    sonde_tape_clear(&f->other);
    sonde_mutants_free(f->mutants);
    clear_meanings(&f->meanings);
    sonde_labels_clear(&f->labels);
    sonde_free(f);
}

/* ---- Inputs */

/* Recognizes a tape by the magic of the byte form (tape/codec.h). All other inputs are raw bytes, from which draws are
 * made directly. */
static bool is_tape(const uint8_t *data, size_t n)
{
    return n > 5 && memcmp(data, "sond", 4) == 0;
}

/* Returns the index of the choice in which a script keeps the bytes for its gaps, or UINT32_MAX. */
static uint32_t find_rest(const struct sonde_fuzz *f, const struct sonde_tape *script)
{
    for (uint32_t i = script->n_choices; i-- > 0;) {
        const struct sonde_choice *c = &script->choices[i];
        if (c->label == f->rest_label && c->kind == SONDE_KIND_LITERAL && c->span == 0) return i;
    }
    return UINT32_MAX;
}

static const uint8_t *rest_bytes(const struct sonde_tape *script, uint32_t at, size_t *n)
{
    uint32_t length;
    const uint8_t *record = script->bytes + script->choices[at].base;
    memcpy(&length, record, sizeof length);
    *n = length;
    return record + sizeof length;
}

/* Appends the bytes for gaps: the old bytes, as far as there is room, and some new bytes. */
static void add_rest(const struct sonde_fuzz *f, struct sonde_tape *script, struct sonde_rng *rng)
{
    uint8_t bytes[REST_MAX];
    size_t n = 0;
    uint32_t old = find_rest(f, script);
    const uint8_t *kept = old == UINT32_MAX ? NULL : rest_bytes(script, old, &n);
    /* The oldest bytes stay: draws from before the edit keep their values as far as possible. */
    if (n > REST_MAX - REST_NEW) n = REST_MAX - REST_NEW;
    if (kept) memcpy(bytes, kept, n);
    for (int i = 0; i < REST_NEW; i++) bytes[n++] = (uint8_t)sonde_rng_upto(rng, 255);
    uint32_t length = (uint32_t)n;
    struct sonde_choice rest = {.label = f->rest_label, .kind = SONDE_KIND_LITERAL};
    rest.base = sonde_tape_add_bytes(script, &length, sizeof length);
    sonde_tape_add_bytes(script, bytes, length);
    if (old != UINT32_MAX) script->choices[old].base = rest.base;
    else sonde_tape_add(script, &rest);
    sonde_tape_close(script, 0);
}

static void run_input(struct sonde_fuzz *f, const uint8_t *data, size_t n)
{
    f->bytes = data;
    f->left = n;
    if (!is_tape(data, n)) {
        sonde_exec_inline(f->t, f->property, &f->guide, NULL);
        return;
    }
    sonde_tape_decode_any(&f->script, &f->labels, data, n);
    /* Gaps of the script are filled from these bytes, then by zeros. */
    uint32_t rest = find_rest(f, &f->script);
    f->left = 0;
    if (rest != UINT32_MAX) f->bytes = rest_bytes(&f->script, rest, &f->left);
    sonde_exec_inline(f->t, f->property, &f->guide, &f->script);
}

/* Returns whether this input leaks: it does if a second run leaks again. After ATTEMPTS checks no more are made,
 * because the code under test seems to keep what it allocates, and each check takes milliseconds. (libFuzzer checks for
 * leaks as well, and gives up after as many checks. But it counts calls of malloc and free, the library's among them,
 * and so misses many leaks.) */
static bool leaks(struct sonde_fuzz *f, const uint8_t *data, size_t n)
{
    enum { ATTEMPTS = 1000 };
    if (f->t->verdict != SONDE_VALID || f->asked_in_vain >= ATTEMPTS) return false;
    /* The attempt is counted before its result is known; a leak ends the process anyway. */
    f->asked_in_vain += f->watches_blocks;
    if (!sonde_leaks_grew()) return false;
    run_input(f, data, n);
    if (f->t->verdict != SONDE_VALID || !sonde_leaks_grew()) return false;
    sonde_leaks_report();
    return true;
}

static void tell_failure(const struct sonde_fuzz *f)
{
    enum { PLACE = 1024 };
    const struct sonde_claim *c = &f->t->claim;
    char *token = sonde_tape_to_text(&f->t->tape, &f->labels), text[4 * PLACE], place[PLACE] = "";
    if (c->file[0]) snprintf(place, sizeof place, "%s:%d: ", c->file, c->line);
    fputc('\n', stderr);
    sonde_complain("sonde: %s: falsified: %s%s", f->property->name, place, sonde_claim_describe(c, text, sizeof text));
    fprintf(stderr, "sonde: replay with --replay '%s'\n", token); /* allocated, so that a long token is not cut */
    sonde_free(token);
}

enum sonde_verdict sonde_fuzz_run(struct sonde_fuzz *f, const uint8_t *data, size_t n)
{
    if (!f->property)
        sonde_die(SONDE_USAGE, "sonde_fuzz_run: the fuzz target has no property; give one to sonde_fuzz_create");
    if (f->tells_token) tell_at_every_end(f);
    if (f->watches_blocks) sonde_blocks_begin();
    run_input(f, data, n);
    bool may_leak = f->asks_for_leaks && (!f->watches_blocks || sonde_blocks_are_left());
    if (may_leak && leaks(f, data, n)) sonde_case_leaks(f->t);
    keep_meaning(&f->meanings, data, n, &f->t->tape, f->t->verdict == SONDE_VALID);
    if (f->t->verdict == SONDE_MISUSE)
        sonde_die(SONDE_USAGE, "%s (the input: '%.512s')", f->t->claim.message,
                  sonde_tape_to_text(&f->t->tape, &f->labels));
    if (f->t->verdict == SONDE_FAILED) tell_failure(f);
    if (f->tells_token) tell_token();
    return f->t->verdict;
}

/* ---- Mutants */

/* Reads the tape of an input: the one that its run recorded or, if that was dropped, the one that its bytes encode.
 * Returns false if there is neither: the bytes are not a tape, and have not run. */
static bool read_input(struct sonde_fuzz *f, struct sonde_tape *to, const uint8_t *data, size_t n, bool *is_valid)
{
    struct meant meant = find_meaning(&f->meanings, data, n);
    if (meant.tape) sonde_tape_copy(to, meant.tape);
    else if (is_tape(data, n)) sonde_tape_decode_any(to, &f->labels, data, n);
    else return false;
    if (meant.is_back && to->n_choices) sonde_mutants_add_donor(f->mutants, to, meant.is_valid);
    *is_valid = meant.is_valid;
    return to->n_choices > 0;
}

/* Writes the byte form of the tape and returns its size; 0 if there is no room for it. */
static size_t write_input(struct sonde_fuzz *f, const struct sonde_tape *tape, uint8_t *out, size_t max)
{
    size_t n;
    uint8_t *bytes = sonde_tape_encode(tape, &f->labels, &n);
    if (n <= max) memcpy(out, bytes, n);
    sonde_free(bytes);
    return n <= max ? n : 0;
}

/* Share of the mutants of discarded inputs that are made from a valid input instead. With 0, one mutant in 150 was a
 * valid XML schema, with 1 one in eight. The share is below 1, because the path to another kind of valid input may lead
 * over discarded ones. */
static const double instead = 0.9;

size_t sonde_fuzz_mutate(struct sonde_fuzz *f, uint8_t *data, size_t n, size_t max, uint64_t seed)
{
    sonde_rng_seed(&f->rng, seed, n);
    bool is_valid;
    if (!read_input(f, &f->other, data, n, &is_valid)) return 0;
    if (!is_valid && sonde_rng_unit(&f->rng) < instead) sonde_mutants_take_valid(f->mutants, &f->other);
    sonde_tape_end(&f->other);
    sonde_mutants_change(f->mutants, &f->other);
    add_rest(f, &f->other, &f->rng);
    return write_input(f, &f->other, data, max);
}

/* The second input is the only donor. Returns 0 if nothing can be spliced, and the fuzzer crosses bytes itself. */
size_t sonde_fuzz_cross(struct sonde_fuzz *f, const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b, uint8_t *out,
                        size_t max, uint64_t seed)
{
    sonde_rng_seed(&f->rng, seed, n_a);
    bool is_valid;
    if (!read_input(f, &f->script, b, n_b, &is_valid) || !read_input(f, &f->other, a, n_a, &is_valid)) return 0;
    sonde_tape_end(&f->other);
    if (!sonde_mutants_cross(f->mutants, &f->other, &f->script)) return 0;
    add_rest(f, &f->other, &f->rng);
    return write_input(f, &f->other, out, max);
}
