/* Prints the values of a tape: as an indented tree for people, or as paths for programs.
 *
 * A path names a value by its label, after the labels of the spans around it: `tree.left`, `xs[0].x`. The second
 * sibling with the same name is `tree#2`, the third `tree#3`. The characters . [ ] # and \ in a label are escaped by a
 * backslash, so no two values share a path. Lengths of lists are not listed as values. The size of the case is
 * listed as `\#size`, but only if it is not 0, that is, if it matters.
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
 * If a user's printer described a span (sonde_show), its string replaces the draws of the span. */
#ifndef SONDE_REPORT_VALUES_H
#define SONDE_REPORT_VALUES_H

#include <sonde/extend.h>

/* A tape and what is needed to print its values. All pointers are borrowed. */
struct sonde_values {
    const struct sonde_tape *tape;
    const struct sonde_labels *names;
    const struct sonde_shown_span *shown; /* strings of the user's printers */
    size_t n_shown;
    const uint8_t *others_fail; /* for each choice: how many other values of it fail, too; may be NULL */
};

/* Prints the values as a tree, each line after `indent` blanks. After max_lines lines (0: no limit), prints one more
 * line with how much is left. */
void sonde_values_tree(FILE *out, const struct sonde_values *values, unsigned indent, size_t max_lines);

/* One value: a choice of the tape, or the string of a user's printer. */
struct sonde_leaf {
    const char *path;
    const struct sonde_choice *choice; /* NULL: the value is the string `shown` */
    const char *shown;
};
/* Calls leaf() for each value in order, until leaf() returns false. */
void sonde_values_each(const struct sonde_values *values, bool (*leaf)(void *to, const struct sonde_leaf *leaf),
                       void *to);

#endif
