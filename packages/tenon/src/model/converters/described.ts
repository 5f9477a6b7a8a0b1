/**
 * @fileoverview The members that all definitions on the wire share, in both directions.
 * @module model/converters/described
 */
import type { McpPromptDefinition } from "../../protocol/index.js";
import type { BaseModel, ModelOptions } from "../base-model.js";

/** The members that tools, resources and prompts share on the wire. */
export type Described = Omit<McpPromptDefinition, "arguments">;

/** The shared members of a model, as they go on the wire. */
export function toDescribed({ name, title, description, icons, meta }: BaseModel): Described {
  return { name, ...withoutUndefined({ title, description, icons, _meta: meta }) };
}

/** The shared members of a definition, as a model takes them. */
export function fromDescribed({ title, description, icons, _meta }: Described): ModelOptions {
  return { title, description, icons, meta: _meta };
}

/** The same members but for those that are undefined: what is unknown is absent from the wire. */
export function withoutUndefined<T extends object>(members: T): Defined<T> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<T>; // the same keys and values, but for what the type takes out
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
