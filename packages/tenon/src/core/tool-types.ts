/**
 * @fileoverview Types of the tools that a builder has collected. The cost of type-checking a chain of `.tool()` calls
 * grows linearly with its length.
 * @module tenon/core/tool-types
 */
import type { OutputOf, Schema } from "../schema/schema.js";
import type { ToolInput } from "./definitions/tool.js";

/** A tool's input and output types, for typed clients. */
export interface ToolTypes<In, Out> {
  readonly input: ToolInput<In>;
  readonly output: Out extends Schema ? OutputOf<Out> : unknown;
}

/** Tool types of a builder to which no tools have been added yet. */
export type NoTools = Record<never, never>;

/** Name and types of a tool that was added with `.tool()`. */
export interface AddedTool<Name extends string, In, Out> {
  readonly name: Name;
  readonly types: ToolTypes<In, Out>;
}

/**
 * Tool map with the added tools, which are a union of `AddedTool` types. Other members of the union are ignored.
 *
 * `.tool()` infers both parameters from the builder and extends the union. TypeScript then does not instantiate the
 * earlier tools again. With `Tools & Record<Name, …>`, it instantiates all of them in every call of a chain.
 */
export type WithTools<Base, Added> = Base & {
  [Tool in Added as Tool extends { readonly name: infer Name extends string } ? Name : never]: Tool extends {
    readonly types: infer Types;
  }
    ? Types
    : never;
};
