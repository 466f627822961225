#!/bin/sh
# sonde derive: what it writes works, what it refuses is one sentence with file and line, status 2 and no file.
# Stages: gcc
# Not sanitized (it links the library into programs that are not)
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 20; }
derive() { "$BUILD/sonde" derive "$@" -I"$SRC/include"; }
# link PROGRAM FILE: with the sanitizers of the stage.
link() {
    sanitize=
    [ "$STAGE" != asan ] || sanitize=-fsanitize=address,undefined
    "$CC" -g -Wall -Wextra -Wpedantic -Wconversion -Werror $sanitize -I"$SRC/include" -I. "$2" "$BUILD/libsonde.a" -lm -lpthread -o "$1"
}

# refused TEXT FILE TYPE: one sentence that begins with this text.
refused() {
    derive "$2" "$3" -o derived.h >out 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && [ ! -e derived.h ] && grep -qF "sonde derive: $1" err
    result=$?
    report $result "refused: $1"
    [ $result = 0 ] || show out err
    rm -f derived.h
}

cat >bad.h <<'E'
#include <sonde/derive.h>
struct ok { int x; };
struct wrong { int x SONDE_TEXT(0, 4); };
struct lost { int *p SONDE_COUNT(n_p, 0, 3); };
struct full { char name[4] SONDE_TEXT(0, 4); };
struct member { int tag; union { int i; } u SONDE_TAG(tag, 0: j); };
struct endless { struct endless *next SONDE_NONNULL; };
struct call { void (*done)(void); };
struct any { void *user; };
struct hidden { struct other *p; };
struct text { const char *name; };
struct either { int tag; union { int i; float f; } as; };
struct range { int n; int *p SONDE_COUNT(n, 0, 3) SONDE_FLAGS(1); double d SONDE_FLAGS(1, 2); };
struct inside { struct { int n_items; int *items; } deep; };
SONDE_ABOUT(struct ok, x, SONDE_RANGE(0, 3));
E
echo 'struct a { int x; };
struct b { nonesuch y; };' >broken.h
echo 'struct a { int x; struct b b; };
struct b { struct a a; };' >cycle.h
printf '#include <sonde/derive.h>\nstruct a { int x; };\nSONDE_ABOUT(struct a, y, SONDE_RANGE(0, 3));\n' >about.h
refused "bad.h:1: there is no struct or union 'struct nonesuch' here" bad.h 'struct nonesuch'
refused "cycle.h:1: does not compile: field has incomplete type 'struct b'" cycle.h 'struct a'
refused "bad.h:3: a string annotation is for char * and arrays of char; field 'x' of struct wrong is int" bad.h 'struct wrong'
refused "broken.h:2: does not compile: unknown type name 'nonesuch'" broken.h 'struct a'
refused "bad.h:4: SONDE_COUNT(n_p) on field 'p': struct lost has no field 'n_p'" bad.h 'struct lost'
refused "bad.h:5: a string of 4 characters and its NUL do not fit field 'name' of struct full, which has 4 bytes" bad.h 'struct full'
refused "bad.h:6: SONDE_TAG: the union has no member 'j'" bad.h 'struct member'
refused "bad.h:7: struct endless has no smallest value" bad.h 'struct endless'
refused "bad.h:8: struct call: field 'done' is a pointer to a function; write SONDE_IS(NULL) or SONDE_BY(draw_done)" bad.h 'struct call'
refused "bad.h:9: struct any: field 'user' is a void *" bad.h 'struct any'
refused "bad.h:10: struct hidden: field 'p' points to struct other, which is not defined here; write SONDE_IS(NULL)" bad.h 'struct hidden'
refused "bad.h:11: struct text: field 'name' is a char *, which may point to a string, to bytes or to one character; write SONDE_TEXT(0, 40)" bad.h 'struct text'
refused "bad.h:12: struct either: field 'as' is a union, and nothing says which member is in use; write SONDE_TAG(0, 0: i)" bad.h 'struct either'
refused "bad.h:13: SONDE_FLAGS is for integers and enumerations; field 'd' of struct range is double" bad.h 'struct range'
refused "bad.h:14: struct inside: field 'deep.items' is a pointer, which does not say whether to one value, to several or to none; write SONDE_COUNT(n_items, 0, 20)" bad.h 'struct inside'
refused "about.h:3: SONDE_ABOUT: struct a has no field 'y'" about.h 'struct a'
refused "cannot read nonesuch.h: No such file or directory" nonesuch.h 'struct a'

