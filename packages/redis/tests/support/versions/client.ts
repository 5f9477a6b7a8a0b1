/**
 * @fileoverview Client of nodes with different versions of Tenon.
 * @module tests/redis/support/versions/client
 */
import type { JsonObject } from "@tenon/internal/json";
import {
  allMessages,
  messagesOf,
  readEvents,
  type SseEvent,
} from "../../../../../tests/support/http-events.js";
import type { Endpoint } from "../../../../../tests/support/http-faces.js";
import { modernPost } from "../../../../../tests/support/http-messages.js";

/** Caller of all requests. */
export const USER = { "x-user": "ada" };

const CAPABILITIES = { extensions: { "io.modelcontextprotocol/tasks": {} }, elicitation: { form: {} } };

/** Sends a stateless request and returns its response. */
export async function send(
  endpoint: Endpoint,
  method: string,
  params: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<JsonObject> {
  const { taskId } = params;
  const name = typeof taskId === "string" ? { "mcp-name": taskId } : {};
  const extras = { capabilities: CAPABILITIES, headers: { ...USER, ...name, ...headers } };
  const response = await endpoint.fetch(modernPost(method, params, extras));
  return (await allMessages(response)).at(-1) ?? {};
}

/** Calls a tool and returns its result. */
export async function call(endpoint: Endpoint, name: string, more: JsonObject = {}): Promise<JsonObject> {
  return resultOf(await send(endpoint, "tools/call", { name, arguments: {}, ...more }));
}

/** Returns the result of a response. @throws if it is an error */
export function resultOf(response: JsonObject): JsonObject {
  const { result } = response;
  if (result === undefined) throw new Error(`Expected a result; got ${JSON.stringify(response)}`);
  return result as JsonObject;
}

/** Returns the ID of the task that a call creates. */
export async function createTask(endpoint: Endpoint, name: string): Promise<string> {
  return String((await call(endpoint, name))["taskId"]);
}

/** Returns the state of a task. */
export async function getTask(endpoint: Endpoint, taskId: string): Promise<JsonObject> {
  return resultOf(await send(endpoint, "tasks/get", { taskId }));
}

/** Returns the text of a result. */
export function textOf(result: unknown): string | undefined {
  return (result as { readonly content?: readonly { readonly text?: string }[] }).content?.[0]?.text;
}

/** Reads events until one has the given number of messages, then breaks the connection. */
export async function readSome(response: Response, count: number): Promise<readonly SseEvent[]> {
  const reader = readEvents(response);
  const events: SseEvent[] = [];
  while (messagesOf(events).length < count) {
    const event = await reader.next();
    if (event === undefined) break;
    events.push(event);
  }
  await reader.cut();
  return events;
}

/** Returns the last event ID. */
export function lastIdOf(events: readonly SseEvent[]): string {
  return events.findLast(({ id }) => id !== undefined)?.id ?? "";
}
