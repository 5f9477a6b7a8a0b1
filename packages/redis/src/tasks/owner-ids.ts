/**
 * @fileoverview Opaque IDs for principals, so that Redis can count their tasks without knowing them. They are keyed
 * digests. The key is in Redis, sealed.
 * @module redis/tasks/owner-ids
 */
import { createHmac, randomBytes } from "node:crypto";
import type { TaskEngineContext } from "tenon/tasks";
import type { Script } from "../connection/index.js";
import type { RedisCalls } from "./redis-calls.js";

/** Creates the IDs of principals. All nodes create the same ones. */
export class OwnerIds {
  readonly #context: Pick<TaskEngineContext, "sealer" | "server">;
  readonly #calls: RedisCalls;
  readonly #root: string;
  #key: Promise<string> | undefined;

  constructor(context: Pick<TaskEngineContext, "sealer" | "server">, calls: RedisCalls, root: string) {
    this.#context = context;
    this.#calls = calls;
    this.#root = root;
  }

  /** Returns the ID of a principal, or the empty string for callers without authentication. */
  async of(principal: string | null): Promise<string> {
    if (principal === null) return "";
    this.#key ??= this.#loadKey().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    const digest = createHmac("sha256", await this.#key)
      .update(principal)
      .digest("base64url");
    return digest.slice(0, ID_LENGTH);
  }

  /** Reads the key, or creates it. A key that cannot be opened any more is replaced. */
  async #loadKey(): Promise<string> {
    const { sealer, server } = this.#context;
    const place = JSON.stringify(["task owners", server]);
    const key = randomBytes(32).toString("base64url");
    const created = await sealer.seal(key, place);
    let unreadable = "";
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = String(await this.#calls.script(SET_KEY, this.#root, [unreadable, created]));
      const opened = await sealer.open(found, place);
      if (opened !== undefined) return opened;
      unreadable = found;
    }
    throw new Error("The key for the owners of tasks changes too often.");
  }
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

/** Length of an ID in characters. 22 characters of base64url have 132 bits. */
const ID_LENGTH = 22;

const MAX_ATTEMPTS = 5;
