#!/bin/sh
# One seed gives one run, wherever the system puts heap, stack and program: addresses among compared numbers do not guide the search.
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log; fi
}
cat >test.c <<'END_OF_TEST'
#include <sonde.h>
#include <stdint.h>
#include <stdlib.h>
struct node {
    struct node *next;
    long key;
    char *name;
};
static struct node *top;
static int use(const struct node *list, const char *end, const char *large, const void *stack)
{
    int result = 0;
    for (const struct node *m = list; m != NULL; m = m->next) {
        if (m == top) result++;
        if ((const void *)m > stack) result += 2;
        if ((const void *)m == (const void *)&top) result += 32;
        if ((uintptr_t)m->name == 123456789012345) result += 64;
        switch ((uintptr_t)m->next) {
        case 1: result += 128; break;
        case 77777: result += 3; break;
        case 99: result += 5; break;
        default: break;
        }
        if (m->name == large) result += 4;
        if (m->name + m->key == end) result += 8;
        if (m->name < end && m->next > m) result += 16;
    }
    return result;
}
static void walks(sonde *t)
{
    struct node *list = NULL;
    char here[16] = "", *large = malloc(200000), *end = NULL;
    for (int i = sonde_int(t, "n", 0, 12); i > 0; i--) {
        struct node *m = malloc(sizeof *m);
        size_t length = (size_t)sonde_int(t, "length", 1, 300000);
        *m = (struct node){.next = list, .key = sonde_int(t, "key", 0, 1000000), .name = malloc(length)};
        list = m;
        end = m->name + length;
        if (sonde_bool(t, "is top")) top = m;
    }
    int result = use(list, end, large, here);
    const struct node *first = list;
    const char *name = list ? list->name : NULL;
    while (list) {
        struct node *next = list->next;
        free(list->name);
        free(list);
        list = next;
    }
    free(large);
    sonde_assume(t, first == top || name > end - 1000 || result % 7 == 3);
    sonde_check(t, result >= 0);
}
SONDE_MAIN(walks)
END_OF_TEST
for way in clang: clang:-no-pie gcc:; do
    command -v ${way%:*} >/dev/null || continue
    SONDE_CC=${way%:*} "$BUILD/sonde" cc -O1 -g ${way#*:} "-I$SRC/include" test.c "$BUILD/libsonde.a" -lm -o test >log 2>&1
    report $? "${way%:*} ${way#*:}: the program"
    for guide in cgpt goal auto; do
        for run in 1 2 3; do
            ./test --seed 5 --no-store --runs 3000 --tests 0 --time 0 --guide $guide --json 2>&1 </dev/null |
                sed -n 's/.*"valid": \([0-9]*\).*"choices": \([0-9]*\).*/\1 \2/p'
        done >log
        [ "$(sort -u log | wc -l)" = 1 ] && [ "$(wc -l <log)" = 3 ]
        report $? "${way%:*} ${way#*:}, $guide: three equal runs"
    done
done
echo "1..$n"
