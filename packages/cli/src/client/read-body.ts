/**
 * @fileoverview Reads a body, whole or as a stream of events, and never more of it than a bound.
 * @module cli/client/read-body
 */
import { EventReader, isEventStreamError, type ServerEvent } from "@tenon/internal/event-stream";
import { TransportError } from "./transport.js";

/** A body, as far as it is read here. */
export type Body = AsyncIterable<Uint8Array>;

/** The whole body as text. @throws TransportError where it is too long */
export async function readText(body: Body | null, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new TransportError(`The answer is longer than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The events of a body. @throws TransportError where one is too long */
export async function* readEvents(body: Body, maxChars: number): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  const reader = new EventReader(maxChars);
  try {
    for await (const chunk of body) yield* reader.feed(decoder.decode(chunk, { stream: true }));
  } catch (error) {
    throw isEventStreamError(error) ? new TransportError(error.message) : error;
  }
}
