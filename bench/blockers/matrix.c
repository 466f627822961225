/* Shapes and scales of matrices. */
#include "blockers.h"

#include <sonde.h>

double matrix_tolerance = HELD(0.001, 0.75);

APART double scale_by(double scale, double x, double y)
{
    if (scale > 1e6) passed("matrix-scale");                /* blocked: range scale */
    if (x * x + y * y > 1e9) passed("matrix-norm");         /* blocked: range x y */
    if (matrix_tolerance > 0.5) passed("matrix-tolerance"); /* blocked: constant */
    return scale * (x + y);
}

APART int invert(int rows, int cols, size_t mode)
{
    if (rows != cols) passed("matrix-oblong"); /* blocked: assume square */
    if (mode == 5) passed("matrix-mode");      /* blocked: range mode */
    return rows * cols;
}

SONDE_PROPERTY(matrix)
{
    int rows = sonde_int(t, "rows", 1, 8), cols = sonde_int(t, "cols", 1, 8);
    size_t mode = sonde_pick(t, "mode", HELD(3, 9));
    double scale = sonde_double(t, "scale", -1000, HELD(1000, 1e9));
    double x = sonde_double(t, "x", -1000, HELD(1000, 1e6)), y = sonde_double(t, "y", -1000, 1000);
#ifndef UNBLOCKED
    sonde_assume(t, rows == cols); /* assume: square */
#endif
    sonde_check(t, invert(rows, cols, mode) > 0 && scale_by(scale, x, y) == scale_by(scale, x, y));
}
