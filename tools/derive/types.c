/* See types.h. Records are made in two steps. When a record is first found it becomes a shell, so that a typedef can
 * name it and it can contain itself. Its fields are read when they are needed. Everything comes from libclang's stable
 * interface except counted_by, which libclang 14 does not know: that is read from the tokens. */
#include "types.h"

#include "notes.h"

#include <stdlib.h>
#include <string.h>

struct types types;

const char *type_text(CXString string)
{
    const char *text = keep_text(clang_getCString(string) ? clang_getCString(string) : "");
    clang_disposeString(string);
    return text;
}

struct place type_place(CXSourceLocation location)
{
    CXFile file;
    struct place place = {NULL, 0};
    clang_getFileLocation(location, &file, &place.line, NULL, NULL);
    if (file) place.file = type_text(clang_getFileName(file));
    return place;
}

const char *type_given_name(CXCursor cursor)
{
    const char *name = type_text(clang_getCursorSpelling(cursor));
    return strchr(name, '(') ? "" : name;
}

/* ---- Types */

struct record *type_record(CXCursor definition, uint32_t *index)
{
    for (*index = 0; *index < types.n_shells; ++*index)
        if (clang_equalCursors(types.shells[*index].cursor, definition)) return types.shells[*index].record;
    struct shell *shell = PUSH(types.shells, types.n_shells, types.cap_shells);
    struct record *record = shell->record = keep(sizeof *record);
    const char *tag = type_given_name(definition);
    shell->cursor = definition;
    record->is_union = clang_getCursorKind(definition) == CXCursor_UnionDecl;
    record->place = type_place(clang_getCursorLocation(definition));
    if (!*tag) return record;
    record->stem = tag;
    if (types.is_cxx) record->name = type_text(clang_getTypeSpelling(clang_getCursorType(definition)));
    else record->name = keep_format("%s %s", record->is_union ? "union" : "struct", tag);
    return record;
}

/* Returns the name of a constant; in C++ with the classes and namespaces around it. */
static const char *constant_name(CXCursor cursor)
{
    const char *name = type_text(clang_getCursorSpelling(cursor));
    CXCursor around = clang_getCursorSemanticParent(cursor);
    bool is_scoped = clang_EnumDecl_isScoped(around);
    if (!types.is_cxx) return name;
    for (CXCursor c = is_scoped ? around : clang_getCursorSemanticParent(around);
         clang_isDeclaration(clang_getCursorKind(c)) && *type_given_name(c); c = clang_getCursorSemanticParent(c))
        name = keep_format("%s::%s", type_given_name(c), name);
    return name;
}

/* Adds a constant to an enumeration, unless an earlier one has its value. */
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

static void read_number(struct type *to, CXType type);

/* Returns the enumeration of a declaration, reading it if it is new. */
static struct enumeration *enumeration_of(CXCursor cursor)
{
    for (uint32_t i = 0; i < types.n_enumerations; i++)
        if (clang_equalCursors(types.enumeration_cursors[i], cursor)) return types.enumerations[i];
    struct enumeration *e = keep(sizeof *e);
    *PUSH(types.enumerations, types.n_enumerations, types.cap_enumerations) = e;
    *PUSH(types.enumeration_cursors, types.n_cursors, types.cap_cursors) = cursor;
    e->stem = type_given_name(cursor);
    if (!*e->stem) e->stem = keep_format("enum%u", types.n_enumerations);
    clang_visitChildren(cursor, add_enumerator, e);
    struct type underlying = {0};
    read_number(&underlying, clang_getCanonicalType(clang_getEnumDeclIntegerType(cursor)));
    e->is_signed = underlying.is_signed;
    return e;
}

/* Returns the name of a type without const and volatile; NULL if it has no name. libclang 14 has no function for that.
 * For a pointer, cuts after the last star, since words there qualify the pointer itself; else skips words in front. */
static const char *unqualified_name(CXType type)
{
    char *name = (char *)(uintptr_t)type_text(clang_getTypeSpelling(type)), *star = strrchr(name, '*');
    if (strchr(name, '(')) return NULL; /* an anonymous type, or a function */
    if (type.kind == CXType_Pointer && star) star[1] = 0;
    else if (type.kind != CXType_Pointer)
        while (!strncmp(name, "const ", 6) || !strncmp(name, "volatile ", 9)) name += strcspn(name, " ") + 1;
    return !strcmp(name, "_Bool") ? "bool" : name;
}

/* Returns the name of a canonical type without qualifiers. The pointee of a pointer keeps its qualifiers. */
static const char *key_of(CXType type)
{
    const char *name = type_text(clang_getTypeSpelling(type)), *star = strrchr(name, '*');
    if (star) return keep_format("%.*s", (int)(star + 1 - name), name);
    while (!strncmp(name, "const ", 6) || !strncmp(name, "volatile ", 9)) name += strcspn(name, " ") + 1;
    return name;
}

/* Removes one layer around a type: a typedef, an attribute, _Atomic. Returns false if there is none. */
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

/* Fills a number type. Decides by kind, not by size. char, signed char and unsigned char are three types, and long is
 * not int even where both have 32 bits. */
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

/* Fills a struct or union type: TYPE_OPAQUE if it is not defined. */
static void read_record_type(struct type *to, CXType type)
{
    CXCursor definition = clang_getCursorDefinition(clang_getTypeDeclaration(type));
    uint32_t shell;
    to->kind = TYPE_OPAQUE;
    if (clang_Cursor_isNull(definition)) return;
    to->kind = TYPE_RECORD;
    to->record = type_record(definition, &shell);
    type_read_fields(shell);
}

