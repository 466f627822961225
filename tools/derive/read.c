/* See read.h. One pass over the file finds its declarations; types.c reads the types that are needed.
 *
 * SONDE_ABOUT and SONDE_DERIVE expand to structs with made-up names (sonde_about_..., sonde_derive_...), called markers
 * below. The first field of a marker points to the type that is meant; annotations of its fields have the arguments. So
 * the macros work for types in headers that cannot be changed. */
#include "read.h"

#include "notes.h"
#include "types.h"

#include <stdlib.h>
#include <string.h>

/* A typedef of a record. */
struct alias {
    const char *name;
    uint32_t shell;
};

/* A macro for the name of a function: `#define encode lib_encode`. */
struct renaming {
    const char *from, *to;
};

static struct {
    CXCursor *markers; /* expansions of SONDE_ABOUT and SONDE_DERIVE */
    uint32_t n_markers, cap_markers;
    struct prototype *prototypes;
    uint32_t n_prototypes, cap_prototypes;
    struct alias *aliases;
    uint32_t n_aliases, cap_aliases;
    const char **constants;
    uint32_t n_constants, cap_constants;
    struct renaming *renamings;
    uint32_t n_renamings, cap_renamings;
} all;

/* ---- The file */

/* Adds a typedef of a record. The first typedef names a record that has no tag: `typedef struct { ... } shape;`. */
static void name_by_typedef(CXCursor cursor)
{
    CXType type = clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(cursor));
    CXCursor definition = clang_getCursorDefinition(clang_getTypeDeclaration(type));
    uint32_t shell;
    if (type.kind != CXType_Record || clang_Cursor_isNull(definition)) return;
    struct record *record = type_record(definition, &shell);
    const char *name = type_text(clang_getCursorSpelling(cursor));
    *PUSH(all.aliases, all.n_aliases, all.cap_aliases) = (struct alias){name, shell};
    if (!record->name) record->name = record->stem = name;
}

/* Adds a definition of a record: a marker, or a shell. */
static void add_definition(CXCursor cursor)
{
    const char *name = type_given_name(cursor);
    uint32_t shell;
    if (!strncmp(name, "sonde_about_", 12) || !strncmp(name, "sonde_derive_", 13)) {
        *PUSH(all.markers, all.n_markers, all.cap_markers) = cursor;
        return;
    }
    type_record(cursor, &shell);
    types.shells[shell].is_own = clang_Location_isFromMainFile(clang_getCursorLocation(cursor));
}

/* Returns the type of a parameter or result. A typedef that hides a pointer to a const struct is a handle: the library
 * may change its object. */
static struct type *without_const(struct type *type)
{
    bool is_hidden = type->kind == TYPE_POINTER && type->name && !strchr(type->name, '*') && !strchr(type->name, '[');
    if (!is_hidden || (type->of->kind != TYPE_RECORD && type->of->kind != TYPE_OPAQUE)) return type;
    struct type *of = keep(sizeof *of);
    *of = *type->of;
    of->is_qualified = false;
    type->of = of;
    return type;
}

/* Adds a function, unless it was declared before. One of a part, an included header, is only called to create and free
 * objects; it is not under test. */
static void add_prototype(CXCursor cursor, bool is_part)
{
    const char *name = type_text(clang_getCursorSpelling(cursor));
    for (uint32_t i = 0; i < all.n_prototypes; i++)
        if (!strcmp(all.prototypes[i].name, name)) return;
    struct prototype *p = PUSH(all.prototypes, all.n_prototypes, all.cap_prototypes);
    p->name = name;
    p->is_part = is_part;
    p->is_deprecated = clang_getCursorAvailability(cursor) != CXAvailability_Available;
    p->place = type_place(clang_getCursorLocation(cursor));
    p->comment = type_text(clang_Cursor_getRawCommentText(cursor));
    p->is_variadic = clang_Cursor_isVariadic(cursor);
    struct type *result = type_read(clang_getCursorResultType(cursor));
    p->result = without_const(result);
    for (int i = 0; i < clang_Cursor_getNumArguments(cursor); i++) {
        CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        *PUSH(p->types, p->n, p->cap_types) = without_const(type_read_parameter(clang_getCursorType(argument)));
        *PUSH(p->names, p->n_names, p->cap_names) = type_text(clang_getCursorSpelling(argument));
    }
}

