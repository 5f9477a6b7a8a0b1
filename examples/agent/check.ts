/**
 * @fileoverview Starts the agent, fetches its page, holds a conversation, and reloads that conversation after a
 * restart.
 * @module examples/agent/check
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { createDemoModel } from "./script.js";
import { startAgent } from "./server.js";

interface Frame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Runs the check. @throws if the example does not work */
export async function check(): Promise<void> {
  const storagePath = mkdtempSync(join(tmpdir(), "tenon-agent-"));
  const options = { port: 0, storagePath, model: createDemoModel({ pieceChars: 40, delayMs: 0 }) };
  try {
    const first = await startAgent(options);
    const taskId = await checkConversation(first.url).finally(first.close);
    const second = await startAgent(options);
    await checkHistory(second.url, taskId).finally(second.close);
  } finally {
    rmSync(storagePath, { recursive: true, force: true });
  }
}

async function checkConversation(url: string): Promise<string> {
  const page = await fetch(url);
  assert.equal(page.status, 200);
  assert.match(await page.text(), /<title>Tenon agent<\/title>/);
  assert.match(page.headers.get("content-security-policy") ?? "", /^default-src 'none'/);
  assert.equal((await fetch(new URL("/app.js", url))).status, 200);
  assert.equal((await fetch(new URL("/../server.ts", url))).status, 404);

  const frames = await talk(url, { type: "userSendMessage", data: { message: "Write a note about oak" } });
  const writing = frames.filter(({ data }) => data["status"] === "writing");
  assert.ok(writing.length > 3, "the tool card must fill while the model writes the call");
  const done = frames.find(({ type, data }) => type === "tool" && data["status"] === "done");
  assert.deepEqual(done?.data["toolResult"], { title: "oak", words: 82 });
  assert.equal(frames.at(-1)?.data["reason"], "completed");
  return String(frames.at(-1)?.data["taskId"]);
}

async function checkHistory(url: string, taskId: string): Promise<void> {
  const frames = await talk(url, { type: "loadTask", data: { taskId } });
  const history = frames.at(-1)?.data["messages"] as readonly Frame[]; // guaranteed by the protocol
  assert.equal(history[0]?.data["message"], "Write a note about oak");
  assert.equal(history.at(-1)?.data["message"], 'Saved "oak". Ask me to list the notes to see all of them.');
}

/** Sends a frame and returns all frames up to the end of the response. */
async function talk(url: string, frame: Frame): Promise<readonly Frame[]> {
  const socket = new WebSocket(url.replace(/^http/, "ws"));
  const frames: Frame[] = [];
  const end = new Promise<void>((resolve, reject) => {
    socket.on("message", (data) => {
      const next = JSON.parse((data as { toString(): string }).toString()) as Frame;
      frames.push(next);
      if (next.type === "conversationOver" || next.type === "taskHistory") resolve();
    });
    socket.on("close", () =>
      reject(new Error("The connection was closed before the response was complete.")),
    );
    socket.on("error", reject);
  });
  try {
    await once(socket, "open");
    socket.send(JSON.stringify(frame));
    await end;
    return frames;
  } finally {
    socket.terminate();
  }
}
