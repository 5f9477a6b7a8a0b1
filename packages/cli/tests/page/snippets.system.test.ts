import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { toNodeHandler } from "tenon/node";
import { type Era, LATEST_LEGACY, MODERN_REVISIONS } from "tenon/protocol";
import { defineServer } from "tenon";
import { z } from "zod";
import { toCliLine, toCurl } from "../../src/page/record/snippets/shell-lines.js";
import type { SnippetCall, SnippetTarget } from "../../src/page/record/snippets/snippet-call.js";
import { toTestCode } from "../../src/page/record/snippets/test-code.js";
import { FIXTURE_SOURCES, fixtures, programFile } from "../../../../tests/support/program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { inspectAt, inspectCommand, serveHttp } from "../support/page/inspected.js";

const run = promisify(execFile);
const [MODERN = LATEST_LEGACY] = MODERN_REVISIONS;
const ERAS: readonly Era[] = ["legacy", "modern"];

/** Text that a shell would run, expand, or end early if it were not quoted. */
const HOSTILE = `it's "$HOME" \`touch pwned\` $(touch pwned) \\ ; & | > < * ? ~ # ! \n\u2028 ü 🍕 %s`;

/** Runs a line in a POSIX shell, where `tenon` is the built program. */
async function shell(line: string, env: Readonly<Record<string, string>> = {}, cwd = process.cwd()) {
  const script = `tenon() { ${process.execPath} ${programFile("tenon")} "$@"; }\n${line}\n`;
  return run("sh", ["-eu", "-c", script], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", ...env },
  });
}

function createEcho(token?: string) {
  const server = defineServer({ name: "echo", version: "1.0.0" })
    .tool("echo", {
      description: "Returns its input",
      input: z.object({ text: z.string(), region: z.string().optional().meta({ "x-mcp-header": "Region" }) }),
      handler: ({ text }) => text,
    })
    .resource("menu", { uri: "menu://today", handler: () => "margherita" })
    .prompt("greet", { arguments: z.object({ name: z.string() }), handler: ({ name }) => `Hello ${name}` })
    .build();
  const handler = toNodeHandler(server);
  return serveHttp((request, response) => {
    const isAllowed = token === undefined || request.headers.authorization === `Bearer ${token}`;
    if (isAllowed) handler(request, response);
    else response.writeHead(401).end();
  });
}

/** Returns the last JSON-RPC message in the output of curl: JSON, or the data of an event. */
function lastMessage(output: string): {
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
} {
  const data = output
    .split("\n")
    .map((line) => line.replace(/^data: /, ""))
    .findLast((line) => line.startsWith("{"));
  return JSON.parse(data ?? "{}") as never;
}

describe.each(ERAS)("snippets of a call over HTTP in the %s era", (era) => {
  test("the curl line runs in a shell, and quotes hostile text", async () => {
    const { client } = await inspectAt(`${await createEcho()}/mcp`);
    await client.connectedTwice();
    await client.server();
    const { id } = await client.command("call", {
      tool: "echo",
      arguments: { text: HOSTILE, region: "é" },
      era,
    });
    await client.call(id);
    const { snippets } = await client.detail(id);
    const { stdout } = await shell(snippets.curl ?? "");
    expect(lastMessage(stdout).result?.content?.[0]?.text).toBe(HOSTILE);
  });

  test("the CLI line runs with the program", async () => {
    const { client } = await inspectAt(`${await createEcho()}/mcp`);
    await client.connectedTwice();
    await client.server();
    const { id } = await client.command("call", { tool: "echo", arguments: { text: HOSTILE }, era });
    await client.call(id);
    const { snippets } = await client.detail(id);
    const { stdout } = await shell(`${snippets.cli} --json`);
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ text: HOSTILE }] });
  });

  test("resources and prompts have lines too", async () => {
    const { client } = await inspectAt(`${await createEcho()}/mcp`);
    await client.connectedTwice();
    const read = await client.command("read", { uri: "menu://today", era });
    const prompt = await client.command("prompt", { name: "greet", arguments: { name: HOSTILE }, era });
    await client.call(read.id);
    await client.call(prompt.id);
    const [first, second] = [await client.detail(read.id), await client.detail(prompt.id)];
    expect((await shell(first.snippets.cli ?? "")).stdout).toBe("margherita");
    expect((await shell(first.snippets.curl ?? "")).stdout).toContain("margherita");
    expect(JSON.parse((await shell(`${second.snippets.cli} --json`)).stdout)).toMatchObject({
      messages: [{ content: { text: `Hello ${HOSTILE}` } }],
    });
  });

  test("a token is a variable of the shell", async () => {
    const token = "s3cret-token";
    const { client } = await inspectAt(`${await createEcho(token)}/mcp`, [
      ["authorization", `Bearer ${token}`],
    ]);
    await client.connectedTwice();
    await client.server();
    const { id } = await client.command("call", { tool: "echo", arguments: { text: "hi" }, era });
    await client.call(id);
    const detail = await client.detail(id);
    expect(JSON.stringify(detail)).not.toContain(token);
    const { curl = "", cli = "" } = detail.snippets;
    expect(lastMessage((await shell(curl, { TOKEN: token })).stdout).result?.content?.[0]?.text).toBe("hi");
    expect((await shell(cli, { TOKEN: token })).stdout).toBe("hi\n");
  });

  test("the test passes type checks, and passes", async () => {
    const { client } = await inspectAt(`${await createEcho()}/mcp`);
    await client.connectedTwice();
    await client.server();
    const { id } = await client.command("call", { tool: "echo", arguments: { text: HOSTILE }, era });
    await client.call(id);
    const { snippets } = await client.detail(id);
    await expectPassing(snippets.test ?? "");
  });
});

