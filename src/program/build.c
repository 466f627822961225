#define _GNU_SOURCE /* dl_iterate_phdr */
/* See build.h. Runtimes of sanitizers are recognised by weak symbols, as in sanitizer.c. The flags of the compiler come
 * from the file that calls sonde_main or sonde_run: its header passes what the preprocessor knows to sonde_built_. */
#include "program/build.h"

#include "base/hash.h"
#include "base/image.h"
#include "base/schedule.h"
#include "base/valgrind.h"
#include "program/sanitizer.h"
#include "program/place.h"

#include <link.h>
#include <sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))
extern WEAK void __asan_init(void);
extern WEAK void __hwasan_init(void);
extern WEAK void __msan_init(void);
extern WEAK void __tsan_init(void);
extern WEAK int __lsan_do_recoverable_leak_check(void);
extern WEAK void __ubsan_get_current_report_data(const char **kind, const char **message, const char **file,
                                                 unsigned *line, unsigned *column, char **address);

/* compiler flags of the file with main; NULL: the program uses neither sonde_main nor sonde_run */
static const char *built;

void sonde_built_(const char *how)
{
    built = how;
}

/* ---- UBSan: the runtimes of clang's other sanitizers contain UBSan's functions too, so only a call of such a function
 * shows that UBSan is in use. */

#define HANDLERS(x)                                                                                                    \
    x(add_overflow) x(sub_overflow) x(mul_overflow) x(negate_overflow) x(divrem_overflow) x(shift_out_of_bounds)       \
        x(out_of_bounds) x(type_mismatch_v1) x(load_invalid_value) x(pointer_overflow) x(builtin_unreachable)          \
            x(missing_return) x(float_cast_overflow) x(vla_bound_not_positive) x(nonnull_arg) x(nonnull_return_v1)     \
                x(implicit_conversion) x(invalid_builtin) x(alignment_assumption) x(function_type_mismatch)
/* The functions are declared under other names: gcc knows them, with other types, when it compiles for UBSan. */
#define DECLARE(name)                                                                                                  \
    extern WEAK void handle_##name(void) __asm__("__ubsan_handle_" #name);                                             \
    extern WEAK void abort_##name(void) __asm__("__ubsan_handle_" #name "_abort");
#define LIST(name) handle_##name, abort_##name,
HANDLERS(DECLARE)

/* A search of the program's machine code for calls of UBSan's handlers. */
struct calls {
    bool is_found;
    unsigned nth;
};

static bool is_handler(uintptr_t address)
{
    void (*const all[])(void) = {HANDLERS(LIST)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] && (uintptr_t)all[i] == address) return true;
    return false;
}

static int look_for_calls(struct dl_phdr_info *info, size_t size, void *data)
{
    struct calls *c = data;
    (void)size;
    if (c->nth++) return 1; /* only the first module, the program itself, can have the runtime linked statically */
    for (unsigned i = 0; i < info->dlpi_phnum && !c->is_found; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || !(p->p_flags & PF_R)) continue;
        const uint8_t *code = (const uint8_t *)(info->dlpi_addr + p->p_vaddr), *end = code + p->p_filesz;
        for (; code < end && !c->is_found; code++) {
            uintptr_t target = sonde_call_target(code, end);
            c->is_found = target && is_handler(target);
        }
    }
    return 1;
}

/* Does not search for calls if the runtime is a library (gcc): only programs compiled with UBSan load it. */
static bool has_undefined(void)
{
    static int known; /* whether calls were found; 0: not searched yet; 1: yes; 2: no */
    struct sonde_image image;
    struct calls calls = {0};
    if (!__ubsan_get_current_report_data) return false;
    if (built && strstr(built, "-fsanitize=undefined")) return true;
    void *runtime;
    void (*report)(const char **, const char **, const char **, unsigned *, unsigned *, char **) =
        __ubsan_get_current_report_data;
    memcpy(&runtime, &report, sizeof runtime);
    if (sonde_image_at(runtime, &image) && !image.is_program) return true;
    if (!known) {
        dl_iterate_phdr(look_for_calls, &calls);
        known = calls.is_found ? 1 : 2;
    }
    return known == 1;
}

/* ---- Tools */

static const char *const names[SONDE_TOOLS] = {
    [SONDE_TOOL_ADDRESS] = "AddressSanitizer", [SONDE_TOOL_HWADDRESS] = "HWAddressSanitizer",
    [SONDE_TOOL_MEMORY] = "MemorySanitizer",   [SONDE_TOOL_THREAD] = "ThreadSanitizer",
    [SONDE_TOOL_LEAK] = "LeakSanitizer",       [SONDE_TOOL_UNDEFINED] = "UndefinedBehaviorSanitizer",
    [SONDE_TOOL_VALGRIND] = "valgrind",
};

const char *sonde_tool_name(enum sonde_tool tool)
{
    return names[tool];
}

