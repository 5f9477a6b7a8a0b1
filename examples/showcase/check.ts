/**
 * @fileoverview Runs the showcase in memory and with the command of `npm start`, and checks its responses.
 * @module examples/showcase/check
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createClient as connect } from "tenon/client";
import { createClient } from "tenon/testing";
import { createShowcase } from "./server.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

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
  await checkStart();
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

/** The command of `npm start` prints the addresses of its page and its endpoint, and stops on a signal. */
async function checkStart(): Promise<void> {
  const child = spawn(process.execPath, [...startArguments(), "--port", "0"], { cwd: ROOT });
  const exit = once(child, "exit");
  try {
    let text = "";
    for await (const chunk of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      if (text.includes("Press Ctrl+C")) break;
    }
    child.stdout.resume();
    const [first = "", second = ""] = [...text.matchAll(/http:\/\/\S+/g)].map(([url]) => url);
    const opened = await fetch(first, { redirect: "manual" });
    assert.equal(opened.status, 303);
    const client = await connect(second);
    assert.equal((await client.callTool("list_notes")).isError, undefined);
    await client.close();
    child.kill("SIGINT");
    assert.deepEqual(await exit, [0, null]);
  } finally {
    child.kill("SIGKILL");
  }
}

/** Reads the arguments of Node in the script `start`, which builds the packages first. */
function startArguments(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as {
    readonly scripts: { readonly start: string }; // Safe: npm requires the script
  };
  return scripts.start.replace("npm run -s build && node ", "").split(" ");
}
