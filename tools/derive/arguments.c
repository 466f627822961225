/* See arguments.h. The roles of parameters (roles.c) decide how each is drawn. A guess that can make a test fail is
 * marked by a comment on its line. If the test fails at once, `sonde new` names these lines. */
#include "arguments.h"

#include "base/strings.h"
#include "values.h"

#include <ctype.h>
#include <string.h>

/* ---- Names */

const char *parameter(const struct prototype *p, uint32_t i)
{
    const char *name = p->names[i];
    while (*name == '_') name++;
    return *name ? name : keep_format("argument%u", i + 1);
}

void begin_function(struct test *test)
{
    test->n_locals = test->n_drawn = test->n_closes = 0;
    test->e.n_names = 0;
}

/* Reports whether a new variable must not have this name. */
static bool is_taken(const struct test *test, const char *name)
{
    static const char *const reserved[] = {"t",    "world",  "w",      "object", "main",
                                           "free", "memcpy", "strlen", "sonde",  NULL};
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    for (size_t i = 0; reserved[i]; i++)
        if (!strcmp(name, reserved[i])) return true;
    for (uint32_t i = 0; i < test->n_locals; i++)
        if (!strcmp(name, test->locals[i])) return true;
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(name, all[i].name)) return true;
    return false;
}

const char *local(struct test *test, const char *name)
{
    const char *free_name = name;
    for (unsigned i = 2; is_taken(test, free_name); i++) free_name = keep_format("%s_%u", name, i);
    return *PUSH(test->locals, test->n_locals, test->cap_locals) = free_name;
}

const struct prototype *find_prototype(const char *name, const char *header)
{
    struct prototype *all;
    uint32_t n = read_prototypes(&all);
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(all[i].name, name)) return &all[i];
    const char *near = NULL;
    size_t least = sonde_distance_limit(strlen(name));
    for (uint32_t i = 0; i < n; i++) {
        size_t d = sonde_distance(all[i].name, name, strlen(name));
        if (d < least && d < strlen(all[i].name)) least = d, near = all[i].name;
    }
    complain((struct place){header, 1}, "there is no function '%s' here%s%s%s", name, near ? "; did you mean " : "",
             near ? near : "", near ? "?" : "");
    return NULL;
}

const char *declared(const struct type *type, const char *name)
{
    bool is_starred = type->name[strlen(type->name) - 1] == '*';
    return keep_format("%s%s%s", type->name, is_starred ? "" : " ", name);
}

/* ---- Calls */

bool begin_call(struct call *call, const struct prototype *p)
{
    memset(call, 0, sizeof *call);
    if (p->n > MOST_ARGUMENTS || p->is_variadic) {
        complain(p->place, "%s: %s; write that call yourself, or choose another function", p->name,
                 p->is_variadic ? "it takes any number of arguments" : "it has too many parameters");
        return false;
    }
    call->roles = roles_of(p);
    return true;
}

const char *call_of(const struct call *call)
{
    const struct prototype *p = call->roles.p;
    const char *text = keep_format("%s(", p->name);
    for (uint32_t i = 0; i < p->n; i++) text = keep_format("%s%s%s", text, i ? ", " : "", call->arguments[i]);
    return keep_format("%s)", text);
}

const char *use_record(struct test *test, struct record *record)
{
    bool is_known = false;
    for (uint32_t i = 0; i < test->n_derived; i++) is_known |= test->derived[i] == record;
    if (!is_known) *PUSH(test->derived, test->n_derived, test->cap_derived) = record;
    return record->stem;
}

void add_helper(struct test *test, const char *text)
{
    for (uint32_t i = 0; i < test->n_helpers; i++)
        if (!strcmp(test->helpers[i], text)) return;
    *PUSH(test->helpers, test->n_helpers, test->cap_helpers) = text;
}

/* Returns the constant of an enumeration that means success; NULL if none is called so. */
static const char *success_constant(const struct enumeration *e)
{
    static const char *const words[] = {"ok", "okay", "success", "successful", "noerror", "none", "done", NULL};
    for (uint32_t i = 0; i < e->n; i++)
        if (has_word(e->names[i], words)) return e->names[i];
    return NULL;
}

