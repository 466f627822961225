/* iniparser: iniparser_dump_ini "dumps a given dictionary into a loadable ini file": loading must restore it. */
#include <iniparser/iniparser.h>
#include <sonde.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void drop(void *dictionary)
{
    iniparser_freedict(dictionary);
}

static void a_dumped_value_is_loaded(sonde *t)
{
    const char *value = sonde_regex(t, "value", "[ab;#=]{1,6}");
    dictionary *d = dictionary_new(0);
    sonde_defer(t, drop, d);
    iniparser_set(d, "section", NULL);
    iniparser_set(d, "section:key", value);
    char name[] = "/tmp/sonde-ini-XXXXXX";
    FILE *file = fdopen(mkstemp(name), "w");
    iniparser_dump_ini(d, file);
    fclose(file);
    dictionary *back = iniparser_load(name);
    unlink(name);
    sonde_check(t, back != NULL);
    sonde_defer(t, drop, back);
    sonde_check_eq(t, iniparser_getstring(back, "section:key", "(none)"), value);
}

SONDE_MAIN(a_dumped_value_is_loaded)
