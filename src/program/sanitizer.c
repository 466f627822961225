/* Collects what tools report while the process continues: undefined behaviour and races that were only printed, leaks,
 * and all that valgrind finds.
 *
 * UBSan and ThreadSanitizer by default print a report and continue; here it is a failure of the running case, at the
 * location they name. Their runtimes call __ubsan_on_report and __tsan_on_report if the program has them. They hold
 * locks then, so the case is not left at once; it fails when it ends. Valgrind calls no hooks: it is asked how many
 * errors it has counted.
 *
 * UBSan and ThreadSanitizer call hooks (which only take notes); valgrind and LeakSanitizer are asked. sonde_tools_spoke
 * keeps the common case at one load per case. It is 0 until a tool has something to report, and always not 0 under
 * valgrind. Weak symbols show which runtime is linked; they cause nothing to be linked. */
#define _GNU_SOURCE /* dl_iterate_phdr, memfd_create */
#include "program/sanitizer.h"

#include "base/frames.h"
#include "base/hash.h"
#include "base/heap.h"
#include "base/image.h"
#include "base/process.h"
#include "base/valgrind.h"
#include "program/place.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define WEAK __attribute__((weak))
#define HOOK __attribute__((visibility("default")))
/* Marks functions that read memory of the program while other threads may write it. */
#if defined(__clang__)
#define UNWATCHED __attribute__((no_sanitize("address", "thread", "memory", "undefined", "coverage")))
#else
#define UNWATCHED __attribute__((no_sanitize("address", "thread", "undefined")))
#endif
extern WEAK void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file,
                                                 unsigned *line, unsigned *column, char **address);
extern WEAK int __lsan_do_recoverable_leak_check(void);
extern WEAK void __sanitizer_set_report_fd(void *fd);
extern WEAK void __tsan_init(void);
extern WEAK void __asan_init(void);
extern WEAK void __msan_init(void);
extern WEAK void __hwasan_init(void);
extern WEAK int __tsan_get_report_data(void *report, const char **description, int *count, int *stacks, int *accesses,
                                       int *places, int *mutexes, int *threads, int *unique_threads, void **sleep_trace,
                                       unsigned long trace_size);
extern WEAK int __tsan_get_report_mop(void *report, unsigned long index, int *thread, void **address, int *size,
                                      int *is_write, int *is_atomic, void **trace, unsigned long trace_size);
extern WEAK int __tsan_get_report_stack(void *report, unsigned long index, void **trace, unsigned long trace_size);

_Thread_local sonde *sonde_running_case __attribute__((tls_model("initial-exec"), visibility("hidden")));
sonde *volatile sonde_last_case __attribute__((visibility("hidden")));
volatile int sonde_tools_spoke __attribute__((visibility("hidden")));
void (*volatile sonde_tools_at_the_end)(const char *report);

static bool on_valgrind, on_memcheck;
static uintptr_t errors_before; /* valgrind's error count when the case began */
static int n_races, n_blamed;   /* number of reports of ThreadSanitizer; number of reports that made a case fail */

static __attribute__((constructor)) void look_for_valgrind(void)
{
    on_valgrind = sonde_valgrind_is_running();
    on_memcheck = sonde_valgrind_is_memcheck();
    sonde_tools_spoke = on_valgrind;
}

/* Returns the running case of this thread. In a thread that the property started, it is the case that was begun last,
 * if it still runs. */
static sonde *blamed_case(void)
{
    sonde *t = sonde_running_case ? sonde_running_case : sonde_last_case;
    return t && t->owner ? t : NULL;
}

/* ---- UBSan reports a location once per process: it marks the location as reported, in the program's data, by an
 * impossible column. After the case the mark is removed, so that the location is reported in the next case as well. */

struct place { /* a source location, as the compiler lays it out for UBSan */
    const char *file;
    uint32_t line, column;
};

/* If one case has more locations than this, the others stay marked, and later cases get no reports for them. */
enum { MOST_PLACES = 16 };
static struct place told[MOST_PLACES];
static uint32_t n_told;

/* Returns whether the process ends with the report: by an option, or because the code was compiled to stop. Code that
 * was compiled to stop calls handlers with another name. gcc's UBSan has a separate runtime beside AddressSanitizer's,
 * and death callbacks work only in the latter. So without this check the report would be lost. */
