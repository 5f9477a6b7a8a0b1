/**
 * @fileoverview One HTTP request on a connection of its own.
 * @module bench/lib/one-exchange
 */
import { Buffer } from "node:buffer";
import { connect } from "node:net";
import { readResponse } from "./http-response.js";

/** A response, as far as it was read. */
export interface Exchanged {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

const PATIENCE_MS = 10_000;

/**
 * Sends a request on a new connection and closes it when the response is complete.
 *
 * @param isDone returns true if the body is complete although the server keeps the response open
 * @throws if the response does not complete
 */
export function exchangeOnce(
  port: number,
  request: Buffer,
  isDone: (body: string) => boolean = () => false,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0);
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    const fail = (reason: string) => {
      reject(new Error(`${reason} ${received.toString().slice(0, 200)}`));
      socket.destroy();
    };
    socket.setNoDelay(true);
    socket.setTimeout(PATIENCE_MS, () => fail(`The response did not complete within ${PATIENCE_MS} ms.`));
    socket.on("data", (chunk: Buffer) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const { status, headEnd, end, body: bodyOf } = readResponse(received);
      if (headEnd === 0) return;
      const body = bodyOf(received).toString();
      if (!(end !== undefined && received.length >= end) && !isDone(body)) return;
      socket.destroy();
      resolve({ status, head: received.toString("latin1", 0, headEnd), body });
    });
    socket.on("error", (error) => fail(error.message));
    socket.on("close", () => fail("The server closed the connection."));
  });
}
