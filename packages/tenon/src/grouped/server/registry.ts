/**
 * @fileoverview Registry of grouped tools: routes calls by name, filters tools by tag, and attaches them to a server.
 * @module tenon/grouped/server/registry
 */
import { isShown, type TagFilter } from "../../core/snapshot/tag-filter.js";
import { errorResult } from "../../core/definitions/results/tool-result.js";
import type { Exposition, ToolDraft, ToolSource } from "../../core/definitions/tool.js";
import { assertOptions } from "@tenon/internal/options/define-options";
import type { McpToolDefinition, ToolResult } from "../../protocol/index.js";
import {
  ATTACH_OPTIONS,
  type AttachOptions,
  attachTools,
  type DetachFn,
  type GroupedTool,
} from "./attach.js";
import { describeUnknownTool } from "../calls/hints.js";

/** Stores grouped tools by name, and serves them on a server or runs them directly. */
export class ToolRegistry<Context = unknown> implements ToolSource {
  readonly #tools = new Map<string, GroupedTool<Context>>();

  /** Adds a tool and builds it. @throws if the name is already registered or the tool is invalid */
  register(tool: GroupedTool<Context>): this {
    const name = tool.getName();
    if (this.#tools.has(name)) throw new Error(`Tool "${name}" is already registered.`);
    tool.buildToolDefinition();
    this.#tools.set(name, tool);
    return this;
  }

  /** Adds tools in order. If one fails, the tools before it stay registered. */
  registerAll(...tools: readonly GroupedTool<Context>[]): this {
    for (const tool of tools) this.register(tool);
    return this;
  }

  /** Returns the definitions of all tools. */
  getAllTools(): readonly McpToolDefinition[] {
    return this.getTools();
  }

  /** Returns the definitions of the tools that match a tag filter. */
  getTools(filter: TagFilter = {}): readonly McpToolDefinition[] {
    return this.#shown(filter).map((tool) => tool.buildToolDefinition());
  }

  /** Runs a tool by name. For an unknown or hidden tool, returns an error result that lists the available tools. */
  // oxlint-disable-next-line max-params -- F49 fixes the signature
  routeCall(ctx: Context, name: string, args: unknown, filter: TagFilter = {}): Promise<ToolResult> {
    const tool = this.#tools.get(name);
    if (tool !== undefined && isShown(tool.getTags(), filter)) return tool.execute(ctx, args);
    const names = this.#shown(filter).map((one) => one.getName());
    return Promise.resolve(errorResult(describeUnknownTool(name, names)));
  }

  /**
   * Serves the tools on a Tenon server, or on a `Server` or `McpServer` from the official SDK (v1 or v2). The server's
   * own tools stay available. Call it before an official server connects, unless the server declares the `tools`
   * capability.
   *
   * @returns a function that removes the tools
   * @throws if `server` is none of these, or already has a tool with the same name
   */
  attachToServer(server: unknown, options: AttachOptions<Context> = {}): DetachFn {
    assertOptions(ATTACH_OPTIONS, options);
    return attachTools(server, this.#shown(options.filter ?? {}), options);
  }

  /** Returns drafts for a server's `.tools()` method. Builds the tools. */
  toolDrafts(options: { readonly expose?: Exposition | undefined } = {}): readonly ToolDraft[] {
    return [...this.#tools.values()].flatMap((tool) => tool.toolDrafts(options));
  }

  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Removes all tools from the registry. Servers keep the tools that are already attached. */
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
