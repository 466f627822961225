/* See read.h. Records are made twice: as a shell when they are first met, so that a typedef can name them and they can
 * contain themselves, and with their fields when somebody asks for them. Of what a declaration says, everything comes from
 * libclang's stable interface but counted_by, which libclang 14 does not know: that is read from the tokens. */
#include "read.h"

#include "notes.h"

#include <clang-c/Index.h>
#include <stdlib.h>
#include <string.h>

struct shell {
    struct record *record;
    CXCursor cursor; /* of its definition */
    bool is_read, is_own;
};

/* A typedef of a record. */
struct alias {
    const char *name;
    uint32_t shell;
};

static struct {
    CXTranslationUnit unit;
    bool is_cxx;
    struct shell *shells;
    uint32_t n_shells, cap_shells;
    struct enumeration **enumerations;
    CXCursor *enumeration_cursors;
    uint32_t n_enumerations, cap_enumerations, n_cursors, cap_cursors;
    CXCursor *markers; /* what SONDE_ABOUT and SONDE_DERIVE became */
    uint32_t n_markers, cap_markers;
    struct prototype *prototypes;
    uint32_t n_prototypes, cap_prototypes;
    struct alias *aliases;
    uint32_t n_aliases, cap_aliases;
} all;

static struct type *read_type(CXType type);
static void read_fields(uint32_t shell);

static const char *text_of(CXString string)
{
    const char *text = keep_text(clang_getCString(string) ? clang_getCString(string) : "");
    clang_disposeString(string);
    return text;
}

static struct place place_of(CXSourceLocation location)
{
    CXFile file;
    struct place place = {NULL, 0};
    clang_getFileLocation(location, &file, &place.line, NULL, NULL);
    if (file) place.file = text_of(clang_getFileName(file));
    return place;
}

/* A name that the user gave; libclang makes up others, with brackets in them. */
static const char *given_name(CXCursor cursor)
{
    const char *name = text_of(clang_getCursorSpelling(cursor));
    return strchr(name, '(') ? "" : name;
}

/* ---- Types */

static struct record *record_of(CXCursor definition, uint32_t *index)
{
    for (*index = 0; *index < all.n_shells; ++*index)
        if (clang_equalCursors(all.shells[*index].cursor, definition)) return all.shells[*index].record;
    struct shell *shell = PUSH(all.shells, all.n_shells, all.cap_shells);
    struct record *record = shell->record = keep(sizeof *record);
    const char *tag = given_name(definition);
    shell->cursor = definition;
    record->is_union = clang_getCursorKind(definition) == CXCursor_UnionDecl;
    record->place = place_of(clang_getCursorLocation(definition));
    if (!*tag) return record;
    record->stem = tag;
    if (all.is_cxx) record->name = text_of(clang_getTypeSpelling(clang_getCursorType(definition)));
    else record->name = keep_format("%s %s", record->is_union ? "union" : "struct", tag);
    return record;
}

/* As it is named from outside: in C++ by what it stands in, too. */
static const char *constant_name(CXCursor cursor)
{
    const char *name = text_of(clang_getCursorSpelling(cursor));
    CXCursor around = clang_getCursorSemanticParent(cursor);
    bool is_scoped = clang_EnumDecl_isScoped(around);
    if (!all.is_cxx) return name;
    for (CXCursor c = is_scoped ? around : clang_getCursorSemanticParent(around);
         clang_isDeclaration(clang_getCursorKind(c)) && *given_name(c); c = clang_getCursorSemanticParent(c))
        name = keep_format("%s::%s", given_name(c), name);
    return name;
}

static enum CXChildVisitResult add_enumerator(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct enumeration *e = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_EnumConstantDecl) return CXChildVisit_Continue;
    long long value = clang_getEnumConstantDeclValue(cursor);
    for (uint32_t i = 0; i < e->n; i++)
        if (e->values[i] == value) return CXChildVisit_Continue;
    uint32_t n = e->n, cap = e->cap; /* two arrays that grow together */
    *PUSH(e->names, n, cap) = constant_name(cursor);
    *PUSH(e->values, e->n, e->cap) = value;
    e->is_wide |= value != (int)value;
    return CXChildVisit_Continue;
}

