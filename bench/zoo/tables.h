/* Tables of recorded rows. A fault that was not met counts as met at the end of the search, which understates how hard
 * it is: so shares of faults that were met are printed beside. Faults of one subject are averaged before subjects are
 * compared, because only subjects are independent of each other. */
#ifndef BENCH_ZOO_TABLES_H
#define BENCH_ZOO_TABLES_H

/* Tables of one record: which guide is best where, by kind and by decade, and what differences mean. The status of the
 * program. */
int zoo_print_tables(const char *path);
/* "OLD,NEW": two records of the same rows, paired. The status of the program. */
int zoo_print_comparison(const char *paths);

#endif
