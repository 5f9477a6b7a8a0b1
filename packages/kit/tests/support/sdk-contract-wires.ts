/**
 * @fileoverview Tenon's transports with official SDK servers behind them, accessed through the official
 * clients' transports.
 * @module tests/kit/support/sdk-contract-wires
 */
import { PassThrough } from "node:stream";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StdioServerTransport as Stdio2 } from "@modelcontextprotocol/server/stdio";
import express from "express";
import type { JsonObject } from "@tenon/internal/json";
import { createHttpMcpRouter, setupStdioTransport } from "../../src/index.js";
import { type SdkTransport } from "@tenon/sdk";
import { type Revision, TRAITS } from "tenon/protocol";
import { clientOn, type OpenClient } from "../../../../tests/support/contract/transport-client.js";
import { listenOn } from "./mounted-apps.js";
import { type Mounted, officialClientOn } from "./official-wire.js";
import type { SdkContract } from "./sdk-contract-server.js";

/** Every Tenon transport with every client. */
export const SDK_WIRES: Readonly<Record<string, (contract: SdkContract) => OpenClient>> = {
  "our stdio, client of version 1": (contract) =>
    overStdio(contract, (input, output) => new StdioServerTransport(input, output)),
  "our stdio, client of version 2": (contract) =>
    overStdio(contract, (input, output) => new Stdio2(input, output)),
  "our HTTP, client of version 1": overHttp1,
  "our HTTP, client of version 2": (contract) => (options) =>
    officialClientOn(() => mount(contract, options.revision))(options),
};

/** Uses a server transport on crossed streams as a client transport. */
function overStdio(
  { make }: SdkContract,
  open: (input: PassThrough, output: PassThrough) => SdkTransport,
): OpenClient {
  return clientOn(async (revision, take) => {
    const [up, down] = [new PassThrough(), new PassThrough()];
    const wire = await setupStdioTransport(make(revision), { input: up, output: down });
    const transport = open(down, up);
    transport.onmessage = (message: JsonObject) => take(message);
    await transport.start();
    return {
      cancelsByLeaving: false,
      send: (message) => transport.send(message),
      async close() {
        up.end();
        await wire.closed;
        await transport.close();
      },
    };
  });
}

function overHttp1(contract: SdkContract): OpenClient {
  return clientOn(async (revision, take) => {
    const mounted = await mount(contract, revision);
    const transport = new StreamableHTTPClientTransport(new URL(mounted.url));
    transport.onmessage = (message) => take(message);
    await transport.start();
    return {
      cancelsByLeaving: false,
      async send(message) {
        await transport.send(message as never); // any message of the contract client
        if (message["method"] === "initialize" && TRAITS[revision].versionHeader) {
          transport.setProtocolVersion(revision);
        }
      },
      async close() {
        await transport.terminateSession();
        await transport.close();
        await mounted.close();
      },
    };
  });
}

async function mount({ make }: SdkContract, revision: Revision): Promise<Mounted> {
  const router = createHttpMcpRouter({ serverFactory: () => make(revision) });
  const { origin, close } = await listenOn(express().use("/api/mcp", router));
  return { url: `${origin}/api/mcp`, close: () => router.close(1_000).then(close) };
}
