/**
 * @fileoverview A recorded call as snippets need it.
 * @module cli/page/record/snippets/snippet-call
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Era, Revision } from "tenon/protocol";

/** Call for snippets. */
export interface SnippetCall {
  readonly method: "tools/call" | "resources/read" | "prompts/get";
  /** Tool, URI, or prompt. */
  readonly name: string;
  readonly arguments: JsonObject;
  readonly era: Era;
  readonly revision: Revision;
  /** Headers of the recorded request that repeat its arguments. */
  readonly headers: readonly (readonly [string, string])[];
  readonly result: JsonObject | undefined;
}

/** Call of which the parts are not checked. */
export interface RecordedRequest extends Pick<SnippetCall, "era" | "headers" | "result"> {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly revision: Revision | undefined;
}

/** Returns the call for snippets. Returns `undefined` for other methods and for parameters that are not valid. */
export function toSnippetCall(request: RecordedRequest): SnippetCall | undefined {
  const { method, params = {}, era, revision, headers, result } = request;
  if (method !== "tools/call" && method !== "resources/read" && method !== "prompts/get") return undefined;
  const name = params[method === "resources/read" ? "uri" : "name"];
  if (typeof name !== "string" || revision === undefined) return undefined;
  const { arguments: args } = params;
  return { method, name, arguments: isJsonObject(args) ? args : {}, era, revision, headers, result };
}
