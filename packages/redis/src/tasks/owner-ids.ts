/**
 * @fileoverview Opaque IDs for principals, so that Redis can count their tasks without knowing them.
 * @module redis/tasks/owner-ids
 */
import { systemPorts } from "@tenon/internal/ports";
import { OwnerIds } from "@tenon/internal/security/owner-ids";
import { encodeUtf8 } from "@tenon/internal/utf8";
import type { TaskEngineContext } from "tenon/tasks";
import type { Script } from "../connection/index.js";
import type { RedisCalls } from "./redis-calls.js";

/** Creates the IDs of principals. Their key is in Redis. */
export function createOwnerIds(
  { sealer, server }: Pick<TaskEngineContext, "sealer" | "server">,
  calls: RedisCalls,
  root: string,
): OwnerIds {
  return new OwnerIds({
    ports: systemPorts,
    sealer,
    name: JSON.stringify(["task owners", server]),
    toKey: encodeUtf8,
    exchange: async (created, unreadable = "") =>
      String(await calls.script(SET_KEY, root, [unreadable, created])),
  });
}

/** Sets the key if there is none or if it is the given unreadable one. Returns the current key. */
const SET_KEY: Script = {
  name: "tenonTaskOwnerKey",
  keys: 1,
  lua: `
local name = KEYS[1] .. ':owner-key'
local found = redis.call('GET', name)
if found and found ~= ARGV[1] then return found end
redis.call('SET', name, ARGV[2])
return ARGV[2]
`,
};
