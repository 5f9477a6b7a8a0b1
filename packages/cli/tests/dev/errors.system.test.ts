import { describe, expect, test, vi } from "vitest";
import { modernCall } from "../../../../tests/support/http-messages.js";
import { onLines } from "../../../../tests/support/lines.js";
import { serveDev, startDev, textOf, toEndpoint } from "../support/dev/dev-run.js";

const good = (version: number) => `
import { defineServer } from "tenon";
export default defineServer({ name: "good", version: "1.0.0" })
  .tool("version", { handler: () => "${version}" });
`;

const KEEPS_SERVING = "The last good version keeps serving.";

describe("while a file has an error, the last good version keeps serving:", () => {
  test.each([
    {
      title: "a syntax error",
      source: `import { defineServer } from "tenon";\n\nexport default defineServer({ name: "x", version: "1" };\n`,
      event: "build-failed",
      problem: {
        message: 'Expected ")" but found ";"',
        file: "server.ts",
        line: 3,
        column: 56,
        frame: [
          '  1 | import { defineServer } from "tenon";',
          "  2 |",
          '> 3 | export default defineServer({ name: "x", version: "1" };',
          `    | ${" ".repeat(55)}^`,
          "  4 |",
        ],
      },
    },
    {
      title: "an import of a file that does not exist",
      source: `import { gone } from "./gone.js";\nexport default gone;\n`,
      event: "build-failed",
      problem: { message: 'Could not resolve "./gone.js"', file: "server.ts", line: 1, column: 22 },
    },
    {
      title: "an exception at the top level",
      source: `import { defineServer } from "tenon";\nconst town: string = "Ulm";\nthrow new TypeError("no " + town);\nexport default defineServer({ name: "x", version: "1" });\n`,
      event: "load-failed",
      problem: { message: "TypeError: no Ulm", file: "server.ts", line: 3, column: 7 },
    },
    {
      title: "a package that is not installed",
      source: `import { nothing } from "not-installed-at-all";\nexport default nothing;\n`,
      event: "load-failed",
      problem: { hint: "Install the package: npm install not-installed-at-all" },
    },
    {
      title: "an invalid definition",
      source: `import { defineServer } from "tenon";\nexport default defineServer({ name: "x", version: "1" }).tool("a", { handler: () => "" }).tool("a", { handler: () => "" });\n`,
      event: "load-failed",
      problem: { message: expect.stringContaining('"a"') as string },
    },
    {
      title: "a module without a server",
      source: `export const color = "red";\n`,
      event: "load-failed",
      problem: {
        message:
          '"server.ts" does not export a server. It exports: color. Export the server as default, server, app, or mcp, or select an export: server.ts:color',
      },
    },
    {
      title: "a function that throws",
      source: `export default function create() {\n  throw new Error("not today");\n}\n`,
      event: "load-failed",
      problem: { message: "not today", file: "server.ts", line: 2, column: 9 },
    },
    {
      title: "a module that exits",
      source: `process.exit(3);\n`,
      event: "load-failed",
      problem: { message: "The server process exited with code 3." },
    },
  ] as const)("$title", async ({ source, event, problem }) => {
    const { endpoint, save } = await serveDev({ "server.ts": good(1) });
    const failed = await save(source, event);
    expect(failed.next).toBe(KEEPS_SERVING);
    expect(failed.problems[0]).toMatchObject(problem);
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("1");
    await save(good(2));
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2");
  });

  test("an error that is undone", async () => {
    const { endpoint, save, program } = await serveDev({ "server.ts": good(1) });
    await save("export default (;", "build-failed");
    const note = await save(good(1), "note");
    expect(note.text).toBe("The code is the same as before the error.");
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("1");
    expect(program.events.filter(({ event }) => event === "reloaded")).toEqual([]);
  });

  test("a module that never finishes loading", async () => {
    const { endpoint, save, project, program, signalled } = await serveDev({ "server.ts": good(1) });
    project.save(
      "server.ts",
      `import { writeFileSync } from "node:fs";\nwriteFileSync("loading", "");\nawait new Promise((resolve) => setTimeout(resolve, 2 ** 30));\n`,
    );
    await signalled("loading");
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("1");
    await save(good(2));
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("2");
    expect(program.events.filter(({ event }) => event === "load-failed")).toEqual([]);
  });
});

