import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { compileModules } from "../../../../tools/compile-program.js";
import { defineServer, type LogEntry } from "../../src/index.js";
import { createDefaultLog } from "../../src/transport/default-log.js";
import { toFetch } from "../../src/transport/fetch/index.js";
import { createClient } from "../../src/testing/index.js";
import { listen, serve, toNodeHandler } from "../../src/transport/node/index.js";
import { call, INITIALIZE } from "../../../../tests/support/stdio-streams.js";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { ROOT } from "../../../../tools/source-files.js";

/** Servers printed nothing when they started, and nothing when they failed to start. */

const SECRET = "sk-0123456789abcdef";

/** Server whose handler fails with a cause and a secret. */
const FAILING = `
  const server = defineServer({ name: "shop", version: "1.2.0" })
    .tool("boom", {
      handler: () => {
        throw new Error("kaboom ${SECRET}", { cause: new TypeError("no disk") });
      },
    })
    .tool("chat", {
      handler: () => {
        console.log("from console.log");
        console.info("from console.info");
        console.debug("from console.debug");
        console.table([{ from: "console.table" }]);
        process.stdout.write("from stdout.write\\n");
        return "chatted";
      },
    });`;

/** Runs a script in a separate process, with pipes. */
function start(script: string) {
  const modules = ["index", "transport/stdio/index", "transport/node/index"];
  const compiled = compileModules(...modules.map((name) => `${ROOT}/packages/tenon/src/${name}.ts`));
  const imports = `import { defineServer, listen, serve, serveStdio, toNodeHandler } from "${compiled}";`;
  const args = ["--input-type=module", "-e", imports + FAILING + script];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  const state = { errors: "", lines: [] as string[] };
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    state.errors += text;
  });
  createInterface({ input: child.stdout }).on("line", (line) => state.lines.push(line));
  child.stdin.on("error", () => undefined);
  return { child, state, exited: once(child, "close") };
}

/** Reads the port from a start line. */
async function portOf(state: { readonly errors: string }): Promise<number> {
  await expect.poll(() => state.errors).toMatch(/127\.0\.0\.1:\d+/);
  return Number(/127\.0\.0\.1:(\d+)/.exec(state.errors)?.[1]);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("first-run-a1: an unexpected failure is printed to stderr", () => {
  test.each(["serve(server)", "serveStdio(server)"])("by %s", async (started) => {
    const { child, state, exited } = start(`await ${started};`);
    child.stdin.end(INITIALIZE + call(1, "boom"));
    await exited;
    expect(state.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: 0 },
      { id: 1, result: { isError: true, content: [{ text: "Tool boom failed" }] } },
    ]);
    expect(state.errors).toMatch(
      /^\S+Z \[tenon\] Tool "boom" failed: Error: kaboom \[REDACTED\]\n {4}at .*\n(?: {4}at .*\n)* {2}caused by: TypeError: no disk\n {4}at /,
    );
    expect(state.errors).not.toContain(SECRET);
  });

  test("by serve over HTTP", async () => {
    const { state } = start(`await serve(server, { transport: { type: "http", port: 0 } });`);
    const port = await portOf(state);
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, modernCall("boom"));
    expect(await response.text()).not.toContain("kaboom");
    await expect.poll(() => state.errors).toMatch(/\[tenon\] Tool "boom" failed: Error: kaboom/);
  });

  const failing = (log?: (entry: LogEntry) => void) =>
    defineServer({ name: "a", version: "1", ...(log === undefined ? {} : { log }) }).tool("boom", {
      handler: () => {
        throw new Error("kaboom");
      },
    });

  test("by toFetch and toNodeHandler, with console.error", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    const handler = toFetch(failing());
    await (await handler(new Request("http://localhost/mcp", modernCall("boom")))).text();
    expect(printed).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^\S+Z \[tenon\] Tool "boom" failed: Error: kaboom\n {4}at /),
    );
    const { port, close } = await listen(toNodeHandler(failing()), { port: 0 });
    onTestFinished(() => close());
    await (await fetch(`http://127.0.0.1:${port}/`, modernCall("boom"))).text();
    expect(printed).toHaveBeenCalledTimes(2);
  });

  test("by a server that a source opens for one session", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    const source = { shared: undefined, open: async () => failing().build() };
    const { port, close } = await listen(toNodeHandler(source, { legacy: "stateless" }), { port: 0 });
    onTestFinished(() => close());
    const body = JSON.parse(call(1, "boom")) as unknown;
    await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(printed).toHaveBeenCalledOnce();
  });

  test("only by the server's own log, if it has one", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    const entries: LogEntry[] = [];
    const handler = toFetch(failing((entry) => entries.push(entry)));
    await (await handler(new Request("http://localhost/mcp", modernCall("boom")))).text();
    expect(entries).toMatchObject([{ event: "handler-failed", name: "boom" }]);
    expect(printed).not.toHaveBeenCalled();
  });

  test("not by the in-memory test client", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => {});
    const written = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
    const client = await createClient(failing());
    await client.callTool("boom");
    expect(printed).not.toHaveBeenCalled();
    expect(written).not.toHaveBeenCalled();
  });
});

