/* Proposes tests that the names in a header suggest. A proposal is only a guess here: new.c writes and compiles it. */
#include "legs.h"
#include "new.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Words that belong together, with alternatives after |, and what they say. */
#define UNDO "'%s' and '%s' undo each other"
#define STORE "'%s' stores what '%s' returns"
#define LIVE "'%s' creates what '%s' frees"
static const struct {
    const char *there, *back, *reason;
} inverses[] = {
    {"encode", "decode", UNDO},
    {"coding", "decoding", UNDO},
    {"pack", "unpack", UNDO},
    {"compress", "uncompress|decompress|expand", UNDO},
    {"deflate", "inflate", UNDO},
    {"escape", "unescape", UNDO},
    {"encrypt", "decrypt", UNDO},
    {"seal", "open|unseal", UNDO},
    {"marshal", "unmarshal", UNDO},
    {"quote", "unquote", UNDO},
    {"wrap", "unwrap", UNDO},
    {"freeze", "thaw", UNDO},
    {"forward", "inverse|backward", UNDO},
    {"print|format|write|emit|generate|build|dump|save|store|serialize|serialise|render|export|to|to_string|"
     "tostring|unparse|stringify",
     "parse|read|load|scan|import|deserialize|deserialise|from|from_string", UNDO},
    {"dumps", "loads", UNDO},
    {"dumpb", "loadb", UNDO},
    {"to_ascii", "to_unicode", UNDO},
    {"ntop", "pton", UNDO},
    {"ntoa", "aton", UNDO},
    {"join", "split", UNDO},
    {"set|put|add|insert|append|store", "get|fetch|retrieve", STORE},
    {"add", "remove", STORE},
    {"insert|add|put", "find|lookup|search", STORE},
    {"enqueue", "dequeue", STORE},
    {"push", "pop", STORE},
    {"open", "close", LIVE},
    {"start", "stop", LIVE},
    {"begin", "end", LIVE},
    {"load", "unload", LIVE},
    {"create|new|alloc|allocate|init|initialize|initialise|setup|construct|make",
     "destroy|free|delete|term|terminate|exit|close|release|cleanup|dispose|deinit|fini|final|finish|finalize|finalise|"
     "uninit|teardown|unref|deallocate|dealloc|clear",
     LIVE},
    {"open|create|new|alloc|init|setup|make|begin|start|load|parse|get|acquire",
     "close|destroy|free|delete|release|cleanup|dispose|final|finish|finalize|done|end|stop|shutdown|unref", LIVE}};
/* Words at the end of a name that say which variant of a function it is, and not what it does. */
static const char *const variants[] = {"default", "safe",  "fast",    "simple", "ex",  "s",      "n",    "r",
                                       "string",  "str",   "buffer",  "buf",    "mem", "memory", "data", "bytes",
                                       "alloc",   "new",   "generic", "single", "all", "one",    "2",    "z",
                                       "8z",      "block", "update",  "char",   NULL};
/* Suffixes of a second implementation of the same function. */
static const char *const seconds[] = {"_fast", "_slow", "_ref",  "_reference", "_naive", "_simple",
                                      "_old",  "_new",  "_simd", "_scalar",    "2"};

/* ---- Names */

/* Reports whether a verb continues as a noun for a thing that does it: "encoder", "compressor". */
static bool is_noun(const char *rest, char last)
{
    size_t n = *rest == 'r' && last == 'e' ? 1 : !strncmp(rest, "er", 2) || !strncmp(rest, "or", 2) ? 2 : 0;
    return n && !islower((unsigned char)rest[n]);
}

/* Returns the first position from `at` on where a word of the name begins: at its start, after _ or a digit, at a
 * capital. NULL: there is none. */
static const char *find_start(const char *name, const char *at)
{
    for (; *at; at++)
        if (at == name || !isalpha((unsigned char)at[-1])
            || (isupper((unsigned char)*at) && islower((unsigned char)at[-1])))
            return at;
    return NULL;
}

