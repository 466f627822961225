/* See roles.h. Most libraries follow the same conventions, and each is a rule here. A const pointer is input, any other
 * is output. A size is named after its buffer: src and srcSize, buf and bufsize, n_x and x, dst and dlen. Or it is next
 * to the buffer. Names are stronger than positions. */
#include "roles.h"

#include "objects.h"

#include <ctype.h>
#include <string.h>

/* ---- Names */

const char *bare_name(const char *name)
{
    char *to = keep(strlen(name) + 1), *end = to;
    for (; *name; name++)
        if (*name != '_') *end++ = (char)tolower((unsigned char)*name);
    return to;
}

/* Reports whether a word begins at `at`: at the start, after something other than a letter, or as in "srcSize". */
static bool is_start_of_word(const char *name, const char *at)
{
    return at == name || !isalpha((unsigned char)at[-1])
           || (isupper((unsigned char)*at) && islower((unsigned char)at[-1]));
}

static bool is_end_of_word(const char *at)
{
    return !islower((unsigned char)*at);
}

bool has_word(const char *name, const char *const *words)
{
    for (; *words; words++) {
        size_t n = strlen(*words);
        for (const char *at = name; *at; at++)
            if (!strncasecmp(at, *words, n) && is_start_of_word(name, at) && is_end_of_word(at + n)) return true;
    }
    return false;
}

/* ---- Types */

bool is_text_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER && type->of->kind == TYPE_INT && type->of->is_char && type->of->name
           && !strcmp(type->of->key, "char");
}

bool is_byte_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER
           && (type->of->kind == TYPE_VOID || (type->of->kind == TYPE_INT && type->of->bits == 8));
}

/* Reports whether a type is an integer that can be a length. */
static bool is_whole(const struct type *type)
{
    return type->kind == TYPE_INT && !type->is_char && type->bits >= 16;
}

/* Reports whether a type is a pointer to numbers that may be an array: what a size can belong to. */
static bool is_array_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER && (is_byte_pointer(type) || (type->of->kind <= TYPE_FLOAT && type->of->name));
}

const char *object_key(const struct type *pointer)
{
    if (pointer->kind != TYPE_POINTER) return NULL;
    const struct type *of = pointer->of;
    bool is_hidden = pointer->name && !strchr(pointer->name, '*') && !strchr(pointer->name, '[');
    if (of->kind == TYPE_RECORD || of->kind == TYPE_OPAQUE) return of->key;
    return is_hidden && !of->is_qualified && of->kind != TYPE_FUNCTION ? pointer->name : NULL;
}

bool is_descriptor(const struct prototype *p, uint32_t i)
{
    static const char *const words[] = {"fd", "fildes", "filedes", NULL};
    return p->types[i]->kind == TYPE_INT && p->types[i]->is_signed && has_word(p->names[i], words);
}

/* ---- Sizes */

/* Words that mean a length, longer ones first. */
static const char *const size_words[] = {"capacity", "maxlength", "maxsize", "buflen", "bufsize", "maxlen",
                                         "nbytes",   "length",    "count",   "bytes",  "avail",   "size",
                                         "room",     "num",       "len",     "cap",    "max",     "siz",
                                         "cnt",      "sz",        "nr",      "n",      "l",       NULL};

/* Returns what is left of a size's bare name without its word for a length: "src" of "srcsize" and of "nsrc", "" of
 * "len". NULL: the name does not mean a length. */
static const char *stem_of_size(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; size_words[i]; i++) {
        size_t k = strlen(size_words[i]);
        bool is_short = k == 1 && n > 1; /* "n" is a length, "seven" is not, "nx" may be */
        if (n >= k && !is_short && !strcmp(name + n - k, size_words[i])) return keep_format("%.*s", (int)(n - k), name);
    }
    for (size_t i = 0; size_words[i]; i++) {
        size_t k = strlen(size_words[i]);
        if (n > k && (k > 1 || *size_words[i] == 'n') && !strncmp(name, size_words[i], k)) return name + k;
    }
    return NULL;
}

