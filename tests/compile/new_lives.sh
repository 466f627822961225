#!/bin/sh
# sonde new --all: pairs of functions of which one creates or opens an object, and the other one frees or closes it. Objects
# that are freed by their address, created through a parameter, or in memory of the caller; functions that end an object
# and give something else; strings of a command line; keys and values that are structs; opposite verbs without a capital.
# Stages: gcc
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 60; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS

cat >lives.h <<'E2'
#include <stddef.h>
#include <stdint.h>
/* Freed by its address. */
typedef struct machine machine;
machine *mc_init(void);
void mc_teardown(machine **m);
/* Created through a parameter that comes last, after bytes that are not const. */
typedef struct hidden *Converter;
long Conv_CreateConverter(uint8_t *mapping, uint32_t mappingSize, uint8_t forward, uint16_t form, Converter *converter);
long Conv_DisposeConverter(Converter converter);
/* In memory of the caller, as the last parameter; random files are refused. */
typedef struct base { void *memory; int n; } base;
int BASE_open(const char *filename, uint32_t flags, base *b);
void BASE_close(base *b);
/* A digest is ended by what gives its bytes. */
typedef struct sum { size_t room; uint32_t sum; } sum;
void sum32_init(sum *s, size_t room);
void sum32_update(sum *s, const uint8_t *in, size_t inlen);
void sum32_final(uint8_t digest[4], sum *s);
/* An object is freed with the context that it was created with. */
typedef struct pool pool;
typedef struct item item;
pool *pool_new(void);
void pool_delete(pool *p);
item *pool_item_create(pool *owner, int id);
void pool_item_destroy(pool *p, item *it);
/* By void **. */
int handle_create(void **handle);
int handle_destroy(void *handle);
/* A new object is opened, and closed. */
typedef struct channel channel;
channel *channel_new(void);
void channel_free(channel *c);
int channel_open(channel *c, int mode);
int channel_close(channel *c);
/* A function with parameters deletes a part, not the object. */
typedef struct list list;
list *list_new(void);
void list_free(list *l);
int list_delete(list *l, int key);
/* Strings of a command line. */
typedef struct line *lineContext;
lineContext lineGetContext(const char *name, int argc, const char **argv, unsigned flags);
lineContext lineFreeContext(lineContext c);
/* Keys and values are structs that are passed by value. */
typedef struct { char *dptr; int dsize; } datum;
typedef struct file *FILE_OF;
FILE_OF data_create(int flags);
int data_close(FILE_OF f);
int data_store(FILE_OF f, datum key, datum content, int flag);
datum data_fetch(FILE_OF f, datum key);
/* Verbs without a capital; the key has two names. */
typedef struct dict dict;
dict *dict_new(void);
void dict_free(dict *d);
int dict_setint(dict *d, const char *entry, int value);
int dict_getint(const dict *d, const char *key, int missing);
/* An output verb that looks like a constructor. */
typedef struct node node;
node *nodeNew(const char *name);
void nodeDelete(node *n);
char *nodeSaveAllocString(node *n);
node *nodeLoadString(const char *s, int mode);
/* Names with a prefix by a macro; an array of characters without a size. */
typedef uint32_t WideChar;
#define widen prefix_widen
#define narrow prefix_narrow
#define wide_to_bytes prefix_wide_to_bytes
#define bytes_to_wide prefix_bytes_to_wide
int wide_to_bytes(const WideChar *us, int len, char *s);
int bytes_to_wide(const char *s, int len, WideChar *us);
/* A table keeps pointers of the caller. */
typedef struct table table;
table *table_new(void);
void table_free(table *t);
int table_insert(table *t, const char *key, void *value);
void *table_lookup(table *t, const char *key);
int table_put(table *t, unsigned key, void *data);
int table_fetch(table *t, unsigned key, void **data);
/* The library itself; options that cannot be drawn. */
int lib_global_init(int flags);
void lib_global_cleanup(void);
struct options { void *user; int (*each)(void *); };
typedef struct session session;
session *session_create(struct options *o);
void session_destroy(session *s);
/* An enumeration with names for its limits. */
enum color { _COLOR_FIRST = -1, COLOR_RED, COLOR_BLUE, COLOR_MAX };
typedef struct pen pen;
pen *pen_new(enum color c);
void pen_free(pen *p);
/* The result is the number of bytes that were read. */
typedef long ssize_t;
ssize_t run_encode(const void *in, size_t inlen, void *out, size_t outlen, size_t *written);
ssize_t run_decode(const void *in, size_t inlen, void *out, size_t outlen, size_t *written);
E2
cat >lives.c <<'E2'
#include "lives.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct machine { int any; };
struct hidden { int any; };
struct pool { int n; };
struct item { pool *of; };
struct channel { char *buffer; };
struct list { int n; };
struct line { int argc; char *last; };
struct file { char *key, *content; int nkey, ncontent; };
struct dict { char *key; int value; };
struct node { char *name; };
machine *mc_init(void) { return calloc(1, sizeof(machine)); }
void mc_teardown(machine **m) { if (!*m) abort(); free(*m); *m = NULL; }
long Conv_CreateConverter(uint8_t *mapping, uint32_t n, uint8_t forward, uint16_t form, Converter *c)
{
    if (!mapping && n) return 1;
    return (*c = calloc(1, sizeof **c)) && forward < 255 + form ? 0 : 2;
}
long Conv_DisposeConverter(Converter c) { free(c); return 0; }
int BASE_open(const char *name, uint32_t flags, base *b)
{
    FILE *f = fopen(name, "r");
    if (!f) abort();
    int ok = fgetc(f) == 7 && flags < 7;
    fclose(f);
    if (ok) b->memory = malloc(9), b->n = 9;
    return ok ? 0 : 5;
}
void BASE_close(base *b) { if (b->n != 9) abort(); free(b->memory); }
void sum32_init(sum *s, size_t room) { s->room = room | 1, s->sum = 0; }
void sum32_update(sum *s, const uint8_t *in, size_t n) { while (n--) s->sum += *in++; }
void sum32_final(uint8_t digest[4], sum *s) { if (!s->room) abort(); memcpy(digest, &s->sum, 4); }
pool *pool_new(void) { return calloc(1, sizeof(pool)); }
void pool_delete(pool *p) { if (p->n) abort(); free(p); }
item *pool_item_create(pool *p, int id) { item *it = malloc(sizeof *it); (void)id; p->n++, it->of = p; return it; }
void pool_item_destroy(pool *p, item *it) { if (it->of != p) abort(); p->n--; free(it); }
int handle_create(void **h) { return (*h = malloc(9)) ? 0 : -1; }
int handle_destroy(void *h) { free(h); return 0; }
channel *channel_new(void) { return calloc(1, sizeof(channel)); }
void channel_free(channel *c) { if (c->buffer) abort(); free(c); }
int channel_open(channel *c, int mode) { (void)mode; if (c->buffer) abort(); c->buffer = malloc(9); return 0; }
int channel_close(channel *c) { if (!c->buffer) abort(); free(c->buffer); c->buffer = NULL; return 0; }
list *list_new(void) { return calloc(1, sizeof(list)); }
void list_free(list *l) { free(l); }
int list_delete(list *l, int key) { return l->n == key; }
lineContext lineGetContext(const char *name, int argc, const char **argv, unsigned flags)
{
    size_t all = strlen(name) + flags % 2;
    for (int i = 0; i < argc; i++) all += strlen(argv[i]);
    if (argv[argc]) abort();
    lineContext c = calloc(1, sizeof *c);
    if (c) c->argc = argc, c->last = malloc(all + 1);
    return c;
}
lineContext lineFreeContext(lineContext c) { free(c->last); free(c); return NULL; }
static char *copy(const char *from, int n) { char *to = malloc((size_t)n + 1); if (n) memcpy(to, from, (size_t)n); return to; }
FILE_OF data_create(int flags) { (void)flags; return calloc(1, sizeof(struct file)); }
int data_close(FILE_OF f) { free(f->key); free(f->content); free(f); return 0; }
int data_store(FILE_OF f, datum key, datum content, int flag)
{
    if (flag || f->key) return 1;
    f->key = copy(key.dptr, f->nkey = key.dsize), f->content = copy(content.dptr, f->ncontent = content.dsize);
    return 0;
}
datum data_fetch(FILE_OF f, datum key)
{
    datum d = {NULL, 0};
    if (f->nkey != key.dsize || (key.dsize && memcmp(f->key, key.dptr, (size_t)key.dsize))) return d;
    d.dptr = copy(f->content, d.dsize = f->ncontent);
    return d;
}
dict *dict_new(void) { return calloc(1, sizeof(dict)); }
void dict_free(dict *d) { free(d->key); free(d); }
int dict_setint(dict *d, const char *entry, int value) { free(d->key); d->key = strdup(entry), d->value = value; return 0; }
int dict_getint(const dict *d, const char *key, int missing) { return d->key && !strcmp(d->key, key) ? d->value : missing; }
node *nodeNew(const char *name) { node *n = malloc(sizeof *n); if (n) n->name = strdup(name); return n; }
void nodeDelete(node *n) { free(n->name); free(n); }
char *nodeSaveAllocString(node *n) { return strdup(n->name); }
node *nodeLoadString(const char *s, int mode) { (void)mode; return nodeNew(s); }
int wide_to_bytes(const WideChar *us, int n, char *s) { for (int i = 0; i < n; i++) s[i] = (char)us[i]; return n; }
int bytes_to_wide(const char *s, int n, WideChar *us) { for (int i = 0; i < n; i++) us[i] = (unsigned char)s[i]; return n; }
struct table { void *value; };
table *table_new(void) { return calloc(1, sizeof(table)); }
void table_free(table *t) { free(t); }
int table_insert(table *t, const char *key, void *value) { (void)key; t->value = value; return 0; }
void *table_lookup(table *t, const char *key) { (void)key; return t->value; }
int table_put(table *t, unsigned key, void *value) { (void)key; t->value = value; return 0; }
int table_fetch(table *t, unsigned key, void **value) { (void)key; *value = t->value; return 0; }
static char *whole;
int lib_global_init(int flags) { (void)flags; whole = malloc(9); return 0; }
void lib_global_cleanup(void) { free(whole); whole = NULL; }
struct pen { int any; };
pen *pen_new(enum color c) { if (c != COLOR_RED && c != COLOR_BLUE) abort(); return calloc(1, sizeof(pen)); }
void pen_free(pen *p) { free(p); }
struct session { int any; };
session *session_create(struct options *o) { if (o->user) abort(); return calloc(1, sizeof(session)); }
void session_destroy(session *s) { free(s); }
ssize_t run_encode(const void *in, size_t n, void *out, size_t room, size_t *written)
{
    if (n > room || n > 4000) return -1;
    memcpy(out, in, n);
    return (ssize_t)(*written = n);
}
ssize_t run_decode(const void *in, size_t n, void *out, size_t room, size_t *written) { return run_encode(in, n, out, room, written); }
E2
gcc -shared -fPIC lives.c -o liblives.so || exit 1
"$tool" new --all lives.h -L. -Wl,-rpath,"$PWD" -llives >out 2>err
[ $? = 0 ] && ! grep -q 'fail at once\|^# Held back' out
report $? "nothing is held back or fails at once"
has() { grep -q "^sonde new $1 --header lives.h -L" out; report $? "$2"; }
has 'roundtrip mc_init mc_teardown' "an object is freed by its address"
has 'roundtrip Conv_CreateConverter Conv_DisposeConverter' "an object is created through the last of several parameters"
has 'roundtrip BASE_open BASE_close' "an object in memory of the caller may be any parameter, and is closed if it was opened"
has 'roundtrip sum32_init sum32_final' "a digest is ended by the function that gives its bytes"
has 'roundtrip pool_item_create pool_item_destroy' "an object is freed with the context that it was created with"
has 'roundtrip handle_create handle_destroy' "an object is created through a void **"
has 'roundtrip channel_open channel_close' "a new object is opened and closed"
! grep -q '^sonde new roundtrip list_new list_delete' out
report $? "a function with more parameters frees nothing if there is one with only the object"
has 'roundtrip lineGetContext lineFreeContext' "the strings of a command line are drawn; what is got is freed"
has 'roundtrip data_store data_fetch' "keys and values may be structs"
has 'roundtrip dict_setint dict_getint' "set and get need no capital; the key may have two names"
has 'roundtrip nodeSaveAllocString nodeLoadString' "a function that returns a string creates no object"
grep -q '^sonde new roundtrip wide_to_bytes bytes_to_wide --header' out
report $? "names are those of the macros that give a prefix; an array of characters needs no size"
has 'roundtrip table_insert table_lookup' "a pointer of the caller comes back"
has 'roundtrip table_put table_fetch' "a pointer of the caller comes back through a void **"
has 'roundtrip lib_global_init lib_global_cleanup' "a library as a whole is begun and ended"
has 'roundtrip session_create session_destroy' "a struct that cannot be drawn has zeros, to create an object"
has 'roundtrip pen_new pen_free' "constants for limits are not drawn"
has 'roundtrip run_encode run_decode' "an ssize_t is a number of bytes, not a status"
for pair in 'mc_init mc_teardown' 'sum32_init sum32_final' 'lineGetContext lineFreeContext' 'data_store data_fetch' 'table_put table_fetch' 'session_create session_destroy'; do
    "$tool" new roundtrip $pair --header lives.h --no-run >"one.c" 2>>err && SONDE_CC=clang "$tool" cc -c one.c -o one.o >>err 2>&1
    report $? "the test of $pair compiles with clang"
done
show out err
echo "1..$n"