static bool is_the_end(void)
{
    enum { FRAMES = 16 };
    static const char handler[] = "__ubsan_handle_", ending[] = "_abort";
    void *frames[FRAMES];
    struct sonde_symbol s;
    const char *options = getenv("UBSAN_OPTIONS");
    if (options && strstr(options, "halt_on_error=1")) return true;
    int n = sonde_backtrace(frames, FRAMES);
    for (int i = 0; i < n; i++) {
        sonde_symbol_of((const char *)frames[i] - 1, &s);
        size_t length = strlen(s.name);
        if (strncmp(s.name, handler, strlen(handler)) == 0) return !strcmp(s.name + length - strlen(ending), ending);
    }
    return false;
}

void __ubsan_on_report(void);

HOOK void __ubsan_on_report(void)
{
    const char *kind = "", *message = "", *file = NULL;
    unsigned line = 0, column = 0;
    char *address;
    sonde *t = blamed_case();
    if (!t || !__ubsan_get_current_report_data) return;
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
    sonde_case_undefined(t, kind, message, file, (int)line);
    if (n_told < MOST_PLACES) told[n_told++] = (struct place){.file = file, .line = line, .column = column};
    sonde_tools_spoke = 1;
    if (sonde_tools_at_the_end && is_the_end()) sonde_tools_at_the_end(t->claim.message);
}

/* Writes to the program's data without the knowledge of the compiler. File pointer, line and mark must all agree, so
 * that nothing else can match. */
UNWATCHED static void take_marks_back(struct place *from, size_t n, const struct place *what)
{
    for (size_t i = 0; i < n; i++) {
        if (from[i].file == what->file && from[i].line == what->line && from[i].column == UINT32_MAX)
            from[i].column = what->column;
    }
}

/* Searches all writable data of the module that contains the name of the file. */
static int look_in_module(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    const struct place *what = data;
    bool is_here = sonde_image_holds(info, what->file);
    for (unsigned i = 0; is_here && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_W)) continue;
        uintptr_t start = (info->dlpi_addr + part->p_vaddr + 7) / 8 * 8;
        /* locations are at multiples of 8, or of 16 */
        for (uintptr_t shift = 0; shift < sizeof *what; shift += 8)
            if (part->p_filesz > shift + 8)
                take_marks_back((struct place *)(start + shift), (part->p_filesz - shift - 8) / sizeof *what, what);
    }
    return is_here;
}

/* Takes time proportional to the module's data segment, but only after a case in which UBSan reported something. */
static void tell_again(void)
{
    for (uint32_t i = 0; i < n_told; i++)
        if (told[i].file) dl_iterate_phdr(look_in_module, &told[i]);
    n_told = 0;
}

/* ---- ThreadSanitizer */

void __tsan_on_report(void *report);
int __tsan_on_finalize(int failed);
/* name of the hook __tsan_on_finalize up to clang 14 and gcc 12 */
bool __tsan_on_finalize_of_old(bool failed) __asm__("_ZN6__tsan10OnFinalizeEb");

/* Only takes notes: sonde looks up the functions at the end of the case, when the tool holds no lock. */
HOOK void __tsan_on_report(void *report)
{
    int n[7];
    void *sleeping[1];
    const char *description = "race";
    sonde *t = blamed_case();
    n_races++;
    if (t) n_blamed++;
    /* Only the first race of a case is reported. */
    if (!t || !__tsan_get_report_data || atomic_load(&t->race.state) != SONDE_RACE_NONE) return;
    __tsan_get_report_data(report, &description, &n[0], &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], sleeping, 0);
    snprintf(t->race.kind, sizeof t->race.kind, "%s", description);
    for (int i = 0; i < SONDE_RACE_SIDES; i++) {
        int thread, size, is_write = 0, is_atomic;
        void *address, **frames = t->race.frames[i];
        memset(frames, 0, sizeof t->race.frames[i]);
        if (i < n[2] && __tsan_get_report_mop)
            __tsan_get_report_mop(report, (unsigned long)i, &thread, &address, &size, &is_write, &is_atomic, frames,
                                  SONDE_RACE_FRAMES);
        else if (i < n[1] && __tsan_get_report_stack)
            __tsan_get_report_stack(report, (unsigned long)i, frames, SONDE_RACE_FRAMES);
    }
    atomic_store(&t->race.state, SONDE_RACE_SEEN);
    sonde_tools_spoke = 1;
}

/* If every race made a case fail, sonde has reported it and decides the exit status. */
HOOK int __tsan_on_finalize(int failed)
{
    return n_races == n_blamed ? 0 : failed;
}