/* Reports whether a declaration is in the file itself. A name that a macro gives counts where the macro is used, as in
 * LIB_API(int) f(void). */
static bool is_of_main_file(CXCursor cursor)
{
    CXFile file, main_file = clang_getFile(types.unit, types.main_file);
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    return file && main_file && clang_File_isEqual(file, main_file);
}

/* Reports whether a declaration is in a header that belongs to the file, which only includes others: lzma/base.h to
 * lzma.h, and json-c/json_object.h to json-c/json.h. Directories that many libraries share do not count. */
static bool is_of_its_parts(CXCursor cursor)
{
    static const char *const shared[] = {"/usr/include/", "/usr/local/include/"};
    CXFile file;
    clang_getExpansionLocation(clang_getCursorLocation(cursor), &file, NULL, NULL, NULL);
    const char *part = file ? type_text(clang_getFileName(file)) : "", *slash = strrchr(types.main_file, '/');
    size_t n = slash ? (size_t)(slash + 1 - types.main_file) : 0, stem = n + strcspn(types.main_file + n, ".");
    bool is_shared = false;
    if (!n) return *part && *part != '/'; /* beside it, in this directory */
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        is_shared |= n == strlen(shared[i]) && !strncmp(types.main_file, shared[i], n);
    if (is_shared) return !strncmp(part, types.main_file, stem) && part[stem] == '/';
    return !strncmp(part, types.main_file, n);
}

/* Reports whether a header has the name of its directory, as fribidi/fribidi.h has: it stands for all headers there. */
static bool is_named_as_directory(const char *file)
{
    const char *slash = strrchr(file, '/'), *from = slash;
    while (from && from > file && from[-1] != '/') from--;
    size_t n = slash ? (size_t)(slash - from) : 0;
    return n && !strncasecmp(slash + 1, from, n) && slash[1 + n] == '.';
}

/* Reports whether a macro stands for one whole number: `#define X_FAST 2`, `#define X_BITS (8)`. */
static bool is_number_macro(CXCursor cursor)
{
    CXToken *tokens;
    unsigned n, n_literals = 0, n_others = 0;
    if (clang_Cursor_isMacroFunctionLike(cursor) || clang_Cursor_isMacroBuiltin(cursor)) return false;
    clang_tokenize(types.unit, clang_getCursorExtent(cursor), &tokens, &n);
    for (unsigned i = 1; i < n; i++) {
        const char *text = type_text(clang_getTokenSpelling(types.unit, tokens[i]));
        bool is_whole = *text >= '0' && *text <= '9' && !strpbrk(text, ".pP");
        n_literals += is_whole;
        n_others += !is_whole && !strchr("()-", *text);
    }
    clang_disposeTokens(types.unit, tokens, n);
    return n_literals == 1 && !n_others;
}

/* Adds a macro by which a header prefixes the names of its functions. Users write the name of the macro. Other names
 * for functions are for old programs. */
static void add_renaming(CXCursor cursor)
{
    CXToken *tokens;
    unsigned n;
    if (clang_Cursor_isMacroFunctionLike(cursor) || clang_Cursor_isMacroBuiltin(cursor)) return;
    clang_tokenize(types.unit, clang_getCursorExtent(cursor), &tokens, &n);
    const char *to = n == 2 ? type_text(clang_getTokenSpelling(types.unit, tokens[0])) : "",
               *from = n == 2 ? type_text(clang_getTokenSpelling(types.unit, tokens[1])) : "";
    clang_disposeTokens(types.unit, tokens, n);
    size_t k = strlen(to), all_of_it = strlen(from);
    if (!k || all_of_it < k + 2 || strcmp(from + all_of_it - k, to) != 0 || from[all_of_it - k - 1] != '_') return;
    *PUSH(all.renamings, all.n_renamings, all.cap_renamings) = (struct renaming){from, to};
}

/* Gives functions the names that users write. */
static void rename_prototypes(void)
{
    for (uint32_t i = 0; i < all.n_renamings; i++)
        for (uint32_t k = 0; k < all.n_prototypes; k++)
            if (!strcmp(all.prototypes[k].name, all.renamings[i].from)) all.prototypes[k].name = all.renamings[i].to;
}

/* Collects the functions of the headers that belong to a file. They count as its own if *data, a bool, is false; a
 * visitor. */