static struct enumeration *enumeration_of(CXCursor cursor)
{
    for (uint32_t i = 0; i < all.n_enumerations; i++)
        if (clang_equalCursors(all.enumeration_cursors[i], cursor)) return all.enumerations[i];
    struct enumeration *e = keep(sizeof *e);
    *PUSH(all.enumerations, all.n_enumerations, all.cap_enumerations) = e;
    *PUSH(all.enumeration_cursors, all.n_cursors, all.cap_cursors) = cursor;
    e->stem = given_name(cursor);
    if (!*e->stem) e->stem = keep_format("enum%u", all.n_enumerations);
    clang_visitChildren(cursor, add_enumerator, e);
    return e;
}

/* Without const and volatile, which libclang 14 cannot take off; NULL if the type has no name. */
static const char *unqualified_name(CXType type)
{
    char *name = (char *)(uintptr_t)text_of(clang_getTypeSpelling(type)), *star = strrchr(name, '*');
    if (strchr(name, '(')) return NULL; /* made up, or of a function */
    if (type.kind == CXType_Pointer && star) star[1] = 0;
    else if (type.kind != CXType_Pointer)
        while (!strncmp(name, "const ", 6) || !strncmp(name, "volatile ", 9)) name += strcspn(name, " ") + 1;
    return !strcmp(name, "_Bool") ? "bool" : name;
}

/* One layer of what only names a type is taken off; false if there is none. */
static bool peel(CXType *type)
{
    CXType inner = {0};
    if (type->kind == CXType_Typedef) inner = clang_getTypedefDeclUnderlyingType(clang_getTypeDeclaration(*type));
    else if (type->kind == CXType_Elaborated) inner = clang_Type_getNamedType(*type);
    else if (type->kind == CXType_Attributed) inner = clang_Type_getModifiedType(*type);
    else if (type->kind == CXType_Atomic) inner = clang_Type_getValueType(*type);
    else if (type->kind == CXType_Unexposed) inner = clang_getCanonicalType(*type);
    if (inner.kind == CXType_Invalid || clang_equalTypes(inner, *type)) return false;
    *type = inner;
    return true;
}

static void read_number(struct type *to, CXType type)
{
    static const enum CXTypeKind signs[] = {CXType_Char_S, CXType_SChar, CXType_Short,
                                            CXType_Int,    CXType_Long,  CXType_LongLong};
    static const enum CXTypeKind unsigneds[] = {CXType_Char_U, CXType_UChar, CXType_UShort,
                                                CXType_UInt,   CXType_ULong, CXType_ULongLong};
    to->bits = 8 * (unsigned)clang_Type_getSizeOf(type);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (type.kind != signs[i] && type.kind != unsigneds[i]) continue;
        to->kind = TYPE_INT;
        to->is_signed = type.kind == signs[i];
        to->is_char = i < 2;
    }
    if (type.kind == CXType_WChar || type.kind == CXType_Char16 || type.kind == CXType_Char32) to->kind = TYPE_INT;
    if (type.kind == CXType_WChar) to->is_signed = (wchar_t)-1 < 0;
    if (type.kind == CXType_Bool) to->kind = TYPE_BOOL;
    if (type.kind == CXType_Float || type.kind == CXType_Double || type.kind == CXType_LongDouble)
        to->kind = TYPE_FLOAT;
}

static void read_record_type(struct type *to, CXType type)
{
    CXCursor definition = clang_getCursorDefinition(clang_getTypeDeclaration(type));
    uint32_t shell;
    to->kind = TYPE_OPAQUE;
    if (clang_Cursor_isNull(definition)) return;
    to->kind = TYPE_RECORD;
    to->record = record_of(definition, &shell);
    read_fields(shell);
}

