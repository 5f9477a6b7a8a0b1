/**
 * @fileoverview Reads the name and the lists of a loaded server, with the same requests that a client sends.
 * @module cli/dev/server/read-facts
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { Connection, type HostedServer } from "tenon/host";
import { LATEST_LEGACY, META, MODERN_REVISIONS } from "tenon/protocol";
import { LIST_NAMES, type ListName, LISTS } from "../../client/list-feature.js";
import type { ServerFacts, ServerLists } from "../messages/messages.js";
import type { LoadedModule, ModuleServer } from "./load-module.js";

/** Reads the facts of a server. A list that fails or takes too long is left out. */
export async function readFacts({ server, context }: LoadedModule): Promise<ServerFacts> {
  if (server.type === "shared") return readShared(server.server, context);
  return readOwn(server, context);
}

/** Time in milliseconds for each list, because a list can come from the user's code. */
const LIST_MS = 2_000;
const MAX_PAGES = 100;
const CLIENT_INFO = { name: "tenon dev", version: "1.0.0" };

/** Sends a request and returns its result, or `undefined` if it failed. */
type Ask = (method: string, params: JsonObject) => Promise<JsonObject | undefined>;

async function readShared(server: HostedServer<unknown>, context: unknown): Promise<ServerFacts> {
  // The newest revision has the most complete definitions.
  const _meta = { [META.protocolVersion]: MODERN_REVISIONS.at(-1), [META.clientCapabilities]: {} };
  const connection = new Connection({ era: "modern" });
  const ask = createAsk(server, { context, connection, _meta });
  const { name = "server", version = "" } = server.info ?? {};
  return { name, version, isSingle: false, isShared: true, lists: await readLists(ask) };
}

/** Reads the facts of an official SDK server on a connection of its own. */
async function readOwn(
  source: Extract<ModuleServer, { type: "per-connection" }>,
  context: unknown,
): Promise<ServerFacts> {
  const server = await source.open("tenon-dev");
  const connection = new Connection();
  const detach = server.attach(connection, () => undefined);
  try {
    const ask = createAsk(server, { context, connection });
    const opened = await ask("initialize", {
      protocolVersion: LATEST_LEGACY,
      capabilities: {},
      clientInfo: CLIENT_INFO,
    });
    const info = isJsonObject(opened?.["serverInfo"]) ? opened["serverInfo"] : {};
    return {
      name: textOf(info["name"]) ?? "server",
      version: textOf(info["version"]) ?? "",
      isSingle: source.isSingle,
      isShared: false,
      lists: await readLists(ask),
    };
  } finally {
    detach();
    connection.close();
  }
}

interface Asker {
  readonly context: unknown;
  readonly connection: Connection;
  readonly _meta?: JsonObject;
}

function createAsk(server: HostedServer<unknown>, { context, connection, _meta }: Asker): Ask {
  let lastId = 0;
  return async (method, params) => {
    const id = `tenon-dev-${++lastId}`;
    const message = { jsonrpc: "2.0" as const, id, method, params: _meta ? { ...params, _meta } : params };
    const response = await server.handle(message, context, { connection, notify: () => undefined });
    const result = response.error === undefined ? response.toJSON()?.result : undefined;
    return isJsonObject(result) ? result : undefined;
  };
}

async function readLists(ask: Ask): Promise<ServerLists> {
  const lists = await Promise.all(LIST_NAMES.map((kind) => inTime(readList(ask, kind))));
  return Object.fromEntries(LIST_NAMES.map((kind, index) => [kind, lists[index]]));
}

async function readList(ask: Ask, kind: ListName): Promise<readonly JsonObject[] | undefined> {
  const items: JsonObject[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await ask(LISTS[kind].method, cursor === undefined ? {} : { cursor });
    const list = result?.[kind];
    if (!Array.isArray(list)) return undefined;
    items.push(...list.filter(isJsonObject));
    cursor = textOf(result?.["nextCursor"]);
    if (cursor === undefined) return items;
  }
  return items;
}

function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), LIST_MS);
    work.then(resolve, () => resolve(undefined)).finally(() => clearTimeout(timer));
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
