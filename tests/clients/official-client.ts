/**
 * @fileoverview What the official clients of both major versions can do, in one form.
 * @module tests/clients/official-client
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Revision } from "tenon/protocol";

/** Settings of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: unknown) => void;
  /** Goes into `_meta`. */
  readonly meta?: Record<string, unknown>;
}

/** A connected official client. */
export interface OfficialClient {
  readonly revision: Revision;
  readonly serverVersion: unknown;
  readonly capabilities: unknown;
  readonly instructions: unknown;
  /** What it makes of -32002, which the legacy revisions say for a resource that is not there. */
  readonly notFoundCode: number;
  /** Every notification that its handlers were given. */
  readonly notifications: readonly JsonObject[];
  /** The structured results that it validated, with what it found. */
  readonly validations: readonly boolean[];
  /** Whatever it complained of. */
  readonly errors: readonly string[];
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<JsonObject>;
  /** The names on each page. */
  toolPages(): Promise<readonly (readonly string[])[]>;
  resources(): Promise<readonly string[]>;
  templates(): Promise<readonly string[]>;
  prompts(): Promise<readonly string[]>;
  readResource(uri: string): Promise<readonly unknown[]>;
  getPrompt(name: string, args: Record<string, string>): Promise<readonly unknown[]>;
  complete(prompt: string, argument: string, value: string): Promise<readonly string[]>;
  setLoggingLevel(level: "debug" | "warning"): Promise<void>;
  /** Asks to hear of a resource and of changed tools, until the function that is given is called. */
  watch(uri: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** What the client says of itself. */
export const CLIENT_INFO = { name: "official", version: "1.0.0" };

/** What it can do. */
export const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };

/** What it answers. */
export const ANSWERS = {
  elicitation: { action: "accept" as const, content: { name: "Ada" } },
  sampling: {
    role: "assistant" as const,
    model: "parrot",
    content: { type: "text" as const, text: "a thought" },
  },
  roots: { roots: [{ uri: "file:///home/ada" }] },
};

/** The notifications that are listened to. */
export const HEARD = [
  "notifications/message",
  "notifications/resources/updated",
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed",
] as const;
