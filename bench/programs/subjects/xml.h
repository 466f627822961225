/* A program of libxml2. Its inputs are trees over a vocabulary: below the outermost element, any in any other, with any
 * attributes of any values. Subjects have the vocabulary and program_run; the rest of program.h is in xml.c. */
#ifndef BENCH_PROGRAMS_XML_H
#define BENCH_PROGRAMS_XML_H

#include "programs/program.h"

struct xml_words {
    const char *const *words;
    size_t n;
};
#define XML_WORDS(array)                                                                                               \
    {                                                                                                                  \
        (array), sizeof(array) / sizeof *(array)                                                                       \
    }

struct xml_vocabulary {
    const char *root; /* the outermost element, and its name spaces */
    const char *declaration;
    struct xml_words tags, attributes, values, texts;
};

extern const struct xml_vocabulary xml_vocabulary;

#endif
