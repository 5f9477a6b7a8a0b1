/**
 * @fileoverview Lua scripts. Redis runs a script atomically, in one round trip.
 * @module redis/connection/script
 */
import type { Link, SendOptions } from "./link.js";

/** Lua script. */
export interface Script {
  /** Name that is unique among the scripts. */
  readonly name: string;
  readonly keys: number;
  /** Code without the first line, which `mode` determines. */
  readonly lua: string;
  /** @default adds */
  readonly mode?: ScriptMode;
}

/**
 * Effect of a script. Redis rejects a script that `adds` data before it starts if its memory is full. A script that
 * only `reads` or `frees` (or keeps) memory always runs.
 */
export type ScriptMode = "adds" | "frees" | "reads";

const FIRST_LINES: Readonly<Record<ScriptMode, string>> = {
  adds: "#!lua",
  frees: "#!lua flags=allow-oom",
  reads: "#!lua flags=no-writes",
};

/** Keys and arguments of a call. */
export interface ScriptCall extends SendOptions {
  readonly keys: readonly string[];
  readonly args?: readonly (string | number)[];
}

/** Runs a script. ioredis sends its text once for each connection, and its hash after that. */
export function runScript(link: Link, script: Script, call: ScriptCall): Promise<unknown> {
  const { name, keys: numberOfKeys } = script;
  return link.run((client) => {
    if (!(name in client)) {
      client.defineCommand(name, {
        lua: `${FIRST_LINES[script.mode ?? "adds"]}\n${script.lua}`,
        numberOfKeys,
      });
    }
    // Safe: `defineCommand` adds a method of this name, which takes keys and arguments.
    const run = Reflect.get(client, name) as (...values: readonly (string | number)[]) => Promise<unknown>;
    return run.call(client, ...call.keys, ...(call.args ?? []));
  }, call);
}
