#define _GNU_SOURCE /* dl_iterate_phdr, process_vm_readv, open_memstream */
/* Extracts cmocka's message about a failed assertion. cmocka collects its messages in a private string until the
 * test ends, and no caller can see them before. But if CMOCKA_TEST_ABORT is set, a failing test prints them and
 * aborts. So sonde captures that output once, and searches the variables of cmocka's module for a string that begins
 * with it. From then on sonde reads, and empties, the string in place. The library is not linked with cmocka: the
 * adapter passes cmocka's function. */
#include "exec/jumped.h"

#ifdef __GLIBC__

#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define BEFORE "[   LINE   ] --- " /* beginning of a location line in cmocka's output */
#define OWN "(sonde asks)"         /* file name in the location that marks the end of the captured message */
enum { SEEN = 64 };                /* maximum number of bytes that are compared to recognise the string */

static sigjmp_buf back;
static bool is_asking; /* while true, every jump comes from cmocka, which jumps after skip() instead of aborting */

static void on_abort(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static void fail_until_abort(void (*fail)(const char *file, int line))
{
    is_asking = true;
    if (sigsetjmp(back, 1) == 0) fail(OWN, 0);
    is_asking = false;
}

/* Makes cmocka print to `out` the messages that it has collected. */
static void print_words(void (*fail)(const char *file, int line), FILE *out)
{
    struct sigaction action = {.sa_handler = on_abort}, before;
    const char *set = getenv("CMOCKA_TEST_ABORT");
    char *was = set ? strdup(set) : NULL;
    FILE *usual = stderr;
    sigemptyset(&action.sa_mask);
    sigaction(SIGABRT, &action, &before);
    setenv("CMOCKA_TEST_ABORT", "1", 1);
    stderr = out;
    fail_until_abort(fail);
    stderr = usual;
    if (was) setenv("CMOCKA_TEST_ABORT", was, 1);
    else unsetenv("CMOCKA_TEST_ABORT");
    sigaction(SIGABRT, &before, NULL);
    free(was);
}

struct sought {
    const void *code; /* address in the module to search; NULL: search all modules */
    char words[SEEN];
    char **found;
};

/* Returns whether the string at an address begins with the captured words. The kernel reads the string, so an invalid
 * address does no harm. */
static bool has_words(const char *at, const struct sought *sought)
{
    char there[SEEN] = "";
    struct iovec to = {there, strlen(sought->words)}, from = {(void *)(uintptr_t)at, to.iov_len};
    return (uintptr_t)at > UINT16_MAX && process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)to.iov_len
           && memcmp(there, sought->words, to.iov_len) == 0;
}

__attribute__((no_sanitize_address)) static void look_in(char **from, size_t n, struct sought *sought)
{
    for (size_t i = 0; i < n && !sought->found; i++)
        if (has_words(from[i], sought)) sought->found = &from[i];
}

static int look_in_module(struct dl_phdr_info *info, size_t size, void *data)
{
    struct sought *sought = data;
    bool is_it = !sought->code;
    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        is_it |= info->dlpi_phdr[i].p_type == PT_LOAD && (uintptr_t)sought->code - start < info->dlpi_phdr[i].p_memsz;
    }
    for (unsigned i = 0; is_it && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr, aligned = (start + 7) / 8 * 8;
        if (part->p_type == PT_LOAD && part->p_flags & PF_W)
            look_in((char **)aligned, (start + part->p_memsz - aligned) / sizeof(char *), sought);
        if (part->p_type == PT_TLS && info->dlpi_tls_data)
            look_in((char **)info->dlpi_tls_data, part->p_memsz / sizeof(char *), sought);
    }
    return sought->code ? is_it : sought->found != NULL;
}

/* Removes the location that fail_until_abort added. */
static void cut_own(char *words)
{
    char *own = strstr(words, OWN);
    size_t n = strlen(BEFORE);
    if (!own) return;
    if ((size_t)(own - words) >= n && memcmp(own - n, BEFORE, n) == 0) own -= n;
    *own = '\0';
}

/* Returns the address of cmocka's message string; NULL: not found. */
static char **find_words(void (*fail)(const char *file, int line))
{
    struct sought sought = {.found = NULL};
    char *printed = NULL;
    size_t n = 0;
    memcpy(&sought.code, &fail, sizeof sought.code); /* C has no conversion from function to object pointers */
    FILE *out = open_memstream(&printed, &n);
    if (!out) return NULL;
    print_words(fail, out);
    fclose(out);
    snprintf(sought.words, sizeof sought.words, "%s", printed ? printed : "");
    free(printed);
    if (sought.words[0]) dl_iterate_phdr(look_in_module, &sought);
    sought.code = NULL; /* `fail` may have been a stub in the program: search all modules */
    if (sought.words[0] && !sought.found) dl_iterate_phdr(look_in_module, &sought);
    if (sought.found) cut_own(*sought.found);
    return sought.found;
}

/* Copies cmocka's output as the message, and finds the location "FILE:LINE: error: " in it. */
static void take_location(const char *words, sonde_jump_ *jump)
{
    const char *error = strstr(words, ": error: "), *start = error;
    snprintf(jump->text, sizeof jump->text, "%s", words);
    if (!error) return;
    while (start > words && start[-1] != '\n') start--;
    snprintf(jump->file, sizeof jump->file, "%.*s", (int)(error - start), start);
    char *line = strrchr(jump->file, ':');
    jump->line = line ? atoi(line + 1) : 0;
    if (line) *line = '\0';
    else jump->file[0] = '\0';
}

/* Splits "x < 50\n[   LINE   ] --- test.c:13: error: Failure!" into the message and the location in the last line. */
static void split(char *words, sonde_jump_ *jump)
{
    static const char end[] = ": error: Failure!";
    char *last = strstr(words, end);
    if (!last) { /* a failed mock check: "...\ntest.c:35: error: Could not get value..." */
        take_location(words, jump);
        return;
    }
    *last = '\0';
    char *file = strrchr(words, '\n');
    size_t n = file ? (size_t)(file - words) : 0;
    file = file ? file + 1 : words;
    snprintf(jump->text, sizeof jump->text, "%.*s", (int)n, words);
    if (!n) snprintf(jump->text, sizeof jump->text, "an assertion of cmocka failed");
    if (strncmp(file, BEFORE, strlen(BEFORE)) == 0) file += strlen(BEFORE);
    char *line = strrchr(file, ':');
    if (line) *line = '\0';
    snprintf(jump->file, sizeof jump->file, "%s", line ? file : "");
    jump->line = line ? atoi(line + 1) : 0;
}

void sonde_cmocka_words_(void (*fail)(const char *file, int line), sonde_jump_ *jump)
{
    static char **words;
    if (is_asking) siglongjmp(back, 1);
    if (!words) words = find_words(fail);
    if (!words || !*words || !**words) return;
    split(*words, jump);
    **words = '\0';
}

#else

void sonde_cmocka_words_(void (*fail)(const char *file, int line), sonde_jump_ *jump)
{
    (void)fail;
    (void)jump;
}

#endif
