/* An interpreter that a program makes when it first needs one, and keeps: a global of one script is there for the next. */
#include <sonde.h>

#include <lua5.4/lauxlib.h>
#include <lua5.4/lua.h>
#include <lua5.4/lualib.h>

#include <stdlib.h>

static lua_State *interpreter;

/* Returns the result of a script as a number; 0 if the script returns nothing. */
static int run_script(const char *script)
{
    if (!interpreter) interpreter = luaL_newstate();
    lua_settop(interpreter, 0);
    if (luaL_dostring(interpreter, script)) return -1;
    return (int)lua_tointeger(interpreter, -1);
}

static void scripts_have_their_own_globals(sonde *t)
{
    char script[64];
    int x = sonde_int(t, "x", 0, 99);
    bool forgets = sonde_bool(t, "forgets");
    snprintf(script, sizeof script, forgets ? "total = (total or 0) + %d; return total" : "local total = %d; return total", x);
    sonde_check_eq(t, run_script(script), x);
}

int main(int argc, char **argv)
{
    sonde_property all = {.name = "scripts_have_their_own_globals",
                          .run = scripts_have_their_own_globals,
                          .reset = getenv("NO_RESET") ? SONDE_NO_RESET : SONDE_GLOBALS};
    return sonde_main(argc, argv, &all, 1);
}
