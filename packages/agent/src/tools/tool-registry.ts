/**
 * @fileoverview Registry of agent tools by name. Its type records every registered tool, so that lookups are typed.
 * @module agent/tool-registry
 */
import { findToolProblems, type ToolDefinition } from "./define-tool.js";
import { RegistrationError } from "../shared/errors.js";

/** Looks up tools by name. */
export interface ToolLookup {
  get(name: string): ToolDefinition | undefined;
  getAll(): readonly ToolDefinition[];
}

/** Result of a lookup: the exact tool if the compiler knows the name, otherwise a tool or `undefined`. */
export type FoundTool<Tools, Name extends string> = string extends keyof Tools
  ? ToolDefinition | undefined
  : Name extends keyof Tools
    ? Tools[Name]
    : ToolDefinition | undefined;

/** `Tools` with one more tool. */
export type WithTool<Tools, Tool extends ToolDefinition> = Tools & { readonly [Name in Tool["name"]]: Tool };

/** Registry of tools by name. */
export class ToolRegistry<Tools extends object = {}> {
  readonly #tools = new Map<string, ToolDefinition>();

  /**
   * Adds a tool. Returns the same registry, with the tool in its type.
   *
   * @throws {RegistrationError} if the definition is invalid or the name is taken
   */
  register<const Tool extends ToolDefinition>(tool: Tool): ToolRegistry<WithTool<Tools, Tool>> {
    const problems = findToolProblems(tool);
    if (problems.length > 0) throw new RegistrationError(describeTool(tool, problems));
    if (this.#tools.has(tool.name)) {
      throw new RegistrationError(`Tool '${tool.name}' is already registered`);
    }
    this.#tools.set(tool.name, tool);
    // The registry now contains the tool.
    return this as unknown as ToolRegistry<WithTool<Tools, Tool>>;
  }

  /** Returns the definition that was registered for a name. */
  get<const Name extends string>(name: Name): FoundTool<Tools, Name> {
    // `register` added every name that `Tools` lists.
    return this.#tools.get(name) as FoundTool<Tools, Name>;
  }

  /** Checks if a tool is registered. */
  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** Returns all tools in the order of registration. */
  getAll(): readonly ToolDefinition[] {
    return [...this.#tools.values()];
  }

  /** Number of tools. */
  get size(): number {
    return this.#tools.size;
  }

  /** Creates an independent registry with the same definitions. */
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
