/**
 * @fileoverview HTTP proxy that sends each request to the next node, as a load balancer without sticky sessions does.
 * @module tools/conformance/round-robin
 */
import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A running proxy. */
export interface RoundRobin {
  readonly port: number;
  /** Number of requests that each node has received. */
  readonly requests: readonly number[];
  close(): Promise<void>;
}

/** Starts a proxy on a free local port. */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const requests = ports.map(() => 0);
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    const index = turn++ % ports.length;
    requests[index] = (requests[index] ?? 0) + 1;
    forward(incoming, outgoing, { agent, port: ports[index] ?? 0 });
  });
  server.listen(0, HOST);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port, // Safe: it listens on a port
    requests,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const HOST = "127.0.0.1";

interface Target {
  readonly agent: Agent;
  readonly port: number;
}

/** Passes a request and its response on, piece by piece. A disconnect on one side closes the other. */
function forward(incoming: IncomingMessage, outgoing: ServerResponse, { agent, port }: Target): void {
  const { method, url, rawHeaders } = incoming;
  const sent = request({ host: HOST, port, agent, method, path: url, headers: rawHeaders });
  sent.on("response", (received) => {
    outgoing.writeHead(received.statusCode ?? 502, received.rawHeaders);
    outgoing.flushHeaders();
    received.pipe(outgoing);
    received.on("error", () => outgoing.destroy());
  });
  sent.on("error", () => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  });
  outgoing.on("close", () => sent.destroy());
  incoming.pipe(sent);
}