/* Reports whether "get" or "set" may be a verb before these letters, as in "getint", but not in "getter" or "setup". */
static bool is_glued(const char *word, const char *rest)
{
    return (!strcmp(word, "get") || !strcmp(word, "set")) && !strchr("tu", *rest) && rest[1];
}

/* Returns the position of a word in a name. "unpack" does not have "pack". NULL: the name does not have it. */
static const char *find_verb(const char *name, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = name; (at = find_start(name, at)); at++) {
        if (strncasecmp(at, word, n) != 0) continue;
        bool ends = !islower((unsigned char)at[n]) || is_glued(word, at + n);
        if (ends || (n > 3 && !is_noun(at + n, word[n - 1]))) return at;
    }
    return NULL;
}

/* Removes words for variants from the end of a name's rest, and words with digits after the first; adds their number to
 * *n. */
static const char *without_variants(const char *rest, unsigned *n)
{
    const char *plain = keep_format("%.*s", (int)strcspn(rest, "_"), rest);
    for (const char *at = rest + strcspn(rest, "_"); *at;) {
        at += strspn(at, "_");
        size_t k = strcspn(at, "_");
        bool has_digit = strcspn(at, "0123456789") < k;
        if (k && !has_digit) plain = keep_format("%s_%.*s", plain, (int)k, at);
        *n += has_digit;
        at += k;
    }
    rest = plain;
    for (bool found = true; found;) {
        found = false;
        for (size_t i = 0; variants[i] && !found; i++) {
            size_t k = strlen(variants[i]), all = strlen(rest);
            if (all < k || strcasecmp(rest + all - k, variants[i]) != 0) continue;
            if (all > k && rest[all - k - 1] != '_' && !isupper((unsigned char)rest[all - k])) continue;
            rest = keep_format("%.*s", (int)(all - k - (all > k && rest[all - k - 1] == '_')), rest);
            found = true;
            ++*n;
        }
    }
    return rest;
}

/* Returns how much two names differ apart from their verbs: 0 is not at all; 100: they belong to different things. */
static unsigned difference(const char *a, const char *va, size_t na, const char *b, const char *vb, size_t nb)
{
    unsigned n = 0;
    size_t before = (size_t)(va - a);
    if ((size_t)(vb - b) == before && !strncasecmp(a, b, before) && !strcmp(va + na, vb + nb)) return 0;
    const char *x = without_variants(keep_format("%.*s%s", (int)before, a, va + na), &n);
    const char *y = without_variants(keep_format("%.*s%s", (int)(vb - b), b, vb + nb), &n);
    return !strcasecmp(x, y) ? 1 + n : 100;
}

/* Returns the next of several words that are separated by |, and moves *words behind it; NULL at the end. */
static const char *next_word(const char **words)
{
    size_t n = strcspn(*words, "|");
    const char *word = n ? keep_format("%.*s", (int)n, *words) : NULL;
    *words += n + ((*words)[n] == '|');
    return word;
}

/* Reports whether one name is the other with the words beside `middle` swapped: bin2hex and hex2bin, short_to_float and
 * float_to_short, canonicalFromHash and hashFromCanonical. */
static bool is_swapped_at(const char *a, const char *b, const char *middle)
{
    bool is_camel = isupper((unsigned char)*middle);
    for (const char *at = a; (at = strstr(at, middle)); at++) {
        const char *from = at, *right = at + strlen(middle), *end = right;
        while (from > a && isalnum((unsigned char)from[-1])
               && !(is_camel && from < at && isupper((unsigned char)*from)))
            from--;
        while (isalnum((unsigned char)*end) && !(is_camel && end > right && isupper((unsigned char)*end))) end++;
        if (from == at || end == right) continue;
        if (!strcasecmp(b, keep_format("%.*s%.*s%s%.*s%s", (int)(from - a), a, (int)(end - right), right, middle,
                                       (int)(at - from), from, end)))
            return true;
    }
    return false;
}

static bool is_swapped(const char *a, const char *b)
{
    static const char *const middles[] = {"2", "_to_", "To", "_from_", "From"};
    for (size_t i = 0; i < sizeof middles / sizeof *middles; i++)
        if (is_swapped_at(a, b, middles[i])) return strcasecmp(a, b) != 0;
    return false;
}

