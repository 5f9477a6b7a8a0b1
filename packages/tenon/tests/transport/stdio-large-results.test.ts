import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { platform } from "node:process";
import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { defineServer } from "../../src/core/define-server.js";
import { serveStdio } from "../../src/transport/stdio/serve-stdio.js";
import { ROOT } from "../../../../tools/source-files.js";
import { initializeBody } from "../../../../tests/support/http-messages.js";
import { request } from "../../../../tests/support/requests.js";
import type { ServerMessage } from "../../../../tests/support/stdio-child.js";
import { Valve } from "../../../../tests/support/stdio-streams.js";

const MAX = 10_000;
const call = (id: number, text: string, length: number) =>
  request("tools/call", { name: "repeat", arguments: { text, length } }, id);
const tooLarge = (limit: number) => ({
  code: -32603,
  message: `The response is too large for this connection (limit: ${limit} bytes).`,
});

/** Sends messages to a server whose connection takes few bytes, and returns the replies and the errors. */
async function exchange(messages: readonly unknown[]) {
  const server = defineServer({ name: "large", version: "1.0.0" }).tool("repeat", {
    input: z.object({ text: z.string(), length: z.int() }),
    handler: ({ text, length }) => text.repeat(length),
  });
  const [input, output] = [new PassThrough(), new Valve()];
  const errors: string[] = [];
  const onError = (error: unknown) => void errors.push((error as Error).message);
  const transport = serveStdio(server, { input, output, onError, maxQueueBytes: MAX });
  for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
  input.end();
  await transport.closed;
  return { replies: output.messages, errors };
}

test.each([
  ["many bytes", "x", MAX + 1],
  ["few characters of many bytes", "漢", MAX / 2],
])("a result with %s gets an error, and the connection goes on", async (_kind, text, length) => {
  const { replies, errors } = await exchange([call(1, text, length), call(2, "y", 3)]);
  expect(replies).toMatchObject([
    { id: 1, error: tooLarge(MAX) },
    { id: 2, result: { content: [{ text: "yyy" }] } },
  ]);
  expect(errors).toEqual([`${tooLarge(MAX).message} Send less, or raise \`maxQueueBytes\`.`]);
});

test("a result just below the limit is sent", async () => {
  const { replies, errors } = await exchange([call(1, "x", MAX - 200)]);
  expect(replies).toMatchObject([{ id: 1, result: { content: [{ type: "text" }] } }]);
  expect(errors).toEqual([]);
});

test("a batch gets an error for each result that is too large", async () => {
  const { replies } = await exchange([
    initializeBody("2025-03-26"),
    [call(1, "x", MAX + 1), call(2, "y", 3)],
  ]);
  expect(replies.slice(1)).toMatchObject([
    [{ error: tooLarge(MAX) }, { result: { content: [{ text: "yyy" }] } }],
  ]);
});

test("a batch whose results fit one by one, but not together, gets errors for the rest", async () => {
  const third = Math.floor(MAX / 3);
  const batch = [1, 2, 3, 4].map((id) => call(id, "x", third));
  const { replies } = await exchange([initializeBody("2025-03-26"), batch, call(5, "y", 3)]);
  const sent = { result: { content: [{ type: "text" }] } };
  const dropped = { error: { code: -32603, message: expect.stringContaining("was not sent, because") } };
  expect(replies.slice(1)).toMatchObject([[sent, sent, dropped, dropped], { id: 5, result: {} }]);
});

const MIB = 1_048_576;
const CALLS = 80;

/** Program whose connection takes 4 MiB, and which sends more in every way. */
const PROGRAM = `
  import { defineServer } from "tenon";
  import { serveStdio } from "tenon/stdio";
  import { z } from "zod";
  import { setImmediate } from "node:timers/promises";
  const input = z.object({ mib: z.number() });
  // Calls start together, because the server does not read while results wait. They end one after the other, so that
  // handlers do not hold their results at the same time.
  let calls = 0;
  let begin;
  let last = new Promise((resolve) => (begin = resolve));
  const result = ({ mib }) => {
    if (++calls === ${CALLS}) begin();
    return (last = last.then(() => setImmediate()).then(() => text(mib)));
  };
  const text = (mib) => "x".repeat(mib * ${MIB});
  const sampling = (text) => ({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 1 });
  serveStdio(
    defineServer({ name: "large", version: "1.0.0", logLevel: "debug" })
      .tool("result", { input, handler: result })
      .tool("log", { input, handler: async ({ mib }, call) => (await call.log("info", text(mib)), "logged") })
      .tool("ask", {
        input,
        handler: async ({ mib }, call) => (await call.sample("key", sampling(text(mib))), "asked"),
      })
      .tool("long", { description: text(5), handler: () => "long" })
      .tool("small", { handler: () => "small" }),
    { maxQueueBytes: ${4 * MIB} },
  );`;

