/* json-c: a number printed without trailing zeros is still that number; an input in pieces parses like the whole. */
#include <json-c/json.h>
#include <sonde.h>
#include <stdlib.h>
#include <string.h>

static void drop(void *object)
{
    json_object_put(object);
}

static void drop_tokener(void *tokener)
{
    json_tokener_free(tokener);
}

/* JSON_C_TO_STRING_NOZERO: "Drop trailing zero for float values". */
static void a_number_without_trailing_zeros_is_the_same_number(sonde *t)
{
    double number = sonde_double(t, "number", -1e300, 1e300);
    json_object *object = json_object_new_double(number);
    sonde_defer(t, drop, object);
    const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_NOZERO);
    sonde_note(t, "printed as %s", text);
    sonde_check_eq(t, strtod(text, NULL), number);
}

/* Returns whether it is JSON. The first `cut` bytes are parsed separately; the final zero byte completes the input. */
static bool is_json(sonde *t, const char *text, size_t cut)
{
    json_tokener *tokener = json_tokener_new();
    sonde_defer(t, drop_tokener, tokener);
    int rest = (int)(strlen(text) - cut) + 1;
    if (cut > 0) {
        json_tokener_parse_ex(tokener, text, (int)cut);
        if (json_tokener_get_error(tokener) != json_tokener_continue) return false;
    }
    json_object *value = json_tokener_parse_ex(tokener, text + cut, rest);
    sonde_defer(t, drop, value);
    return json_tokener_get_error(tokener) == json_tokener_success;
}

static void pieces_are_parsed_like_the_whole(sonde *t)
{
    const char *text = sonde_string_of(t, "text", "0.-+e", 1, 4);
    size_t cut = sonde_size_t(t, "cut", 1, strlen(text));
    sonde_assume(t, !is_json(t, text, 0));
    sonde_check(t, !is_json(t, text, cut));
}

SONDE_MAIN(a_number_without_trailing_zeros_is_the_same_number, pieces_are_parsed_like_the_whole)
