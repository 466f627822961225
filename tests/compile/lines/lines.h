/* Programs with planted bugs, of which --explain=lines is to name the line. BUG is the number of the one that is
 * compiled in; P(n, wrong, right) is in its line. Each program is checked against something that is written in another
 * way. */
#ifndef LINES_H
#define LINES_H

#include <sonde.h>

#ifndef BUG
#define BUG 0
#endif
#define P(n, wrong, right) (BUG == (n) ? (wrong) : (right))

#endif
