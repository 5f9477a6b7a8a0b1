/**
 * @fileoverview Starts the export server on localhost, with a store in a temporary folder.
 * @module examples/exports/main
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createClient } from "tenon/testing";
import { startExports } from "./server.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-exports-"));
const running = await startExports({
  port: Number(process.env["PORT"] ?? 0),
  resourceStoreUri: pathToFileURL(folder).href,
});

const client = await createClient(running.server);
const { content } = await client.callTool("export_orders", { count: 1_000 });
client.close();
const uri = content.map((block) => (block.type === "resource_link" ? block.uri : "")).join("");

console.log(`Tenon's export server is ready.

  endpoint   ${running.baseUrl}/mcp

It has just exported 1000 orders. Try it:

  curl -s ${uri} | head -3
  curl -s ${uri} -H 'range: bytes=-20'

Ctrl-C stops it and deletes the files.`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void running.close(1_000).then(() => {
      rmSync(folder, { recursive: true, force: true });
      console.log("Stopped.");
    });
  });
}