const char *success_of(const struct test *test, const struct type *result, const char *expression)
{
    const char *constant = result->kind == TYPE_ENUM ? success_constant(result->enumeration) : NULL;
    if (constant) return keep_format("%s == %s", expression, constant);
    if (result->kind == TYPE_BOOL) return expression;
    if (result->kind == TYPE_POINTER) return keep_format("%s != NULL", expression);
    bool is_number = result->kind == TYPE_INT || result->kind == TYPE_ENUM;
    return is_number ? keep_format("%s %s", expression, test->zero_fails ? "> 0" : "== 0") : NULL;
}

const char *use_free(struct test *test, const struct type *type, const char *maker)
{
    const struct prototype *p = memory_closer(type, maker);
    if (!p) return "free";
    const char *name = keep_format("undo_by_%s", p->name);
    add_helper(test, keep_format("static void %s(void *object)\n{\n    %s(object);\n}\n", name, p->name));
    return name;
}

/* Has the bytes freed that a struct points to which a function returned by value, such as {char *dptr; int dsize}. */
static void free_fields(struct test *test, const struct record *record, const char *name)
{
    for (uint32_t i = 0; i < record->n; i++) {
        const struct type *type = record->fields[i].type;
        if (type->kind == TYPE_POINTER && is_byte_pointer(type) && !type->of->is_qualified)
            line(&test->e, "sonde_defer(t, free, %s.%s); /* a guess: the caller owns it */", name,
                 record->fields[i].name);
    }
}

void free_result(struct test *test, const struct prototype *p, const char *name)
{
    if (p->result->kind == TYPE_RECORD) free_fields(test, p->result->record, name);
    static const char *const makes[] = {"dup",     "print",     "dump",      "dumps",  "to",    "encode",
                                        "escape",  "format",    "string",    "str",    "alloc", "render",
                                        "unparse", "serialize", "stringify", "export", NULL};
    bool is_bytes = is_byte_pointer(p->result) && !p->result->of->is_qualified;
    for (uint32_t i = 0; i < p->n && is_bytes; i++)
        if (is_text_pointer(p->types[i]) && !p->types[i]->of->is_qualified) return; /* may point into that string */
    bool is_of_object = p->n && object_key(p->types[0]);
    if (!is_bytes || (is_of_object && !has_word(p->name, makes))) return;
    line(&test->e, "sonde_defer(t, %s, %s); /* a guess: the caller owns it */", use_free(test, p->result, p->name),
         name);
}

void emit_closes(struct test *test)
{
    for (uint32_t i = test->n_closes; i-- > 0;) line(&test->e, "%s", test->closes[i]);
    test->n_closes = 0;
}

/* ---- Numbers and strings */

/* Returns how a number is drawn whose name tells its range; NULL if it tells none. */
static const char *draw_by_name(const struct test *test, const struct type *type, const char *name)
{
    static const char *const radix[] = {"radix", "base", NULL}, *const level[] = {"level", "compressionLevel",
                                                                                  "quality", NULL};
    static const char *const flags[] = {"flags", "flag",     "options", "option", "opts",
                                        "mode",  "reserved", "freep",   NULL};
    static const char *const points[] = {"codepoint", "uc", "ucs", "wc", "rune", "ucs4", NULL};
    static const char *const places[] = {"index", "idx", "pos",   "position", "offset", "which",
                                         "i",     "j",   "start", "column",   "row",    NULL};
    static const char *const sizes[] = {"size", "len",   "length", "count", "capacity", "num", "n",
                                        "max",  "depth", "limit",  "nmemb", "bits",     NULL};
    const char *lo = "0", *hi = NULL, *why = "its range";
    static const char *const families[] = {"af", "family", NULL};
    if (type->kind != TYPE_INT) return NULL;
    if (sonde_ends(type->name, "mode_t"))
        return keep_format("%s = 0600; /* a guess: the permissions */", declared(type, name));
    if (has_word(name, families)) return keep_format("%s = 2; /* a guess: AF_INET */", declared(type, name));
    if (has_word(name, places) && test->is_empty)
        return keep_format("%s = 0; /* a guess: the first */", declared(type, name));
    if (has_word(name, radix)) lo = "2", hi = "36";
    else if (has_word(name, level)) hi = "9";
    else if (has_word(name, points)) hi = "0x10ffff";
    else if (has_word(name, places)) hi = "100";
    else if (has_word(name, sizes)) hi = "1000";
    else if (has_word(name, flags) && !test->is_wild)
        return keep_format("%s = 0; /* a guess: none */", declared(type, name));
    if (!hi || (type->bits <= 8 && strlen(hi) > 2)) return NULL;
    return keep_format("%s = (%s)sonde_int(t, \"%s\", %s, %s); /* a guess: %s */", declared(type, name), type->name,
                       name, lo, hi, why);
}

