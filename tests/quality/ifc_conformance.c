/* The machines of the ifc suites are the published ones: a short run of each oracle. A right machine fails this with a
 * probability of less than one in a thousand, and the seed is fixed. */
#include "ifc/stack_oracle.h"

int main(void)
{
    return stack_conforms(300000, 1, stdout) ? 0 : 1;
}