echo 'int mine;' >mine.h
derive bad.h 'struct ok' -o mine.h 2>err
[ $? = 2 ] && [ "$(cat mine.h)" = 'int mine;' ] && grep -q 'it stays as it is' err
report $? "a file that sonde derive did not make is not written over"
derive bad.h 'struct ok' -o ours.h && derive bad.h 'struct ok' --stem other -o ours.h && grep -q 'draw_other' ours.h
report $? "a file that it made is; --stem names the functions"

printf '#include <sonde/derive.h>\nstruct a { int x; };\nstruct b { char *s; struct { void *v; } in; };\n' >list.h
derive --list list.h >out
printf 'struct a\tderived\nstruct b\trefused\tstruct b\ts\nstruct b\trefused\tstruct b\tin.v\n' >want
cut -f 1-4 out | diff - want >diff
report $? "--list says of each type whether it can be derived, and which fields are in the way"
show diff

# ---- A count that its field cannot hold.
cat >narrow.h <<'E'
#include <sonde/derive.h>
struct narrow { signed char n; int *p SONDE_COUNT(n, 200, 200); };
E
derive narrow.h 'struct narrow' -o narrow.derived.h
cat >narrow.c <<'E'
#include "narrow.derived.h"
SONDE_PROPERTY(draws) { (void)draw_narrow(t, "v"); }
SONDE_MAIN()
E
link narrow narrow.c >log 2>&1 && ./narrow --no-store --seed 1 >log 2>&1
[ $? = 2 ] && grep -q 'the field "n" cannot hold the count 200' log
result=$?
report $result "a count that its field cannot hold: a sentence"
[ $result = 0 ] || show log

# ---- What is drawn, printed and compared.
cat >shape.h <<'E'
#include <sonde/derive.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
enum kind { CIRCLE, BOX = 5, NOTHING = 9 };
struct point { int x, y; };
struct packet { uint8_t n; unsigned char data[] SONDE_COUNT(n, 0, 9); };
struct shape {
    enum kind kind;
    union { struct point c; double b; } as SONDE_TAG(kind, CIRCLE: c, BOX: b, NOTHING:);
    char *name SONDE_TEXT(0, 40);
    int month SONDE_RANGE(1, 12) SONDE_WAS("mon");
    size_t n_points;
    struct point *points SONDE_COUNT(n_points, 0, 20);
    unsigned bits : 3;
    struct { int lo, hi; } range SONDE_SUCH_THAT(it->range.lo <= it->range.hi);
    struct shape *next SONDE_NULLABLE;
    struct packet *packet SONDE_NONNULL;
    void *user SONDE_IS(NULL);
};
E
derive shape.h 'struct shape' -o shape.derived.h
cat >shape.c <<'E'
#include "shape.derived.h"
static bool is_right(const struct shape *s)
{
    return (s->kind == CIRCLE || s->kind == BOX || s->kind == NOTHING) && s->month >= 1 && s->month <= 12 && s->n_points <= 20
           && s->range.lo <= s->range.hi && s->packet && s->packet->n <= 9 && !s->user && (!s->next || is_right(s->next));
}
SONDE_PROPERTY(drawn_as_annotated) { sonde_check(t, is_right(draw_shape(t, "s"))); }
SONDE_PROPERTY(path_is_named)
{
    struct shape *s = draw_shape(t, "s");
    struct point other[20];
    struct shape changed = *s;
    sonde_assume(t, s->n_points == 4);
    memcpy(other, s->points, 4 * sizeof *other);
    other[3].y = 5;
    changed.points = other;
    sonde_check(t, same_shape(s, s));
    sonde_check_same(t, shape, s, &changed);
}
SONDE_PROPERTY(no_elements_are_the_same_anywhere)
{
    struct shape *s = draw_shape(t, "s"), changed = *s;
    changed.points = NULL;
    sonde_check_eq(t, same_shape(s, &changed), s->n_points == 0);
}
SONDE_PROPERTY(cycles_end)
{
    struct shape *a = draw_shape(t, "a"), *b = draw_shape(t, "b");
    a->next = a;
    b->next = b;
    FILE *out = tmpfile();
    print_shape(out, a);
    sonde_check(t, ftell(out) < 100000);
    fclose(out);
    sonde_check_eq(t, order_shape(a, b), -order_shape(b, a));
    sonde_check(t, same_shape(a, a));
}
SONDE_MAIN()
E
link shape shape.c >log 2>&1
report $? "what is derived compiles without a warning"
show log
./shape --filter drawn_as_annotated --filter cycles_end --filter no_elements* --seed 1 --tests 500 --no-store >out 2>&1
report $? "annotations hold of what is drawn; no elements are the same wherever; values that contain themselves are printed and compared"
[ "$(grep -c '^PASS\|^ok' out)" != 0 ] || show out
./shape --filter path_is_named --seed 1 --no-store >out 2>&1
[ $? = 1 ] && grep -qF '.points[3].y: 0 is not 5' out && grep -q '\.kind = [A-Z]' out
result=$?
report $result "a difference is named by its path"
[ $result = 0 ] || show out

