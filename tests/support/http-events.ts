/**
 * @fileoverview Reads event streams as a client does.
 * @module tests/support/http-events
 */
import type { JsonObject } from "@tenon/internal/json";

/** Server-sent event. */
export interface SseEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
  readonly comment?: string;
}

/** Event stream reader. */
export interface EventReader {
  /** Reads the next event or comment. Returns `undefined` at the end of the stream. */
  next(): Promise<SseEvent | undefined>;
  /** Reads the next event with data, and parses it as JSON. @throws if the stream ends first */
  message(): Promise<JsonObject>;
  /** Reads all remaining events. */
  rest(): Promise<readonly SseEvent[]>;
  /** Closes the connection without waiting for the stream's end. */
  cut(): Promise<void>;
}

/** Creates a reader for a response's events. */
export function readEvents(response: Response): EventReader {
  if (response.body === null) throw new Error("Expected a response with a body; got none.");
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const next = async (): Promise<SseEvent | undefined> => {
    while (!text.includes("\n\n")) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      text += decoder.decode(value, { stream: true });
    }
    const end = text.indexOf("\n\n");
    const block = text.slice(0, end);
    text = text.slice(end + 2);
    return parseEvent(block);
  };
  const rest = async () => {
    const events: SseEvent[] = [];
    for (let event = await next(); event !== undefined; event = await next()) events.push(event);
    return events;
  };
  const message = async (): Promise<JsonObject> => {
    for (let event = await next(); event !== undefined; event = await next()) {
      if (event.data !== undefined && event.data !== "") return JSON.parse(event.data) as JsonObject;
    }
    throw new Error("The stream ended before the next event.");
  };
  return { next, message, rest, cut: () => reader.cancel() };
}

/** Reads all of a response's events. */
export async function allEvents(response: Response): Promise<readonly SseEvent[]> {
  return response.status === 204 ? [] : readEvents(response).rest();
}

/** Reads the messages in a JSON or event stream response. */
export async function allMessages(response: Response): Promise<readonly JsonObject[]> {
  if (response.status === 204) return [];
  if (response.headers.get("content-type") !== "text/event-stream") {
    return [JSON.parse(await response.text()) as JsonObject];
  }
  return messagesOf(await allEvents(response));
}

/** Returns the messages in events. */
export function messagesOf(events: readonly SseEvent[]): readonly JsonObject[] {
  return events
    .filter(({ data }) => data !== undefined && data !== "")
    .map(({ data = "" }) => JSON.parse(data) as JsonObject);
}

function parseEvent(block: string): SseEvent {
  const fields = block.split("\n").map((line): [string, string] => {
    const colon = line.indexOf(":");
    const name = colon === 0 ? "comment" : line.slice(0, colon);
    return [name, line.slice(colon + 1).replace(/^ /, "")];
  });
  return Object.fromEntries(fields);
}
