/* See cases.h. Twelve more tests of PyTorch and Caffe2, with the ranges and the relations of the originals. A value
 * that they take from a list of names (an engine, an order, a device) is a pick here. */
#include "assume/accept.h"

enum order { NCHW, NHWC };
enum device { CPU, CUDA };
enum { EIGEN = 2 }; /* of the engines "", CUDNN, EIGEN */

static int any(sonde *t, const char *label, int lo, int hi)
{
    return sonde_int(t, label, lo, hi);
}

/* Returns the size of a side after a window, rounded down as Python does. */
static int output_size(int side, int kernel, int pad, int stride, int dilation)
{
    int span = side + 2 * pad - dilation * (kernel - 1) - 1;
    return (span >= 0 ? span / stride : -((-span + stride - 1) / stride)) + 1;
}

static int pool_size(int side, int kernel, int pad, int stride, int dilation, bool ceil)
{
    int size = output_size(side + (ceil ? stride - 1 : 0), kernel, pad, stride, dilation);
    return ceil && (size - 1) * stride >= side + pad ? size - 1 : size;
}

/* ---- Pooling of quantized tensors */

static void max_pool2d(sonde *t, bool has_default, int most_dilation, bool has_ceil)
{
    static const int kernels[] = {3, 5, 7};
    int h = any(t, "height", 1, 10), w = any(t, "width", 1, 10), kernel = sonde_element(t, "kernel", kernels);
    int which = any(t, "stride", has_default ? 0 : 1, 2), dilation = any(t, "dilation", 1, most_dilation);
    int pad = any(t, "pad", 0, 2), stride = which ? which : kernel;
    bool ceil = has_ceil && sonde_bool(t, "ceil");
    sonde_assume_that(t, kernel / 2, >=, pad);
    sonde_assume_that(t, pool_size(h, kernel, pad, stride, dilation, ceil), >, 0);
    sonde_assume_that(t, pool_size(w, kernel, pad, stride, dilation, ceil), >, 0);
    ASSUME_ACCEPT(t, h, w, kernel, which, dilation, pad, ceil);
}

void assume_max_pool2d(sonde *t)
{
    max_pool2d(t, true, 2, true);
}

void assume_max_pool2d_first(sonde *t)
{
    max_pool2d(t, false, 2, false);
}

void assume_max_pool2d_cudnn(sonde *t)
{
    max_pool2d(t, true, 1, true);
}

/* ---- Convolution */

static void conv_api(sonde *t, bool has_groups)
{
    int channels = any(t, "input_channels", 1, 8), groups = any(t, "groups", 1, 4);
    int h = any(t, "height", 5, 10), w = any(t, "width", 5, 10), kh = any(t, "kernel_h", 1, 5),
        kw = any(t, "kernel_w", 1, 5);
    int ph = any(t, "pad_h", 1, 3), pw = any(t, "pad_w", 1, 3), dh = any(t, "dilation_h", 1, 2),
        dw = any(t, "dilation_w", 1, 2);
    int sh = any(t, "stride_h", 1, 3), sw = any(t, "stride_w", 1, 3);
    if (has_groups) sonde_assume_that(t, channels % groups, ==, 0);
    sonde_assume_that(t, kh / 2, >=, ph);
    sonde_assume_that(t, kw / 2, >=, pw);
    sonde_assume_that(t, output_size(h, kh, ph, sh, dh), >, 0);
    sonde_assume_that(t, output_size(w, kw, pw, sw, dw), >, 0);
    ASSUME_ACCEPT(t, channels, groups, h, w, kh, kw, ph, pw, dh, dw, sh, sw);
}

void assume_conv_api(sonde *t)
{
    conv_api(t, false);
}

void assume_conv_api_groups(sonde *t)
{
    conv_api(t, true);
}

void assume_conv_gradients(sonde *t)
{
    int stride = any(t, "stride", 1, 3);
    any(t, "pad", 0, 3);
    int kernel = any(t, "kernel", 1, 5);
    any(t, "size", 7, 10);
    any(t, "input_channels", 1, 8), any(t, "output_channels", 1, 8), any(t, "batch_size", 1, 3);
    sonde_pick(t, "order", 2), sonde_pick(t, "engine", 2);
    sonde_assume_that(t, stride, <=, kernel);
    ASSUME_ACCEPT(t, stride, kernel);
}

void assume_im2col_layout(sonde *t)
{
    any(t, "batch_size", 1, 3), any(t, "stride", 1, 3), any(t, "pad", 0, 3);
    int kernel = any(t, "kernel", 1, 5), dilation = any(t, "dilation", 1, 3), size = any(t, "size", 7, 10);
    any(t, "channels", 1, 8);
    int window = dilation * (kernel - 1) + 1;
    sonde_assume_that(t, size, >=, window);
    ASSUME_ACCEPT(t, kernel, dilation, size);
}

