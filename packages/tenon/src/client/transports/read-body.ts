/**
 * @fileoverview Reads a response body as text or as events, up to a size limit.
 * @module client/transports/read-body
 */
import { EventReader, isEventStreamError, type ServerEvent } from "@tenon/internal/event-stream";
import { ConnectionError } from "../errors.js";

/** Response body in chunks. */
export type Body = AsyncIterable<Uint8Array>;

/** Reads a whole body as text. @throws {ConnectionError} if the body is larger than `maxBytes` */
export async function readText(body: Body | null, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes)
      throw new ConnectionError(`The response is too large (limit: ${maxBytes} bytes).`, "protocol");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** Reads a body's events. @throws {ConnectionError} if an event is longer than `maxChars` */
export async function* readEvents(body: Body, maxChars: number): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const reader = new EventReader(maxChars);
  try {
    for await (const chunk of body) yield* reader.feed(decoder.decode(chunk, { stream: true }));
  } catch (error) {
    throw isEventStreamError(error) ? new ConnectionError(error.message, "protocol") : error;
  }
}
