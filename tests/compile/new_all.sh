#!/bin/sh
# sonde new --all and sonde new machine: pairs, sizes and objects are found by names; everything that is printed
# compiles; what fails at once for a wrong guess is marked, in the file as well; the trial run cannot write elsewhere.
# Stages: gcc
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 40; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS

cat >lib.h <<'E2'
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
/* Sizes by name, by first letter, by position; a used length beside the room. */
int Z_compress_default(const char *src, char *dst, int srcSize, int dstCapacity);
int Z_decompress_safe(const char *src, char *dst, int compressedSize, int dstCapacity);
int b64_encode(unsigned char *dst, size_t dlen, size_t *olen, const unsigned char *src, size_t slen);
int b64_decode(unsigned char *dst, size_t dlen, size_t *olen, const unsigned char *src, size_t slen);
void bin2hex(char *hex, size_t hex_maxlen, const unsigned char *bin, size_t bin_len);
int hex2bin(unsigned char *bin, size_t bin_maxlen, const char *hex);
/* An object in the caller's memory, a shared radix, and success by 0. */
struct big { int alloc, sign; unsigned *digits; };
int big_init(struct big *a);
void big_clear(struct big *a);
int big_read_radix(struct big *a, const char *str, int radix);
int big_to_radix(const struct big *a, char *str, size_t maxlen, size_t *written, int radix);
int big_set_u32(struct big *a, uint32_t b);
uint32_t big_get_u32(const struct big *a);
/* An opaque object by an out parameter; success by 1. */
typedef struct store store;
int store_create(store **out, int flags);
void store_close(store *s);
int store_put(store *s, int key, int value);
bool store_get(const store *s, int key, int *value);
int store_del(store *s, int key);
void store_adopt(store *s, store *other);
/* A typedef that hides a pointer. */
typedef char *str;
str strnew(const char *init);
void strfree(str s);
str strcatlen(str s, const void *t, size_t len);
/* What cannot be drawn. */
int log_to(FILE *file, const char *format, ...);
int visit(store *s, void (*each)(void *), void *t);
size_t not_there(const uint8_t *data, size_t n);
size_t first_of(const uint8_t *data, unsigned limit);
int save_all(const unsigned char *in, size_t inlen);
E2
cat >lib.c <<'E2'
#include "lib.h"
#include <stdlib.h>
#include <string.h>
int Z_compress_default(const char *src, char *dst, int n, int room) { if (n + 1 > room) return 0; dst[0] = 1; memcpy(dst + 1, src, n); return n + 1; }
int Z_decompress_safe(const char *src, char *dst, int n, int room) { if (n < 1 || n - 1 > room) return -1; memcpy(dst, src + 1, n - 1); return n - 1; }
static int hex(unsigned char *dst, size_t room, size_t *n, const unsigned char *src, size_t length)
{
    *n = 2 * length;
    if (room < 2 * length) return -1;
    for (size_t i = 0; i < length; i++) dst[2 * i] = 'a' + (src[i] >> 4), dst[2 * i + 1] = 'a' + (src[i] & 15);
    return 0;
}
static int unhex(unsigned char *dst, size_t room, size_t *n, const unsigned char *src, size_t length)
{
    *n = length / 2;
    if (length % 2 || room < length / 2) return -1;
    for (size_t i = 0; i < length / 2; i++) dst[i] = (unsigned char)((src[2 * i] - 'a') * 16u + (unsigned)(src[2 * i + 1] - 'a'));
    return 0;
}
int b64_encode(unsigned char *d, size_t m, size_t *o, const unsigned char *s, size_t n) { return hex(d, m, o, s, n); }
int b64_decode(unsigned char *d, size_t m, size_t *o, const unsigned char *s, size_t n) { return unhex(d, m, o, s, n); }
void bin2hex(char *h, size_t m, const unsigned char *b, size_t n) { size_t o; if (2 * n < m) hex((unsigned char *)h, m, &o, b, n), h[o] = 0; }
int hex2bin(unsigned char *b, size_t m, const char *h) { size_t o; return unhex(b, m, &o, (const unsigned char *)h, strlen(h)) == 0 ? (int)o : -1; }
int big_init(struct big *a) { a->digits = calloc(1, sizeof *a->digits); return a->digits ? 0 : -1; }
void big_clear(struct big *a) { free(a->digits); }
int big_read_radix(struct big *a, const char *s, int r)
{
    char *end;
    if (r < 2 || r > 36 || strlen(s) > 5) return -1;
    *a->digits = (unsigned)strtoul(s, &end, r);
    return *end || !*s ? -1 : 0;
}
int big_to_radix(const struct big *a, char *s, size_t max, size_t *written, int r)
{
    char text[40];
    size_t n = 0;
    unsigned x = *a->digits;
    do text[n++] = "0123456789abcdefghijklmnopqrstuvwxyz"[x % (unsigned)r]; while (x /= (unsigned)r);
    if (n + 1 > max) return -1;
    for (size_t i = 0; i < n; i++) s[i] = text[n - 1 - i];
    s[n] = 0;
    *written = n + 1;
    return 0;
}
int big_set_u32(struct big *a, uint32_t b) { *a->digits = b; return 0; }
uint32_t big_get_u32(const struct big *a) { return *a->digits; }
struct store { int key, value, n; };
int store_create(store **out, int flags) { (void)flags; *out = calloc(1, sizeof **out); return 1; }
void store_close(store *s) { free(s); }
int store_put(store *s, int key, int value) { s->key = key, s->value = value, s->n = 1; return 1; }
bool store_get(const store *s, int key, int *value) { if (!s->n || s->key != key) return false; *value = s->value; return true; }
int store_del(store *s, int key) { s->n = 0; return key; }
void store_adopt(store *s, store *other) { s->n += other->n; free(other); }
str strnew(const char *init) { return strdup(init); }
void strfree(str s) { free(s); }
str strcatlen(str s, const void *t, size_t len) { size_t n = strlen(s); s = realloc(s, n + len + 1); memcpy(s + n, t, len); s[n + len] = 0; return s; }
int log_to(FILE *file, const char *format, ...) { return file && format; }
int visit(store *s, void (*each)(void *), void *t) { each(t); return s->n; }
size_t first_of(const uint8_t *data, unsigned limit) { return limit > 100 ? data[limit] : 0; }
int save_all(const unsigned char *in, size_t n) { FILE *f = fopen(getenv("ELSEWHERE"), "w"); if (f) fwrite(in, 1, n, f), fclose(f); return f != NULL; }
E2

