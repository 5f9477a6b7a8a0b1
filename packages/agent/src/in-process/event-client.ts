/**
 * @fileoverview Client in the same process: receives the messages about a run, and remembers its outcome.
 * @module agent/in-process/event-client
 */
import { isJsonObject, readJson } from "@tenon/internal/json";
import { decodeUtf8 } from "@tenon/internal/utf8";
import type { Client } from "../conversation/context/watchers.js";
import type { ModelUsage } from "../models/model-port.js";
import type { AgentUser } from "../users/user.js";
import type { AgentEvent } from "./run-options.js";

/** Client in the same process. */
export class EventClient implements Client {
  readonly user: AgentUser | undefined;
  /** Tokens of each response. */
  readonly usages: ModelUsage[] = [];
  readonly #onEvent: ((event: AgentEvent) => void) | undefined;
  #text = "";
  #problem: string | undefined;

  constructor(user: AgentUser | undefined, onEvent: ((event: AgentEvent) => void) | undefined) {
    this.user = user;
    this.#onEvent = onEvent;
  }

  /** Last complete text, result, or question. */
  get text(): string {
    return this.#text;
  }

  /** Last error or warning. It explains the end of a run that did not end well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Receives a message. Each event is a separate copy, which the application may keep. */
  sendBytes(bytes: Uint8Array): boolean {
    const event = readJson(decodeUtf8(bytes) ?? "") as AgentEvent; // Safe: the server encoded the message
    this.#note(event);
    try {
      this.#onEvent?.(event);
    } catch {
      // An exception in the application's callback must not end the run.
    }
    return true;
  }

  #note({ type, data }: AgentEvent): void {
    if (!isJsonObject(data) || data["partial"] === true || data["status"] === "discarded") return;
    const text = TEXT_FIELDS.get(type);
    if (text !== undefined && typeof data[text] === "string") this.#text = data[text];
    if (type === "usage" && isJsonObject(data["response"])) this.usages.push(data["response"]);
    if ((type === "error" || type === "alert") && typeof data["message"] === "string")
      this.#problem = data["message"];
  }
}

const TEXT_FIELDS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["message", "message"],
  ["completionResult", "message"],
  ["askFollowupQuestion", "question"],
]);
