/**
 * @fileoverview Runs the showcase in memory and over HTTP, and checks its responses.
 * @module examples/showcase/check
 */
import assert from "node:assert/strict";
import { serve } from "tenon/node";
import { createClient } from "tenon/testing";
import { connectionHelp } from "./connection-help.js";
import { createShowcase } from "./server.js";

/** Runs the example. @throws if its behavior differs from the documentation */
export async function check(): Promise<void> {
  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    const client = await createClient(createShowcase(), {
      revision,
      input: () => ({ action: "accept", content: { sure: true } }),
    });
    await client.callTool("save_note", { name: "milk", text: "Buy milk" });
    assert.deepEqual((await client.callTool("list_notes")).structuredContent, { names: ["welcome", "milk"] });
    assert.deepEqual((await client.readResource("notes://milk")).contents, [
      { uri: "notes://milk", mimeType: "text/plain", text: "Buy milk" },
    ]);
    const { structuredContent } = await client.callTool("convert_length", { value: 2, from: "km", to: "m" });
    assert.deepEqual(structuredContent, { value: 2_000, unit: "m" });
    const steps: number[] = [];
    await client.callTool("count_slowly", { to: 3 }, { onProgress: ({ progress }) => steps.push(progress) });
    assert.deepEqual(steps, [1, 2, 3]);
    assert.deepEqual((await client.callTool("delete_note", { name: "milk" })).content, [
      { type: "text", text: 'Deleted "milk".' },
    ]);
    assert.equal((await client.callTool("delete_note", { name: "milk" })).isError, true);
    assert.match(JSON.stringify(await client.getPrompt("summarize_notes", { style: "a poem" })), /as a poem/);
    await client.close();
  }
  await checkTask();
  await checkOverHttp();
}

/** A client that supports tasks gets one from the slow tool, sees its progress, and cancels a second one. */
async function checkTask(): Promise<void> {
  const server = createShowcase();
  const client = await createClient(server, { tasks: true });
  const messages: (string | undefined)[] = [];
  const counting = await client.startTask("count_slowly", { to: 3 });
  const { content } = await counting.result({ onProgress: ({ message }) => messages.push(message) });
  assert.deepEqual(content, [{ type: "text", text: "Counted to 3." }]);
  assert.equal(messages.at(-1), "3 of 3");
  const long = await client.startTask("count_slowly", { to: 100 });
  await long.cancel();
  await assert.rejects(long.result(), { name: "AbortError" });
  assert.equal((await long.get()).status, "cancelled");
  await client.close();
  server.close();
}

async function checkOverHttp(): Promise<void> {
  const running = await serve(createShowcase(), { transport: { type: "http", port: 0 }, signals: false });
  try {
    const help = connectionHelp(running.url ?? "");
    const [, body = ""] = /-d '(.+)'/.exec(help) ?? [];
    const headers = Object.fromEntries(
      [...help.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name, value]),
    );
    const response = await fetch(running.url ?? "", {
      method: "POST",
      headers: headers as Record<string, string>,
      body,
    });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /"name":"save_note"/);
    const health = await fetch(new URL("/healthz", running.url));
    assert.deepEqual(await health.json(), { status: "ok" });
  } finally {
    await running.close();
  }
}
