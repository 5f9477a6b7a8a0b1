/**
 * @fileoverview Reads what a server declares: its handshake, its lists, and its deadlines. Calls tools that only read. A list that fails is recorded, so that a rule
 * can report it.
 * @module cli/doctor/facts/read-capture
 */
import { isJsonObject, type JsonObject, readJson } from "@tenon/internal/json";
import { memoryOf } from "@tenon/internal/json-memory";
import { ClientError } from "tenon/client";
import { META } from "tenon/protocol";
import { type Capture, type CapturedCall, type CapturedList, type ToolSettings } from "./capture.js";
import { kindOf } from "@tenon/internal/kind-of";
import { LIST_NAMES, type ListName, LISTS } from "../../client/list-feature.js";
import { usageError } from "@tenon/internal/command-line/command";

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
  for (const list of LIST_NAMES) {
    const isDeclared = isJsonObject(capabilities[LISTS[list].capability]);
    const read = isDeclared ? await readList(client, list, budget) : { items: [] };
    lists.push([list, read]);
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
/** Maximum memory of all definitions, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;

async function readList(
  client: CaptureClient,
  name: ListName,
  budget: { bytes: number },
): Promise<CapturedList> {
  const items: JsonObject[] = [];
  const cursors = new Set<unknown>();
  let cursor: unknown;
  try {
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await client.request(LISTS[name].method, cursor === undefined ? {} : { cursor });
      const list = result[name];
      if (!Array.isArray(list)) return { items, problem: { kind: "malformed" } };
      for (const item of list as unknown[]) {
        if (!isJsonObject(item)) continue;
        budget.bytes -= memoryOf(item);
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

/** Call to make. */
export interface PlannedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** Results of calls. */
interface CallOutcome {
  readonly calls: readonly CapturedCall[];
  /** Number of calls without a result: the server responded with an error, asked for input, or created a task. */
  readonly skipped: number;
}

/** Selects the tools that are safe to call: those with `readOnlyHint: true` that require no arguments. */
export function planCalls(tools: readonly JsonObject[]): readonly PlannedCall[] {
  return tools
    .filter(({ annotations, inputSchema }) => {
      const isReadOnly = isJsonObject(annotations) && annotations["readOnlyHint"] === true;
      const required = isJsonObject(inputSchema) ? inputSchema["required"] : undefined;
      return isReadOnly && (required === undefined || (Array.isArray(required) && required.length === 0));
    })
    .flatMap(({ name }) => (typeof name === "string" ? [{ tool: name, arguments: {} }] : []))
    .slice(0, MAX_CALLS);
}

/**
 * Parses a file of calls: `[{ "tool": "search", "arguments": { "query": "x" } }]`.
 *
 * @throws {CliError} if the text does not have this form
 */
export function parseCalls(text: string, file: string): readonly PlannedCall[] {
  const list = readJson(text);
  if (list === undefined) throw usageError(`"${file}" is not valid JSON.`);
  if (!Array.isArray(list)) throw usageError(`"${file}" must contain a list of calls; got ${kindOf(list)}.`);
  if (list.length > MAX_CALLS) throw usageError(`"${file}" contains too many calls (limit: ${MAX_CALLS}).`);
  return (list as unknown[]).map((call, index) => {
    const { tool, arguments: args = {} } = isJsonObject(call) ? call : {};
    if (typeof tool === "string" && isJsonObject(args)) return { tool, arguments: args };
    throw usageError(
      `"${file}": call ${index + 1} must be an object with the name of a \`tool\` and an object of \`arguments\`.`,
    );
  });
}

/** Makes the calls one after the other. Rejects if the connection fails. */
export async function callTools(
  client: CaptureClient,
  planned: readonly PlannedCall[],
): Promise<CallOutcome> {
  const calls: CapturedCall[] = [];
  for (const { tool, arguments: args } of planned) {
    const result = await client
      .request("tools/call", { name: tool, arguments: args })
      .catch((error: unknown) => {
        if (error instanceof ClientError) return undefined;
        throw error;
      });
    const isComplete = result?.["resultType"] === undefined || result["resultType"] === "complete";
    if (result !== undefined && isComplete) calls.push({ tool, result });
  }
  return { calls, skipped: planned.length - calls.length };
}

/** Maximum number of calls. */
const MAX_CALLS = 50;

/** Reads the deadlines of a server's tools. Returns `undefined` if the server does not describe them. */
export function readSettings(server: unknown): readonly ToolSettings[] | undefined {
  const tools = describedTools(server);
  if (tools === undefined || !tools.every((tool) => Object.hasOwn(tool, "deadlineMs"))) return undefined;
  return tools.flatMap(({ definition, deadlineMs }) => {
    const name = isJsonObject(definition) ? definition["name"] : undefined;
    return typeof name === "string"
      ? [{ tool: name, deadlineMs: typeof deadlineMs === "number" ? deadlineMs : null }]
      : [];
  });
}

function describedTools(server: unknown): readonly JsonObject[] | undefined {
  if (typeof server !== "object" || server === null || !("describe" in server)) return undefined;
  if (typeof server.describe !== "function") return undefined;
  const description: unknown = server.describe();
  const tools = isJsonObject(description) ? description["tools"] : undefined;
  return Array.isArray(tools) ? (tools as unknown[]).filter(isJsonObject) : undefined;
}
