/* Reads what --json prints and says whether each line is what docs/output.md promises: one object with these keys, of
 * these types, with a verdict, a reason to stop, and failures that carry what is needed to act on them. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int problems;

static void complain(int line, const char *key, const char *what)
{
    printf("line %d: \"%s\" %s\n", line, key, what);
    problems++;
}

/* s string, i integer, r number, a array, o object; upper case: may be null. */
static bool has_type(const json_t *value, char type)
{
    switch (type) {
    case 'S': return json_is_null(value) || json_is_string(value);
    case 's': return json_is_string(value);
    case 'i': return json_is_integer(value);
    case 'I': return json_is_null(value) || json_is_integer(value);
    case 'r': return json_is_number(value);
    case 'a': return json_is_array(value);
    case 'o': return json_is_object(value);
    default: return false;
    }
}

struct key {
    const char *name;
    char type;
};

static void check_keys(const json_t *object, const struct key *keys, size_t n, int line)
{
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_object_get(object, keys[i].name);
        if (!value) complain(line, keys[i].name, "is missing");
        else if (!has_type(value, keys[i].type)) complain(line, keys[i].name, "has another type");
    }
}

static void check_word(const json_t *object, const char *key, const char *allowed, int line)
{
    char wanted[64];
    const char *word = json_string_value(json_object_get(object, key));
    snprintf(wanted, sizeof wanted, " %s ", word ? word : "(none)");
    if (!strstr(allowed, wanted)) complain(line, key, wanted);
}

static void check_failure(const json_t *failure, int line)
{
    static const struct key keys[] = {{"id", 's'},          {"kind", 's'},  {"message", 's'}, {"file", 'S'},
                                      {"line", 'I'},        {"token", 'S'}, {"values", 'a'},  {"tests_to_failure", 'i'},
                                      {"shrink_calls", 'i'}};
    check_keys(failure, keys, sizeof keys / sizeof *keys, line);
    size_t i;
    json_t *value;
    json_array_foreach(json_object_get(failure, "values"), i, value)
    {
        if (!json_is_string(json_object_get(value, "path"))) complain(line, "path", "is no string");
        if (!json_object_get(value, "value")) complain(line, "value", "is missing");
    }
}

static void check_counts(const json_t *object, int line)
{
    json_int_t tests = json_integer_value(json_object_get(object, "tests"));
    json_int_t valid = json_integer_value(json_object_get(object, "valid"));
    json_int_t discarded = json_integer_value(json_object_get(object, "discarded"));
    json_int_t unique = json_integer_value(json_object_get(object, "unique_valid"));
    if (valid + discarded > tests) complain(line, "tests", "is less than valid and discarded");
    if (unique > valid) complain(line, "unique_valid", "is more than valid");
}

static void check_line(const char *text, int line)
{
    static const struct key keys[] = {
        {"property", 's'},     {"verdict", 's'},  {"tests", 'i'},  {"valid", 'i'},   {"discarded", 'i'},
        {"unique_valid", 'i'}, {"seconds", 'r'},  {"cpu_s", 'r'},  {"seed", 'i'},    {"guide", 's'},
        {"choices", 'i'},      {"failures", 'a'}, {"labels", 'o'}, {"targets", 'o'}, {"stopped", 's'},
    };
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!object) {
        complain(line, error.text, "is wrong with it");
        return;
    }
    check_keys(object, keys, sizeof keys / sizeof *keys, line);
    check_word(object, "verdict", " passed falsified exhausted gave_up flaky error interrupted not_run ", line);
    check_word(object, "stopped", " tests time found exhausted gave_up interrupted error flat ", line);
    check_counts(object, line);
    size_t i;
    json_t *failure;
    json_array_foreach(json_object_get(object, "failures"), i, failure) check_failure(failure, line);
    json_decref(object);
}

int main(void)
{
    char *text = NULL;
    size_t size = 0;
    int line = 0;
    while (getline(&text, &size, stdin) > 0) check_line(text, ++line);
    free(text);
    if (line == 0) complain(0, "input", "is empty");
    return problems != 0;
}
