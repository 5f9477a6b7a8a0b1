import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/support/program.js";
import { renderDiff } from "../../src/install/outcome.js";
import { findClient } from "../../src/install/locate-config.js";
import { planInstall, planUninstall } from "../../src/install/plan.js";
import { fileOf } from "../support/install/machines.js";

const cursor = findClient("cursor");
const goose = findClient("goose");
const entry = { type: "stdio", command: "npx", args: ["-y", "a"], env: { K: "s3cret" } };
const install = (text: string | undefined, force = false, wanted: object = entry) =>
  planInstall(fileOf(text), { client: cursor, name: "a", entry: { ...wanted }, force });

describe("installing", () => {
  test("twice changes nothing the second time", async () => {
    const { text } = await install("{}");
    const second = await install(text);
    expect(second).toMatchObject({ action: "unchanged", text });
  });

  test.each<[label: string, existing: object]>([
    ["another order of members", { args: ["-y", "a"], command: "npx", env: { K: "s3cret" }, type: "stdio" }],
    ["members that the client added", { ...entry, disabled: true, autoApprove: ["x"] }],
    ["no type", { command: "npx", args: ["-y", "a"], env: { K: "s3cret" } }],
    ["empty members", { ...entry, headers: {} }],
  ])("an entry with %s counts as the same", async (_label, existing) => {
    const text = JSON.stringify({ mcpServers: { a: existing } });
    expect(await install(text)).toMatchObject({ action: "unchanged", text });
  });

  test.each<[label: string, existing: unknown]>([
    ["another argument", { ...entry, args: ["-y", "b"] }],
    ["another value", { ...entry, env: { K: "other" } }],
    ["no variables", { command: "npx", args: ["-y", "a"] }],
    ["a URL", { url: "https://example.com" }],
    ["a value that is not an object", "x"],
  ])("an entry with %s is replaced only with --force", async (_label, existing) => {
    const text = JSON.stringify({ mcpServers: { a: existing } }, null, 2);
    await expect(install(text)).rejects.toThrow(
      'Cursor already has a different server named "a" in "/config". ' +
        "Pass --force to replace it, or choose a different name with --name.",
    );
    const plan = await install(text, true);
    expect(plan.action).toBe("replaced");
    expect(JSON.parse(plan.text)).toEqual({ mcpServers: { a: entry } });
  });

  test("replacing keeps the members that the client added, and drops those of the other transport", async () => {
    const old = { url: "https://example.com", headers: { A: "1" }, disabled: true };
    const plan = await install(JSON.stringify({ mcpServers: { a: old } }), true);
    expect(JSON.parse(plan.text)).toEqual({ mcpServers: { a: { disabled: true, ...entry } } });
  });

  test("goose: settings that the user changed in goose are kept", async () => {
    const wanted = {
      enabled: true,
      name: "A",
      description: "",
      type: "stdio",
      cmd: "npx",
      args: ["a"],
      timeout: 300,
    };
    const text =
      "extensions:\n  a:\n    enabled: false\n    type: stdio\n    name: A\n    cmd: npx\n    args: [a]\n    envs: {}\n" +
      "    timeout: 60\n    bundled: null\n";
    const request = { client: goose, name: "A", entry: wanted, force: false };
    expect(await planInstall(fileOf(text), request)).toMatchObject({ action: "unchanged", text });
    const changed = await planInstall(fileOf(text), {
      ...request,
      entry: { ...wanted, args: ["b"] },
      force: true,
    });
    expect(changed.entry).toEqual({
      enabled: false,
      type: "stdio",
      name: "A",
      cmd: "npx",
      args: ["b"],
      timeout: 60,
      bundled: null,
      description: "",
    });
  });

  test.each([
    [
      '{ "mcpServers": { ',
      'Could not change "/config", line 1, column 19: Expected a closing brace. The file was left as it is.',
    ],
    [
      '{ "mcpServers": 1 }',
      'Could not change "/config", line 1, column 17: "mcpServers" must be an object; got number.',
    ],
  ])("%j is rejected", async (text, message) => {
    await expect(install(text)).rejects.toThrow(message);
  });
});

