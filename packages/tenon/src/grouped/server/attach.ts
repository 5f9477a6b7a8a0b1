/**
 * @fileoverview Attaches grouped tools to an existing server. Servers are recognized by their methods. The official SDK
 * is not imported, so any version works.
 * @module tenon/grouped/server/attach
 */
import type { Call } from "../../core/call/call.js";
import type { Exposition, ToolDraft, ToolSource } from "../../core/definitions/tool.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom, oneOf } from "@tenon/internal/options/option-rows";
import type { TagFilter } from "../../core/snapshot/tag-filter.js";
import type { McpToolDefinition, ToolResult } from "../../protocol/index.js";
import { errorResult } from "../../core/definitions/results/tool-result.js";
import { type CallableTool, describeFailure } from "../calls/callable-tools.js";
import { describeUnknownTool } from "../calls/hints.js";
import type { ContextOf } from "./drafts.js";
import { addToSdkServer, type McpServerLike } from "./sdk-server.js";

/** Removes the attached tools from the server. Repeated calls have no effect. */
export type DetachFn = () => void;

/** Builder methods that a registry calls. Every `GroupedToolBuilder` implements them. */
export interface GroupedTool<Context> {
  getName(): string;
  getTags(): readonly string[];
  buildToolDefinition(): McpToolDefinition;
  readonly execute: (ctx: Context, args: unknown) => Promise<ToolResult>;
  getCallableTools(expose?: Exposition): readonly CallableTool<Context>[];
  toolDrafts(options?: {
    readonly expose?: Exposition | undefined;
    readonly contextOf?: ContextOf<Context> | undefined;
  }): readonly ToolDraft[];
}

/** Options for attaching tools to a server. */
export const ATTACH_OPTIONS = /* @__PURE__ */ defineOptions("attachToServer", {
  /** Tags that select the tools to serve. Other tools are not listed and cannot be called. */
  filter: custom<TagFilter>({ aliases: ["tags"] }),
  /** Creates the application context of a call. */
  contextFactory: callback<unknown>({ aliases: ["context", "createContext"] }),
  /** Serves each builder as one tool (`grouped`) or each action as one tool (`flat`). @default "grouped" */
  expose: oneOf(["grouped", "flat"], { default: "grouped" }),
});

/** Options for attaching tools to a server. */
export interface AttachOptions<Context> extends OptionsOf<typeof ATTACH_OPTIONS> {
  /**
   * Creates the context for a call. It receives `extra` on an official SDK server and `call` on a Tenon server.
   *
   * @default handlers get `extra` itself on an official SDK server, and the server's own context on a Tenon server
   */
  readonly contextFactory?: ((extra: unknown) => Context | Promise<Context>) | undefined;
}

/** Attaches tools to a Tenon server or an official SDK server. @throws if `server` is of a different type */
export function attachTools<Context>(
  server: unknown,
  tools: readonly GroupedTool<Context>[],
  settings: AttachOptions<Context>,
): DetachFn {
  const own = isFacade(server) ? server.build() : server;
  if (isOwnServer(own)) return attachToOwn(own, tools, settings);
  return attachToSdk(server, tools, settings);
}

/** Tenon server methods required to attach tools. */
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
  tools: readonly GroupedTool<Context>[],
  { contextFactory, expose }: AttachOptions<Context>,
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

function attachToSdk<Context>(
  server: unknown,
  tools: readonly GroupedTool<Context>[],
  { contextFactory, expose }: AttachOptions<Context>,
): DetachFn {
  const target = { server: resolveSdkServer(server), outer: server };
  const call = async (given: CallableTool<Context>, args: unknown, extra: unknown): Promise<ToolResult> => {
    const tool = toolFor(given, extra);
    if (tool === undefined) return errorResult(describeUnknownTool(given.definition.name, []));
    // Safe: without a factory, the context is the SDK's `extra`, as documented for `contextFactory`.
    if (contextFactory === undefined) return tool.execute(extra as Context, args);
    let ctx: Context;
    try {
      ctx = await contextFactory(extra);
    } catch (error) {
      // The tool exists, so a failure is reported as a tool result, not as a protocol error.
      return describeFailure(`[${tool.definition.name}]`, error);
    }
    return tool.execute(ctx, args);
  };
  const callable = tools.flatMap((tool) => tool.getCallableTools(expose));
  return once(
    addToSdkServer(
      target,
      callable.map((tool) => ({
        name: tool.definition.name,
        definitionFor: (extra) => toolFor(tool, extra)?.definition,
        call: (args, extra) => call(tool, args, extra),
      })),
    ),
  );
}

/** Returns the tool with the actions that the caller of a request may use, or `undefined` if there are none. */
function toolFor<Context>(tool: CallableTool<Context>, extra: unknown): CallableTool<Context> | undefined {
  const scopes = tool.select === undefined ? undefined : scopesOf(extra);
  return scopes === undefined ? tool : tool.select?.(scopes);
}

/** Returns the caller's scopes, or `undefined` if the server does not authenticate callers. */
function scopesOf(extra: unknown): readonly string[] | undefined {
  const { authInfo, http } = isJsonObject(extra) ? extra : {};
  // Version 1 of the SDK has `extra.authInfo`, and version 2 has `ctx.http.authInfo`.
  const info = authInfo ?? (isJsonObject(http) ? http["authInfo"] : undefined);
  if (!isJsonObject(info)) return undefined;
  const scopes: readonly unknown[] = Array.isArray(info["scopes"]) ? info["scopes"] : [];
  return scopes.filter((scope) => typeof scope === "string");
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

function isServerLike(value: unknown): value is McpServerLike {
  return hasMethod(value, "setRequestHandler");
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === "object" && value !== null && typeof (value as JsonObject)[name] === "function";
}
