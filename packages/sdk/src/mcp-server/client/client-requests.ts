/**
 * @fileoverview Sends notifications and requests to the client, for every protocol revision: as part of a request in
 * flight, or over an open connection.
 * @module sdk/mcp-server/client/client-requests
 */
import type { Call, Caller } from "tenon/host";
import {
  isLogLevel,
  type JsonRpcNotification,
  LOG_LEVELS,
  projectClientRequest,
  type SamplingRequest,
  TRAITS,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Attached } from "./attached.js";
import type { RequestScope } from "../requests/request-scope.js";
import { connectionLine, sendRequest } from "./send-request.js";
import type { AskOptions, OutgoingNotification, OutgoingRequest } from "../requests/types.js";

/** Sends the caller a notification related to its request. Does nothing if the request was cancelled. */
export async function notifyCaller(scope: RequestScope, notification: OutgoingNotification): Promise<void> {
  if (scope.signal.aborted) return;
  if (await reportToTask(scope, notification)) return;
  const { level, data, logger } = paramsOf(notification);
  if (notification.method === "notifications/message" && scope.call !== undefined && isLogLevel(level)) {
    await scope.call.log(level, data, typeof logger === "string" ? logger : undefined);
    return;
  }
  await scope.exchange?.notify?.(toMessage(notification));
}

/** Turns a progress notification of a task into the task's status message. Returns false for other notifications. */
export async function reportToTask(
  { call }: RequestScope,
  notification: OutgoingNotification,
): Promise<boolean> {
  if (call?.taskId === undefined || notification.method !== "notifications/progress") return false;
  const { progress, total, message } = paramsOf(notification);
  await call.progress(
    typeof progress === "number" ? progress : NaN,
    typeof total === "number" ? total : undefined,
    typeof message === "string" ? message : undefined,
  );
  return true;
}

/** Sends a notification to every legacy connection. Log messages below a connection's log level are not sent to it. */
export async function notifyAll(
  attached: Iterable<Attached>,
  notification: OutgoingNotification,
): Promise<void> {
  const { level } = paramsOf(notification);
  const isLog = notification.method === "notifications/message" && isLogLevel(level);
  for (const { connection, notify } of attached) {
    const wanted = connection.logLevel ?? "debug";
    if (isLog && LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(wanted)) continue;
    if (connection.era === "legacy") await notify(toMessage(notification));
  }
}

/** Sends a request to the caller while its own request is in flight. */
export async function askCaller(
  scope: RequestScope,
  request: OutgoingRequest,
  options: AskOptions,
): Promise<unknown> {
  const { exchange, caller } = scope;
  if (TRAITS[caller.revision].inputByRetry) return askInRounds(scope, request);
  if (exchange?.request === undefined || exchange.notify === undefined) throw new Error("Not connected");
  const line = connectionLine(exchange.connection, (message) => exchange.notify?.(message));
  return sendRequest(line, prepare(request, caller), { options, signals: [scope.signal] });
}

/** Sends a request over an open connection, outside any request in flight. */
export async function askConnection(
  { connection, notify }: Attached,
  request: OutgoingRequest,
  options: AskOptions,
): Promise<unknown> {
  return sendRequest(connectionLine(connection, notify), prepare(request, connection), { options });
}

/** Adapts a request's parameters to the client's revision. */
export function prepare(
  request: OutgoingRequest,
  { revision }: Pick<Caller, "revision">,
): { readonly method: string; readonly params: JsonObject } {
  const { method } = request;
  return { method, params: projectClientRequest(method, paramsOf(request), TRAITS[revision]) };
}

/** Requests input in the stateless revision: the call returns the request, then runs again with the response. */
async function askInRounds(scope: RequestScope, request: OutgoingRequest): Promise<unknown> {
  const { call } = scope;
  const { method } = request;
  if (call === undefined) {
    throw new Error(
      `"${scope.message.method}" cannot send "${method}" to the client. ` +
        "In this protocol version, only tool, resource, and prompt callbacks can send requests.",
    );
  }
  const params = paramsOf(request);
  const key = `${method}-${++scope.questions}`;
  switch (method) {
    case "elicitation/create":
      return elicit(call, key, params);
    case "sampling/createMessage":
      return call.sample(key, params as unknown as SamplingRequest); // Safe: the client validates it
    case "roots/list":
      return { roots: await call.roots(key) };
    default:
      throw new Error(
        `"${method}" is not supported in protocol version ${scope.caller.revision}. ` +
          "Supported requests: elicitation/create, sampling/createMessage, roots/list.",
      );
  }
}

async function elicit(call: Call, key: string, params: JsonObject): Promise<unknown> {
  const { mode, message, url, requestedSchema } = params;
  if (mode === "url") {
    const { action } = await call.input(key, { kind: "url", message: String(message), url: String(url) });
    return { action };
  }
  const jsonSchema = isJsonObject(requestedSchema) ? requestedSchema : { type: "object", properties: {} };
  const schema = { jsonSchema, check: (value: unknown) => ({ value }) };
  return call.input(key, { kind: "form", message: String(message), schema });
}

/** Converts a notification to its JSON-RPC message. */
export function toMessage({ method, params }: OutgoingNotification): JsonRpcNotification {
  return { jsonrpc: "2.0", method, ...(isJsonObject(params) ? { params } : {}) };
}

/** Returns a message's parameters, or an empty object. */
export function paramsOf({ params }: OutgoingRequest): JsonObject {
  return isJsonObject(params) ? params : {};
}
