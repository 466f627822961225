/* See places.h. */
#include "report/places.h"

#include <inttypes.h>

static void put_word(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c > ' ' && c < 0x7f && c != '%' && c != '<' && c != '>' && c != '&') fputc(c, out);
        else fprintf(out, "%%%02X", c);
    }
}

void sonde_places_write(FILE *out, const struct sonde_report *r, size_t index, size_t n_inputs)
{
    const struct sonde_insight *in = r->insight;
    fprintf(out, "property %zu ", index);
    put_word(out, r->property);
    fputc('\n', out);
    for (size_t i = 0; i < in->n_modules; i++) {
        fprintf(out, "module %zu %016" PRIx64 " ", i, in->modules[i].id);
        put_word(out, in->modules[i].path);
        fputc('\n', out);
        if (in->modules[i].is_called) fprintf(out, "called %zu\n", i);
    }
    for (size_t i = 0; i < in->n_reached; i++) {
        const struct sonde_reached *p = &in->reached[i];
        fprintf(out, "%u %" PRIx64 " %u %u\n", p->module, p->offset, p->by, p->first <= n_inputs ? p->first : 0);
    }
}
