/**
 * @fileoverview Common interface of the official clients of both major versions.
 * @module tests/clients/official-client
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Revision } from "tenon/protocol";

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
  /** Value of `_meta`. */
  readonly meta?: Record<string, unknown>;
}

/** Connected official client. */
export interface OfficialClient {
  readonly revision: Revision;
  readonly serverVersion: unknown;
  readonly capabilities: unknown;
  readonly instructions: unknown;
  /** Code that the client reports for -32002, which legacy revisions use for an unknown resource. */
  readonly notFoundCode: number;
  /** Notifications passed to its handlers. */
  readonly notifications: readonly JsonObject[];
  /** Outcomes of its validations of structured results. */
  readonly validations: readonly boolean[];
  /** Errors that it reported. */
  readonly errors: readonly string[];
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<JsonObject>;
  /** Returns the names on each page. */
  toolPages(): Promise<readonly (readonly string[])[]>;
  resources(): Promise<readonly string[]>;
  templates(): Promise<readonly string[]>;
  prompts(): Promise<readonly string[]>;
  readResource(uri: string): Promise<readonly unknown[]>;
  getPrompt(name: string, args: Record<string, string>): Promise<readonly unknown[]>;
  complete(prompt: string, argument: string, value: string): Promise<readonly string[]>;
  setLoggingLevel(level: "debug" | "warning"): Promise<void>;
  /** Subscribes to a resource and to changes of the tools. Returns a function that unsubscribes. */
  watch(uri: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Name and version of the client. */
export const CLIENT_INFO = { name: "official", version: "1.0.0" };

/** Capabilities of the client. */
export const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** Answers of the client to server requests. */
export const ANSWERS = {
  elicitation: { action: "accept" as const, content: { name: "Ada" } },
  sampling: {
    role: "assistant" as const,
    model: "parrot",
    content: { type: "text" as const, text: "a thought" },
  },
  roots: { roots: [{ uri: "file:///home/ada" }] },
};

/** Notification methods that the client handles. */
export const HEARD = [
  "notifications/message",
  "notifications/resources/updated",
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed",
] as const;