/* Reports whether b is the name a with a word or prefix for the opposite: inverse_bw_transform, unshuffle. */
static bool is_opposite(const char *a, const char *b)
{
    static const char *const prefixes[] = {"inverse_", "inverse", "inv_", "inv", "reverse_", "un", "de"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        for (const char *at = b; (at = find_start(b, at)); at++) {
            size_t n = strlen(prefixes[i]);
            if (!strncasecmp(at, prefixes[i], n) && !strcasecmp(a, keep_format("%.*s%s", (int)(at - b), b, at + n)))
                return true;
        }
    return false;
}

/* ---- Proposals */

/* The list that is being made. */
struct listing {
    struct prototype *all;
    uint32_t n;
    struct proposal *proposals;
    uint32_t n_proposals, cap_proposals;
    uint32_t n_exact; /* the first proposals, of names that fit exactly */
};

/* Reports whether a function is meant to be called by users: not one like inflateInit_, behind a macro. */
static bool is_for_users(const struct prototype *p)
{
    return !p->is_deprecated && !p->is_part && *p->name != '_' && p->name[strlen(p->name) - 1] != '_';
}

static bool takes_socket(const struct prototype *p)
{
    static const char *const words[] = {"socket", "sock", "sockfd", NULL};
    for (uint32_t i = 0; i < p->n; i++)
        if (has_word(p->names[i], words)) return true;
    return false;
}

static struct proposal *propose(struct listing *l, const char *kind, const char *reason)
{
    struct proposal *p = PUSH(l->proposals, l->n_proposals, l->cap_proposals);
    p->kind = kind;
    p->reason = reason;
    return p;
}

static void add_name(struct proposal *p, const char *name)
{
    *PUSH(p->names, p->n, p->cap) = name;
}

static bool takes_object(const struct prototype *p)
{
    return p->n && object_key(p->types[0]) && is_made(p->types[0]);
}

static bool is_proposed(const struct listing *l, const char *a, const char *b)
{
    for (uint32_t i = 0; i < l->n_proposals; i++) {
        const struct proposal *p = &l->proposals[i];
        if (p->n == 2
            && ((!strcmp(p->names[0], a) && !strcmp(p->names[1], b))
                || (!strcmp(p->names[0], b) && !strcmp(p->names[1], a))))
            return true;
    }
    return false;
}

/* Returns the number of proposals of two that a function is in, among the first n, and that can be written. */
static unsigned partners_among(const struct listing *l, const char *name, uint32_t n)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < l->proposals[i].n && !l->proposals[i].why_not; k++)
            found += !strcmp(l->proposals[i].names[k], name);
    return found;
}

/* Reports whether a function has a partner already whose name fits exactly. */
static bool has_partner(const struct listing *l, const char *name)
{
    return partners_among(l, name, l->n_exact) > 0;
}

/* Returns the number of proposed pairs that a function is in. */
static unsigned partners_of(const struct listing *l, const char *name)
{
    return partners_among(l, name, l->n_proposals);
}

/* Sets why_not of a proposal that cannot be written. */
static void check_writable(struct proposal *p)
{
    static struct new_request o = {.header = ""};
    complaints_hold();
    bool ok = write_proposal(&o, p);
    const char *why = complaints_release();
    p->why_not = ok ? NULL : why ? why : "it cannot be written";
}

/* Proposes a roundtrip. One that cannot be written is kept for the list of what was left out. */
static void propose_pair(struct listing *l, const char *a, const char *b, const char *reason)
{
    if (is_proposed(l, a, b)) return;
    struct proposal *p = propose(l, "roundtrip", reason);
    add_name(p, a);
    add_name(p, b);
    check_writable(p);
}

/* Two functions that may belong together. */
struct match {
    const char *a, *b, *reason;
    unsigned difference;
    uint32_t rank; /* of what creates and frees: how unusual the two verbs are together; else 0 */
};

