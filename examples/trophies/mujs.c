/* MuJS: a number converted to a string and back is the same number (ECMAScript 5.1, 9.8.1 and 9.3.1). */
#include <mujs.h>
#include <sonde.h>
#include <stdio.h>

static void drop(void *js)
{
    js_freestate(js);
}

static void the_text_of_a_whole_number_is_read_as_that_number(sonde *t)
{
    js_State *js = js_newstate(NULL, NULL, 0);
    sonde_defer(t, drop, js);
    double number = sonde_int(t, "number", -1000, 1000);
    js_pushnumber(js, number);
    const char *text = js_tostring(js, -1);
    sonde_note(t, "its text: %s", text);
    js_pushstring(js, text);
    sonde_check_eq(t, js_tonumber(js, -1), number);
}

/* 9.8.1: as few digits as distinguish the number from its neighbours. A number read from one digit needs only one. */
static void a_digit_and_an_exponent_print_as_such(sonde *t)
{
    js_State *js = js_newstate(NULL, NULL, 0);
    sonde_defer(t, drop, js);
    int digit = sonde_int(t, "digit", 1, 9), exponent = sonde_int(t, "exponent", 21, 300);
    char text[16];
    snprintf(text, sizeof text, "%de+%d", digit, exponent);
    js_pushstring(js, text);
    js_pushnumber(js, js_tonumber(js, -1));
    sonde_check_eq(t, js_tostring(js, -1), (const char *)text);
}

SONDE_MAIN(the_text_of_a_whole_number_is_read_as_that_number, a_digit_and_an_exponent_print_as_such)
