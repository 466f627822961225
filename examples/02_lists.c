/* 02: lists. A merge sort that promises to be stable: records with equal keys keep their order.
 *
 * Look for: sonde_list_of draws the length, and sonde_more walks through the elements. That is all sonde needs to drop
 * elements one by one when it shrinks. The first property passes (the result is sorted). The second is broken by the
 * shortest list that can break it: two records with the same key. */
#include <sonde.h>
#include <string.h>

struct record {
    int key;
    int place; /* index before the sort */
};

/* ---- The code under test. It has a bug. */

static void merge_sort(struct record *a, size_t n, struct record *spare)
{
    if (n < 2) return;
    size_t half = n / 2, left = 0, right = half;
    merge_sort(a, half, spare);
    merge_sort(a + half, n - half, spare);
    for (size_t i = 0; i < n; i++) {
        bool take_left = right == n || (left < half && a[left].key < a[right].key);
        spare[i] = take_left ? a[left++] : a[right++];
    }
    memcpy(a, spare, n * sizeof *a);
}

/* ---- The properties. */

enum { MOST = 30 };

static size_t draw_records(sonde *t, struct record *out)
{
    size_t n = 0;
    sonde_list records = sonde_list_of(t, "records", 0, MOST);
    while (sonde_more(&records)) {
        out[n] = (struct record){.key = sonde_int(t, "key", 0, 100), .place = (int)n};
        n++;
    }
    return n;
}

static void result_is_sorted(sonde *t)
{
    struct record a[MOST], spare[MOST];
    size_t n = draw_records(t, a);
    merge_sort(a, n, spare);
    for (size_t i = 1; i < n; i++) sonde_check_le(t, a[i - 1].key, a[i].key); /* prints both sides when it fails */
}

static void equal_keys_keep_their_order(sonde *t)
{
    struct record a[MOST], spare[MOST];
    size_t n = draw_records(t, a);
    merge_sort(a, n, spare);
    for (size_t i = 1; i < n; i++) {
        if (a[i - 1].key == a[i].key) sonde_check_lt(t, a[i - 1].place, a[i].place);
    }
}

SONDE_MAIN(result_is_sorted, equal_keys_keep_their_order)