static bool is_prefix(const char *a, const char *b, size_t least)
{
    size_t n = strlen(a);
    return n >= least && !strncmp(a, b, n);
}

/* Returns how far a parameter's name tells that it is output (positive) or input (negative). */
static int direction_of(const char *name)
{
    static const char *const out[] = {"dst", "dest", "out", "output", "max", "capacity", "cap", "room", "avail", NULL};
    static const char *const in[] = {"src", "source", "in", "input", "compressed", NULL};
    return has_word(name, out) - has_word(name, in);
}

/* Words for numbers other than sizes. */
static const char *const other_words[] = {"flags", "flag", "options", "option", "opts",  "mode",
                                          "index", "idx",  "offset",  "pos",    "radix", "base",
                                          "level", "type", "id",      "seed",   NULL};

/* Reports whether a pointer is output: it is not const, and is not called source or input. */
static bool is_output(const struct prototype *p, uint32_t i)
{
    static const char *const inputs[] = {"src", "source", "in", "input", NULL}; /* `char *compressed` may be either */
    bool is_input = has_word(p->names[i], inputs) && direction_of(p->names[i]) < 0;
    return !p->types[i]->of->is_qualified && !is_input;
}

/* Returns how well parameter s fits as the size of buffer b; 0: not at all. */
static int fit_of_size(const struct prototype *p, uint32_t b, uint32_t s)
{
    const struct type *type = p->types[s], *number = type->kind == TYPE_POINTER ? type->of : type;
    const char *buffer = bare_name(p->names[b]), *size = bare_name(p->names[s]), *stem = stem_of_size(size);
    bool is_written = is_output(p, b), is_size_t = number->name && strstr(number->name, "size_t");
    if (has_word(p->names[s], other_words) && !has_word(p->names[s], size_words)) return 0;
    if (!is_whole(number) || (number != type && (number->is_qualified || !is_written)) || b == s) return 0;
    int side = direction_of(p->names[s]), towards = side ? (side > 0) == is_written ? 20 : -30 : 0;
    int near = s == b + 1 ? 15 : s == b + 2 ? 4 : s + 1 == b ? 3 : 0;
    if (!*buffer || !*size) return near == 15 && (is_size_t || !is_text_pointer(p->types[b])) ? 40 : 0;
    if (stem && *stem) {
        if (!strcmp(stem, buffer) || !strcmp(stem, keep_format("%ss", buffer))) return 100;
        if (*buffer == 'p' && !strcmp(stem, buffer + 1)) return 95;
        if (is_prefix(stem, buffer, 2) || is_prefix(buffer, stem, 2)) return 80 + near;
        if (!stem[1] && *stem == *buffer) return 60 + near;
        size_t n = strlen(buffer), k = strlen(stem);
        if (k >= 3 && n > k && !strcmp(buffer + n - k, stem)) return 55 + near; /* cipher_text and text_len */
    }
    if (stem && !*stem) return near ? 30 + near + towards : 12 + towards;
    if (stem && side) return 20 + near + towards;
    if (stem && near == 15) return 25; /* "keylen" after "data" */
    return near == 15 && is_size_t && number == type ? 28 : 0;
}

/* Gives each buffer the size that fits it best; a size belongs to one buffer. */
static void pair_sizes(struct roles *r, uint32_t n)
{
    for (;;) {
        int best = 15, buffer = NOT_THERE, size = NOT_THERE;
        for (uint32_t b = 0; b < n; b++)
            for (uint32_t s = 0; s < n; s++) {
                if (!is_array_pointer(r->p->types[b]) || r->size[b] != NOT_THERE || r->of[s] != NOT_THERE) continue;
                if (r->of[b] != NOT_THERE || r->size[s] != NOT_THERE) continue;
                int fit = fit_of_size(r->p, b, s);
                if (fit > best) best = fit, buffer = (int)b, size = (int)s;
            }
        if (buffer == NOT_THERE) return;
        r->size[buffer] = size, r->of[size] = buffer, r->kind[size] = ROLE_SIZE;
    }
}