static enum CXChildVisitResult collect_from_parts(CXCursor cursor, CXCursor parent, CXClientData data)
{
    const bool *is_part = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_FunctionDecl) return CXChildVisit_Recurse;
    if (is_of_its_parts(cursor)) add_prototype(cursor, *is_part);
    return CXChildVisit_Continue;
}

/* Collects the declarations of the file; a visitor. */
static enum CXChildVisitResult collect(CXCursor cursor, CXCursor parent, CXClientData data)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent, (void)data;
    if (kind == CXCursor_FunctionDecl) {
        if (is_of_main_file(cursor)) add_prototype(cursor, false);
        return CXChildVisit_Continue;
    }
    bool is_constant =
        kind == CXCursor_EnumConstantDecl || (kind == CXCursor_MacroDefinition && is_number_macro(cursor));
    if (is_constant && (is_of_main_file(cursor) || is_of_its_parts(cursor)))
        *PUSH(all.constants, all.n_constants, all.cap_constants) = type_text(clang_getCursorSpelling(cursor));
    if (kind == CXCursor_MacroDefinition && is_of_main_file(cursor)) add_renaming(cursor);
    if (kind == CXCursor_TypedefDecl) name_by_typedef(cursor);
    bool is_record = kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl;
    if (is_record && clang_isCursorDefinition(cursor)) add_definition(cursor);
    return CXChildVisit_Recurse;
}

/* Stores the first two fields of a marker in `data`; a visitor. */
static enum CXVisitorResult first_field(CXCursor cursor, CXClientData data)
{
    CXCursor *fields = data;
    fields[clang_Cursor_isNull(fields[0]) ? 0 : 1] = cursor;
    return CXVisit_Continue;
}

/* The arguments of a marker: the field of SONDE_ABOUT, the stem of SONDE_DERIVE. */
struct about {
    const char *field, *stem;
};

static enum CXChildVisitResult read_about(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct about *about = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr) return CXChildVisit_Continue;
    const char *text = type_text(clang_getCursorSpelling(cursor));
    if (notes_word(text, "ABOUT")) about->field = notes_word(text, "ABOUT");
    if (notes_word(text, "DERIVE")) about->stem = notes_word(text, "DERIVE");
    return CXChildVisit_Continue;
}

/* Returns the record that a marker is about, and the marker's two fields; NULL after a message. */
static struct record *marked_record(CXCursor marker, CXCursor fields[2])
{
    fields[0] = fields[1] = clang_getNullCursor();
    clang_Type_visitFields(clang_getCursorType(marker), first_field, fields);
    CXType type = clang_getCanonicalType(clang_getPointeeType(clang_getCursorType(fields[0])));
    CXCursor definition = clang_getCursorDefinition(clang_getTypeDeclaration(type));
    struct place place = type_place(clang_getCursorLocation(marker));
    uint32_t shell;
    if (type.kind == CXType_Record && !clang_Cursor_isNull(definition)) {
        struct record *record = type_record(definition, &shell);
        type_read_fields(shell);
        return record;
    }
    complain(place, "%s is not a struct or union that is defined here", type_text(clang_getTypeSpelling(type)));
    return NULL;
}

/* Returns the notes of the union that a SONDE_TAG about this field means. That is the field itself if it is a union.
 * Else it is the anonymous union, or the record, that the field is a member of. */
static struct notes *tagged_notes(struct record *record, struct field *field)
{
    const struct type *type = field->type;
    while (type->kind == TYPE_ARRAY) type = type->of;
    if (type->kind == TYPE_RECORD && type->record->is_union) return &field->notes;
    for (uint32_t i = 0; i < record->n; i++) {
        struct field *f = &record->fields[i];
        bool is_around = !*f->name && f->type->kind == TYPE_RECORD && find_field(f->type->record, field->name) == field;
        if (is_around && f->type->record->is_union) return &f->notes;
        if (is_around) return tagged_notes(f->type->record, field);
    }
    return record->is_union ? &record->notes : &field->notes;
}

