/* See guess.h. Weights are integers and contexts are hashes of the target, so that a run is the same on every machine.
 * The guess learns nothing during a run, because user code runs between two draws and may crash. */
#include "import/guess.h"

#include "base/decimal.h"
#include "base/hash.h"
#include "base/mem.h"
#include "tape/tape.h"

#include <string.h>

enum {
    CONTEXTS = 5, /* number of contexts of a draw; see find_contexts */
    ROW = 8,      /* maximum number of values that one context remembers; with 4 or 16, as many files are imported */
    CONFIRM = 8,  /* weight that a right answer gains, in the units of WATCH */
    /* weight that a wrong answer gains; it may be right elsewhere. With 0, a second file takes more runs */
    REFUTE = -2,
    WATCH = 1,  /* weight of the bytes that a wrong answer wrote: with 0, imports take far more runs */
    REACH = 24, /* bytes around a draw in which its value is searched; with 48, more matches are accidental */
    /* numbers of a site are not read from the target if they were missing in it this many times as often as found */
    HIDDEN = 2,
    AHEAD = 1024,  /* maximum number of drawn but not yet written choices that are counted: bounds the time of a draw */
    SHIFTS = 2,    /* a difference of index and byte is used when this many different characters had it */
    SIMPLEST = 16, /* number of smallest values that are tried for a number even if the target does not contain them */
    SHORT = 256    /* maximum number of symbols of a string that is searched in the output: bounds a buffer */
};
/* Added to the share of attempts at a site that helped, so that a site where no attempt helped is still tried. */
static const double HOPE = 0.1;

enum {
    SCORED = ROW * CONTEXTS, /* maximum number of different values that the contexts of a draw remember */
    PLACES = 4,              /* maximum number of positions that find_places returns */
    BYTES = 256,             /* number of values of a byte */
};

/* The values that one context remembers, with their weights. */
struct row {
    uint64_t values[ROW];
    int32_t weights[ROW];
    uint32_t n;
};

/* Facts learned about one site. */
struct site {
    uint32_t tries, helped;
    uint32_t seen, hidden; /* how often the value of a draw was found in the output, and how often not */
    uint32_t reach;        /* bytes between the draw and its value when the value was last found */
    int behind;            /* the byte that followed the value when it was last found, plus one; 0: not known */
    struct shift {
        int64_t by;       /* index minus byte */
        uint32_t yes, no; /* how often a byte had this difference, and how often not; repeats of `last` do not count */
        int last;         /* the last byte */
    } shifts[4];          /* for digits, lower-case letters, capital letters and other bytes */
};

/* The guide and what it has learned. */
struct sonde_guess {
    struct sonde_guide guide;
    struct sonde_aim *aim;
    /* maps a context to its index in `rows`, a site to its index in `sites`; both plus one */
    struct sonde_map at_row, at_site;
    struct row *rows;
    struct site *sites;
    uint32_t n_rows, cap_rows, n_sites, cap_sites;
};

/* An answer and how well it fits. */
struct scored {
    uint64_t value;
    double score;
};

/* ---- Facts about a site */

/* Returns the facts about a site, or empty ones if there are none. */
static const struct site *site_of(const struct sonde_guess *g, uint32_t site)
{
    static const struct site nothing;
    uint32_t at = sonde_map_get(&g->at_site, site);
    return at ? &g->sites[at - 1] : &nothing;
}

/* Returns the facts about a site for changing, and creates them if needed. Invalidates earlier pointers. */
static struct site *learn_site(struct sonde_guess *g, uint32_t site)
{
    uint32_t *at = sonde_map_at(&g->at_site, site);
    if (*at) return &g->sites[*at - 1];
    *at = ++g->n_sites;
    g->sites = sonde_grow_zeroed(g->sites, &g->cap_sites, g->n_sites, sizeof *g->sites);
    return &g->sites[g->n_sites - 1];
}

void sonde_guess_blame(struct sonde_guess *g, uint32_t site, bool helped)
{
    struct site *s = learn_site(g, site);
    s->tries++;
    s->helped += helped;
}

