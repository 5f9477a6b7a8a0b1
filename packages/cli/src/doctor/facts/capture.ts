/**
 * @fileoverview A server's definitions as the doctor reads them, before they are prepared for the rules. A capture is
 * plain JSON, so that it can be stored in a file and checked again.
 * @module cli/doctor/facts/capture
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

/** Lists that the doctor reads. */
export type ListName = "tools" | "resources" | "resourceTemplates" | "prompts";

/** A server's handshake, lists, and, if they were read, results of calls and settings of handlers. */
export interface Capture {
  /** Name and version of the server. */
  readonly server: JsonObject;
  /** Protocol revision that was used. */
  readonly revision: string;
  readonly capabilities: JsonObject;
  readonly instructions?: string;
  readonly lists: Readonly<Record<ListName, CapturedList>>;
  /** Results of calls. Absent if no tool was called. */
  readonly calls?: readonly CapturedCall[];
  /** Settings that clients do not receive. Absent unless the server is a module that exposes them. */
  readonly settings?: readonly ToolSettings[];
}

/** Entries of a list, and the reason if it could not be read completely. */
export interface CapturedList {
  readonly items: readonly JsonObject[];
  readonly problem?: ListProblem;
}

/** Reason why a list could not be read completely. */
export type ListProblem =
  | { readonly kind: "failed"; readonly code: number; readonly message: string }
  | { readonly kind: "malformed" }
  | { readonly kind: "repeated-cursor" }
  | { readonly kind: "too-long" };

/** Result of one call. */
export interface CapturedCall {
  readonly tool: string;
  readonly result: JsonObject;
}

/** Settings of a tool that only its module contains. */
export interface ToolSettings {
  readonly tool: string;
  /** Time limit of the handler. `null` if there is none. */
  readonly deadlineMs: number | null;
}

/** A list's method, its key in the response, and the capability that declares it. */
export interface ListMethod {
  readonly name: ListName;
  readonly method: string;
  readonly capability: string;
}

/** Lists in the order in which they are read. */
export const LISTS: readonly ListMethod[] = [
  { name: "tools", method: "tools/list", capability: "tools" },
  { name: "resources", method: "resources/list", capability: "resources" },
  { name: "resourceTemplates", method: "resources/templates/list", capability: "resources" },
  { name: "prompts", method: "prompts/list", capability: "prompts" },
];

/** Returns true if a server declares the capability that a list belongs to. */
export function declares(capabilities: JsonObject, { capability }: ListMethod): boolean {
  return isJsonObject(capabilities[capability]);
}
