import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { RunOutcome } from "../../tools/process.js";
import { findBinary } from "../../tools/runtimes/install.js";
import type { OfficialClient } from "../../tools/official-clients/official-client.js";
import { connectV1 } from "../../tools/official-clients/v1-client.js";
import { connectV2 } from "../../tools/official-clients/v2-client.js";
import {
  createInstalled,
  INSTALL_MS,
  installShared,
  runScript,
  type Installed,
  type InstallOutcome,
} from "../support/shared-install.js";
import { manifestOf } from "../support/templates.js";
import { connectToAgent, runAgent, toUrl } from "../support/template/run-agent.js";
import { serveWorker } from "../support/template/serve-worker.js";

/** The templates except `app`, which scaffold.system.test.ts covers. */
const NAMES = ["minimal", "grouped", "worker", "agent"] as const;
type Name = (typeof NAMES)[number];
/** The templates of MCP servers. */
type ServerName = Exclude<Name, "agent">;

const RUN_MS = 180_000;

/** All packages that a server of the template `minimal` has in production: its dependencies, and theirs. */
const PRODUCTION = ["@standard-schema/spec", "@toon-format/toon", "tenon", "zod"];

const folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-templates-")));
const projectOf = (name: Name) => join(folder, `${name}-server`);
const outcomes = new Map<string, RunOutcome>();
let installed: InstallOutcome;

/** Creates a project, and runs the scripts that check it. */
async function createAndCheck(name: Name, packages: Installed): Promise<void> {
  await createInstalled(packages, projectOf(name), name === "minimal" ? [] : ["--template", name]);
  for (const script of ["typecheck", "test", ...(name === "worker" ? [] : ["build"])])
    outcomes.set(`${name} ${script}`, await runScript(projectOf(name), script));
}

beforeAll(
  async () => {
    const outcome = await installShared();
    installed = outcome;
    if (outcome.ok) await Promise.all(NAMES.map((name) => createAndCheck(name, outcome)));
  },
  INSTALL_MS + 4 * RUN_MS,
);

beforeEach((ctx) => {
  if (!installed.ok) ctx.skip(installed.reason);
});

afterAll(() => rm(folder, { recursive: true, force: true }), 120_000);