/* Reports whether the parameter before a size is the output that it belongs to. */
static bool is_output_before(const struct roles *r, int size)
{
    return r->of[size] + 1 == size && !r->p->types[r->of[size]]->of->is_qualified;
}

/* If a function has one size and several buffers, the size belongs to the inputs: memxor(dst, a, b, n). An output of
 * unknown size then gets more room than it needs. */
static void share_size(struct roles *r, uint32_t n)
{
    int size = NOT_THERE, n_sizes = 0;
    for (uint32_t i = 0; i < n; i++)
        if (r->kind[i] == ROLE_SIZE) size = (int)i, n_sizes++;
    if (n_sizes != 1 || r->p->types[size]->kind == TYPE_POINTER) return;
    const char *stem = stem_of_size(bare_name(r->p->names[size]));
    if (!stem || *stem) return; /* named after one of them */
    bool has_input = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct type *type = r->p->types[i];
        if (!is_byte_pointer(type) || !type->of->is_qualified || r->of[i] != NOT_THERE) continue;
        if (r->size[i] != size && is_output_before(r, size) && (int)i < size) continue; /* ntop(src, dst, size) */
        if (is_text_pointer(type) && r->size[i] != size
            && (is_text_pointer(r->p->types[r->of[size]]) || i + 1 < (uint32_t)size))
            continue;
        has_input = true;
        r->size[i] = size;
    }
    int of = r->of[size];
    if (!has_input || r->p->types[of]->of->is_qualified || of + 1 != size || direction_of(r->p->names[size]) > 0)
        return;
    for (uint32_t i = 0; i < n; i++)
        if (r->size[i] == size && (int)i != of) {
            r->of[size] = (int)i; /* base16_encode(dst, length, src): the length of src */
            r->size[of] = NOT_THERE;
            return;
        }
}

/* ---- Roles */

/* Reports whether a parameter counts the elements of an array. */
static bool is_count(const struct prototype *p, uint32_t i)
{
    static const char *const words[] = {"argc", NULL};
    return is_whole(p->types[i]) && (has_word(p->names[i], words) || stem_of_size(bare_name(p->names[i])));
}

static enum role_kind role_of_record(const struct prototype *p, uint32_t i)
{
    static const char *const outs[] = {"out", "output", "result", "res",  "ret", "error",
                                       "err", "info",   "dst",    "dest", NULL};
    const struct type *type = p->types[i], *of = type->kind == TYPE_POINTER ? type->of : type;
    if (type->kind == TYPE_POINTER && of->key && (!strcmp(of->key, "struct _IO_FILE") || !strcmp(of->key, "FILE")))
        return ROLE_FILE;
    if (type->kind == TYPE_POINTER && (is_made(type) || of->kind == TYPE_OPAQUE)) return ROLE_OBJECT;
    if (of->record->is_union || !of->record->name) return ROLE_UNKNOWN;
    if (type->kind == TYPE_POINTER && i + 1 < p->n && is_count(p, i + 1)) return ROLE_UNKNOWN; /* an array of structs */
    if (type->kind != TYPE_POINTER || of->is_qualified) return ROLE_RECORD;
    if (has_word(p->names[i], outs)) return ROLE_RECORD_OUT;
    return ROLE_RECORD;
}

/* Returns the parameter beside strings that is their number: argc of argv; NOT_THERE if there is none. */
static int count_of_texts(const struct prototype *p, uint32_t i)
{
    static const char *const words[] = {"argc", "argv", "args", "nargs", NULL};
    const struct type *type = p->types[i];
    if (type->kind != TYPE_POINTER || !is_text_pointer(type->of)) return NOT_THERE;
    for (uint32_t k = i ? i - 1 : 1; k <= i + 1 && k < p->n; k += 2)
        if (is_count(p, k) && (has_word(p->names[i], words) || has_word(p->names[k], words))) return (int)k;
    return NOT_THERE;
}