double sonde_guess_blamed(const struct sonde_guess *g, uint32_t site)
{
    const struct site *s = site_of(g, site);
    return HOPE + (s->helped + 0.5) / (s->tries + 1.0);
}

/* ---- Contexts */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint32_t shift_kind(unsigned char c)
{
    if (c >= '0' && c <= '9') return 0;
    if (c >= 'a' && c <= 'z') return 1;
    return c >= 'A' && c <= 'Z' ? 2 : 3;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* Returns the end of the word that begins at p: digits, letters and digits, white space, or one other byte. */
static uint32_t word_end(const struct sonde_aim *aim, uint32_t p)
{
    const char *text = aim->text;
    uint32_t end = p + 1;
    if (is_digit(text[p])) {
        while (end < aim->n && is_digit(text[end])) end++;
    } else if (is_letter(text[p])) {
        while (end < aim->n && (is_letter(text[end]) || is_digit(text[end]))) end++;
    } else if (sonde_aim_is_space(text[p])) {
        while (end < aim->n && sonde_aim_is_space(text[end])) end++;
    }
    return end;
}

/* Returns the kind of a byte: one of three classes, or the byte itself. */
static uint64_t kind_of(char c)
{
    if (is_digit(c)) return 256;
    if (is_letter(c)) return 257;
    return sonde_aim_is_space(c) ? 258 : (unsigned char)c;
}

/* Computes the contexts of a draw, from the least specific to the most specific. They are: the kind of the next byte;
 * that byte; the kinds of three words; the next word; that word with the next kind. */
static void find_contexts(const struct sonde_aim *aim, const struct sonde_choice *c, struct sonde_guess_at spot,
                          uint64_t out[CONTEXTS])
{
    const uint64_t none = 300; /* the kind at the end of the target: no byte has it */
    uint64_t base = sonde_mix(((uint64_t)c->site << 32) ^ c->max), kinds[3], word = 1;
    uint32_t p = sonde_aim_skip(aim, spot.at), q = p;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t end = q < aim->n ? word_end(aim, q) : q;
        kinds[i] = q < aim->n ? kind_of(aim->text[q]) : none;
        if (!i && q < aim->n) word = sonde_hash_bytes(1, aim->text + q, end - q);
        q = sonde_aim_skip(aim, end);
    }
    uint64_t three = sonde_hash_add(sonde_hash_add(kinds[0], kinds[1]), kinds[2]);
    const uint64_t parts[CONTEXTS] = {kinds[0], p < aim->n ? (unsigned char)aim->text[p] : none, three, word,
                                      sonde_hash_add(word, kinds[1])};
    for (uint32_t i = 0; i < CONTEXTS; i++) out[i] = sonde_mix(sonde_hash_add(base + i, parts[i]) + spot.again);
}

/* Adds to the weight of an answer in a context. */
static void add_weight(struct sonde_guess *g, uint64_t context, uint64_t value, int32_t weight)
{
    uint32_t *at = sonde_map_at(&g->at_row, context), i = 0;
    if (!*at) {
        *at = ++g->n_rows;
        g->rows = sonde_grow_zeroed(g->rows, &g->cap_rows, g->n_rows, sizeof *g->rows);
    }
    struct row *row = &g->rows[*at - 1];
    while (i < row->n && row->values[i] != value) i++;
    if (i == row->n) {
        if (row->n < ROW) row->n++;
        else i = ROW - 1; /* replaces the answer that was added last */
        row->values[i] = value;
        row->weights[i] = 0;
    }
    const int32_t most = 1 << 20;
    if (row->weights[i] > -most && row->weights[i] < most) row->weights[i] += weight;
}

/* Adds the scores of one context: for each value, its share of the values that were right there. */
static void weigh(const struct row *row, double worth, struct scored *scored, uint32_t *n)
{
    double total = 1;
    for (uint32_t i = 0; i < row->n; i++) total += row->weights[i] > 0 ? row->weights[i] : 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t k = 0;
        while (k < *n && scored[k].value != row->values[i]) k++;
        if (k == *n) scored[(*n)++] = (struct scored){row->values[i], 0};
        scored[k].score += worth * row->weights[i] / total;
    }
}

