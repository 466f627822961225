/* cJSON: any bytes as text, and calls that change an array and an object. */
#include "kills/kills.h"

#include "cJSON.h"

#include <stdlib.h>

#define FUNCTIONS(_)                                                                                                   \
    _(ParseWithOpts)                                                                                                   \
    _(Print)                                                                                                           \
    _(PrintUnformatted)                                                                                                \
    _(Minify)                                                                                                          \
    _(Delete)                                                                                                          \
    _(Duplicate)                                                                                                       \
    _(Compare)                                                                                                         \
    _(CreateArray)                                                                                                     \
    _(CreateObject)                                                                                                    \
    _(AddItemToArray)                                                                                                  \
    _(AddItemToObject)                                                                                                 \
    _(InsertItemInArray)                                                                                               \
    _(DetachItemFromArray)                                                                                             \
    _(ReplaceItemInArray)                                                                                              \
    _(ReplaceItemInObject)                                                                                             \
    _(DeleteItemFromObjectCaseSensitive)
#define DECLARE(name) ORIGINAL(cJSON_##name);
#define FIELD(name) __typeof__(&cJSON_##name) name;
#define MINE(name) cJSON_##name,
#define THEIRS(name) original_cJSON_##name,
FUNCTIONS(DECLARE)

static const struct library {
    FUNCTIONS(FIELD)
} libraries[2] = {{FUNCTIONS(MINE)}, {FUNCTIONS(THEIRS)}};

enum { CALLS = 6, TEXTS = 16 };

struct call {
    int kind, at, key;
};

struct world {
    const struct library *c;
    char *texts[TEXTS]; /* all that is compared */
    int n;
};

static void add_text(struct world *w, char *text)
{
    if (w->n < TEXTS) w->texts[w->n++] = text;
    else free(text);
}

static void add_result(struct world *w, long result)
{
    char text[24];
    snprintf(text, sizeof text, "%ld", result);
    add_text(w, strdup(text));
}

static void add_printed(struct world *w, const cJSON *value)
{
    add_text(w, value ? w->c->PrintUnformatted(value) : NULL);
}

static void parse(struct world *w, const char *text, bool is_whole)
{
    const char *end = NULL;
    cJSON *value = w->c->ParseWithOpts(text, &end, is_whole);
    add_result(w, end ? end - text : -1);
    add_printed(w, value);
    if (!value) return;
    cJSON *copy = w->c->Duplicate(value, true);
    add_text(w, w->c->Print(copy));
    add_result(w, w->c->Compare(value, copy, true));
    w->c->Delete(copy);
    w->c->Delete(value);
}

static void minify(struct world *w, const char *text)
{
    char *copy = strdup(text);
    w->c->Minify(copy);
    add_text(w, copy);
}

static void change(struct world *w, const struct call *calls, const cJSON *items)
{
    static const char *const keys[] = {"k", "K", "key", ""};
    cJSON *array = w->c->CreateArray(), *object = w->c->CreateObject();
    for (int i = 0; i < CALLS; i++) {
        const struct call *call = &calls[i];
        cJSON *item = call->kind < 5 ? w->c->Duplicate(items, true) : NULL;
        switch (call->kind) {
        case 0: w->c->AddItemToArray(array, item); break;
        case 1: add_result(w, w->c->InsertItemInArray(array, call->at, item)); break;
        case 2:
            if (!w->c->ReplaceItemInArray(array, call->at, item)) w->c->Delete(item);
            break;
        case 3: w->c->AddItemToObject(object, keys[call->key], item); break;
        case 4:
            if (!w->c->ReplaceItemInObject(object, keys[call->key], item)) w->c->Delete(item);
            break;
        case 5: w->c->Delete(w->c->DetachItemFromArray(array, call->at)); break;
        default: w->c->DeleteItemFromObjectCaseSensitive(object, keys[call->key]);
        }
    }
    add_printed(w, array);
    add_printed(w, object);
    w->c->Delete(array);
    w->c->Delete(object);
}

static void agrees(sonde *t)
{
    struct world worlds[2] = {{.c = &libraries[0]}, {.c = &libraries[1]}};
    char text[41] = "";
    size_t n;
    const uint8_t *bytes = sonde_bytes(t, "text", 0, 40, &n);
    memcpy(text, bytes, n);
    bool is_whole = sonde_bool(t, "whole");
    struct call calls[CALLS];
    for (int i = 0; i < CALLS; i++) {
        calls[i].kind = (int)sonde_pick(t, "call", 7);
        calls[i].at = (int)sonde_int(t, "at", -1, 4);
        calls[i].key = (int)sonde_pick(t, "key", 4);
    }
    for (int i = 0; i < 2; i++) {
        struct world *w = &worlds[i];
        cJSON *number = w->c->CreateArray();
        parse(w, text, is_whole);
        minify(w, text);
        change(w, calls, number);
        w->c->Delete(number);
    }
    bool is_same = worlds[0].n == worlds[1].n;
    for (int i = 0; i < worlds[0].n && is_same; i++) {
        const char *a = worlds[0].texts[i], *b = worlds[1].texts[i];
        is_same = !a == !b && (!a || strcmp(a, b) == 0);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < worlds[k].n; i++) free(worlds[k].texts[i]);
    sonde_check(t, is_same);
}

KILLS_MAIN
