/**
 * @fileoverview Large messages over stdio are served up to the official limit. A larger one ends the connection, as in
 * the official SDK, version 2, so no call waits forever.
 * @module tests/sdk/v2/large-messages
 */
import { spawn } from "node:child_process";
import { PassThrough } from "node:stream";
import * as officialStdio from "@modelcontextprotocol/server/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import * as tenon from "../../src/v2/index.js";
import { INFO, type Sdk, SDKS, text } from "../support/v2/both-sides.js";
import { META } from "../support/v2/http.js";

const MIB = 1_048_576;
const LIMIT = 10 * MIB;
const OWN = tenon as unknown as typeof officialStdio;
const [OFFICIAL_SDK, TENON_SDK] = SDKS.map(([, sdk]) => sdk) as [Sdk, Sdk];

/** Each way to serve over stdio, and the official one that it must behave like. */
const WAYS: readonly (readonly [
  title: string,
  sdk: Sdk,
  stdio: typeof officialStdio,
  way: "connect" | "serveStdio",
])[] = [
  ["official: connect", OFFICIAL_SDK, officialStdio, "connect"],
  ["tenon: connect, own transport", TENON_SDK, OWN, "connect"],
  ["tenon: connect, official transport", TENON_SDK, officialStdio, "connect"],
  ["official: serveStdio", OFFICIAL_SDK, officialStdio, "serveStdio"],
  ["tenon: serveStdio, own transport", TENON_SDK, OWN, "serveStdio"],
  ["tenon: serveStdio, official transport", TENON_SDK, officialStdio, "serveStdio"],
];

interface Event {
  readonly id?: unknown;
  readonly error?: unknown;
}

/** Serves over a pair of streams, and collects responses, errors, and the ends of calls. */
async function open([, sdk, { StdioServerTransport }, way]: (typeof WAYS)[number], maxBufferSize = LIMIT) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const seen = { responses: [] as Event[], errors: [] as string[], closed: 0, aborted: 0 };
  output.setEncoding("utf8").on("data", (lines: string) => {
    for (const line of lines.trim().split("\n")) seen.responses.push(JSON.parse(line) as Event);
  });
  const onerror = ({ message }: Error) => void seen.errors.push(message);
  const create = () => {
    const server = new sdk.McpServer(INFO);
    server.registerTool("length", { inputSchema: z.object({ a: z.any() }) }, ({ a }) =>
      text(String(JSON.stringify(a).length)),
    );
    server.registerTool("wait", {}, async ({ mcpReq: { signal } }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      seen.aborted++;
      return text("");
    });
    server.server.onclose = () => void seen.closed++;
    return server;
  };
  const options = maxBufferSize === LIMIT ? [] : [{ maxBufferSize }];
  const transport = new StdioServerTransport(input, output, ...options);
  if (way === "connect") {
    const server = create();
    server.server.onerror = onerror;
    await server.connect(transport);
  } else {
    const { serveStdio } = sdk === OFFICIAL_SDK ? officialStdio : OWN;
    const handle = serveStdio(create, { transport, onerror });
    onTestFinished(() => handle.close());
  }
  onTestFinished(() => void input.destroy());
  return { input, seen };
}

