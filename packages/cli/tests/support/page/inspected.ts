/**
 * @fileoverview Serves the page for a server in the process of the test.
 * @module tests/cli/support/page/inspected
 */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { JsonObject } from "@tenon/internal/json";
import type { Target } from "../../../src/client/target.js";
import { createPage, type Page } from "../../../src/page/launch/create-page.js";
import { inspectProgram, inspectUrl } from "../../../src/page/launch/inspect-servers.js";
import type { InspectedServer } from "../../../src/page/workbench/inspected-server.js";
import { PageClient } from "./page-client.js";

/** Serves a listener on a free port until the test has finished. Returns the origin. */
export async function serveHttp(listener: RequestListener): Promise<string> {
  const http = createServer(listener);
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** Page with its backend. */
export interface Inspected {
  readonly page: Page;
  readonly client: PageClient;
}

/** Serves the page for a server, and opens it. */
export async function inspect(server: InspectedServer): Promise<Inspected> {
  const page = createPage({
    mode: "inspect",
    target: "test",
    server,
    countsTokens: true,
    readActivity: () => ({ sessions: [], gauges: [] }),
  });
  const origin = await serveHttp((request, response) => page.listener(request, response));
  onTestFinished(() => page.close());
  page.launch(undefined);
  return { page, client: await PageClient.open(page.urlAt(origin)) };
}

/** Inspects a server at a URL. */
export function inspectAt(
  url: string,
  headers: Extract<Target, { kind: "url" }>["headers"] = [],
): Promise<Inspected> {
  return inspect(inspectUrl({ kind: "url", url: new URL(url), headers }, "1.0.0"));
}

/** Inspects a program. */
export function inspectCommand(words: readonly string[], lines: string[] = []): Promise<Inspected> {
  const terminal = { cwd: process.cwd(), env: process.env };
  return inspect(inspectProgram(words, terminal, (line) => lines.push(line)));
}

/** Returns the texts of a tool's result. */
export function textOf(result: JsonObject | undefined): string {
  const content = (result?.["content"] ?? []) as readonly { readonly text?: string }[];
  return content.map(({ text }) => text ?? "").join("\n");
}
