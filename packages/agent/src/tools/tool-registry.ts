/**
 * @fileoverview The tools of an agent by their names. The registry's type learns every tool that is registered, so that
 * what it gives back is typed.
 * @module agent/tool-registry
 */
import { findToolProblems, type ToolDefinition } from "./define-tool.js";
import { RegistrationError } from "../shared/errors.js";

/** Where tools are looked up. */
export interface ToolLookup {
  get(name: string): ToolDefinition | undefined;
  getAll(): readonly ToolDefinition[];
}

/** What a look-up by name gives: the very tool where the compiler knows it, otherwise one or none. */
export type FoundTool<Tools, Name extends string> = string extends keyof Tools
  ? ToolDefinition | undefined
  : Name extends keyof Tools
    ? Tools[Name]
    : ToolDefinition | undefined;

/** `Tools` and one more. */
export type WithTool<Tools, Tool extends ToolDefinition> = Tools & { readonly [Name in Tool["name"]]: Tool };

/** The tools of an agent, by their names. */
export class ToolRegistry<Tools extends object = {}> {
  readonly #tools = new Map<string, ToolDefinition>();

  /**
   * Adds a tool. The registry that comes back is the same one, with a type that knows the tool.
   *
   * @throws {RegistrationError} where the definition is incomplete or the name is taken
   */
  register<const Tool extends ToolDefinition>(tool: Tool): ToolRegistry<WithTool<Tools, Tool>> {
    const problems = findToolProblems(tool);
    if (problems.length > 0) throw new RegistrationError(describeTool(tool, problems));
    if (this.#tools.has(tool.name)) {
      throw new RegistrationError(`Tool '${tool.name}' is already registered`);
    }
    this.#tools.set(tool.name, tool);
    // The tool is in it from here on.
    return this as unknown as ToolRegistry<WithTool<Tools, Tool>>;
  }

  /** The very definition that was registered under a name. */
  get<const Name extends string>(name: Name): FoundTool<Tools, Name> {
    // `register` put every name that `Tools` knows into the map.
    return this.#tools.get(name) as FoundTool<Tools, Name>;
  }

  /** Whether there is a tool of that name. */
  has(name: string): boolean {
    return this.#tools.has(name);
  }

  /** All tools, in the order in which they were registered. */
  getAll(): readonly ToolDefinition[] {
    return [...this.#tools.values()];
  }

  /** How many tools there are. */
  get size(): number {
    return this.#tools.size;
  }

  /** A registry of its own with the same definitions: what is registered later in one is not in the other. */
  copy(): ToolRegistry<Tools> {
    const copy = new ToolRegistry<Tools>();
    for (const [name, tool] of this.#tools) copy.#tools.set(name, tool);
    return copy;
  }
}

function describeTool(tool: unknown, problems: readonly string[]): string {
  const { name } = Object(tool) as { readonly name?: unknown };
  const named = typeof name === "string" && name !== "" ? ` '${name.slice(0, 128)}'` : "";
  return `Tool definition${named} is incomplete: ${problems.join("; ")}`;
}