/* Adds a match of two functions with the verbs `there` and `back`, if the rest of their names fits at all. */
static void add_match(struct match **all, uint32_t *n, uint32_t *cap, const struct prototype *p, const char *there,
                      const struct prototype *q, const char *back, const char *reason, uint32_t rank)
{
    const char *a = p->name, *b = q->name, *va = find_verb(a, there), *vb = find_verb(b, back);
    bool is_life = reason[sizeof "'%s' " - 1] == 'c'; /* creates */
    if (!va || !vb || p == q || !is_for_users(p) || !is_for_users(q)) return;
    if (!is_life && (is_maker(p) || is_closer(q) || is_maker(q))) return;
    unsigned differs = difference(a, va, strlen(there), b, vb, strlen(back));
    if (differs >= 100 || takes_socket(p) || takes_socket(q)) return;
    unsigned same = 0; /* of equal differences, the one with more in common behind the verb */
    for (const char *x = va + strlen(there), *y = vb + strlen(back); *x && *x == *y && same < 63; x++, y++) same++;
    *PUSH(*all, *n, *cap) =
        (struct match){a, b, keep_format(reason, there, back), 64 * differs - same * (differs > 0), is_life ? rank : 0};
}

/* Adds the pairs of verbs whose names fit at all. */
static void find_matches(const struct listing *l, struct match **all, uint32_t *n)
{
    uint32_t cap = 0, rank = 0;
    for (size_t k = 0; k < sizeof inverses / sizeof *inverses; k++)
        for (const char *there, *from = inverses[k].there; (there = next_word(&from));)
            for (const char *back, *to = inverses[k].back; (back = next_word(&to)); rank++)
                for (uint32_t i = 0; i < l->n; i++)
                    for (uint32_t m = 0; find_verb(l->all[i].name, there) && m < l->n; m++)
                        add_match(all, n, &cap, &l->all[i], there, &l->all[m], back, inverses[k].reason, rank);
}

static int compare_matches(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    if (x->difference != y->difference) return x->difference < y->difference ? -1 : 1;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return strcmp(x->a, y->a) ? strcmp(x->a, y->a) : strcmp(x->b, y->b);
}

/* Proposes roundtrips of pairs of verbs, those with the most similar names first. Of x_new, x_open, x_close and x_free,
 * the usual pairs are proposed, and others only for what would have no partner. Pairs whose names do not fit exactly
 * are proposed only for functions without an exact partner, and at most two for each. */
static void propose_inverses(struct listing *l)
{
    enum { MOST_PARTNERS = 2 };
    struct match *all = NULL;
    uint32_t n = 0;
    find_matches(l, &all, &n);
    if (n) qsort(all, n, sizeof *all, compare_matches);
    for (uint32_t i = 0; i < n && !all[i].difference; i++)
        if (!all[i].rank || (!partners_of(l, all[i].a) && !partners_of(l, all[i].b)))
            propose_pair(l, all[i].a, all[i].b, all[i].reason);
    for (uint32_t i = 0; i < n && !all[i].difference; i++)
        if (all[i].rank && (!partners_of(l, all[i].a) || !partners_of(l, all[i].b)))
            propose_pair(l, all[i].a, all[i].b, all[i].reason);
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t m = 0; m < l->n; m++) {
            const struct prototype *p = &l->all[i], *q = &l->all[m];
            if (m == i || !is_for_users(p) || !is_for_users(q) || is_maker(p) || is_maker(q)) continue;
            if (m > i && is_swapped(p->name, q->name)) propose_pair(l, p->name, q->name, "two words are swapped");
            if (is_opposite(p->name, q->name)) propose_pair(l, p->name, q->name, "a prefix means the opposite");
        }
    l->n_exact = l->n_proposals;
    for (uint32_t i = 0; i < n; i++) {
        if (!all[i].difference || has_partner(l, all[i].a) || has_partner(l, all[i].b)) continue;
        if (partners_of(l, all[i].a) >= MOST_PARTNERS || partners_of(l, all[i].b) >= MOST_PARTNERS) continue;
        propose_pair(l, all[i].a, all[i].b, all[i].reason);
    }
}

