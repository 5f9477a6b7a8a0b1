/**
 * @fileoverview Change events between the processes and requests of one endpoint, and their delivery to
 * `subscriptions/listen` streams.
 * @module sdk/v2/serving/subscriptions
 */
import type { Exchange, McpResponse } from "tenon";
import { emptyResponse, errorResponse, resultResponse } from "tenon/host";
import { createEncoder, type ErrorName, type Implementation, META, readEnvelope } from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Request } from "../../server/requests/request-scope.js";
import { toError } from "./created-server.js";

/** A change that subscribed clients are notified of. `params` are added to the notification. */
export type ServerEvent = (
  | { kind: "tools_list_changed" }
  | { kind: "prompts_list_changed" }
  | { kind: "resources_list_changed" }
  | { kind: "resource_updated"; uri: string }
) & { params?: { [key: string]: unknown } };

/** Delivers events to listeners. Implement it on a message broker to notify clients of every process. */
export interface ServerEventBus {
  /** Delivers an event to all listeners. */
  publish(event: ServerEvent): void;
  /** Adds a listener. The returned function removes it. */
  subscribe(listener: (event: ServerEvent) => void): () => void;
}

/** Event bus for one process. */
export class InMemoryServerEventBus implements ServerEventBus {
  readonly #listeners = new Set<(event: ServerEvent) => void>();
  readonly #onerror: ((error: Error) => void) | undefined;

  /** @param onerror called with errors that listeners throw */
  constructor(onerror?: (error: Error) => void) {
    this.#onerror = onerror;
  }

  /** Number of listeners. */
  get listenerCount(): number {
    return this.#listeners.size;
  }

  publish(event: ServerEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  subscribe(listener: (event: ServerEvent) => void): () => void {
    // A function that is subscribed twice is called twice, and each subscription ends separately.
    const own = (event: ServerEvent) => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

/** Publishes changes to subscribed clients. */
export interface ServerNotifier {
  toolsChanged(): void;
  promptsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** Creates a notifier that publishes on a bus. */
export function createServerNotifier(bus: ServerEventBus): ServerNotifier {
  return {
    toolsChanged: () => bus.publish({ kind: "tools_list_changed" }),
    promptsChanged: () => bus.publish({ kind: "prompts_list_changed" }),
    resourcesChanged: () => bus.publish({ kind: "resources_list_changed" }),
    resourceUpdated: (uri) => bus.publish({ kind: "resource_updated", uri }),
  };
}

/** Notifications that a client subscribes to. */
interface SubscriptionFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** Maximum number of URIs in one filter. */
const MAX_URIS = 1_000;
/** Maximum length of a URI in a filter, in characters. */
const MAX_URI = 8_192;

/** Reads the filter of a `subscriptions/listen` request. Returns the reason if it is invalid or too large. */
function readFilter(params: JsonObject | undefined): SubscriptionFilter | string {
  const given = params?.["notifications"];
  if (!isJsonObject(given)) return INVALID;
  const flags = Object.values(FLAG_OF).filter((flag) => given[flag] !== undefined);
  if (flags.some((flag) => typeof given[flag] !== "boolean")) return INVALID;
  const { resourceSubscriptions: uris = [] } = given;
  if (!Array.isArray(uris)) return INVALID;
  if (uris.length > MAX_URIS)
    return `${TOO_LARGE} has ${uris.length} URIs (limit: ${MAX_URIS}). Send several requests.`;
  if (!uris.every((uri) => typeof uri === "string")) return INVALID;
  const long = uris.find((uri) => uri.length > MAX_URI);
  if (long !== undefined) return `${TOO_LARGE} has a URI of ${long.length} characters (limit: ${MAX_URI}).`;
  const wanted = flags.filter((flag) => given[flag] === true).map((flag) => [flag, true] as const);
  return { ...Object.fromEntries(wanted), ...(uris.length > 0 ? { resourceSubscriptions: [...uris] } : {}) };
}

const INVALID = "Invalid params: 'notifications' is required and must be a valid SubscriptionFilter";
const TOO_LARGE = "Invalid params: 'notifications.resourceSubscriptions'";

/** Removes the notifications that a server with these capabilities does not send. */
function toHonored(
  { resourceSubscriptions, ...flags }: SubscriptionFilter,
  capabilities: JsonObject,
): SubscriptionFilter {
  const has = (name: string, member: string) => {
    const value = capabilities[name];
    return isJsonObject(value) && value[member] === true;
  };
  const honored = Object.entries(flags).filter(([flag]) =>
    has(flag.replace("ListChanged", ""), "listChanged"),
  );
  return {
    ...Object.fromEntries(honored),
    ...(resourceSubscriptions !== undefined && has("resources", "subscribe")
      ? { resourceSubscriptions }
      : {}),
  };
}

/** Returns true if a filter includes an event. */
function accepts(filter: SubscriptionFilter, event: ServerEvent): boolean {
  if (event.kind === "resource_updated") return filter.resourceSubscriptions?.includes(event.uri) === true;
  return filter[FLAG_OF[event.kind]] === true;
}

const FLAG_OF = {
  tools_list_changed: "toolsListChanged",
  prompts_list_changed: "promptsListChanged",
  resources_list_changed: "resourcesListChanged",
} as const;

/** Converts an event to its notification. */
function toNotification(event: ServerEvent): { readonly method: string; readonly params: JsonObject } {
  const { params = {} } = event;
  if (event.kind === "resource_updated") {
    return { method: "notifications/resources/updated", params: { ...params, uri: event.uri } };
  }
  return { method: `notifications/${event.kind.replace("_list", "/list")}`, params };
}

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
    const refuse = (error: ErrorName, text: string, data?: unknown) =>
      errorResponse(id, { error, message: text, data, era: "modern" });
    if (this.#open.size >= maxSubscriptions) {
      onerror(new Error(`Subscription limit reached (limit: ${maxSubscriptions}).`));
      return refuse("INTERNAL_ERROR", "Subscription limit reached");
    }
    const filter = readFilter(message.params);
    if (typeof filter === "string") return refuse("INVALID_PARAMS", filter);
    const { connection, signal } = exchange;
    if (connection.isInFlight(id))
      return refuse("INVALID_REQUEST", "A call with this ID is already in flight. Use a new ID.");
    if (signal?.aborted === true) return emptyResponse;
    const honored = toHonored(filter, server.capabilities);
    const envelope = readEnvelope(message);
    if ("error" in envelope) return refuse(envelope.error, envelope.reason, envelope.details);
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
