/**
 * @fileoverview Requests that name a session or a task, one for each method and header that can.
 * @module tools/attack/corpora/foreign-requests
 */
import {
  CAPABILITIES,
  type HeaderLine,
  initializeRequest,
  type Json,
  LEGACY,
  legacyBody,
  modernRequest,
  PLAIN,
  type WireRequest,
} from "../clients/messages.js";

/** Creates a request for an ID. */
export type RequestFor = (id: string) => WireRequest;

const BOARD = "board://news";

const METHODS: readonly (readonly [method: string, params: Json])[] = [
  ["ping", {}],
  ["logging/setLevel", { level: "debug" }],
  ["tools/list", {}],
  ["tools/call", { name: "whoami", arguments: {} }],
  ["tools/call", { name: "wait", arguments: { label: "foreign" } }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: BOARD }],
  ["resources/subscribe", { uri: BOARD }],
  ["resources/unsubscribe", { uri: BOARD }],
  ["prompts/list", {}],
  ["prompts/get", { name: "greet" }],
  ["completion/complete", { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "x", value: "" } }],
  ["unknown/method", {}],
];

const NOTIFICATIONS: readonly Json[] = [
  { method: "notifications/initialized" },
  { method: "notifications/cancelled", params: { requestId: 900 } },
  { method: "notifications/progress", params: { progressToken: 1, progress: 1 } },
  { method: "notifications/roots/list_changed" },
  { id: 1, result: { action: "accept", content: { name: "eve" } } },
  { id: 1, error: { code: 1, message: "no" } },
];

/** Returns the requests that name a session in their headers. */
export function sessionRequests(eventId: string): readonly RequestFor[] {
  const lines = (id: string): readonly HeaderLine[] => [
    ["Mcp-Session-Id", id],
    ["MCP-Protocol-Version", LEGACY],
  ];
  const post =
    (body: string): RequestFor =>
    (id) => ({ headers: [...PLAIN, ...lines(id)], body });
  const get =
    (method: string, more: readonly HeaderLine[] = []): RequestFor =>
    (id) => ({
      method,
      headers: [["Host", "localhost"], ["Accept", "text/event-stream"], ...lines(id), ...more],
    });
  return [
    ...METHODS.map(([method, params]) => post(legacyBody(method, params))),
    ...NOTIFICATIONS.map((message) => post(JSON.stringify({ jsonrpc: "2.0", ...message }))),
    post(`[${legacyBody("ping")}]`),
    post("not JSON"),
    post(initializeRequest().body ?? ""),
    get("GET"),
    get("GET", [["Last-Event-ID", eventId]]),
    get("GET", [["Last-Event-ID", "0-0"]]),
    get("DELETE"),
  ];
}

/** Returns the requests that name a task. */
export function taskRequests(): readonly RequestFor[] {
  const answers: readonly Json[] = [
    {},
    { name: { action: "accept", content: { name: "eve" } } },
    { name: "invalid" },
  ];
  return [
    (taskId) => modernRequest("tasks/get", { taskId }),
    ...answers.map(
      (inputResponses): RequestFor =>
        (taskId) =>
          modernRequest("tasks/update", { taskId, inputResponses }),
    ),
    (taskId) => modernRequest("tasks/cancel", { taskId }),
    (taskId) => modernRequest("tasks/result", { taskId }),
    (taskId) => modernRequest("tasks/list", { taskId, cursor: taskId }),
    // A capability in the message does not change who owns the task.
    (taskId) =>
      modernRequest("tasks/get", {
        taskId,
        _meta: { "io.modelcontextprotocol/clientCapabilities": CAPABILITIES, principal: "ada" },
      }),
  ];
}