/* Proposes pairs by their parameters: a number that one function writes as bytes and the other reads from bytes, under
 * one name. Example: encode_char(int32_t codepoint, uint8_t *dst), iterate(bytes, n, int32_t *codepoint_ref). */
static void propose_named(struct listing *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t m = 0; m < l->n; m++) {
            const struct prototype *a = &l->all[i], *b = &l->all[m];
            if (i == m || a->n > MOST_ARGUMENTS || b->n > MOST_ARGUMENTS || !is_for_users(a) || !is_for_users(b))
                continue;
            struct roles r = roles_of(a), s = roles_of(b);
            const char *name = NULL;
            bool writes = false, reads = false;
            for (uint32_t k = 0; k < a->n; k++) writes |= r.kind[k] == ROLE_OUT;
            for (uint32_t k = 0; k < b->n; k++) reads |= s.kind[k] == ROLE_IN;
            for (uint32_t k = 0; k < a->n && writes && reads; k++)
                for (uint32_t g = 0; g < b->n; g++)
                    if (r.kind[k] == ROLE_NUMBER && s.kind[g] == ROLE_NUMBER_OUT && strlen(a->names[k]) > 3
                        && !strncmp(a->names[k], b->names[g], strlen(a->names[k]))
                        && !strcmp(a->types[k]->key, b->types[g]->of->key))
                        name = a->names[k];
            if (name && !has_partner(l, b->name))
                propose_pair(l, a->name, b->name, keep_format("'%s' goes into one and comes out of the other", name));
        }
}

/* How many formats of one type are tried: which of them is read back is not in the names. */
enum { MOST_CONVERTERS = 6 };

/* Finds the functions with one of these verbs that convert an object of this type to a string or bytes (`takes`), or
 * back. Those with the fewest parameters come first. Returns their number. */
static uint32_t converters(const struct listing *l, const char *key, const char *const *verbs, bool takes,
                           const struct prototype **found)
{
    static const char *const parts[] = {"get", "type", "name", "error", "version", NULL}; /* not the whole object */
    uint32_t n = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct prototype *p = &l->all[i];
        struct leg leg;
        if (has_word(p->name, parts)) continue;
        if (!has_word(p->name, verbs) || !is_for_users(p) || p->is_variadic || p->n > 8 || !begin_leg(&leg, p))
            continue;
        int object = takes ? leg.in_at : leg.out_at, text = takes ? leg.out_at : leg.in_at;
        enum carrier kind = takes ? leg.in : leg.out, other = takes ? leg.out : leg.in;
        if (kind != CARRIES_OBJECT || (other != CARRIES_TEXT && other != CARRIES_BYTES) || text == NOT_THERE) continue;
        const struct type *type = type_at(&leg, object);
        if (object >= 0 && leg.call.roles.kind[object] == ROLE_OBJECT_OUT) type = type->of;
        if (!object_key(type) || strcmp(object_key(type), key) != 0) continue;
        uint32_t place = n;
        while (place > 0 && found[place - 1]->n > p->n) place--;
        if (place == MOST_CONVERTERS) continue;
        if (n < MOST_CONVERTERS) n++;
        memmove(found + place + 1, found + place, (n - 1 - place) * sizeof *found);
        found[place] = p;
    }
    return n;
}

/* Proposes what creates and frees objects of a type. If the likeliest maker needs what cannot be drawn, or makes other
 * objects first, another one may do: compile, rather than decode. */
static void propose_lives(struct listing *l, const struct type *type)
{
    enum { MOST_LIVES = 2, MOST_MAKERS = 4 };
    struct maker makers[MOST_MAKERS];
    uint32_t n = makers_of(type, makers, MOST_MAKERS);
    for (uint32_t i = 0; i < n; i++) {
        const struct prototype *maker = makers[i].p, *closer = closer_for(type, maker->name);
        if (!closer || !is_for_users(maker) || partners_of(l, maker->name)) continue;
        if (i && !is_named_maker(maker)) continue; /* it may return what belongs to another object */
        if (partners_of(l, closer->name) >= (i ? MOST_LIVES : 1)) continue;
        propose_pair(l, maker->name, closer->name, keep_format(LIVE, maker->name, closer->name));
    }
}

