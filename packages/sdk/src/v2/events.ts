/**
 * @fileoverview Change events between the processes and requests of one endpoint, and their delivery to
 * `subscriptions/listen` streams.
 * @module sdk/v2/events
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";

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
export interface SubscriptionFilter {
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
export function readFilter(params: JsonObject | undefined): SubscriptionFilter | string {
  const given = params?.["notifications"];
  if (!isJsonObject(given)) return INVALID;
  const flags = FLAGS.filter((flag) => given[flag] !== undefined);
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
const FLAGS = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] as const;

/** Removes the notifications that a server with these capabilities does not send. */
export function toHonored(filter: SubscriptionFilter, capabilities: JsonObject): SubscriptionFilter {
  const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = filter;
  const has = (name: string, member: string) => {
    const value = capabilities[name];
    return isJsonObject(value) && value[member] === true;
  };
  return {
    ...(toolsListChanged === true && has("tools", "listChanged") ? { toolsListChanged } : {}),
    ...(promptsListChanged === true && has("prompts", "listChanged") ? { promptsListChanged } : {}),
    ...(resourcesListChanged === true && has("resources", "listChanged") ? { resourcesListChanged } : {}),
    ...(resourceSubscriptions !== undefined && has("resources", "subscribe")
      ? { resourceSubscriptions }
      : {}),
  };
}

/** Returns true if a filter includes an event. */
export function accepts(filter: SubscriptionFilter, event: ServerEvent): boolean {
  switch (event.kind) {
    case "tools_list_changed":
      return filter.toolsListChanged === true;
    case "prompts_list_changed":
      return filter.promptsListChanged === true;
    case "resources_list_changed":
      return filter.resourcesListChanged === true;
    case "resource_updated":
      return filter.resourceSubscriptions?.includes(event.uri) === true;
  }
}

/** Converts an event to its notification. */
export function toNotification(event: ServerEvent): { readonly method: string; readonly params: JsonObject } {
  const { params = {} } = event;
  if (event.kind === "resource_updated") {
    return { method: "notifications/resources/updated", params: { ...params, uri: event.uri } };
  }
  return { method: `notifications/${event.kind.replace("_list", "/list")}`, params };
}