HOOK bool __tsan_on_finalize_of_old(bool failed)
{
    return __tsan_on_finalize(failed);
}

/* Finds the innermost function of the code under test; "" if there is none. */
static void first_function(void *const *frames, struct sonde_symbol *symbol)
{
    for (int i = 0; i < SONDE_RACE_FRAMES && frames[i]; i++) {
        sonde_symbol_of((const char *)frames[i] - 1, symbol);
        if (symbol->is_base) break;
        if (!symbol->is_foreign) return;
    }
    symbol->name[0] = '\0';
}

bool sonde_tools_claim_race(sonde *t)
{
    struct sonde_symbol sides[SONDE_RACE_SIDES];
    if (atomic_exchange(&t->race.state, SONDE_RACE_NONE) == SONDE_RACE_NONE) return false;
    for (int i = 0; i < SONDE_RACE_SIDES; i++) first_function(t->race.frames[i], &sides[i]);
    /* orders the two sides by name, so that a race has one identity whichever side was seen first */
    int first = strcmp(sides[0].name, sides[1].name) > 0;
    const char *a = sides[first].name, *b = sides[!first].name;
    if (!*a) a = b, b = "";
    uint64_t hash = sonde_hash_text((uint64_t)SONDE_CLAIM_RACE, t->race.kind);
    hash = sonde_mix(sonde_hash_text(sonde_hash_text(hash, a), b));
    sonde_case_races(t, hash, a, strcmp(a, b) == 0 ? "" : b);
    return true;
}

static const char repeating[] = "suppress_equal_stacks=0:suppress_equal_addresses=0";

/* ThreadSanitizer suppresses equal reports by default. A worker that has reported a race does not report it again, so
 * it could not confirm the race. */
bool sonde_tools_report_no_more(void)
{
    const char *options = getenv("TSAN_OPTIONS");
    return n_races > 0 && !(options && strstr(options, repeating));
}

/* A sanitizer reads its options when the program is loaded. Returns only if nothing had to change, or if execv
 * failed. */
void sonde_tools_repeat(char *const *argv)
{
    char options[4096];
    const char *before = getenv("TSAN_OPTIONS");
    if (!__tsan_init || (before && strstr(before, repeating))) return;
    int n = snprintf(options, sizeof options, "%s%s%s", before ? before : "", before ? ":" : "", repeating);
    if (n < (int)sizeof options && setenv("TSAN_OPTIONS", options, 1) == 0) execv("/proc/self/exe", argv);
}

/* glibc's internal name */
extern WEAK int __sigaction(int signal, const struct sigaction *action, struct sigaction *before);

int sonde_tools_sigaction(int signal, const struct sigaction *action, struct sigaction *before)
{
    return __tsan_init && __sigaction ? __sigaction(signal, action, before) : sigaction(signal, action, before);
}

void sonde_tools_hasten(int signal)
{
    struct sigaction now;
    if (!__tsan_init || sigaction(signal, NULL, &now) != 0) return;
    bool is_handled = now.sa_flags & SA_SIGINFO || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN);
    if (is_handled) sonde_tools_sigaction(signal, &now, NULL);
}

/* ---- Valgrind */

static uintptr_t errors_now(void)
{
    return sonde_valgrind(SONDE_VALGRIND_COUNT_ERRORS, (struct sonde_valgrind_arguments){0});
}

/* ---- Leaks */

/* Clears the stack below this frame, which may still hold a pointer to leaked memory. Frames of the leak checker will
 * lie there, too, and do not overwrite all of it. */
static __attribute__((noinline)) void scrub_stack(void)
{
    /* volatile, because the compiler would otherwise drop stores that are never read. */
    volatile char room[16 * 1024];
    for (size_t i = 0; i < sizeof room; i++) room[i] = 0;
}

static uintptr_t leaked_before;

static uintptr_t leaked_by_valgrind(void)
{
    uintptr_t leaked = 0, dubious = 0, reachable = 0, suppressed = 0;
    sonde_heap_mark_all(SONDE_MEMCHECK_NO_ACCESS); /* otherwise valgrind would search gigabytes of sonde's memory */
    sonde_valgrind(SONDE_MEMCHECK_LEAK_CHECK, (struct sonde_valgrind_arguments){.first = 1}); /* only a summary */
    sonde_heap_mark_all(SONDE_MEMCHECK_DEFINED);
    sonde_valgrind(SONDE_MEMCHECK_COUNT_LEAKS,
                   (struct sonde_valgrind_arguments){(uintptr_t)&leaked, (uintptr_t)&dubious, (uintptr_t)&reachable,
                                                     (uintptr_t)&suppressed});
    return leaked;
}

