/**
 * @fileoverview Calls that the user makes on the page.
 * @module cli/page/workbench/calls/page-calls
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { messageOf } from "@tenon/internal/thrown";
import { ClientError, type RequestOptions } from "tenon/client";
import type { Era } from "tenon/protocol";
import { preciseNow } from "../../../clock.js";
import { firstText } from "../../../describe/content.js";
import { CommandError } from "../../command-error.js";
import { type CallEnd, type CallRecord, REPEATABLE_METHODS } from "../../record/call-record.js";
import type { CallStore } from "../../record/call-store.js";
import type { CallContext } from "../connections/call-context.js";
import type { Connections, EraClient } from "../connections/connections.js";
import type { Questions } from "../questions.js";

/** Call to make. */
export interface CallRequest {
  readonly era: Era;
  readonly method: string;
  readonly params: JsonObject;
  /** Time limit in milliseconds. @default none, because the user can cancel the call */
  readonly timeoutMs?: number | undefined;
}

/** Parts that a call uses. */
export interface PageCallParts {
  readonly store: CallStore;
  readonly context: CallContext;
  readonly connections: Connections;
  readonly questions: Questions;
  /** Called before a call ends. */
  readonly onEnding: (record: CallRecord) => void;
}

/** Call in flight. `ended` never rejects. */
export interface StartedCall {
  readonly record: CallRecord;
  readonly ended: Promise<void>;
}

/** Maximum number of the page's calls in flight. */
const MAX_CALLS = 200;

/** Name of the page in the list of calls. */
const PAGE = { kind: "page", name: "This page" } as const;

/** Calls of the page. */
export class PageCalls {
  readonly #parts: PageCallParts;
  readonly #running = new Map<string, AbortController>();

  constructor(parts: PageCallParts) {
    this.#parts = parts;
  }

  /** Number of calls in flight. */
  get inFlight(): number {
    return this.#running.size;
  }

  /** Starts a call. @throws {CommandError} if it cannot be sent */
  start({ era, method, params, timeoutMs = Number.POSITIVE_INFINITY }: CallRequest): StartedCall {
    const { store, context, connections } = this.#parts;
    if (this.#running.size >= MAX_CALLS)
      throw new CommandError(429, `Too many calls are in flight (limit: ${MAX_CALLS}).`);
    const eraClient = connections.get(era);
    const { revision } = eraClient.client;
    const record = store.start({ client: PAGE, era, revision, method, params, at: preciseNow() });
    const controller = new AbortController();
    this.#running.set(record.id, controller);
    const { signal } = controller;
    const onProgress: RequestOptions["onProgress"] = (progress) => record.setProgress({ ...progress });
    const sent = context.run(record, () =>
      send(eraClient, { method, params }, { signal, timeoutMs, onProgress }),
    );
    const ended = sent.then(
      (result) => this.#finish(record, eraClient, toEnd(result)),
      (error: unknown) => {
        this.#finish(record, eraClient, toFailure(error, signal.aborted));
        connections.reportFailure(eraClient, error);
      },
    );
    return { record, ended };
  }

  /** Makes a recorded call again, in the same era. @throws {CommandError} if that is not possible */
  repeat(record: CallRecord): StartedCall {
    const { era, method } = record.start;
    const { params } = record;
    if (params === undefined || !REPEATABLE_METHODS.has(method))
      throw new CommandError(409, "This call cannot be repeated.");
    return this.start({ era, method, params: toOwnParams(method, params) });
  }

  /** Cancels a call. @throws {CommandError} if it is not a call of the page, or has ended */
  cancel(id: string): void {
    const controller = this.#running.get(id);
    if (controller === undefined)
      throw new CommandError(409, "Only calls of this page that are in flight can be cancelled.");
    controller.abort(new DOMException("The user cancelled the call.", "AbortError"));
    // A client that waits for answers has no request in flight that could be cancelled.
    const record = this.#parts.store.get(id);
    if (record !== undefined) this.#parts.questions.cancelFor(record);
  }

  /** Cancels all calls. */
  close(): void {
    for (const id of this.#running.keys()) this.cancel(id);
  }

  #finish(record: CallRecord, { track }: EraClient, end: CallEnd): void {
    this.#running.delete(record.id);
    this.#parts.questions.cancelFor(record);
    this.#parts.onEnding(record);
    record.finish(end);
    track.forget(record);
  }
}

/** Returns the members of a request that the page sends itself. The others belong to the client that sent it. */
export function toOwnParams(method: string, { name, uri, arguments: args }: JsonObject): JsonObject {
  if (method === "resources/read") return { uri };
  return { name, arguments: isJsonObject(args) ? args : {} };
}

async function send(
  { client }: EraClient,
  { method, params }: Pick<CallRequest, "method" | "params">,
  options: RequestOptions,
): Promise<JsonObject> {
  const { name, uri, arguments: args } = params;
  const given = isJsonObject(args) ? args : {};
  if (method === "resources/read") return { ...(await client.readResource(String(uri), options)) };
  if (method === "tools/call") return { ...(await client.callTool(String(name), given, options)) };
  const texts = Object.entries(given).map(([key, value]): [string, string] => [key, String(value)]);
  return { ...(await client.getPrompt(String(name), Object.fromEntries(texts), options)) };
}

function toEnd(result: JsonObject): CallEnd {
  const at = preciseNow();
  const text = JSON.stringify(result);
  if (result["isError"] !== true) return { outcome: "ok", result: text, at };
  return { outcome: "tool-error", message: firstText(result), result: text, at };
}

function toFailure(error: unknown, isCancelled: boolean): CallEnd {
  const at = preciseNow();
  if (isCancelled || (error instanceof DOMException && error.name === "AbortError"))
    return { outcome: "cancelled", at };
  const message = messageOf(error) ?? "The call failed for an unknown reason.";
  if (!(error instanceof ClientError)) return { outcome: "error", message, at };
  const { code, data } = error;
  return { outcome: "error", message, error: { code, message, data }, at };
}
