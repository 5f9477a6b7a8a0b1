/**
 * @fileoverview Registry of agent tools. Its TypeScript type tracks every registered tool, so lookups are type-safe.
 * @module agent/tool-registry
 */
import { findToolProblems, type ToolDefinition } from "./define-tool.js";
import { RegistrationError } from "../shared/errors.js";

/** Read-only access to registered tools. */
export interface ToolLookup {
  get(name: string): ToolDefinition | undefined;
  getAll(): readonly ToolDefinition[];
}

/** Lookup result: the exact tool if the name is known at compile time, otherwise `ToolDefinition | undefined`. */
export type FoundTool<Tools, Name extends string> = string extends keyof Tools
  ? ToolDefinition | undefined
  : Name extends keyof Tools
    ? Tools[Name]
    : ToolDefinition | undefined;

/** `Tools` extended with one tool. */
export type WithTool<Tools, Tool extends ToolDefinition> = Tools & { readonly [Name in Tool["name"]]: Tool };

/** Tool registry. Names are unique. */
export class ToolRegistry<Tools extends object = {}> {
  readonly #tools = new Map<string, ToolDefinition>();

  /**
   * Registers a tool. Returns the same registry, typed to include the tool.
   *
   * @throws {RegistrationError} if the definition is invalid or the name is already registered
   */
  register<const Tool extends ToolDefinition>(tool: Tool): ToolRegistry<WithTool<Tools, Tool>> {
    const problems = findToolProblems(tool);
    if (problems.length > 0) throw new RegistrationError(describeTool(tool, problems));
    if (this.#tools.has(tool.name)) {
      throw new RegistrationError(`Tool '${tool.name}' is already registered`);
    }
    this.#tools.set(tool.name, tool);
    // Safe: this is the same registry, typed to include the tool.
    return this as unknown as ToolRegistry<WithTool<Tools, Tool>>;
  }

  /** Returns the tool registered under a name, or `undefined` if there is none. */
  get<const Name extends string>(name: Name): FoundTool<Tools, Name> {
    // Safe: `register` adds every name in `Tools`.
    return this.#tools.get(name) as FoundTool<Tools, Name>;
  }

  /** Returns true if a tool is registered. */
  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Returns all tools in registration order. */
  getAll(): readonly ToolDefinition[] {
    return [...this.#tools.values()];
  }

  /** Number of registered tools. */
  get size(): number {
    return this.#tools.size;
  }

  /** Creates an independent copy. Later registrations in one registry do not affect the other. */
  copy(): ToolRegistry<Tools> {
    const copy = new ToolRegistry<Tools>();
    for (const [name, tool] of this.#tools) copy.#tools.set(name, tool);
    return copy;
  }
}

function describeTool(tool: unknown, problems: readonly string[]): string {
  const { name } = Object(tool) as { readonly name?: unknown };
  const named = typeof name === "string" && name !== "" ? ` '${name.slice(0, 128)}'` : "";
  return `Tool definition${named} is invalid: ${problems.join("; ")}.`;
}
