/**
 * @fileoverview HTTP proxy that sends each request to the next node, as a load balancer without sticky sessions does.
 * @module tools/balancer
 */
import { Buffer } from "node:buffer";
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Event stream that a client is reading. */
export interface BalancedStream {
  /** Port of its node. */
  readonly port: number;
  readonly method: string;
  /** True if the client has sent an event ID. */
  readonly isResumed: boolean;
  /** Destroys the connection to the client. */
  cut(): void;
}

/** A running proxy. */
export interface Balancer {
  readonly port: number;
  /** Number of requests that each node has received, by port. */
  readonly requests: ReadonlyMap<number, number>;
  /** Open event streams. */
  readonly streams: ReadonlySet<BalancedStream>;
  close(): Promise<void>;
}

/**
 * Starts a proxy on a free local port. A request is sent to another node if its node refuses the connection.
 *
 * @param choosePorts returns the ports of the nodes that can be used at the moment
 */
export async function startBalancer(choosePorts: () => readonly number[]): Promise<Balancer> {
  const requests = new Map<number, number>();
  const streams = new Set<BalancedStream>();
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const pick = () => {
    const ports = choosePorts();
    const port = ports[turn++ % ports.length] ?? 0;
    requests.set(port, (requests.get(port) ?? 0) + 1);
    return port;
  };
  const server = createServer(
    (incoming, outgoing) => void forward({ incoming, outgoing, agent, pick, streams }),
  );
  server.listen(0, HOST);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port, // Safe: it listens on a port
    requests,
    streams,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const HOST = "127.0.0.1";

/** Maximum number of nodes that a request is sent to. */
const MAX_ATTEMPTS = 5;

interface Forwarded {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly agent: Agent;
  readonly pick: () => number;
  readonly streams: Set<BalancedStream>;
}

/** Passes a request on, and its response piece by piece. A disconnect on one side closes the other. */
async function forward({ incoming, outgoing, agent, pick, streams }: Forwarded): Promise<void> {
  const { method = "GET", url, rawHeaders, headers } = incoming;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer); // Safe: no encoding is set
  } catch {
    return; // The client has disconnected.
  }
  const attempt = (count: number) => {
    const port = pick();
    const sent = request({ host: HOST, port, agent, method, path: url, headers: rawHeaders });
    sent.on("response", (received) => {
      outgoing.writeHead(received.statusCode ?? 502, received.rawHeaders);
      outgoing.flushHeaders();
      received.pipe(outgoing);
      received.on("error", () => outgoing.destroy());
      if (received.headers["content-type"]?.includes("text/event-stream") !== true) return;
      const isResumed = headers["last-event-id"] !== undefined;
      const stream = { port, method, isResumed, cut: () => void outgoing.destroy() };
      streams.add(stream);
      outgoing.once("close", () => streams.delete(stream));
    });
    sent.on("error", (error: NodeJS.ErrnoException) => {
      // The node is gone, or has closed an idle connection before it read the request.
      const isUnsent = error.code === "ECONNREFUSED" || (sent.reusedSocket && error.code === "ECONNRESET");
      if (outgoing.headersSent) outgoing.destroy();
      else if (isUnsent && count < MAX_ATTEMPTS && !outgoing.destroyed) attempt(count + 1);
      else outgoing.writeHead(502).end();
    });
    outgoing.once("close", () => sent.destroy());
    sent.end(Buffer.concat(chunks));
  };
  attempt(1);
}
