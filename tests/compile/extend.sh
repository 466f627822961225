#!/bin/sh
# Guides and reporters of the user's own, against the installed headers and libraries only: from C, from C++, from a shared object;
# what is wrong with one is said, with status 2; the published baselines, which are such guides, are there where they are linked.
# Stages: gcc clang
n=0
report() {
    n=$((n + 1))
    if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; sed 's/^/# /' log | head -n 20; fi
}
case $STAGE in gcc | clang) ;; *) echo "an installed library is not sanitized"; exit 77 ;; esac

make -s -C "$SRC" BUILD="$BUILD" CC="$CC" DESTDIR="$PWD/root" PREFIX=/opt/sonde install >log 2>&1
report $? "make install into a DESTDIR"
prefix=$PWD/root/opt/sonde
PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH
flags="-Wall -Wextra -Wpedantic -Werror"
# build PROGRAM SOURCE... [PACKAGE=sonde-classic]
build() {
    program=$1
    shift
    # shellcheck disable=SC2046,SC2086
    "$CC" -std=gnu11 $flags "$@" $(pkg-config --cflags --libs ${package:-sonde}) -o "$program" >log 2>&1
}
# says STATUS TEXT COMMAND...
says() {
    wanted=$1 text=$2
    shift 2
    "$@" >log 2>&1 </dev/null
    status=$?
    [ $status = "$wanted" ] && grep -qF -- "$text" log || { echo "status $status; expected $wanted and: $text" >>log; false; }
}

# ---- The examples
build guide "$SRC/examples/15_own_guide.c"
report $? "the example of a guide builds against what is installed"
says 1 'width=4096 height=4096 depth=8' ./guide --no-store --guide edges --seed 1 --tests 100000 --time 0
report $? "and finds what it was written for"
says 0 'edges' ./guide --guide help
report $? "--guide help lists it"
says 0 '  ends=0.45' ./guide --guide-options help
report $? "--guide-options help lists its knob"
says 2 "ends='2' is not allowed; give a number from 0 to 1" ./guide --no-store --guide edges --guide-options ends=2
report $? "a knob out of its range is refused"
./guide --no-store --guide edges --seed 7 --tests 100000 --time 0 --report json:first >log 2>&1
./guide --no-store --guide edges --seed 7 --tests 100000 --time 0 --report json:second >>log 2>&1
sed 's/"[a-z_]*\(seconds\|_s\|cpu\)": [0-9.e+-]*//g' first >a
sed 's/"[a-z_]*\(seconds\|_s\|cpu\)": [0-9.e+-]*//g' second >b
[ -s a ] && cmp a b >>log
report $? "a seed repeats its run"
build reporter "$SRC/examples/16_own_reporter.c"
report $? "the example of a reporter builds against what is installed"
says 1 '| half_of_an_even_number_is_exact | **does not hold** |' ./reporter --no-store --seed 1 --report markdown
report $? "--report has it"
./reporter --no-store --seed 1 --report terminal,markdown:table.md >log 2>&1
[ $? = 1 ] && grep -q '^| the_middle_of_small_numbers_lies_between | holds |' table.md && grep -qE '^(FAIL|CRASH|HANG|LEAK|RACE|DEADLOCK) ' log
report $? "and writes it to a file beside another report"
says 2 ", markdown, and :FILE to write it to a file" ./reporter --no-store --report nonesuch
report $? "what kinds there are is said with it"

# ---- From C++, and from a shared object
sed -e 's/(struct edges \*)sonde_calloc/sonde_calloc/; s/= sonde_calloc/= (struct edges *)sonde_calloc/' \
    -e 's/^static const struct sonde_guide_ops edges_ops;$/extern const struct sonde_guide_ops edges_ops;/' \
    -e '/^static const struct sonde_guide_ops edges_ops = {$/,/^};$/c\
static const struct sonde_knob *const tables[] = {knobs, NULL};\
static sonde_guide_ops make()\
{\
    sonde_guide_ops ops = sonde_guide_ops();\
    ops.name = "edges", ops.summary = "the ends of ranges", ops.create = edges_create, ops.destroy = edges_destroy;\
    ops.choose = edges_choose, ops.learn = edges_learn, ops.stats = edges_stats, ops.knobs = tables;\
    return ops;\
}\
const sonde_guide_ops edges_ops = make();\
static int registered = sonde_guide_register(\&edges_ops);' \
    -e '/^__attribute__((constructor))/,/^}/d' -e 's/{0},/sonde_knob(),/' "$SRC/examples/15_own_guide.c" >guide.cpp
# shellcheck disable=SC2046
"$CXX" -std=c++11 -Wall -Wno-unused-variable guide.cpp $(pkg-config --cflags --libs sonde) -o guide_cpp >log 2>&1 &&
    says 1 'width=4096 height=4096 depth=8' ./guide_cpp --no-store --guide edges --seed 1 --tests 100000 --time 0
report $? "a guide in C++"
awk '/^\/\* ---- What/ { exit } { print }' "$SRC/examples/15_own_guide.c" >only_guide.c
cat >program.c <<'C'
#include <sonde.h>
SONDE_PROPERTY(small) { sonde_check(t, sonde_int(t, "x", 0, 1000000) < 1000000); }
SONDE_MAIN()
C
# shellcheck disable=SC2046
"$CC" -std=gnu11 -shared -fPIC only_guide.c $(pkg-config --cflags --libs sonde) -o libguide.so >log 2>&1 && build plain program.c &&
    says 2 "there is no guide 'edges'" ./plain --no-store --guide edges &&
    says 1 'x=1000000' env LD_PRELOAD="$PWD/libguide.so" ./plain --no-store --guide edges --seed 1 --tests 1000