# A field that was renamed keeps its tapes.
for was in 'int height;' 'int tall SONDE_WAS("height");'; do
    printf '#include <sonde/derive.h>\nstruct person { %s };\n' "$was" >person.h
    derive person.h 'struct person' -o person.derived.h
    field=$(echo "$was" | sed 's/int \([a-z]*\).*/\1/')
    printf '#include "person.derived.h"\nstatic void p(sonde *t) { sonde_check(t, draw_person(t, "p")->%s < 100); }\nSONDE_MAIN(p)\n' "$field" >person.c
    link "person_$field" person.c
done
token=$(./person_height --seed 1 --no-store | sed -n "s/.*--replay '\(.*\)'.*/\1/p")
[ -n "$token" ] && ./person_tall --replay "$token" --no-store >out 2>&1
[ $? = 1 ] && grep -q 'tall = 100}' out
result=$?
report $result "a renamed field with SONDE_WAS keeps its tapes ($token)"
[ $result = 0 ] || show out

# As much as a person would draw: no span for a constant, no list where the length leaves no choice.
cat >lean.h <<'E'
#include <sonde/derive.h>
enum suit { CLUBS, HEARTS };
struct lean {
    enum suit suit;
    unsigned char level SONDE_ONE_OF(10, 20, 5 + 25);
    unsigned n_pairs;
    int *left SONDE_COUNT(n_pairs, 2, 2) SONDE_RANGE(0, 9), *right SONDE_COUNT(n_pairs) SONDE_RANGE(0, 9);
    int kind;
    union { int i SONDE_RANGE(0, 9); } as SONDE_TAG(kind, 7: i, 8:);
};
E
derive lean.h 'struct lean' -o lean.derived.h
cat >lean.c <<'E'
#include "lean.derived.h"
static void p(sonde *t)
{
    struct lean *x = draw_lean(t, "x");
    sonde_check(t, x->suit == CLUBS || x->level != 30 || x->kind == 8 || x->n_pairs != 2);
}
SONDE_MAIN(p)
E
link lean lean.c && ./lean --seed 1 --no-store >out 2>&1
[ $? = 1 ] && grep -qF 'x{lean{suit=1 level=2 left=0 left=0 right=0 right=0 kind=0 i=0}}' out && grep -q 'suit = HEARTS' out
result=$?
report $result "constants and fixed lengths are single draws"
[ $result = 0 ] || show out

mkdir -p without && cp "$BUILD/sonde" without/ 2>/dev/null
without/sonde derive bad.h 'struct ok' 2>err
[ $? = 2 ] && grep -q 'install libclang-dev' err
report $? "without sonde-derive, the command says what to install"
echo "1..$n"
