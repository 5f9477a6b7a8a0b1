/**
 * @fileoverview Registry of agent tools. Its type records every registered tool, so lookups by name are typed.
 * @module agent/tool-registry
 */
import { findToolProblems, type ToolDefinition } from "./define-tool.js";
import { RegistrationError } from "../shared/errors.js";

/** Read-only access to registered tools. */
export interface ToolLookup {
  get(name: string): ToolDefinition | undefined;
  getAll(): readonly ToolDefinition[];
}

/** Lookup result: the exact tool type if the compiler knows the name, otherwise a tool or `undefined`. */
export type FoundTool<Tools, Name extends string> = string extends keyof Tools
  ? ToolDefinition | undefined
  : Name extends keyof Tools
    ? Tools[Name]
    : ToolDefinition | undefined;

/** `Tools` extended with one tool. */
export type WithTool<Tools, Tool extends ToolDefinition> = Tools & { readonly [Name in Tool["name"]]: Tool };

/** Registry of tools. Names are unique. */
export class ToolRegistry<Tools extends object = {}> {
  readonly #tools = new Map<string, ToolDefinition>();

  /**
   * Registers a tool. Returns the same registry, with the tool added to its type.
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
    // The same registry, now with the tool in its type.
    return this as unknown as ToolRegistry<WithTool<Tools, Tool>>;
  }

  /** Returns the definition that was registered under a name. */
  get<const Name extends string>(name: Name): FoundTool<Tools, Name> {
    // `register` added every name in `Tools`.
    return this.#tools.get(name) as FoundTool<Tools, Name>;
  }

  /** Checks if a tool is registered. */
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

  /** Creates a registry with the same definitions. Later registrations do not affect the other registry. */
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
