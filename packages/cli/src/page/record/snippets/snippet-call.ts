/**
 * @fileoverview A recorded call and its server, as snippets need them.
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

/** Server for snippets. */
export interface SnippetTarget {
  /** URL of the endpoint. Absent for a server over stdio. */
  readonly url?: string | undefined;
  /** Names of the headers that the user has set, in lower case. Their values are secrets. */
  readonly headers: readonly string[];
  /** True if requests have a bearer token. */
  readonly hasToken: boolean;
  /** Words that select the server for `tenon call`: a module, or a URL. Absent for a program. */
  readonly server?: string | undefined;
  /** Program that serves over stdio, with its arguments. */
  readonly program?: readonly string[] | undefined;
  /** Module with a server of Tenon, which tests can import. */
  readonly module?: { readonly file: string; readonly exportName: string | undefined } | undefined;
}

/** Returns the name of the variable for the value of a header: `x-api-key` becomes `X_API_KEY`. */
export function variableOf(header: string): string {
  if (header === "authorization") return "TOKEN";
  const name = header.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
  return /^\d/.test(name) ? `H_${name}` : name;
}
