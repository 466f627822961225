/* Properties for bench/against/run, which shows results and checks nothing. */
#include <sonde.h>
#include <string.h>
#include "zip.h"
static const char *text(sonde *t, const char *name)
{
    size_t n = (size_t)sonde_int(t, name, 0, 70000);
    char *s = sonde_alloc(t, n + 1);
    memset(s, 'a', n);
    s[n] = '\0';
    return s;
}
SONDE_PROPERTY(names)
{
    zip_fileinfo info = {0};
    zipFile zip = zipOpen("/dev/null", APPEND_STATUS_CREATE);
    const char *name = text(t, "name"), *comment = text(t, "comment");
    sonde_observe(t, "opened", zipOpenNewFileInZip(zip, name, &info, NULL, 0, NULL, 0, comment, Z_DEFLATED, 1));
    sonde_observe(t, "closed", zipClose(zip, NULL));
}
SONDE_MAIN()
