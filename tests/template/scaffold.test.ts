import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runBounded } from "../../tools/process.js";
import { connectV1 } from "../clients/v1-client.js";
import { connectV2 } from "../clients/v2-client.js";
import {
  isOffline as registryIsOffline,
  type LocalRegistry,
  packPackages,
  startRegistry,
} from "../support/packed-packages.js";
import { ROOT } from "../support/source-files.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-template-"));
const project = join(folder, "weather-station");
const PROGRAM = {
  command: process.execPath,
  args: [join(project, "dist/index.js")],
  cwd: project,
  stderr: "ignore",
} as const;
const INSTALL_MS = 120_000;
const TESTS_MS = 120_000;

/** A `.env` as `npm create tenon` writes it for a server with tokens. */
const SETTLED = `MCP_SERVER_NAME=weather-station
MCP_TRANSPORT_TYPE=http
MCP_AUTH_MODE=jwt
MCP_AUTH_SECRET_KEY=${"s".repeat(64)}
MCP_LOG_LEVEL=error
LOGS_DIR=logs
`;

/** What Vitest's JSON report says, as far as it is used. */
interface Report {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

let report: Report;
let isOffline = false;

let registry: LocalRegistry;

const run = async (timeoutMs: number, cwd: string, ...args: readonly string[]) => {
  // Only the variables that npm needs: a Vitest inside a Vitest must not take itself for a worker.
  const { ok, output } = await runBounded("npm", args, { cwd, timeoutMs, env: registry.env });
  if (!ok) throw new Error(`npm ${args.join(" ")}: ${output.slice(-8_000)}`);
  return output;
};
const npm = (timeoutMs: number, ...args: readonly string[]) => run(timeoutMs, project, ...args);

beforeAll(
  async () => {
    registry = await startRegistry(await packPackages(folder));
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"];
    try {
      // The command of the README; nothing in the project is edited.
      const create = ["create", "--yes", "tenon@latest", "weather-station", "--", "--yes", "--no-install"];
      await run(INSTALL_MS, folder, ...create, "--no-git");
      await npm(INSTALL_MS, "install", ...flags);
    } catch (error) {
      isOffline = registryIsOffline(String(error));
      if (!isOffline) throw error;
      process.stderr.write("The template's installation was left out: the npm registry cannot be reached\n");
      return;
    }
    // What a developer settled for the server must not change what its tests find.
    writeFileSync(join(project, ".env"), SETTLED);
    await npm(60_000, "run", "build");
    await npm(TESTS_MS, "test", "--", "--reporter=default", "--reporter=json", "--outputFile=report.json");
    rmSync(join(project, ".env"));
    report = JSON.parse(readFileSync(join(project, "report.json"), "utf8")) as Report;
  },
  INSTALL_MS * 2 + TESTS_MS + 120_000,
);

beforeEach((ctx) => {
  if (isOffline) ctx.skip("the npm registry cannot be reached");
});

afterAll(async () => {
  registry.close();
  await rm(folder, { recursive: true, force: true });
}, 60_000);

describe("a project made by npm create tenon, with the packed packages", { timeout: 60_000 }, () => {
  test("has its own name, its own ignore file, and no placeholder", () => {
    const { name } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
      readonly name: string;
    };
    expect(name).toBe("weather-station");
    expect(readFileSync(join(project, "README.md"), "utf8")).toMatch(/^# weather-station\n/);
    expect(existsSync(join(project, ".gitignore"))).toBe(true);
    expect(existsSync(join(project, "gitignore"))).toBe(false);
  });

  test("type-checks, its tests included, and is formatted", async () => {
    await npm(60_000, "run", "typecheck");
    rmSync(join(project, "report.json"), { force: true });
    await npm(60_000, "run", "format:check");
  });

  test("passes our own lint, except for file names (set by the standard), Node's globals, and the size of test callbacks", async () => {
    const bin = `${ROOT}/node_modules/.bin`;
    const rules = [
      "unicorn/filename-case",
      "no-restricted-globals",
      "max-lines-per-function",
      "max-params",
    ].flatMap((rule) => ["-A", rule]);
    const { ok, output } = await runBounded(
      `${bin}/oxlint`,
      ["-c", `${ROOT}/.oxlintrc.json`, "--type-aware", "--deny-warnings", ...rules, "src", "tests"],
      { cwd: project, timeoutMs: 30_000, env: { PATH: `${bin}:${process.env["PATH"]}` } },
    );
    expect(ok, output).toBe(true);
    expect(output).toMatch(/on \d\d files/);
  });

  test("T46, T57: its tools are tested end to end on generated data, within a bound", () => {
    expectPassed("mcp-server/tools/echoTool/integration", "mcp-server/tools/echoTool/logic");
  });

  test("T47, T49: its HTTP is tested: sessions, streams, JSON-RPC, what is malformed", () => {
    expectPassed("mcp-server/http", "mcp-server/resources/echoResource/integration");
  });

  test("T48: its stdio is tested with a process of its own", () => {
    expectPassed("index");
  });

  test("T45, T50: its registrations are tested on a real server", () => {
    expectPassed("mcp-server/server", "mcp-server/tools/echoTool/registration");
  });

  test("T51: its service is tested against an endpoint on this machine, its singleton with its state", () => {
    expectPassed("services/weather/weatherProvider", "mcp-server/tools/temperatureTool/integration");
  });

  test("T57: authentication, authorization and input validation are tested", () => {
    expectPassed("mcp-server/security", "config/index");
  });

  test("T55, T56: npm test ran all of them whatever .env says, and left none out", () => {
    expect(report.numTotalTests).toBeGreaterThan(70);
    expect(report.numPassedTests).toBe(report.numTotalTests);
  });

  test.each([
    ["version 1", () => connectV1(new StdioV1({ ...PROGRAM, args: [...PROGRAM.args] }))],
    ["version 2", () => connectV2("auto", new StdioV2({ ...PROGRAM, args: [...PROGRAM.args] }))],
  ])("T48, T49: what was built serves the official client, %s, on stdio", async (_version, connect) => {
    await useServer(await connect());
  });

  test("T5, T47: what was built serves both official clients over HTTP, and ends in good order on SIGTERM", async () => {
    writeFileSync(join(project, ".env"), "MCP_TRANSPORT_TYPE=http\nMCP_HTTP_PORT=0\nMCP_LOG_LEVEL=info\n");
    const child = spawn(process.execPath, [...PROGRAM.args], { cwd: tmpdir(), env: {} });
    onTestFinished(() => void child.kill("SIGKILL"));
    const exit = once(child, "close");
    const messages: string[] = [];
    const url = await new Promise<URL>((resolve) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        const { message } = JSON.parse(line) as { readonly message: string };
        messages.push(message);
        const [, address] = /^Serving on (http:.+)\.$/.exec(message) ?? [];
        if (address !== undefined) resolve(new URL(address));
      });
    });
    await useServer(await connectV1(new HttpV1(url)));
    await useServer(await connectV2("auto", new HttpV2(url)));
    child.kill("SIGTERM");
    expect((await exit)[0]).toBe(0);
    expect(messages.indexOf("Tool 'echo_message' registered successfully.")).toBeLessThan(
      messages.indexOf("Application started"),
    );
    expect(messages.slice(-2)).toEqual(["Received SIGTERM; shutting down", "Shutdown complete"]);
  });
});

/** Test files of the project that ran and passed. */
function expectPassed(...files: readonly string[]): void {
  for (const file of files) {
    const found = report.testResults.filter(({ name }) =>
      name.endsWith(`/weather-station/tests/${file}.test.ts`),
    );
    expect(
      found.map(({ status }) => status),
      file,
    ).toEqual(["passed"]);
  }
}

/** What any client does with the template's server. */
async function useServer(client: Awaited<ReturnType<typeof connectV1>>): Promise<void> {
  expect(client.serverVersion).toMatchObject({ name: "weather-station", version: "0.1.0" });
  expect((await client.toolPages()).flat()).toEqual(["echo_message", "get_temperature"]);
  const done = await client.callTool("echo_message", { message: "Hi", mode: "uppercase" });
  expect(done).toMatchObject({ structuredContent: { repeatedMessage: "HI" } });
  expect(await client.callTool("echo_message", { message: "fail" })).toMatchObject({ isError: true });
  expect(await client.readResource("echo://hi")).toMatchObject([
    { uri: "echo://hi", mimeType: "application/json" },
  ]);
  await client.close();
}
