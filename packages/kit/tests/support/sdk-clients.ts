/**
 * @fileoverview The official clients on Tenon's transports, with official SDK servers behind them.
 * @module tests/kit/support/sdk-clients
 */
import { PassThrough } from "node:stream";
import { StreamableHTTPClientTransport as Http2 } from "@modelcontextprotocol/client";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StdioServerTransport as Stdio2 } from "@modelcontextprotocol/server/stdio";
import express from "express";
import { createHttpMcpRouter, setupHttpServer, setupStdioTransport } from "../../src/index.js";
import type { OfficialClient } from "../../../../tools/official-clients/official-client.js";
import { connectV1 } from "../../../../tools/official-clients/v1-client.js";
import { connectV2, type Negotiation } from "../../../../tools/official-clients/v2-client.js";
import { listenOn } from "./mounted-apps.js";
import type { MadeServer, MakeServer } from "./sdk-servers.js";

/** Creates clients for one SDK version. */
export interface ClientKind {
  overHttp(url: URL): Promise<OfficialClient>;
  /** Uses a server transport on crossed streams as a client transport. */
  overStreams(input: PassThrough, output: PassThrough): Promise<OfficialClient>;
}

/** Every client. */
export const CLIENTS: Readonly<Record<string, ClientKind>> = {
  "client of version 1": {
    overHttp: (url) => connectV1(new StreamableHTTPClientTransport(url)),
    overStreams: (input, output) => connectV1(new StdioServerTransport(input, output)),
  },
  "client of version 2": clientOfVersion2("unset"),
  "client of version 2 that looks for the newest": clientOfVersion2("auto"),
};

function clientOfVersion2(negotiation: Negotiation): ClientKind {
  return {
    overHttp: (url) => connectV2(negotiation, new Http2(url)),
    overStreams: (input, output) => connectV2(negotiation, new Stdio2(input, output)),
  };
}

/** A connected client and the servers that were created for it. */
export interface OpenedClient {
  readonly client: OfficialClient;
  readonly made: readonly MadeServer[];
  stop(): Promise<unknown>;
}

/** Every Tenon transport that accepts SDK servers. */
export const WIRES: Readonly<Record<string, (make: MakeServer, kind: ClientKind) => Promise<OpenedClient>>> =
  {
    async stdio(make, kind) {
      const made = make();
      const [input, output] = [new PassThrough(), new PassThrough()];
      const transport = await setupStdioTransport(made.server, { input, output });
      return { client: await kind.overStreams(output, input), made: [made], stop: () => transport.close() };
    },
    async "a router on Express"(make, kind) {
      const { made, serverFactory } = recording(make);
      const router = createHttpMcpRouter({ serverFactory });
      const app = express().use("/api/mcp", express.json(), router);
      const { origin, close } = await listenOn(app);
      const client = await kind.overHttp(new URL(`${origin}/api/mcp`));
      return { client, made, stop: () => router.close(500).then(close) };
    },
    async setupHttpServer(make, kind) {
      const { made, serverFactory } = recording(make);
      const { httpServer, close } = await setupHttpServer({ serverFactory, app: express(), port: 0 });
      const { port } = httpServer.address() as { readonly port: number }; // listening on a port
      const client = await kind.overHttp(new URL(`http://127.0.0.1:${port}/mcp`));
      return { client, made, stop: () => close(500) };
    },
  };

/** Wraps a factory and records the servers it creates. */
export function recording(make: MakeServer) {
  const made: MadeServer[] = [];
  const serverFactory = () => {
    const one = make();
    made.push(one);
    return one.server;
  };
  return { made, serverFactory };
}
