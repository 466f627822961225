#include "value.h"

#include <stdio.h>
#include <string.h>

static long make(sonde *t, char *out, int depth, int level)
{
    char *at = out + strlen(out);
    int kind = depth > 3 ? 0 : (int)sonde_int(t, "kind", 0, 4);
    long a, b;
    switch (kind) {
    case 1:
    case 2:
        if (level > 0) strcat(out, "(");
        a = make(t, out, depth + 1, 0);
        strcat(out, kind == 1 ? "+" : "-");
        b = make(t, out, depth + 1, 1);
        if (level > 0) strcat(out, ")");
        return kind == 1 ? a + b : a - b;
    case 3:
        if (level > 1) strcat(out, "(");
        a = make(t, out, depth + 1, 1);
        strcat(out, "*");
        b = make(t, out, depth + 1, 2);
        if (level > 1) strcat(out, ")");
        return a * b;
    case 4: strcat(out, "-"); return -make(t, out, depth + 1, 2);
    default: a = (long)sonde_int(t, "n", 0, 200); sprintf(at, "%ld", a); return a;
    }
}

static void has_its_value(sonde *t)
{
    char text[1024] = "";
    long want = make(t, text, 0, 0), got;
    bool is_odd = sonde_bool(t, "odd");
    if (is_odd) strcat(text, ")");
    bool ok = value_of(text, &got);
    sonde_check(t, ok == !is_odd);
    if (ok) sonde_check(t, got == want);
}
SONDE_MAIN(has_its_value)