describe("uninstalling", () => {
  test.each<[label: string, original: string]>([
    ["an empty object", "{ }"],
    ["an empty container", '{ "mcpServers": {   } }\n'],
    ["no container", '{\n  // none\n  "x": 1,\n}\n'],
    ["an empty file", "\n"],
    ["only a comment", "// x"],
    ["entries", '{\n\t"mcpServers": { "b": {} }\n}'],
  ])("restores the bytes of the backup: %s", async (_label, original) => {
    const path = join(temporaryFolder(), "mcp.json");
    writeFileSync(`${path}.20300101T000000Z.bak`, original);
    writeFileSync(`${path}.20310101T000000Z.bak`, "not { JSON");
    const { text } = await install(original);
    const plan = await planUninstall(fileOf(text, path), { client: cursor, name: "a" });
    expect(plan).toMatchObject({ action: "removed", text: original });
  });

  test("keeps later changes of the user", async () => {
    const path = join(temporaryFolder(), "mcp.json");
    writeFileSync(`${path}.20300101T000000Z.bak`, "{}");
    const { text } = await install("{}");
    const later = text.replace('"mcpServers"', '"user": 1, "mcpServers"');
    const plan = await planUninstall(fileOf(later, path), { client: cursor, name: "a" });
    expect(JSON.parse(plan.text)).toEqual({ user: 1, mcpServers: {} });
  });

  test("an unknown name changes nothing", async () => {
    const plan = await planUninstall(fileOf('{"mcpServers":{"b":{}}}'), { client: cursor, name: "a" });
    expect(plan).toMatchObject({ action: "unchanged", entry: undefined, names: ["b"] });
  });

  test("names that only the client accepts can be removed", async () => {
    const text = '{"mcpServers":{"my server.x":{}}}';
    const plan = await planUninstall(fileOf(text), { client: cursor, name: "my server.x" });
    expect(plan).toMatchObject({ action: "removed", text: '{"mcpServers":{}}' });
  });

  test("goose: a name is found by its key", async () => {
    const plan = await planUninstall(fileOf("extensions:\n  my-notes: {}\n"), {
      client: goose,
      name: "My-Notes",
    });
    expect(plan).toMatchObject({ action: "removed", text: "extensions: {}\n" });
  });
});

describe("the diff", () => {
  test("shows only changed lines, without secrets", async () => {
    const text = '{\n  "mcpServers": {\n    "b": { "env": { "B": "other s3cret" } }\n  }\n}\n';
    const { redacted } = await install(text);
    const diff = renderDiff({ path: "/config", ...redacted });
    expect(diff).toBe(
      [
        "--- /config",
        "+++ /config",
        "@@ -3,1 +3,12 @@",
        '-    "b": { "env": { "B": "[REDACTED]" } }',
        '+    "b": { "env": { "B": "[REDACTED]" } },',
        '+    "a": {',
        '+      "type": "stdio",',
        '+      "command": "npx",',
        '+      "args": [',
        '+        "-y",',
        '+        "a"',
        "+      ],",
        '+      "env": {',
        '+        "K": "[REDACTED]"',
        "+      }",
        "+    }",
        "",
      ].join("\n"),
    );
  });

  test("hides credentials in arguments, and control characters", () => {
    const after = 'args: ["--token=abcdefghijkl", "sk-0123456789abcdef", "\u001b[31m"]';
    const diff = renderDiff({ path: "/c", before: undefined, after });
    expect(diff).toContain("--- /dev/null\n");
    expect(diff).not.toMatch(/abcdefghijkl|0123456789abcdef/);
    expect(diff).not.toContain("\u001b");
  });

  test("is empty if only values change", async () => {
    const { text } = await install("{}");
    const { redacted } = await install(text, true, { ...entry, env: { K: "new s3cret" } });
    expect(renderDiff({ path: "/c", ...redacted })).toBe("");
  });
});
