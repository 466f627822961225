/* See objects.h. Nothing in C marks a constructor, so types and names decide: it gives an object and needs none of the
 * same type. Among several, the one with the plainest name and the fewest parameters is taken. */
#include "objects.h"

#include "roles.h"

#include <ctype.h>
#include <string.h>

static const char *const making_words[] = {"new",   "create", "init", "alloc", "make", "construct",
                                           "build", "setup",  "ctor", "empty", NULL};
static const char *const opening_words[] = {"open", "begin",  "start",   "parse", "load", "loads",
                                            "read", "decode", "compile", "from",  NULL};
static const char *const closing_words[] = {"unref",    "decref",     "free",     "destroy",   "delete", "close",
                                            "release",  "cleanup",    "dispose",  "deinit",    "fini",   "finish",
                                            "finalize", "deallocate", "dealloc",  "term",      "end",    "abort",
                                            "drop",     "uninit",     "teardown", "terminate", "deref",  "unload",
                                            "done",     "put",        NULL};
static const char *const path_words[] = {"path", "file", "filename", "fname", "pathname", NULL};
static const char *const outside_words[] = {"dir", "host", "port", "command", "socket", "sockfd", NULL};

/* Reports whether a name has a word, or ends with one, as sdsfree does. */
static bool has_word_or_end(const char *name, const char *const *words)
{
    if (has_word(name, words)) return true;
    for (; *words; words++) {
        size_t n = strlen(name), k = strlen(*words);
        if (n > k && !strcasecmp(name + n - k, *words)) return true;
    }
    return false;
}

/* Reports whether a word of a name begins with this one: "attach" in x_attachframe. */
static bool begins_word(const char *name, const char *word)
{
    for (const char *at = name; *at; at++)
        if (!strncasecmp(at, word, strlen(word))
            && (at == name || !isalpha((unsigned char)at[-1]) || isupper((unsigned char)*at)))
            return true;
    return false;
}

/* ---- Makers */

static bool is_same_object(const struct type *type, const char *key)
{
    const char *other = object_key(type);
    return other && !strcmp(other, key);
}

/* Returns what a parameter of a maker costs; the maker with the cheapest parameters is taken. */
static int cost_of(const struct prototype *p, uint32_t i, const char *key)
{
    const struct type *type = p->types[i];
    bool is_path =
        !*p->names[i] && is_text_pointer(type) && has_word_or_end(p->name, (const char *const[]){"open", NULL});
    if (has_word(p->names[i], outside_words)) return 200;
    if (is_path || has_word_or_end(p->names[i], path_words)) return is_text_pointer(type) ? 30 : 200;
    if (is_descriptor(p, i)) return 45;
    if (type->kind <= TYPE_ENUM) return 4;
    if (type->kind != TYPE_POINTER) return 40;
    if (is_same_object(type, key)) return 20;
    if (is_text_pointer(type) || is_byte_pointer(type))
        return type->of->kind == TYPE_VOID && !type->of->is_qualified ? 5 : 7;
    if (type->of->kind <= TYPE_ENUM && !type->of->is_qualified) return 5; /* receives a number, such as an error */
    if (type->of->kind == TYPE_FUNCTION) return 60;
    if (type->of->kind == TYPE_RECORD) return 40; /* its fields may be anything */
    /* A function that only returns something of another object is a getter. */
    bool makes = has_word_or_end(p->name, making_words) || has_word_or_end(p->name, opening_words);
    return !object_key(type) ? 40 : makes ? 20 : 70;
}

static int closing_score(const struct prototype *p, const char *key, bool is_inplace);

/* Reports whether a function of the header frees objects with this key. */
static bool is_freed(const char *key)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    for (uint32_t i = 0; i < n; i++)
        if (closing_score(&all[i], key, false)) return true;
    return false;
}

