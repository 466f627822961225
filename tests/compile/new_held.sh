#!/bin/sh
# sonde new --all with a library: a test that fails for most inputs is held back, and named; one that fails for few is
# printed; one that passes with fewer values is printed with --narrow. Values come from comments and constants, pairs from
# types and opposite words, and files have drawn bytes.
# Stages: gcc
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 40; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS

cat >kept.h <<'E2'
#include <stddef.h>
#include <stdint.h>
typedef struct coder coder;
#define KEPT_MODE_FAST 3
#define KEPT_MODE_BEST (7)
#define KEPT_MODE_NAME "mode"
enum kept_kind { KEPT_KIND_A = 20, KEPT_KIND_B };
/* Gets a coder. The rate must be one of 8000, 12000, or 16000 (in Hz). There are 1 or 2 channels; quality is 4-6.
 * @param channels number of channels (1 or 2)
 * @param level from 30 to 32.5
 * @param kind KEPT_KIND_A or KEPT_KIND_B */
coder *kept_obtain(int rate, int channels, int quality, int mode, int kind);
void kept_release(coder *c);
int kept_feed(coder *c, const unsigned char *data, size_t n);
uint32_t kept_wide_to_long(uint32_t x);
uint32_t kept_long_to_wide(uint32_t x);
uint32_t kept_rotate(uint32_t x);
uint32_t kept_inverse_rotate(uint32_t x);
int kept_small(const unsigned char *data, size_t n, int amount);
int kept_never(const unsigned char *data, size_t n);
int kept_rare(const unsigned char *data, size_t n);
typedef struct base base;
base *base_open(const char *path);
void base_close(base *b);
struct area { char *bytes; };
int area_setup(struct area *a, int size);
void area_teardown_free(struct area *a);
int area_len(const struct area *a);
int kept_at_end(void (*call)(void)); /* its parameter is of a type without a name */
char *kept_to_string(const coder *c);
E2
cat >kept.c <<'E2'
#include "kept.h"
#include <stdio.h>
#include <stdlib.h>
struct coder { int rate; };
coder *kept_obtain(int rate, int channels, int quality, int mode, int kind)
{
    coder *c = malloc(sizeof *c);
    if ((rate != 8000 && rate != 12000 && rate != 16000) || (channels != 1 && channels != 2) || quality < 4 || quality > 6) abort();
    if ((mode != KEPT_MODE_FAST && mode != KEPT_MODE_BEST) || (kind != KEPT_KIND_A && kind != KEPT_KIND_B)) abort();
    return c->rate = rate, c;
}
void kept_release(coder *c) { free(c); }
int kept_feed(coder *c, const unsigned char *data, size_t n) { return c->rate + (n ? *data : 0); }
uint32_t kept_wide_to_long(uint32_t x) { return x + 1; }
uint32_t kept_long_to_wide(uint32_t x) { return x - 1; }
uint32_t kept_rotate(uint32_t x) { return x << 3 | x >> 29; }
uint32_t kept_inverse_rotate(uint32_t x) { return x >> 3 | x << 29; }
int kept_small(const unsigned char *data, size_t n, int amount) { if (amount < 0 || amount > 200) abort(); return n ? *data : 0; }
int kept_never(const unsigned char *data, size_t n) { (void)data; if (n < 5000) abort(); return 0; }
int kept_rare(const unsigned char *data, size_t n) { (void)data; if (n % 32 == 5) abort(); return 0; }
struct base { FILE *file; };
base *base_open(const char *path)
{
    base *b = malloc(sizeof *b);
    b->file = fopen(path, "r");
    if (!b->file) abort();
    return b;
}
void base_close(base *b) { fclose(b->file); free(b); }
int area_setup(struct area *a, int size) { (void)size; a->bytes = malloc(10); return 0; }
void area_teardown_free(struct area *a) { free(a->bytes); }
int area_len(const struct area *a) { return *a->bytes; }
int kept_at_end(void (*call)(void)) { return call != NULL; }
char *kept_to_string(const coder *c) { char *to = malloc(20); snprintf(to, 20, "%d", c->rate); return to; }
E2
$CC -c -g kept.c -o kept.o && ar rcs libkept.a kept.o || exit 1
mkdir temporary
TMPDIR=$PWD/temporary "$tool" new --all kept.h -L"$PWD" -lkept >out 2>err
report $? "--all with a library ends with status 0"
! grep -q '^sonde new crash kept_never' out && grep -q '^# Held back: 1 (--held prints them)' out &&
    grep -q '^#   crash kept_never: \([0-9]*\) of \1 inputs fail: SIGABRT' out
