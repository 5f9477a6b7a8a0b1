/**
 * @fileoverview Common interface for versions 1 and 2 of the official client.
 * @module tools/official-clients/official-client
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Revision } from "tenon/protocol";

/** Options for a tool call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
  /** `_meta` member of the request. */
  readonly meta?: Record<string, unknown>;
}

/** An official client that is connected to a server. */
export interface OfficialClient {
  readonly revision: Revision;
  readonly serverVersion: unknown;
  readonly capabilities: unknown;
  readonly instructions: unknown;
  /** Error code that the client reports for -32002, which legacy revisions use for an unknown resource. */
  readonly notFoundCode: number;
  /** Notifications that the client's handlers received. */
  readonly notifications: readonly JsonObject[];
  /** Outcome of each structured result that the client validated. */
  readonly validations: readonly boolean[];
  /** Errors that the client reported. */
  readonly errors: readonly string[];
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<JsonObject>;
  /** Returns the tool names on each page. */
  toolPages(): Promise<readonly (readonly string[])[]>;
  resources(): Promise<readonly string[]>;
  templates(): Promise<readonly string[]>;
  prompts(): Promise<readonly string[]>;
  readResource(uri: string): Promise<readonly unknown[]>;
  getPrompt(name: string, args: Record<string, string>): Promise<readonly unknown[]>;
  complete(prompt: string, argument: string, value: string): Promise<readonly string[]>;
  setLoggingLevel(level: "debug" | "warning"): Promise<void>;
  /** Subscribes to a resource and to tool list changes. Returns a function that unsubscribes. */
  watch(uri: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** Name and version that every client declares. */
export const CLIENT_INFO = { name: "official", version: "1.0.0" };

/** Capabilities that every client declares. */
export const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** The client's responses to server requests. */
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
