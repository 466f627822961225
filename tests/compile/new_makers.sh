#!/bin/sh
# sonde new --all: what is needed to create and read objects of real libraries. Outputs that the library allocates,
# several functions that create one type, a descriptor, an object that must get a part first, headers of one directory.
# Stages: gcc
[ -x "$BUILD/sonde-derive" ] || { echo "sonde-derive was not built: libclang is not installed"; exit 77; }
n=0
report() { n=$((n + 1)); if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi; }
show() { sed 's/^/# /' "$@" | cut -c 1-300 | head -n 60; }
tool=$(cd "$BUILD" && pwd)/sonde
unset SONDE_CC SONDE_CXX SONDE_CC_OPTIONS

mkdir tag
cat >tag/frame.h <<'E2'
/* A part of a tag. */
struct frame;
struct frame *frame_new(unsigned char id);
void frame_delete(struct frame *f);
E2
cat >tag/tag.h <<'E2'
#include <stddef.h>
#include "frame.h"
/* An object that has no bytes until a part was attached; its bytes are allocated by the library, and freed by it. */
typedef struct tag tag;
tag *tag_new(void);
void tag_delete(tag *t);
int tag_attachframe(tag *t, struct frame *f);
int tag_save_data(tag *t, unsigned char **d, unsigned int *ds);
tag *tag_load_data(const unsigned char *data, unsigned int size);
void tag_free_data(unsigned char *data);
/* Two ways to create one type: the first needs an array of objects. */
typedef struct code code;
int code_decode(code **codes, int n_codes, const unsigned char *bytes, size_t *used);
code *code_compile(const char *pattern, size_t length, int *error, size_t *offset);
void code_free(code *c);
/* A file that is open already; planes that the caller keeps. */
struct db { int fd; unsigned char **planes; };
int db_init(struct db *d, int fd, unsigned char **planes);
void db_free(struct db *d);
/* A size by pointer, of an output that is called compressed. */
int shrink(const char *input, size_t input_length, char *compressed, size_t *compressed_length);
int unshrink(const char *compressed, size_t compressed_length, char *uncompressed, size_t *uncompressed_length);
E2
cat >tag.c <<'E2'
#include "tag/tag.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct frame { unsigned char id; int uses; };
struct tag { struct frame *frames[9]; unsigned n; };
struct code { int any; };
struct frame *frame_new(unsigned char id) { struct frame *f = calloc(1, sizeof *f); if (f) f->id = id; return f; }
void frame_delete(struct frame *f) { if (f && f->uses-- == 0) free(f); }
tag *tag_new(void) { return calloc(1, sizeof(tag)); }
void tag_delete(tag *t) { for (unsigned i = 0; i < t->n; i++) frame_delete(t->frames[i]); free(t); }
int tag_attachframe(tag *t, struct frame *f) { if (t->n == 9) return -1; f->uses++; t->frames[t->n++] = f; return 0; }
int tag_save_data(tag *t, unsigned char **d, unsigned int *ds)
{
    *ds = t->n ? t->n + 1 : 0;
    unsigned char *to = malloc(*ds + 8);
    if (!to) return -1;
    to[0] = (unsigned char)t->n;
    for (unsigned i = 0; i < t->n; i++) to[i + 1] = t->frames[i]->id;
    *d = to;
    return 0;
}
tag *tag_load_data(const unsigned char *data, unsigned int size)
{
    tag *t = size >= 2 && data[0] && data[0] == size - 1 && data[0] <= 9 ? tag_new() : NULL;
    for (unsigned i = 1; t && i < size; i++) {
        struct frame *f = frame_new(data[i]);
        if (f) t->frames[t->n++] = f;
    }
    return t;
}
void tag_free_data(unsigned char *data) { free(data); }
int code_decode(code **codes, int n, const unsigned char *bytes, size_t *used) { (void)codes, (void)n, (void)bytes, *used = 0; return -1; }
code *code_compile(const char *p, size_t n, int *error, size_t *offset) { *error = 0, *offset = n; return p ? calloc(1, sizeof(code)) : NULL; }
void code_free(code *c) { free(c); }
int db_init(struct db *d, int fd, unsigned char **planes) { d->fd = fd, d->planes = planes; return lseek(fd, 0, SEEK_END) > 2000 ? 0 : -1; }
void db_free(struct db *d) { if (lseek(d->fd, 0, SEEK_SET) != 0) abort(); }
int shrink(const char *in, size_t n, char *out, size_t *m) { if (*m < n) return 1; memcpy(out, in, n); *m = n; return 0; }
int unshrink(const char *in, size_t n, char *out, size_t *m) { if (*m < n) return 1; memcpy(out, in, n); *m = n; return 0; }
E2
"$tool" cc -shared -fPIC tag.c -o libtag.so >lib.log 2>&1 || gcc -shared -fPIC tag.c -o libtag.so
LD_LIBRARY_PATH=$PWD "$tool" new --all tag/tag.h -L. -Wl,-rpath,"$PWD" -ltag >out 2>err
[ $? = 0 ] && ! grep -q 'fail at once' out
report $? "what is held back or fails at once does not mislead"
has() { grep -q "^sonde new $1 --header tag/tag.h $3-L" out; report $? "$2"; }
has 'roundtrip tag_save_data tag_load_data' "bytes that the library allocates come back, once the object has a part" '--start tag_attachframe '
grep -A 3 'tag_save_data tag_load_data' out | grep -q 'tag_attachframe comes first: without that'
report $? "a comment says which function comes first, and why"
has 'roundtrip code_compile code_free' "another function creates the object than the one with parameters that cannot be drawn"
has 'roundtrip db_init db_free' "a descriptor is that of a new file; what cannot be drawn is NULL to create an object"
has 'roundtrip shrink unshrink' "an output called compressed has a size by pointer"
has 'roundtrip frame_new frame_delete' "a header named as its directory stands for the headers beside it"
"$tool" new roundtrip tag_save_data tag_load_data --header tag/tag.h --start tag_attachframe >test.c 2>>err
grep -q 'sonde_defer(t, undo_by_tag_free_data, printed);' test.c && grep -q 'sonde_assume(t, ds > 0);' test.c
report $? "the function that frees this type of bytes is called"

