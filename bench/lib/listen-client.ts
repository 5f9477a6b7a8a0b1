/**
 * @fileoverview Clients that keep many `subscriptions/listen` streams open, and wait for changes on all of them.
 * @module bench/lib/listen-client
 */
import { connect, type Socket } from "node:net";
import { ENVELOPE, LONG_ID } from "./cases.js";
import { eventData } from "./check.js";
import { ACCEPT, requestBytes } from "./http-request.js";

const METHOD = "subscriptions/listen";
const PATIENCE_MS = 20_000;
/** Streams that are opened at the same time. */
const OPENING = 50;

/** Streams that received a change, and those that received something else or nothing. */
export interface Delivery {
  readonly delivered: number;
  readonly errors: number;
}

/** Open streams to one server. */
export class ListenClient {
  readonly #streams: readonly Stream[];

  private constructor(streams: readonly Stream[]) {
    this.#streams = streams;
  }

  /** Opens the streams, and waits until the server has acknowledged each. */
  static async open(port: number, count: number): Promise<ListenClient> {
    const streams: Stream[] = [];
    while (streams.length < count) {
      const missing = Math.min(OPENING, count - streams.length);
      const ids = Array.from({ length: missing }, (_, index) => LONG_ID + streams.length + index);
      streams.push(...(await Promise.all(ids.map((id) => Stream.open(port, id)))));
    }
    return new ListenClient(streams);
  }

  /** First wrong event, if any. */
  get firstWrong(): string | undefined {
    return this.#streams.find(({ wrong }) => wrong !== undefined)?.wrong;
  }

  /** Starts to wait for one change on every stream. */
  expectChange(): Promise<Delivery> {
    return new Promise((resolve) => {
      const { length } = this.#streams;
      let [delivered, errors] = [0, 0];
      const finish = () => {
        clearTimeout(timer);
        resolve({ delivered, errors: errors + length - delivered });
      };
      const timer = setTimeout(finish, PATIENCE_MS);
      for (const stream of this.#streams) {
        stream.onEvent = (isRight) => {
          if (!isRight) errors++;
          if (++delivered === length) finish();
        };
      }
    });
  }

  /** Closes all streams. */
  close(): void {
    for (const stream of this.#streams) stream.close();
  }
}

/** One stream on a connection of its own. */
class Stream {
  onEvent: (isRight: boolean) => void = () => {};
  wrong: string | undefined;
  readonly #socket: Socket;
  readonly #id: number;
  /** The last correct event. Its next one usually has the same text. */
  #known = "";
  #text = "";

  private constructor(socket: Socket, id: number) {
    this.#socket = socket;
    this.#id = id;
    socket.setEncoding("utf8").on("data", (chunk: string) => this.#take(chunk));
    socket.on("close", () => {
      this.wrong ??= "The server closed the connection.";
    });
  }

  static open(port: number, id: number): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => {
        const stream = new Stream(socket, id);
        stream.#onAcknowledged = () => resolve(stream);
        socket.write(listenRequest(port, id));
      });
      socket.setNoDelay(true);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("The server closed a stream.")));
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #onAcknowledged: (() => void) | undefined;

  #take(chunk: string): void {
    this.#text += chunk;
    // An event is complete at the end of its chunk.
    if (!this.#text.endsWith("\n\n\r\n")) return;
    const text = this.#text;
    this.#text = "";
    if (this.#onAcknowledged !== undefined) {
      if (!text.includes("notifications/subscriptions/acknowledged")) return;
      this.#onAcknowledged();
      this.#onAcknowledged = undefined;
      return;
    }
    if (text === this.#known) return this.onEvent(true);
    for (const data of eventData(text)) {
      const isRight = this.#isChange(data);
      if (isRight) this.#known = text;
      else this.wrong ??= data.slice(0, 300);
      this.onEvent(isRight);
    }
    return undefined;
  }

  #isChange(data: string): boolean {
    const { method, params } = JSON.parse(data) as {
      readonly method?: string;
      readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> };
    };
    const subscription = params?._meta?.["io.modelcontextprotocol/subscriptionId"];
    // The official SDK converts the ID to text.
    return method === "notifications/tools/list_changed" && String(subscription) === String(this.#id);
  }
}

function listenRequest(port: number, id: number) {
  const params = { notifications: { toolsListChanged: true }, _meta: ENVELOPE };
  const text = JSON.stringify({ jsonrpc: "2.0", id, method: METHOD, params });
  return requestBytes({ method: METHOD, name: undefined, text }, { port, mode: "modern", accept: ACCEPT });
}