bool sonde_tool_is_here(enum sonde_tool tool)
{
    switch (tool) {
    case SONDE_TOOL_ADDRESS: return __asan_init;
    case SONDE_TOOL_HWADDRESS: return __hwasan_init;
    case SONDE_TOOL_MEMORY: return __msan_init;
    case SONDE_TOOL_THREAD: return __tsan_init && !sonde_schedule_hook_; /* addons/threads/ replaces it */
    case SONDE_TOOL_LEAK: return __lsan_do_recoverable_leak_check && sonde_leaks_are_reported();
    case SONDE_TOOL_UNDEFINED: return has_undefined();
    case SONDE_TOOL_VALGRIND: return sonde_valgrind_is_running();
    case SONDE_TOOLS: break;
    }
    return false;
}

/* ---- The build */

/* These variables change what a tool, or the C library's malloc, checks. Only a hash of them is kept, since they may
 * contain paths. TSAN_OPTIONS are not among them: sonde sets them itself. */
static uint64_t options_of_tools(void)
{
    static const char *const variables[] = {"ASAN_OPTIONS",  "HWASAN_OPTIONS",  "MSAN_OPTIONS",
                                            "LSAN_OPTIONS",  "UBSAN_OPTIONS",   "VALGRIND_OPTS",
                                            "MALLOC_CHECK_", "MALLOC_PERTURB_", "GLIBC_TUNABLES"};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value) hash = sonde_hash_text(sonde_hash_text(hash, variables[i]), value);
    }
    return hash;
}

void sonde_build_describe(char *out, size_t size)
{
    /* Leak detection is left out: it does not change what the other tools report. */
    static const enum sonde_tool tools[] = {SONDE_TOOL_ADDRESS, SONDE_TOOL_HWADDRESS, SONDE_TOOL_MEMORY,
                                            SONDE_TOOL_THREAD,  SONDE_TOOL_UNDEFINED, SONDE_TOOL_VALGRIND};
    int n = snprintf(out, size, "%s", built ? built : "unknown compiler");
    for (size_t i = 0; i < sizeof tools / sizeof *tools && n < (int)size; i++) {
        if (sonde_tool_is_here(tools[i])) n += snprintf(out + n, size - (size_t)n, ", %s", names[tools[i]]);
    }
    if (sonde_schedule_hook_ && n < (int)size) n += snprintf(out + n, size - (size_t)n, ", --threads");
    uint64_t options = options_of_tools();
    if (options && n < (int)size) snprintf(out + n, size - (size_t)n, ", options %08x", (unsigned)options);
}

/* Returns the length of the compiler's name without its version, which ends at the first comma. */
static size_t name_of_compiler(const char *build)
{
    return strcspn(build, " ,");
}

bool sonde_build_is_same(const char *a, const char *b)
{
    size_t n = name_of_compiler(a), m = name_of_compiler(b);
    return n == m && memcmp(a, b, n) == 0 && strcmp(a + strcspn(a, ","), b + strcspn(b, ",")) == 0;
}

/* ---- Trapping instructions: ud2 and (from clang) ud1 on x86-64; brk and udf on aarch64 */

static void count_traps(void *context, const unsigned char *code, size_t n)
{
    unsigned *count = context;
#if defined(__x86_64__)
    for (size_t i = 0; i + 2 <= n; i++)
        *count += code[i] == 0x0f && (code[i + 1] == 0x0b || (code[i + 1] == 0xb9 && i > 0 && code[i - 1] == 0x67));
#elif defined(__aarch64__)
    for (size_t i = 0; i + 4 <= n; i += 4) {
        uint32_t word;
        memcpy(&word, code + i, sizeof word);
        *count += (word & 0xffe0001f) == 0xd4200000 || word >> 16 == 0;
    }
#else
    (void)count, (void)code, (void)n;
#endif
}

unsigned sonde_build_traps(void)
{
    unsigned count = 0;
    sonde_symbols_each(count_traps, &count);
    return count;
}

/* ---- Steps */

static bool is_of_the_system(const char *path)
{
    return strncmp(path, "/lib", 4) == 0 || strncmp(path, "/usr/lib", 8) == 0 || strstr(path, "linux-vdso") != NULL;
}

struct text_hash {
    uint64_t hash;
    unsigned nth; /* the program is the first module, and has no name */
};

static int add_code(struct dl_phdr_info *info, size_t size, void *data)
{
    struct text_hash *h = data;
    (void)size;
    if (h->nth++ && (!info->dlpi_name || is_of_the_system(info->dlpi_name))) return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || !(p->p_flags & PF_R)) continue;
        h->hash = sonde_hash_bytes(h->hash, (const void *)(info->dlpi_addr + p->p_vaddr), (size_t)p->p_filesz);
    }
    return 0;
}

uint64_t sonde_steps_hash(void)
{
    static uint64_t known;
    struct text_hash h = {0};
    if (known) return known;
    dl_iterate_phdr(add_code, &h);
    return known = h.hash | 1;
}
