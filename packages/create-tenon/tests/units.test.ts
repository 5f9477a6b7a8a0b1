import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toDefaultName } from "../src/choices.js";
import { fillEnvFile } from "../src/env-file.js";
import { checkPackageName, toPackageName, toWorkerName } from "../src/package-name.js";

describe("package names", () => {
  test.each(["a", "my-server", "@me/my.server_2", "x".repeat(214)])("npm accepts %s", (name) => {
    expect(checkPackageName(name)).toEqual({ ok: true });
  });

  test.each<[string, string, string | undefined]>([
    ["", "it is empty", undefined],
    ["x".repeat(215), "it is too long (limit: 214 characters)", "x".repeat(100)],
    ["a/b", "it does not have the form name or @scope/name", "a-b"],
    ["@me/", "it does not have the form name or @scope/name", "me"],
    ["Ärger", "it contains uppercase letters", "arger"],
    ["_x", "it starts with a dot or an underscore", "x"],
    ["a b", "it contains characters that are not allowed in a URL", "a-b"],
    ["node_modules", "it is reserved by Node.js or npm", undefined],
    ["日本", "it contains characters that are not allowed in a URL", undefined],
  ])("npm does not accept %j", (name, reason, suggested) => {
    expect(checkPackageName(name)).toEqual({ ok: false, reason, suggested });
  });

  test("npm accepts every suggested name", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const check = checkPackageName(text);
        if (!check.ok && check.suggested !== undefined)
          expect(checkPackageName(check.suggested)).toEqual({ ok: true });
        expect(checkPackageName(toDefaultName(`/home/${text}`))).toEqual({ ok: true });
        expect(toPackageName(text)).not.toMatch(/\.\.\/|^\//);
      }),
    );
  });
});

test.each([
  ["weather", "weather"],
  ["@me/my.server_2", "me-my-server-2"],
  ["~a--b~", "a-b"],
  [`${"x".repeat(62)}.y`, "x".repeat(62)],
])("the Worker of the package %s is named %s", (name, worker) => {
  expect(toWorkerName(name)).toBe(worker);
});

describe("the .env file", () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["", { A: "1" }, "A=1\n"],
    ["A=\nB=2\n", { A: "1" }, "A=1\nB=2\n"],
    ["# A=old\n# about A\n", { A: "1" }, "A=1\n# about A\n"],
    ["#A=\nA=2\n\n\n", { A: "1", C: "3" }, "A=1\nA=2\nC=3\n"],
    ["B=$A\n", {}, "B=$A\n"],
  ])("sets variables: %j with %j", (example, values, filled) => {
    expect(fillEnvFile(example, values)).toBe(filled);
  });
});