/** Writes a test into a folder of the project, type-checks it, and runs it. */
async function expectPassing(code: string, files: Readonly<Record<string, string>> = {}): Promise<void> {
  mkdirSync(`${ROOT}/.tmp`, { recursive: true });
  const folder = mkdtempSync(`${ROOT}/.tmp/snippet-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries({ ...files, "call.test.ts": code }))
    writeFileSync(join(folder, name), text);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2023",
        module: "nodenext",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: ["node"],
      },
      include: ["*.ts"],
    }),
  );
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "vitest.config.ts"),
    'import { defineConfig } from "vitest/config";\nexport default defineConfig({ test: { include: ["*.test.ts"] } });\n',
  );
  const bin = (name: string) => `${ROOT}/node_modules/${name}`;
  await run(process.execPath, [bin("typescript/bin/tsc"), "-p", folder], { cwd: folder }).catch(
    (error: unknown) => {
      throw new Error(String((error as { readonly stdout?: unknown }).stdout));
    },
  );
  const { stdout } = await run(process.execPath, [bin("vitest/vitest.mjs"), "run", "--root", folder], {
    cwd: folder,
  });
  expect(stdout).toMatch(/1 passed/);
}

describe("snippets of a module", () => {
  const target: SnippetTarget = {
    headers: [],
    hasToken: false,
    server: "calculator.mjs",
    module: { file: "calculator.ts", exportName: undefined },
  };
  const call: SnippetCall = {
    method: "tools/call",
    name: "add",
    arguments: { a: 1, b: 2 },
    era: "modern",
    revision: MODERN,
    headers: [],
    result: { content: [{ type: "text", text: "3" }], resultType: "complete", _meta: { server: 1 } },
  };

  test("the test imports the server, type-checks, and passes", async () => {
    const code = toTestCode(call, target) ?? "";
    expect(code).toContain('import { createClient } from "tenon/testing";');
    expect(code).toContain('import server from "./calculator.js";');
    const { readFileSync } = await import("node:fs");
    await expectPassing(code, { "calculator.ts": readFileSync(`${FIXTURE_SOURCES}/calculator.ts`, "utf8") });
  });

  test("an export is imported by its name, and other names are not written into code", () => {
    const code = (exportName: string) =>
      toTestCode(call, { ...target, module: { file: "src/a.mts", exportName } });
    expect(code("app")).toContain('import { app as server } from "./src/a.mjs";');
    expect(code("a } from 'x'; evil(); //")).toBeUndefined();
  });

  test("the CLI line runs the module", async () => {
    const { stdout } = await shell(toCliLine(call, target) ?? "", {}, fixtures());
    expect(stdout).toBe("3\n");
  });
});

describe("snippets of a program", () => {
  test("the CLI line starts it", async () => {
    const words = [process.execPath, `${fixtures()}/sdk-v1-program.mjs`];
    const { client } = await inspectCommand(words);
    await client.connected();
    const [tool] = (await client.server()).tools;
    const { id } = await client.command("call", {
      tool: String(tool?.definition["name"]),
      arguments: { text: "it's" },
      era: "legacy",
    });
    await client.call(id);
    const { snippets, result } = await client.detail(id);
    expect(
      JSON.parse((await shell((snippets.cli ?? "").replace(" -- ", " --json -- "))).stdout),
    ).toMatchObject({
      content: (result as { content: unknown }).content,
    });
    expect(snippets.test).toContain("command:");
  });
});

describe("hostile names", () => {
  const target: SnippetTarget = {
    url: "https://example.com/mcp",
    server: "https://example.com/mcp",
    headers: [],
    hasToken: false,
  };
  const call = (name: string): SnippetCall => ({
    method: "tools/call",
    name,
    arguments: {},
    era: "legacy",
    revision: LATEST_LEGACY,
    headers: [],
    result: undefined,
  });

  test("a name that looks like a flag has no CLI line", () => {
    expect(toCliLine(call("--server=evil"), target)).toBeUndefined();
    expect(toCliLine(call("-s"), target)).toBeUndefined();
    expect(toCliLine(call(""), target)).toBeUndefined();
  });

  test("names are quoted in every snippet", async () => {
    const name = "'; touch pwned; '";
    const cli = toCliLine(call(name), target) ?? "";
    const { stdout } = await run("sh", ["-c", `tenon() { printf '%s\\n' "$@"; }\n${cli}`]);
    expect(stdout.split("\n")).toContain(name);
    expect(toTestCode(call('"); evil(); ("'), target)).toContain('callTool("\\"); evil(); (\\"")');
    expect(toCurl(call(name), target)).toContain(String.raw`"name":"'\''; touch pwned; '\''"`);
  });

  test("headers that the user has set are variables, and their names cannot add code", () => {
    const secret = { ...target, headers: ["x-api-key", "x$(touch pwned)", "authorization"], hasToken: true };
    const curl = toCurl(call("a"), secret) ?? "";
    expect(curl).toContain('"x-api-key: $X_API_KEY"');
    expect(curl).toContain('"authorization: Bearer $TOKEN"');
    expect(curl).not.toContain("pwned");
    expect(toCliLine(call("a"), secret)).toBe(
      `tenon call https://example.com/mcp a --revision ${LATEST_LEGACY} --bearer-env TOKEN --header "x-api-key: $X_API_KEY"`,
    );
  });
});
