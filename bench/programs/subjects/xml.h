/* A generic XML tree over a vocabulary: below the outermost, any element in any other, with any attributes of any values. */
#ifndef BENCH_PROGRAMS_XML_H
#define BENCH_PROGRAMS_XML_H

#include "programs/program.h"

struct xml_vocabulary {
    const char *root; /* the outermost element, and its name spaces */
    const char *declaration;
    const char *const *tags;
    const char *const *attributes;
    const char *const *values;
    const char *const *texts;
    size_t n_tags, n_attributes, n_values, n_texts;
};

void xml_document(sonde *t, struct text *out, const struct xml_vocabulary *words);
/* No messages, nothing from files or the network. */
void xml_quiet(void);

#endif
