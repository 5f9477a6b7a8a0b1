/**
 * @fileoverview Transports of the soak test without HTTP: lines on two streams, and memory.
 * @module tools/soak/stream-wires
 */
import { createInterface } from "node:readline";
import { PassThrough, type Readable, type Writable } from "node:stream";
import type { Exchange, Server } from "tenon";
import { Connection, receive, replyText } from "tenon/host";
import { serveStdio } from "tenon/stdio";
import type { Json, OpenWire } from "./client.js";

/** Sends and receives lines on streams that stay open, such as the pipes of a process. */
export function lines(input: Readable, output: Writable): OpenWire {
  return async (_era, take) => {
    createInterface({ input }).on("line", (line) => take(JSON.parse(line) as Json)); // Safe: only read
    return {
      cancelsByLeaving: false,
      async send(message) {
        output.write(`${JSON.stringify(message)}\n`);
      },
      async close() {},
    };
  };
}

/** Serves each client over stdio on its own two streams in this process. */
export function stdioStreams(server: Server, isLeaking: boolean): OpenWire {
  return async (_era, take) => {
    const toServer = new PassThrough();
    const toClient = new PassThrough();
    const transport = serveStdio(server, { input: toServer, output: toClient });
    const reader = createInterface({ input: toClient });
    reader.on("line", (line) => take(JSON.parse(line) as Json)); // Safe: only read
    return {
      cancelsByLeaving: false,
      async send(message) {
        toServer.write(`${JSON.stringify(message)}\n`);
      },
      async close(isPolite) {
        if (isLeaking) return;
        // A polite client ends its output. The streams of an impolite one break.
        if (isPolite) toServer.end();
        else toServer.destroy();
        await transport.closed;
        reader.close();
        toClient.destroy();
      },
    };
  };
}

/** Serves each client in memory. */
export function memory(server: Server, isLeaking: boolean): OpenWire {
  return async (_era, take) => {
    const connection = new Connection();
    let isOpen = true;
    const write = (frame: string) => {
      if (isOpen && frame !== "") take(JSON.parse(frame) as Json); // Safe: only read
    };
    const notify: Exchange["notify"] = (notification) => write(JSON.stringify(notification));
    const detach = server.attach(connection, notify);
    const exchange: Exchange = {
      connection,
      notify,
      request(request, signal) {
        const { message, answer } = connection.ask(request, signal);
        write(JSON.stringify(message));
        return answer;
      },
    };
    return {
      cancelsByLeaving: false,
      // The reply arrives as a frame, possibly much later.
      async send(message) {
        const reply = Promise.resolve(
          receive(server, JSON.stringify(message), { context: undefined, exchange }),
        );
        void reply.then((received) => write(replyText(received)));
      },
      async close() {
        if (isLeaking) return;
        isOpen = false;
        detach();
        connection.close();
      },
    };
  };
}