/* Gives each array of strings its number. */
static void pair_texts(struct roles *r, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        int count = count_of_texts(r->p, i);
        if (count == NOT_THERE || r->of[count] != NOT_THERE) continue;
        r->kind[i] = ROLE_TEXTS, r->kind[count] = ROLE_SIZE;
        r->size[i] = count, r->of[count] = (int)i;
    }
}

/* Reports whether a pointer to a number receives the length of what a function writes or returns. */
static bool is_length_out(const struct prototype *p, uint32_t i)
{
    static const char *const words[] = {"written", "used",     "outlen", "olen",    "len", "size",
                                        "length",  "nwritten", "n",      "outsize", NULL};
    const struct type *type = p->types[i];
    if (type->kind != TYPE_POINTER || !is_whole(type->of) || type->of->is_qualified) return false;
    return has_word(p->names[i], words) || stem_of_size(bare_name(p->names[i]));
}

/* Returns the role of a pointer to void without a size. Most are data of the user, which may be NULL. */
static enum role_kind role_of_void(const char *name, bool is_const)
{
    static const char *const buffers[] = {"src", "source", "in",     "input",   "dst",       "dest",    "out", "output",
                                          "buf", "buffer", "wrkmem", "workmem", "workspace", "scratch", NULL};
    if (!has_word(name, buffers)) return ROLE_NOTHING;
    return is_const ? ROLE_IN : ROLE_OUT;
}

/* Reports whether the next parameter receives a length: save(object, unsigned char **data, unsigned *n). */
static bool has_length_after(const struct prototype *p, uint32_t i)
{
    const struct type *next = i + 1 < p->n ? p->types[i + 1] : NULL;
    return next && next->kind == TYPE_POINTER && is_whole(next->of) && !next->of->is_qualified;
}

static enum role_kind role_of_pointer(const struct roles *r, uint32_t i)
{
    const struct type *type = r->p->types[i], *of = type->of;
    bool has_size = r->size[i] != NOT_THERE;
    if (of->kind == TYPE_FUNCTION) return ROLE_NOTHING;
    if (of->kind == TYPE_RECORD || of->kind == TYPE_OPAQUE) return role_of_record(r->p, i);
    if (object_key(type) && is_made(type)) return ROLE_OBJECT;
    if (of->kind == TYPE_POINTER && i + 1 < r->p->n && is_count(r->p, i + 1)) return ROLE_UNKNOWN; /* argv, argc */
    if (of->kind == TYPE_POINTER && object_key(of) && !of->is_qualified) return ROLE_OBJECT_OUT;
    if (of->kind == TYPE_POINTER && is_text_pointer(of) && !of->is_qualified) return ROLE_TEXT_OUT;
    if (of->kind == TYPE_POINTER && is_byte_pointer(of) && of->name && !of->is_qualified && has_length_after(r->p, i))
        return ROLE_TEXT_OUT;
    if (of->kind == TYPE_VOID && !has_size) return role_of_void(r->p->names[i], of->is_qualified);
    if (is_text_pointer(type) && !has_size && of->is_qualified) return ROLE_TEXT;
    if (of->is_qualified && is_array_pointer(type)) return ROLE_IN;
    if (has_size && is_byte_pointer(type) && !is_output(r->p, i)) return ROLE_IN; /* char *source, unsigned sourceLen */
    if (is_byte_pointer(type) || (has_size && is_array_pointer(type))) return ROLE_OUT;
    return of->kind <= TYPE_ENUM && of->name ? ROLE_NUMBER_OUT : ROLE_UNKNOWN;
}