# An environment that must be opened, in a directory; a number that is opened as a handle; an object that only a function
# of an included header creates; a name that comes back in lower case; several formats, of which one is read back.
mkdir -p db
cat >db/map.h <<'E2'
/* The letters that a tree may have. */
struct map;
struct map *map_new(void);
void map_free(struct map *m);
E2
cat >db/api.h <<'E2'
#include <sys/types.h>
#include "map.h"
typedef struct env env;
typedef unsigned int DB_HANDLE;
int env_create(env **e);
/* Opens an environment.
 * @param path The directory of the files
 * @param mode who may read the files */
int env_open(env *e, const char *path, mode_t mode);
void env_close(env *e);
typedef struct txn txn;
int txn_begin(env *e, txn **t);
void txn_abort(txn *t);
/* Opens a database.
 * @param name The name; if there is only one database, it may be NULL */
int handle_open(txn *t, const char *name, DB_HANDLE *handle);
int txn_put(txn *t, DB_HANDLE handle, int key, int value);
int txn_get(txn *t, DB_HANDLE handle, int key, int *value);
/* A tree needs a map of the included header. */
typedef struct tree tree;
tree *tree_new(const struct map *m);
void tree_free(tree *t);
int tree_get_free_nodes(const tree *t);
/* Objects by void *. */
void *codec_init(int mode);
void codec_exit(void *state);
/* Names in lower case. */
int to_ascii(const char *input, char **output);
int to_unicode(const char *input, char **output);
/* Written in three formats. */
typedef struct node node;
node *node_parse_text(const char *text);
char *node_render_xml(const node *n);
char *node_render_man(const node *n, int width);
char *node_render_plain(const node *n, int width);
void node_free(node *n);
int node_size(node *n);
E2
cat >db.c <<'E2'
#include "db/api.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
struct env { int is_open; };
struct txn { env *e; int key, value; };
struct map { int any; };
struct tree { const struct map *m; };
struct node { char *text; };
struct map *map_new(void) { return calloc(1, sizeof(struct map)); }
void map_free(struct map *m) { free(m); }
int env_create(env **e) { return (*e = calloc(1, sizeof **e)) ? 0 : -1; }
int env_open(env *e, const char *path, mode_t mode) { struct stat s; return mode && !stat(path, &s) && S_ISDIR(s.st_mode) ? !(e->is_open = 1) : -1; }
void env_close(env *e) { free(e); }
int txn_begin(env *e, txn **t) { if (!e->is_open) abort(); if (!(*t = calloc(1, sizeof **t))) return -1; (*t)->e = e; return 0; }
void txn_abort(txn *t) { free(t); }
int handle_open(txn *t, const char *name, DB_HANDLE *h) { if (!t || name) return -1; *h = 77; return 0; }
int txn_put(txn *t, DB_HANDLE h, int key, int value) { if (h != 77) return -1; t->key = key, t->value = value; return 0; }
int txn_get(txn *t, DB_HANDLE h, int key, int *value) { if (h != 77 || key != t->key) return -1; *value = t->value; return 0; }
tree *tree_new(const struct map *m) { if (!m) abort(); tree *t = calloc(1, sizeof *t); if (t) t->m = m; return t; }
void tree_free(tree *t) { free(t); }
int tree_get_free_nodes(const tree *t) { return t ? 1 : 0; }
void *codec_init(int mode) { return mode < 0 ? NULL : malloc(8); }
void codec_exit(void *state) { free(state); }
static int lower(const char *in, char **out)
{
    if (!(*out = strdup(in))) return -1;
    for (char *at = *out; *at; at++) *at = (char)tolower((unsigned char)*at);
    return 0;
}
int to_ascii(const char *in, char **out) { return lower(in, out); }
int to_unicode(const char *in, char **out) { return lower(in, out); }
node *node_parse_text(const char *text)
{
    if (strchr(text, '<')) return NULL;
    node *n = malloc(sizeof *n);
    if (n) n->text = strdup(text);
    return n;
}
static char *with(const char *a, const char *b) { char *to = malloc(strlen(a) + strlen(b) + 1); strcpy(to, a); return strcat(to, b); }
char *node_render_xml(const node *n) { return with("<xml>", n->text); }
char *node_render_man(const node *n, int width) { (void)width; return with("<man>", n->text); }
char *node_render_plain(const node *n, int width) { (void)width; return with("", n->text); }
void node_free(node *n) { free(n->text); free(n); }
int node_size(node *n) { return (int)strlen(n->text); }
E2
gcc -shared -fPIC db.c -o libdb1.so
"$tool" new --all db/api.h -L. -Wl,-rpath,"$PWD" -ldb1 >out 2>>err
has() { grep -q "^sonde new $1 --header db/api.h $3-L" out; report $? "$2"; }
has 'roundtrip txn_put txn_get' "the environment of a transaction is opened first, in a new directory; a handle is opened" '--start env_open '
has 'roundtrip txn_begin txn_abort' "what an object needs may be opened first" '--start env_open '
has 'roundtrip tree_new tree_free' "a function of an included header creates a parameter"
! grep -q 'tree_get_free_nodes' out
report $? "a getter frees nothing, whatever words are in its name"
has 'roundtrip codec_init codec_exit' "an object may be a void *"
! grep -q '^sonde new roundtrip map_new' out
report $? "functions of an included header are not proposed"
has 'roundtrip to_ascii to_unicode' "what comes back may differ once" '--twice '
grep -A 2 'to_ascii to_unicode' out | grep -q 'what comes back may differ once; otherwise [0-9]* of [0-9]* random inputs fail'
report $? "a comment says how many inputs fail otherwise"
has 'roundtrip node_render_plain node_parse_text' "of several formats, the one that is read back is proposed"
"$tool" new crash to_ascii --header db/api.h --twice >one 2>two
[ $? = 2 ] && grep -q -- '--twice is for roundtrips' two
report $? "--twice of another kind is refused"
show out err
echo "1..$n"