/* Collects all values that the contexts of a draw know, the best first; returns how many. */
static uint32_t find_known(const struct sonde_guess *g, const struct sonde_choice *c, struct sonde_guess_at spot,
                           struct scored *scored)
{
    uint64_t contexts[CONTEXTS];
    uint32_t n = 0;
    find_contexts(g->aim, c, spot, contexts);
    for (uint32_t i = 0; i < CONTEXTS; i++) {
        uint32_t row = sonde_map_get(&g->at_row, contexts[i]);
        /* each context outweighs all less specific ones together */
        if (row) weigh(&g->rows[row - 1], 1 << i, scored, &n);
    }
    /* a stable sort of few values, so that ties are resolved the same way on every machine */
    for (uint32_t i = 1; i < n; i++) {
        struct scored one = scored[i];
        uint32_t k = i;
        for (; k > 0 && scored[k - 1].score < one.score; k--) scored[k] = scored[k - 1];
        scored[k] = one;
    }
    return n;
}

/* ---- Values that occur in the target */

enum { NUMBER = 32 }; /* bytes of a buffer for any 64-bit number in decimal */

/* Writes an integer as printf does. Returns its length, or 0 for a double. */
static uint32_t number_text(const struct sonde_tape *tape, const struct sonde_choice *c, char text[NUMBER])
{
    struct sonde_value value = sonde_choice_value(tape, c);
    int n = 0;
    if (value.type == SONDE_VALUE_INT) n = snprintf(text, NUMBER, "%lld", (long long)value.as.i);
    else if (value.type == SONDE_VALUE_UINT) n = snprintf(text, NUMBER, "%llu", (unsigned long long)value.as.u);
    return (uint32_t)n;
}

static bool is_number(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_INT || c->kind == SONDE_KIND_UINT || c->kind == SONDE_KIND_DOUBLE
           || c->kind == SONDE_KIND_LENGTH;
}

/* Reads the number at position p, with as many digits as fit the domain, and sets *index to it. Returns false if no
 * number of the domain is there. */
static bool read_number(const struct sonde_aim *aim, uint32_t p, const struct sonde_tape *tape,
                        const struct sonde_choice *c, uint64_t *index)
{
    bool is_negative = p < aim->n && aim->text[p] == '-', fits = false;
    uint32_t from = p + is_negative;
    struct sonde_value value = {.type = SONDE_VALUE_DOUBLE};
    if (p < aim->n && aim->text[p] == '+') from++;
    if (from >= aim->n || !(is_digit(aim->text[from]) || aim->text[from] == '.')) return false;
    if (c->kind == SONDE_KIND_DOUBLE) {
        if (!sonde_read_decimal(aim->text + from, aim->n - from, &value.as.d)) return false;
        if (is_negative) value.as.d = -value.as.d;
        *index = sonde_choice_index(tape, c, value, &fits);
        return fits;
    }
    uint64_t x = 0;
    bool found = false;
    for (uint32_t i = from; i < aim->n && is_digit(aim->text[i]) && x <= (UINT64_MAX - 9) / 10; i++) {
        x = 10 * x + (uint64_t)(aim->text[i] - '0');
        value.type = is_negative ? SONDE_VALUE_INT : SONDE_VALUE_UINT;
        if (is_negative && x > (uint64_t)INT64_MAX) break;
        if (is_negative) value.as.i = -(int64_t)x;
        else value.as.u = x;
        uint64_t here = sonde_choice_index(tape, c, value, &fits);
        if (fits) *index = here;
        found |= fits;
    }
    return found;
}

