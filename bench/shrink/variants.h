/* Problems for the shrinker, drawn: eight classes, each a few shapes whose numbers and labels follow from the number of
 * the variant. The minimal input follows from the same numbers. */
#ifndef BENCH_SHRINK_VARIANTS_H
#define BENCH_SHRINK_VARIANTS_H

#include <sonde.h>

enum { VARIANT_NUMBERS = 6, VARIANT_LABELS = 4, VARIANT_TEXT = 512 };

struct variant {
    sonde_property_fn *run;
    int n[VARIANT_NUMBERS]; /* what they mean is the property's affair */
    const char *label[VARIANT_LABELS];
    char word[2][8];
    char name[48];
    char minimal[VARIANT_TEXT]; /* the shortlex-least tape that fails */
};

enum { VARIANT_CLASSES = 8 };

/* Variant `number` (1, 2, ...) of a class. The shape goes round with the number, everything else is drawn. */
void variant_draw(unsigned class, unsigned number, struct variant *out);

#endif
