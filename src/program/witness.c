/* See witness.h. Three questions in this order: is the tool here, are the limits at least as strict, is it the same
 * kind of build? The last one matters if undefined behaviour decides: a crash at -O0 may be absent at -O2 although the
 * bug is there. */
#include "program/witness.h"

#include "base/schedule.h"
#include "program/build.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* How a failure depends on the program and the run that show it. */
enum dependence {
    ON_NOTHING, /* the failure depends on its schedule alone, not on build, tools or limits */
    ON_CODE,    /* a check or exit: equal in all builds, except for undefined behaviour and the order of arguments */
    ON_BUILD,   /* a signal: any build could show it, but undefined behaviour differs between builds */
    ON_TRAPS,   /* like ON_BUILD; also depends on compiler checks that are a single trapping instruction */
    ON_TOOL,    /* a tool must be present, and the build decides what the tool sees */
    ON_LIMIT,   /* the run's limit must be at most as high, and the build decides how much a case uses */
    ON_WORKER,  /* cases must run in workers */
    ON_OTHER,   /* the other program of --against must be the same */
    ON_OUTSIDE  /* an event from outside, which no run can repeat */
};

/* The words that `shown by` may begin with. Words in files never change. */
static const struct word {
    const char *name;
    enum dependence on;
    enum sonde_tool tool;
    const char *unit; /* unit of the limit that the word stands for; NULL: it is not about a limit */
} words[] = {
    {"check", ON_CODE, 0, NULL},
    {"exit", ON_CODE, 0, NULL},
    {"threads", ON_NOTHING, 0, NULL}, /* a deadlock or a misused lock */
    {"sonde_find_races", ON_NOTHING, 0, NULL},
    {"signal", ON_BUILD, 0, NULL},
    {"--guard", ON_BUILD, 0, NULL},
    {"traps", ON_TRAPS, 0, NULL}, /* SIGILL or SIGTRAP; followed by the number of instructions that raise them */
    {"AddressSanitizer", ON_TOOL, SONDE_TOOL_ADDRESS, NULL},
    {"HWAddressSanitizer", ON_TOOL, SONDE_TOOL_HWADDRESS, NULL},
    {"MemorySanitizer", ON_TOOL, SONDE_TOOL_MEMORY, NULL},
    {"ThreadSanitizer", ON_TOOL, SONDE_TOOL_THREAD, NULL},
    {"LeakSanitizer", ON_TOOL, SONDE_TOOL_LEAK, NULL},
    {"UndefinedBehaviorSanitizer", ON_TOOL, SONDE_TOOL_UNDEFINED, NULL},
    {"valgrind", ON_TOOL, SONDE_TOOL_VALGRIND, NULL},
    {"--timeout", ON_LIMIT, 0, " s"},
    {"--wall-timeout", ON_LIMIT, 0, " s"},
    {"--memory-limit", ON_LIMIT, 0, " bytes"},
    {"stack", ON_LIMIT, 0, " bytes"},
    {"fork", ON_WORKER, 0, NULL},
    {"--against", ON_OTHER, 0, NULL}, /* followed by a hash of the other program's file */
    {"SIGKILL", ON_OUTSIDE, 0, NULL},
};

/* Follows the name of a tool whose finding may need --guard. */
#define WITH_GUARD " --guard"

static const struct word *find_word(const char *shown)
{
    size_t n = strcspn(shown, " ");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == n && memcmp(words[i].name, shown, n) == 0) return &words[i];
    return NULL;
}

/* ---- Recording what showed a failure */

/* Returns the bytes of stack that a thread of this process may have; infinite without a limit. */
static double stack_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INFINITY;
    return (double)limit.rlim_cur;
}

/* Returns the limit that the word names, as set in this run; infinite if there is no limit. */
static double limit_of(const struct word *word, const struct sonde_conditions *run)
{
    double limit = 0;
    if (strcmp(word->name, "stack") == 0) return stack_limit();
    if (strcmp(word->name, "--timeout") == 0) limit = run->cpu_seconds;
    else if (strcmp(word->name, "--wall-timeout") == 0) limit = run->wall_seconds;
    else if (run->is_isolated) limit = (double)run->memory; /* only workers have a memory limit */
    return limit > 0 ? limit : INFINITY;
}

/* Returns the name of the tool that ends the process; a program has at most one such tool. */
static const char *deadly_tool(void)
{
    static const enum sonde_tool tools[] = {SONDE_TOOL_ADDRESS, SONDE_TOOL_HWADDRESS, SONDE_TOOL_MEMORY,
                                            SONDE_TOOL_THREAD, SONDE_TOOL_UNDEFINED};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (sonde_tool_is_here(tools[i])) return sonde_tool_name(tools[i]);
    return sonde_tool_name(SONDE_TOOL_LEAK);
}

