/* P10: Lua, compiled and not run. Valid: a chunk that loads, which is easier than to run to the end (lua.c). */
#include "programs/program.h"

#include "lauxlib.h"
#include "lua.h"

void program_start(void) {}

bool program_run(const char *text, size_t n)
{
    lua_State *lua = luaL_newstate();
    if (!lua) return false;
    bool is_valid = luaL_loadbufferx(lua, text, n, "=text", "t") == LUA_OK;
    lua_close(lua);
    return is_valid;
}