/* Returns how a function creates objects with this key, and in *at the parameter. */
static enum making making_of(const struct prototype *p, const char *key, uint32_t *at)
{
    const struct type *result = p->result;
    bool is_named = is_named_maker(p);
    if (result->kind == TYPE_POINTER && is_same_object(result, key) && !result->of->is_qualified
        && (is_named || is_freed(key)))
        return MAKES_RESULT;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct type *type = p->types[i], *of = type->kind == TYPE_POINTER ? type->of : NULL;
        *at = i;
        if (of && of->kind == TYPE_POINTER && !of->is_qualified && is_same_object(of, key) && is_named)
            return MAKES_OUT;
    }
    *at = 0;
    bool is_struct = p->n && p->types[0]->kind == TYPE_POINTER && p->types[0]->of->kind == TYPE_RECORD
                     && !p->types[0]->of->is_qualified;
    static const char *const inits[] = {"init", "initialize", "initialise", "setup",   "ctor", "construct",
                                        "new",  "create",     "comp",       "compile", NULL};
    /* cfg_init(options) returns another object, and does not begin the options. */
    bool gives_other = result->kind == TYPE_POINTER && object_key(result) && !is_same_object(result, key);
    if (is_struct && !gives_other && is_same_object(p->types[0], key) && has_word_or_end(p->name, inits))
        return MAKES_INPLACE;
    return MAKES_NOTHING;
}

static int score_of(const struct prototype *p, enum making making, uint32_t at, const char *key)
{
    int score = has_word_or_end(p->name, making_words) ? 200 : has_word_or_end(p->name, opening_words) ? 120 : 100;
    if (making == MAKES_INPLACE) score -= 10;
    if (p->is_deprecated) score -= 50;
    for (uint32_t i = 0; i < p->n; i++) {
        if (making != MAKES_RESULT && i == at) continue;
        /* A getter returns one object from another of its type. A parent may be NULL. */
        if (is_same_object(p->types[i], key) && (making != MAKES_OUT || !has_word_or_end(p->name, making_words)))
            if (!has_word_or_end(p->name, opening_words) || making != MAKES_OUT) return 0;
        score -= cost_of(p, i, key);
    }
    return score;
}

/* Returns the number of words of one name that are in another. */
static int common_words(const char *a, const char *b)
{
    int n = 0;
    for (const char *at = a; *at;) {
        size_t k = 1;
        while (at[k] && at[k] != '_' && !(isupper((unsigned char)at[k]) && islower((unsigned char)at[k - 1]))) k++;
        n += has_word(b, (const char *const[]){keep_format("%.*s", (int)k, at), NULL});
        at += k;
        while (*at == '_') at++;
    }
    return n;
}

struct maker maker_by(const struct type *pointer, const struct prototype *p)
{
    const char *key = object_key(pointer);
    bool is_internal = *p->name == '_' || p->name[strlen(p->name) - 1] == '_'; /* behind a macro */
    uint32_t at = 0;
    enum making making = !key || p->is_variadic || p->n > 8 || is_internal ? MAKES_NOTHING : making_of(p, key, &at);
    return making == MAKES_NOTHING ? (struct maker){MAKES_NOTHING, NULL, 0} : (struct maker){making, p, at};
}

/* A maker with a lower score is a guess too bold. */
enum { LEAST_SCORE = 20 };

/* Returns how likely a maker is the one to take for a call of `name`, which may be NULL. */
static int likelihood(const struct maker *m, const struct type *pointer, const char *name)
{
    int score = m->making == MAKES_NOTHING ? 0 : score_of(m->p, m->making, m->at, object_key(pointer));
    return score > 0 && name ? score + 40 * common_words(m->p->name, name) : score;
}

struct maker maker_for(const struct type *pointer, const char *name)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    struct maker best = {MAKES_NOTHING, NULL, 0};
    int most = LEAST_SCORE;
    for (uint32_t i = 0; i < n; i++) {
        struct maker m = maker_by(pointer, &all[i]);
        int score = likelihood(&m, pointer, name);
        if (score > most) most = score, best = m;
    }
    return best;
}

bool is_user(const struct type *pointer, const struct prototype *p)
{
    return p->n && object_key(pointer) && is_same_object(p->types[0], object_key(pointer))
           && !p->types[0]->of->is_qualified;
}

/* Reports whether a function puts another object into one of this type: attach_frame, append_child. */
static bool is_filler(const struct type *pointer, const struct prototype *p)
{
    static const char *const verbs[] = {"attach", "add", "append", "insert"};
    bool is_verb = false;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) is_verb |= begins_word(p->name, verbs[i]);
    return is_verb && p->n == 2 && is_user(pointer, p) && object_key(p->types[1]) && is_made(p->types[1]);
}