/* Returns the word for a kind of failure, as this program shows it. */
static const char *word_for(const struct sonde_claim *claim, const struct sonde_conditions *run)
{
    switch (claim->kind) {
    case SONDE_CLAIM_CRASH:
        if (strncmp(claim->message, "SIGILL", 6) == 0 || strncmp(claim->message, "SIGTRAP", 7) == 0) return "traps";
        return run->guards ? "--guard" : "signal";
    case SONDE_CLAIM_STACK_OVERFLOW: return "stack";
    case SONDE_CLAIM_SANITIZER: return deadly_tool();
    case SONDE_CLAIM_UNDEFINED: return sonde_tool_name(SONDE_TOOL_UNDEFINED);
    case SONDE_CLAIM_RACE: return sonde_schedule_hook_ ? "sonde_find_races" : sonde_tool_name(SONDE_TOOL_THREAD);
    case SONDE_CLAIM_VALGRIND: return sonde_tool_name(SONDE_TOOL_VALGRIND);
    case SONDE_CLAIM_LEAK:
        return sonde_tool_name(sonde_tool_is_here(SONDE_TOOL_VALGRIND) ? SONDE_TOOL_VALGRIND : SONDE_TOOL_LEAK);
    case SONDE_CLAIM_EXIT: return "exit";
    case SONDE_CLAIM_HANG: return claim->is_waiting ? "--wall-timeout" : "--timeout";
    case SONDE_CLAIM_MEMORY: return "--memory-limit";
    case SONDE_CLAIM_KILLED: return "SIGKILL";
    case SONDE_CLAIM_FORK: return "fork";
    case SONDE_CLAIM_JUMP: return "exit";
    case SONDE_CLAIM_DEADLOCK:
    case SONDE_CLAIM_STUCK:
    case SONDE_CLAIM_THREADS: return "threads";
    case SONDE_CLAIM_DIFFERENCE: return "--against";
    case SONDE_CLAIM_NONE:
    case SONDE_CLAIM_CHECK:
    case SONDE_CLAIM_EXPECT:
    case SONDE_CLAIM_FAIL:
    case SONDE_CLAIM_MISUSE: break;
    }
    return "check";
}

static void describe_steps(char *out, size_t size)
{
    snprintf(out, size, "%s %016llx", sonde_schedule_hook_()->is_os ? "os" : "fibers",
             (unsigned long long)sonde_steps_hash());
}

/* Returns whether only --guard may have shown the failure. A sanitizer then reports a fault at an address that it does
 * not know; its other findings have other descriptions. */
static bool is_shown_by_guard(const struct sonde_claim *claim, const struct sonde_conditions *run)
{
    bool is_fault = strstr(claim->message, "wild-") || strstr(claim->message, "SEGV");
    return claim->kind == SONDE_CLAIM_SANITIZER && run->guards && is_fault;
}

void sonde_witness_of(const struct sonde_claim *claim, bool has_schedule, const struct sonde_conditions *run,
                      struct sonde_witness *w)
{
    *w = (struct sonde_witness){0};
    const struct word *word = find_word(word_for(claim, run));
    double limit = word->on == ON_LIMIT   ? limit_of(word, run)
                   : word->on == ON_TRAPS ? (double)sonde_build_traps()
                                          : INFINITY;
    if (word->on == ON_OTHER)
        snprintf(w->shown, sizeof w->shown, "%s %016llx", word->name, (unsigned long long)run->other);
    else if (isfinite(limit)) snprintf(w->shown, sizeof w->shown, "%s %.17g", word->name, limit);
    else snprintf(w->shown, sizeof w->shown, "%s%s", word->name, is_shown_by_guard(claim, run) ? WITH_GUARD : "");
    sonde_build_describe(w->build, sizeof w->build);
    if (has_schedule && sonde_schedule_hook_) describe_steps(w->steps, sizeof w->steps);
}

void sonde_witness_build(char *out, size_t size)
{
    sonde_build_describe(out, size);
}

bool sonde_witness_is_same_build(const char *a, const char *b)
{
    return sonde_build_is_same(a, b);
}

/* ---- Could this run show a failure? */

/* Infers the word from the kind of failure, since files of earlier versions have only a kind. Returns NULL if the kind
 * is not enough. */
