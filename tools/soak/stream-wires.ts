/**
 * @fileoverview Transports of the soak test without HTTP: lines on two streams, and memory.
 * @module tools/soak/stream-wires
 */
import { createInterface } from "node:readline";
import { PassThrough, type Readable, type Writable } from "node:stream";
import type { Server } from "tenon";
import { serveStdio } from "tenon/stdio";
import { openMemoryTransport } from "tenon/testing";
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
    const transport = openMemoryTransport(server, {
      context: undefined,
      onFrame: (frame) => take(JSON.parse(frame) as Json), // Safe: only read
    });
    return {
      cancelsByLeaving: false,
      // The reply arrives as a frame, possibly much later.
      async send(message) {
        transport.send(JSON.stringify(message)).catch(() => undefined);
      },
      async close() {
        if (!isLeaking) transport.close();
      },
    };
  };
}
