/**
 * @fileoverview Several grouped tools together: found by name, chosen by tag, attached to a server.
 * @module grouped/registry
 */
import { isShown, type TagFilter } from "../../core/snapshot/tag-filter.js";
import { errorResult } from "../../core/definitions/tool-result.js";
import type { Exposition, ToolDraft, ToolSource } from "../../core/definitions/tool.js";
import type { McpToolDefinition, ToolResult } from "../../protocol/index.js";
import { attachTools, type DetachFn } from "./attach.js";
import type { CallableTool } from "../calls/callable-tools.js";
import type { ContextOf } from "./drafts.js";
import { describeUnknownTool } from "../calls/hints.js";

/** What a registry needs of a builder: every `GroupedToolBuilder` is one. */
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

/** How tools are attached to a server. */
export interface AttachOptions<Context> {
  /** The tools to serve; the others are neither listed nor callable. */
  readonly filter?: TagFilter;
  /**
   * Makes the context of a call from what the server knows of it: the `extra` of the official SDK, the `call` of ours.
   * Without it, handlers get that itself from the official SDK, and the server's own context from ours.
   */
  readonly contextFactory?: (extra: unknown) => Context | Promise<Context>;
  /** @default "grouped" */
  readonly expose?: Exposition;
}

/** Keeps grouped tools by name. */
export class ToolRegistry<Context = unknown> implements ToolSource {
  readonly #tools = new Map<string, GroupedTool<Context>>();

  /** Adds a tool, which is built by that. @throws where there is one of that name */
  register(tool: GroupedTool<Context>): this {
    const name = tool.getName();
    if (this.#tools.has(name)) throw new Error(`Tool "${name}" is already registered.`);
    tool.buildToolDefinition();
    this.#tools.set(name, tool);
    return this;
  }

  /** Adds several tools. */
  registerAll(...tools: readonly GroupedTool<Context>[]): this {
    for (const tool of tools) this.register(tool);
    return this;
  }

  /** The definitions of all tools. */
  getAllTools(): readonly McpToolDefinition[] {
    return this.getTools();
  }

  /** The definitions of the tools that a filter shows. */
  getTools(filter: TagFilter = {}): readonly McpToolDefinition[] {
    return this.#shown(filter).map((tool) => tool.buildToolDefinition());
  }

  /** Runs a tool. One that is not there, or that the filter hides, gives an error that lists those that are. */
  // oxlint-disable-next-line max-params -- F49 fixes the signature
  routeCall(ctx: Context, name: string, args: unknown, filter: TagFilter = {}): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (tool !== undefined && isShown(tool.getTags(), filter)) return tool.execute(ctx, args);
    const names = this.#shown(filter).map((one) => one.getName());
    return Promise.resolve(errorResult(describeUnknownTool(name, names)));
  }

  /**
   * Serves the tools on a server: `Server` or `McpServer` of the official SDK in its first or second generation, or
   * one of ours. On the official ones it takes over both tool methods, and must come before the server is connected
   * unless the capability `tools` is declared.
   *
   * @returns takes the tools away again
   * @throws for anything else
   */
  attachToServer(server: unknown, options: AttachOptions<Context> = {}): DetachFn {
    return attachTools(server, this.#shown(options.filter ?? {}), options);
  }

  /** For `.tools()` of a server. */
  toolDrafts(options: { readonly expose?: Exposition | undefined } = {}): readonly ToolDraft[] {
    return [...this.#tools.values()].flatMap((tool) => tool.toolDrafts(options));
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  clear(): void {
    this.#tools.clear();
  }

  get size(): number {
    return this.#tools.size;
  }

  #shown(filter: TagFilter): readonly GroupedTool<Context>[] {
    return [...this.#tools.values()].filter((tool) => isShown(tool.getTags(), filter));
  }
}