/* Reads a hexadecimal number (%x), as read_number does. */
static bool read_hex(const struct sonde_aim *aim, uint32_t p, const struct sonde_tape *tape,
                     const struct sonde_choice *c, uint64_t *index)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    struct sonde_value value = {.type = SONDE_VALUE_UINT};
    bool found = false, fits;
    if (c->kind == SONDE_KIND_DOUBLE) return false;
    for (uint32_t i = p; i < aim->n && aim->text[i] && i < p + 16; i++) {
        const char *digit = strchr(digits, aim->text[i]);
        if (!digit) break;
        uint64_t x = (uint64_t)(digit - digits);
        value.as.u = 16 * value.as.u + (x > 15 ? x - 6 : x);
        uint64_t here = sonde_choice_index(tape, c, value, &fits);
        if (fits) *index = here;
        found |= fits;
    }
    return found;
}

/* Reads one byte as a number (%c). */
static bool read_byte(const struct sonde_aim *aim, uint32_t p, const struct sonde_tape *tape,
                      const struct sonde_choice *c, uint64_t *index)
{
    bool fits = false;
    if (p >= aim->n || c->kind == SONDE_KIND_DOUBLE || c->kind == SONDE_KIND_LENGTH) return false;
    struct sonde_value value = {.type = SONDE_VALUE_UINT, .as.u = (unsigned char)aim->text[p]};
    *index = sonde_choice_index(tape, c, value, &fits);
    return fits;
}

/* Finds positions in the target where the value of a draw may be; returns how many. They are: as far from the draw as
 * the last time, the first wrong byte, the current position, and the beginning of the next number. */
static uint32_t find_places(const struct sonde_guess *g, const struct site *s, uint32_t at, uint32_t m, bool is_numeric,
                            uint32_t out[PLACES])
{
    const char *text = g->aim->text;
    uint32_t n = 0, p = sonde_aim_skip(g->aim, at);
    if (s->seen) out[n++] = p + s->reach;
    if (m != p && m <= p + REACH && p <= m + REACH) {
        while (is_numeric && m > 0 && m != p && (is_digit(text[m - 1]) || text[m - 1] == '-')) m--;
        out[n++] = m;
    }
    out[n++] = p;
    for (uint32_t i = 1; is_numeric && i < REACH && p + i < g->aim->n; i++) {
        if (!is_digit(text[p + i])) continue;
        out[n++] = text[p + i - 1] == '-' ? p + i - 1 : p + i;
        break;
    }
    return n;
}

/* Finds the indices of the numbers at these positions; returns how many. */
static uint32_t find_numbers(const struct sonde_guess *g, const struct sonde_tape *tape, const struct sonde_choice *c,
                             uint32_t at, uint32_t m, uint64_t *out, uint32_t max)
{
    uint32_t places[PLACES], n = 0;
    uint32_t n_places = find_places(g, site_of(g, c->site), at, m, true, places);
    for (uint32_t i = 0; i < n_places && n < max; i++) n += read_number(g->aim, places[i], tape, c, &out[n]);
    for (uint32_t i = 0; i < n_places && n < max; i++) n += read_byte(g->aim, places[i], tape, c, &out[n]);
    for (uint32_t i = 0; i < n_places && n < max; i++) n += read_hex(g->aim, places[i], tape, c, &out[n]);
    return n;
}

/* ---- Strings */

/* Returns how many bytes from p on belong to the alphabet, at most `max` symbols. */
static uint32_t longest(const struct sonde_aim *aim, const struct sonde_alphabet *alphabet, uint32_t p, uint32_t max)
{
    uint32_t from = p;
    for (uint32_t n = 0; p < aim->n && n < max; n++) {
        uint32_t code = (unsigned char)aim->text[p], width = 1;
        if (alphabet->kind != SONDE_ALPHABET_BYTES) {
            width = sonde_utf8_decode(aim->text + p, aim->n - p, &code);
            if (!code || sonde_alphabet_symbol(alphabet, code) >= alphabet->size) break;
        }
        p += width;
    }
    return p - from;
}

/* Parts of the target that a string may be a copy of. */
struct parts {
    struct sonde_answer *out;
    uint32_t n, max, at_least;
};