struct type *type_read(CXType type)
{
    struct type *to = keep(sizeof *to);
    to->kind = TYPE_OTHER;
    to->name = unqualified_name(type);
    to->key = key_of(clang_getCanonicalType(type));
    do {
        to->is_volatile |= clang_isVolatileQualifiedType(type) != 0;
        to->is_qualified |= to->is_volatile || clang_isConstQualifiedType(type);
        to->is_atomic |= type.kind == CXType_Atomic;
    } while (peel(&type));
    switch (type.kind) {
    case CXType_Void: to->kind = TYPE_VOID; break;
    case CXType_Record: read_record_type(to, type); break;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto: to->kind = TYPE_FUNCTION; break;
    case CXType_Pointer:
        to->kind = TYPE_POINTER;
        to->of = type_read(clang_getPointeeType(type));
        break;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
        to->kind = TYPE_ARRAY;
        to->n = type.kind == CXType_ConstantArray ? clang_getArraySize(type) : FLEXIBLE;
        to->of = type_read(clang_getArrayElementType(type));
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

struct type *type_read_parameter(CXType type)
{
    struct type *array = type_read(type);
    if (array->kind != TYPE_ARRAY) return array;
    struct type *to = keep(sizeof *to);
    to->kind = TYPE_POINTER;
    to->of = array->of;
    if (array->is_qualified && !to->of->is_qualified) { /* const uuid_t, a typedef of an array */
        to->of = keep(sizeof *to->of);
        *to->of = *array->of;
        to->of->is_qualified = true;
    }
    to->n = array->n > 0 ? array->n : 0;
    to->name = array->of->name ? keep_format("%s *", array->of->name) : NULL;
    to->key = keep_format("%s *", array->of->key);
    return to;
}

/* ---- Fields */

enum CXChildVisitResult type_add_attribute(CXCursor cursor, CXCursor parent, CXClientData data)
{
    if (clang_getCursorKind(cursor) == CXCursor_AnnotateAttr)
        notes_add(data, type_text(clang_getCursorSpelling(cursor)), type_place(clang_getCursorLocation(parent)));
    return CXChildVisit_Continue;
}

/* Adds a field to a record; a visitor. */
static enum CXVisitorResult add_field(CXCursor cursor, CXClientData data)
{
    struct record *record = data;
    const char *name = type_given_name(cursor);
    int width = clang_getFieldDeclBitWidth(cursor);
    if (!*name && width >= 0) return CXVisit_Continue; /* a bit-field without a name is padding */
    struct type *type = type_read(clang_getCursorType(cursor));
    struct field *f = PUSH(record->fields, record->n, record->cap);
    f->name = name;
    f->type = type;
    f->width = width;
    f->place = type_place(clang_getCursorLocation(cursor));
    clang_visitChildren(cursor, type_add_attribute, &f->notes);
    /* Annotations after the brace of an anonymous member belong to its type. */
    if (!*name && type->kind == TYPE_RECORD && type->record->notes.tag) f->notes = type->record->notes;
    return CXVisit_Continue;
}

static unsigned offset_of(CXSourceLocation location)
{
    unsigned offset;
    clang_getFileLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

/* A search for the field that a counted_by belongs to. */
struct counted {
    struct record *record;
    unsigned offset; /* position of the word counted_by in the file */
    const char *count;
    uint32_t i, found;
};

/* Finds the last field before the word, by offset in the file; a visitor. */
static enum CXVisitorResult find_counted(CXCursor cursor, CXClientData data)
{
    struct counted *c = data;
    if (!*type_given_name(cursor) && clang_getFieldDeclBitWidth(cursor) >= 0) return CXVisit_Continue;
    if (offset_of(clang_getCursorLocation(cursor)) < c->offset) c->found = c->i;
    c->i++;
    return CXVisit_Continue;
}

/* Reads counted_by(n), __counted_by(n) and __counted_by__(n) from the tokens of a record. Each belongs to the last
 * field before it. SONDE_COUNT takes precedence. */
static void read_counted_by(struct shell shell)
{
    CXToken *tokens;
    unsigned n;
    clang_tokenize(types.unit, clang_getCursorExtent(shell.cursor), &tokens, &n);
    for (unsigned i = 0; i + 2 < n; i++) {
        const char *word = type_text(clang_getTokenSpelling(types.unit, tokens[i]));
        if (strcmp(word, "counted_by") != 0 && strcmp(word, "__counted_by") != 0 && strcmp(word, "__counted_by__") != 0)
            continue;
        struct counted c = {.record = shell.record,
                            .offset = offset_of(clang_getTokenLocation(types.unit, tokens[i])),
                            .count = type_text(clang_getTokenSpelling(types.unit, tokens[i + 2])),
                            .found = UINT32_MAX};
        clang_Type_visitFields(clang_getCursorType(shell.cursor), find_counted, &c);
        if (c.found >= shell.record->n) continue;
        struct notes *notes = &shell.record->fields[c.found].notes;
        if (!notes->count) notes->count = c.count;
    }
    clang_disposeTokens(types.unit, tokens, n);
}

void type_read_fields(uint32_t i)
{
    if (types.shells[i].is_read) return;
    types.shells[i].is_read = true;
    struct shell shell = types.shells[i]; /* a copy, since the array may move */
    clang_visitChildren(shell.cursor, type_add_attribute, &shell.record->notes);
    clang_Type_visitFields(clang_getCursorType(shell.cursor), add_field, shell.record);
    read_counted_by(shell);
}
