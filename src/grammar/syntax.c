/* The small functions on grammars that reading, drawing and parsing share. */
#include "grammar/syntax.h"

#include "base/mem.h"

/* ---- Characters */

uint32_t sonde_syntax_encode(const struct sonde_syntax *g, uint32_t c, char out[4])
{
    if (!g->is_unicode || c < 0x80) return out[0] = (char)c, 1;
    uint32_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (uint32_t i = n; --i > 0; c >>= 6) out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((0xf00 >> n & 0xff) | c);
    return n;
}

uint32_t sonde_syntax_decode(const struct sonde_syntax *g, const char *bytes, size_t n, uint32_t *c)
{
    enum { INVALID = 0x110000 };
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)bytes[0];
    *c = first;
    if (!g->is_unicode || first < 0x80) return 1;
    uint32_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2, code = first & (0x7f >> length);
    *c = INVALID + first;
    if (first < 0xc0 || first > 0xf7 || length > n) return 1;
    for (uint32_t i = 1; i < length; i++) {
        if (((unsigned char)bytes[i] & 0xc0) != 0x80) return 1;
        code = code << 6 | ((unsigned char)bytes[i] & 0x3f);
    }
    if (code < least[length] || code >= INVALID || (code >= 0xd800 && code < 0xe000)) return 1;
    *c = code;
    return length;
}

bool sonde_syntax_has(const struct sonde_syntax *g, const struct sonde_syntax_class *class, uint32_t c)
{
    if (c < 256) return class->bits[c / 64] >> c % 64 & 1;
    uint32_t lo = 0, hi = class->n_ranges;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        const struct sonde_syntax_range *r = &g->ranges[class->first_range + mid];
        if (c < r->lo) hi = mid;
        else if (c > r->hi) lo = mid + 1;
        else return true;
    }
    return false;
}

uint32_t sonde_syntax_member(const struct sonde_syntax *g, const struct sonde_syntax_class *class, uint32_t i)
{
    for (uint32_t k = 0; k < class->n_ranges; k++) {
        const struct sonde_syntax_range *r = &g->ranges[class->first_range + k];
        if (i <= r->hi - r->lo) return r->lo + i;
        i -= r->hi - r->lo + 1;
    }
    return 0;
}

uint32_t sonde_syntax_resolve(const struct sonde_syntax *g, uint32_t node)
{
    while (g->nodes[node].kind == SONDE_SYNTAX_RULE && !g->rules[g->nodes[node].first].draw)
        node = g->rules[g->nodes[node].first].body;
    return node;
}

void sonde_syntax_free(void *syntax)
{
    struct sonde_syntax *g = syntax;
    if (!g) return;
    sonde_free(g->nodes);
    sonde_free(g->rules);
    sonde_free(g->classes);
    sonde_free(g->ranges);
    sonde_free(g->kids);
    sonde_free(g->codes);
    sonde_free(g->weights);
    sonde_free(g->bytes);
    sonde_free(g->names);
    sonde_map_clear(&g->by_name);
    sonde_free(g);
}
