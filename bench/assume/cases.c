/* See cases.h. Written as the originals are: draw, assume, done; with relations for distances, which a build with
 * `sonde cc` would have from the plain conditions. */
#include "assume/accept.h"

#ifdef ASSUME_PLAIN
const char assume_suite[] = "assume-cc";
#else
const char assume_suite[] = "assume";
#endif

uint64_t assume_mix(uint64_t hash, int64_t x)
{
    hash = (hash ^ (uint64_t)x) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

void assume_accept(sonde *t, const int64_t *values, size_t n)
{
    struct assume_accepted *to = sonde_context(t);
    uint64_t identity = n;
    for (size_t i = 0; i < n; i++) identity = assume_mix(identity, values[i]);
    to->take(to, values, n, identity);
}

static int any(sonde *t, const char *label, int lo, int hi)
{
    return sonde_int(t, label, lo, hi);
}

/* ---- PyTorch and Caffe2 */

static void conv2d_transpose(sonde *t)
{
    any(t, "batch", 1, 3);
    any(t, "in_channels", 1, 32);
    int h = any(t, "height", 5, 64), w = any(t, "width", 5, 64);
    any(t, "out_channels", 1, 32);
    any(t, "groups", 1, 16);
    int kh = any(t, "kernel_h", 1, 7), kw = any(t, "kernel_w", 1, 7);
    int sh = any(t, "stride_h", 1, 2), sw = any(t, "stride_w", 1, 2);
    int ph = any(t, "pad_h", 0, 2), pw = any(t, "pad_w", 0, 2);
    int oph = any(t, "output_pad_h", 0, 2), opw = any(t, "output_pad_w", 0, 2);
    int d = any(t, "dilation", 1, 2);
    sonde_bool(t, "bias");
    sonde_pick(t, "format", 4);
    sonde_assume_that(t, h + 2 * ph, >=, d * (kh - 1) + 1);
    sonde_assume_that(t, w + 2 * pw, >=, d * (kw - 1) + 1);
    sonde_assume_that(t, sonde_all(sonde_rel(oph, <, sh), sonde_rel(oph, <, d)));
    sonde_assume_that(t, sonde_all(sonde_rel(opw, <, sw), sonde_rel(opw, <, d)));
    ASSUME_ACCEPT(t, h, w, kh, kw, sh, sw, ph, pw, oph, opw, d);
}

static void conv2d(sonde *t)
{
    any(t, "batch", 0, 3);
    any(t, "in_channels", 1, 32);
    int h = any(t, "height", 5, 64), w = any(t, "width", 5, 64);
    any(t, "out_channels", 1, 32);
    any(t, "groups", 1, 16);
    int kh = any(t, "kernel_h", 1, 7), kw = any(t, "kernel_w", 1, 7);
    any(t, "stride_h", 1, 2), any(t, "stride_w", 1, 2);
    int ph = any(t, "pad_h", 0, 2), pw = any(t, "pad_w", 0, 2), d = any(t, "dilation", 1, 2);
    sonde_bool(t, "bias");
    sonde_pick(t, "format", 4);
    sonde_assume_that(t, h + 2 * ph, >=, d * (kh - 1) + 1);
    sonde_assume_that(t, w + 2 * pw, >=, d * (kw - 1) + 1);
    ASSUME_ACCEPT(t, h, w, kh, kw, ph, pw, d);
}

static void nnpack_convolution(sonde *t)
{
    int stride = any(t, "stride", 1, 3);
    any(t, "pad", 0, 2);
    int kernel = any(t, "kernel", 3, 5);
    any(t, "size", 5, 10);
    int ic = any(t, "input_channels", 1, 8), oc = any(t, "output_channels", 1, 8);
    int bs = any(t, "batch_size", 1, 5), g = any(t, "groups", 1, 2);
    sonde_assume_that(t, ic % g, ==, 0);
    sonde_assume_that(t, oc % g, ==, 0);
    sonde_assume_that(t, oc, ==, ic / g);
    sonde_assume_that(t, stride, <=, kernel);
    sonde_assume_that(t, sonde_any(sonde_rel(stride, ==, 1), sonde_rel(bs, ==, 1)));
    ASSUME_ACCEPT(t, stride, kernel, ic, oc, bs, g);
}

static void depth_concat(sonde *t)
{
    int ndim = any(t, "ndim", 1, 4), axis = any(t, "axis", 0, 3);
    any(t, "add_axis", 0, 1);
    any(t, "num_inputs", 2, 4);
    sonde_assume_that(t, axis, <, ndim);
    ASSUME_ACCEPT(t, ndim, axis);
}

static void space_to_batch(sonde *t)
{
    any(t, "n", 1, 5);
    any(t, "c", 1, 5);
    int h = any(t, "h", 1, 5), w = any(t, "w", 1, 5), pad = any(t, "pad", 0, 2), block = any(t, "block", 2, 3);
    sonde_assume_that(t, (h + 2 * pad) % block, ==, 0);
    sonde_assume_that(t, (w + 2 * pad) % block, ==, 0);
    ASSUME_ACCEPT(t, h, w, pad, block);
}

static void same_pad_image(sonde *t)
{
    int pad = any(t, "pad", 0, 3), size = any(t, "size", 1, 10);
    any(t, "input_channels", 1, 5);
    any(t, "batch_size", 1, 5);
    sonde_pick(t, "order", 2);
    sonde_pick(t, "mode", 3);
    sonde_assume_that(t, size, >, pad);
    ASSUME_ACCEPT(t, pad, size);
}

static void conv_layout(sonde *t)
{
    any(t, "stride", 1, 3);
    any(t, "pad", 0, 3);
    int kernel = any(t, "kernel", 1, 5), dilation = any(t, "dilation", 1, 3), size = any(t, "size", 7, 10);
    any(t, "input_channels", 1, 8);
    any(t, "output_channels", 1, 8);
    any(t, "batch_size", 1, 3);
    sonde_assume_that(t, size, >=, dilation * (kernel - 1) + 1);
    ASSUME_ACCEPT(t, kernel, dilation, size);
}

static void conv_transpose_layout(sonde *t)
{
    int stride = any(t, "stride", 1, 3);
    any(t, "pad", 0, 3);
    any(t, "kernel", 1, 5);
    int adj = any(t, "adj", 0, 2);
    any(t, "size", 7, 10);
    any(t, "input_channels", 1, 8);
    any(t, "output_channels", 1, 8);
    any(t, "batch_size", 1, 3);
    sonde_pick(t, "engine", 3);
    sonde_assume_that(t, adj, <, stride);
    ASSUME_ACCEPT(t, adj, stride);
}

static void conv_transpose_separate(sonde *t)
{
    int sh = any(t, "stride_h", 1, 3), sw = any(t, "stride_w", 1, 3);
    any(t, "pad_t", 0, 3), any(t, "pad_l", 0, 3), any(t, "pad_b", 0, 3), any(t, "pad_r", 0, 3);
    any(t, "kernel", 1, 5);
    int ah = any(t, "adj_h", 0, 2), aw = any(t, "adj_w", 0, 2);
    any(t, "size", 7, 10);
    sonde_assume_that(t, ah, <, sh);
    sonde_assume_that(t, aw, <, sw);
    ASSUME_ACCEPT(t, sh, sw, ah, aw);
}

static int largest(int a, int b)
{
    return a > b ? a : b;
}

static void pooling_separate(sonde *t)
{
    any(t, "stride_h", 1, 3), any(t, "stride_w", 1, 3);
    int top = any(t, "pad_t", 0, 3), left = any(t, "pad_l", 0, 3), bottom = any(t, "pad_b", 0, 3),
        right = any(t, "pad_r", 0, 3), kernel = any(t, "kernel", 3, 5);
    any(t, "size", 7, 9);
    any(t, "input_channels", 1, 3);
    any(t, "batch_size", 1, 3);
    sonde_assume_that(t, largest(largest(top, left), largest(bottom, right)), <, kernel);
    ASSUME_ACCEPT(t, top, left, bottom, right, kernel);
}

static void pooling_3d(sonde *t)
{
    any(t, "stride", 1, 3);
    int pad = any(t, "pad", 0, 2), kernel = any(t, "kernel", 1, 6), size = any(t, "size", 3, 5);
    any(t, "input_channels", 1, 3);
    any(t, "batch_size", 1, 3);
    sonde_assume_that(t, pad, <, kernel);
    sonde_assume_that(t, size + 2 * pad, >=, kernel);
    ASSUME_ACCEPT(t, pad, kernel, size);
}

static void dnnlowp_conv(sonde *t)
{
    any(t, "stride", 1, 2);
    any(t, "pad", 0, 2);
    any(t, "kernel", 1, 5);
    int dilation = any(t, "dilation", 1, 2);
    any(t, "size", 10, 16);
    int group = any(t, "group", 1, 4);
    any(t, "output_channels", 2, 16);
    any(t, "batch_size", 1, 3);
    sonde_assume_that(t, sonde_any(sonde_rel(group, ==, 1), sonde_rel(dilation, ==, 1)));
    ASSUME_ACCEPT(t, group, dilation);
}

static void quantized_max_pool1d(sonde *t)
{
    static const int kernels[] = {3, 5, 7};
    int iw = any(t, "width", 1, 10), kernel = sonde_element(t, "kernel", kernels), which = any(t, "stride", 0, 2);
    int dilation = any(t, "dilation", 1, 2), pad = any(t, "pad", 0, 2);
    bool ceil = sonde_bool(t, "ceil");
    int stride = which ? which : kernel;
    sonde_assume_that(t, kernel / 2, >=, pad);
    int span = iw + 2 * pad - dilation * (kernel - 1) - 1 + (ceil ? stride - 1 : 0);
    int out = (span >= 0 ? span / stride : -((-span + stride - 1) / stride)) + 1; /* rounds down */
    if (ceil && (out - 1) * stride >= iw + pad) out--;
    sonde_assume_that(t, out, >, 0);
    ASSUME_ACCEPT(t, iw, kernel, which, dilation, pad, ceil);
}

/* ---- pandas */

static void pandas_range_difference(sonde *t)
{
    any(t, "start1", -20, 20), any(t, "stop1", -20, 20);
    int step1 = any(t, "step1", -20, 20);
    any(t, "start2", -20, 20), any(t, "stop2", -20, 20);
    int step2 = any(t, "step2", -20, 20);
    sonde_assume_that(t, step1, !=, 0);
    sonde_assume_that(t, step2, !=, 0);
    ASSUME_ACCEPT(t, step1, step2);
}

static void pandas_tick_equality(sonde *t)
{
    int n = any(t, "n", -999, 999), m = any(t, "m", -999, 999);
    sonde_assume_that(t, m, !=, n);
    ASSUME_ACCEPT(t, n, m);
}

/* ---- FBGEMM */

static void fbgemm_nbit_quantize(sonde *t)
{
    static const int rates[] = {2, 4};
    any(t, "nrows", 0, 100);
    int ncols = any(t, "ncols", 0, 100), bits = sonde_element(t, "bit_rate", rates);
    sonde_assume_that(t, ncols % (2 * (8 / bits)), ==, 0);
    ASSUME_ACCEPT(t, ncols, bits);
}

static void fbgemm_index_select(sonde *t)
{
    static const int nums[] = {64, 256, 1024, 4096, 8192}, lengths[] = {32, 64, 128, 256, 512};
    int num = sonde_element(t, "num_indices", nums), longest = sonde_element(t, "max_run_length", lengths);
    sonde_assume_that(t, longest, <, num);
    ASSUME_ACCEPT(t, num, longest);
}

static void fbgemm_tbe_forward(sonde *t)
{
    int tables = any(t, "T", 1, 5), d = any(t, "D", 2, 64), b = any(t, "B", 1, 32), l = any(t, "L", 1, 10);
    sonde_assume_that(t, tables * b * l * d, <=, 2048);
    ASSUME_ACCEPT(t, tables, d, b, l);
}

/* ---- Sorted lists: the whole list is the tuple, its length and ends are the variables */

enum { LIST_MAX = 20, LIST_TOP = 1000 };

static void sorted(sonde *t, size_t min, size_t max, bool strictly)
{
    int64_t v[LIST_MAX];
    size_t n = 0;
    uint64_t identity = 0;
    sonde_list xs = sonde_list_of(t, "xs", min, max);
    while (sonde_more(&xs)) v[n++] = any(t, "x", -LIST_TOP, LIST_TOP);
    for (size_t i = 1; i < n; i++) {
        if (strictly) sonde_assume_that(t, v[i - 1], <, v[i]);
        else sonde_assume_that(t, v[i - 1], <=, v[i]);
    }
    for (size_t i = 0; i < n; i++) identity = assume_mix(identity, v[i]);
    struct assume_accepted *to = sonde_context(t);
    to->take(to, (const int64_t[]){(int64_t)n, n ? v[0] : 0, n ? v[n - 1] : 0}, 3, assume_mix(identity, (int64_t)n));
}

static void sorted_free(sonde *t)
{
    sorted(t, 0, LIST_MAX, false);
}

static void sorted_long(sonde *t)
{
    sorted(t, 6, 16, false);
}

static void sorted_strictly(sonde *t)
{
    sorted(t, 6, 16, true);
}

const struct assume_case assume_cases[] = {
    {"conv2d_transpose", conv2d_transpose, 0.177, false},
    {"conv2d", conv2d, 0, false},
    {"nnpack_convolution", nnpack_convolution, 0.037, false},
    {"depth_concat", depth_concat, 0.629, false},
    {"space_to_batch", space_to_batch, 0.142, false},
    {"same_pad_image", same_pad_image, 0.850, false},
    {"conv_layout", conv_layout, 0.851, false},
    {"conv_transpose_layout", conv_transpose_layout, 0.670, false},
    {"conv_transpose_separate", conv_transpose_separate, 0.448, false},
    {"pooling_separate", pooling_separate, 0.767, false},
    {"pooling_3d", pooling_3d, 0.704, false},
    {"dnnlowp_conv", dnnlowp_conv, 0.628, false},
    {"quantized_max_pool1d", quantized_max_pool1d, 0.548, false},
    {"pandas_range_difference", pandas_range_difference, 0.950, false},
    {"pandas_tick_equality", pandas_tick_equality, 0.9997, false},
    {"fbgemm_nbit_quantize", fbgemm_nbit_quantize, 0.195, false},
    {"fbgemm_index_select", fbgemm_index_select, 0.759, false},
    {"fbgemm_tbe_forward", fbgemm_tbe_forward, 0.307, false},
    {"quantized_max_pool2d", assume_max_pool2d, 0, false},
    {"quantized_max_pool2d_first", assume_max_pool2d_first, 0, false},
    {"quantized_max_pool2d_cudnn", assume_max_pool2d_cudnn, 0, false},
    {"quantized_conv_api", assume_conv_api, 0, false},
    {"quantized_conv_api_groups", assume_conv_api_groups, 0, false},
    {"conv_gradients", assume_conv_gradients, 0, false},
    {"im2col_layout", assume_im2col_layout, 0, false},
    {"group_convolution", assume_group_convolution, 0, false},
    {"conv_transpose_group", assume_conv_transpose_group, 0, false},
    {"conv_separate_gradients", assume_conv_separate_gradients, 0, false},
    {"dnnlowp_acc16", assume_dnnlowp_acc16, 0, false},
    {"dnnlowp_prepacked", assume_dnnlowp_prepacked, 0, false},
    {"sorted", sorted_free, 0, false},
    {"sorted_long", sorted_long, 0, false},
    {"sorted_strictly", sorted_strictly, 0, false},
    {"brackets", assume_brackets, 0, false},
    {"permutation", assume_permutation, 0, false},
    {"sum", assume_sum, 0, false},
    {"coprime", assume_coprime, 0, false},
    {"heap", assume_heap, 0, false},
    {"heap_loop", assume_heap_loop, 0, false},
    {"checked_bytes", assume_checked_bytes, 0, false},
    {"box_in_box", assume_box_in_box, 0, false},
    {"sorted_function", assume_sorted_function, 0, false},
    {"windows_function", assume_windows_function, 0, false},
    {"repair_sum", assume_repair_sum, 1.0 / 256, true},
    {"repair_xor", assume_repair_xor, 1.0 / 256, true},
    {"repair_length", assume_repair_length, 1.0 / 65536, true},
    {"repair_crc8", assume_repair_crc8, 1.0 / 256, true},
    {"repair_crc32", assume_repair_crc32, 0, true},
    {"repair_luhn", assume_repair_luhn, 0.1, true},
    {"repair_fnv32", assume_repair_fnv32, 0, true},
};
const size_t assume_n_cases = sizeof assume_cases / sizeof *assume_cases;
