/**
 * @fileoverview The inspected server as other programs refer to it.
 * @module cli/page/record/snippets/snippet-target
 */

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
