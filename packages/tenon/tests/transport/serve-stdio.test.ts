import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { compileModules } from "../../../../tools/compile-program.js";
import { defineServer } from "../../src/core/define-server.js";
import { serveStdio } from "../../src/transport/stdio/index.js";
import { ROOT } from "../../../../tools/source-files.js";
import { line, ping, serverOf, Valve } from "../../../../tests/support/stdio-streams.js";

const PONG = { jsonrpc: "2.0", id: 1, result: {} };
const listenerCounts = () => ["SIGINT", "SIGTERM"].map((signal) => process.listenerCount(signal));

/** Runs a script with a server on the process's own streams. */
function start(script: string) {
  const modules = ["index", "transport/stdio/index"];
  const compiled = compileModules(...modules.map((name) => `${ROOT}/packages/tenon/src/${name}.ts`));
  const imports = `
    import { defineServer, serveStdio } from "${compiled}";
    const server = defineServer({ name: "a", version: "1" });
    const note = (text) => process.stderr.write(text + "\\n");`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", imports + script], {
    cwd: ROOT,
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, exited: once(child, "exit"), noted: text(child.stderr), written: text(child.stdout) };
}

describe("on the process's own streams", () => {
  test("serves a builder, and closes the server when its input ends", async () => {
    const { child, exited, noted, written } = start(`
      const built = server.build();
      const { handle, attach } = built;
      const hosted = { handle: handle.bind(built), attach: attach.bind(built), close: () => note("server closed") };
      const { connection, closed } = serveStdio({ build: () => hosted });
      note(String(connection.callsInFlight));
      await closed;
      note("closed, stdin destroyed: " + process.stdin.destroyed);
      note("listeners: " + process.listenerCount("SIGTERM"));`);
    child.stdin.end(ping(1));
    expect(await exited).toEqual([0, null]);
    expect(JSON.parse(await written)).toEqual(PONG);
    expect(await noted).toBe("0\nserver closed\nclosed, stdin destroyed: true\nlisteners: 0\n");
  });

  test("lets the process end when it is closed, with its input still open", async () => {
    const { exited } = start(`
      const { close } = serveStdio(server);
      await close();`);
    expect(await exited).toEqual([0, null]);
  });

  test.each(["SIGINT", "SIGTERM"] as const)("shuts down gracefully on %s", async (signal) => {
    const { child, exited, noted } = start(`
      serveStdio(server).closed.then(() => note("closed"));`);
    child.stdin.write(ping(1));
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await exited).toEqual([0, null]);
    expect(await noted).toBe("closed\n");
  });

  test("exits immediately on a second signal", async () => {
    const { exited, noted } = start(`
      serveStdio(server).closed.then(() => note("closed"));
      process.kill(process.pid, "SIGINT");
      process.kill(process.pid, "SIGTERM");`);
    expect(await exited).toEqual([130, null]);
    expect(await noted).toBe("");
  });

  test("does not handle signals with signals: false", async () => {
    const { child, exited } = start("serveStdio(server, { signals: false });");
    child.stdin.write(ping(1));
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await exited).toEqual([null, "SIGTERM"]);
  });
});

describe("on given streams", () => {
  const streams = () => ({ input: new PassThrough(), output: new Valve() });

  test("does not handle signals, destroy streams, or close the server", async () => {
    const before = listenerCounts();
    const { input, output } = streams();
    const server = serverOf();
    const transport = serveStdio(server, { input, output });
    expect(listenerCounts()).toEqual(before);
    input.write(ping(1));
    await transport.close();
    expect([input.destroyed, output.destroyed]).toEqual([false, false]);
    const again = streams();
    const second = serveStdio(server, again);
    again.input.end(ping(1));
    await second.closed;
    expect(again.output.messages).toEqual([PONG]);
  });

  test("handles signals with signals: true, until it has ended", async () => {
    const before = listenerCounts();
    const transport = serveStdio(serverOf(), { ...streams(), signals: true });
    expect(listenerCounts()).toEqual(before.map((count) => count + 1));
    await transport.close();
    await Promise.resolve();
    expect(listenerCounts()).toEqual(before);
  });

  test("accepts some limits and uses defaults for the others", async () => {
    const { input, output } = streams();
    const server = defineServer({ name: "limits", version: "1.0.0" });
    const transport = serveStdio(server, { input, output, limits: { maxDepth: 3 } });
    input.write(line({ id: 1, method: "ping", params: { a: { b: { c: 1 } } } }));
    input.end(`"${"x".repeat(4 * 1_048_576)}"\n`);
    await transport.closed;
    expect(output.messages.map(({ error }) => error?.message)).toEqual([
      "The message is nested deeper than 3 levels.",
      "The message is too large (limit: 4194304 bytes).",
    ]);
  });
});