/** Starts the program. */
function startProgram() {
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM], { cwd: ROOT });
  onTestFinished(() => void child.kill("SIGKILL"));
  const replies = new Map<unknown, ServerMessage>();
  let [stderr, text] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (text + chunk).split("\n");
    text = lines.pop() ?? "";
    for (const message of lines.flatMap((one) => JSON.parse(one) as ServerMessage))
      replies.set(message.id, message);
  });
  const send = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  const callTool = (id: unknown, name: string, mib = 0) =>
    send({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: { mib } } });
  const reply = (id: unknown) => vi.waitUntil(() => replies.get(id), { timeout: 60_000 });
  const start = async () => {
    const capabilities = { sampling: {} };
    const clientInfo = { name: "slow", version: "1.0.0" };
    const params = { protocolVersion: "2025-06-18", capabilities, clientInfo };
    send({ jsonrpc: "2.0", id: "start", method: "initialize", params });
    await reply("start");
  };
  return { child, replies, send, callTool, reply, start, stderr: () => stderr };
}

/** Returns the most memory that a process has used, in MiB. 0 on systems that do not tell. */
function peakMemory(pid = 0): number {
  if (platform !== "linux") return 0;
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}

describe("a program", { timeout: 120_000 }, () => {
  test("answers every call of a client that reads late, in bounded memory", async () => {
    const { child, replies, callTool, reply, start, stderr } = startProgram();
    await start();
    const before = peakMemory(child.pid);
    child.stdout.pause();
    const ids = Array.from({ length: CALLS }, (_, id) => id);
    for (const id of ids) callTool(id, "result", 3);
    await vi.waitUntil(() => stderr().includes("was not sent, because"), { timeout: 60_000 });
    child.stdout.resume();
    await Promise.all(ids.map(reply));
    const answers = ids.map((id) => replies.get(id));
    expect(answers[0]).toMatchObject({ result: { content: [{ type: "text" }] } });
    for (const answer of answers.filter((one) => one?.result === undefined))
      expect(answer).toMatchObject({
        error: {
          code: -32603,
          message: expect.stringMatching(/^The response was not sent, because \d+ bytes/),
        },
      });
    callTool("last", "small");
    expect(await reply("last")).toMatchObject({ result: { content: [{ text: "small" }] } });
    expect(peakMemory(child.pid) - before).toBeLessThan(200);
  });

  test("goes on after a list, a notification, and a request that are too large", async () => {
    const { send, callTool, reply, start, stderr } = startProgram();
    await start();
    const limit = `is too large for this connection (limit: ${4 * MIB} bytes).`;
    send({ jsonrpc: "2.0", id: "list", method: "tools/list" });
    expect(await reply("list")).toMatchObject({ error: { code: -32603, message: `The response ${limit}` } });
    callTool("log", "log", 5);
    expect(await reply("log")).toMatchObject({ result: { content: [{ text: "logged" }] } });
    expect(stderr()).toContain(`The notification ${limit}`);
    callTool("ask", "ask", 5);
    expect(JSON.stringify(await reply("ask"))).toContain(`The request to the client ${limit}`);
    callTool("last", "small");
    expect(await reply("last")).toMatchObject({ result: { content: [{ text: "small" }] } });
  });
});

test("a program with the default limit prints the reason, and serves on", async () => {
  const script = `
    import { defineServer } from "tenon";
    import { serve } from "tenon/node";
    await serve(defineServer({ name: "large", version: "1.0.0" })
      .tool("large", { handler: () => "x".repeat(70 * 1_048_576) })
      .tool("small", { handler: () => "small" }));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: ROOT });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ask = async (name: string): Promise<unknown> => {
    child.stdin.write(`${JSON.stringify(request("tools/call", { name, arguments: {} }, name))}\n`);
    return JSON.parse(String((await lines.next()).value));
  };
  expect(await ask("large")).toMatchObject({ id: "large", error: tooLarge(64 * 1_048_576) });
  expect(await ask("small")).toMatchObject({ result: { content: [{ text: "small" }] } });
  expect(stderr).toMatch(
    /^\S+Z \[tenon\] The response is too large for this connection \(limit: 67108864 bytes\)\./,
  );
  child.stdin.end();
  expect(await once(child, "exit")).toEqual([0, null]);
});