describe("first-run-a1: the printed text", () => {
  const START = "1970-01-01T00:00:00.000Z";
  const print = (entry: Partial<Extract<LogEntry, { level: "error" }>>) => {
    const printed: string[] = [];
    createDefaultLog(
      (text) => printed.push(text),
      () => 0,
    )({
      level: "error",
      event: "handler-failed",
      operation: "tools/call",
      name: "boom",
      error: "plain",
      ...entry,
    });
    return printed.join("");
  };

  test.each<[Partial<LogEntry>, string]>([
    [{ operation: "tools/call" }, '[tenon] Tool "boom" failed: plain'],
    [{ operation: "resources/read", name: "a://b" }, '[tenon] Resource "a://b" failed: plain'],
    [{ operation: "prompts/get", name: "p" }, '[tenon] Prompt "p" failed: plain'],
    [{ operation: "completion/complete", name: "p" }, '[tenon] completion/complete "p" failed: plain'],
    [{ event: "output-invalid" }, '[tenon] Tool "boom" returned an invalid result: plain'],
    [{ event: "notify-failed" }, '[tenon] Tool "boom" could not send a notification: plain'],
    [{ event: "state-failed" }, '[tenon] Tool "boom" could not encrypt or read its state: plain'],
  ])("%j", (entry, expected) => {
    expect(print(entry as never)).toBe(`${START} ${expected}\n`);
  });

  test("does not contain control characters, and an error message cannot imitate a second entry", () => {
    const error = 'red\u001b[31m\u0007\r\n[tenon] Tool "pay" failed: fake\u009b';
    expect(print({ error })).toBe(
      `${START} [tenon] Tool "boom" failed: red[31m\n    [tenon] Tool "pay" failed: fake\n`,
    );
  });

  test("is bounded", () => {
    expect(print({ error: new Error("x".repeat(100_000)) }).length).toBeLessThan(8_300);
    const chain = new Error("0");
    chain.cause = chain;
    expect(print({ error: chain }).length).toBeLessThan(8_300);
    expect(print({ name: "n".repeat(10_000) }).length).toBeLessThan(300);
  });

  test.each([undefined, null, 7, {}, [], () => {}, { message: "own" }, Symbol("s")])(
    "of a thrown value that is not an error: %o",
    (error) => {
      expect(print({ error })).toMatch(/^\S+Z \[tenon\] Tool "boom" failed: .+\n$/);
    },
  );

  test("of a thrown value that throws when it is read", () => {
    const error = new Proxy(new Error("x"), {
      get() {
        throw new Error("trap");
      },
    });
    expect(print({ error })).toMatch(/^\S+Z \[tenon\] Tool "boom" failed: .+\n$/);
  });

  test("of a failed store is one line without a stack, and a warning is printed as it is", () => {
    const cause = new Error("connect ECONNREFUSED");
    const error = new Error("Redis at 10.0.0.5:6379 is not available.", { cause });
    expect(print({ event: "store-failed", operation: "store", name: "shop", error })).toBe(
      `${START} [tenon] store "shop" could not use its store: Redis at 10.0.0.5:6379 is not available. ` +
        "Cause: connect ECONNREFUSED\n",
    );
    const warning = { level: "warning", event: "node-lost", message: "Node 1 was lost." };
    expect(print(warning as never)).toBe(`${START} [tenon] Node 1 was lost.\n`);
    expect(print({ level: "info", event: "arguments-rejected", message: "no" } as never)).toBe("");
  });

  test("is limited for a client that makes a tool fail on every call", () => {
    const printed: string[] = [];
    let now = 0;
    const log = createDefaultLog(
      (text) => printed.push(text),
      () => now,
    );
    const fail = () =>
      log({ level: "error", event: "handler-failed", operation: "tools/call", name: "a", error: "x" });
    for (let count = 0; count < 1_000; count++) fail();
    expect(printed).toHaveLength(100);
    now = 10_000;
    fail();
    expect(printed.slice(100)).toEqual([
      "1970-01-01T00:00:10.000Z [tenon] Failures not printed: 900.\n",
      '1970-01-01T00:00:10.000Z [tenon] Tool "a" failed: x\n',
    ]);
  });
});

