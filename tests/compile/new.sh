#!/bin/sh
# sonde new: what it writes compiles without a warning, runs, and finds what is planted; nothing is written over.
# Stages: gcc
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 30; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS

cat >codec.h <<'E'
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
struct point { int x, y; char *name; };
struct map;
size_t pack(const uint8_t *data, size_t n, uint8_t *out);
size_t unpack(const uint8_t *data, size_t n, uint8_t *out);
char *escape(const char *text);
char *unescape(const char *text);
size_t point_encode(const struct point *p, uint8_t *out, size_t max);
bool point_decode(const uint8_t *in, size_t n, struct point *out);
int sum(const int8_t *xs, size_t n);
int sum_fast(const int8_t *xs, size_t n);
uint32_t encode_number(uint32_t x);
uint32_t decode_number(uint32_t x);
struct map *map_new(void);
void map_free(struct map *map);
int map_put(struct map *map, const char *key, int value);
int map_get(const struct map *map, const char *key);
int first_byte(const uint8_t *data, size_t n);
E
cat >codec.c <<'E'
#include "codec.h"
#include <stdlib.h>
#include <string.h>
size_t pack(const uint8_t *data, size_t n, uint8_t *out) { memcpy(out, data, n); return n; }
size_t unpack(const uint8_t *data, size_t n, uint8_t *out) { memcpy(out, data, n); return n; }
static char *copy(const char *text) { char *to = malloc(strlen(text) + 1); return strcpy(to, text); } /* without a look */
char *escape(const char *text) { return copy(text); }
char *unescape(const char *text) { return copy(text); }
size_t point_encode(const struct point *p, uint8_t *out, size_t max)
{
    if (max < 50) return 0;
    memcpy(out, p, 8);
    strcpy((char *)out + 8, p->name);
    return 9 + strlen(p->name);
}
bool point_decode(const uint8_t *in, size_t n, struct point *out) /* cuts long names */
{
    static char name[31];
    if (n < 9) return false;
    memcpy(out, in, 8);
    strncpy(name, (const char *)in + 8, 30);
    out->name = name;
    return true;
}
int sum(const int8_t *xs, size_t n) { int s = 0; for (size_t i = 0; i < n; i++) s += xs[i]; return s; }
int sum_fast(const int8_t *xs, size_t n) { int s = 0; for (size_t i = 0; i < n; i++) s += (uint8_t)xs[i]; return s; }
uint32_t encode_number(uint32_t x) { return x ^ x >> 16; }
uint32_t decode_number(uint32_t x) { return x ^ x >> 16; }
struct map { int calls; };
struct map *map_new(void) { return calloc(1, sizeof(struct map)); }
void map_free(struct map *map) { free(map); }
int map_put(struct map *map, const char *key, int value) { map->calls++; return key[0] ? value : 0; }
int map_get(const struct map *map, const char *key) { return key[0] ? map->calls : 0; }
int first_byte(const uint8_t *data, size_t n) { return n > 1000 ? 0 : data[0]; }
E

# writes STATUS TEXT WORD...: the test is written, compiles without a warning, ends with this status and says this.
i=0 sanitize=--sanitize=address preload=
writes() {
    status=$1 text=$2
    shift 2
    i=$((i + 1))
    "$tool" new "$@" --header codec.h --out test$i.c >log 2>&1 &&
        "$tool" cc $sanitize -g -Wall -Wextra -Werror test$i.c codec.c -o test$i >>log 2>&1 &&
        { env $preload ./test$i --seed 1 --tests 300 --no-store >out 2>&1; [ $? = "$status" ]; } && grep -qF "$text" out
    result=$?
    report $result "sonde new $*: $text"
    [ $result = 0 ] || show log out test$i.c
}
writes 0 'pack_and_back_by_unpack: ' roundtrip pack unpack
writes 0 'escape_and_back_by_unescape: ' roundtrip escape unescape
writes 0 'encode_number_and_back_by_decode_number: ' roundtrip encode_number decode_number
writes 1 '.name: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" is not "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"' roundtrip point_encode point_decode
writes 1 'xs = (1 byte) 80' differential sum sum_fast
writes 0 'map_put_behaves_like_its_model: ' model map_put map_get
writes 1 'heap-buffer-overflow' crash first_byte
sanitize= preload=LD_PRELOAD=$BUILD/libsonde_oom.so
writes 1 'fails = 1' oom escape

"$tool" new --all codec.h >out 2>&1
grep -q '^sonde new roundtrip pack unpack --header codec.h$' out && grep -q "'pack' and 'unpack' undo each other" out &&
    grep -q '^sonde new differential sum sum_fast' out && grep -q '^sonde new machine map_put map_get --header' out && grep -q '^sonde new crash first_byte' out
result=$?
report $result "--all proposes tests, with reasons"
[ $result = 0 ] || show out
grep '^sonde' out | while read -r _ words; do "$tool" $words >log 2>&1 || echo "$words"; done >refused
[ ! -s refused ]
report $? "each proposal can be written"
show refused

# refuses TEXT WORD...
refuses() {
    text=$1
    shift
    cp test1.c before.c
    "$tool" new "$@" >out 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] && grep -qF "sonde new: $text" err && cmp -s test1.c before.c
    result=$?
    report $result "refused: $text"
    [ $result = 0 ] || show out err
}
refuses 'test1.c exists already and stays as it is' crash pack --header codec.h --out test1.c
refuses "codec.h:1: there is no function 'nope' here" crash nope --header codec.h
refuses 'codec.h:19: map_get does not undo pack, by their types' roundtrip pack map_get --header codec.h
refuses 'there is no kind wrong; the kinds are' wrong pack --header codec.h
refuses 'the header that declares pack is missing; add --header FILE' crash pack
refuses 'cannot read nonesuch.h: No such file' crash pack --header nonesuch.h
echo "1..$n"