uint32_t starters_of(const struct type *pointer, const char *name, const char **all, uint32_t most)
{
    static const char *const words[] = {"reset", "init", "start",     "begin",    "setup",
                                        "open",  "fix",  "normalize", "normalise"};
    struct maker chosen = maker_for(pointer, name);
    struct prototype *p;
    uint32_t n_all = read_prototypes(&p), n = 0;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        for (uint32_t i = 0; i < n_all && n < most; i++)
            if (is_user(pointer, &p[i]) && &p[i] != chosen.p && maker_by(pointer, &p[i]).making == MAKES_NOTHING
                && has_word(p[i].name, (const char *const[]){words[w], NULL}))
                all[n++] = p[i].name;
    for (uint32_t i = 0; i < n_all && n < most; i++)
        if (is_filler(pointer, &p[i])) all[n++] = p[i].name;
    for (uint32_t i = 0; i < n_all && n < most; i++) {
        struct maker m = maker_by(pointer, &p[i]);
        if (m.p != chosen.p && likelihood(&m, pointer, name) > LEAST_SCORE) all[n++] = p[i].name;
    }
    return n;
}

uint32_t makers_of(const struct type *pointer, struct maker *all, uint32_t most)
{
    struct prototype *p;
    uint32_t n_all = read_prototypes(&p), n = 0;
    for (uint32_t i = 0; i < n_all; i++) {
        struct maker m = maker_by(pointer, &p[i]);
        int score = likelihood(&m, pointer, NULL);
        if (score <= LEAST_SCORE) continue;
        uint32_t at = n; /* sorted, the likeliest first */
        while (at > 0 && likelihood(&all[at - 1], pointer, NULL) < score) at--;
        if (at == most) continue;
        if (n < most) n++;
        memmove(all + at + 1, all + at, (n - 1 - at) * sizeof *all);
        all[at] = m;
    }
    return n;
}

struct maker maker_of(const struct type *pointer)
{
    static struct known {
        const char *key;
        struct maker maker;
    } * all;
    static uint32_t n, cap;
    const char *key = object_key(pointer);
    for (uint32_t i = 0; key && i < n; i++)
        if (!strcmp(all[i].key, key)) return all[i].maker;
    struct maker maker = maker_for(pointer, NULL);
    if (key) *PUSH(all, n, cap) = (struct known){key, maker};
    return maker;
}

bool is_made(const struct type *pointer)
{
    return maker_of(pointer).making != MAKES_NOTHING;
}

bool is_named_maker(const struct prototype *p)
{
    return has_word_or_end(p->name, making_words) || has_word_or_end(p->name, opening_words);
}

bool is_maker(const struct prototype *p)
{
    bool has_object = p->n && object_key(p->types[0]);
    bool returns = p->result->kind == TYPE_POINTER && object_key(p->result) && !p->result->of->is_qualified;
    bool is_text = is_text_pointer(p->result); /* x_save_alloc_string(x *) prints an object */
    return has_word_or_end(p->name, making_words) && (returns || (has_object && !is_text));
}

bool is_replacing(const struct prototype *p)
{
    const char *key = p->n ? object_key(p->types[0]) : NULL;
    return key && !strcmp(key, p->types[0]->name) && is_same_object(p->result, key);
}

bool is_copier(const struct prototype *p)
{
    static const char *const words[] = {"dup", "copy", "clone", "duplicate", NULL};
    const char *key = p->n ? object_key(p->types[0]) : NULL;
    return key && is_same_object(p->result, key) && has_word_or_end(p->name, words) && closer_of(p->result);
}

/* ---- Closers */

bool is_closer(const struct prototype *p)
{
    static const char *const also[] = {"clear", "reset", "steal", "detach", "disown", "take", "exit", NULL};
    return has_word_or_end(p->name, closing_words) || has_word(p->name, also);
}

