#include "lines.h"
struct span {
    int from, to;
};
int merge_spans(struct span *spans, int n);
int covered(const struct span *spans, int n, int x);
int runs(const unsigned char *in, int n, unsigned char *out);
