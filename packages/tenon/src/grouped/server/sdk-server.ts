/**
 * @fileoverview Adds tools to an official SDK server and keeps its existing tools. The SDK does not have a method to
 * read a handler, so this file reads its internal handler map. A server that has tools but not this map is rejected.
 * @module tenon/grouped/server/sdk-server
 */
import { errorResult } from "../../core/definitions/results/tool-result.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { McpToolDefinition, ToolResult } from "../../protocol/index.js";
import { describeUnknownTool } from "../calls/hints.js";

/** Official SDK server methods required to attach tools. */
export interface McpServerLike {
  // Declared as a method, because the first parameter differs: a request schema in SDK v1, a method name in SDK v2.
  setRequestHandler(method: unknown, handler: (request: unknown, extra: unknown) => unknown): unknown;
  registerCapabilities?(capabilities: JsonObject): unknown;
}

/** Tool to add to a server. */
export interface SdkTool {
  readonly name: string;
  /** Returns the definition for the caller of a request, or `undefined` if the caller may not use the tool. */
  definitionFor(extra: unknown): McpToolDefinition | undefined;
  /** Runs the tool for a caller that may use it. */
  call(args: unknown, extra: unknown): Promise<ToolResult>;
}

/** Server to add tools to. */
export interface SdkTarget {
  readonly server: McpServerLike;
  /** `McpServer` around the server, if any. */
  readonly outer: unknown;
}

/**
 * Adds tools to a server. Returns a function that removes them. The server's own tools stay available.
 *
 * @throws if a name is already registered, or if the server does not accept the handlers
 */
export function addToSdkServer(target: SdkTarget, tools: readonly SdkTool[]): () => void {
  const { server, outer } = target;
  const attached = findAttached(server) ?? createAttached(target);
  const taken = new Set([...(registeredNames(outer) ?? []), ...attached.tools.keys()]);
  for (const { name } of tools) {
    if (taken.has(name)) throw new Error(`Tool "${name}" is already registered.`);
    taken.add(name);
  }
  declareTools(server);
  setHandler(server, "tools/list", (request, extra) => listTools(attached, request, extra));
  setHandler(server, "tools/call", (request, extra) => callTool(attached, request, extra));
  for (const tool of tools) attached.tools.set(tool.name, tool);
  const handlers = handlersOf(server);
  attached.installed = readHandlers(handlers);
  attachedTo.set(handlers ?? server, attached);
  return () => {
    for (const { name } of tools) attached.tools.delete(name);
  };
}

/** Returns the names of an `McpServer`'s own tools, or `undefined` for a server that does not have the list. */
function registeredNames(outer: unknown): ReadonlySet<string> | undefined {
  const registered = isJsonObject(outer) ? outer["_registeredTools"] : undefined;
  return isJsonObject(registered) ? new Set(Object.keys(registered)) : undefined;
}

type Handler = (request: unknown, extra: unknown) => unknown;

const METHODS = ["tools/list", "tools/call"] as const;

type Handlers = Partial<Record<(typeof METHODS)[number], Handler>>;

/** Tools attached to a server, possibly from more than one registry. */
interface Attached {
  readonly tools: Map<string, SdkTool>;
  /** The server's own handlers, as the SDK stores them. */
  readonly own: Handlers;
  /** Reads the names of the server's own tools, if it has a list of them. */
  readonly ownNames: () => ReadonlySet<string> | undefined;
  /** Handlers of the attached tools, in the same form. If the current handlers differ, the application replaced them. */
  installed: Handlers;
}

/** Attached tools by the SDK's handler map, or by server if the map cannot be read. */
const attachedTo = /* @__PURE__ */ new WeakMap<object, Attached>();

/** Finds the tools attached to a server, unless the application has replaced their handlers. */
function findAttached(server: McpServerLike): Attached | undefined {
  const handlers = handlersOf(server);
  const attached = attachedTo.get(handlers ?? server);
  if (attached === undefined || handlers === undefined) return attached;
  return METHODS.every((method) => handlers.get(method) === attached.installed[method])
    ? attached
    : undefined;
}

function createAttached({ server, outer }: SdkTarget): Attached {
  const handlers = handlersOf(server);
  if (handlers === undefined) assertNoHandlers(server);
  const ownNames = () => registeredNames(outer);
  return { tools: new Map(), own: readHandlers(handlers), ownNames, installed: {} };
}