ELSEWHERE=$PWD/elsewhere TMPDIR=$PWD/temporary
export ELSEWHERE TMPDIR
mkdir temporary
"$tool" new --all lib.h lib.c >out 2>err
report $? "--all with the code ends with status 0"
holds() {
    grep -qF "sonde new $1 --header lib.h" out && ! grep -A 2 -F "sonde new $1 --header lib.h" out | sed -n '3p' | grep -q 'fails at once'
    result=$?
    report $result "proposed, and holds: $1"
    [ $result = 0 ] || show out err
}
holds 'roundtrip Z_compress_default Z_decompress_safe'
holds 'roundtrip b64_encode b64_decode'
holds 'roundtrip bin2hex hex2bin'
holds 'roundtrip big_to_radix big_read_radix'
holds 'roundtrip big_set_u32 big_get_u32'
holds 'roundtrip store_put store_get'
holds 'machine store_put store_get store_del'
holds 'machine big_read_radix big_set_u32 big_get_u32 big_to_radix'
holds 'crash strcatlen'
grep -q 'roundtrip store_put store_get --header lib.h --success nonzero' out
report $? "that 1 means success is found by the trial run, and is in the command"
grep -q '^#   .*not_there: not_there is declared, but is not in the code that was given$' out && ! grep -q '^sonde.*not_there' out
report $? "a function that the code lacks is left out, with the reason"
! grep -q '^sonde new.*store_adopt\|^sonde new.*visit\|^sonde new.*log_to' out
report $? "a function that takes over its argument, calls back, or takes any arguments is not proposed"
echo '#include <unistd.h>
int main(void) { return syscall(444, (void *)0, 0, 1) < 1; }' >probe.c # the version of Landlock
if $CC -w probe.c -o probe && ./probe; then
    [ ! -e elsewhere ]
    report $? "the trial run writes nothing elsewhere"
else
    n=$((n + 1)); echo "ok $n - the trial run writes nothing elsewhere # SKIP no Landlock"
fi
[ -z "$(ls -A temporary)" ]
report $? "no file of the trial run is left"

# Every printed command writes a test that compiles, by gcc and without a warning.
grep '^sonde' out >commands
i=0
while read -r _ words; do
    i=$((i + 1))
    # shellcheck disable=SC2086
    "$tool" $words --no-run --out "all$i.c" >log 2>&1 && "$tool" cc -c -Wall -Wextra -Werror "all$i.c" -o all.o >>log 2>&1 || { echo "$words"; cat log; }
    [ -n "$SONDE_TEST_LONG" ] || [ $i -lt 8 ] || break
done <commands >refused
[ ! -s refused ] && [ $i -gt 5 ]
report $? "what the commands write compiles without a warning"
show refused

