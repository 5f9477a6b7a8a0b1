/**
 * @fileoverview Sends notifications and requests to the client, for every protocol revision: as part of a request in
 * flight, or over an open connection.
 * @module sdk/mcp-server/requests/client-requests
 */
import type { Call } from "tenon/host";
import {
  type ClientCapabilities,
  isLogLevel,
  type JsonRpcNotification,
  LOG_LEVELS,
  McpError,
  projectClientRequest,
  type SamplingRequest,
  TRAITS,
} from "tenon/protocol";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import type { Attached } from "./attached.js";
import { RequestError } from "./errors.js";
import type { RequestScope } from "./request-scope.js";
import type { AskOptions, OutgoingNotification, OutgoingRequest } from "./types.js";

/** Sends the caller a notification related to its request. Does nothing if the request was cancelled. */
export async function notifyCaller(scope: RequestScope, notification: OutgoingNotification): Promise<void> {
  if (scope.signal.aborted) return;
  const { level, data, logger } = paramsOf(notification);
  if (notification.method === "notifications/message" && scope.call !== undefined && isLogLevel(level)) {
    await scope.call.log(level, data, typeof logger === "string" ? logger : undefined);
    return;
  }
  await scope.exchange?.notify?.(toMessage(notification));
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
  const traits = TRAITS[caller.revision];
  if (traits.inputByRetry) return askInRounds(scope, request);
  assertCapable(request.method, paramsOf(request), caller.capabilities);
  const params = projectClientRequest(request.method, paramsOf(request), traits);
  return waitFor(options, [scope.signal], async (signal) => {
    if (exchange?.request === undefined) throw new Error("Not connected");
    return exchange.request({ method: request.method, params }, signal);
  });
}

/** Sends a request over an open connection, outside any request in flight. */
export async function askConnection(
  { connection, notify }: Attached,
  request: OutgoingRequest,
  options: AskOptions,
): Promise<unknown> {
  assertCapable(request.method, paramsOf(request), connection.capabilities);
  const params = projectClientRequest(request.method, paramsOf(request), TRAITS[connection.revision]);
  return waitFor(options, [], async (signal) => {
    const { message, answer } = connection.ask({ method: request.method, params }, signal);
    // `notify` sends any message unchanged, so it also sends requests.
    await notify(message);
    return answer;
  });
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

/** Asserts that the client supports a request. @throws with the official SDK's text if it does not */
function assertCapable(method: string, params: JsonObject, declared: ClientCapabilities): void {
  const { elicitation, sampling, roots } = declared;
  const forms =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  if (method === "elicitation/create" && params["mode"] === "url" && elicitation?.url === undefined) {
    throw new Error("Client does not support url elicitation.");
  }
  if (method === "elicitation/create" && params["mode"] !== "url" && !forms) {
    throw new Error("Client does not support form elicitation.");
  }
  const usesTools = params["tools"] !== undefined || params["toolChoice"] !== undefined;
  if (method === "sampling/createMessage" && usesTools && sampling?.["tools"] === undefined) {
    throw new Error("Client does not support sampling tools capability.");
  }
  if (method === "sampling/createMessage" && sampling === undefined) {
    throw new Error(`Client does not support sampling (required for ${method})`);
  }
  if (method === "roots/list" && roots === undefined) {
    throw new Error(`Client does not support listing roots (required for ${method})`);
  }
}

async function waitFor(
  { signal, timeout }: AskOptions,
  others: readonly AbortSignal[],
  ask: (signal: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  const late = timeout === undefined ? undefined : AbortSignal.timeout(timeout);
  const signals = [
    ...others,
    ...(signal === undefined ? [] : [signal]),
    ...(late === undefined ? [] : [late]),
  ];
  try {
    return await ask(AbortSignal.any(signals));
  } catch (error) {
    if (late?.aborted === true) throw new RequestError(-32001, "Request timed out", { timeout });
    throw refusalIn(error) ?? error;
  }
}

/** Returns the client's own error if the connection's error has one as its cause. */
function refusalIn(error: unknown): RequestError | undefined {
  const cause = error instanceof McpError ? error.cause : undefined;
  if (!isJsonObject(cause) || typeof cause["code"] !== "number") return undefined;
  return new RequestError(cause["code"], String(cause["message"]), cause["data"]);
}

function toMessage({ method, params }: OutgoingNotification): JsonRpcNotification {
  return { jsonrpc: "2.0", method, ...(isJsonObject(params) ? { params } : {}) };
}

function paramsOf({ params }: OutgoingRequest): JsonObject {
  return isJsonObject(params) ? params : {};
}
