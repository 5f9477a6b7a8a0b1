/**
 * @fileoverview Reads a response body as text or as events, up to a size limit.
 * @module tenon/client/transports/read-body
 */
import { ByteCollector } from "@tenon/internal/byte-collector";
import { EventReader, isEventStreamError, type ServerEvent } from "@tenon/internal/event-stream";
import type { ConnectionError } from "../errors.js";
import { type ConnectionMemory, limitError } from "../limits.js";

/** Response body in chunks. */
export type Body = ReadableStream<Uint8Array>;

/** Reads a whole body as text. @throws {ConnectionError} if it is larger than `maxBytes`, or than `memory` allows */
export async function readText(
  body: Body | null,
  maxBytes: number,
  memory?: ConnectionMemory,
): Promise<string> {
  if (body === null) return "";
  // Text that is concatenated from single bytes takes 32 times their memory.
  const bytes = new ByteCollector(maxBytes);
  for await (const chunk of readChunks(body, memory, () => bytes.allocatedBytes))
    if (!bytes.append(chunk)) throw tooLarge(maxBytes);
  return new TextDecoder().decode(bytes.take());
}

/** Reads a body's events. @throws {ConnectionError} if an event is longer than `maxBytes`, or than `memory` allows */
export async function* readEvents(
  body: Body,
  maxBytes: number,
  memory?: ConnectionMemory,
): AsyncGenerator<ServerEvent> {
  const reader = new EventReader(maxBytes);
  try {
    for await (const chunk of readChunks(body, memory, () => reader.heldBytes)) yield* reader.feed(chunk);
  } catch (error) {
    throw isEventStreamError(error) ? tooLarge(maxBytes) : error;
  }
}

/** Reads the chunks of a body. `heldBytes` returns the memory of the chunks so far. */
async function* readChunks(
  body: Body,
  memory: ConnectionMemory | undefined,
  heldBytes: () => number,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  let dropped: ConnectionError | undefined;
  const share = memory?.open((reason) => {
    dropped = reason;
    cancel();
  });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (dropped !== undefined) throw dropped;
      if (done) return;
      yield value;
      share?.resize(heldBytes());
    }
  } finally {
    share?.close();
    cancel();
  }
}

function tooLarge(maxBytes: number): ConnectionError {
  return limitError("The server's response is too large", "maxMessageBytes", maxBytes);
}