/* Adds a part unless it is too short or known. */
static void add_part(struct parts *parts, uint32_t from, uint32_t n)
{
    if (n < parts->at_least || parts->n == parts->max) return;
    for (uint32_t i = 0; i < parts->n; i++)
        if (parts->out[i].from == from && parts->out[i].n == n) return;
    parts->out[parts->n++] = (struct sonde_answer){.from = from, .n = n};
}

/* Adds the parts from p on that a string may be a copy of. Parts end at the byte that followed the string the last
 * time, where the alphabet ends, or at a byte that often ends a string. */
static void cut_parts(const struct sonde_guess *g, const struct site *s, uint32_t p, uint32_t most, struct parts *parts)
{
    static const char ends[] = "\"'<>,;:=()[]{}|&/ \n\t";
    const char *text = g->aim->text + p;
    uint32_t n = parts->at_least;
    while (s->behind && n <= most && p + n < g->aim->n && (unsigned char)text[n] != s->behind - 1) n++;
    if (s->behind && n <= most && p + n < g->aim->n) add_part(parts, p, n);
    add_part(parts, p, most);
    for (n = 0; n < most; n++)
        if (strchr(ends, text[n])) add_part(parts, p, n);
}

/* Finds the parts of the target that a blob may be a copy of, the most likely first; returns how many. */
static uint32_t find_parts(const struct sonde_guess *g, uint32_t site, const struct sonde_blob *blob, uint32_t at,
                           uint32_t m, struct sonde_answer *out, uint32_t max)
{
    const struct site *s = site_of(g, site);
    struct parts parts = {.out = out, .max = max, .at_least = blob->min};
    uint32_t places[PLACES + 1], n = find_places(g, s, at, m, false, places), p = sonde_aim_skip(g->aim, at);
    if (!s->seen) { /* skip to the next character of the alphabet */
        uint32_t d = 0;
        while (d < REACH && !longest(g->aim, &blob->alphabet, p + d, 1)) d++;
        if (d && d < REACH) places[n++] = p + d;
        if (d && d < REACH && n == 2) places[0] = p + d, places[1] = p;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (places[i] > g->aim->n) continue;
        cut_parts(g, s, places[i], longest(g->aim, &blob->alphabet, places[i], blob->max), &parts);
    }
    return parts.n;
}

/* ---- The guide */

/* Returns how many bytes of the target the value of a choice takes, including what the generator writes before it; 0 if
 * that is unknown. */
static uint32_t bytes_of(const struct sonde_guess *g, const struct sonde_tape *tape, const struct sonde_choice *c)
{
    const struct site *s = site_of(g, c->site);
    if (c->kind == SONDE_KIND_BLOB) {
        struct sonde_blob blob = sonde_choice_blob(tape, c);
        uint32_t n = 0;
        char out[4];
        for (uint32_t i = 0; i < blob.len; i++)
            n += blob.alphabet.kind == SONDE_ALPHABET_BYTES
                     ? 1
                     : sonde_utf8_encode(sonde_alphabet_code(&blob.alphabet, sonde_blob_symbol(&blob, i)), out);
        return s->reach + n;
    }
    char text[NUMBER];
    return is_number(c) && c->kind != SONDE_KIND_LENGTH && s->seen > s->hidden ? s->reach + number_text(tape, c, text)
                                                                               : 0;
}

/* The elements of a list that are drawn before any of them is written are mostly the characters of one piece. Element
 * n then represents the byte that is n bytes ahead. Strings and numbers that were drawn but not yet written come
 * before it. */
struct sonde_guess_at sonde_guess_drawn(const struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c,
                                        uint32_t since, uint32_t written)
{
    const struct sonde_choice *choice = &tape->choices[c];
    const struct sonde_tape_span *element = &tape->spans[choice->span];
    struct sonde_guess_at spot = {.at = written};
    /* number of earlier draws with the same label and kind: a single character may come before the repeated ones */
    uint32_t n = 0;
    bool is_ahead = element->flags & SONDE_SPAN_ELEMENT && tape->spans[element->parent].start >= since;
    if (c - since > AHEAD) since = c - AHEAD;
    for (uint32_t i = since; i < c; i++) {
        n += tape->choices[i].label == choice->label && tape->choices[i].kind == choice->kind;
        spot.at += bytes_of(g, tape, &tape->choices[i]);
    }
    if (is_ahead) spot.at += n;
    else spot.again = n;
    if (spot.at > g->aim->n) spot.at = g->aim->n;
    return spot;
}