/* Proposes pairs for each type of objects, whatever their names: what creates and frees it, and what prints and parses
 * it. */
static void propose_by_types(struct listing *l)
{
    static const char *const prints[] = {"print",     "write",     "dump",   "dumps",  "save",
                                         "serialize", "serialise", "to",     "string", "format",
                                         "stringify", "render",    "encode", "export", NULL};
    static const char *const parses[] = {"parse", "read",   "load",   "loads", "deserialize", "deserialise",
                                         "from",  "decode", "import", "scan",  NULL};
    const char *seen[256];
    uint32_t n_seen = 0;
    for (uint32_t i = 0; i < l->n; i++)
        for (uint32_t at = 0; at < l->all[i].n && !l->all[i].is_part; at++) {
            const struct type *type = l->all[i].types[at];
            const char *key = object_key(type);
            bool is_seen = !key || n_seen == 256 || !is_made(type);
            for (uint32_t k = 0; k < n_seen && !is_seen; k++) is_seen = !strcmp(seen[k], key);
            if (is_seen) continue;
            seen[n_seen++] = key;
            const struct prototype *print[MOST_CONVERTERS], *parse[MOST_CONVERTERS];
            uint32_t n_prints = converters(l, key, prints, true, print);
            bool has_parser = converters(l, key, parses, false, parse) && !partners_of(l, parse[0]->name);
            propose_lives(l, type);
            for (uint32_t k = 0; k < n_prints && has_parser; k++)
                if (print[k] != parse[0] && !partners_of(l, print[k]->name))
                    propose_pair(l, print[k]->name, parse[0]->name, "one writes the object that the other one reads");
        }
}

static bool is_tame(const struct prototype *p, bool is_of_object);

/* Proposes differential tests. */
static void propose_variants(struct listing *l)
{
    for (uint32_t i = 0; i < l->n; i++)
        for (size_t k = 0; k < sizeof seconds / sizeof *seconds; k++)
            for (uint32_t m = 0; m < l->n; m++) {
                const struct prototype *a = &l->all[i], *b = &l->all[m];
                if (strcmp(b->name, keep_format("%s%s", a->name, seconds[k])) != 0 || !have_one_type(a, b)) continue;
                if (!is_tame(a, takes_object(a)) || !is_tame(b, takes_object(b))) continue;
                struct proposal *p =
                    propose(l, "differential", keep_format("'%s' looks like a second implementation", seconds[k]));
                add_name(p, a->name);
                add_name(p, b->name);
            }
}

/* Reports whether a function can be called with any values: it takes no functions, paths or void * of unknown meaning.
 * Neither does it take over an object. */
static bool is_tame(const struct prototype *p, bool is_of_object)
{
    static const char *const paths[] = {"path",     "file", "filename", "fname",   "fn", "dir",    "dirname",
                                        "pathname", "host", "hostname", "command", "fd", "socket", NULL};
    if (p->is_variadic || !is_for_users(p) || p->n > MOST_ARGUMENTS) return false;
    struct roles r = roles_of(p);
    for (uint32_t i = 0; i < p->n; i++) {
        const struct type *type = p->types[i];
        bool is_first = is_of_object && i == 0;
        if (has_word(p->names[i], paths) || r.kind[i] == ROLE_UNKNOWN || r.kind[i] == ROLE_FILE) return false;
        if (r.kind[i] == ROLE_NOTHING) return false;
        if (r.kind[i] == ROLE_OBJECT && !is_first && is_of_object && !type->of->is_qualified) return false;
        if (r.kind[i] == ROLE_OUT && r.size[i] == NOT_THERE && is_text_pointer(type)) return false;
    }
    return true;
}

/* Proposes crash tests for functions that read bytes of a given length, or parse a string: these often get untrusted
 * input. */
