#define _GNU_SOURCE /* memfd_create */
/* See single.h. The counterpart of the loop, for cases that are requested one by one. One runner (exec/worker.h) is
 * kept between calls, so that shrinking does not start a process each time; `fresh` requests a new one. */
#include "engine/workers/single.h"

#include "base/descriptor.h"
#include "base/mem.h"
#include "base/process.h"
#include "engine/search/account.h"
#include "exec/exec.h"
#include "program/sanitizer.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct sonde_heap *sonde_single_enter(const void *of)
{
    return sonde_heap_use(sonde_heap_of(of));
}

void sonde_single_leave(struct sonde_heap *before)
{
    sonde_heap_use(before);
}

/* The death and the bell are in the current heap, since a worker writes them. Without isolation there is no worker, and
 * neither is created. */
void sonde_single_init(struct sonde_single *v, struct sonde_search *search)
{
    memset(v, 0, sizeof *v);
    v->search = search;
    v->isolated = search->options->isolation != SONDE_ISOLATE_NONE;
    v->capture = -1;
    sonde_runner_init(&v->runner, search->t, search->property, search->simplest);
    if (!v->isolated) return;
    v->death = sonde_calloc(1, sizeof *v->death);
    v->bell = v->death->bell = sonde_calloc(1, sizeof *v->bell);
    v->runner.worker = sonde_search_worker(search);
    v->runner.worker.death = v->death;
    v->capture = sonde_descriptor_hide(memfd_create("sonde output", MFD_CLOEXEC), false);
    sonde_death_prepare();
    sonde_bell_on_child(v->bell);
}

void sonde_single_clear(struct sonde_single *v)
{
    if (!v->isolated) return;
    sonde_runner_clear(&v->runner);
    sonde_bell_on_child(NULL);
    sonde_free(v->bell);
    sonde_case_renew(v->search->t); /* the case may point into memory of the worker, which must not be freed here */
    if (v->capture >= 0) {
        sonde_descriptor_forget(v->capture);
        close(v->capture);
    }
    sonde_free(v->death);
}

/* Fails the case if it leaks, in a process that is not replaced. Such a process keeps what earlier cases have leaked,
 * so a case leaks if the amount grows each time it runs. It runs twice in a row, for the reason given in
 * exec/runner.c. */
static void check_leak_here(struct sonde_single *v, const struct sonde_tape *script)
{
    enum { TIMES = 3, ROW = 2 }; /* number of checks, and of runs before each */
    struct sonde_search *s = v->search;
    bool grows = true;
    for (int time = 0; time < TIMES && grows && s->t->verdict == SONDE_VALID; time++) {
        for (int i = 0; i < ROW; i++, v->runner.n_after++) sonde_exec_inline(s->t, s->property, s->simplest, script);
        bool grew = sonde_leaks_grew();
        if (time > 0) grows = grew; /* the first time does not count: other cases may have leaked the memory */
    }
    if (grows && s->t->verdict == SONDE_VALID) sonde_case_leaks(s->t);
}

/* Runs scripts in this process. A failure may end the process: last_words.c then prints the input. */
static void run_here(struct sonde_single *v, const struct sonde_tape *const *scripts, uint32_t n)
{
    sonde_runner_run_here(&v->runner, scripts, n);
    v->runner.n_after = 0;
    if (v->awaits_children) sonde_runner_await_children(&v->runner);
    if (v->checks_leaks) check_leak_here(v, scripts[n - 1]);
}

/* Captured output also needs a fresh worker: an old worker writes its output elsewhere. */
bool sonde_single_fails(struct sonde_single *v, const struct sonde_tape *const *scripts, uint32_t n, bool fresh,
                        uint64_t identity)
{
    struct sonde_search *s = v->search;
    bool shows = s->t->shows && v->capture >= 0;
    if (!v->isolated) {
        run_here(v, scripts, n);
    } else {
        if (shows && (ftruncate(v->capture, 0) < 0 || lseek(v->capture, 0, SEEK_SET) < 0)) shows = false;
        v->runner.capture = shows ? v->capture : -1;
        v->runner.checks_leaks = v->checks_leaks;
        v->runner.awaits_children = v->awaits_children;
        struct sonde_heap *before = sonde_single_enter(s);
        sonde_runner_run(&v->runner, scripts, n, fresh || shows || v->checks_leaks);
        sonde_single_leave(before);
    }
    return s->t->verdict == SONDE_FAILED && (!identity || sonde_claim_brief(&s->t->claim) == identity);
}

void sonde_single_keep_finding(struct sonde_single *v, const char *when)
{
    struct sonde_heap *before = sonde_single_enter(v->search);
    sonde_search_keep_finding(v->search, when);
    sonde_single_leave(before);
}

void sonde_single_compare(struct sonde_single *v, bool is_on)
{
    struct sonde_heap *before = sonde_single_enter(v->search);
    if (is_on) v->runner.coverage = sonde_coverage_create();
    else sonde_coverage_free(v->runner.coverage);
    if (!is_on) v->runner.coverage = NULL;
    sonde_single_leave(before);
}

/* Skips the runs that followed the last script to check for leaks. */
struct sonde_tape *sonde_single_ran(struct sonde_single *v, uint32_t before_last)
{
    uint32_t after = before_last ? v->runner.n_after : 0;
    return sonde_case_earlier(v->search->t, before_last + after);
}

bool sonde_single_example(struct sonde_single *v, const struct sonde_tape *const *scripts, uint32_t n,
                          const char *regression, bool is_led)
{
    struct sonde_search *s = v->search;
    uint32_t n_before = s->n_found;
    sonde_single_fails(v, scripts, n, n > 1, 0);
    if (is_led && s->t->verdict == SONDE_VALID) return true;
    sonde_search_count(s);
    if (regression && s->n_found > n_before) s->found[n_before]->regression = sonde_strdup(regression);
    return false;
}

char *sonde_single_output(struct sonde_single *v, uint64_t *left_out)
{
    enum { MOST = 64 * 1024 }; /* maximum number of bytes in a report */
    char *text = sonde_malloc(MOST + 1);
    ssize_t got = v->capture >= 0 ? pread(v->capture, text, MOST, 0) : 0;
    off_t end = v->capture >= 0 ? lseek(v->capture, 0, SEEK_END) : 0;
    size_t n = got > 0 ? (size_t)got : 0;
    size_t whole = n;
    /* Output is cut at the end of a line, since half a line of a sanitizer's report misleads. */
    while (end > got && whole && text[whole - 1] != '\n') whole--;
    if (whole) n = whole; /* a single endless line is cut instead */
    text[n] = '\0';
    *left_out = end > (off_t)n ? (uint64_t)end - n : 0;
    return text;
}