/* Returns the index of a length. It is the number that the target has here. Without one, it is 0 or 1 if that was right
 * in this context before, otherwise as large as possible. */
static uint64_t guess_length(const struct sonde_guess *g, const struct sonde_view *view, struct sonde_guess_at spot)
{
    const struct site *s = site_of(g, view->point->site);
    struct scored known[SCORED];
    uint64_t index, max = view->point->max;
    if (s->seen > s->hidden && find_numbers(g, view->tape, view->point, spot.at, spot.at, &index, 1)) return index;
    uint32_t n = find_known(g, view->point, spot, known);
    if (n && known[0].score > 0 && known[0].value < 2) return known[0].value;
    uint64_t rest = (uint64_t)(g->aim->n - spot.at) + 1; /* most generators write at least one byte for each element */
    return rest < max ? rest : max;
}

/* Computes the index from the next byte ('a' + index), if at least `agree` different characters had the same
 * difference. */
static bool find_shifted(const struct sonde_guess *g, const struct sonde_choice *c, struct sonde_guess_at spot,
                         uint32_t agree, uint64_t *index)
{
    uint32_t p = sonde_aim_skip(g->aim, spot.at);
    if (p >= g->aim->n) return false;
    unsigned char byte = (unsigned char)g->aim->text[p];
    const struct shift *shift = &site_of(g, c->site)->shifts[shift_kind(byte)];
    *index = (uint64_t)(byte + shift->by);
    return shift->yes >= agree && *index <= c->max && (agree < SHIFTS || !shift->no);
}

/* Returns the best known answer, or if nothing is known the simplest one that was not wrong here before. */
static uint64_t guess_known(const struct sonde_guess *g, const struct sonde_choice *c, struct sonde_guess_at spot)
{
    struct scored known[SCORED];
    uint64_t index;
    uint32_t n = find_known(g, c, spot, known);
    if (find_shifted(g, c, spot, SHIFTS, &index)) return index;
    if (n && known[0].score > 0) return known[0].value;
    for (uint64_t v = 0; v <= c->max && v <= n; v++) {
        uint32_t i = 0;
        while (i < n && known[i].value != v) i++;
        if (i == n) return v;
    }
    return n ? known[0].value : 0;
}

/* Returns the position of the draw that is being made. */
static struct sonde_guess_at drawn_now(const struct sonde_guess *g, const struct sonde_view *view)
{
    const struct sonde_aim *aim = g->aim;
    uint32_t since = aim->n_marks ? aim->marks[aim->n_marks - 1].choices : 0;
    return sonde_guess_drawn(g, view->tape, view->tape->n_choices, since, aim->at);
}

static uint64_t guess_choose(struct sonde_guide *guide, const struct sonde_view *view)
{
    const struct sonde_guess *g = (const struct sonde_guess *)(const void *)guide;
    const struct sonde_choice *c = view->point;
    const struct site *s = site_of(g, c->site);
    uint64_t index;
    if (c->kind == SONDE_KIND_SIZE) return c->max;
    struct sonde_guess_at spot = drawn_now(g, view);
    if (c->kind == SONDE_KIND_LENGTH) return guess_length(g, view, spot);
    bool is_shown = is_number(c) && s->hidden <= HIDDEN * (s->seen + 1);
    if (is_shown && find_numbers(g, view->tape, c, spot.at, spot.at, &index, 1)) return index;
    return guess_known(g, c, spot);
}

