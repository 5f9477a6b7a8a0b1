import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { StreamableHTTPClientTransport as HttpV2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as StdioV2 } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as StdioV1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { runBounded } from "../../tools/process.js";
import { connectV1 } from "../../tools/official-clients/v1-client.js";
import { connectV2 } from "../../tools/official-clients/v2-client.js";
import { ROOT } from "../../tools/source-files.js";
import {
  createInstalled,
  INSTALL_MS,
  type InstallOutcome,
  installShared,
  runScript,
} from "../support/shared-install.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-template-"));
const project = join(folder, "weather-station");
const PROGRAM = {
  command: process.execPath,
  args: [join(project, "dist/index.js")],
  cwd: project,
  stderr: "ignore",
} as const;
const TESTS_MS = 480_000;

/** `.env` file that `npm create tenon` writes for a server with tokens. */
const SETTLED = `MCP_SERVER_NAME=weather-station
MCP_TRANSPORT_TYPE=http
MCP_AUTH_MODE=jwt
MCP_AUTH_SECRET_KEY=${"s".repeat(64)}
MCP_LOG_LEVEL=error
LOGS_DIR=logs
`;

/** The parts of Vitest's JSON report that are used here. */
interface Report {
  readonly numTotalTests: number;
  readonly numPassedTests: number;
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

let report: Report;
let installed: InstallOutcome;

/** Runs a script of a project, and throws its output if it fails. */
const mustRun = async (cwd: string, script: string, ...args: readonly string[]) => {
  const { ok, output } = await runScript(cwd, script, ...args);
  if (!ok) throw new Error(`npm run ${script}: ${output.slice(-8_000)}`);
};

beforeAll(
  async () => {
    installed = await installShared();
    if (!installed.ok) return;
    await createInstalled(installed, project, ["--template", "app"]);
    // The developer's settings must not affect the tests.
    writeFileSync(join(project, ".env"), SETTLED);
    await mustRun(project, "build");
    await mustRun(project, "test", "--reporter=default", "--reporter=json", "--outputFile=report.json");
    rmSync(join(project, ".env"));
    report = JSON.parse(readFileSync(join(project, "report.json"), "utf8")) as Report;
  },
  INSTALL_MS + TESTS_MS + 120_000,
);

beforeEach((ctx) => {
  if (!installed.ok) ctx.skip(installed.reason);
});

afterAll(() => rm(folder, { recursive: true, force: true }), 120_000);

describe(
  "a project created by npm create tenon -- --template app, with the packed packages",
  { timeout: 120_000 },
  () => {
    test("has its own name, an ignore file, and no placeholder", () => {
      const { name } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as {
        readonly name: string;
      };
      expect(name).toBe("weather-station");
      expect(readFileSync(join(project, "README.md"), "utf8")).toMatch(/^# weather-station\n/);
      expect(existsSync(join(project, ".gitignore"))).toBe(true);
      expect(existsSync(join(project, "gitignore"))).toBe(false);
    });

    test("type-checks, including its tests, and is formatted", async () => {
      await mustRun(project, "typecheck");
      rmSync(join(project, "report.json"), { force: true });
      await mustRun(project, "format:check");
    });

    test("passes Tenon's lint rules, except those for file names (which the standard defines), Node.js globals, and the size of test callbacks", async () => {
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
        { cwd: project, timeoutMs: 120_000, env: { PATH: `${bin}:${process.env["PATH"]}` } },
      );
      expect(ok, output).toBe(true);
      expect(output).toMatch(/on \d\d files/);
    });

    test("T46, T57: tests its tools end to end with generated data, within a time limit", () => {
      expectPassed("mcp-server/tools/echoTool/integration", "mcp-server/tools/echoTool/logic");
    });

    test("T47, T49: tests its HTTP transport: sessions, streams, JSON-RPC, and malformed requests", () => {
      expectPassed("mcp-server/http", "mcp-server/resources/echoResource/integration");
    });

    test("T48: tests its stdio transport with a real process", () => {
      expectPassed("index");
    });

    test("T45, T50: tests its registrations on a real server", () => {
      expectPassed("mcp-server/server", "mcp-server/tools/echoTool/registration");
    });

    test("T51: tests its service against a local endpoint, and the state of the shared instance", () => {
      expectPassed("services/weather/weatherProvider", "mcp-server/tools/temperatureTool/integration");
      expectPassed("services/notes/notesProvider", "mcp-server/tools/saveNoteTool/integration");
    });

    test("T57: tests authentication, authorization, and input validation", () => {
      expectPassed("mcp-server/security", "config/index");
    });

    test("T55, T56: npm test runs all tests regardless of .env, and skips none", () => {
      expect(report.numTotalTests).toBeGreaterThan(70);
      expect(report.numPassedTests).toBe(report.numTotalTests);
    });

    test.each([
      ["version 1", () => connectV1(new StdioV1({ ...PROGRAM, args: [...PROGRAM.args] }))],
      ["version 2", () => connectV2("auto", new StdioV2({ ...PROGRAM, args: [...PROGRAM.args] }))],
    ])("T48, T49: the build serves the official client, %s, over stdio", async (_version, connect) => {
      await useServer(await connect());
    });

    test("T5, T47: the build serves both official clients over HTTP, and shuts down gracefully on SIGTERM", async () => {
      writeFileSync(join(project, ".env"), "MCP_TRANSPORT_TYPE=http\nMCP_HTTP_PORT=0\nMCP_LOG_LEVEL=info\n");
      const child = spawn(process.execPath, [...PROGRAM.args], { cwd: tmpdir(), env: {} });
      onTestFinished(() => void child.kill("SIGKILL"));
      const exit = once(child, "close");
      const messages: string[] = [];
      const withoutContext: string[] = [];
      const url = await servedAt(child, ({ message, context }) => {
        messages.push(message);
        if (context?.requestId === undefined) withoutContext.push(message);
      });
      await useServer(await connectV1(new HttpV1(url)));
      await useServer(await connectV2("auto", new HttpV2(url)));
      child.kill("SIGTERM");
      expect((await exit)[0]).toBe(0);
      expect(messages.indexOf("Tool 'echo_message' registered successfully.")).toBeLessThan(
        messages.indexOf("Application started."),
      );
      expect(messages.slice(-2)).toEqual(["Received SIGTERM; shutting down.", "Shutdown complete."]);
      expect(messages).toContain("Client connected.");
      expect(withoutContext).toEqual([]);
    });

    test(
      "first-run-d3: the files of the standard can be pasted over the echo tool: they compile, run, and pass the project's tests",
      { timeout: TESTS_MS },
      async () => {
        const pasted = copyProject("pasted");
        for (const name of ["logic", "registration"]) {
          const canonical = new URL(`canonical/${name}.ts.txt`, import.meta.url);
          copyFileSync(canonical, join(pasted, `src/mcp-server/tools/echoTool/${name}.ts`));
        }
        await mustRun(pasted, "typecheck");
        await mustRun(pasted, "build");
        await mustRun(pasted, "test", "tests/mandate.test.ts", "tests/mcp-server/tools/echoTool");
        await useServer(
          await connectV1(new StdioV1({ ...PROGRAM, cwd: pasted, args: [join(pasted, "dist/index.js")] })),
        );
      },
    );

    test(
      "first-run-d3: `npm run lint` and `npm test` fail for a tool that breaks the rules",
      { timeout: TESTS_MS },
      async () => {
        const broken = copyProject("broken");
        const file = "src/mcp-server/tools/echoTool/logic.ts";
        const logic = readFileSync(join(broken, file), "utf8");
        writeFileSync(
          join(broken, file),
          logic.replace(
            "  const formattedMessage = formatMessage(params.message, params.mode);",
            "  let formattedMessage = params.message;\n  try {\n    formattedMessage = formatMessage(params.message, params.mode);\n  } catch {}",
          ),
        );
        rmSync(join(broken, "tests/mcp-server/tools/echoTool/registration.test.ts"));
        for (const [script, ...args] of [["lint"], ["test", "tests/mandate.test.ts"]] as const) {
          const failure = await mustRun(broken, script, ...args).catch((error: unknown) => String(error));
          expect(failure).toContain(`${file}:`);
          expect(failure).toContain("Logic must not use try/catch.");
          expect(failure).toContain("echoTool/registration.test.ts:1: The file is missing.");
        }
      },
    );

    test(
      "first-run-d5: the README shows how to create a token, and the server accepts it",
      { timeout: TESTS_MS },
      async () => {
        const readme = readFileSync(join(project, "README.md"), "utf8");
        const [, args = ""] = /@tenon\/cli (token .+ --secret-env MCP_AUTH_SECRET_KEY)\)/.exec(readme) ?? [];
        expect(readme).toContain("--bearer-env TOKEN");
        const served = copyProject("served");
        cpSync(join(project, "dist"), join(served, "dist"), { recursive: true });
        writeFileSync(join(served, ".env"), `${SETTLED}MCP_HTTP_PORT=0\n`);
        const words = [...args.matchAll(/"([^"]+)"|(\S+)/g)].map(
          ([, quoted, plain]) => quoted ?? plain ?? "",
        );
        const cli = `${ROOT}/packages/cli/dist/main.js`;
        const { stdout } = await promisify(execFile)(process.execPath, [cli, ...words], { cwd: served });
        const child = spawn(process.execPath, [join(served, "dist/index.js")], {
          cwd: served,
          env: { MCP_LOG_LEVEL: "info", LOGS_DIR: "" },
        });
        onTestFinished(() => void child.kill("SIGKILL"));
        const url = await servedAt(child);
        const open = (headers: Readonly<Record<string, string>>) =>
          new HttpV1(url, { requestInit: { headers } });
        await expect(connectV1(open({}))).rejects.toThrow();
        await useServer(await connectV1(open({ authorization: `Bearer ${stdout.trim()}` })));
      },
    );
  },
);

