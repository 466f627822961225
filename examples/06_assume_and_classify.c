/* 06: is the test any good? Binary search needs a sorted array. Two properties check the same thing, and get their
 * arrays in two ways: by discarding arrays that are not sorted, and by constructing sorted ones.
 *
 * Look for: both pass, so read the numbers. The first run discards most of its arrays. The rest are short and rarely
 * contain the number searched for, as the classes show. The second run discards nothing. It requires that a third of
 * the searches succeed: sonde_cover fails the run if significantly fewer do. A passing test is only as good as
 * the inputs it saw. */
#include <sonde.h>

/* ---- The code under test. It is correct. */

/* Returns the first index in the sorted array whose element is not less than x; n if there is none. */
static size_t lower_bound(const int *a, size_t n, int x)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (a[middle] < x) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

/* ---- The check, and statistics about its inputs. */

static void claim(sonde *t, const int *a, size_t n, int x)
{
    size_t at = lower_bound(a, n, x);
    bool is_there = at < n && a[at] == x;
    sonde_classify(t, n < 3, "fewer than 3 elements");
    sonde_classify(t, is_there, "x is in the array");
    sonde_note(t, "lower_bound gave %zu of %zu", at, n); /* printed with a counterexample only */
    sonde_check(t, at <= n);
    for (size_t i = 0; i < n; i++) sonde_check_eq(t, a[i] < x, i < at);
}

/* ---- By filtering. */

static bool is_sorted(const int *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (a[i - 1] > a[i]) return false;
    }
    return true;
}

static void finds_in_filtered_arrays(sonde *t)
{
    int a[8];
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "a", 0, 8);
    while (sonde_more(&xs)) a[n++] = sonde_int(t, "element", 0, 1000);
    sonde_assume(t, is_sorted(a, n)); /* leaves the case here if not: it counts as discarded, not as passed */
    claim(t, a, n, sonde_int(t, "x", 0, 1000));
}

/* ---- By construction: draw the steps, and every array is sorted. */

static void finds_in_made_arrays(sonde *t)
{
    int a[100], x, last = 0;
    size_t n = 0;
    sonde_list xs = sonde_list_of(t, "a", 0, 100);
    while (sonde_more(&xs)) {
        last += sonde_int(t, "step", 0, 20);
        a[n++] = last;
    }
    if (n > 0 && sonde_bool(t, "search for an element")) x = a[sonde_pick(t, "which", n)];
    else x = sonde_int(t, "x", 0, 1000);
    size_t at = lower_bound(a, n, x);
    sonde_cover(t, 33, at < n && a[at] == x, "the search succeeds");
    claim(t, a, n, x);
}

SONDE_MAIN(finds_in_filtered_arrays, finds_in_made_arrays)
