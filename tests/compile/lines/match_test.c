#include "match.h"

#include <fnmatch.h>
#include <string.h>

static void like_fnmatch(sonde *t)
{
    char pattern[64] = "", text[16] = "", one[8];
    int n = (int)sonde_int(t, "parts", 0, 6), length = (int)sonde_int(t, "length", 0, 8);
    for (int i = 0; i < n; i++) {
        static const char *const parts[] = {"a", "b", "c", "?", "*"};
        int kind = (int)sonde_int(t, "part", 0, 6);
        if (kind < 5) strcat(pattern, parts[kind]);
        else strcat(strcat(pattern, kind == 5 ? "[a-" : "[!a-"), sonde_bool(t, "c") ? "c]" : "b]");
    }
    for (int i = 0; i < length; i++) {
        one[0] = (char)sonde_int(t, "letter", 'a', 'd'), one[1] = 0;
        strcat(text, one);
    }
    sonde_check(t, match(pattern, text) == (fnmatch(pattern, text, 0) == 0));
}
SONDE_MAIN(like_fnmatch)
