/**
 * @fileoverview Runs the export server, downloads the file that its tool links to, and sends requests that must fail.
 * @module examples/exports/check
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createClient } from "tenon/testing";
import { startExports } from "./server.js";

/** Runs the example. @throws if its behavior differs from the documentation */
export async function check(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tenon-exports-"));
  const running = await startExports({ port: 0, resourceStoreUri: pathToFileURL(folder).href });
  const client = await createClient(running.server);
  try {
    const { content } = await client.callTool("export_orders", { count: 10_000 });
    const [summary, link] = content;
    assert.ok(summary?.type === "text" && link?.type === "resource_link");
    assert.equal(summary.text, `10000 orders, ${link.size} bytes`);
    assert.equal(link.name, "orders-10000.csv");
    assert.equal(link.mimeType, "text/csv");
    await checkDownload(link.uri, link.size ?? 0);
    await checkRefusals(running.baseUrl);
  } finally {
    await client.close();
    await running.close(0);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkDownload(uri: string, size: number): Promise<void> {
  const whole = await fetch(uri);
  assert.equal(whole.status, 200);
  assert.equal(whole.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.equal(whole.headers.get("content-disposition"), 'attachment; filename="orders-10000.csv"');
  const text = await whole.text();
  assert.equal(text.length, size);
  assert.match(text, /^order,customer,total\n1,"Customer 7",19\.99\n/);

  const end = await fetch(uri, { headers: { range: "bytes=-20" } });
  assert.equal(end.status, 206);
  assert.equal(await end.text(), text.slice(-20));
}

async function checkRefusals(baseUrl: string): Promise<void> {
  for (const path of ["", "/", "/0123456789abcdef", "/..%2f..%2fetc%2fpasswd"]) {
    assert.equal((await fetch(`${baseUrl}/exports${path}`)).status, 404, path);
  }
  assert.equal((await fetch(`${baseUrl}/exports/x`, { method: "DELETE" })).status, 405);
}
