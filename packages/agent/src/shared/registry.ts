/**
 * @fileoverview Registry of definitions with unique names.
 * @module agent/shared/registry
 */
import { RegistrationError } from "./errors.js";

/** Lookup result: the exact definition if the name is known at compile time, otherwise any definition or `undefined`. */
export type Found<Definition, Known, Name extends string> = string extends keyof Known
  ? Definition | undefined
  : Name extends keyof Known
    ? Known[Name]
    : Definition | undefined;

/** Facts that `add` needs about a definition. */
interface AddedFacts {
  /** Name of the definition, not checked yet. */
  readonly name: unknown;
  readonly problems: readonly string[];
  /** Words for error messages: the definition, and its name. */
  readonly words: { readonly definition: string; readonly name: string };
}

/** Registry of definitions with unique names. */
export abstract class Registry<Definition, Known extends object> {
  readonly #definitions = new Map<string, Definition>();

  /** Returns the definition with a name, or `undefined` if there is none. */
  get<const Name extends string>(name: Name): Found<Definition, Known, Name> {
    // Safe: `register` adds every name in `Known`.
    return this.#definitions.get(name) as Found<Definition, Known, Name>;
  }

  /** Returns true if a name is registered. */
  has(name: string): boolean {
    return this.#definitions.has(name);
  }

  /** Returns all definitions in registration order. */
  getAll(): readonly Definition[] {
    return [...this.#definitions.values()];
  }

  /** Number of definitions. */
  get size(): number {
    return this.#definitions.size;
  }

  /** Adds a definition. @throws {RegistrationError} if it has problems or its name is already registered */
  protected add(definition: Definition, { name, problems, words }: AddedFacts): void {
    const shown = typeof name === "string" ? name : "";
    if (problems.length > 0) {
      const named = shown === "" ? "" : ` '${shown.slice(0, 128)}'`;
      throw new RegistrationError(`${words.definition}${named} is invalid: ${problems.join("; ")}.`);
    }
    // The requirements define this text, including the missing period.
    if (this.has(shown)) throw new RegistrationError(`${words.name} '${shown}' is already registered`);
    this.#definitions.set(shown, definition);
  }

  /** Adds all definitions of another registry. */
  protected addAll(other: Registry<Definition, Known>): this {
    for (const [name, definition] of other.#definitions) this.#definitions.set(name, definition);
    return this;
  }
}
