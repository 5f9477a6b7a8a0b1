import type { ServerMessage } from "../../../src/messages/built-in-messages.js";
import type { ClientSocket } from "../../../src/client/socket-types.js";

type Listener = (event: never) => void;

/** A WebSocket without a network. The test is the server. */
export class FakeSocket implements ClientSocket {
  readyState = 0;
  readonly sent: { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
  closedWith: number | undefined;
  readonly #listeners = new Map<string, Listener[]>();

  constructor(readonly url: string) {}

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as FakeSocket["sent"][number]);
  }

  close(code = 1005): void {
    this.closedWith ??= code;
    this.readyState = 3;
  }

  /** Completes the handshake. */
  open(): void {
    this.readyState = 1;
    this.#emit("open", {});
  }

  /** Completes the handshake and accepts the client. */
  accept(data: Partial<Extract<ServerMessage, { type: "connected" }>["data"]> = {}): void {
    this.open();
    this.receive({ type: "connected", data: { message: "Connected", ...data } });
  }

  /** Sends a message to the client. */
  receive(message: ServerMessage): void {
    this.receiveRaw(JSON.stringify(message));
  }

  /** Sends any content to the client. */
  receiveRaw(data: unknown): void {
    this.#emit("message", { data });
  }

  /** Acknowledges a message that the client has sent, or rejects it with a reason. */
  answer(message: FakeSocket["sent"][number], reason?: string): void {
    const taskId = String(message.data["taskId"]);
    const status = reason === undefined ? "acked" : "failed";
    this.receive({ type: "ack", data: { taskId, targetMessage: message, status, updateTime: 1 } });
    if (reason !== undefined) this.receive({ type: "error", data: { message: reason, taskId } });
  }

  /** Ends the connection. */
  fail(code = 1006, message?: string): void {
    this.readyState = 3;
    if (message !== undefined) this.#emit("error", { message });
    this.#emit("close", { code, reason: "" });
  }

  #emit(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }
}

/** Creates a class of fake sockets that records its instances. */
export function createFakeSockets() {
  const sockets: FakeSocket[] = [];
  class Recorded extends FakeSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  return {
    WebSocket: Recorded,
    sockets,
    /** The newest socket. */
    get last(): FakeSocket {
      const socket = sockets.at(-1);
      if (socket === undefined) throw new Error("The client has not created a socket yet.");
      return socket;
    },
  };
}