/** Parts of a log line that are used here. */
interface LogLine {
  readonly message: string;
  readonly context?: { readonly requestId?: string };
}

/** Waits for the address that the program logs, and passes each log line on. */
function servedAt(
  child: ChildProcessWithoutNullStreams,
  onLine: (line: LogLine) => void = () => undefined,
): Promise<URL> {
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The program exited with code ${code}.`)));
    createInterface({ input: child.stderr }).on("line", (text) => {
      const line = JSON.parse(text) as LogLine;
      onLine(line);
      const [, address] = /^Serving on (http:.+)\.$/.exec(line.message) ?? [];
      if (address !== undefined) resolve(new URL(address));
    });
  });
}

/** Copies the project without its build, and shares its installed packages. */
function copyProject(name: string): string {
  const copy = join(folder, name, "weather-station");
  cpSync(project, copy, {
    recursive: true,
    filter: (path) => !/\/weather-station\/(node_modules|dist|data|logs)(\/|$)/.test(path),
  });
  symlinkSync(realpathSync(join(project, "node_modules")), join(copy, "node_modules"));
  rmSync(join(copy, ".env"), { force: true });
  return copy;
}

/** Asserts that the project's test files ran and passed. */
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

/** Uses the template's server as any client would. */
async function useServer(client: Awaited<ReturnType<typeof connectV1>>): Promise<void> {
  expect(client.serverVersion).toMatchObject({ name: "weather-station", version: "0.1.0" });
  const tools = ["echo_message", "get_temperature", "save_note", "search_notes"];
  expect((await client.toolPages()).flat()).toEqual(tools);
  const done = await client.callTool("echo_message", { message: "Hi", mode: "uppercase" });
  expect(done).toMatchObject({ structuredContent: { repeatedMessage: "HI" } });
  expect(await client.callTool("echo_message", { message: "fail" })).toMatchObject({ isError: true });
  const title = `Note ${randomUUID()}`;
  await client.callTool("save_note", { title, text: "kept in SQLite" });
  const found = await client.callTool("search_notes", { query: title });
  expect(found).toMatchObject({
    structuredContent: { total: 1, notes: [{ title, text: "kept in SQLite" }] },
  });
  expect(await client.readResource("echo://hi")).toMatchObject([
    { uri: "echo://hi", mimeType: "application/json" },
  ]);
  await client.close();
}
