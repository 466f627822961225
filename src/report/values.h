/* The values of a tape: as an indented tree for people, as paths for programs.
 *
 * A path names each value by the labels of the spans around it and its own: `tree.left`, `xs[0].x`. The second sibling
 * of one name is `tree#2`, the third `tree#3`; the characters . [ ] # and \ in a label get a backslash before them. So
 * no two values share a path. Lengths of lists are not values of their own; the size of the case is one, `\#size`, only
 * where it is not 0, that is, where it matters.
 *
 * Example of a tree, with a list of plain values, a list of structs and a nested span:
 *
 *     xs = [3, 1, 2]
 *     points = [{x = 0, y = 1}, {x = 2, y = 0}]
 *     tree
 *       value = 3
 *       tree
 *         value = 1
 *
 * What a user's printer wrote (sonde_show) stands in the place of the draws of its span. */
#ifndef SONDE_REPORT_VALUES_H
#define SONDE_REPORT_VALUES_H

#include <sonde/extend.h>

struct sonde_values {
    const struct sonde_tape *tape;
    const struct sonde_labels *names;
    const struct sonde_shown_span *shown;
    size_t n_shown;
    const uint8_t *others_fail; /* per choice: how many other values fail too; may be NULL */
};

/* For people, each line after `indent` blanks. At most max_lines of them (0: all), then a word on the rest. */
void sonde_values_tree(FILE *out, const struct sonde_values *values, unsigned indent, size_t max_lines);

/* One value: a choice of the tape, or the text of a user's printer. */
struct sonde_leaf {
    const char *path;
    const struct sonde_choice *choice; /* NULL: shown */
    const char *shown;
};
/* Calls leaf() for each value in order, until it answers false. */
void sonde_values_each(const struct sonde_values *values, bool (*leaf)(void *to, const struct sonde_leaf *leaf),
                       void *to);

#endif