static size_t guess_fill(struct sonde_guide *guide, const struct sonde_view *view, uint32_t *symbols, size_t min,
                         size_t max)
{
    const struct sonde_guess *g = (const struct sonde_guess *)(const void *)guide;
    struct sonde_blob shape = {.alphabet = *view->alphabet,
                               .min = (uint32_t)min,
                               .max = max < UINT32_MAX ? (uint32_t)max : UINT32_MAX};
    uint32_t at = drawn_now(g, view).at;
    struct sonde_answer part;
    size_t n = 0;
    if (find_parts(g, view->point->site, &shape, at, at, &part, 1)) {
        for (uint32_t i = part.from; i < part.from + part.n; n++) {
            uint32_t code = (unsigned char)g->aim->text[i], width = 1;
            if (shape.alphabet.kind != SONDE_ALPHABET_BYTES)
                width = sonde_utf8_decode(g->aim->text + i, g->aim->n - i, &code);
            symbols[n] = sonde_alphabet_symbol(&shape.alphabet, code);
            i += width;
        }
    }
    while (n < min) symbols[n++] = 0;
    return n;
}

static void guess_destroy(struct sonde_guide *guide)
{
    sonde_guess_free((struct sonde_guess *)(void *)guide);
}

static const struct sonde_guide_ops guess_ops = {
    .name = "guess",
    .summary = "chooses values by the next bytes of a file",
    .destroy = guess_destroy,
    .choose = guess_choose,
    .fill = guess_fill,
};

struct sonde_guess *sonde_guess_create(struct sonde_aim *aim)
{
    struct sonde_guess *g = sonde_calloc(1, sizeof *g);
    g->guide.ops = &guess_ops;
    g->aim = aim;
    return g;
}

void sonde_guess_forget(struct sonde_guess *g)
{
    sonde_map_clear(&g->at_row);
    sonde_map_clear(&g->at_site);
    sonde_free(g->rows);
    sonde_free(g->sites);
    *g = (struct sonde_guess){.guide = g->guide, .aim = g->aim};
}

void sonde_guess_free(struct sonde_guess *g)
{
    sonde_guess_forget(g);
    sonde_free(g);
}

struct sonde_guide *sonde_guess_guide(struct sonde_guess *g)
{
    return &g->guide;
}

/* ---- Values to try */

/* A list of different values for one choice. */
struct answers {
    struct sonde_answer *out;
    uint32_t n;
    const struct sonde_choice *c;
};

/* Adds a value unless it is impossible, known, or the present one. */
static void add_answer(struct answers *a, uint64_t index)
{
    if (index > a->c->max || index == a->c->index || a->n == SONDE_ANSWERS) return;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->out[i].index == index) return;
    a->out[a->n++] = (struct sonde_answer){.index = index};
}

static void add_known(const struct sonde_guess *g, struct answers *a, struct sonde_guess_at spot)
{
    struct scored known[SCORED];
    uint32_t n = find_known(g, a->c, spot, known);
    for (uint32_t i = 0; i < n; i++)
        if (known[i].score > 0) add_answer(a, known[i].value);
}

uint32_t sonde_guess_answers(const struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c,
                             struct sonde_guess_at spot, uint32_t m, struct sonde_answer out[SONDE_ANSWERS])
{
    struct answers a = {.out = out, .c = &tape->choices[c]};
    if (a.c->kind == SONDE_KIND_BLOB) {
        struct sonde_blob blob = sonde_choice_blob(tape, a.c);
        return find_parts(g, a.c->site, &blob, spot.at, m, out, SONDE_ANSWERS);
    }
    uint64_t index, numbers[3 * PLACES];
    uint32_t n = is_number(a.c) ? find_numbers(g, tape, a.c, spot.at, m, numbers, 3 * PLACES) : 0;
    for (uint32_t i = 0; i < n; i++) add_answer(&a, numbers[i]);
    if (find_shifted(g, a.c, spot, 1, &index)) add_answer(&a, index);
    add_known(g, &a, spot);
    for (uint64_t v = 0; v <= a.c->max && v < (is_number(a.c) ? SIMPLEST : SONDE_ANSWERS); v++) add_answer(&a, v);
    return a.n;
}

/* ---- Learning */

/* Returns the value to learn for a choice. All lengths above 1 count as one value. */
static uint64_t value_to_learn(const struct sonde_choice *c)
{
    return c->kind == SONDE_KIND_LENGTH && c->index > 2 ? 2 : c->index;
}