static struct type *read_type(CXType type)
{
    struct type *to = keep(sizeof *to);
    to->kind = TYPE_OTHER;
    to->name = unqualified_name(type);
    do {
        to->is_volatile |= clang_isVolatileQualifiedType(type) != 0;
        to->is_qualified |= to->is_volatile || clang_isConstQualifiedType(type);
    } while (peel(&type));
    switch (type.kind) {
    case CXType_Void: to->kind = TYPE_VOID; break;
    case CXType_Record: read_record_type(to, type); break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto: to->kind = TYPE_FUNCTION; break;
    case CXType_Pointer:
        to->kind = TYPE_POINTER;
        to->of = read_type(clang_getPointeeType(type));
        break;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
        to->kind = TYPE_ARRAY;
        to->n = type.kind == CXType_ConstantArray ? clang_getArraySize(type) : FLEXIBLE;
        to->of = read_type(clang_getArrayElementType(type));
        to->is_qualified |= to->of->is_qualified;
        to->is_volatile |= to->of->is_volatile;
        break;
    case CXType_Enum:
        to->kind = TYPE_ENUM;
        to->bits = 8 * (unsigned)clang_Type_getSizeOf(type);
        to->enumeration = enumeration_of(clang_getTypeDeclaration(type));
        break;
    default: read_number(to, type);
    }
    return to;
}

/* ---- Fields */

static enum CXChildVisitResult add_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
    if (clang_getCursorKind(cursor) == CXCursor_AnnotateAttr)
        notes_add(data, text_of(clang_getCursorSpelling(cursor)), place_of(clang_getCursorLocation(parent)));
    return CXChildVisit_Continue;
}

static enum CXVisitorResult add_field(CXCursor cursor, CXClientData data)
{
    struct record *record = data;
    const char *name = given_name(cursor);
    int width = clang_getFieldDeclBitWidth(cursor);
    if (!*name && width >= 0) return CXVisit_Continue; /* padding */
    struct type *type = read_type(clang_getCursorType(cursor));
    struct field *f = PUSH(record->fields, record->n, record->cap);
    f->name = name;
    f->type = type;
    f->width = width;
    f->place = place_of(clang_getCursorLocation(cursor));
    clang_visitChildren(cursor, add_attribute, &f->notes);
    /* Behind the brace of a member without a name, annotations are of its type. */
    if (!*name && type->kind == TYPE_RECORD && type->record->notes.tag) f->notes = type->record->notes;
    return CXVisit_Continue;
}

