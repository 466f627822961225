/* Strings of hiredis: calls that change a string, and lines that are split into arguments. */
#include "kills/kills.h"

#include "sds.h"

#define FUNCTIONS(_)                                                                                                   \
    _(newlen)                                                                                                          \
    _(catlen)                                                                                                          \
    _(trim)                                                                                                            \
    _(range)                                                                                                           \
    _(growzero)                                                                                                        \
    _(catrepr)                                                                                                         \
    _(catfmt)                                                                                                          \
    _(mapchars)                                                                                                        \
    _(cpylen)                                                                                                          \
    _(cmp)                                                                                                             \
    _(splitargs)                                                                                                       \
    _(splitlen)                                                                                                        \
    _(freesplitres)                                                                                                    \
    _(RemoveFreeSpace)                                                                                                 \
    _(free)
#define DECLARE(name) ORIGINAL(sds##name);
#define FIELD(name) __typeof__(&sds##name) name;
#define MINE(name) sds##name,
#define THEIRS(name) original_sds##name,
FUNCTIONS(DECLARE)

static const struct library {
    FUNCTIONS(FIELD)
} libraries[2] = {{FUNCTIONS(MINE)}, {FUNCTIONS(THEIRS)}};

struct call {
    int kind, a, b;
    const char *text;
};

static sds apply(const struct library *c, sds s, const struct call *call)
{
    size_t n = strlen(call->text);
    switch (call->kind) {
    case 0: return c->catlen(s, call->text, n);
    case 1: return c->trim(s, call->text);
    case 2: c->range(s, call->a, call->b); return s;
    case 3: return c->growzero(s, (size_t)(call->a + 40) * 4);
    case 4: return c->catrepr(s, call->text, n);
    case 5: return c->catfmt(s, "%s %i %%%U", call->text, call->a, (unsigned long long)(call->b + 40) * 1000003);
    case 6: return c->mapchars(s, call->text, call->text + n / 2, n / 2);
    case 7: return c->cpylen(s, call->text, n);
    default: return c->RemoveFreeSpace(s);
    }
}

static void check_same(sonde *t, const char *got, const char *want)
{
    sonde_check(t, !got == !want);
    if (!want) return;
    sonde_check_eq(t, sdslen((sds)got), sdslen((sds)want));
    sonde_check_mem_eq(t, got, want, sdslen((sds)want) + 1);
}

static void check_parts(sonde *t, sds *got, int n_got, sds *want, int n_want)
{
    sonde_check_eq(t, n_got, n_want);
    sonde_check(t, !got == !want);
    for (int i = 0; want && i < n_want; i++) check_same(t, got[i], want[i]);
    libraries[0].freesplitres(got, n_got);
    libraries[1].freesplitres(want, n_want);
}

static void agrees(sonde *t)
{
    sds s[2] = {libraries[0].newlen("", 0), libraries[1].newlen("", 0)};
    for (sonde_list calls = sonde_list_of(t, "calls", 0, 8); sonde_more(&calls);) {
        struct call call;
        call.kind = (int)sonde_pick(t, "call", 9);
        call.a = (int)sonde_int(t, "a", -40, 40);
        call.b = (int)sonde_int(t, "b", -40, 40);
        call.text = sonde_string(t, "string", 0, 20);
        for (int i = 0; i < 2; i++) s[i] = apply(&libraries[i], s[i], &call);
        check_same(t, s[0], s[1]);
        sonde_check(t, libraries[0].cmp(s[0], s[1]) == 0);
    }
    const char *line = sonde_string(t, "line", 0, 20);
    const char *separator = sonde_string(t, "separator", 1, 2);
    int n[2];
    sds *parts[2];
    for (int i = 0; i < 2; i++) parts[i] = libraries[i].splitargs(line, &n[i]);
    check_parts(t, parts[0], n[0], parts[1], n[1]);
    for (int i = 0; i < 2; i++)
        parts[i] = libraries[i].splitlen(line, (int)strlen(line), separator, (int)strlen(separator), &n[i]);
    check_parts(t, parts[0], n[0], parts[1], n[1]);
    for (int i = 0; i < 2; i++) libraries[i].free(s[i]);
}

KILLS_MAIN
