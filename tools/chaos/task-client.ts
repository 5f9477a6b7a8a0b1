/**
 * @fileoverview Client of the Tasks extension. Each request names the node that it is sent to.
 * @module tools/chaos/task-client
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Json, post, type Post, type Response, type Target } from "./http.js";

/** Task as `tasks/get` returns it. */
export interface WireTask extends Json {
  readonly taskId: string;
  readonly status: string;
  readonly inputRequests?: Json;
  readonly result?: { readonly content?: readonly { readonly text?: string }[]; readonly isError?: boolean };
  readonly error?: { readonly message: string };
}

/** Request of one principal. */
export interface TaskRequest {
  readonly principal: string;
  readonly method: string;
  readonly params: Json;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Never sends the request twice. */
  readonly isOnce?: boolean;
}

const REVISION = "2026-07-28";
const PREFIX = "io.modelcontextprotocol/";
const ENVELOPE = {
  [`${PREFIX}protocolVersion`]: REVISION,
  [`${PREFIX}clientInfo`]: { name: "chaos", version: "1.0.0" },
  [`${PREFIX}clientCapabilities`]: { extensions: { [`${PREFIX}tasks`]: {} }, elicitation: { form: {} } },
};

let lastId = 0;

/** Sends a request of the stateless revision. */
export function send(node: Target, request: TaskRequest): Promise<Response> {
  const { isOnce = false } = request;
  return post({ port: node.port, isOnce, ...encode(request) });
}

/** Returns the headers and the body of a request. */
export function encode({ principal, method, params, headers }: TaskRequest): Pick<Post, "headers" | "body"> {
  const name = params["name"] ?? params["taskId"];
  return {
    headers: {
      authorization: `Bearer ${principal}`,
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      ...(typeof name === "string" ? { "mcp-name": name } : {}),
      ...headers,
    },
    body: { jsonrpc: "2.0", id: ++lastId, method, params: { ...params, _meta: ENVELOPE } },
  };
}

/** Calls a tool. */
export function callTool(
  node: Target,
  principal: string,
  tool: { readonly name: string; readonly args: Json },
) {
  return send(node, { principal, method: "tools/call", params: { name: tool.name, arguments: tool.args } });
}

/** Reads a task. Returns `undefined` if the node did not return it. */
export async function getTask(
  node: Target,
  principal: string,
  taskId: string,
): Promise<WireTask | undefined> {
  const { result } = await send(node, { principal, method: "tasks/get", params: { taskId } });
  return result as WireTask | undefined; // Safe: the result of `tasks/get`
}

/** Creates a task on any of the nodes, and tries again until one of them returns the ID. */
export async function createTask(
  pickNode: () => Target,
  principal: string,
  tool: { readonly name: string; readonly args: Json },
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { result, error } = await callTool(pickNode(), principal, tool);
    if (typeof result?.["taskId"] === "string") return result["taskId"];
    if (attempt >= MAX_ATTEMPTS)
      throw new Error(`Could not create a task: ${JSON.stringify(error ?? result)}`);
    await sleep(50);
  }
}

const MAX_ATTEMPTS = 400;

/** Returns true if the status never changes. */
export function isTerminal({ status }: WireTask): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Returns everything of a task that must not change once it has finished. */
export function fingerprint({ status, result, error }: WireTask): string {
  return JSON.stringify([status, result ?? null, error ?? null]);
}

/** Returns the text of a task's result. */
export function textOf({ result }: WireTask): string {
  return result?.content?.[0]?.text ?? "";
}
