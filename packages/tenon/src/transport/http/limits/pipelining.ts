/**
 * @fileoverview Limits requests that a client sends on one connection without waiting for the responses.
 * @module transport/http/limits/pipelining
 */

/** The part of Node's `Socket` that is used here. */
export interface ClientSocket {
  isPaused(): boolean;
  destroy(): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** The part of Node's `ServerResponse` that is used here. */
interface WaitingResponse {
  once(event: "close", listener: () => void): unknown;
}

interface ConnectionLoad {
  /** Calls that wait for their handlers. */
  calls: number;
  /** Requests whose responses wait for those before them. */
  waiting: number;
}

/** Requests and calls in flight, by connection. */
export class Pipelining {
  readonly #connections = new WeakMap<ClientSocket, ConnectionLoad>();
  readonly #maxCalls: number;

  /** @param maxCalls most requests in flight on one connection while one of its calls waits for its handler */
  constructor(maxCalls: number) {
    this.#maxCalls = maxCalls;
  }

  /**
   * Takes a request whose response must wait for others on its connection. Returns false, and closes the connection, if
   * there are too many of them behind a call, or if Node stopped reading from the connection because of them: it could
   * not notice then that the client is gone. No response could be sent before that call has ended.
   */
  admit(socket: ClientSocket, response: WaitingResponse): boolean {
    const load = this.#loadOf(socket);
    if (load.calls > 0 && (load.waiting >= this.#maxCalls || socket.isPaused())) {
      socket.destroy();
      return false;
    }
    load.waiting++;
    response.once("close", () => load.waiting--);
    return true;
  }

  /** Counts a call that waits for its handler. */
  begin(socket: ClientSocket): void {
    this.#loadOf(socket).calls++;
  }

  /** Ends such a call. */
  end(socket: ClientSocket): void {
    this.#loadOf(socket).calls--;
  }

  #loadOf(socket: ClientSocket): ConnectionLoad {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const load = { calls: 0, waiting: 0 };
    this.#connections.set(socket, load);
    return load;
  }
}
