#include "spans.h"

static void like_a_bitmap(sonde *t)
{
    struct span s[8];
    bool map[64] = {false};
    int n = (int)sonde_int(t, "n", 0, 6), parts = 0;
    for (int i = 0; i < n; i++) {
        s[i].from = (int)sonde_int(t, "from", 0, 30);
        s[i].to = (int)sonde_int(t, "to", 0, 30);
        for (int k = s[i].from; k < s[i].to; k++) map[k] = true;
    }
    for (int k = 0; k < 63; k++) parts += map[k + 1] && (k == 0 ? !map[0] : !map[k]);
    parts += map[0];
    int left = merge_spans(s, n);
    sonde_check(t, left == parts);
    int x = (int)sonde_int(t, "x", 0, 31);
    sonde_check(t, (covered(s, left, x) >= 0) == map[x]);
}

static void comes_back(sonde *t)
{
    unsigned char in[40], out[96];
    int n = (int)sonde_int(t, "bytes", 0, 39), at = 0;
    for (int i = 0; i < n; i++) in[i] = (unsigned char)sonde_int(t, "byte", 0, 1);
    int used = runs(in, n, out);
    for (int i = 0; i < used; i += 2) {
        sonde_check(t, out[i] >= 1 && out[i] <= 9);
        for (int k = 0; k < out[i]; k++) sonde_check(t, at < n && in[at++] == out[i + 1]);
    }
    sonde_check(t, at == n);
}
SONDE_MAIN(like_a_bitmap, comes_back)