void sonde_guess_learn(struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c, struct sonde_guess_at spot,
                       bool was_right)
{
    const struct sonde_choice *choice = &tape->choices[c];
    uint64_t contexts[CONTEXTS];
    if (choice->kind == SONDE_KIND_BLOB || choice->flags & SONDE_CHOICE_FORCED) return;
    find_contexts(g->aim, choice, spot, contexts);
    for (uint32_t i = 0; i < CONTEXTS; i++)
        add_weight(g, contexts[i], value_to_learn(choice), was_right ? CONFIRM : REFUTE);
}

/* Returns the byte that the last run wrote at a position, or -1 if that is unknown. */
static int written(const struct sonde_aim *aim, uint32_t p)
{
    if (p < aim->at) return (unsigned char)aim->text[p];
    return p - aim->at < aim->n_wrong ? (unsigned char)aim->wrong[p - aim->at] : -1;
}

static bool is_written(const struct sonde_aim *aim, uint32_t p, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (written(aim, p + (uint32_t)i) != (unsigned char)text[i]) return false;
    return true;
}

/* Learns where the value of a choice was written, and which byte followed it. */
static void watch_value(struct sonde_guess *g, const struct sonde_tape *tape, const struct sonde_choice *c, uint32_t at)
{
    const struct sonde_aim *aim = g->aim;
    uint32_t p = sonde_aim_skip(aim, at), n = 0;
    char text[4 * SHORT + 1];
    if (is_number(c)) {
        n = number_text(tape, c, text);
    } else {
        struct sonde_blob blob = sonde_choice_blob(tape, c);
        if (blob.len <= SHORT) n = (uint32_t)sonde_blob_text(&blob, text);
    }
    if (!n) return;
    struct site *s = learn_site(g, c->site);
    for (uint32_t d = 0; d < REACH; d++) {
        if (!is_written(aim, p + d, text, n)) continue;
        int behind = written(aim, p + d + n);
        if (is_number(c) && behind >= '0' && behind <= '9') continue;
        s->seen++;
        s->reach = d;
        if (behind >= 0) s->behind = behind + 1;
        return;
    }
    /* If the run ended before the value was written, that does not count as hidden. */
    if (written(aim, p + REACH + n) >= 0) s->hidden++;
}

/* Learns the difference of index and byte, for generators that write 'a' + index. */
static void watch_shift(struct sonde_guess *g, const struct sonde_choice *c, int byte)
{
    struct shift *s = &learn_site(g, c->site)->shifts[shift_kind((unsigned char)byte)];
    int64_t by = (int64_t)c->index - byte;
    if (!s->yes) s->by = by;
    if (s->by != by) s->no++;
    else if (!s->yes || s->last != byte) s->yes++;
    s->last = byte;
}

void sonde_guess_watch(struct sonde_guess *g, const struct sonde_tape *tape, uint32_t c, struct sonde_guess_at spot)
{
    const struct sonde_choice *choice = &tape->choices[c];
    uint32_t p = sonde_aim_skip(g->aim, spot.at);
    int byte = written(g->aim, p);
    if (choice->flags & SONDE_CHOICE_FORCED || byte < 0) return;
    if (choice->kind == SONDE_KIND_BLOB || is_number(choice)) watch_value(g, tape, choice, spot.at);
    else if (choice->max > 2 && choice->max < BYTES) watch_shift(g, choice, byte);
    if (p != g->aim->at || choice->kind == SONDE_KIND_BLOB) return;
    /* Learns that the choice is right where the target has the byte that it wrote here. */
    struct sonde_aim other = {.text = g->aim->wrong, .n = 1};
    uint64_t contexts[CONTEXTS];
    enum { KIND, BYTE };
    find_contexts(&other, choice, (struct sonde_guess_at){0, spot.again}, contexts);
    add_weight(g, contexts[KIND], value_to_learn(choice), WATCH);
    add_weight(g, contexts[BYTE], value_to_learn(choice), WATCH);
}
