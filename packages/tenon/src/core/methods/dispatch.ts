/**
 * @fileoverview Routes each message to the function that handles its method.
 * @module tenon/core/methods/dispatch
 */
import { isJsonObject } from "@tenon/internal/json";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import {
  checkStandardHeaders,
  checkVersionHeader,
  classifyEra,
  describeInvalidMessage,
  type Era,
  type HeaderReader,
  isRequestId,
  type JsonRpcRequest,
  type JsonRpcResponse,
  messageKind,
  readEnvelope,
  type Refusal,
  type RequestId,
  salvageId,
} from "../../protocol/index.js";
import { PROTOCOL_VERSION } from "../../protocol/revisions/revision.js";
import { headersAgree } from "../../protocol/revisions/headers.js";
import type { Caller } from "../wire/caller.js";
import type { Exchange } from "../wire/exchange.js";
import { type Incoming, refuse, type Services } from "../call/incoming.js";
import { quoted } from "@tenon/internal/text";
import { failWithError } from "../call/failure.js";
import { type Method, ROUTES } from "./routes.js";
import { runExtension } from "./run-extension.js";
import { errorResponse, type McpResponse, emptyResponse } from "../wire/response.js";
import type { Snapshot } from "../snapshot/snapshot.js";

/** Routes messages for one snapshot. Created once per snapshot, not per message. */
export class Dispatcher {
  readonly #snapshot: Snapshot;
  readonly #services: Services;

  constructor(snapshot: Snapshot, services: Services) {
    this.#snapshot = snapshot;
    this.#services = services;
  }

  /** Handles one message. Never throws or rejects. Every message with an ID gets exactly one response. */
  dispatch(message: unknown, context: unknown, exchange: Exchange | undefined): MaybePromise<McpResponse> {
    switch (messageKind(message)) {
      case "request":
        return this.#answer(message as JsonRpcRequest & { id: RequestId }, context, exchange);
      case "notification":
        takeNotification(message as JsonRpcRequest, exchange);
        return emptyResponse;
      case "response":
        exchange?.connection.settle(message as JsonRpcResponse);
        return emptyResponse;
      case "invalid":
        return errorResponse(salvageId(message), {
          error: "INVALID_REQUEST",
          message: describeInvalidMessage(message),
          era: exchange?.connection.era ?? "legacy",
        });
    }
  }

  #answer(
    message: JsonRpcRequest & { readonly id: RequestId },
    context: unknown,
    exchange: Exchange | undefined,
  ): MaybePromise<McpResponse> {
    const { id, method, params } = message;
    const era = eraOf(message, exchange);
    if (typeof era === "object") return refusal(id, era, "modern");
    if (params !== undefined && !isJsonObject(params)) {
      return errorResponse(id, { error: "INVALID_PARAMS", message: "`params` must be an object.", era });
    }
    const header = era === "modern" ? headersToCheck(message, exchange) : undefined;
    const otherVersion = header && checkVersionHeader(message, header);
    if (otherVersion !== undefined)
      return refusal(id, { error: "HEADER_MISMATCH", reason: otherVersion }, era);
    const caller = era === "legacy" ? (exchange?.connection ?? ANONYMOUS_CALLER) : readEnvelope(message);
    if (isRefusal(caller)) return refusal(id, caller, era);
    const snapshot = this.#snapshot;
    const incoming: Incoming = {
      id,
      method,
      params,
      context,
      exchange,
      caller,
      encoder: snapshot.encoderOf(caller.revision),
      services: this.#services,
    };
    const mismatch = header && checkStandardHeaders(message, header);
    if (mismatch !== undefined) return refuse(incoming, "HEADER_MISMATCH", mismatch);
    const route = ROUTES[era].get(method) ?? extensionRoute(snapshot, era, method);
    if (route === undefined) return unknownMethod(incoming);
    const { changes } = this.#services;
    return changes.isLinked
      ? changes.hold(() => run(route, incoming, snapshot))
      : run(route, incoming, snapshot);
  }
}

/** Runs a method. A bug in the framework must produce an internal error, not a missing response. */
function run(route: Method, incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  try {
    const response = route(incoming, snapshot);
    return isPromise(response)
      ? response.catch((error) => failWithError("tenon", error, incoming))
      : response;
  } catch (error) {
    return failWithError("tenon", error, incoming);
  }
}

/** Caller for messages that arrive without a connection. */
const ANONYMOUS_CALLER: Caller = {
  revision: PROTOCOL_VERSION,
  capabilities: {},
  clientInfo: undefined,
  logLevel: undefined,
};

/** Returns a header reader if the quick comparison found a difference, so that the detailed check can report it. */
function headersToCheck(message: JsonRpcRequest, exchange: Exchange | undefined): HeaderReader | undefined {
  if (exchange?.header === undefined) return undefined;
  const header = (name: string) => exchange.header?.(name);
  return headersAgree(message, header) ? undefined : header;
}

function isRefusal(caller: Caller | Refusal): caller is Refusal {
  return (caller as Partial<Refusal>).error !== undefined;
}

function extensionRoute(snapshot: Snapshot, era: Era, method: string): Method | undefined {
  const extra = snapshot.extensionMethods[era].get(method);
  return extra && ((incoming) => runExtension(extra, incoming));
}

function unknownMethod(incoming: Incoming): McpResponse {
  return incoming.method.startsWith("notifications/")
    ? refuse(incoming, "INVALID_REQUEST", "A notification must not have an `id`. Send it without one.")
    : refuse(incoming, "METHOD_NOT_FOUND", `Method not found: ${quoted(incoming.method)}`);
}

/** Returns a request's era. The first request other than `server/discover` also sets the connection's era. */
function eraOf(message: JsonRpcRequest, exchange: Exchange | undefined): Era | Refusal {
  if (exchange === undefined) return "legacy";
  const { connection } = exchange;
  if (connection.era !== undefined) return connection.era;
  const era = classifyEra(message, exchange.header?.("mcp-protocol-version") ?? undefined);
  if (typeof era === "string" && message.method !== "server/discover") connection.era = era;
  return era;
}

function refusal(id: RequestId, { error, reason, details }: Refusal, era: Era): McpResponse {
  return errorResponse(id, { error, message: reason, era, data: details });
}

function takeNotification({ method, params }: JsonRpcRequest, exchange: Exchange | undefined): void {
  if (method !== "notifications/cancelled" || exchange === undefined || !isJsonObject(params)) return;
  const { requestId, reason } = params;
  if (isRequestId(requestId)) exchange.connection.cancel(requestId, toAbortReason(reason));
}

/** Creates the reason for a call's signal from the client's text, which is bounded and made printable. */
function toAbortReason(reason: unknown): DOMException | undefined {
  if (typeof reason !== "string" || reason === "") return undefined;
  const shown = quoted(reason.slice(0, 256).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "?"));
  return new DOMException(`The client cancelled the call: ${shown}`, "AbortError");
}