describe("the first start", () => {
  test("with an error waits for a change, and rejects calls with the reason", async () => {
    const { program, save } = startDev({ "server.ts": "export default (;\n" });
    const failed = await program.next("build-failed");
    const [, url = ""] =
      /^Listening on (\S+)\. Waiting for a file to change\.$/.exec(failed.next ?? "") ?? [];
    const endpoint = toEndpoint(url);
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe(
      'The server could not be started: Unexpected ";" (server.ts:1:17)',
    );
    const started = await save(good(1), "started");
    expect(started).toMatchObject({ name: "good", version: "1.0.0", url });
    expect(await textOf(endpoint.fetch(modernCall("version")))).toBe("1");
  });

  test("with an error at the top level waits for a change, also over stdio", async () => {
    const { program, project } = startDev(
      { "server.ts": `throw new Error("no database");\nexport default 1;\n` },
      { args: ["server.ts", "--stdio"] },
    );
    const failed = await program.next("load-failed");
    expect(failed.problems[0]).toMatchObject({
      message: "no database",
      file: "server.ts",
      line: 1,
      column: 7,
    });
    expect(failed.next).toBe("Waiting for a file to change.");
    const replies: unknown[] = [];
    onLines(program.child.stdout, (line) => replies.push(JSON.parse(line)));
    const ping = (id: number) =>
      program.child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`);
    ping(1);
    await vi.waitFor(() =>
      expect(replies).toMatchObject([
        { id: 1, error: { message: "The server could not be started: no database (server.ts:1:7)" } },
      ]),
    );
    await program.save(project, ["server.ts", good(1)], "started");
    ping(2);
    await vi.waitFor(() => expect(replies.at(-1)).toEqual({ jsonrpc: "2.0", id: 2, result: {} }));
  });

  test("finds a file that is created later", async () => {
    const { program, project } = startDev({
      "server.ts": `export { default } from "./parts/main.js";\n`,
    });
    await program.next("build-failed");
    project.write("parts/main.ts", good(1));
    expect((await program.next("started")).name).toBe("good");
  });
});

describe("an error in a handler", () => {
  const source = `
import { defineServer } from "tenon";
import { check } from "./check.js";
export default defineServer({ name: "failing", version: "1.0.0" })
  .tool("boom", { handler: async () => { await null; return check("kaboom"); } })
  .resource("boom", { uri: "text://boom", handler: () => check("no text") });
`;
  const check = `export function check(problem: string): string {
  throw new RangeError(problem, { cause: new Error("the oven is cold") });
}
`;

  test("is shown with its place, and the client sees its message", async () => {
    const { endpoint, program } = await serveDev({ "server.ts": source, "check.ts": check });
    expect(await textOf(endpoint.fetch(modernCall("boom")))).toBe("kaboom");
    const failed = await program.next("handler-failed");
    expect(failed.name).toBe("tools/call boom");
    expect(failed.problems).toMatchObject([
      {
        message: "RangeError: kaboom",
        file: "check.ts",
        line: 2,
        column: 9,
        frame: [
          "  1 | export function check(problem: string): string {",
          '> 2 |   throw new RangeError(problem, { cause: new Error("the oven is cold") });',
          "    |         ^",
          "  3 | }",
          "  4 |",
        ],
        stack: [expect.stringMatching(/^server\.ts:5:\d+$/)],
      },
      { message: "the oven is cold", file: "check.ts", line: 2, column: 42 },
    ]);
    await vi.waitFor(() =>
      expect(program.calls).toMatchObject([{ name: "boom", outcome: "tool-error", message: "kaboom" }]),
    );
  });

  test("in a resource becomes a JSON-RPC error with its message", async () => {
    const { endpoint, program } = await serveDev({ "server.ts": source, "check.ts": check });
    const { modernPost } = await import("../../../../tests/support/http-messages.js");
    const read = endpoint.fetch(modernPost("resources/read", { uri: "text://boom" }));
    expect(await textOf(read)).toBe("no text");
    await vi.waitFor(() =>
      expect(program.calls).toMatchObject([
        { method: "resources/read", name: "text://boom", outcome: "error", code: -32603, message: "no text" },
      ]),
    );
  });
});