static unsigned offset_of(CXSourceLocation location)
{
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

struct counted {
    struct record *record;
    unsigned offset; /* of the word */
    const char *count;
    uint32_t i, found;
};

static enum CXVisitorResult find_counted(CXCursor cursor, CXClientData data)
{
    struct counted *c = data;
    if (!*given_name(cursor) && clang_getFieldDeclBitWidth(cursor) >= 0) return CXVisit_Continue;
    if (offset_of(clang_getCursorLocation(cursor)) < c->offset) c->found = c->i;
    c->i++;
    return CXVisit_Continue;
}

/* counted_by(n), __counted_by(n) and __counted_by__(n) belong to the last field before them. */
static void read_counted_by(struct shell shell)
{
    CXToken *tokens;
    unsigned n;
    clang_tokenize(all.unit, clang_getCursorExtent(shell.cursor), &tokens, &n);
    for (unsigned i = 0; i + 2 < n; i++) {
        const char *word = text_of(clang_getTokenSpelling(all.unit, tokens[i]));
        if (strcmp(word, "counted_by") != 0 && strcmp(word, "__counted_by") != 0 && strcmp(word, "__counted_by__") != 0)
            continue;
        struct counted c = {.record = shell.record,
                            .offset = offset_of(clang_getTokenLocation(all.unit, tokens[i])),
                            .count = text_of(clang_getTokenSpelling(all.unit, tokens[i + 2])),
                            .found = UINT32_MAX};
        clang_Type_visitFields(clang_getCursorType(shell.cursor), find_counted, &c);
        if (c.found >= shell.record->n) continue;
        struct notes *notes = &shell.record->fields[c.found].notes;
        if (!notes->count) notes->count = c.count;
    }
    clang_disposeTokens(all.unit, tokens, n);
}

static void read_fields(uint32_t i)
{
    if (all.shells[i].is_read) return;
    all.shells[i].is_read = true;
    struct shell shell = all.shells[i]; /* the array may move */
    clang_visitChildren(shell.cursor, add_attribute, &shell.record->notes);
    clang_Type_visitFields(clang_getCursorType(shell.cursor), add_field, shell.record);
    read_counted_by(shell);
}

/* ---- The file */

static void name_by_typedef(CXCursor cursor)
{
    CXType type = clang_getCanonicalType(clang_getTypedefDeclUnderlyingType(cursor));
    CXCursor definition = clang_getCursorDefinition(clang_getTypeDeclaration(type));
    uint32_t shell;
    if (type.kind != CXType_Record || clang_Cursor_isNull(definition)) return;
    struct record *record = record_of(definition, &shell);
    const char *name = text_of(clang_getCursorSpelling(cursor));
    *PUSH(all.aliases, all.n_aliases, all.cap_aliases) = (struct alias){name, shell};
    if (!record->name) record->name = record->stem = name;
}

static void add_definition(CXCursor cursor)
{
    const char *name = given_name(cursor);
    uint32_t shell;
    if (!strncmp(name, "sonde_about_", 12) || !strncmp(name, "sonde_derive_", 13)) {
        *PUSH(all.markers, all.n_markers, all.cap_markers) = cursor;
        return;
    }
    record_of(cursor, &shell);
    all.shells[shell].is_own = clang_Location_isFromMainFile(clang_getCursorLocation(cursor));
}

static void add_prototype(CXCursor cursor)
{
    struct prototype *p = PUSH(all.prototypes, all.n_prototypes, all.cap_prototypes);
    p->name = text_of(clang_getCursorSpelling(cursor));
    p->place = place_of(clang_getCursorLocation(cursor));
    p->is_variadic = clang_Cursor_isVariadic(cursor);
    struct type *result = read_type(clang_getCursorResultType(cursor));
    p->result = result;
    for (int i = 0; i < clang_Cursor_getNumArguments(cursor); i++) {
        CXCursor argument = clang_Cursor_getArgument(cursor, (unsigned)i);
        *PUSH(p->types, p->n, p->cap_types) = read_type(clang_getCursorType(argument));
        *PUSH(p->names, p->n_names, p->cap_names) = text_of(clang_getCursorSpelling(argument));
    }
}

static enum CXChildVisitResult look(CXCursor cursor, CXCursor parent, CXClientData data)
{
    enum CXCursorKind kind = clang_getCursorKind(cursor);
    (void)parent, (void)data;
    if (kind == CXCursor_FunctionDecl) {
        if (clang_Location_isFromMainFile(clang_getCursorLocation(cursor))) add_prototype(cursor);
        return CXChildVisit_Continue;
    }
    if (kind == CXCursor_TypedefDecl) name_by_typedef(cursor);
    bool is_record = kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl;
    if (is_record && clang_isCursorDefinition(cursor)) add_definition(cursor);
    return CXChildVisit_Recurse;
}

static enum CXVisitorResult first_field(CXCursor cursor, CXClientData data)
{
    CXCursor *fields = data;
    fields[clang_Cursor_isNull(fields[0]) ? 0 : 1] = cursor;
    return CXVisit_Continue;
}

struct about {
    const char *field, *stem;
};

static enum CXChildVisitResult read_about(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct about *about = data;
    (void)parent;
    if (clang_getCursorKind(cursor) != CXCursor_AnnotateAttr) return CXChildVisit_Continue;
    const char *text = text_of(clang_getCursorSpelling(cursor));
    if (notes_word(text, "ABOUT")) about->field = notes_word(text, "ABOUT");
    if (notes_word(text, "DERIVE")) about->stem = notes_word(text, "DERIVE");
    return CXChildVisit_Continue;
}

/* The two fields of a marker, and the record that the first points to; NULL if it is none. */
static struct record *marked_record(CXCursor marker, CXCursor fields[2])
{
    fields[0] = fields[1] = clang_getNullCursor();
    clang_Type_visitFields(clang_getCursorType(marker), first_field, fields);
    CXType type = clang_getCanonicalType(clang_getPointeeType(clang_getCursorType(fields[0])));
    CXCursor definition = clang_getCursorDefinition(clang_getTypeDeclaration(type));
    struct place place = place_of(clang_getCursorLocation(marker));
    uint32_t shell;
    if (type.kind == CXType_Record && !clang_Cursor_isNull(definition)) {
        struct record *record = record_of(definition, &shell);
        read_fields(shell);
        return record;
    }
    complain(place, "%s is no struct or union that is defined here", text_of(clang_getTypeSpelling(type)));
    return NULL;
}

static void apply_about(CXCursor marker)
{
    CXCursor fields[2];
    struct about about = {NULL, NULL};
    struct record *record = marked_record(marker, fields);
    struct place place = place_of(clang_getCursorLocation(marker));
    if (!record) return;
    clang_visitChildren(fields[1], read_about, &about);
    struct field *field = about.field ? find_path(record, about.field) : NULL;
    if (!field) {
        complain(place, "SONDE_ABOUT: %s has no field '%s'", record_name(record), about.field ? about.field : "");
        return;
    }
    struct notes notes = {0};
    clang_visitChildren(fields[1], add_attribute, &notes);
    notes_merge(&field->notes, &notes);
}

static bool report_errors(const char *file)
{
    for (unsigned i = 0; i < clang_getNumDiagnostics(all.unit); i++) {
        CXDiagnostic d = clang_getDiagnostic(all.unit, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            struct place place = place_of(clang_getDiagnosticLocation(d));
            if (!place.file) place = (struct place){keep_text(file), 1};
            complain(place, "does not compile: %s", text_of(clang_getDiagnosticSpelling(d)));
            return true;
        }
        clang_disposeDiagnostic(d);
    }
    return false;
}

bool read_file(const char *file, const char *const *options)
{
    int n = 0;
    for (; options[n]; n++) all.is_cxx |= !strcmp(options[n], "c++");
    CXIndex index = clang_createIndex(0, 0);
    enum CXErrorCode error =
        clang_parseTranslationUnit2(index, file, options, n, NULL, 0, CXTranslationUnit_SkipFunctionBodies, &all.unit);
    if (error != CXError_Success) {
        complain((struct place){NULL, 0}, "cannot read %s as C", file);
        return false;
    }
    if (report_errors(file)) return false;
    clang_visitChildren(clang_getTranslationUnitCursor(all.unit), look, NULL);
    for (uint32_t i = 0; i < all.n_markers; i++)
        if (!strncmp(given_name(all.markers[i]), "sonde_about_", 12)) apply_about(all.markers[i]);
    return complaints() == 0;
}

struct record *read_record(const char *name)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < all.n_shells && found == UINT32_MAX; i++) {
        const struct record *r = all.shells[i].record;
        if (r->name && (!strcmp(r->name, name) || !strcmp(r->stem, name))) found = i;
    }
    for (uint32_t i = 0; i < all.n_aliases && found == UINT32_MAX; i++)
        if (!strcmp(all.aliases[i].name, name)) found = all.aliases[i].shell;
    if (found == UINT32_MAX) return NULL;
    read_fields(found);
    return all.shells[found].record;
}

uint32_t read_wanted(struct wanted **to)
{
    uint32_t n = 0, cap = 0;
    *to = NULL;
    for (uint32_t i = 0; i < all.n_markers; i++) {
        CXCursor fields[2];
        struct about about = {NULL, NULL};
        if (strncmp(given_name(all.markers[i]), "sonde_derive_", 13) != 0) continue;
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
    for (uint32_t i = 0; i < all.n_shells; i++) {
        if (!all.shells[i].is_own || !all.shells[i].record->name) continue;
        read_fields(i);
        *PUSH(*to, n, cap) = all.shells[i].record;
    }
    return n;
}

uint32_t read_prototypes(struct prototype **to)
{
    *to = all.prototypes;
    return all.n_prototypes;
}
