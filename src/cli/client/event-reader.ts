/**
 * @fileoverview Reads a body, whole or as a stream of events, and never more of it than a bound.
 * @module cli/client/event-reader
 */
import { WireError } from "./wire.js";

/** One event of a stream. */
export interface ServerEvent {
  readonly data: string;
  readonly id: string | undefined;
  /** When to come back, in milliseconds. */
  readonly retryMs: number | undefined;
}

/** A body, as far as it is read here. */
export type Body = AsyncIterable<Uint8Array>;

/** The whole body as text. @throws WireError where it is too long */
export async function readText(body: Body | null, maxBytes: number): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let size = 0;
  let text = "";
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new WireError(`The answer is longer than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The events of a body (the HTML standard's event stream format). @throws WireError where one is too long */
export async function* readEvents(body: Body, maxBytes: number): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let afterReturn = false;
  let event = new EventDraft();
  for await (const chunk of body) {
    const arrived = decoder.decode(chunk, { stream: true });
    if (arrived === "") continue;
    // A line end of two characters may be cut between them.
    const text = afterReturn && arrived.startsWith("\n") ? arrived.slice(1) : arrived;
    afterReturn = arrived.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    // Only what is new is searched: a line that never ends must not be read over and over.
    lines[0] = rest + (lines[0] ?? "");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const finished = event.take(line);
      if (finished === undefined) continue;
      event = new EventDraft();
      yield finished;
    }
    if (rest.length + event.size > maxBytes) throw new WireError(`An event is longer than ${maxBytes} bytes`);
  }
}

class EventDraft {
  readonly #data: string[] = [];
  #id: string | undefined;
  #retryMs: number | undefined;
  size = 0;

  /** Takes a line; an empty one ends the event. */
  take(line: string): ServerEvent | undefined {
    if (line === "") return { data: this.#data.join("\n"), id: this.#id, retryMs: this.#retryMs };
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
    this.size += line.length;
    if (field === "data") this.#data.push(value);
    if (field === "id" && /^[\x20-\x7e]{1,1000}$/.test(value)) this.#id = value;
    if (field === "retry" && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
    return undefined;
  }
}
