/**
 * @fileoverview Client capabilities that requests for input require.
 * @module sdk/v2/input/required-capabilities
 */
import type { ClientCapabilities } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Returns the client capabilities that a request for input requires, or `undefined` for an unknown request. */
export function requiredFor(method: string, params: JsonObject | undefined): JsonObject | undefined {
  switch (method) {
    case "elicitation/create":
      return { elicitation: params?.["mode"] === "url" ? { url: {} } : { form: {} } };
    case "sampling/createMessage":
      return {
        sampling:
          params?.["tools"] === undefined && params?.["toolChoice"] === undefined ? {} : { tools: {} },
      };
    case "roots/list":
      return { roots: {} };
    default:
      return undefined;
  }
}

/** Returns the required capabilities that a client did not declare, or `undefined` if none is missing. */
export function missingFrom(
  required: JsonObject,
  declared: ClientCapabilities | undefined,
): JsonObject | undefined {
  const missing = Object.entries(required).flatMap(
    ([name, members]): readonly (readonly [string, unknown])[] => {
      const known: unknown = declared?.[name as keyof ClientCapabilities];
      if (known === undefined) return [[name, members]];
      if (!isJsonObject(members) || !isJsonObject(known)) return [];
      const isFormImplied =
        name === "elicitation" && known["form"] === undefined && known["url"] === undefined;
      const lacking = Object.entries(members).filter(
        ([member]) => known[member] === undefined && !(member === "form" && isFormImplied),
      );
      return lacking.length === 0 ? [] : [[name, Object.fromEntries(lacking)]];
    },
  );
  return missing.length === 0 ? undefined : Object.fromEntries(missing);
}
