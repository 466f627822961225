/* Properties with assumes over small integers, rebuilt from the tests of PyTorch, Caffe2, pandas and FBGEMM, and sorted
 * lists; preconditions that are not a conjunction of linear relations, or are one inside a call; and preconditions that
 * compare a drawn value with a computed one. They claim nothing: what counts is which inputs get through. */
#ifndef BENCH_ASSUME_CASES_H
#define BENCH_ASSUME_CASES_H

#include <sonde.h>

enum { ASSUME_VARIABLES = 12 };

/* An accepted input: the variables that occur in assumes. The context of every case. */
struct assume_accepted {
    void (*take)(struct assume_accepted *to, const int64_t *values, size_t n, uint64_t identity);
};

struct assume_case {
    const char *name;
    sonde_property_fn *run;
    double uniform; /* known share that uniform draws accept; 0: not known */
    bool computes;  /* the precondition compares a drawn value with a computed one */
};

/* Of plain.c. */
sonde_property_fn assume_brackets, assume_permutation, assume_sum, assume_coprime, assume_heap, assume_heap_loop,
    assume_checked_bytes, assume_box_in_box, assume_sorted_function, assume_windows_function;

/* Of repair.c. */
sonde_property_fn assume_repair_sum, assume_repair_xor, assume_repair_length, assume_repair_crc8, assume_repair_crc32,
    assume_repair_luhn, assume_repair_fnv32;

/* Of torch.c. */
sonde_property_fn assume_max_pool2d, assume_max_pool2d_first, assume_max_pool2d_cudnn, assume_conv_api,
    assume_conv_api_groups, assume_conv_gradients, assume_im2col_layout, assume_group_convolution,
    assume_conv_transpose_group, assume_conv_separate_gradients, assume_dnnlowp_acc16, assume_dnnlowp_prepacked;

/* The name of the suite, which says what compiled the functions. */
extern const char assume_suite[];
extern const struct assume_case assume_cases[];
extern const size_t assume_n_cases;

#endif
