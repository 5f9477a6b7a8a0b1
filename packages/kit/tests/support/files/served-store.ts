/**
 * @fileoverview Stores on disk, loopback servers, and raw requests for the file serving tests.
 * @module tests/kit/support/files/served-store
 */
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import connectApp from "connect";
import express from "express";
import { onTestFinished } from "vitest";
import type { Logger } from "tenon";
import {
  createFileServingRouter,
  type FileServingConfig,
  type FileServingRouter,
} from "../../../src/files/file-serving-router.js";

/** Creates a folder that is removed after the test. */
export function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-files-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the `file://` URI of a folder. */
export const uriOf = (folder: string) => pathToFileURL(folder).href;

/** Listens on a free loopback port until the test ends. */
export async function listen(app: RequestListener): Promise<number> {
  const http = createServer(app).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return (http.address() as AddressInfo).port; // listening on a port
}

/** Serves a folder at `/exports` on `node:http`. */
export async function serveFolder(
  folder: string,
  config: Partial<FileServingConfig> = {},
): Promise<{ readonly port: number; readonly url: string }> {
  const port = await listen(routerOf(folder, config));
  return { port, url: `http://127.0.0.1:${port}/exports` };
}

/** Creates a router at `/exports`. */
export function routerOf(folder: string, config: Partial<FileServingConfig> = {}): FileServingRouter {
  return createFileServingRouter({ routePrefix: "/exports", resourceStoreUri: uriOf(folder), ...config });
}

/** Every way to mount the router. Clients always see it at `/exports`. */
export const MOUNTS: readonly (readonly [string, (folder: string) => RequestListener])[] = [
  ["bare node:http", (folder) => routerOf(folder)],
  ["Express, mounted at the prefix", (folder) => express().use("/exports", routerOf(folder))],
  ["Express, mounted at the root", (folder) => express().use(routerOf(folder))],
  [
    "Express, mounted where the mount alone decides",
    (folder) => express().use("/exports", routerOf(folder, { routePrefix: "/" })),
  ],
  ["Connect, mounted at the prefix", (folder) => connectApp().use("/exports", routerOf(folder))],
  ["Connect, mounted at the root", (folder) => connectApp().use(routerOf(folder))],
];

/** Sends one request with exactly this target and returns the whole response. */
export async function rawGet(port: number, target: string, method = "GET"): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`));
  let got = "";
  socket.on("data", (chunk) => (got += chunk.toString("latin1")));
  socket.on("error", () => {});
  await once(socket, "close");
  return got;
}

/** Returns the status of a raw response. */
export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

/** Creates a logger that records its lines. */
export function recorder(): { readonly lines: string[]; readonly logger: Logger } {
  const lines: string[] = [];
  const at = (level: string) => (text: string) => void lines.push(`${level}: ${text}`);
  return { lines, logger: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } };
}
