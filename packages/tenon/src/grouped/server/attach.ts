/**
 * @fileoverview Attaches grouped tools to an existing server. Servers are recognized by their methods. The official SDK
 * is not imported, so any version works.
 * @module grouped/attach
 */
import type { Call } from "../../core/call/call.js";
import { errorResult } from "../../core/definitions/tool-result.js";
import type { Exposition, ToolDraft, ToolSource } from "../../core/definitions/tool.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { ToolResult } from "../../protocol/index.js";
import { type CallableTool, describeFailure } from "../calls/callable-tools.js";
import type { ContextOf } from "./drafts.js";
import { describeUnknownTool } from "../calls/hints.js";

/** Removes the attached tools from the server. Repeated calls have no effect. */
export type DetachFn = () => void;

/** Methods of an official SDK server that are needed to attach tools. */
export interface McpServerLike {
  // Declared as a method, because the first parameter differs: a request schema in SDK v1, a method name in SDK v2.
  setRequestHandler(method: unknown, handler: (request: unknown, extra: unknown) => unknown): unknown;
  registerCapabilities?(capabilities: JsonObject): unknown;
}

/** Methods of a grouped tool that are needed to attach it. */
interface AttachableTool<Context> {
  getCallableTools(expose?: Exposition): readonly CallableTool<Context>[];
  toolDrafts(options?: {
    readonly expose?: Exposition | undefined;
    readonly contextOf?: ContextOf<Context> | undefined;
  }): readonly ToolDraft[];
}

interface AttachSettings<Context> {
  readonly contextFactory?: (extra: unknown) => Context | Promise<Context>;
  readonly expose?: Exposition;
}

/** Attaches tools to a Tenon server or an official SDK server. @throws if `server` is neither */
export function attachTools<Context>(
  server: unknown,
  tools: readonly AttachableTool<Context>[],
  settings: AttachSettings<Context>,
): DetachFn {
  const own = isFacade(server) ? server.build() : server;
  if (isOwnServer(own)) return attachToOwn(own, tools, settings);
  return attachToSdk(resolveSdkServer(server), tools, settings);
}

/** Methods of a Tenon server that are needed to attach tools. */
interface OwnServer {
  update(change: (editor: OwnEditor) => unknown): unknown;
}

interface OwnEditor {
  readonly plan: { readonly tools: readonly ToolDraft[] };
  tools(source: ToolSource): unknown;
  removeTool(name: string): unknown;
}

/** Recognizes `McpServer` from `@tenon/sdk`. Its `build()` always returns the same Tenon server. */
function isFacade(server: unknown): server is { build(): unknown } {
  return hasMethod(server, "build") && hasMethod(server, "connect");
}

function isOwnServer(server: unknown): server is OwnServer {
  return hasMethod(server, "update") && hasMethod(server, "handle");
}

function attachToOwn<Context>(
  server: OwnServer,
  tools: readonly AttachableTool<Context>[],
  { contextFactory, expose }: AttachSettings<Context>,
): DetachFn {
  const contextOf = contextFactory && ((call: Call) => contextFactory(call));
  const drafts = tools.flatMap((tool) => tool.toolDrafts({ expose, contextOf }));
  server.update((editor) => editor.tools({ toolDrafts: () => drafts }));
  return once(() => {
    server.update((editor) => {
      // The application may have removed some of these tools and reused their names.
      const present = new Set(editor.plan.tools);
      for (const draft of drafts) if (present.has(draft)) editor.removeTool(draft.name);
    });
  });
}

function resolveSdkServer(server: unknown): McpServerLike {
  const inner =
    typeof server === "object" && server !== null && "server" in server ? server.server : undefined;
  if (isServerLike(inner)) return inner;
  if (isServerLike(server)) return server;
  throw new Error(
    "attachToServer() requires a Server or McpServer instance. " +
      "The provided object does not have setRequestHandler().",
  );
}

function attachToSdk<Context>(
  server: McpServerLike,
  tools: readonly AttachableTool<Context>[],
  { contextFactory, expose }: AttachSettings<Context>,
): DetachFn {
  const callable = new Map<string, CallableTool<Context>>();
  for (const tool of tools.flatMap((one) => one.getCallableTools(expose))) {
    const { name } = tool.definition;
    if (callable.has(name)) throw new Error(`Tool "${name}" is already registered.`);
    callable.set(name, tool);
  }
  const definitions = Array.from(callable.values(), ({ definition }) => definition);
  declareTools(server);
  setHandler(server, "tools/list", () => ({ tools: definitions }));
  setHandler(server, "tools/call", async (request, extra): Promise<ToolResult> => {
    const { name, args } = readCall(request);
    const tool = callable.get(name);
    if (tool === undefined) return errorResult(describeUnknownTool(name, [...callable.keys()]));
    // Without a factory, the context is the SDK's `extra`, as documented for `contextFactory`.
    if (contextFactory === undefined) return tool.execute(extra as Context, args);
    let ctx: Context;
    try {
      ctx = await contextFactory(extra);
    } catch (error) {
      // The tool exists, so a failure is reported as a tool result, not as a protocol error.
      return describeFailure(`[${name}]`, error);
    }
    return tool.execute(ctx, args);
  });
  return once(() => {
    setHandler(server, "tools/list", () => ({ tools: [] }));
    setHandler(server, "tools/call", () => errorResult("Tool handlers have been detached"));
  });
}

/** Makes `detach` run only once. A second run would remove tools that were attached in the meantime. */
function once(detach: DetachFn): DetachFn {
  let attached = true;
  return () => {
    if (!attached) return;
    attached = false;
    detach();
  };
}

function declareTools(server: McpServerLike): void {
  try {
    server.registerCapabilities?.({ tools: {} });
  } catch {
    // The server is already connected. Handlers can still be set if it has declared the `tools` capability.
  }
}

/** Sets a handler by method name (SDK v2) or by request schema (SDK v1). */
function setHandler(
  server: McpServerLike,
  method: string,
  handler: (request: unknown, extra: unknown) => unknown,
): void {
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

function readCall(request: unknown): { readonly name: string; readonly args: unknown } {
  const params = isJsonObject(request) && isJsonObject(request["params"]) ? request["params"] : {};
  return { name: String(params["name"]), args: params["arguments"] };
}

function isServerLike(value: unknown): value is McpServerLike {
  return hasMethod(value, "setRequestHandler");
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && typeof (value as JsonObject)[name] === "function";
}
