/**
 * @fileoverview Serves `subscriptions/listen`: streams of change notifications, fed by an event bus.
 * @module sdk/v2/serving/listen-hub
 */
import type { Exchange, McpResponse } from "tenon";
import { emptyResponse, errorResponse, resultResponse } from "tenon/host";
import { createEncoder, type Implementation, META, readEnvelope } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Request } from "../../mcp-server/requests/request-scope.js";
import { toError } from "./product.js";
import { accepts, readFilter, type ServerEventBus, toHonored, toNotification } from "../events.js";

/** Options of a hub. */
interface HubOptions {
  readonly bus: ServerEventBus;
  readonly maxSubscriptions: number;
  /** True to end a stream at once if none of its notifications can be sent. */
  readonly endsEmpty: boolean;
  readonly onerror: (error: Error) => void;
}

/** Server whose changes a client listens for. */
interface Listened {
  readonly capabilities: JsonObject;
  readonly info: Implementation;
  /** Returns true if a resource requires scopes that the client's caller lacks. */
  readonly isHidden?: (uri: string) => boolean;
}

/** Default maximum number of open streams. */
export const DEFAULT_MAX_SUBSCRIPTIONS = 1_024;

/** Open streams of one endpoint or connection. */
export class ListenHub {
  readonly #options: HubOptions;
  readonly #open = new Set<() => void>();

  constructor(options: HubOptions) {
    this.#options = options;
  }

  /** Opens a stream. The response is sent when the server ends it. */
  listen(message: Request, exchange: Exchange, server: Listened): MaybePromise<McpResponse> {
    const { id } = message;
    const { bus, maxSubscriptions, endsEmpty, onerror } = this.#options;
    if (this.#open.size >= maxSubscriptions) {
      onerror(new Error(`Subscription limit reached (limit: ${maxSubscriptions}).`));
      return errorResponse(id, {
        error: "INTERNAL_ERROR",
        message: "Subscription limit reached",
        era: "modern",
      });
    }
    const filter = readFilter(message.params);
    if (typeof filter === "string")
      return errorResponse(id, { error: "INVALID_PARAMS", message: filter, era: "modern" });
    const { connection, signal } = exchange;
    if (connection.isInFlight(id)) return errorResponse(id, { ...DUPLICATE, era: "modern" });
    if (signal?.aborted === true) return emptyResponse;
    const honored = toHonored(filter, server.capabilities);
    const envelope = readEnvelope(message);
    if ("error" in envelope)
      return errorResponse(id, {
        error: envelope.error,
        message: envelope.reason,
        data: envelope.details,
        era: "modern",
      });
    const encoder = createEncoder(envelope.revision, server.info);
    const end = () => resultResponse(id, encoder.subscriptionEnd(id));
    const send = (method: string, params: JsonObject) => {
      const _meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
      const stamped = { ...params, _meta: { ..._meta, [META.subscriptionId]: id } };
      void exchange.notify?.({ jsonrpc: "2.0", method, params: stamped });
    };
    send("notifications/subscriptions/acknowledged", { notifications: honored });
    if (endsEmpty && Object.keys(honored).length === 0) return end();
    return new Promise((resolve) => {
      let forgetCredentials: (() => void) | undefined;
      const settle = (response: McpResponse) => {
        forgetCredentials?.();
        leave(unsubscribe, onerror);
        this.#open.delete(onClose);
        connection.end(id);
        signal?.removeEventListener("abort", onGone);
        resolve(response);
      };
      const onGone = () => settle(emptyResponse);
      const onClose = () => settle(end());
      const unsubscribe = bus.subscribe((event) => {
        if (!accepts(honored, event)) return;
        const { method, params } = toNotification(event);
        const { uri } = params;
        if (typeof uri === "string" && server.isHidden?.(uri) === true) return;
        send(method, params);
      });
      this.#open.add(onClose);
      connection.begin(id, onGone);
      signal?.addEventListener("abort", onGone);
      forgetCredentials = exchange.onCredentialsEnd?.(onClose);
    });
  }

  /** Ends all streams. Each client receives the final response to its request. */
  close(): void {
    for (const end of this.#open) end();
  }
}

/** Removes a listener from a bus. An application's own bus may fail, but the stream ends anyway. */
function leave(unsubscribe: () => void, onerror: HubOptions["onerror"]): void {
  try {
    unsubscribe();
  } catch (error) {
    onerror(toError(error));
  }
}

const DUPLICATE = {
  error: "INVALID_REQUEST",
  message: "A call with this ID is already in flight. Use a new ID.",
} as const;
