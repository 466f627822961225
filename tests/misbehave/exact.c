/* One byte beyond what sonde gave, by each way to get memory, from the fourth byte on; and the last byte, which is
 * fine. tests/cli/memory.sh runs it with --guard, under valgrind and with AddressSanitizer. */
#include <sonde.h>
#include <string.h>

static volatile char sink;

static __attribute__((noinline)) void look_at(const volatile char *p)
{
    sink = *p;
}

static void bytes(sonde *t)
{
    size_t n;
    const uint8_t *p = sonde_bytes(t, "x", 0, 20, &n);
    if (n >= 4) look_at((const char *)p + n);
}

static void beyond(const char *text)
{
    if (strlen(text) >= 4) look_at(text + strlen(text) + 1);
}

static void string(sonde *t)
{
    beyond(sonde_string(t, "x", 0, 20));
}

static void string_of(sonde *t)
{
    beyond(sonde_string_of(t, "x", "ab", 0, 20));
}

static void utf8(sonde *t)
{
    beyond(sonde_utf8(t, "x", 0, 20));
}

static void regex(sonde *t)
{
    beyond(sonde_regex(t, "x", "[a-d]*"));
}

static void alloc(sonde *t)
{
    int n = sonde_int(t, "x", 0, 100);
    const char *p = sonde_alloc(t, (size_t)n);
    if (n >= 4) look_at(p + n);
}

static void array(sonde *t)
{
    int n = sonde_int(t, "x", 0, 100);
    const long *p = sonde_alloc(t, (size_t)n * sizeof *p);
    if (n >= 4) look_at((const char *)(p + n));
}

static void buffer(sonde *t)
{
    int n = sonde_int(t, "x", 0, 100);
    const char *p = sonde_buffer(t, (size_t)n);
    if (n >= 4) look_at(p + n);
}

static void within(sonde *t)
{
    size_t n;
    uint8_t *p = sonde_bytes(t, "bytes", 1, 20, &n);
    char *text = sonde_utf8(t, "text", 0, 20), *match = sonde_regex(t, "match", "[a-d]*");
    char *own = sonde_alloc(t, n), *out = sonde_buffer(t, n);
    long *numbers = sonde_alloc(t, n * sizeof *numbers);
    p[n - 1] = 1;
    text[strlen(text)] = match[strlen(match)] = 0;
    own[n - 1] = out[n - 1] = 1;
    numbers[n - 1] = (long)own[n - 1] + out[n - 1];
    sonde_check_eq(t, numbers[n - 1], 2);
}

SONDE_MAIN(bytes, string, string_of, utf8, regex, alloc, array, buffer, within)
