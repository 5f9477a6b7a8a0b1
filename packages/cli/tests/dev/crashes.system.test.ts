import { describe, expect, test, vi } from "vitest";
import { modernCall, openSession } from "../../../../tests/support/http-messages.js";
import { serveDev, SIGNALS, startDev, textOf, toEndpoint } from "../support/dev/dev-run.js";

describe("a crash", () => {
  const source = (version: number) => `${SIGNALS}
import { defineServer } from "tenon";
export default defineServer({ name: "fragile", version: "1.0.0" })
  .tool("version", { handler: (_args, call) => "${version} for " + call.client.name })
  .tool("throw_later", { handler: () => new Promise(() => {
    setTimeout(() => { throw new Error("too late"); }, 0);
  }) })
  .tool("reject", { handler: () => new Promise(() => { void Promise.reject(new Error("nobody waits")); }) })
  .tool("exit", { handler: () => process.exit(9) });`;

  test.each([
    ["throw_later", "too late", { message: "too late", file: "server.ts", line: 11, column: 30 }],
    ["reject", "nobody waits", { message: "nobody waits", file: "server.ts", line: 13, column: 76 }],
    ["exit", "The server process exited with code 9.", { message: "The server process exited with code 9." }],
  ])(
    "in %s fails its call, and the last good version serves again in the same session",
    async (name, reason, problem) => {
      const { endpoint, program } = await serveDev({ "server.ts": source(1) });
      const client = await openSession(endpoint);
      expect(await textOf(client.call(name))).toBe(`The server crashed during this call: ${reason}`);
      const crashed = await program.next("crashed");
      expect(crashed.problems).toMatchObject([problem]);
      expect(crashed.next).toBe("Starting the last good version again.");
      expect(await textOf(client.call("version"))).toBe("1 for tests");
      await program.next("call", {
        matches: (call) => call.name === name && call.outcome === "error" && call.code === -32603,
      });
    },
  );

  test("of code that was replaced does not affect the new code", async () => {
    const crashing = (version: number) => `${SIGNALS}
import { defineServer } from "tenon";
export default defineServer({ name: "late", version: "1.0.0" })
  .tool("version", { handler: () => "${version}" })
  .tool("crash", { handler: async () => { signal("ready"); await signalled("go"); process.exit(1); } });`;
    const { endpoint, program, save, signal, signalled } = await serveDev({ "server.ts": crashing(1) });
    const call = endpoint.fetch(modernCall("crash"));
    await signalled("ready");
    await save(crashing(2));
    signal("go");
    expect(await textOf(call)).toBe(
      "The server crashed during this call: The server process exited with code 1.",
    );
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2");
    const { next } = await program.next("crashed");
    expect(next).toBe("The code had been replaced already. The new version keeps serving.");
  });

  test("that repeats ends the restarts until a file changes", async () => {
    const { program, save } = startDev({
      "server.ts": `
import { defineServer } from "tenon";
setTimeout(() => { throw new Error("always"); }, 100);
export default defineServer({ name: "loop", version: "1.0.0" }).tool("version", { handler: () => "1" });`,
    });
    const endpoint = toEndpoint(await program.url());
    const last = await program.next("crashed", {
      matches: ({ next }) => next?.includes("restarted") === true,
    });
    expect(last.next).toBe("It was restarted 5 times in 10 seconds, and starts again when a file changes.");
    // More on a slow machine, because only the last 10 seconds count.
    const crashes = program.events.filter(({ event }) => event === "crashed").length;
    expect(crashes).toBeGreaterThanOrEqual(6);
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe(
      "The server could not be started: always",
    );
    await save(source(2));
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2 for undefined");
  });

  test("of code that cannot be loaded again is shown, and the next change starts it", async () => {
    const once = `${SIGNALS}
import { defineServer } from "tenon";
if (existsSync("broken")) throw new Error("no database");
export default defineServer({ name: "once", version: "1.0.0" })
  .tool("crash", { handler: () => { signal("broken"); process.exit(1); } });`;
    const { endpoint, program, save } = await serveDev({ "server.ts": once });
    await textOf(endpoint.fetch(modernCall("crash")));
    const failed = await program.next("load-failed");
    expect(failed).toMatchObject({
      problems: [{ message: "no database", file: "server.ts", line: 8 }],
      next: "Waiting for a file to change.",
    });
    await vi.waitFor(async () =>
      expect(await textOf(endpoint.fetch(modernCall("version")))).toBe(
        "The server could not be started: no database",
      ),
    );
    await save(source(2));
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2 for undefined");
  });

  test("does not lose the last line of the output, which has no line break", async () => {
    const { endpoint, program } = await serveDev({
      "server.ts": `
import { writeSync } from "node:fs";
import { defineServer } from "tenon";
export default defineServer({ name: "last", version: "1.0.0" })
  .tool("exit", { handler: () => { writeSync(1, "last words"); process.exit(1); } });`,
    });
    await textOf(endpoint.fetch(modernCall("exit")));
    expect((await program.next("output")).text).toBe("last words");
  });

  test("does not happen if the code handles uncaught errors itself", async () => {
    const { endpoint, program } = await serveDev({
      "server.ts": `${SIGNALS}
import { defineServer } from "tenon";
process.on("uncaughtException", () => signal("handled"));
export default defineServer({ name: "tough", version: "1.0.0" }).tool("survive", {
  handler: async () => { setTimeout(() => { throw new Error("handled"); }, 0); await signalled("handled"); return "alive"; },
});`,
    });
    expect(await textOf(endpoint.fetch(modernCall("survive")))).toBe("alive");
    expect(program.events.filter(({ event }) => event === "crashed")).toEqual([]);
  });
});