static void propose_readers(struct listing *l)
{
    static const char *const verbs[] = {"parse",      "decode",   "read",     "load",    "loads",
                                        "scan",       "from",     "validate", "valid",   "is",
                                        "decompress", "unescape", "unquote",  "inflate", NULL};
    static const char *const strangers[] = {"file",   "path",  "open",    "exec", "system", "unlink", "remove",
                                            "rename", "mkdir", "connect", "kill", "exit",   NULL};
    for (uint32_t i = 0; i < l->n; i++) {
        const struct prototype *p = &l->all[i];
        const char *reason = NULL;
        bool gives_array = p->result->kind == TYPE_POINTER && p->result->of->kind == TYPE_POINTER;
        if (!is_tame(p, takes_object(p)) || has_word(p->name, strangers) || gives_array) continue;
        struct roles r = roles_of(p);
        for (uint32_t k = 0; k < p->n; k++) {
            if (r.kind[k] == ROLE_IN && r.size[k] != NOT_THERE && is_byte_pointer(p->types[k]))
                reason = "it reads bytes of a given length: any bytes must be safe";
            if (r.kind[k] == ROLE_TEXT && !reason && has_word(p->name, verbs))
                reason = "it reads a string: any string must be safe";
        }
        if (reason) add_name(propose(l, "crash", reason), p->name);
    }
}

/* Reports whether a machine can call a function. */
static bool can_call(const char *name)
{
    struct proposal p = {.kind = "machine"};
    add_name(&p, name);
    check_writable(&p);
    return !p.why_not;
}

/* Proposes machines for objects that one function creates and others use. */
static void propose_machines(struct listing *l)
{
    static const char *const verbs[] = {"put",     "get",    "set",     "del",    "delete",   "remove", "add",
                                        "insert",  "find",   "lookup",  "push",   "pop",      "append", "prepend",
                                        "size",    "length", "len",     "count",  "contains", "has",    "first",
                                        "last",    "next",   "prev",    "read",   "write",    "peek",   "front",
                                        "back",    "drain",  "clear",   "search", "update",   "feed",   "enqueue",
                                        "dequeue", "exists", "replace", NULL};
    const char *seen[256];
    uint32_t n_seen = 0;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct prototype *p = &l->all[i];
        const char *key = p->n ? object_key(p->types[0]) : NULL;
        bool is_seen = !key;
        for (uint32_t k = 0; k < n_seen && key; k++) is_seen |= !strcmp(seen[k], key);
        if (is_seen || n_seen == 256) continue;
        seen[n_seen++] = key;
        struct maker maker = maker_of(p->types[0]);
        if (maker.making == MAKES_NOTHING) continue;
        struct proposal machine = {.kind = "machine"};
        /* First those with a usual verb; if these are few, the others as well. */
        for (uint32_t at = 0; at < 2 * l->n && machine.n < 16; at++) {
            uint32_t pass = at / l->n, k = at % l->n;
            const struct prototype *user = &l->all[k];
            if (pass && machine.n >= 4 && !k) break;
            if (!user->n || !object_key(user->types[0]) || strcmp(object_key(user->types[0]), key) != 0) continue;
            if (is_closer(user) && (user->n == 1 || !has_word(user->name, verbs))) continue;
            if (user == maker.p || closer_of(p->types[0]) == user || is_maker(user) || !is_tame(user, true)) continue;
            if (has_word(user->name, verbs) == !pass && can_call(user->name)) add_name(&machine, user->name);
        }
        if (machine.n < 2) continue;
        machine.reason = keep_format("%s creates what these use", maker.p->name);
        *PUSH(l->proposals, l->n_proposals, l->cap_proposals) = machine;
    }
}

uint32_t new_proposals(struct proposal **all)
{
    struct listing l = {.n = 0};
    l.n = read_prototypes(&l.all);
    propose_inverses(&l);
    l.n_exact = l.n_proposals; /* for propose_named: any partner counts */
    propose_by_types(&l);
    propose_named(&l);
    propose_variants(&l);
    propose_machines(&l);
    propose_readers(&l);
    *all = l.proposals;
    return l.n_proposals;
}
