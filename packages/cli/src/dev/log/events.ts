/**
 * @fileoverview Events that `tenon dev` prints. Their members are also the members of the JSON output.
 * @module cli/dev/log/events
 */
import type { DefinitionChange } from "../lists/list-changes.js";

/** Event to print. */
export type DevEvent =
  | StartedEvent
  | ToolsEvent
  | ReloadedEvent
  | FailedEvent
  | CallEvent
  | { readonly event: "output"; readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly event: "note"; readonly text: string };

/** The first version of the server is serving. */
export interface StartedEvent {
  readonly event: "started";
  readonly name: string;
  readonly version: string;
  /** URL of the endpoint. Absent over stdio. */
  readonly url?: string | undefined;
  /** URL of the development page. Absent with `--no-page`. */
  readonly page?: string | undefined;
  /** Number of watched files. */
  readonly files: number;
}

/** Tools of the server, with their cost. */
export interface ToolsEvent {
  readonly event: "tools";
  readonly tools: readonly ToolCost[];
  readonly resources: number;
  readonly prompts: number;
  /** Sum of all costs. Absent if tokens are not counted. */
  readonly tokens?: number | undefined;
}

/** Name and cost of a tool. */
export interface ToolCost {
  readonly name: string;
  /** Tokens that the tool takes in a model's context. Absent if tokens are not counted. */
  readonly tokens?: number | undefined;
}

/** A new version of the code is serving. */
export interface ReloadedEvent {
  readonly event: "reloaded";
  /** Time in milliseconds from the first change of a file. */
  readonly ms: number;
  readonly changes: readonly (DefinitionChange & Pick<ToolCost, "tokens">)[];
}

/** Code of the user has failed. */
export interface FailedEvent {
  readonly event: "build-failed" | "load-failed" | "crashed" | "handler-failed";
  readonly problems: readonly Problem[];
  /** Tool, resource, or prompt whose handler has failed. */
  readonly name?: string | undefined;
  /** State of the command after the failure. */
  readonly next?: string | undefined;
  /** URL of the development page, if no version has been served yet. */
  readonly page?: string | undefined;
}

/** A call has ended. */
export interface CallEvent {
  readonly event: "call";
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource. */
  readonly name?: string | undefined;
  readonly ms: number;
  /** `tool-error` is a result that is an error, which the model sees. */
  readonly outcome: "ok" | "tool-error" | "error" | "cancelled";
  /** JSON-RPC code of an error. */
  readonly code?: number | undefined;
  readonly message?: string | undefined;
}

/** Error in the user's code, with its place. */
export interface Problem {
  readonly message: string;
  /** Path relative to the working directory. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  /** Lines of source code around the place. */
  readonly frame?: readonly string[] | undefined;
  /** Other places in the user's code that led to this one. */
  readonly stack?: readonly string[] | undefined;
  readonly hint?: string | undefined;
}
