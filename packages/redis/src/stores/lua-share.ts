/**
 * @fileoverview Lua code for fair shares of a limit, like `hasShare` for stores in memory.
 * @module redis/stores/lua-share
 */

/** Lua function that returns true if an owner may get more. `free` must stay free for each unit that the owner has. */
export const LUA_HAS_SHARE = `
local function hasShare(own, more, total, limit, free)
  return limit - total - more >= math.floor(own * free)
end
`;