/** Lists the server's own tools, then the attached ones. Further pages contain only the server's own tools. */
function listTools({ tools, own }: Attached, request: unknown, extra: unknown): unknown {
  const definitions = [...tools.values()].flatMap((tool) => tool.definitionFor(extra) ?? []);
  const list = own["tools/list"];
  if (list === undefined) return { tools: definitions };
  const isFirst = readParams(request)["cursor"] === undefined;
  return Promise.resolve(list(request, extra)).then((result) => {
    const page = isJsonObject(result) ? result : {};
    const listed: readonly unknown[] = Array.isArray(page["tools"]) ? page["tools"] : [];
    // A tool registered later with the name of an attached tool cannot be called.
    const kept = listed.filter((tool) => !(isJsonObject(tool) && tools.has(String(tool["name"]))));
    return { ...page, tools: isFirst ? [...kept, ...definitions] : kept };
  });
}

function callTool({ tools, own, ownNames }: Attached, request: unknown, extra: unknown): unknown {
  const params = readParams(request);
  const name = String(params["name"]);
  const tool = tools.get(name);
  // A tool that the caller may not use is reported like one that does not exist.
  if (tool?.definitionFor(extra) !== undefined) return tool.call(params["arguments"], extra);
  const names = ownNames();
  const isDetached = tools.size === 0;
  const call = own["tools/call"];
  // A server that does not list its tools may have any tool.
  const isOwn = names === undefined || names.has(name) || (isDetached && names.size > 0);
  if (call !== undefined && isOwn) return call(request, extra);
  return errorResult(
    isDetached
      ? "Tool handlers have been detached"
      : describeUnknownTool(name, [...(names ?? []), ...namesFor(tools, extra)]),
  );
}

/** Returns the names of the attached tools that the caller of a request may use. */
function namesFor(tools: Attached["tools"], extra: unknown): readonly string[] {
  return [...tools.values()]
    .filter((tool) => tool.definitionFor(extra) !== undefined)
    .map(({ name }) => name);
}

function readParams(request: unknown): JsonObject {
  return isJsonObject(request) && isJsonObject(request["params"]) ? request["params"] : {};
}

/** Returns the SDK's internal handler map, if the server has it. */
function handlersOf(server: McpServerLike): Map<string, Handler> | undefined {
  const { _requestHandlers: handlers } = server as { readonly _requestHandlers?: unknown };
  return handlers instanceof Map ? (handlers as Map<string, Handler>) : undefined;
}

function readHandlers(handlers: ReadonlyMap<string, Handler> | undefined): Handlers {
  return Object.fromEntries(
    METHODS.flatMap((method) => {
      const handler = handlers?.get(method);
      return handler === undefined ? [] : [[method, handler]];
    }),
  );
}

/** Asserts that attaching does not drop the server's own tools, as far as this can be determined. */
function assertNoHandlers(server: McpServerLike): void {
  const { assertCanSetRequestHandler: assertFree } = server as {
    readonly assertCanSetRequestHandler?: unknown;
  };
  if (typeof assertFree !== "function") return;
  try {
    for (const method of METHODS) assertFree.call(server, method);
  } catch (error) {
    throw new Error(
      "attachToServer() would drop the tools that the server already has. " +
        "Attach to a server without tools, or move its tools to the registry.",
      { cause: error },
    );
  }
}

function declareTools(server: McpServerLike): void {
  try {
    server.registerCapabilities?.({ tools: {} });
  } catch {
    // Ignore the error: the server is already connected. Handlers can still be set if it has declared the `tools`
    // capability.
  }
}

/** Sets a handler by method name (SDK v2) or by request schema (SDK v1). */
function setHandler(server: McpServerLike, method: string, handler: Handler): void {
  const refusals: unknown[] = [];
  for (const given of [method, toRequestSchema(method)]) {
    try {
      server.setRequestHandler(given, handler);
      return;
    } catch (error) {
      refusals.push(error);
    }
  }
  throw new Error(
    `attachToServer() could not set the handler for ${method}. ` +
      'Attach before the server connects, or declare its "tools" capability.',
    // Only one of the two errors explains the problem. The SDK version determines which one.
    { cause: new AggregateError(refusals, refusals.map(String).join("\n")) },
  );
}

/**
 * Creates a request schema with only the members that the SDK reads. Requests are already parsed, so its parsers
 * return them unchanged.
 */
function toRequestSchema(method: string): unknown {
  return {
    shape: { method: { value: method } },
    parse: (data: unknown) => data,
    safeParse: (data: unknown) => ({ success: true, data }),
  };
}
