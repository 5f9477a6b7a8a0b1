/**
 * @fileoverview The events that a session keeps for clients that reconnect. The baseline and the official SDK use it.
 * @module bench/servers/streams/event-log
 */

/** Events of one stream, oldest first. */
export interface LoggedStream<Event> {
  readonly id: string;
  readonly events: Event[];
}

/** Maximum number of streams that a session keeps. */
const MAX_STREAMS = 64;

/** Keeps the events of the newest streams of one session. */
export class EventLog<Event> {
  readonly #streams = new Map<string, LoggedStream<Event>>();

  /** Returns the stream with this ID, and creates it if it is new. */
  open(id: string): LoggedStream<Event> {
    const known = this.#streams.get(id);
    if (known !== undefined) return known;
    const stream = { id, events: [] };
    this.#streams.set(id, stream);
    if (this.#streams.size > MAX_STREAMS) {
      const [oldest = ""] = this.#streams.keys();
      this.#streams.delete(oldest);
    }
    return stream;
  }

  /** Adds an event, and returns its ID. */
  add(stream: LoggedStream<Event>, event: Event): string {
    return `${stream.id}_${stream.events.push(event)}`;
  }

  /** Returns the stream of an event ID, and the number of events up to that event. */
  find(eventId: string): { readonly stream: LoggedStream<Event>; readonly after: number } | undefined {
    const cut = eventId.lastIndexOf("_");
    const stream = this.#streams.get(eventId.slice(0, cut));
    return stream === undefined ? undefined : { stream, after: Number(eventId.slice(cut + 1)) };
  }
}
