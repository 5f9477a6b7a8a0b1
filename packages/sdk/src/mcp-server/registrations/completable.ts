/**
 * @fileoverview Attaches completion callbacks to prompt argument schemas.
 * @module sdk/mcp-server/registrations/completable
 */
import type { Completer } from "tenon";
import { isJsonObject } from "@tenon/internal/json";
import type { AnySchema, InputOf } from "../requests/types.js";
import { unwrapOptional } from "./schemas.js";

/** Suggests values for the text typed so far. `context.arguments` contains the values of other arguments, if any. */
export type CompleteCallback<Schema extends AnySchema = AnySchema> = (
  value: InputOf<Schema>,
  context?: { arguments?: Record<string, string> },
) => InputOf<Schema>[] | Promise<InputOf<Schema>[]>;

/** The symbol that the official SDK uses, so that `completable` schemas from either package work in both. */
const MARK = Symbol.for("mcp.completable");

/** Attaches a completion callback to an argument's schema, and returns the same schema. */
export function completable<Schema extends AnySchema>(
  schema: Schema,
  complete: CompleteCallback<Schema>,
): Schema {
  Object.defineProperty(schema, MARK, { value: { complete } });
  return schema;
}

/** Returns true if a completion callback is attached to the schema. */
export function isCompletable(schema: unknown): boolean {
  return markOf(schema) !== undefined;
}

/** Returns the completion callback of a schema, if any. */
export function getCompleter<Schema extends AnySchema>(schema: Schema): CompleteCallback<Schema> | undefined {
  const mark = markOf(schema) as { readonly complete?: CompleteCallback<Schema> } | undefined; // Safe: `completable` set it
  return mark?.complete;
}

/** Returns the schema itself: `completable` does not wrap it. Exists for code that was written for the official SDK. */
export function unwrapCompletable<Schema extends AnySchema>(schema: Schema): Schema {
  return schema;
}

/** Returns a field's completer. For an optional field, it also checks the inner schema. */
export function completerOf(field: unknown): Completer | undefined {
  const mark = markOf(field) ?? markOf(unwrapOptional(field));
  const complete = isJsonObject(mark) ? mark["complete"] : undefined;
  return typeof complete === "function" ? toCompleter(complete as Suggest) : undefined; // Safe: `completable` set it
}

type Suggest = (
  value: string,
  context?: { arguments?: Record<string, string> },
) => string[] | Promise<string[]>;

/** Converts an official SDK completion callback to a completer. Clients receive at most 100 values. */
export function toCompleter(suggest: Suggest): Completer {
  return async (typed, others) => {
    const context = Object.keys(others).length === 0 ? undefined : { arguments: { ...others } };
    const values = await suggest(typed, context);
    return { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 };
  };
}

function markOf(field: unknown): unknown {
  return isJsonObject(field) ? (field as { readonly [MARK]?: unknown })[MARK] : undefined;
}
