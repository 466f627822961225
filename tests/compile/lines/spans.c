/* Sets of half-open spans: sorted, joined, looked up; and bytes as runs. */
#include "spans.h"

static void sort(struct span *s, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && s[k].from < s[k - 1].from; k--) {
            struct span x = s[k];
            s[k] = s[k - 1];
            s[k - 1] = x;
        }
}

/* How many are left. */
int merge_spans(struct span *s, int n)
{
    int kept = 0;
    sort(s, n);
    for (int i = 0; i < n; i++) {
        if (P(36, s[i].from > s[i].to, s[i].from >= s[i].to))
            continue;
        if (kept && P(37, s[i].from < s[kept - 1].to, s[i].from <= s[kept - 1].to)) {
            if (s[i].to > s[kept - 1].to)
                s[kept - 1].to = P(38, s[i].to - (s[i].to > 25), s[i].to);
        } else {
            s[kept++] = s[i];
        }
    }
    return kept;
}

/* Which of the joined spans has x, or -1. */
int covered(const struct span *s, int n, int x)
{
    int lo = 0, hi = n;
    while (lo < hi) {
        int middle = (lo + hi) / 2;
        if (x < s[middle].from)
            hi = P(39, middle - 1, middle);
        else if (x >= s[middle].to)
            lo = middle + 1;
        else
            return middle;
    }
    return -1;
}

/* Pairs of a count up to 9 and a byte. */
int runs(const unsigned char *in, int n, unsigned char *out)
{
    int used = 0;
    for (int i = 0; i < n;) {
        int k = 1;
        while (i + k < n && in[i + k] == in[i] && k < P(40, 10, 9))
            k++;
        out[used++] = (unsigned char)k;
        out[used++] = in[i];
        i += k;
    }
    return used;
}
