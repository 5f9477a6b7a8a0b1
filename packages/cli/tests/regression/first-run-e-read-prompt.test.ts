import { Buffer } from "node:buffer";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve, type Running } from "tenon/node";
import { programFile, startTenon, tenonInProcess } from "../../../../tests/support/program.js";
import { app, context } from "../fixtures/shop.js";

let running: Running;
const TARGETS = ["file", "program", "url"] as const;

beforeAll(async () => {
  running = await serve(app, {
    transport: { type: "http", port: 0 },
    context,
    signals: false,
    banner: false,
    authenticate: ({ header }) =>
      header("authorization") === "Bearer open-sesame"
        ? { auth: { principal: "ann", scopes: [] } }
        : { status: 401, message: "who are you?" },
  });
});
afterAll(() => running.close());

/** Runs a command with each kind of target. */
function withTarget(kind: (typeof TARGETS)[number], [command = "", ...words]: readonly string[]) {
  switch (kind) {
    case "file":
      return tenonInProcess([command, "shop.mjs", ...words]);
    case "program":
      return tenonInProcess([
        command,
        ...words,
        "--",
        process.execPath,
        programFile("tenon"),
        "run",
        "shop.mjs",
      ]);
    case "url":
      return tenonInProcess([command, running.url ?? "", ...words, "--bearer-env", "KEY"], {
        env: { KEY: "open-sesame" },
      });
  }
}

describe.each(TARGETS)("with a %s as the target", (kind) => {
  test("first-run-e: `read` prints a resource unchanged", async () => {
    const ended = await withTarget(kind, ["read", "menu://today"]);
    expect(ended).toEqual({ code: 0, stdout: "margherita\nfunghi\n", stderr: "" });
  });

  test("first-run-e: `read` reads a URI that matches a template", async () => {
    expect((await withTarget(kind, ["read", "menu://pizza/funghi"])).stdout).toBe("The funghi");
  });

  test("first-run-e: `read --json` prints the complete result", async () => {
    const { stdout } = await withTarget(kind, ["read", "menu://today", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ contents: [{ uri: "menu://today", mimeType: "text/plain" }] });
  });

  test("first-run-e: `read` suggests a URI for an unknown one", async () => {
    const { code, stdout, stderr } = await withTarget(kind, ["read", "menu://tody"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Unknown resource "menu:\/\/tody"\. Did you mean menu:\/\/today\? /);
    expect(stderr).toMatch(/List all resources with: tenon list\n$/);
  });

  test("first-run-e: `prompt` prints the messages under their roles", async () => {
    const ended = await withTarget(kind, ["prompt", "review", "kind=42", "tone=rudely"]);
    expect(ended).toEqual({ code: 0, stdout: "[user]\nReview the 42, rudely.\n", stderr: "" });
  });

  test("first-run-e: `prompt --args --json` takes and prints JSON", async () => {
    const { stdout } = await withTarget(kind, ["prompt", "review", "--args", '{"kind":"funghi"}', "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ messages: [{ role: "user", content: { type: "text" } }] });
  });

  test("first-run-e: `list` and `call` work with the same target", async () => {
    expect((await withTarget(kind, ["list"])).stdout).toContain("Tools (7)");
    expect((await withTarget(kind, ["call", "owner"])).stdout).toBe("ada\n");
  });
});

test("first-run-e: `read` writes the bytes of a single binary resource into a pipe", async () => {
  const child = startTenon(["read", "shop.mjs", "menu://logo"]);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(child, "close");
  expect(Buffer.concat(chunks).toString("hex")).toBe("89504e470d0a1a0a");
});

test.each<[readonly string[], number, string]>([
  [
    ["prompt", "shop.mjs", "reviw"],
    1,
    'Unknown prompt "reviw". Did you mean review? List all prompts with: tenon list\n',
  ],
  [["prompt", "shop.mjs", "review"], 2, 'Prompt "review" requires the argument "kind". Write: kind=<text>\n'],
  [
    ["prompt", "shop.mjs", "review", "knid=x"],
    2,
    'Prompt "review" does not take the argument "knid". Did you mean kind? Its arguments: kind, tone.\n',
  ],
  [
    ["read", "shop.mjs"],
    2,
    "tenon read requires a server and a URI. Write: tenon read <file or url> <uri>\n",
  ],
  [["read", "shop.mjs", "a://b", "c"], 2, 'Unexpected argument "c".\n'],
  [["read", "a://b", "c", "-s", "shop.mjs"], 2, 'Unexpected argument "c".\n'],
  [
    ["read", "calculator.mjs", "text://mot"],
    1,
    'Unknown resource "text://mot". Did you mean text://motd? List all resources with: tenon list\n',
  ],
])("first-run-e: %j is rejected with a sentence", async (args, code, message) => {
  const ended = await tenonInProcess(args);
  expect({ code: ended.code, stdout: ended.stdout }).toEqual({ code, stdout: "" });
  expect(ended.stderr).toContain(message);
});