report $? "a guide in a shared object, loaded beside a program that knows nothing of it"

# ---- What is wrong
# refuses TEXT CODE: a program that runs CODE before main says so, in sonde_main and in sonde_run
refuses() {
    cat >wrong.c <<C
#include <sonde/extend.h>
static struct sonde_guide *create(const struct sonde_guide_setup *s) { (void)s; return NULL; }
static void destroy(struct sonde_guide *g) { (void)g; }
static uint64_t choose(struct sonde_guide *g, const struct sonde_view *v) { (void)g, (void)v; return 0; }
static struct sonde_reporter *begin(FILE *out) { (void)out; return NULL; }
struct own { struct sonde_guide guide; double x; };
static const struct sonde_knob knobs[] = {SONDE_KNOB(struct own, x, "x", 5, 0, 1, "a number", "none yet"), {0}};
static const struct sonde_knob *const tables[] = {knobs, NULL};
static struct sonde_guide_ops ops = {.name = "mine", .summary = "a guide", .create = create, .destroy = destroy, .choose = choose};
static struct sonde_reporter_ops kind = {"mine", "a reporter", begin};
__attribute__((constructor)) static void set_up(void) { (void)tables, (void)ops, (void)kind; $2 }
SONDE_PROPERTY(holds) { sonde_int(t, "x", 0, 1); }
int main(int argc, char **argv)
{
    sonde_result result = {0};
    sonde_config config = {.quiet = true, .result = &result};
    if (argc > 1 && argv[1][0] == 'r') { int status = sonde_run(holds, &config); puts(result.message); return status; }
    return sonde_main(argc, argv, NULL, 0);
}
C
    build wrong wrong.c && says 2 "$1" ./wrong && says 2 "$1" ./wrong r
    report $? "$1"
}
refuses "there is already a guide 'mine'" 'sonde_guide_register(&ops); sonde_guide_register(&ops);'
refuses "there is already a guide 'random'" 'ops.name = "random"; sonde_guide_register(&ops);'
refuses "the guide 'mine' has no operation create" 'ops.create = NULL; sonde_guide_register(&ops);'
refuses "the guide 'mine' has no operation destroy" 'ops.destroy = NULL; sonde_guide_register(&ops);'
refuses "the guide 'mine' has no operation choose" 'ops.choose = NULL; sonde_guide_register(&ops);'
refuses "a guide has no name or no summary" 'ops.name = NULL; sonde_guide_register(&ops);'
refuses "was compiled for version 1 of sonde/extend.h, and this is version" 'sonde_guide_register_(1, &ops);'
refuses "the knob 'x' of the guide 'mine' is wrong: its default 5 must be from 0 to 1" 'ops.knobs = tables; sonde_guide_register(&ops);'
refuses "there is already a kind of report 'json'" 'kind.name = "json"; sonde_reporter_register(&kind);'
refuses "there is already a kind of report 'mine'" 'sonde_reporter_register(&kind); sonde_reporter_register(&kind);'
refuses "the reporter 'mine' has no operation create" 'kind.create = NULL; sonde_reporter_register(&kind);'
refuses "the reporter was compiled for version 1 of sonde/extend.h" 'sonde_reporter_register_(1, &kind);'

# ---- A reporter that fails
sed 's/half_of_an_even_number_is_exact/x/; s/strpbrk(r->property, "|\\n")/strlen(r->property) > 1/' "$SRC/examples/16_own_reporter.c" >fails.c
build fails fails.c && says 2 "the reporter 'markdown' failed: the name of a property would break the table" ./fails --no-store --report markdown:out.md &&
    [ "$(grep -c '^| [a-z]* |' out.md)" = 1 ]
report $? "a reporter that fails sees no more events, and the program says why"
sed 's/= calloc(1, sizeof \*m)/= NULL/' "$SRC/examples/16_own_reporter.c" >never.c
build never never.c && says 2 "the reporter 'markdown' could not be created" ./never --no-store --report markdown
report $? "a reporter that cannot begin"

# ---- The published baselines
for guide in rl-classic cgpt-classic zest-bytes crowbar target-classic hill anneal; do
    says 2 "the guide '$guide' is in libsonde_classic, which this program lacks; link it with \`sonde cc\`, or add" ./plain --no-store --guide $guide
    report $? "$guide: a program without it says what to link"
done
package=sonde-classic
build classic program.c
report $? "sonde-classic.pc"
package=
for guide in rl-classic cgpt-classic zest-bytes crowbar target-classic hill anneal; do
    says 0 "\"guide\": \"$guide\"" ./classic --no-store --guide $guide --seed 1 --tests 50 --json
    report $? "$guide runs where it is linked"
done
"$prefix/bin/sonde" cc program.c -o by_cc >log 2>&1 && says 0 '"guide": "zest-bytes"' ./by_cc --no-store --guide zest-bytes --seed 1 --tests 50 --json
report $? "sonde cc links the baselines by itself"
echo 'int main(void) { return 0; }' >none.c
"$prefix/bin/sonde" cc none.c -o none >log 2>&1 && ./none && nm none >symbols && ! grep sonde_ symbols >log
report $? "and neither them nor the library with a program that has no main of sonde's"
echo "1..$n"