static const char *infer(const struct sonde_account *tape)
{
    static const struct {
        const char *kind, *shown;
    } known[] = {{"check", "check"},
                 {"expect", "check"},
                 {"fail", "check"},
                 {"exit", "exit"},
                 {"fork", "fork"},
                 {"killed", "SIGKILL"},
                 {"leak", "LeakSanitizer"},
                 {"undefined", "UndefinedBehaviorSanitizer"},
                 {"valgrind", "valgrind"},
                 {"sanitizer", "AddressSanitizer"},
                 {"race", "ThreadSanitizer"},
                 {"difference", "--against"}};
    const char *kind = tape->kind;
    if (!kind) return "check"; /* a person wrote the tape, as an input and not as a failure of some kind */
    bool is_memory = strcmp(kind, "sanitizer") == 0 && tape->message && strstr(tape->message, "uninitialized");
    if (is_memory) return "MemorySanitizer";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].kind, kind) == 0) return known[i].shown;
    return NULL;
}

SONDE_PRINTF(3, 4)
static enum sonde_sight hinder(struct sonde_obstacle *why, enum sonde_sight sight, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->what, sizeof why->what, format, args);
    va_end(args);
    return sight;
}

/* Returns the number in the string; NAN if a later version, or a person, wrote something else. */
static double number_in(const char *shown)
{
    const char *text = strchr(shown, ' ');
    char *end = NULL;
    double number = text ? strtod(text, &end) : NAN;
    return text && end > text + 1 && !*end ? number : NAN;
}

static enum sonde_sight judge_limit(const struct word *word, const char *shown, const struct sonde_conditions *run,
                                    struct sonde_obstacle *why)
{
    double limit = number_in(shown), now = limit_of(word, run);
    why->how = "under";
    if (isnan(limit)) return hinder(why, SONDE_SIGHT_NONE, "a %s that its file does not name", word->name);
    if (now <= limit) return SONDE_SIGHT_CLEAR;
    if (isinf(now)) return hinder(why, SONDE_SIGHT_NONE, "%s %.10g, and this run has no such limit", word->name, limit);
    return hinder(why, SONDE_SIGHT_NONE, "%s %.10g, and this run has %.10g%s", word->name, limit, now, word->unit);
}

static enum sonde_sight judge_tool(const struct word *word, const char *shown, const struct sonde_conditions *run,
                                   struct sonde_obstacle *why)
{
    bool is_leak = word->tool == SONDE_TOOL_LEAK;
    why->how = "by";
    if (!sonde_tool_is_here(word->tool) || (is_leak && !run->finds_leaks))
        return hinder(why, SONDE_SIGHT_NONE, "%s", word->name);
    if (!run->guards && strcmp(shown + strlen(word->name), WITH_GUARD) == 0)
        return hinder(why, SONDE_SIGHT_NONE, "%s with --guard", word->name);
    return SONDE_SIGHT_CLEAR;
}

/* Decides whether this build can show a trap. It can if it has at least half as many trapping instructions as the build
 * that showed the trap. A repaired program has fewer of them, a program without the checks next to none. In a stripped
 * program none can be counted, so 0 says nothing. */
static enum sonde_sight judge_traps(const char *shown, struct sonde_obstacle *why)
{
    double before = number_in(shown), now = sonde_build_traps();
    why->how = "in";
    if (before > 0 && 2 * now >= before) return SONDE_SIGHT_CLEAR;
    if (before == 0)
        return hinder(why, SONDE_SIGHT_DOUBTFUL, "a build in which checks that trap could not be counted (stripped?)");
    return hinder(why, SONDE_SIGHT_DOUBTFUL,
                  "a build with checks that trap (%.10g such instructions; this one has %.10g)", before, now);
}

/* Another program than the one that the failure was found with may do what this one does: then nothing is fixed. */
static enum sonde_sight judge_other(const char *shown, const struct sonde_conditions *run, struct sonde_obstacle *why)
{
    const char *text = strchr(shown, ' ');
    why->how = "by";
    if (!run->other) return hinder(why, SONDE_SIGHT_NONE, "--against");
    if (text && strtoull(text, NULL, 16) == run->other) return SONDE_SIGHT_CLEAR;
    return hinder(why, SONDE_SIGHT_DOUBTFUL, "--against with another program than now");
}

