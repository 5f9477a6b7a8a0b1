import { describe, expect, test } from "vitest";
import { defineServer } from "../../src/index.js";
import { createClient } from "../../src/testing/index.js";

/** Invalid scopes were accepted, and the test client failed with internal errors. */

const handler = () => "x";
const define = () => defineServer({ name: "a", version: "1" });

/** Hides the type error of a mistake that is possible in plain JavaScript. */
const wrong = (value: unknown) => value as never;

describe("first-run-a3: `scopes` must be an array of strings", () => {
  test.each<[string, (scopes: unknown) => unknown]>([
    ['Tool "t"', (scopes) => define().tool("t", wrong({ scopes, handler }))],
    ['Resource "t"', (scopes) => define().resource("t", wrong({ uri: "a://b", scopes, handler }))],
    [
      'Resource template "t"',
      (scopes) => define().resourceTemplate("t", wrong({ uriTemplate: "a://{b}", scopes, handler })),
    ],
    ['Prompt "t"', (scopes) => define().prompt("t", wrong({ scopes, handler }))],
  ])("%s", (label, add) => {
    const problem = `${label}: \`scopes\` must be an array of strings; got `;
    expect(() => add("x")).toThrow(new TypeError(`${problem}"x". Use \`scopes: ["x"]\`.`));
    expect(() => add(["a", 1])).toThrow(new TypeError(`${problem}an array whose item 1 is invalid.`));
    expect(() => add([undefined])).toThrow(new TypeError(`${problem}an array whose item 0 is invalid.`));
    expect(() => add(null)).toThrow(new TypeError(`${problem}null.`));
    expect(() => add(["a", "b"])).not.toThrow();
    expect(() => add([])).not.toThrow();
  });
});

describe("first-run-a3: test client", () => {
  test("an unknown revision is rejected with the known ones", async () => {
    await expect(createClient(define(), { revision: wrong("2025") })).rejects.toThrow(
      new TypeError(
        'createClient: `revision` must be "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28", ' +
          'or "latest"; got "2025".',
      ),
    );
  });

  test.each<[string, unknown, string]>([
    ["undefined", undefined, "undefined."],
    ["an object", {}, "an object."],
    ["a function", () => define(), "a function."],
    ["a module", import("../support/regression/first-run-module.js"), "a module. Pass its export `server`."],
    ["a module without a server", import("vitest"), "a module. Pass the server that it exports."],
  ])("a value that is not a server is rejected: %s", async (_, value, got) => {
    await expect(createClient(wrong(await value))).rejects.toThrow(
      new TypeError(`Expected a server or a builder from \`defineServer\`; got ${got}`),
    );
  });

  test("a call after `close()` fails with the fix", async () => {
    const client = await createClient(define().tool("t", { handler }));
    await client.close();
    await expect(client.callTool("t")).rejects.toThrow(
      "The client is closed. Create a new one with `createClient`.",
    );
  });
});
