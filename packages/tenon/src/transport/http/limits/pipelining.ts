/**
 * @fileoverview Limits pipelined requests: requests that a client sends on one connection without waiting for the
 * responses.
 * @module tenon/transport/http/limits/pipelining
 */

/** Subset of Node's `Socket` that is used here. */
export interface ClientSocket {
  readonly destroyed: boolean;
  destroy(): unknown;
  once(event: "close", listener: () => void): unknown;
}

/** Subset of Node's `ServerResponse` that is used here. */
interface WaitingResponse {
  once(event: "close", listener: () => void): unknown;
}

interface ConnectionLoad {
  /** Number of calls in flight. */
  calls: number;
  /** Number of requests whose responses are queued behind earlier ones. */
  waiting: number;
}

/** Tracks queued requests and calls in flight per connection. */
export class Pipelining {
  readonly #connections = new WeakMap<ClientSocket, ConnectionLoad>();
  readonly #maxCalls: number;

  /** @param maxCalls maximum number of requests queued on one connection while one of its calls is in flight */
  constructor(maxCalls: number) {
    this.#maxCalls = maxCalls;
  }

  /**
   * Admits a request whose response must wait for earlier responses on its connection. Returns false and closes the
   * connection if too many requests are queued behind a call. An error response is not possible, because it would also
   * have to wait for that call.
   */
  admit(socket: ClientSocket, response: WaitingResponse): boolean {
    const load = this.#loadOf(socket);
    if (load.calls > 0 && load.waiting >= this.#maxCalls) {
      socket.destroy();
      return false;
    }
    load.waiting++;
    response.once("close", () => load.waiting--);
    return true;
  }

  /**
   * Counts a call in flight. Closes the connection if it has too many: Node may report several pipelined requests before
   * their bodies, and `admit` then sees no call.
   */
  begin(socket: ClientSocket): void {
    const load = this.#loadOf(socket);
    load.calls++;
    if (load.calls > this.#maxCalls) socket.destroy();
  }

  /** Ends a call counted by `begin`. */
  end(socket: ClientSocket): void {
    this.#loadOf(socket).calls--;
  }

  /**
   * Returns true if a call on the connection is in flight. Responses behind it must not be passed to Node: it would stop
   * reading from the connection, and then could not detect that the client has disconnected.
   */
  hasCalls(socket: ClientSocket): boolean {
    return this.#loadOf(socket).calls > 0;
  }

  #loadOf(socket: ClientSocket): ConnectionLoad {
    const known = this.#connections.get(socket);
    if (known !== undefined) return known;
    const load = { calls: 0, waiting: 0 };
    this.#connections.set(socket, load);
    return load;
  }
}
