/**
 * @fileoverview `subscriptions/listen`: streams of change notifications in the modern era.
 * @module tenon/core/methods/listen
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { META } from "../../protocol/index.js";
import { failWithError } from "../call/failure.js";
import { type Incoming, refuse } from "../call/incoming.js";
import type { ListenSource } from "../definitions/attached-extension.js";
import { isAllowed } from "../wire/access.js";
import type { Snapshot } from "../snapshot/snapshot.js";
import type { Change } from "../wire/changes.js";
import type { Exchange } from "../wire/exchange.js";
import { busyResponse, type McpResponse, emptyResponse, resultResponse } from "../wire/response.js";
import { describeChange, MAX_URI, NO_SUBSCRIPTIONS, notifySafely } from "./subscriptions.js";

/**
 * Opens a notification stream. The response is sent when the server ends the stream. A node that has just started must
 * not acknowledge a stream before it follows the changes of the others.
 */
export function listen(incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  const { ready } = incoming.services.changes;
  if (ready === undefined) return startListening(incoming, snapshot);
  return ready.then(
    () => startListening(incoming, snapshot),
    () => refuse(incoming, "SERVICE_UNAVAILABLE", STORE_FAILED),
  );
}

function startListening(incoming: Incoming, snapshot: Snapshot): MaybePromise<McpResponse> {
  const { id, exchange, services, encoder } = incoming;
  if (exchange?.notify === undefined) {
    return refuse(incoming, "INVALID_REQUEST", NO_SUBSCRIPTIONS);
  }
  const asked = readFilter(incoming.params?.["notifications"]);
  if (typeof asked === "string") return refuse(incoming, "INVALID_PARAMS", asked);
  const filter = withoutUnsupported(asked, snapshot);
  const { connection, signal } = exchange;
  const busy = busyResponse(connection, id, incoming.encoder.traits.era);
  if (busy !== undefined) return busy;
  const exceeded =
    services.listenStreams.exceededBy(exchange) ?? services.load.exceededBy(exchange.messageLength);
  if (exceeded !== undefined) return refuse(incoming, "TOO_MANY_CALLS", exceeded);
  if (signal?.aborted === true) return emptyResponse;
  if (services.closing.isClosed) return resultResponse(id, encoder.subscriptionEnd(id));
  return openStream(incoming, exchange, { filter, sources: () => readSources(incoming, snapshot) });
}

/** Notifications that a client receives on one stream. */
interface StreamContent {
  readonly filter: Filter;
  /** Reads the filters of extensions. @throws {McpError} if one is invalid */
  readonly sources: () => MaybePromise<readonly ListenSource[]>;
}

/**
 * Sends the acknowledgement and then notifications, until the client or the server ends the stream, or the caller's
 * credentials end.
 */
function openStream(
  incoming: Incoming,
  exchange: Exchange,
  { filter, sources }: StreamContent,
): Promise<McpResponse> {
  const { id, services, encoder } = incoming;
  const { connection, signal, messageLength } = exchange;
  const { load, listenStreams, closing, changes } = services;
  const _meta = { [META.subscriptionId]: id };
  const send = (method: string, params: JsonObject = {}) =>
    notifySafely((notification) => exchange.notify?.(notification), method, { ...params, _meta });
  load.begin(messageLength);
  const endStream = listenStreams.begin(exchange);
  return new Promise((resolve) => {
    let isOpen = true;
    const stops: (() => void)[] = [];
    const settle = (response: McpResponse) => {
      if (!isOpen) return;
      isOpen = false;
      for (const stop of stops) stop();
      load.end(messageLength);
      endStream();
      connection.end(id);
      signal?.removeEventListener("abort", onGone);
      forgetClosing();
      resolve(response);
    };
    const onGone = () => settle(emptyResponse);
    connection.begin(id, onGone);
    signal?.addEventListener("abort", onGone);
    const end = () => settle(resultResponse(id, encoder.subscriptionEnd(id)));
    const forgetClosing = closing.onClose(end);
    const forgetCredentials = exchange.onCredentialsEnd?.(end);
    if (forgetCredentials !== undefined) stops.push(forgetCredentials);
    const open = (found: readonly ListenSource[]) => {
      if (!isOpen) return;
      stops.push(
        changes.subscribe((change) => {
          const told = describeChange(change);
          if (wants(filter, change, exchange)) void send(told.method, told.params);
        }),
      );
      const accepted = Object.assign({}, ...found.map((source) => source.accepted)) as JsonObject;
      void send("notifications/subscriptions/acknowledged", {
        notifications: { ...toWire(filter), ...accepted },
      });
      for (const source of found) stops.push(source.open(send));
    };
    const fail = (error: unknown) => settle(failWithError("subscriptions/listen", error, incoming));
    try {
      const found = sources();
      if (isPromise(found)) found.then(open).catch(fail);
      else open(found);
    } catch (error) {
      fail(error);
    }
  });
}

/** Asks each extension for its notifications. Synchronous if the server has no extension that takes part. */
function readSources(incoming: Incoming, { listenHooks }: Snapshot): MaybePromise<readonly ListenSource[]> {
  if (listenHooks.length === 0) return [];
  const notifications = incoming.params?.["notifications"];
  if (!isJsonObject(notifications)) return [];
  return Promise.all(listenHooks.map(async (hook) => hook(notifications, incoming))).then((sources) =>
    sources.filter((source) => source !== undefined),
  );
}

interface Filter {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly uris: ReadonlySet<string> | undefined;
}

const STORE_FAILED = "The store does not respond, so changes would be lost. Try again later.";

const MAX_URIS = 1_000;

/** Parses a client's filter. Returns an error message if it is invalid. Ignores unknown kinds. */
function readFilter(value: unknown): Filter | string {
  if (!isJsonObject(value)) return "invalid params: notifications must be an object";
  const uris = value["resourceSubscriptions"];
  if (uris !== undefined) {
    if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === "string" && uri.length <= MAX_URI)) {
      return `invalid params: resourceSubscriptions must be an array of URIs of at most ${MAX_URI} characters`;
    }
    if (uris.length > MAX_URIS)
      return `invalid params: resourceSubscriptions has ${uris.length} URIs (limit: ${MAX_URIS})`;
  }
  return {
    tools: value["toolsListChanged"] === true,
    prompts: value["promptsListChanged"] === true,
    resources: value["resourcesListChanged"] === true,
    uris: uris === undefined ? undefined : new Set<string>(uris),
  };
}

/** Removes kinds that the server does not have. The acknowledgement tells the client that they are not sent. */
function withoutUnsupported(filter: Filter, { tools, resources, templates, prompts }: Snapshot): Filter {
  const hasResources = resources.size + templates.length > 0;
  return {
    tools: filter.tools && tools.size > 0,
    prompts: filter.prompts && prompts.size > 0,
    resources: filter.resources && hasResources,
    uris: hasResources ? filter.uris : undefined,
  };
}

function toWire({ tools, prompts, resources, uris }: Filter): JsonObject {
  return {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(prompts ? { promptsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris === undefined ? {} : { resourceSubscriptions: [...uris] }),
  };
}

/**
 * Returns true if a change is sent on a stream. A URI in the filter may belong to a resource that does not exist yet or
 * that the caller may not see. The acknowledgement does not tell them apart, so the scopes are checked here.
 */
function wants(filter: Filter, change: Change, { auth }: Exchange): boolean {
  if (change.kind !== "resource") return filter[change.kind];
  return filter.uris?.has(change.uri) === true && isAllowed({ scopes: change.scopes ?? [] }, auth);
}
