/* Failures whose minimal input no search by halves leads to, and a precondition with few inputs that are easily found. */
#include <sonde.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

static void flags(sonde *t)
{
    int x = sonde_int(t, "flags", 0, 16383);
    sonde_check(t, !((x & 8) && (x & 2048)));
}

static void flags_after_bytes(sonde *t)
{
    size_t n;
    sonde_bytes(t, "s", 0, 60, &n);
    int x = sonde_int(t, "flags", 0, 16383);
    if (n && (x & 8) && (x & 2048)) abort();
}

static void odd_byte(sonde *t)
{
    size_t n;
    const uint8_t *byte = sonde_bytes(t, "byte", 1, 1, &n);
    sonde_check(t, !(byte[0] % 2 && byte[0] > 2));
}

static void two_bytes(sonde *t)
{
    size_t n;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 2, 2, &n);
    sonde_check(t, !(bytes[0] % 5 == 0 && bytes[0] > 0 && bytes[1] % 3 == 0 && bytes[1] > 0));
}

/* The first byte counts the others, of which the first and the last are marks. */
static void counted(sonde *t)
{
    size_t n;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 8, &n);
    sonde_check(t, !(n >= 4 && bytes[0] == n - 1 && bytes[1] && bytes[n - 1]));
}

static void stride(sonde *t)
{
    int length = sonde_int(t, "len", 0, 4095), x = sonde_int(t, "flags", 0, 255);
    sonde_check(t, !((x & 5) == 5 && length % 64 == 63 && length >= 512));
}

static void below_zero(sonde *t)
{
    int x = sonde_int(t, "x", -16383, 16383);
    sonde_check(t, !(x < 0 && (-x & 8) && (-x & 2048)));
}

/* The first failing case leaves a flag that makes every later case of its process fail. */
static void left_behind(sonde *t)
{
    static bool is_left;
    int x = sonde_int(t, "x", 0, 16383), y = sonde_int(t, "y", 0, 255);
    is_left |= x >= 3000 && y >= 100;
    sonde_check(t, !is_left);
}

/* From 3000 on it fails each time, from 1000 on at random. */
static void at_random(sonde *t)
{
    int x = sonde_int(t, "x", 0, 1000000);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sonde_check(t, x < 1000 || (x < 3000 && now.tv_nsec / 64 % 2));
}

/* A graph in topological order: each node but the first has one or two predecessors, no edge comes twice. */
static void dag(sonde *t)
{
    int nodes = sonde_int(t, "nodes", 3, 9), in[10] = {0}, out[10] = {0};
    bool is_valid = true, has[10][10] = {{false}};
    sonde_list edges = sonde_list_of(t, "edges", 2, 14);
    while (sonde_more(&edges)) {
        int from = sonde_int(t, "from", 0, 9), to = sonde_int(t, "to", 0, 9);
        is_valid &= from < to && to < nodes && !has[from][to];
        has[from][to] = true, in[to]++, out[from]++;
    }
    for (int i = 1; i < nodes; i++) is_valid &= in[i] >= 1 && in[i] <= 2;
    for (int i = 0; i < nodes; i++) is_valid &= out[i] <= 3;
    sonde_assume(t, is_valid);
}

SONDE_MAIN(flags, flags_after_bytes, odd_byte, two_bytes, counted, stride, below_zero, left_behind, at_random, dag)