"$tool" new crash first_of --header lib.h lib.c --out wrong.c >log 2>&1
[ $? = 0 ] && grep -q 'sonde new: first_of_does_not_crash fails at once: .*; a guess to look at: lines ' log
report $? "a test that fails at once is reported, with the line of the guess"
line=$(sed -n 's/.*a guess to look at: lines \([0-9]*\).*/\1/p' log)
grep -q 'LOOK HERE FIRST' wrong.c && sed -n "${line:-1}p" wrong.c | grep -q 'a guess: its length'
report $? "the file is marked, and the line is the right one"
show log wrong.c | head -n $((25 * (n > 99)))
"$tool" new crash first_of --header lib.h lib.c --no-run --out unrun.c >log 2>&1 && [ ! -s log ] && ! grep -q LOOK unrun.c
report $? "--no-run only compiles"

# Of a test that fails at once, other guesses are tried: a reset, what frees the object, a machine without one function.
cat >obj.h <<'E2'
#include <stddef.h>
typedef struct counter counter;
counter *counter_create(void);
void counter_free(counter *c);
void counter_reset(counter *c, unsigned seed);
int counter_update(counter *c, const unsigned char *data, size_t n);
unsigned counter_digest(const counter *c);
struct pad { char *bytes; size_t n; };
void pad_init(struct pad *p);
void pad_destroy(struct pad *p);
void pad_clear(struct pad *p);
int pad_push(struct pad *p, char c);
int pad_pop(struct pad *p);
size_t pad_count(const struct pad *p);
void pad_grew(struct pad *p, int amount);
counter *counter_dup(counter *c);
int last_of(const unsigned char *data, size_t n);
E2
cat >obj.c <<'E2'
#include "obj.h"
#include <stdlib.h>
struct counter { unsigned *sum, room; };
counter *counter_create(void) { return calloc(1, sizeof(counter)); }
void counter_free(counter *c) { free(c); }
void counter_reset(counter *c, unsigned seed) { c->room = seed, c->sum = &c->room; }
int counter_update(counter *c, const unsigned char *data, size_t n) { while (n--) *c->sum += *data++; return 0; }
unsigned counter_digest(const counter *c) { return *c->sum; }
void pad_init(struct pad *p) { p->bytes = malloc(10), p->n = 0; }
void pad_clear(struct pad *p) { free(p->bytes); }
void pad_destroy(struct pad *p) { free(p->bytes), free(p); }
int pad_push(struct pad *p, char c) { return p->n < 10 ? p->bytes[p->n++] = c, 0 : -1; }
int pad_pop(struct pad *p) { return p->n ? p->bytes[--p->n] : -1; }
size_t pad_count(const struct pad *p) { return p->n; }
void pad_grew(struct pad *p, int amount) { if (p->n + (unsigned)amount > 10) abort(); p->n += (unsigned)amount; }
counter *counter_dup(counter *c) { counter *to = counter_create(); counter_reset(to, *c->sum); return to; }
int last_of(const unsigned char *data, size_t n) { return n > 9 ? data[n] : 0; }
E2
"$tool" new --all obj.h obj.c >out 2>err
# guessed COMMAND COMMENT: a command, and a comment below it
guessed() {
    awk -v command="sonde new $1" -v comment="    # $2" 'index($0, "sonde new ") == 1 || /^#/ { on = $0 == command; seen += on } on && index($0, comment) == 1 { noted = 1 } on && /it fails at once/ { bad = 1 } END { exit !(seen && noted && !bad) }' out
    result=$?
    report $result "found by trying: $1"
    [ $result = 0 ] || show out err
}
guessed 'machine counter_update counter_digest counter_dup --header obj.h --start counter_reset obj.c' 'counter_reset comes first: without that, this fails at once: '
guessed 'crash counter_update --header obj.h --start counter_reset obj.c' 'counter_reset comes first: '
guessed 'machine pad_push pad_pop pad_count --header obj.h --stop pad_clear obj.c' 'without pad_grew: with it, this fails at once: '
[ "$(sed -n '/^# These fail at once/,/^# Left out/p' out | grep -c '^sonde new')" = "$(grep -c 'it fails at once' out)" ] && sed -n '/^# These fail at once/,$p' out | grep -qx 'sonde new crash last_of --header obj.h obj.c'
report $? "what fails at once comes last"
"$tool" new machine counter_update counter_digest counter_dup --header obj.h --start counter_reset obj.c --out start.c >log 2>&1 && [ ! -s log ] && grep -q 'counter_reset(w->object, seed)' start.c
report $? "the printed command writes the test that passed"
show log

