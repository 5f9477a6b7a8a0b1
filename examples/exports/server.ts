/**
 * @fileoverview A tool whose result is too large for a conversation. It writes a CSV file and returns a link to it.
 * @module examples/exports/server
 */
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { defineServer } from "tenon";
import { createFileServingRouter, fileLink, saveFile, setupHttpServer } from "@tenon/kit";
import { z } from "zod";

const ROUTE_PREFIX = "/exports";

/** Options for `startExports`. */
export interface ExportsOptions {
  readonly port: number;
  /** `file://` URI of the directory where the files are stored. */
  readonly resourceStoreUri: string;
}

/** Creates the server. `baseUrl` is a function, because the port is unknown before the server listens. */
export function createExportServer(resourceStoreUri: string, baseUrl: () => string) {
  return defineServer({ name: "exports", version: "1.0.0" }).tool("export_orders", {
    description: "Exports orders to a CSV file and returns a download link",
    input: z.object({
      count: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .describe("Number of orders to export, starting with the latest"),
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
  // File IDs cannot be guessed, so only holders of a link can read a file. A file list would reveal every link.
  const files = createFileServingRouter({ routePrefix: ROUTE_PREFIX, resourceStoreUri, list: false });
  app.use(ROUTE_PREFIX, files);
  let baseUrl = "";
  const server = createExportServer(resourceStoreUri, () => baseUrl).build();
  const { httpServer, close } = await setupHttpServer({ serverFactory: () => server, app, port });
  baseUrl = originOf(httpServer);
  return { server, baseUrl, close };
}

function originOf(http: HttpServer): string {
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`; // an object for TCP servers
}

/** Generates the file line by line, so that the whole file is never in memory. */
function* orderLines(count: number): Iterable<string> {
  yield "order,customer,total\n";
  for (let order = 1; order <= count; order++) {
    yield `${order},"Customer ${(order * 7) % 100}",${((order * 1_999) % 10_000) / 100}\n`;
  }
}
