#include <stdint.h>
#include <stddef.h>
#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"
static void stop(lua_State *L, lua_Debug *ar) { luaL_error(L, "too long"); }
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  lua_State *L = luaL_newstate();
  luaL_requiref(L, "_G", luaopen_base, 1);
  luaL_requiref(L, "string", luaopen_string, 1);
  luaL_requiref(L, "table", luaopen_table, 1);
  luaL_requiref(L, "math", luaopen_math, 1);
  lua_pushnil(L); lua_setglobal(L, "dofile");
  lua_pushnil(L); lua_setglobal(L, "loadfile");
  lua_pushnil(L); lua_setglobal(L, "print");
  lua_settop(L, 0);
  lua_sethook(L, stop, LUA_MASKCOUNT, 2000);
  if (luaL_loadbufferx(L, (const char *)data, size, "=input", "t") == LUA_OK) lua_pcall(L, 0, 0, 0);
  lua_close(L);
  return 0;
}
