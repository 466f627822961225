#include <sonde/derive.h>
struct node { int v; struct node *l SONDE_NULLABLE; struct node *r SONDE_NULLABLE; };
struct list { int v; struct list *next SONDE_NULLABLE; };
struct flts { float f; double d; long double ld; long double some SONDE_RANGE(1, 2); };
