/* D5: an array has as many keys as elements. */
#include "programs/program.h"

#include "mujs.h"

void program_property(sonde *t);

void program_property(sonde *t)
{
    static struct text text;
    text.n = 0;
    text_add(&text, "Object.keys([");
    sonde_list list = sonde_list_of(t, "elements", 0, 8);
    while (text_more(&list, &text, ", ")) text_add(&text, "%d", sonde_int(t, "element", -9, 9));
    text_add(&text, "]).length");
    js_State *js = js_newstate(NULL, NULL, 0);
    int keys = -1;
    if (js_ploadstring(js, "text", text.bytes) == 0) {
        js_pushundefined(js);
        if (js_pcall(js, 0) == 0) keys = js_toint32(js, -1);
    }
    js_freestate(js);
    sonde_note(t, "%s", text.bytes);
    sonde_check_eq(t, keys, (int)list.n);
}
