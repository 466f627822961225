/* Arrays of variable length, pointers into them, sizes. */
#include <sonde.h>

static int at(int n, int m, int v[n][m], int i, int k)
{
    return v[i][k];
}

static void arrays(sonde *t)
{
    int n = sonde_int(t, "n", 1, 6), m = sonde_int(t, "m", 1, 4), i = 0;
    int v[n][m];
    char text[n + 1];
    for (int x = 0; x < n; x++)
        for (int y = 0; y < m; y++) v[x][y] = sonde_int(t, "v", -9, 9);
    for (int x = 0; x < n; x++) text[x] = (char)('a' + x);
    text[n] = 0;
    int(*row)[m] = v;
    sonde_assume(t, sizeof v >= sizeof(int) * 2 && sizeof(int[n]) > 4);
    sonde_assume(t, at(n, m, v, n - 1, m - 1) > v[0][0]);
    sonde_assume(t, row[i++][0] < 8 && row + i <= &v[n] && *row != NULL);
    sonde_assume(t, text[n - 1] != 'c' && text);
    sonde_assume(t, &v[n - 1][0] - &v[0][0] == (long)(n - 1) * m);
    sonde_assume(t, *text == "abc"[0] && "x"[0] != text[0]);
    sonde_check(t, i == 1);
    sonde_check(t, v[0][0] + n != 9);
}

SONDE_MAIN(arrays)
