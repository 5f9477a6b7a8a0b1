/**
 * @fileoverview Registry of agent tools. Its TypeScript type tracks every registered tool, so lookups are type-safe.
 * @module agent/tools/tool-registry
 */
import { Registry } from "../shared/registry.js";
import { findToolProblems, type ToolDefinition } from "./define-tool.js";

/** Read-only access to registered tools. */
export interface ToolLookup {
  get(name: string): ToolDefinition | undefined;
  getAll(): readonly ToolDefinition[];
}

/** `Tools` extended with one tool. */
export type WithTool<Tools, Tool extends ToolDefinition> = Tools & { readonly [Name in Tool["name"]]: Tool };

/** Tool registry. Names are unique. */
export class ToolRegistry<Tools extends object = {}> extends Registry<ToolDefinition, Tools> {
  /**
   * Registers a tool. Returns the same registry, typed to include the tool.
   *
   * @throws {RegistrationError} if the definition is invalid or the name is already registered
   */
  register<const Tool extends ToolDefinition>(tool: Tool): ToolRegistry<WithTool<Tools, Tool>> {
    const { name } = Object(tool) as Partial<ToolDefinition>;
    this.add(tool, { name, problems: findToolProblems(tool), words: WORDS });
    // Safe: this is the same registry, typed to include the tool.
    return this as unknown as ToolRegistry<WithTool<Tools, Tool>>;
  }

  /** Creates an independent copy. Later registrations in one registry do not affect the other. */
  copy(): ToolRegistry<Tools> {
    return new ToolRegistry<Tools>().addAll(this);
  }
}

const WORDS = { definition: "Tool definition", name: "Tool" };