static enum sonde_sight judge_word(const struct word *word, const char *shown, const struct sonde_conditions *run,
                                   struct sonde_obstacle *why)
{
    why->how = "by";
    switch (word->on) {
    case ON_TOOL: return judge_tool(word, shown, run, why);
    case ON_LIMIT: return judge_limit(word, shown, run, why);
    case ON_WORKER:
        why->how = "in";
        return run->is_isolated ? SONDE_SIGHT_CLEAR : hinder(why, SONDE_SIGHT_NONE, "a worker (--isolate=worker)");
    case ON_OTHER: return judge_other(shown, run, why);
    case ON_OUTSIDE: return hinder(why, SONDE_SIGHT_DOUBTFUL, "%s from outside, which depends on the machine", shown);
    case ON_TRAPS: return judge_traps(shown, why);
    case ON_BUILD:
        why->how = "with";
        if (strcmp(word->name, "--guard") == 0 && !run->guards) return hinder(why, SONDE_SIGHT_NONE, "--guard");
        break;
    case ON_CODE:
    case ON_NOTHING: break;
    }
    return SONDE_SIGHT_CLEAR;
}

/* Returns whether a failure with this word may differ in another kind of build. */
static bool depends_on_build(const struct word *word)
{
    return word->on == ON_BUILD || word->on == ON_TRAPS || word->on == ON_TOOL || word->on == ON_LIMIT;
}

static enum sonde_sight judge_build(const struct sonde_account *tape, struct sonde_obstacle *why)
{
    char here[sizeof((struct sonde_witness *)0)->build];
    why->how = "in";
    if (!tape->build) return hinder(why, SONDE_SIGHT_DOUBTFUL, "a build that its file does not name");
    sonde_build_describe(here, sizeof here);
    if (sonde_build_is_same(tape->build, here)) return SONDE_SIGHT_CLEAR;
    return hinder(why, SONDE_SIGHT_DOUBTFUL, "another build (%.150s; this one: %.150s)", tape->build, here);
}

static enum sonde_sight judge_steps(const struct sonde_account *tape, struct sonde_obstacle *why)
{
    char here[sizeof((struct sonde_witness *)0)->steps];
    why->how = "by";
    if (!sonde_schedule_hook_) return hinder(why, SONDE_SIGHT_NONE, "a build by sonde cc --threads");
    describe_steps(here, sizeof here);
    if (strcmp(tape->steps, here) == 0) return SONDE_SIGHT_CLEAR;
    return hinder(why, SONDE_SIGHT_STEPS, "a build with different steps of threads");
}

enum sonde_sight sonde_witness_judge(const struct sonde_account *tape, const struct sonde_conditions *run,
                                     struct sonde_obstacle *why)
{
    const char *shown = tape->shown ? tape->shown : infer(tape);
    why->how = "in";
    if (!shown) return hinder(why, SONDE_SIGHT_DOUBTFUL, "a build, or under a limit, that its file does not name");
    const struct word *word = find_word(shown);
    why->how = "by";
    if (!word) return hinder(why, SONDE_SIGHT_NONE, "%.200s, which this version of sonde does not know", shown);
    enum sonde_sight sight = judge_word(word, shown, run, why);
    if (sight == SONDE_SIGHT_CLEAR && tape->steps) sight = judge_steps(tape, why);
    /* A check from a person or from an earlier version has no build: then any build will do. */
    bool has_build = depends_on_build(word) || (word->on == ON_CODE && tape->build);
    if (sight == SONDE_SIGHT_CLEAR && has_build) sight = judge_build(tape, why);
    why->how = sight == SONDE_SIGHT_CLEAR ? "as" : why->how;
    if (sight == SONDE_SIGHT_CLEAR && tape->is_unconfirmed)
        return hinder(why, SONDE_SIGHT_DOUBTFUL, "a flaky failure, or one that was never confirmed");
    return sight;
}

/* ---- Which tape may replace which */

/* Compares the first words, "fibers" or "os". The rest changes with every change of the program. */
static bool has_same_threads(const char *a, const char *b)
{
    if (!a || !b) return !a && !b;
    return strcspn(a, " ") == strcspn(b, " ") && memcmp(a, b, strcspn(a, " ")) == 0;
}

bool sonde_witness_replaces(const struct sonde_account *old, const struct sonde_account *new)
{
    if (!old->shown) return true; /* an earlier version wrote the old file: the new tape states more */
    const struct word *word = find_word(old->shown);
    if (!word || !new->shown || word != find_word(new->shown)) return false;
    if (word->on == ON_LIMIT) {
        double before = number_in(old->shown), now = number_in(new->shown);
        if (!(now <= before)) return false; /* the comparison is also false if one of the numbers is NAN */
    }
    bool is_same_build = old->build && new->build &&sonde_build_is_same(old->build, new->build);
    if (!has_same_threads(old->steps, new->steps)) return false;
    return is_same_build || (!depends_on_build(word) && !old->steps);
}