describe("first-run-a2: the start", () => {
  test("over HTTP prints one line with the server's name and address", async () => {
    const { state, child, exited } = start(`await serve(server, { transport: { type: "http", port: 0 } });`);
    const port = await portOf(state);
    child.kill("SIGINT");
    await exited;
    expect(state.errors).toBe(`[tenon] Server "shop" is listening on http://127.0.0.1:${port}/mcp\n`);
    expect(state.lines).toEqual([]);
  });

  test.each(["serve(server)", "serveStdio(server)"])(
    "of %s on a terminal prints one line",
    async (started) => {
      const { state, child, exited } = start(`
      Object.defineProperty(process.stdin, "isTTY", { value: true });
      await ${started};`);
      const line = '[tenon] Server "shop" is waiting for a client on stdin; press Ctrl+C to stop.\n';
      await expect.poll(() => state.errors).toBe(line);
      child.kill("SIGINT");
      expect(await exited).toEqual([0, null]);
      expect(state.errors).toBe(line);
    },
  );

  test.each([
    "serve(server)",
    `serve(server, { transport: { type: "http", port: 0 }, banner: false })`,
    `(Object.defineProperty(process.stdin, "isTTY", { value: true }), serve(server, { banner: false }))`,
    `(Object.defineProperty(process.stdin, "isTTY", { value: true }), serveStdio(server, { banner: false }))`,
  ])("prints nothing: %s", async (started) => {
    const { state, child, exited } = start(`await ${started}; console.log("started");`);
    await expect.poll(() => state.lines.join() + state.errors).toContain("started");
    child.kill("SIGINT");
    await exited;
    expect(state.errors.replace("started\n", "")).toBe("");
  });
});

describe("first-run-a2: a busy port", () => {
  test("is reported in one sentence without a stack, even if the error is not caught", async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => {
      busy.listen(0, "127.0.0.1", resolve);
    });
    onTestFinished(() => void busy.close());
    const { port } = busy.address() as AddressInfo;
    const message =
      `Port ${port} is already in use on 127.0.0.1. ` +
      "Stop the other process, or choose a different port (0 picks a free port).";
    const failure = await serve(defineServer({ name: "a", version: "1" }), {
      transport: { type: "http", port },
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message, code: "EADDRINUSE" });
    const { state, exited } = start(`await serve(server, { transport: { type: "http", port: ${port} } });`);
    expect(await exited).toEqual([1, null]);
    expect(state.errors).toContain(`[Error: ${message}]\n`);
    expect(state.errors).not.toMatch(/^ +at |EADDRINUSE/m);
  });

  test("other unusable addresses are also explained", async () => {
    const failure = await listen(() => {}, { port: 0, host: "192.0.2.1", allowedHosts: ["a"] }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({
      message: "This machine does not have the address 192.0.2.1. Set `host` to one of its addresses.",
      code: "EADDRNOTAVAIL",
    });
  });
});

describe("first-run-a2: handler output over stdio", () => {
  test.each(["serve(server)", "serveStdio(server)", "serveStdio(server, { output: process.stdout })"])(
    "goes to stderr: %s",
    async (started) => {
      const { child, state, exited } = start(`
        const { closed } = await ${started};
        await closed;
        console.log("restored");`);
      child.stdin.end(INITIALIZE + call(1, "chat") + call(2, "chat"));
      await exited;
      expect(state.lines.pop()).toBe("restored");
      expect(state.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
        { id: 0 },
        { id: 1, result: { content: [{ text: "chatted" }] } },
        { id: 2, result: { content: [{ text: "chatted" }] } },
      ]);
      for (const text of ["console.log", "console.info", "console.debug", "console.table", "stdout.write"]) {
        expect(state.errors.split(text)).toHaveLength(3);
      }
    },
  );
});