/* Returns how a number is drawn whose values the header names; NULL if it names none. */
static const char *draw_by_header(const struct prototype *p, uint32_t i, const char *name)
{
    enum { MOST_VALUES = 32 };
    const char *values[MOST_VALUES], *list = "";
    bool is_range;
    const struct type *type = p->types[i];
    uint32_t n = type->kind == TYPE_INT ? values_of(p, i, values, MOST_VALUES, &is_range) : 0;
    if (!n) return NULL;
    if (is_range)
        return keep_format("%s = (%s)sonde_int(t, \"%s\", %s, %s); /* a guess: by the header */", declared(type, name),
                           type->name, name, values[0], values[1]);
    for (uint32_t k = 0; k < n; k++) list = keep_format("%s%s%s", list, k ? ", " : "", values[k]);
    return keep_format("%s = (%s)(const long long[]){%s}[sonde_pick(t, \"%s\", %u)]; /* a guess: by the header */",
                       declared(type, name), type->name, list, name, n);
}

/* Returns how an enumeration is drawn whose constants may mean limits or errors, as X_MAX does: without these. NULL if
 * none does, or all do. */
static const char *draw_values(const struct type *type, const char *name)
{
    static const char *const words[] = {"max", "num", "count", "last", "invalid", "unknown", "sentinel", NULL};
    const struct enumeration *e = type->enumeration;
    const char *list = "";
    uint32_t n = 0;
    for (uint32_t i = 0; e && i < e->n; i++)
        if (*e->names[i] != '_' && !has_word(e->names[i], words))
            list = keep_format("%s%s%s", list, n++ ? ", " : "", e->names[i]);
    if (!n || n == e->n) return NULL;
    return keep_format("%s = (const %s[]){%s}[sonde_pick(t, \"%s\", %u)]; /* a guess: no limits, no errors */",
                       declared(type, name), type->name, list, name, n);
}

static void draw_number(struct test *test, const struct prototype *p, uint32_t i, const char *name)
{
    const struct type *type = p->types[i];
    const char *by_header = test->is_wild ? NULL : draw_by_header(p, i, name),
               *by_name = by_header ? by_header : draw_by_name(test, type, name);
    if (!by_name && type->kind == TYPE_ENUM && !test->is_wild) by_name = draw_values(type, name);
    if (by_name) line(&test->e, "%s", by_name);
    else if (test->is_second && type->kind == TYPE_INT)
        line(&test->e, "%s = 0; /* a guess: the default */", declared(type, name));
    else if (test->is_narrow && (type->kind == TYPE_INT || type->kind == TYPE_FLOAT))
        line(&test->e, "%s = (%s)sonde_int(t, \"%s\", 1, 100); /* a guess: few values */", declared(type, name),
             type->name, name);
    else line(&test->e, "%s = %s;", declared(type, name), draw_expression(type, name));
    if (by_name && strstr(by_name, "0x10ffff"))
        line(&test->e, "sonde_assume(t, %s < 0xd800 || %s > 0xdfff); /* a guess: no surrogates */", name, name);
    if (type->kind == TYPE_FLOAT && !test->is_wild)
        line(&test->e, "sonde_assume(t, %s == %s); /* a NaN equals nothing */", name, name);
}

