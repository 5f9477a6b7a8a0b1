/**
 * @fileoverview Opens targets by name when they are first used, and closes them.
 * @module tools/fuzz/targets/pool
 */
import type { Target } from "../block.js";
import { createEventsTarget, createJsonTarget, createProgramTarget } from "./clients.js";
import { createFetchTarget, createHttpTarget } from "./http.js";
import { createRawHttpTarget, createRawWebSocketTarget } from "./raw-bytes.js";
import { createReceiveTarget } from "./receive.js";
import { ServerProgram } from "./server-process.js";
import { createProcessTarget, createStreamsTarget } from "./streams.js";
import { createWebSocketTarget } from "./websocket.js";

/** Name of a target. `stdio-ordered` has only handlers that reply at once. */
export type TargetName = keyof typeof OPEN;

type Program = () => ServerProgram;

const OPEN = {
  receive: () => createReceiveTarget(),
  stdio: () => createStreamsTarget("stdio"),
  "stdio-ordered": () => createStreamsTarget("stdio-ordered", "immediate"),
  "stdio-process": (program: Program) => createProcessTarget(program().path),
  http: async (program: Program) => createHttpTarget(await program().start("http")),
  fetch: () => createFetchTarget(),
  websocket: async (program: Program) => createWebSocketTarget(await program().start("websocket")),
  "http-bytes": async (program: Program) => createRawHttpTarget(await program().start("http")),
  "websocket-bytes": async (program: Program) => createRawWebSocketTarget(await program().start("websocket")),
  "client-json": () => createJsonTarget(),
  "client-events": () => createEventsTarget(),
  "client-stdio": () => createProgramTarget(),
} as const satisfies Readonly<Record<string, (program: Program) => Promise<Target> | Target>>;

/** Targets that have been used. */
export class TargetPool {
  readonly #open = new Map<TargetName, Promise<Target>>();
  #program: ServerProgram | undefined;

  /** Returns a target. Opens it on first use. */
  get(name: TargetName): Promise<Target> {
    const known = this.#open.get(name);
    if (known !== undefined) return known;
    const opened = Promise.resolve(OPEN[name](() => (this.#program ??= new ServerProgram())));
    this.#open.set(name, opened);
    return opened;
  }

  /** Closes a target, so that the next use opens it again. */
  async close(name: TargetName): Promise<void> {
    const known = this.#open.get(name);
    this.#open.delete(name);
    await (await known)?.close();
  }

  /** Closes all targets, and removes the files of the server program. */
  async closeAll(): Promise<void> {
    for (const name of this.#open.keys()) await this.close(name);
    this.#program?.remove();
  }
}

/** Narrows text to the name of a target. */
export function isTargetName(name: string): name is TargetName {
  return Object.hasOwn(OPEN, name);
}
