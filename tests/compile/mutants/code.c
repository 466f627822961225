#define _GNU_SOURCE /* must still take effect: nothing may be included before it */
#include "code.h"

#include <assert.h>
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define SUM(a, b)                                                                                                      \
    ({                                                                                                                 \
        int sum_ = (a);                                                                                                \
        sum_ += (b);                                                                                                   \
        sum_;                                                                                                          \
    })
#define LOG_IT(text)                                                                                                   \
    do {                                                                                                               \
        if (verbose > 1) fprintf(stderr, "%s\n", text);                                                                \
    } while (0)

typedef unsigned char byte;
typedef struct {
    int x, y;
    unsigned flag : 3, rest : 5;
    byte bytes[4];
} point;
enum { SIZE = 4 + 4 };
static int verbose, calls;
static const int table[] = {1 + 1, 2 * 3, 7};

static int add(int n, ...)
{
    va_list list;
    int sum = 0;
    va_start(list, n);
    while (n-- > 0) sum += va_arg(list, int);
    va_end(list);
    return sum;
}

static point *make(int x)
{
    static point made;
    made = (point){.x = x, .y = x + 1, .flag = 5};
    calls++;
    return &made;
}

static int kinds(int a)
{
    int result = 0, unused = 0;
    unused = a;
    switch (a & 7) {
    case 0 + 1:
    case 2: result = 10; break;
    case 3 ... 4: result = 20; /* fall through */
    default: result += unused % 5;
    }
    return result;
}

static int loops(int a)
{
    int n = 0;
    for (int i = 0, j = 10; i < j; i++, j--) {
        if (i == a) continue;
        if (i > 7) break;
        n += i * j;
    }
    do n ^= a;
    while (n > 1000);
    while (n > 500) n -= 100;
again:
    if (n < 3) {
        n++;
        goto again;
    }
    return n;
}

static bool texts(const char *text, char **end)
{
    const char *p = text;
    if (p == NULL || !*p) return false;
    while (*p && isdigit((byte)*p)) p++;
    *end = (char *)p;
    return strcmp(p, "x") == 0 || p - text > 2 ? true : false;
}

/* A compound literal lives until the end of the enclosing block: no block may be put around it. */
static int lifetimes(int a)
{
    int *p = NULL;
    p = (int[]){a, a + 1};
    int *q = (int[]){p[0], 3};
    return q[0] + q[1];
}

static int jumps(int a)
{
    jmp_buf where;
    volatile int n = a;
    if (setjmp(where) == 0) {
        n += 2;
        longjmp(where, 1);
    }
    return n;
}

static double floating(int a)
{
    double d = a / 3.0;
    float f = 1.5f;
    d -= f * 2;
    return d > -1e3 ? d : -d;
}

int everything(int a, int b)
{
    char buffer[SIZE + 1] = "", *end = NULL;
    point *p = make(a);
    byte wrap = (byte)(a + 250);
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}}, *cell = &grid[a & 1][b & 1];
    assert(p != NULL);
    LOG_IT("never");
    p->flag = (unsigned)b;
    p->bytes[b & 3] = (byte)(wrap >> 1 | 1);
    *cell += MAX(a, b) * 3;
    *cell -= SUM(a, 2);
    snprintf(buffer, sizeof buffer, "%d%s", b & 255, a & 1 ? "x" : "");
    int sum = p->flag + p->bytes[b & 3] + grid[1][1] * (int)sizeof grid[0] + table[(unsigned)a % 3];
    sum += texts(buffer, &end) ? 100 : (int)(end - buffer);
    sum = sum + add(2, a, b) + kinds(b) + loops(a & 15) + lifetimes(a & 1) + jumps(b) + (int)floating(a) + twice(b);
    sum ^= (int)(a > b) << 3, sum = -sum;
    return make(sum)->y - calls + !a;
}
