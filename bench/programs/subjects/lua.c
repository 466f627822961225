/* P3: Lua. Valid: a chunk that loads and runs to its end within so many instructions and so much memory. */
#include "programs/program.h"

#include "lauxlib.h"
#include "lua.h"
#include "lualib.h"

#include <stdlib.h>

enum { INSTRUCTIONS = 20000, STEP = 1000, MEMORY = 8 << 20 };

static size_t memory_used;
static int instructions_left;

static void *allocate(void *user, void *old, size_t old_size, size_t size)
{
    (void)user;
    if (!old) old_size = 0; /* then it is a type */
    if (size > old_size && memory_used + (size - old_size) > MEMORY) return NULL;
    void *made = NULL;
    if (size == 0) free(old);
    else made = realloc(old, size);
    if (made || size == 0) memory_used += size - old_size;
    return made;
}

/* A program may catch the error and continue: then it meets the next one at once. */
static void limit(lua_State *lua, lua_Debug *where)
{
    (void)where;
    instructions_left -= STEP;
    if (instructions_left > 0) return;
    lua_sethook(lua, limit, LUA_MASKCOUNT, 1);
    luaL_error(lua, "too long");
}

static int do_nothing(lua_State *lua)
{
    (void)lua;
    return 0;
}

static void open_libraries(lua_State *lua)
{
    static const char *const taken_away[] = {"print", "dofile", "loadfile", "load", "collectgarbage", "warn"};
    luaL_requiref(lua, "_G", luaopen_base, 1);
    luaL_requiref(lua, "string", luaopen_string, 1);
    luaL_requiref(lua, "table", luaopen_table, 1);
    luaL_requiref(lua, "math", luaopen_math, 1);
    luaL_requiref(lua, "coroutine", luaopen_coroutine, 1);
    for (size_t i = 0; i < sizeof taken_away / sizeof *taken_away; i++) {
        lua_pushcfunction(lua, do_nothing);
        lua_setglobal(lua, taken_away[i]);
    }
    lua_settop(lua, 0);
}

void program_start(void) {}

bool program_run(const char *text, size_t n)
{
    memory_used = 0;
    instructions_left = INSTRUCTIONS;
    lua_State *lua = lua_newstate(allocate, NULL);
    if (!lua) return false;
    open_libraries(lua);
    lua_sethook(lua, limit, LUA_MASKCOUNT, STEP);
    bool is_valid = luaL_loadbufferx(lua, text, n, "=text", "t") == LUA_OK && lua_pcall(lua, 0, 0, 0) == LUA_OK;
    if (instructions_left <= 0) is_valid = false;
    lua_close(lua);
    return is_valid;
}