/* Reports whether a function takes only an object with this key, or its address. */
static bool takes_only(const struct prototype *p, const char *key, bool *by_address)
{
    const struct type *type = p->n == 1 ? p->types[0] : NULL;
    if (!type || type->kind != TYPE_POINTER || p->is_variadic) return false;
    *by_address = type->of->kind == TYPE_POINTER && is_same_object(type->of, key);
    return *by_address || is_same_object(type, key);
}

bool can_free(const struct type *pointer, const struct prototype *p)
{
    bool by_address;
    return object_key(pointer) && takes_only(p, object_key(pointer), &by_address);
}

/* Returns how well a function frees the object: earlier words are better; 0: it does not. */
static int closing_score(const struct prototype *p, const char *key, bool is_inplace)
{
    bool by_address;
    if (p->result->kind == TYPE_RECORD || !takes_only(p, key, &by_address)) return 0; /* an iterator, not a status */
    if (has_word(p->name, (const char *const[]){"get", "is", "has", NULL})) return 0; /* x_get_free_format */
    int score = by_address ? 150 : 200;
    static const char *const clear[] = {"clear", "clean", "wipe", "reset", NULL};
    for (size_t i = 0; closing_words[i]; i++)
        if (has_word_or_end(p->name, (const char *const[]){closing_words[i], NULL})) return score - (int)i;
    if (strstr(p->name, "_free") && !strstr(p->name, "_freez")) return score - 50; /* x_freedict */
    for (size_t i = 0; is_inplace && clear[i]; i++)                                /* a reset may keep the memory */
        if (has_word_or_end(p->name, (const char *const[]){clear[i], NULL})) return score - 100 - (int)i;
    return 0;
}

const struct prototype *general_closer(bool is_text)
{
    static const char *const texts[] = {"string", "str", "text", NULL}, *const frees[] = {"free", NULL};
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    const struct prototype *best = NULL;
    for (uint32_t i = 0; i < n; i++) {
        const struct type *type = all[i].n == 1 ? all[i].types[0] : NULL;
        if (!type || type->kind != TYPE_POINTER || !type->name || !strchr(type->name, '*')
            || type->of->kind != TYPE_VOID || !has_word_or_end(all[i].name, frees))
            continue;
        if (!best || has_word(all[i].name, texts) == is_text) best = &all[i];
    }
    return best;
}

const struct prototype *memory_closer(const struct type *type, const char *maker)
{
    static const char *const frees[] = {"free", "freemem", NULL};
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    const struct prototype *best = NULL;
    int most = -1;
    for (uint32_t i = 0; i < n; i++) {
        const struct type *of = all[i].n == 1 ? all[i].types[0] : NULL;
        if (!of || !of->key || !type->key || strcmp(of->key, type->key) != 0 || !has_word_or_end(all[i].name, frees))
            continue;
        int score = common_words(all[i].name, maker);
        if (score > most) most = score, best = &all[i];
    }
    return best ? best : general_closer(true);
}

const struct prototype *closer_of(const struct type *pointer)
{
    return closer_for(pointer, NULL);
}

const struct prototype *closer_for(const struct type *pointer, const char *maker)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    const struct prototype *best = NULL;
    const char *key = object_key(pointer);
    bool is_inplace = maker_of(pointer).making == MAKES_INPLACE;
    int most = 0;
    for (uint32_t i = 0; key && i < n; i++) {
        int score = 4 * closing_score(&all[i], key, is_inplace);
        if (!score) continue;
        score -= (int)strlen(all[i].name) / 4; /* mp_clear before mp_clear_extra */
        if (maker) score += 30 * common_words(all[i].name, maker);
        if (score > most) most = score, best = &all[i];
    }
    return best;
}

uint32_t stoppers_of(const struct type *pointer, const char *maker, const char **all, uint32_t most)
{
    struct prototype *p;
    uint32_t n_all = read_prototypes(&p), n = 0;
    const struct prototype *chosen = closer_for(pointer, maker);
    bool is_inplace = maker_of(pointer).making == MAKES_INPLACE;
    for (uint32_t i = 0; i < n_all && n < most; i++)
        if (&p[i] != chosen && can_free(pointer, &p[i]) && closing_score(&p[i], object_key(pointer), is_inplace))
            all[n++] = p[i].name;
    return n;
}
