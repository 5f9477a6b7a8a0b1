import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:net";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { modernCall, openSession } from "../../../../tests/support/http-messages.js";
import { startTenon, temporaryFolder } from "../../../../tests/support/program.js";
import { isRunning } from "../../../../tools/reload/dev-program.js";
import { serveDev, SIGNALS, startDev, textOf } from "../support/dev/dev-run.js";

const source = (version: number) => `${SIGNALS}
import { defineServer } from "tenon";
export default defineServer({ name: "processes", version: "1.0.0" })
  .tool("version", { handler: () => "${version}" })
  .tool("slow", { handler: async () => { signal("started"); await signalled("release"); return "slow ${version}"; } })
  .tool("block", { handler: () => { signal("blocked"); for (;;); } });`;

describe("processes", () => {
  test.each(["SIGTERM", "SIGINT", "SIGKILL"] as const)("all end after %s", async (signal) => {
    const { program, project, save } = await serveDev({ "server.ts": source(1) });
    await save(source(2));
    const children = await vi.waitFor(() => {
      const found = program.children();
      // The server, the process for the next reload, and the compiler.
      expect(found).toHaveLength(3);
      return found;
    });
    const [code] = await program.stop(signal);
    expect(code).toBe(signal === "SIGKILL" ? null : 0);
    await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]));
    if (signal !== "SIGKILL") expect(readdirSync(project.path("node_modules/.tenon"))).toEqual([]);
  });

  test("folders of commands that were killed are deleted by the next one", async () => {
    const { program, project } = await serveDev({ "server.ts": source(1) });
    await program.stop("SIGKILL");
    const left = readdirSync(project.path("node_modules/.tenon"));
    expect(left).toHaveLength(1);
    const { DevProgram } = await import("../../../../tools/reload/dev-program.js");
    const next = new DevProgram({ project });
    onTestFinished(() => void next.stop("SIGKILL"));
    await next.url();
    expect(existsSync(project.path(`node_modules/.tenon/${left[0]}`))).toBe(false);
  });

  test("a graceful stop waits for calls in flight, also if npm repeats the signal of the terminal", async () => {
    const { endpoint, program, signal, signalled } = await serveDev({ "server.ts": source(1) });
    const client = await openSession(endpoint);
    const slow = client.call("slow");
    await signalled("started");
    program.child.kill("SIGTERM");
    program.child.kill("SIGINT");
    await vi.waitFor(async () => expect((await endpoint.fetch(modernCall("version"))).status).toBe(503));
    signal("release");
    expect(await textOf(slow)).toBe("slow 1");
    expect(await program.exited).toEqual([0, null]);
  });

  test("a second signal stops at once, even if a handler blocks its process", async () => {
    const { endpoint, program, project, signalled } = await serveDev({ "server.ts": source(1) });
    void endpoint.fetch(modernCall("block")).catch(() => undefined);
    await signalled("blocked");
    const children = program.children();
    program.child.kill("SIGINT");
    await vi.waitFor(async () => expect((await endpoint.fetch(modernCall("version"))).status).toBe(503));
    // A signal within 200 ms counts as the echo of the first one.
    await setTimeout(250);
    program.child.kill("SIGINT");
    expect(await program.exited).toEqual([130, null]);
    await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]));
    expect(readdirSync(project.path("node_modules/.tenon"))).toEqual([]);
  });

  test("a module that never finishes loading is ended with the command", async () => {
    const { program, signalled } = startDev({
      "server.ts": `import { writeFileSync } from "node:fs";\nwriteFileSync("loading", "");\nfor (;;);\n`,
    });
    await signalled("loading");
    const children = program.children();
    expect(await program.stop()).toEqual([0, null]);
    await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]));
  });

  test("without node_modules, the compiled code is in a temporary folder, which is deleted", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "tmp"));
    writeFileSync(
      join(folder, "server.mjs"),
      `await new Promise((resolve) => setTimeout(resolve, 2 ** 30));\n`,
    );
    const child = startTenon(["dev", "server.mjs", "--port", "0"], {
      cwd: folder,
      env: { TMPDIR: join(folder, "tmp") },
    });
    const exited = once(child, "exit");
    onTestFinished(() => void child.kill("SIGKILL"));
    await vi.waitFor(() => expect(readdirSync(join(folder, "tmp")).join()).toMatch(/^tenon-dev-/));
    child.kill("SIGTERM");
    expect(await exited).toEqual([0, null]);
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  });

  test("a handler that blocks its process does not block a reload, and does not outlive the command", async () => {
    const { endpoint, program, save, signalled } = await serveDev({ "server.ts": source(1) });
    void endpoint.fetch(modernCall("block")).catch(() => undefined);
    await signalled("blocked");
    await save(source(2));
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2");
    const children = program.children();
    await program.stop("SIGKILL");
    await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]));
  });

  test("at most eight old versions finish calls, and the call of the oldest one fails", async () => {
    const waiting = (version: number) => `${SIGNALS}
import { defineServer } from "tenon";
export default defineServer({ name: "waiting", version: "1.0.${version}" }).tool("slow", {
  handler: async () => { signal("started-${version}"); await signalled("release"); return "slow ${version}"; },
});`;
    const { endpoint, save, signal, signalled } = await serveDev({ "server.ts": waiting(0) });
    const calls: Promise<string>[] = [];
    for (let version = 0; version <= 9; version++) {
      if (version > 0) await save(waiting(version));
      calls.push(textOf(endpoint.fetch(modernCall("slow"))));
      await signalled(`started-${version}`);
    }
    const [oldest, ...others] = calls;
    expect(await oldest).toBe("The code of this call was replaced, and the call did not finish in time.");
    signal("release");
    expect(await Promise.all(others)).toEqual(others.map((_, index) => `slow ${index + 1}`));
  });

  test("user code does not see the command's channel or variable", async () => {
    const { endpoint } = await serveDev({
      "server.ts": `
import { defineServer } from "tenon";
const seen = [typeof process.send, Object.keys(process.env).filter((name) => name.startsWith("TENON")).join()];
export default defineServer({ name: "seen", version: "1.0.0" }).tool("seen", { handler: () => JSON.stringify(seen) });`,
    });
    expect(await textOf(endpoint.fetch(modernCall("seen")))).toBe('["undefined",""]');
  });
});

describe("ports", () => {
  test("the next free port is used if the default port is in use, and a chosen port is not changed", async () => {
    const other = createServer().listen(3000, "127.0.0.1");
    // Another program may use the port already, which serves the test as well.
    await Promise.race([once(other, "listening"), once(other, "error")]);
    onTestFinished(() => void other.close());
    const { program } = startDev({ "server.ts": source(1) }, { args: ["server.ts"] });
    const note = await program.next("note");
    expect(note.text).toMatch(/^Port 3000 is in use, so port 30\d\d is used instead\.$/);
    const port = new URL(await program.url()).port;
    expect(note.text).toContain(port);
    const chosen = startDev({ "server.ts": source(1) }, { args: ["server.ts", "--port", port] });
    expect(await chosen.program.exited).toEqual([1, null]);
    await vi.waitFor(() =>
      expect(chosen.program.otherLines.join("\n")).toContain(`Port ${port} is already in use`),
    );
  });
});
