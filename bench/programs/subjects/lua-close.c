/* D3: a generic `for` closes its fourth value once, however it is left. The bodies are statements that know nothing of each
 * other; an iteration may leave by break, return, or an error. */
#include "programs/program.h"

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

void program_property(sonde *t);

static void body(sonde *t, struct text *out)
{
    static const char *const statements[] = {"local x = i * 2;",
                                             "fs[#fs + 1] = function() return i end;",
                                             "do local y = i; fs[1] = function() return y end end;",
                                             "for k = 1, 2 do fs[k] = k end;",
                                             "while #fs > 3 do fs[#fs] = nil end;",
                                             "if i == 1 then fs.x = i end;"};
    static const char *const ends[] = {"",
                                       "break",
                                       "if i == 2 then break end;",
                                       "do break end;",
                                       "if i > 1 then return closed end;",
                                       "if i == 2 then error('x') end;"};
    sonde_list list = sonde_list_of(t, "statements", 0, 4);
    while (sonde_more(&list)) text_word(t, "statement", out, statements);
    text_word(t, "end", out, ends);
}

/* How often the value was closed, and how often by the end of the loop. */
struct counts {
    int closed, closed_by_loop;
};

static int on_close(lua_State *lua)
{
    struct counts *counts = lua_touserdata(lua, lua_upvalueindex(1));
    counts->closed++;
    return 0;
}

static int on_end(lua_State *lua)
{
    struct counts *counts = lua_touserdata(lua, lua_upvalueindex(1));
    counts->closed_by_loop = counts->closed;
    return 0;
}

static bool run(const struct text *text, struct counts *counts)
{
    lua_State *lua = luaL_newstate();
    if (!lua) return false;
    luaL_openlibs(lua);
    lua_pushlightuserdata(lua, counts);
    lua_pushcclosure(lua, on_close, 1);
    lua_setglobal(lua, "count");
    lua_pushlightuserdata(lua, counts);
    lua_pushcclosure(lua, on_end, 1);
    lua_setglobal(lua, "after");
    bool is_loaded = luaL_loadbufferx(lua, text->bytes, text->n, "=text", "t") == LUA_OK;
    if (is_loaded) (void)lua_pcall(lua, 0, 0, 0);
    lua_close(lua);
    return is_loaded;
}

void program_property(sonde *t)
{
    static struct text text;
    struct counts counts = {.closed = 0, .closed_by_loop = 1}; /* an error or a return passes the end by */
    text.n = 0;
    text_add(&text,
             "local fs = {}; local v = setmetatable({}, {__close = count});\n"
             "for i in function(_, i) if i < %d then return i + 1 end end, nil, 0, v do\n",
             sonde_int(t, "iterations", 0, 3));
    body(t, &text);
    text_add(&text, "\nend\nafter()\n");
    sonde_note(t, "%s", text.bytes);
    sonde_assume(t, run(&text, &counts));
    sonde_check_eq(t, counts.closed_by_loop, 1);
    sonde_check_eq(t, counts.closed, 1);
}
