#include "lib/sample.h"

#include "exec/exec.h"
#include "guide/guides.h"

void bench_sample(const sonde_property *property, uint64_t tests, uint64_t seed)
{
    struct sonde_guide_setup setup = {.seed = seed, .stream = 1};
    struct sonde_labels labels;
    sonde_labels_init(&labels);
    sonde *t =
        sonde_case_create(&labels,
                          (struct sonde_limits){.choices = 65536, .spans = 65536, .bytes = 1 << 20, .memory = 1 << 26});
    struct sonde_guide *guide = sonde_guide_uniform.create(&setup);
    for (uint64_t i = 0; i < tests; i++) sonde_exec_inline(t, property, guide, NULL);
    guide->ops->destroy(guide);
    sonde_case_free(t);
    sonde_labels_clear(&labels);
}
