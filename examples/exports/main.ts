/**
 * @fileoverview Starts the export server on localhost. The files are stored in a temporary folder.
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
await client.close();
const uri = content.map((block) => (block.type === "resource_link" ? block.uri : "")).join("");

console.log(`Tenon's export server is ready.

  endpoint   ${running.baseUrl}/mcp

The server has exported 1000 orders as a demo. Download the file, or only its last 20 bytes:

  curl -s ${uri} | head -3
  curl -s ${uri} -H 'range: bytes=-20'

Press Ctrl+C to stop and delete the files.`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    void running.close(1_000).then(() => {
      rmSync(folder, { recursive: true, force: true });
      console.log("Stopped.");
    });
  });
}