report $? "a test that fails for all inputs is held back, and named with its failure"
sed -n '/^# These fail at once/,/^# Held back/p' out | grep -q '^sonde new crash kept_rare' &&
    grep -A 3 '^sonde new crash kept_rare' out | grep -q '^    # [0-4] of 40 random inputs fail$'
report $? "a test that fails for few inputs is printed, with their number"
grep -A 2 '^sonde new crash kept_small .*--narrow' out | grep -q 'with fewer values; with more, [0-9]* of 40 random inputs fail, a guess to look at: SIGABRT'
report $? "a test that passes with fewer values is printed so, with what failed before"
# holds COMMAND TEXT
holds() {
    grep -qF "sonde new $1 --header kept.h" out && ! grep -A 3 -F "sonde new $1 --header kept.h" out | grep -q 'fails at once'
    report $? "$2"
}
holds 'crash kept_feed' 'rates, channels and others are drawn as the comment and the constants say'
holds 'roundtrip kept_wide_to_long kept_long_to_wide' 'a pair by swapped words'
holds 'roundtrip kept_rotate kept_inverse_rotate' 'a pair by a word for the opposite'
holds 'roundtrip kept_obtain kept_release' 'a pair of what creates and frees an object, by types'
holds 'roundtrip area_setup area_teardown_free' "such a pair for an object in the caller's memory"
holds 'roundtrip base_open base_close' 'a path is that of a new file'
[ -z "$(ls -A temporary)" ]
report $? "no file is left"
show out err | head -n $((40 * (n > 99)))
"$tool" new crash kept_feed --header kept.h --no-run >values.c 2>err
grep -qF '{8000, 12000, 16000}' values.c && grep -qF '{1, 2}' values.c && grep -qF '"quality", 4, 6' values.c &&
    grep -qF '{KEPT_MODE_FAST, KEPT_MODE_BEST}' values.c && grep -qF '{KEPT_KIND_A, KEPT_KIND_B}' values.c
result=$?
report $result "the values are lists and ranges of the header"
[ $result = 0 ] || show values.c err
"$tool" new --all kept.h -L"$PWD" -lkept --held >held 2>err
grep -q '^sonde new crash kept_never' held && ! grep -q '^# Held back' held
report $? "--held prints what is held back"
"$tool" new --all kept.h kept.c >own 2>err
grep -q '^sonde new crash kept_never' own && ! grep -q '^# Held back' own
report $? "nothing is held back of code that is given as a source"
show out own err | head -n $((40 * (n > 99)))
# Numbers that are no range, an empty range, and numbers that C would read as octal.
cat >odd.h <<'END'
#include <stddef.h>
enum { ODD_MODE_A = 7, ODD_MODE_B = 3, ODD_MODE_C = 5 };
/** Encodes. The mode: 0 - fast. */
size_t odd_encode(const unsigned char *in, size_t n, unsigned char *out, size_t cap, int mode);
size_t odd_decode(const unsigned char *in, size_t n, unsigned char *out, size_t cap);
/** Packs. The amount: range 10-0 allowed. */
size_t odd_pack(const unsigned char *in, size_t n, unsigned char *out, size_t cap, int amount);
size_t odd_unpack(const unsigned char *in, size_t n, unsigned char *out, size_t cap);
/** The month must be 08 or 09. */
size_t odd_wrap(const unsigned char *in, size_t n, unsigned char *out, size_t cap, int month);
size_t odd_unwrap(const unsigned char *in, size_t n, unsigned char *out, size_t cap);
END
for pair in 'encode odd_decode' 'pack odd_unpack' 'wrap odd_unwrap'; do
    # shellcheck disable=SC2086 # two names
    "$tool" new roundtrip odd_$pair --header odd.h --no-run 2>err
done >odd.c
grep -qF '{ODD_MODE_A, ODD_MODE_B, ODD_MODE_C}' odd.c && grep -qF '"amount", INT_MIN, INT_MAX' odd.c && grep -qF '"month", INT_MIN, INT_MAX' odd.c
result=$?
report $result "what only looks like a range is not one"
[ $result = 0 ] || show odd.c err
echo "1..$n"