describe("projects created by npm create tenon, with the packed packages", { timeout: RUN_MS }, () => {
  test.each(NAMES)("%s: has its own name, and no placeholder", (name) => {
    const files = readdirSync(projectOf(name), { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\/(node_modules|dist)(\/|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name));
    expect(files.length).toBeGreaterThan(7);
    expect(files.filter((file) => readFileSync(file, "utf8").includes("my-mcp-server"))).toEqual([]);
    expect(files).toContain(join(projectOf(name), ".gitignore"));
  });

  test.each(NAMES)("%s: type-checks, including its tests", (name) => {
    expect(outcomes.get(`${name} typecheck`)).toMatchObject({ ok: true });
  });

  test.each(NAMES)("%s: passes its own tests", (name) => {
    const { ok, output } = outcomes.get(`${name} test`) ?? expect.fail("The tests did not run.");
    expect(ok, output).toBe(true);
    expect(output).toMatch(/\bpass [1-9]/);
    expect(output).toMatch(/\bfail 0\b/);
  });

  test.each(["minimal", "grouped", "agent"] as const)("%s: builds", (name) => {
    expect(outcomes.get(`${name} build`)).toMatchObject({ ok: true });
  });

  test.each(["minimal", "grouped"] as const)(
    "%s: the build serves both official clients over stdio",
    async (name) => {
      const program = { ...startOf(name), cwd: projectOf(name), stderr: "ignore" } as const;
      await use(name, await connectV1(new StdioV1(program)));
      await use(name, await connectV2("auto", new StdioV2(program)));
    },
  );

  test.each(["minimal", "grouped"] as const)(
    "%s: the build serves both official clients over HTTP",
    async (name) => {
      const { command, args } = startOf(name);
      const child = spawn(command, args, { cwd: projectOf(name), env: { PORT: "0" } });
      onTestFinished(() => void child.kill("SIGKILL"));
      const exit = once(child, "close");
      const url = await servedAt(child);
      await use(name, await connectV1(new HttpV1(url)));
      await use(name, await connectV2("auto", new HttpV2(url)));
      child.kill("SIGTERM");
      expect((await exit)[0]).toBe(0);
    },
  );

  test.each(["minimal", "grouped"] as const)(
    "%s: VS Code's configuration starts the server",
    async (name) => {
      const text = readFileSync(join(projectOf(name), ".vscode/mcp.json"), "utf8");
      const { servers } = JSON.parse(text) as {
        readonly servers: Readonly<Record<string, { readonly command: string; readonly args: string[] }>>;
      };
      const entry = servers[`${name}-server`] ?? expect.fail(text);
      const program = { command: entry.command, args: entry.args, env: { PATH: process.env["PATH"] ?? "" } };
      await use(name, await connectV1(new StdioV1({ ...program, cwd: projectOf(name), stderr: "ignore" })));
    },
  );

  test("minimal: the build runs with its dependencies only", async () => {
    const project = projectOf("minimal");
    const copy = join(folder, "production");
    // A copy has no packages beside it, as links would have.
    for (const path of ["package.json", "dist", ...PRODUCTION.map((name) => `node_modules/${name}`)])
      cpSync(realpathSync(join(project, path)), join(copy, path), { recursive: true });
    const program = { ...startOf("minimal"), cwd: copy, stderr: "ignore" } as const;
    await use("minimal", await connectV2("auto", new StdioV2(program)));
    expect(listDependencies(copy)).toEqual(PRODUCTION);
  });

  test("worker: workerd serves both official clients, several at a time", async (ctx) => {
    const binary = await findBinary("workerd");
    if (!binary.ok) {
      process.stderr.write(`Skipped the Worker: ${binary.reason}\n`);
      return ctx.skip(binary.reason);
    }
    const cwd = projectOf("worker");
    const config = readFileSync(join(cwd, "wrangler.jsonc"), "utf8");
    const [, entry = ""] = /"main": "(.+)"/.exec(config) ?? [];
    const [, date = ""] = /"compatibility_date": "(.+)"/.exec(config) ?? [];
    const served = await serveWorker(binary.path, { cwd, entry, date });
    onTestFinished(() => served.stop());
    const { url } = served;
    const clients = await Promise.all([
      connectV1(new HttpV1(url)),
      connectV1(new HttpV1(url)),
      connectV2("auto", new HttpV2(url)),
      connectV2("auto", new HttpV2(url)),
    ]);
    await Promise.all(clients.map((client) => use("worker", client)));
  });
});

describe("the agent created by npm create tenon, with the packed packages", { timeout: RUN_MS }, () => {
  test("the build serves the page, asks for approval, and stops on Ctrl+C", async () => {
    const { command, args } = startOf("agent");
    const program = runAgent([command, ...args], projectOf("agent"));
    expect(await program.line("Model: ")).toBe(
      "Model: scripted. Set OPENAI_API_KEY to use gpt-5-mini instead.",
    );
    const url = toUrl(await program.line("Open "));
    const page = await fetch(url);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("agent-server");
    const socket = await connectToAgent(url);
    const listed = await socket.send({
      type: "userSendMessage",
      data: { message: "Which notes do I have?" },
    });
    expect(listed.over).toMatchObject({ reason: "answered" });
    expect(listed.text).toBe("Your notebook contains 0 notes.");
    const asked = await socket.send({ type: "userSendMessage", data: { message: "Save a note about oak" } });
    expect(asked.over).toMatchObject({ reason: "approval" });
    const { taskId, approvalId } = asked.approval;
    const decided = { taskId, approvalId, decision: "approve" };
    const saved = await socket.send({ type: "answerApproval", data: decided });
    expect(saved.over).toMatchObject({ reason: "answered" });
    expect(saved.text).toBe('Saved "oak".');
    program.child.kill("SIGINT");
    expect(await program.exit).toBe(0);
  });

  test("npm run dev serves the page from the source", async () => {
    const [command = "", ...args] = (manifestOf("agent").scripts["dev"] ?? "").split(" ");
    const file = join(projectOf("agent"), "node_modules", ".bin", command);
    const program = runAgent([file, ...args], projectOf("agent"));
    const page = await fetch(toUrl(await program.line("Open ")));
    expect(page.status).toBe(200);
    program.child.kill("SIGINT");
    expect(await program.exit).not.toBeNull();
  });

  test.each([
    ["one variable", { OPENAI_API_KEY: "sk-test" }, "Model: gpt-5-mini from OpenAI"],
    [
      "the URL of another server",
      { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", OPENAI_MODEL: "qwen3" },
      "Model: qwen3 from 127.0.0.1:9",
    ],
  ])("%s selects a real model", async (_what, env, line) => {
    const { command, args } = startOf("agent");
    const program = runAgent([command, ...args], projectOf("agent"), env);
    expect(await program.line("Model: ")).toBe(line);
    program.child.kill("SIGTERM");
    expect(await program.exit).toBe(0);
  });
});

/** Returns the program that a project's `start` script runs, without npm's own output. */
function startOf(name: Name): { readonly command: string; readonly args: string[] } {
  const [command, ...args] = (manifestOf(name).scripts["start"] ?? "").split(" ");
  expect(command).toBe("node");
  return { command: process.execPath, args };
}

/** Waits for the address that the server prints. */
function servedAt(child: ChildProcessWithoutNullStreams): Promise<URL> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The server exited with code ${code}.`)));
    createInterface({ input: child.stderr }).on("line", (line) => {
      const [url] = /http:\S+/.exec(line) ?? [];
      if (url !== undefined) resolve(new URL(url));
    });
  });
}

/** Returns the dependencies of the project in a folder, and theirs, sorted. */
function listDependencies(project: string): readonly string[] {
  const found = new Set<string>();
  const add = (path: string) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(path, "package.json"), "utf8")) as {
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    for (const name of Object.keys(dependencies).filter((each) => !found.has(each))) {
      found.add(name);
      add(join(project, "node_modules", name));
    }
  };
  add(project);
  return [...found].toSorted();
}

/** Uses a template's server as any client would. */
async function use(name: ServerName, client: OfficialClient): Promise<void> {
  expect(client.serverVersion).toMatchObject({ name: `${name}-server`, version: "0.1.0" });
  await USES[name](client);
  await client.close();
}

const forecast = async (client: OfficialClient) => {
  const { structuredContent } = await client.callTool("forecast", { city: "Riga" });
  expect(structuredContent).toEqual({ celsius: 19 });
};

const USES: Readonly<Record<ServerName, (client: OfficialClient) => Promise<void>>> = {
  async minimal(client) {
    expect((await client.toolPages()).flat()).toEqual(["forecast"]);
    await forecast(client);
    expect(await client.readResource("weather://cities")).toMatchObject([{ text: '["Riga","Rome","Rio"]' }]);
    expect(await client.getPrompt("pack", { city: "Riga" })).toMatchObject([
      { content: { text: "What should I pack for a trip to Riga?" } },
    ]);
  },
  async grouped(client) {
    expect((await client.toolPages()).flat()).toEqual(["notes"]);
    const { content } = await client.callTool("notes", { action: "list" });
    expect(content).toMatchObject([{ text: expect.stringContaining('"hello": "Welcome!"') as string }]);
  },
  async worker(client) {
    expect((await client.toolPages()).flat()).toEqual(["forecast"]);
    await forecast(client);
  },
};
