/**
 * @fileoverview Converts the members that all MCP definitions share, in both directions.
 * @module model/converters/described
 */
import type { McpPromptDefinition } from "../../protocol/index.js";
import type { BaseModel, ModelOptions } from "../base-model.js";

/** Members that tool, resource, and prompt definitions share. */
export type Described = Omit<McpPromptDefinition, "arguments">;

/** Converts a model's shared members to definition members. */
export function toDescribed({ name, title, description, icons, meta }: BaseModel): Described {
  return { name, ...withoutUndefined({ title, description, icons, _meta: meta }) };
}

/** Converts a definition's shared members to model options. */
export function fromDescribed({ title, description, icons, _meta }: Described): ModelOptions {
  return { title, description, icons, meta: _meta };
}

/** Removes undefined members, because MCP omits unknown values. */
export function withoutUndefined<T extends object>(members: T): Defined<T> {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Defined<T>; // Safe: same keys and values, except those that the type excludes
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };
