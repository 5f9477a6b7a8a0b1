/**
 * @fileoverview Puts grouped tools on a server that is already there, whoever made it. Servers are known by their shape:
 * nothing of the official SDK is imported, so that any version of it will do.
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

/** Takes attached tools away again. */
export type DetachFn = () => void;

/** What is needed of a server of the official SDK. */
export interface McpServerLike {
  // A method, since what its versions take differs: a request schema in the first generation, a name in the second.
  setRequestHandler(method: unknown, handler: (request: unknown, extra: unknown) => unknown): unknown;
  registerCapabilities?(capabilities: JsonObject): unknown;
}

/** A tool that can be attached. */
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

/** Attaches tools. @throws for what is no server */
export function attachTools<Context>(
  server: unknown,
  tools: readonly AttachableTool<Context>[],
  settings: AttachSettings<Context>,
): DetachFn {
  const own = isFacade(server) ? server.build() : server;
  if (isOwnServer(own)) return attachToOwn(own, tools, settings);
  return attachToSdk(resolveSdkServer(server), tools, settings);
}

/** What is needed of a server of ours. */
interface OwnServer {
  update(change: (editor: OwnEditor) => unknown): unknown;
}

interface OwnEditor {
  readonly plan: { readonly tools: readonly ToolDraft[] };
  tools(source: ToolSource): unknown;
  removeTool(name: string): unknown;
}

/** An application's `McpServer` stands on a server of ours, always the same one. */
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
      // The application may have taken some away itself, and given their names to others.
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
    // Without a factory the context is what the SDK knows of the request, as its type then says.
    if (contextFactory === undefined) return tool.execute(extra as Context, args);
    let ctx: Context;
    try {
      ctx = await contextFactory(extra);
    } catch (error) {
      // The tool was found, so what fails from here on is a result.
      return describeFailure(`[${name}]`, error);
    }
    return tool.execute(ctx, args);
  });
  return once(() => {
    setHandler(server, "tools/list", () => ({ tools: [] }));
    setHandler(server, "tools/call", () => errorResult("Tool handlers have been detached"));
  });
}

/** Said twice, it must not take away what was attached in between. */
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
    // It is connected; if it declared tools before, the handlers can still be set.
  }
}

/** Sets a handler by the method's name, or, where that is refused, by the schema that older versions ask for. */
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
    `attachToServer() could not set the handler of ${method}. ` +
      'Attach before the server is connected, or declare its capability "tools".',
    // Which of the two tells the reason depends on the generation.
    { cause: new AggregateError(refusals, refusals.map(String).join("\n")) },
  );
}

/** As much of a request schema as the SDK reads: its method, and a parse that the SDK has done already. */
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