/* Returns the draw of a string, by the words in names; *is_guess: it draws fewer strings than there are. */
static const char *text_expression(const struct test *test, const char *context, const char *name, bool *is_guess)
{
    static const struct {
        const char *words[7], *draw;
    } kinds[] = {{{"json"}, "sonde_json(t, \"%s\", 3)"},
                 {{"url", "uri"}, "sonde_url(t, \"%s\")"},
                 {{"utf8", "utf"}, "sonde_utf8(t, \"%s\", 0, 100)"},
                 {{"uuid"}, "sonde_uuid(t, \"%s\")"},
                 {{"hex", "hex2bin", "base16", "unhex"}, "sonde_regex(t, \"%s\", \"([0-9a-f][0-9a-f])*\")"},
                 {{"pton", "aton", "ip", "ipv4", "addr"}, "sonde_ipv4(t, \"%s\")"},
                 {{"radix", "int", "number", "double"}, "sonde_regex(t, \"%s\", \"[1-9][0-9]{0,8}|0\")"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has_word(context, kinds[i].words)) {
            *is_guess = true;
            const char *at = strstr(kinds[i].draw, "%s");
            return keep_format("%.*s%s%s", (int)(at - kinds[i].draw), kinds[i].draw, name, at + 2);
        }
    *is_guess = test->is_narrow;
    return keep_format("sonde_string(t, \"%s\", %d, 100)", name, test->is_narrow);
}

/* Draws the bytes of a new file, whose path is then in the variable path_of_NAME. */
static void draw_new_file(struct test *test, const char *name)
{
    static const char helper[] =
        "static void undo_by_remove(void *path)\n{\n    remove(path);\n}\n\n"
        "/* Returns the path of a new file with these bytes, which is removed when the case ends. */\n"
        "static char *new_file(sonde *t, const uint8_t *bytes, size_t n)\n{\n"
        "    const char *directory = getenv(\"TMPDIR\") ? getenv(\"TMPDIR\") : \"/tmp\";\n"
        "    size_t room = strlen(directory) + 20;\n"
        "    char *path = sonde_alloc(t, room);\n"
        "    snprintf(path, room, \"%s/sonde-XXXXXX\", directory);\n"
        "    int descriptor = mkstemp(path);\n"
        "    FILE *file = descriptor >= 0 ? fdopen(descriptor, \"w\") : NULL;\n"
        "    sonde_assume(t, file != NULL);\n"
        "    sonde_defer(t, undo_by_remove, path);\n"
        "    if (n) fwrite(bytes, 1, n, file);\n"
        "    fclose(file);\n"
        "    return path;\n}\n";
    add_helper(test, helper);
    line(&test->e, "size_t n_%s;", name);
    line(&test->e, "uint8_t *bytes_of_%s = sonde_bytes(t, \"%s\", 0, 5000, &n_%s);", name, name, name);
    line(&test->e, "char *path_of_%s = new_file(t, bytes_of_%s, n_%s);", name, name, name);
}

/* Writes the path of a new directory, which is removed with its files when the case ends. */
static const char *draw_directory(struct test *test, const char *name)
{
    add_helper(test, "#include <dirent.h>\n");
    add_helper(test, "static void undo_by_remove_directory(void *path)\n{\n"
                     "    DIR *directory = opendir(path);\n"
                     "    for (struct dirent *entry; directory && (entry = readdir(directory));) {\n"
                     "        char file[4096];\n"
                     "        snprintf(file, sizeof file, \"%s/%s\", (char *)path, entry->d_name);\n"
                     "        remove(file); /* \".\" and \"..\" stay */\n"
                     "    }\n"
                     "    if (directory) closedir(directory);\n"
                     "    remove(path);\n}\n\n"
                     "/* Returns the path of a new directory, which is removed when the case ends. */\n"
                     "static char *new_directory(sonde *t)\n{\n"
                     "    const char *directory = getenv(\"TMPDIR\") ? getenv(\"TMPDIR\") : \"/tmp\";\n"
                     "    size_t room = strlen(directory) + 20;\n"
                     "    char *path = sonde_alloc(t, room);\n"
                     "    snprintf(path, room, \"%s/sonde-XXXXXX\", directory);\n"
                     "    sonde_assume(t, mkdtemp(path) != NULL);\n"
                     "    sonde_defer(t, undo_by_remove_directory, path);\n"
                     "    return path;\n}\n");
    line(&test->e, "char *%s = new_directory(t); /* a guess: a directory */", name);
    return name;
}

/* Opens a new file with drawn bytes. Libraries may close the descriptor: its second close fails, and does nothing. */
static void draw_descriptor(struct test *test, const char *name)
{
    add_helper(test, "#include <fcntl.h>\n#include <unistd.h>\n");
    draw_new_file(test, name);
    add_helper(test, "static void undo_by_close(void *descriptor)\n{\n    close(*(int *)descriptor);\n}\n\n"
                     "/* Returns a descriptor of this file, which is closed when the case ends. */\n"
                     "static int opened(sonde *t, const char *path)\n{\n"
                     "    int *descriptor = sonde_new(t, int);\n"
                     "    *descriptor = open(path, O_RDWR);\n"
                     "    sonde_assume(t, *descriptor >= 0);\n"
                     "    sonde_defer(t, undo_by_close, descriptor);\n"
                     "    return *descriptor;\n}\n");
    line(&test->e, "int %s = opened(t, path_of_%s); /* a guess: a file to read or write */", name, name);
}

bool is_known_text(const struct test *test, const char *context)
{
    bool is_known = false;
    if (!test->is_wild) text_expression(test, context, "", &is_known);
    return is_known && !test->is_narrow;
}

const char *draw_text(struct test *test, const char *context, const char *name, const char *type)
{
    bool is_guess;
    static const char *const files[] = {"path", "file", "filename", "fname", "pathname", NULL}, *const directories[] = {
                                                                                                    "dir", "dirname",
                                                                                                    NULL};
    if (!test->is_wild && (has_word(name, files) || sonde_ends(name, "path") || sonde_ends(name, "file"))) {
        const char *star_of_file = type[strlen(type) - 1] == '*' ? "" : " ";
        draw_new_file(test, name);
        line(&test->e, "%s%s%s = path_of_%s; /* a guess: a file to read */", type, star_of_file, name, name);
        return name;
    }
    if (!test->is_wild && has_word(name, directories)) {
        line(&test->e, "%s%s = (%s)\"\"; /* a guess: no directory */", type, name, type);
        return name;
    }
    const char *draw = text_expression(test, test->is_wild ? "" : context, name, &is_guess),
               *star = type[strlen(type) - 1] == '*' ? "" : " ";
    line(&test->e, "%s%s%s = %s;%s", type, star, name, draw, is_guess ? " /* a guess: what it reads */" : "");
    return name;
}

/* ---- Buffers */

/* Returns the number of elements of an input that was drawn before, to estimate an output from; NULL if there is
 * none. */
static const char *drawn_length(const struct call *call)
{
    const char *sum = NULL;
    for (uint32_t i = 0; i < call->roles.p->n; i++)
        if (call->roles.kind[i] == ROLE_IN && call->length[i])
            sum = sum ? keep_format("%s + %s", sum, call->length[i]) : call->length[i];
    return sum;
}

/* Sets the argument that is the size of buffer i: its value, or the address of a variable with it. */
static void pass_size(struct test *test, struct call *call, uint32_t i)
{
    int s = call->roles.size[i];
    if (s == NOT_THERE || call->arguments[s]) return;
    const struct type *type = call->roles.p->types[s];
    if (type->kind != TYPE_POINTER) {
        bool is_same = type->name && !strcmp(type->name, "size_t");
        call->arguments[s] = is_same ? call->length[i] : keep_format("(%s)%s", type->name, call->length[i]);
        return;
    }
    const char *name = local(test, parameter(call->roles.p, (uint32_t)s));
    line(&test->e, "%s %s = (%s)%s;", type->of->name, name, type->of->name, call->length[i]);
    call->arguments[s] = keep_format("&%s", name);
}

void declare_buffer(struct test *test, struct call *call, uint32_t i, const char *name, const char *room, bool is_guess)
{
    const struct type *type = call->roles.p->types[i];
    const char *n = local(test, keep_format("n_%s", name));
    bool is_bytes = is_byte_pointer(type), is_void = type->of->kind == TYPE_VOID;
    const char *of = is_void ? "void" : type->of->name;
    line(&test->e, "size_t %s = %s;%s", n, room, is_guess ? " /* a guess: the most that it writes */" : "");
    line(&test->e, "%s *%s = (%s *)sonde_buffer(t, %s%s);", of, name, of, n,
         is_bytes ? "" : keep_format(" * sizeof(%s)", of));
    call->arguments[i] = name, call->length[i] = n;
    pass_size(test, call, i);
}

/* Draws an array of numbers wider than bytes. */
static void draw_array(struct test *test, const struct type *of, const char *name, const char *n)
{
    line(&test->e, "%s *%s = (%s *)sonde_alloc(t, %s * sizeof(%s));", of->name, name, of->name, n, of->name);
    line(&test->e, "for (size_t i = 0; i < %s; i++) %s[i] = %s;", n, name, draw_expression(of, name));
}

/* Draws an input buffer and its length. Buffers that share a size have the length of the first. */
static void draw_input(struct test *test, struct call *call, uint32_t i)
{
    const struct type *type = call->roles.p->types[i];
    const char *name = local(test, parameter(call->roles.p, i)), *n = local(test, keep_format("n_%s", name)),
               *lo = test->is_narrow ? "1" : "0", *hi = "1000";
    int size = call->roles.size[i];
    for (uint32_t k = 0; k < call->roles.p->n && size != NOT_THERE; k++)
        if (k != i && call->roles.size[k] == size && call->length[k]) lo = hi = call->length[k];
    if (type->n > 0) lo = hi = keep_format("%lld", type->n);
    const char *guess = size == NOT_THERE && type->n <= 0 ? " /* a guess: its length */" : "";
    if (is_text_pointer(type) && type->n <= 0 && is_known_text(test, keep_format("%s %s", call->roles.p->name, name))) {
        draw_text(test, call->roles.p->name, name, "const char *");
        line(&test->e, "size_t %s = strlen(%s);", n, name);
        call->arguments[i] = name, call->length[i] = n;
        pass_size(test, call, i);
        return;
    }
    if (is_byte_pointer(type)) {
        const char *of = type->of->kind == TYPE_VOID ? "void" : type->of->name;
        bool is_u8 = !strcmp(of, "uint8_t") || !strcmp(of, "void");
        line(&test->e, "size_t %s;", n);
        const char *constant = type->of->is_qualified ? "const " : "";
        line(&test->e, "%s%s *%s = %ssonde_bytes(t, \"%s\", %s, %s, &%s);%s", constant, of, name,
             is_u8 ? "" : keep_format("(%s%s *)", constant, of), name, lo, hi, n, guess);
    } else {
        line(&test->e, "size_t %s = sonde_size_t(t, \"%s\", %s, %s);%s", n, n, lo, !strcmp(hi, "1000") ? "100" : hi,
             guess);
        draw_array(test, type->of, name, n);
    }
    call->arguments[i] = name, call->length[i] = n;
    pass_size(test, call, i);
}

/* Reports whether the size of an output is passed by pointer. Many functions then take its value for enough. */
static bool is_in_and_out(const struct call *call, uint32_t i)
{
    return call->roles.p->types[call->roles.size[i]]->kind == TYPE_POINTER;
}

static void draw_output(struct test *test, struct call *call, uint32_t i)
{
    const struct type *type = call->roles.p->types[i];
    const char *name = local(test, parameter(call->roles.p, i)), *input = drawn_length(call);
    static const char *const works[] = {"wrkmem", "workmem", "workspace", "scratch", NULL};
    if (has_word(name, works)) declare_buffer(test, call, i, name, "1 << 20", true);
    else if (type->n > 0) declare_buffer(test, call, i, name, keep_format("%lld", type->n), false);
    else if (call->roles.size[i] == NOT_THERE || (input && is_in_and_out(call, i)))
        declare_buffer(test, call, i, name, input ? keep_format("2 * (%s) + 4096", input) : "4096", true);
    else if (test->is_narrow) declare_buffer(test, call, i, name, "4096", true);
    else declare_buffer(test, call, i, name, keep_format("sonde_size_t(t, \"n_%s\", 0, 1000)", name), false);
}

/* Draws the strings of a command line. */
static void draw_texts(struct test *test, struct call *call, uint32_t i)
{
    const char *name = local(test, parameter(call->roles.p, i)), *n = local(test, keep_format("n_%s", name));
    line(&test->e, "size_t %s = sonde_size_t(t, \"%s\", 1, 5); /* a guess: one is the name of the program */", n, n);
    line(&test->e, "char **%s = sonde_alloc(t, (%s + 1) * sizeof *%s);", name, n, name);
    line(&test->e, "for (size_t i = 0; i < %s; i++) %s[i] = sonde_string(t, \"%s\", 0, 20);", n, name, name);
    line(&test->e, "%s[%s] = NULL;", name, n);
    call->arguments[i] = keep_format("(void *)%s", name), call->length[i] = n;
    pass_size(test, call, i);
}

/* ---- Other pointers */

bool is_data(struct record *record)
{
    struct judgement j = judge(record);
    for (uint32_t i = 0; i < j.n_problems; i++)
        if ((j.problems[i].verdict == VERDICT_REFUSED && !likely_count(&j.problems[i]))
            || !strncmp(j.problems[i].write, "SONDE_TAG(0,", 12))
            return false;
    return record->n > 0;
}

static bool draw_record(struct test *test, struct call *call, uint32_t i)
{
    const struct prototype *p = call->roles.p;
    const struct type *type = p->types[i], *of = type->kind == TYPE_POINTER ? type->of : type;
    const char *name = local(test, parameter(p, i));
    call->arguments[i] = name;
    if (call->roles.kind[i] == ROLE_RECORD_OUT) {
        line(&test->e, "%s *%s = sonde_new(t, %s);", of->name, name, of->name);
        return true;
    }
    if (!is_data(of->record) && test->is_making && type->kind == TYPE_POINTER && of->is_qualified) {
        line(&test->e, "%s = NULL; /* a guess: it may be NULL */", declared(type, name));
        return true;
    }
    if (!is_data(of->record) && test->is_making && of->name) {
        const char *space = type->kind == TYPE_POINTER ? " *" : " ";
        const char *zeros = type->kind == TYPE_POINTER ? keep_format("sonde_new(t, %s)", of->name) : "{0}";
        line(&test->e, "%s%s%s = %s; /* a guess: zeros */", of->name, space, name, zeros);
        return true;
    }
    if (!is_data(of->record)) {
        complain(
            p->place,
            "%s: parameter %u is %s, whose fields cannot be drawn, and no function here creates one; write that draw yourself",
            p->name, i + 1, of->name);
        return false;
    }
    const char *draw = keep_format("draw_%s(t, \"%s\")", use_record(test, of->record), name);
    if (type->kind == TYPE_POINTER) line(&test->e, "%s *%s = %s;", of->record->name, name, draw);
    else line(&test->e, "%s %s = *%s;", of->record->name, name, draw);
    return true;
}

static void draw_file(struct test *test, struct call *call, uint32_t i)
{
    static const char helper[] = "static void undo_by_fclose(void *file)\n{\n    fclose(file);\n}\n";
    const char *name = local(test, parameter(call->roles.p, i));
    add_helper(test, helper);
    draw_new_file(test, name);
    line(&test->e, "FILE *%s = fopen(path_of_%s, \"r+\");", name, name);
    line(&test->e, "sonde_assume(t, %s != NULL);", name);
    line(&test->e, "sonde_defer(t, undo_by_fclose, %s);", name);
    call->arguments[i] = name;
}

/* Declares a pointer that the function sets, and frees what it then points to. */
static void draw_pointer_out(struct test *test, struct call *call, uint32_t i)
{
    static const char *const borrowed[] = {"end",   "endptr", "tail",   "rest", "saveptr", "ptr",
                                           "error", "err",    "errmsg", "next", NULL};
    const struct type *type = call->roles.p->types[i]->of;
    const char *name = local(test, parameter(call->roles.p, i));
    line(&test->e, "%s = NULL;", declared(type, name));
    call->arguments[i] = keep_format("&%s", name);
    const char *undo = call->roles.kind[i] == ROLE_OBJECT_OUT ? use_closer(test, type, call->roles.p->name)
                       : !type->of->is_qualified && !has_word(parameter(call->roles.p, i), borrowed)
                           ? use_free(test, type, call->roles.p->name)
                           : NULL;
    if (undo)
        *PUSH(test->closes, test->n_closes, test->cap_closes) =
            keep_format("if (%s) %s(%s); /* a guess: the caller owns it */", name, undo, name);
}

/* ---- Arguments */

/* Returns the expression of an argument of this name and type that was drawn for the other call; NULL if none was. */
static const struct drawn *drawn_before(const struct test *test, const char *name, const struct type *type)
{
    for (uint32_t i = 0; i < test->n_drawn; i++)
        if (*name && !strcmp(test->drawn[i].name, name) && !strcmp(test->drawn[i].key, type->key))
            return &test->drawn[i];
    return NULL;
}

static bool refuse_argument(const struct prototype *p, uint32_t i)
{
    complain(p->place, "%s: parameter %u cannot be drawn; choose another function", p->name, i + 1);
    return false;
}

/* Draws a string, or a path by the comment or the name. To create an object, it is NULL if the comment allows that. */
static void draw_string(struct test *test, struct call *call, uint32_t i)
{
    const struct prototype *p = call->roles.p;
    const struct type *type = p->types[i];
    const char *name = parameter(p, i);
    bool may_be_null = comment_says(p, i, "may be NULL", 300) || comment_says(p, i, "can be NULL", 300);
    if (!test->is_wild && comment_says(p, i, "directory", 30))
        call->arguments[i] = draw_directory(test, local(test, name));
    else if (test->is_making && may_be_null) call->arguments[i] = "NULL";
    else
        call->arguments[i] = draw_text(test, keep_format("%s %s", p->name, name), local(test, name),
                                       is_text_pointer(type) && !type->of->is_qualified ? "char *" : "const char *");
}

/* Draws a number, or opens what it is a handle of. */
static void draw_whole(struct test *test, struct call *call, uint32_t i)
{
    const struct prototype *p = call->roles.p;
    const char *name = call->arguments[i] = local(test, parameter(p, i));
    if (is_descriptor(p, i) && !test->is_wild) draw_descriptor(test, name);
    else if (test->is_wild || !make_handle(test, p, p->types[i], name)) draw_number(test, p, i, name);
}

bool draw_argument(struct test *test, struct call *call, uint32_t i)
{
    const struct prototype *p = call->roles.p;
    const struct type *type = p->types[i];
    const char *name = parameter(p, i);
    const struct drawn *before = drawn_before(test, name, type);
    enum role_kind kind = call->roles.kind[i];
    bool is_shared =
        kind == ROLE_NUMBER || kind == ROLE_TEXT || kind == ROLE_OBJECT || kind == ROLE_RECORD || kind == ROLE_IN;
    if (is_shared && before) {
        call->arguments[i] = before->expression, call->length[i] = before->length;
        if (before->length) pass_size(test, call, i);
        return true;
    }
    if (kind != ROLE_UNKNOWN && kind != ROLE_NOTHING && !type->name) return refuse_argument(p, i);
    switch (kind) {
    case ROLE_NUMBER: draw_whole(test, call, i); break;
    case ROLE_TEXT: draw_string(test, call, i); break;
    case ROLE_TEXTS: draw_texts(test, call, i); break;
    case ROLE_IN: draw_input(test, call, i); break;
    case ROLE_OUT: draw_output(test, call, i); break;
    case ROLE_OBJECT: call->arguments[i] = make_object(test, p, type, name); break;
    case ROLE_RECORD:
    case ROLE_RECORD_OUT:
        if (!draw_record(test, call, i)) return false;
        break;
    case ROLE_OBJECT_OUT:
    case ROLE_TEXT_OUT: draw_pointer_out(test, call, i); break;
    case ROLE_LENGTH_OUT:
    case ROLE_NUMBER_OUT:
    case ROLE_SIZE:
        name = local(test, name);
        line(&test->e, "%s = 0;", declared(type->kind == TYPE_POINTER ? type->of : type, name));
        call->arguments[i] = type->kind == TYPE_POINTER ? keep_format("&%s", name) : name;
        break;
    case ROLE_FILE: draw_file(test, call, i); break;
    case ROLE_NOTHING: call->arguments[i] = "NULL"; break;
    default:
        if (!test->is_making || type->kind != TYPE_POINTER || !type->name) return refuse_argument(p, i);
        call->arguments[i] = local(test, name);
        line(&test->e, "%s = NULL; /* a guess: it may be NULL */", declared(type, call->arguments[i]));
    }
    if (!call->arguments[i]) return false;
    if (is_shared)
        *PUSH(test->drawn, test->n_drawn, test->cap_drawn) =
            (struct drawn){parameter(p, i), type->key, call->arguments[i], call->length[i]};
    return true;
}

/* Draws inputs first, since the room of outputs depends on them. */
bool draw_rest(struct test *test, struct call *call)
{
    const struct roles *r = &call->roles;
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < r->p->n; i++) {
            int when = r->kind[i] == ROLE_SIZE ? 2 : r->kind[i] == ROLE_OUT;
            if (when == pass && !call->arguments[i] && !draw_argument(test, call, i)) return false;
        }
    return true;
}