void assume_group_convolution(sonde *t)
{
    any(t, "stride", 1, 3), any(t, "pad", 0, 3);
    int kernel = any(t, "kernel", 1, 5), size = any(t, "size", 1, 10), group = any(t, "group", 1, 4);
    any(t, "input_channels", 1, 8), any(t, "output_channels", 1, 8), any(t, "batch_size", 1, 3);
    int order = (int)sonde_pick(t, "order", 2), engine = (int)sonde_pick(t, "engine", 3),
        device = (int)sonde_pick(t, "device", 2);
    sonde_assume_that(t, size, >=, kernel);
    sonde_assume_that(t, sonde_any(sonde_rel(group, ==, 1), sonde_rel(order, ==, NCHW), sonde_rel(device, ==, CPU)));
    sonde_assume_that(t, sonde_any(sonde_rel(group, ==, 1), sonde_rel(engine, !=, EIGEN)));
    ASSUME_ACCEPT(t, kernel, size, group, order, engine, device);
}

void assume_conv_transpose_group(sonde *t)
{
    int stride = any(t, "stride", 1, 3);
    any(t, "pad", 0, 3), any(t, "kernel", 1, 5);
    int adj = any(t, "adj", 0, 2);
    any(t, "size", 7, 10);
    any(t, "input_channels", 1, 8), any(t, "output_channels", 1, 8), any(t, "batch_size", 1, 4);
    int group = any(t, "group", 1, 4), order = (int)sonde_pick(t, "order", 2), device = (int)sonde_pick(t, "device", 2);
    sonde_assume_that(t, adj, <, stride);
    sonde_assume_that(t, sonde_any(sonde_rel(group, ==, 1), sonde_rel(order, ==, NCHW), sonde_rel(device, ==, CPU)));
    ASSUME_ACCEPT(t, stride, adj, group, order, device);
}

void assume_conv_separate_gradients(sonde *t)
{
    any(t, "stride_h", 1, 3), any(t, "stride_w", 1, 3);
    any(t, "pad_t", 0, 3), any(t, "pad_l", 0, 3), any(t, "pad_b", 0, 3), any(t, "pad_r", 0, 3);
    any(t, "kernel", 1, 5), any(t, "size", 7, 10);
    int group = any(t, "group", 1, 2), order = (int)sonde_pick(t, "order", 2), engine = (int)sonde_pick(t, "engine", 3);
    int device = (int)sonde_pick(t, "device", 2);
    sonde_assume_that(t, sonde_any(sonde_rel(group, ==, 1), sonde_rel(order, ==, NCHW), sonde_rel(device, ==, CPU)));
    sonde_assume_that(t, sonde_any(sonde_rel(group, ==, 1), sonde_rel(engine, !=, EIGEN)));
    ASSUME_ACCEPT(t, group, order, engine, device);
}

/* ---- Convolution of small integers */

void assume_dnnlowp_acc16(sonde *t)
{
    any(t, "stride", 1, 2), any(t, "pad", 0, 2);
    int kernel = any(t, "kernel", 1, 5), dilation = any(t, "dilation", 1, 2), size = any(t, "size", 4, 16);
    int group = any(t, "group", 1, 4);
    any(t, "input_channels", 1, 8), any(t, "output_channels", 2, 16), any(t, "batch_size", 1, 3);
    sonde_assume_that(t, sonde_any(sonde_rel(group, ==, 1), sonde_rel(dilation, ==, 1)));
    sonde_assume_that(t, size, >=, dilation * (kernel - 1) + 1);
    ASSUME_ACCEPT(t, kernel, dilation, size, group);
}

void assume_dnnlowp_prepacked(sonde *t)
{
    any(t, "stride", 1, 2), any(t, "pad", 0, 2), any(t, "kernel", 1, 5);
    int dilation = any(t, "dilation", 1, 2);
    any(t, "size", 10, 16);
    int group = any(t, "group", 1, 4), order = (int)sonde_pick(t, "order", 2);
    bool is_packed = sonde_bool(t, "prepack_weight");
    sonde_assume_that(t, sonde_any(sonde_rel(group, ==, 1), sonde_rel(dilation, ==, 1)));
    sonde_assume_that(t, sonde_any(sonde_rel(is_packed, ==, 0), sonde_rel(order, ==, NHWC)));
    ASSUME_ACCEPT(t, dilation, group, order, is_packed);
}