/* A char * without const is output. If the function has no other input, or another output, it is a string. */
static void reconsider_text(struct roles *r, uint32_t n)
{
    bool has_input = false;
    for (uint32_t i = 0; i < n; i++) {
        enum role_kind k = r->kind[i];
        has_input |= k == ROLE_TEXT || k == ROLE_IN || k == ROLE_NUMBER || k == ROLE_RECORD || k == ROLE_OBJECT;
    }
    for (uint32_t i = 0; i < n; i++)
        if (r->kind[i] == ROLE_OUT && r->size[i] == NOT_THERE && is_text_pointer(r->p->types[i]) && !has_input)
            r->kind[i] = ROLE_TEXT;
}

/* Reports whether a pointer to a number is an array, by names: of characters (wchar_t *) or samples (short *pcm). */
static bool is_output_array(const struct prototype *p, uint32_t i)
{
    static const char *const names[] = {"out", "output", "dst", "dest", "buf", "buffer", "pcm", "str", "samples", NULL};
    const struct type *of = p->types[i]->of;
    if (of->kind != TYPE_INT || of->is_qualified || of->bits < 16) return false;
    size_t n = strlen(of->name);
    bool is_character = n > 4
                        && (!strcasecmp(of->name + n - 4, "char") || strstr(of->name, "char16_t")
                            || strstr(of->name, "char32_t") || !strcmp(of->name, "wchar_t"));
    return is_character || (of->bits == 16 && has_word(p->names[i], names));
}

/* Where a function reads an array of known size, one that it writes needs no size: decode(bytes, n, short *out). */
static void reconsider_numbers(struct roles *r, uint32_t n)
{
    bool has_input = false;
    for (uint32_t i = 0; i < n; i++) has_input |= r->kind[i] == ROLE_IN && r->size[i] != NOT_THERE;
    for (uint32_t i = 0; i < n && has_input; i++)
        if (r->kind[i] == ROLE_NUMBER_OUT && is_output_array(r->p, i)) r->kind[i] = ROLE_OUT;
}

static struct roles find_roles(const struct prototype *p)
{
    struct roles r = {.p = p, .length_out = NOT_THERE};
    uint32_t n = p->n < MOST_ARGUMENTS ? p->n : MOST_ARGUMENTS;
    bool has_output = is_byte_pointer(p->result);
    for (uint32_t i = 0; i < MOST_ARGUMENTS; i++) r.size[i] = r.of[i] = NOT_THERE, r.kind[i] = ROLE_UNKNOWN;
    pair_sizes(&r, n);
    share_size(&r, n);
    pair_texts(&r, n);
    for (uint32_t i = 0; i < n; i++) {
        const struct type *type = p->types[i];
        if (r.kind[i] == ROLE_SIZE || r.kind[i] == ROLE_TEXTS) continue;
        if (type->kind <= TYPE_ENUM) r.kind[i] = ROLE_NUMBER;
        else if (type->kind == TYPE_RECORD) r.kind[i] = role_of_record(p, i);
        else if (type->kind == TYPE_POINTER) r.kind[i] = role_of_pointer(&r, i);
        has_output |= r.kind[i] == ROLE_OUT || r.kind[i] == ROLE_TEXT_OUT;
    }
    reconsider_numbers(&r, n);
    for (uint32_t i = 0; i < n && has_output; i++) {
        bool is_beside = i && r.kind[i - 1] == ROLE_TEXT_OUT && !is_text_pointer(p->types[i - 1]->of);
        if (r.kind[i] == ROLE_NUMBER_OUT && r.length_out == NOT_THERE && (is_beside || is_length_out(p, i)))
            r.kind[i] = ROLE_LENGTH_OUT, r.length_out = (int)i;
    }
    reconsider_text(&r, n);
    return r;
}

/* Finds the roles of each function only once: all pairs of functions are compared by them. */
struct roles roles_of(const struct prototype *p)
{
    static struct roles *known;
    static uint32_t n_known;
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    if (p < all || p >= all + n) return find_roles(p);
    if (n != n_known) known = keep(n * sizeof *known), n_known = n;
    struct roles *r = &known[p - all];
    if (!r->p) *r = find_roles(p);
    return *r;
}
