/* An exception that leaves a property which is not wrapped (sonde.hpp); tests/compile/asserts.sh says what is expected. */
#include <sonde.h>

#include <cstdio>
#include <stdexcept>

static void throws(sonde *t)
{
    if (sonde_int(t, "n", 0, 1000) >= 500) throw std::runtime_error("REQUIRE failed");
}

/* As the runner of a framework: it would continue with the next test. */
int main()
{
    int status = 0;
    sonde_config config = sonde_config();
    config.seed = 1;
    config.name = "throws";
    try {
        status = sonde_run(throws, &config);
    } catch (...) {
        status = 99;
    }
    puts("the host goes on");
    return status;
}
