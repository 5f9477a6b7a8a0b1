/**
 * @fileoverview A tool whose result is too large for a conversation: it writes a CSV file and returns a link.
 * @module examples/exports/server
 */
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { defineServer } from "tenon";
import { createFileServingRouter, fileLink, saveFile, setupHttpServer } from "@tenon/kit";
import { z } from "zod";

const ROUTE_PREFIX = "/exports";

/** Options of `startExports`. */
export interface ExportsOptions {
  readonly port: number;
  /** Directory of the files, as a `file://` URI. */
  readonly resourceStoreUri: string;
}

/** Creates the server. `baseUrl` is a function, because the port is unknown before the server listens. */
export function createExportServer(resourceStoreUri: string, baseUrl: () => string) {
  return defineServer({ name: "exports", version: "1.0.0" }).tool("export_orders", {
    description: "Exports orders to a CSV file and returns a download link",
    input: z.object({
      count: z.number().int().min(1).max(1_000_000).describe("Number of latest orders to export"),
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

/** Serves MCP and the files on one port. */
export async function startExports({ port, resourceStoreUri }: ExportsOptions) {
  const app = express();
  // The IDs cannot be guessed, so the link is enough to read a file. A list would reveal every link.
  const files = createFileServingRouter({ routePrefix: ROUTE_PREFIX, resourceStoreUri, list: false });
  app.use(ROUTE_PREFIX, files);
  let baseUrl = "";
  const server = createExportServer(resourceStoreUri, () => baseUrl).build();
  const { httpServer, close } = await setupHttpServer({ serverFactory: () => server, app, port });
  baseUrl = originOf(httpServer);
  return { server, baseUrl, close };
}

function originOf(http: HttpServer): string {
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // a listening TCP server
}

/** Generates the file line by line, so that only one line is in memory. */
function* orderLines(count: number): Iterable<string> {
  yield "order,customer,total\n";
  for (let order = 1; order <= count; order++) {
    yield `${order},"Customer ${(order * 7) % 100}",${((order * 1_999) % 10_000) / 100}\n`;
  }
}