/* Adds the annotations of a SONDE_ABOUT to the field that it names. */
static void apply_about(CXCursor marker)
{
    CXCursor fields[2];
    struct about about = {NULL, NULL};
    struct record *record = marked_record(marker, fields);
    struct place place = type_place(clang_getCursorLocation(marker));
    if (!record) return;
    clang_visitChildren(fields[1], read_about, &about);
    struct field *field = about.field ? find_path(record, about.field) : NULL;
    if (!field) {
        complain(place, "SONDE_ABOUT: %s has no field '%s'", record_name(record), about.field ? about.field : "");
        return;
    }
    struct notes notes = {0};
    clang_visitChildren(fields[1], type_add_attribute, &notes);
    if (notes.tag) notes_merge(tagged_notes(record, field), &notes);
    else notes_merge(&field->notes, &notes);
}

/* Reports the first error of the compiler; further ones are mostly consequences. Returns whether there was one. */
static bool report_errors(const char *file)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(types.unit); i++) {
        CXDiagnostic d = clang_getDiagnostic(types.unit, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            struct place place = type_place(clang_getDiagnosticLocation(d));
            if (!place.file) place = (struct place){keep_text(file), 1};
            const char *what = type_text(clang_getDiagnosticSpelling(d));
            complain(place, "does not compile: %s%s", what,
                     strstr(what, "unknown type name") || strstr(what, "undeclared")
                         ? "; if another header comes first, add -include HEADER"
                         : "");
            return true;
        }
        clang_disposeDiagnostic(d);
    }
    return false;
}

bool read_file(const char *file, const char *const *options)
{
    int n = 0;
    types.main_file = file;
    for (; options[n]; n++) types.is_cxx |= !strcmp(options[n], "c++");
    CXIndex index = clang_createIndex(0, 0);
    enum CXErrorCode error = clang_parseTranslationUnit2(index, file, options, n, NULL, 0,
                                                         CXTranslationUnit_SkipFunctionBodies
                                                             | CXTranslationUnit_DetailedPreprocessingRecord,
                                                         &types.unit);
    if (error != CXError_Success) {
        complain((struct place){NULL, 0}, "cannot read %s as C", file);
        return false;
    }
    if (report_errors(file)) return false;
    clang_visitChildren(clang_getTranslationUnitCursor(types.unit), collect, NULL);
    bool is_part = all.n_prototypes && !is_named_as_directory(file);
    clang_visitChildren(clang_getTranslationUnitCursor(types.unit), collect_from_parts, &is_part);
    rename_prototypes();
    for (uint32_t i = 0; i < all.n_markers; i++)
        if (!strncmp(type_given_name(all.markers[i]), "sonde_about_", 12)) apply_about(all.markers[i]);
    return complaints() == 0;
}

/* Searches by name and tag first, then by typedef. */
struct record *read_record(const char *name)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < types.n_shells && found == UINT32_MAX; i++) {
        const struct record *r = types.shells[i].record;
        if (r->name && (!strcmp(r->name, name) || !strcmp(r->stem, name))) found = i;
    }
    for (uint32_t i = 0; i < all.n_aliases && found == UINT32_MAX; i++)
        if (!strcmp(all.aliases[i].name, name)) found = all.aliases[i].shell;
    if (found == UINT32_MAX) return NULL;
    type_read_fields(found);
    return types.shells[found].record;
}

uint32_t read_wanted(struct wanted **to)
{
    uint32_t n = 0, cap = 0;
    *to = NULL;
    for (uint32_t i = 0; i < all.n_markers; i++) {
        CXCursor fields[2];
        struct about about = {NULL, NULL};
        if (strncmp(type_given_name(all.markers[i]), "sonde_derive_", 13) != 0) continue;
        struct record *record = marked_record(all.markers[i], fields);
        clang_visitChildren(fields[0], read_about, &about);
        if (record) *PUSH(*to, n, cap) = (struct wanted){record, about.stem};
    }
    return n;
}

uint32_t read_own_records(struct record ***to)
{
    uint32_t n = 0, cap = 0;
    *to = NULL;
    for (uint32_t i = 0; i < types.n_shells; i++) {
        if (!types.shells[i].is_own || !types.shells[i].record->name) continue;
        type_read_fields(i);
        *PUSH(*to, n, cap) = types.shells[i].record;
    }
    return n;
}

uint32_t read_prototypes(struct prototype **to)
{
    *to = all.prototypes;
    return all.n_prototypes;
}

uint32_t read_constants(const char *const **to)
{
    *to = all.constants;
    return all.n_constants;
}
