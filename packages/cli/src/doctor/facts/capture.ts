/**
 * @fileoverview A server's definitions as the doctor reads them, before they are prepared for the rules. A capture is
 * plain JSON, so that it can be stored in a file and checked again.
 * @module cli/doctor/facts/capture
 */
import type { JsonObject } from "@tenon/internal/json";
import type { ListName } from "../../client/list-feature.js";

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
