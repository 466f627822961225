/* Draws of every kind, for determinism.sh: the values depend on the seed and on nothing else. */
#include <sonde.h>

#include <math.h>
#include <string.h>

static void doubles(sonde *t)
{
    double any = sonde_any_double(t, "any"), some = sonde_double(t, "some", -1e6, 1e6);
    double tiny = sonde_double(t, "tiny", 0, 1e-300);
    sonde_target(t, "some", some);
    sonde_classify(t, isnan(any), "nan");
    sonde_classify(t, any == floor(any), "whole");
    sonde_classify(t, tiny == 0, "zero");
    sonde_check(t, !(any > 1 && any < 1.01 && some > 0));
}

static void numbers(sonde *t)
{
    static const unsigned weights[] = {5, 0, 1, 3};
    int64_t wide = sonde_i64(t, "wide", INT64_MIN, INT64_MAX), x = sonde_int(t, "x", -70000, 70000);
    uint64_t most = sonde_u64(t, "most", 0, UINT64_MAX - 1);
    bool rare = sonde_chance(t, "rare", 0.1), coin = sonde_bool(t, "coin");
    size_t kind = sonde_weighted(t, "kind", weights, 4), one = sonde_pick(t, "one", 1000);
    sonde_classify(t, rare && coin, "rare");
    sonde_assume(t, kind != 2 || x > 0);
    sonde_check(t, !(wide > 0 && most % 64 == 7 && one > 900 && x < sonde_size(t)));
}

static void texts(sonde *t)
{
    size_t n = 0;
    const uint8_t *bytes = sonde_bytes(t, "bytes", 0, 40, &n);
    const char *word = sonde_string(t, "word", 0, SONDE_ANY), *few = sonde_string_of(t, "few", "abc", 2, 9);
    const char *code = sonde_utf8(t, "code", 1, 4), *number = sonde_regex(t, "number", "[+-]?[0-9]{1,3}(e[0-9])?");
    sonde_classify(t, n && bytes[0] == 0, "nul");
    sonde_classify(t, (unsigned char)code[0] > 127, "not ASCII");
    sonde_check(t, !(strstr(few, "cab") && strlen(word) > 9 && number[0] == '-'));
}

static void selections(sonde *t)
{
    int order[] = {1, 2, 3, 4, 5, 6}, n = 0;
    size_t some[6];
    int64_t unique[4];
    sonde_shuffle(t, "order", order, 6, sizeof *order);
    size_t chosen = sonde_subset(t, "some", 6, 0, 6, some);
    sonde_unique(t, "unique", -50, 50, 4, 4, unique);
    sonde_list xs = sonde_list_of(t, "xs", 0, SONDE_ANY);
    while (sonde_more(&xs)) n += sonde_int(t, "x", 0, 9) == 3;
    sonde_check(t, !(order[0] == 6 && chosen > 3 && n > 1 && unique[0] > unique[1]));
}

SONDE_MAIN(doubles, numbers, texts, selections)