/** A call of a tool, with arguments of about the given size. */
function call(id: number, name: string, argument = '""'): string {
  const params = `{"name":"${name}","arguments":{"a":${argument}},"_meta":${JSON.stringify(META)}}`;
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`;
}

const string = (bytes: number) => `"${"x".repeat(bytes)}"`;

describe.each(WAYS)("%s", (...way) => {
  test.each([
    ["of 5 MiB", string(5 * MIB)],
    ["of nearly 10 MiB", string(LIMIT - 1_000)],
    ["with 40,000 values", `[${"1,".repeat(40_000)}1]`],
    ["with 200 levels", `${"[".repeat(200)}${"]".repeat(200)}`],
  ])("a call %s is served (drop-in B2)", async (_title, argument) => {
    const { input, seen } = await open(way);
    input.write(call(1, "length", argument));
    await expect.poll(() => seen.responses.length).toBe(1);
    expect(seen.responses[0]).toMatchObject({ id: 1, result: text(String(argument.length)) });
    expect(seen).toMatchObject({ errors: [], closed: 0 });
  });

  test("a larger call ends the connection, and all calls with it (drop-in B2)", async () => {
    const { input, seen } = await open(way);
    for (const id of [1, 2]) input.write(call(id, "wait"));
    input.write(call(3, "length"));
    await expect.poll(() => seen.responses.length).toBe(1);
    input.write(call(4, "length", string(LIMIT)));
    input.write(call(5, "length"));
    await expect.poll(() => [seen.closed, seen.aborted]).toEqual([1, 2]);
    expect(seen.errors).toEqual([expect.stringContaining(String(LIMIT))]);
    expect(seen.responses.map(({ id }) => id)).toEqual([3]);
  });

  test("a line without an end is not collected beyond the limit (drop-in B2)", async () => {
    const { input, seen } = await open(way);
    input.write(call(1, "wait"));
    const piece = Buffer.alloc(MIB, "{");
    for (let count = 0; count < 12 && seen.closed === 0; count++) {
      input.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expect.poll(() => [seen.closed, seen.aborted]).toEqual([1, 1]);
    expect(seen).toMatchObject({ responses: [], errors: [expect.stringContaining(String(LIMIT))] });
  });

  test("`maxBufferSize` sets another limit (drop-in B2)", async () => {
    const { input, seen } = await open(way, 2_000);
    input.write(call(1, "length", string(1_000)));
    await expect.poll(() => seen.responses.length).toBe(1);
    input.write(call(2, "length", string(2_000)));
    await expect.poll(() => seen.closed).toBe(1);
    expect(seen.errors).toEqual([expect.stringContaining("2000")]);
  });
});

/** Starts a server that uses the streams of its process. */
function start(name: string, options = {}) {
  const program = compileProgram(`${ROOT}/packages/sdk/tests/support/v2/stdio-server.ts`);
  const child = spawn(process.execPath, [program, name, JSON.stringify(options)], {
    cwd: ROOT,
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill());
  const seen = { output: "", errors: "", code: undefined as number | null | undefined };
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (seen.output += piece));
  child.stderr.setEncoding("utf8").on("data", (piece: string) => (seen.errors += piece));
  child.stdin.on("error", () => undefined); // the rest of the message cannot be written
  child.on("close", (code) => void (seen.code = code));
  const add = (id: number, more: string) => call(id, "add").replace('{"a":""}', `{"a":1,"b":2,${more}}`);
  return { child, seen, add };
}

describe("serveStdio on the streams of its process", () => {
  test.each(["official", "tenon"])("%s: large calls are served (drop-in B2)", async (name) => {
    const { child, seen, add } = start(name);
    child.stdin.write(add(1, `"c":${string(5 * MIB)},"d":[${"1,".repeat(40_000)}1]`));
    await expect.poll(() => seen.output).toContain("\n");
    expect(JSON.parse(seen.output)).toMatchObject({ id: 1, result: text("3") });
  });

  test("E26: a larger call ends the process, which prints the reason (drop-in B2)", async () => {
    const { child, seen, add } = start("tenon");
    child.stdin.write(call(1, "wait"));
    child.stdin.write(add(2, `"c":${string(LIMIT)}`));
    await expect.poll(() => seen.code).toBe(0);
    expect(seen.output).toBe("");
    expect(seen.errors).toContain(
      "The message is too large (limit: 10485760 bytes). The connection is closed.",
    );
  });

  test("E27: the reason for a response that is too large names an option that exists (drop-in B10)", async () => {
    const { child, seen } = start("tenon", { maxQueueBytes: 500 });
    child.stdin.write(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n`);
    await expect.poll(() => [seen.output, seen.errors].every((text) => text.endsWith("\n"))).toBe(true);
    const reason = "The response is too large for this connection (limit: 500 bytes).";
    expect(JSON.parse(seen.output)).toMatchObject({ id: 1, error: { code: -32603, message: reason } });
    expect(seen.errors).toContain(`${reason} Send less, or raise \`maxQueueBytes\`.`);
  });
});