# What names and types must not suggest; a header that only includes others; a test that tests nothing.
mkdir parts
cat >parts/one.h <<'E2'
#include <stddef.h>
typedef struct { char *text; int n; } datum;
typedef struct db db;
db *db_open(void);
int db_close(db *);
int db_store(db *, datum, datum);
datum db_fetch(db *, datum);
struct option { char *name; int n; };
typedef struct config config;
config *config_init(struct option *options, int flags);
int config_free(config *c);
int config_parse(config *c, const char *text);
int encoder_size(int channels);
int decoder_size(int channels);
typedef struct player player;
player *player_create(int rate);
void player_free(player *p);
int player_feed(player *p, const unsigned char *data, size_t n);
E2
echo '#include "one.h"' >parts/all.h
echo '#include "parts/one.h"
#include <stdlib.h>
struct config { int flags; };
config *config_init(struct option *o, int flags) { config *c = malloc(sizeof *c); c->flags = flags + o->n; return c; }
int config_free(config *c) { free(c); return 0; }
int config_parse(config *c, const char *text) { return c->flags + *text; }
int encoder_size(int n) { return n; }
int decoder_size(int n) { return n + 1; }
player *player_create(int rate) { (void)rate; return NULL; }
void player_free(player *p) { free(p); }
int player_feed(player *p, const unsigned char *data, size_t n) { return p && data && n; }' >parts.c
"$tool" new --all parts/all.h parts.c >out 2>err
[ $? = 0 ] && grep -qx 'sonde new crash config_parse --header parts/all.h parts.c' out && ! grep -q 'fails at once' out
report $? "a header that only includes others is read; only config_free frees what config_init returns"
! grep -q '^sonde new .*\(encoder_size decoder_size\|db_store db_fetch\)' out
report $? "encoder and decoder are no verbs, and a struct that is passed by value returns nothing"
! grep -q '^sonde new crash player_feed' out && grep -q '^#   crash player_feed: it tests nothing as it is: none of ' out
report $? "a test without a valid input is left out, with the reason"
show out err | head -n $((40 * (n > 99)))

# Names that macros of another header give are names of this header.
printf '#define API(t) extern t\n#define NAME(n) lib_##n\n' >api.h
printf '#include "api.h"\nAPI(int) NAME(f)(const unsigned char *data, unsigned long len);\n' >named.h
"$tool" new --all named.h >out 2>err
grep -qx 'sonde new crash lib_f --header named.h' out
report $? "functions whose names come from macros are found"

# Machines: more functions than any table in the tool would hold; a model can be filled in.
{ echo 'typedef struct many many; many *many_new(void); void many_free(many *m);'; for k in $(seq 60); do echo "int many_put$k(many *m, int t);"; done; } >many.h
# shellcheck disable=SC2046
"$tool" new machine $(for k in $(seq 60); do echo many_put$k; done) --header many.h --out machine.c >log 2>&1 && [ "$(grep -c '^static void call_many_put' machine.c)" = 60 ] && grep -q 'The model goes here' machine.c
report $? "a machine of 60 functions, whose parameter is called t"
show log | head -n 3
# shellcheck disable=SC2046
"$tool" new model $(for k in $(seq 60); do echo many_put$k; done) --header many.h --out model.c >log 2>&1 && grep -q 'case 59:' model.c
report $? "a model of 60 functions"

# refuses STATUS TEXT WORD...
refuses() {
    text=$1
    shift
    "$tool" new "$@" >out 2>err
    [ $? = 2 ] && [ ! -s out ] && grep -qF "sonde new: $text" err
    result=$?
    report $result "refused: $text"
    [ $result = 0 ] || show out err
}
refuses 'lib.h:34: log_to: it takes any number of arguments' crash log_to --header lib.h
refuses 'lib.h:14: the first parameter of big_init is not' machine store_put big_init --header lib.h
refuses '--success is zero or nonzero, not maybe' crash strnew --header lib.h --success maybe
refuses 'the header is missing; write sonde new --all HEADER' --all
refuses '--all writes no file; run one of the commands that it prints with --out all.c' --all lib.h --out all.c
refuses 'obj.h:1: --start pad_push: it neither creates an object of this test nor takes one first' crash counter_update --header obj.h --start pad_push
refuses 'obj.h:1: --stop pad_push: its only parameter must be an object of this test' crash counter_update --header obj.h --stop pad_push
refuses "obj.h:1: there is no function 'counter_rest' here; did you mean counter_reset?" crash counter_update --header obj.h --start counter_rest
refuses 'unknown option --al; did you mean --all?' --al lib.h
refuses 'unknown option --sucess; did you mean --success?' crash strnew --header lib.h --sucess zero
refuses 'there is no kind roundtrp; did you mean roundtrip?' roundtrp a b --header lib.h
refuses 'there is no kind lib.h; the kinds are roundtrip, differential, machine, model, crash, oom; --all HEADER proposes tests for a header' lib.h
refuses "lib.h:1: there is no function 'store_gt' here; did you mean store_get?" crash store_gt --header lib.h
echo 'struct a; int f(struct a x);' >bad.h
refuses 'bad.h:1: f: parameter 1 cannot be drawn' crash f --header bad.h
echo "1..$n"
