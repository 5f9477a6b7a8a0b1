/**
 * @fileoverview A tool whose result is too large for a conversation: it writes a CSV file, and answers with a link.
 * @module examples/exports/server
 */
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { defineServer } from "tenon";
import { createFileServingRouter, fileLink, saveFile, setupHttpServer } from "@tenon/kit";
import { z } from "zod";

const ROUTE_PREFIX = "/exports";

/** What `startExports` needs. */
export interface ExportsOptions {
  readonly port: number;
  /** Where the files go, as a `file://` URI. */
  readonly resourceStoreUri: string;
}

/** The server with its one tool. `baseUrl` is asked when a link is made: before, the port may not be known. */
export function createExportServer(resourceStoreUri: string, baseUrl: () => string) {
  return defineServer({ name: "exports", version: "1.0.0" }).tool("export_orders", {
    description: "Writes orders to a CSV file and gives a link to download it",
    input: z.object({
      count: z.number().int().min(1).max(1_000_000).describe("How many of the latest orders"),
    }),
    handler: async ({ count }, call) => {
      const file = await saveFile(orderLines(count), {
        resourceStoreUri,
        filename: `orders-${count}.csv`,
        contentType: "text/csv",
        signal: call.signal,
      });
      return [
        { type: "text" as const, text: `${count} orders, ${file.size} bytes` },
        fileLink(file, { baseUrl: baseUrl(), routePrefix: ROUTE_PREFIX }),
      ];
    },
  });
}

/** MCP and the files on one port. */
export async function startExports({ port, resourceStoreUri }: ExportsOptions) {
  const app = express();
  // The ids cannot be guessed, so a link is all that a reader needs. A list would give every link away.
  const files = createFileServingRouter({ routePrefix: ROUTE_PREFIX, resourceStoreUri, list: false });
  app.use(ROUTE_PREFIX, files);
  let baseUrl = "";
  const server = createExportServer(resourceStoreUri, () => baseUrl).build();
  const { httpServer, close } = await setupHttpServer({ serverFactory: () => server, app, port });
  baseUrl = originOf(httpServer);
  return { server, baseUrl, close };
}

function originOf(http: HttpServer): string {
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // a TCP server that listens
}

/** Line by line: no more than one is in memory, however many there are. */
function* orderLines(count: number): Iterable<string> {
  yield "order,customer,total\n";
  for (let order = 1; order <= count; order++) {
    yield `${order},"Customer ${(order * 7) % 100}",${((order * 1_999) % 10_000) / 100}\n`;
  }
}