/* LeakSanitizer prints a count only in the last line of its report: "SUMMARY: ...: 100 byte(s) leaked in 1
 * allocation(s)." So its report is redirected to a temporary file. */
static uintptr_t leaked_by_sanitizer(void)
{
    char text[256];
    if (!__lsan_do_recoverable_leak_check || !__sanitizer_set_report_fd) return 0;
    int fd = memfd_create("sonde leaks", MFD_CLOEXEC);
    if (fd < 0) return 0;
    __sanitizer_set_report_fd((void *)(uintptr_t)fd);
    bool leaks = __lsan_do_recoverable_leak_check() != 0;
    __sanitizer_set_report_fd((void *)(uintptr_t)STDERR_FILENO);
    off_t end = leaks ? lseek(fd, 0, SEEK_END) : 0;
    ssize_t n =
        end > 0 ? pread(fd, text, sizeof text - 1, end < (off_t)sizeof text ? 0 : end - (off_t)sizeof text + 1) : 0;
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    /* The number in the summary is the only one that LeakSanitizer gives. */
    const char *summary = strstr(text, "SUMMARY: "), *number = summary ? strstr(summary + 9, ": ") : NULL;
    return number ? strtoul(number + 2, NULL, 10) : 0;
}

static uintptr_t leaked_now(void)
{
    scrub_stack();
    return on_memcheck ? leaked_by_valgrind() : leaked_by_sanitizer();
}

bool sonde_leaks_grew(void)
{
    uintptr_t leaked = leaked_now();
    bool more = leaked > leaked_before;
    leaked_before = leaked;
    return more;
}

void sonde_tools_begin(void)
{
    if (on_valgrind) errors_before = errors_now();
}

void sonde_tools_end(sonde *t)
{
    sonde_tools_spoke = on_valgrind;
    if (n_told) tell_again();
    sonde_tools_claim_race(t);
    if (on_valgrind && errors_now() > errors_before) sonde_case_valgrind(t, errors_now() - errors_before);
}

void sonde_leaks_begin(void)
{
    leaked_before = leaked_now();
}

bool sonde_tools_watch_memory(void)
{
    return __asan_init || __msan_init || __hwasan_init || on_memcheck;
}

bool sonde_tools_has_address(void)
{
    return __asan_init || __hwasan_init;
}

bool sonde_leaks_can_be_found(void)
{
    return __lsan_do_recoverable_leak_check || on_memcheck;
}

static __attribute__((noinline)) void leak_on_purpose(void)
{
    /* many blocks, since a stale register may point to one of them and hide its leak */
    enum { BLOCKS = 64, SIZE = 100 };
    for (int i = 0; i < BLOCKS; i++) {
        volatile char *lost = malloc(SIZE);
        if (lost) lost[0] = 1;
    }
}

/* Leaks in a child process, because a leak in this process would be blamed on a case. Under a tracer LeakSanitizer ends
 * the child. */
static bool probe_leaks(void)
{
    int status = 1;
    fflush(NULL);
    pid_t pid = sonde_fork();
    if (pid == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
        leak_on_purpose();
        scrub_stack();
        _exit(__lsan_do_recoverable_leak_check() ? 0 : 1);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool sonde_leaks_are_reported(void)
{
    static int known; /* whether the probe's leak was reported; 0: not probed yet; 1: yes; 2: no */
    if (!__lsan_do_recoverable_leak_check) return false;
    if (!known) known = probe_leaks() ? 1 : 2;
    return known == 1;
}

/* LeakSanitizer is asked in two ways: one prints its report to the output of the case, the other returns the number of
 * bytes. */
bool sonde_leaks_are_there(void)
{
    if (on_memcheck) return sonde_leaks_grew();
    if (!__lsan_do_recoverable_leak_check || (leaked_before && leaked_now() <= leaked_before)) return false;
    if (leaked_before)
        fprintf(stderr, "sonde: %ju bytes had leaked before the first case; this report includes them\n",
                (uintmax_t)leaked_before);
    scrub_stack();
    return __lsan_do_recoverable_leak_check() != 0;
}

void sonde_leaks_report(void)
{
    if (__lsan_do_recoverable_leak_check) __lsan_do_recoverable_leak_check();
}
