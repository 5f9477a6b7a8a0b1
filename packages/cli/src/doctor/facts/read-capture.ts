/**
 * @fileoverview Reads what a server declares: its handshake and its lists. A list that fails is recorded, so that a rule
 * can report it.
 * @module cli/doctor/facts/read-capture
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { ClientError } from "tenon/client";
import { META } from "tenon/protocol";
import { type Capture, type CapturedList, declares, LISTS, type ListMethod } from "./capture.js";

/** The part of a connected client that the doctor uses. */
export interface CaptureClient {
  /** Result of the handshake. */
  readonly server: JsonObject;
  /** Protocol revision in use. */
  readonly revision: string;
  /** Sends a request and returns its result. Rejects with a `ClientError` if the server responds with an error. */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
}

/** Reads a server's handshake and lists. Rejects if the connection fails. */
export async function readCapture(client: CaptureClient): Promise<Capture> {
  const { server: handshake, revision } = client;
  const { capabilities: declared, instructions } = handshake;
  const capabilities = isJsonObject(declared) ? declared : {};
  const budget = { bytes: MAX_BYTES };
  const lists: [string, CapturedList][] = [];
  for (const list of LISTS) {
    const read = declares(capabilities, list) ? await readList(client, list, budget) : { items: [] };
    lists.push([list.name, read]);
  }
  return {
    server: serverInfo(handshake),
    revision,
    capabilities,
    ...(typeof instructions === "string" ? { instructions } : {}),
    // Safe: there is one entry per list name.
    lists: Object.fromEntries(lists) as Capture["lists"],
  };
}

const MAX_PAGES = 1_000;
const MAX_ITEMS = 10_000;
/** Maximum size of all definitions, in characters of JSON. */
const MAX_BYTES = 32 * 1024 * 1024;

async function readList(
  client: CaptureClient,
  { name, method }: ListMethod,
  budget: { bytes: number },
): Promise<CapturedList> {
  const items: JsonObject[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  try {
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await client.request(method, cursor === undefined ? {} : { cursor });
      const list = result[name];
      if (!Array.isArray(list)) return { items, problem: { kind: "malformed" } };
      for (const item of list as unknown[]) {
        if (!isJsonObject(item)) continue;
        budget.bytes -= JSON.stringify(item).length;
        if (items.length >= MAX_ITEMS || budget.bytes < 0) return { items, problem: { kind: "too-long" } };
        items.push(item);
      }
      cursor = result["nextCursor"];
      if (cursor === undefined || cursor === null) return { items };
      if (cursors.has(cursor)) return { items, problem: { kind: "repeated-cursor" } };
      cursors.add(cursor);
    }
    return { items, problem: { kind: "too-long" } };
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    return { items, problem: { kind: "failed", code: error.code, message: error.message } };
  }
}

function serverInfo(handshake: JsonObject): JsonObject {
  const meta = isJsonObject(handshake["_meta"]) ? handshake["_meta"] : {};
  const info = handshake["serverInfo"] ?? meta[META.serverInfo];
  return isJsonObject(info) ? info : {};
}
