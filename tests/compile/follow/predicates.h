/* Predicates in a separate file: all that an assume sees is yes or no. */
#include <stdbool.h>
#include <stddef.h>

/* Strictly increasing. */
bool is_sorted(const int *v, int n);
/* 'S', a digit, the length, small letters, '$'. */
int is_record(const unsigned char *text, size_t n);
