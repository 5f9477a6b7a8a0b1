import { EventEmitter, once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineServer } from "tenon";
import { createHttpMcpRouter } from "@tenon/kit";
import { REVISIONS } from "tenon/protocol";
import { serve, toNodeHandler } from "tenon/node";
import calculator from "./fixtures/calculator.js";
import createV1 from "./fixtures/sdk-v1-factory.js";
import { programFile, startTenon, tenon, tenonInProcess } from "../../../tests/support/program.js";

/** An HTTP server with a Tenon server that requires a token or a key, and an official SDK server. */
let http: HttpServer;
let origin = "";
beforeAll(async () => {
  const isKnown = (header: (name: string) => string | null | undefined) =>
    header("authorization") === "Bearer open-sesame" || header("x-key") === "k";
  const closed = toNodeHandler(calculator, {
    authenticate: ({ header }) =>
      isKnown(header) ? { auth: { principal: "ann", scopes: [] } } : { status: 401, message: "who are you?" },
  });
  const handlers: Readonly<Record<string, (...turn: Parameters<typeof closed>) => void>> = {
    "/mcp": toNodeHandler(calculator),
    "/closed": closed,
    "/v1": createHttpMcpRouter({ serverFactory: createV1 }),
  };
  http = createServer((request, response) => handlers[request.url ?? ""]?.(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  origin = `http://127.0.0.1:${(http.address() as { port: number }).port}`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});

const OFFER = `calculator 1.2.3 (%)

Tools (7)
  add       Adds two numbers
      a  number, required
      b  number, required
  echo      Returns its input
      text  string, required
  fail      Always fails
  steps     Reports progress
  wait      Waits, and reports when it is cancelled
  regional  Has an argument that is sent in a header
      region  string, required
  picture   Returns more than text

Resources (1)
  text://motd  The message of the day

Prompts (1)
  greet  Greets
`;
const offerIn = (revision: string) => OFFER.replace("%", revision);

describe("tenon list", () => {
  test("lists a file's server in the newest revision", async () => {
    const { code, stdout, stderr } = await tenon(["list", "calculator.mjs"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: offerIn("2026-07-28"),
      stderr: "the calculator is loaded\n",
    });
  });

  test.each(REVISIONS)("uses revision %s over HTTP on request", async (revision) => {
    const { code, stdout, stderr } = await tenonInProcess(["list", `${origin}/mcp`, "--revision", revision]);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: offerIn(revision), stderr: "" });
  });

  test("uses the newest revision with a stdio program", async () => {
    const { code, stdout } = await tenonInProcess(["list", "--", ...program("calculator.mjs")]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: offerIn("2026-07-28") });
  });

  test("prints everything as JSON", async () => {
    const { code, stdout } = await tenonInProcess(["list", "calculator.mjs", "--json"]);
    expect(code).toBe(0);
    const offer = JSON.parse(stdout) as Record<string, readonly { readonly name: string }[]>;
    expect(Object.keys(offer)).toEqual([
      "server",
      "revision",
      "tools",
      "resources",
      "resourceTemplates",
      "prompts",
    ]);
    expect(offer).toMatchObject({
      server: { name: "calculator", version: "1.2.3" },
      revision: "2026-07-28",
      resources: [{ name: "motd", uri: "text://motd" }],
      prompts: [{ name: "greet" }],
    });
    expect(offer["tools"]?.map(({ name }) => name)).toContain("regional");
    expect((await tenonInProcess(["list", "calculator.mjs", "--output", "json"])).stdout).toBe(stdout);
  });

  const OFFICIAL =
    "official-v1 1.0.0 (2025-11-25)\n\nTools (1)\n  shout  Says it louder\n      text  string, required\n";
  test("falls back to initialize for a legacy server: a file, a program, and a URL", async () => {
    const lists = await Promise.all([
      tenonInProcess(["list", "sdk-v1-factory.mjs"]),
      tenonInProcess(["list", "--command", `"${process.execPath}" sdk-v1-program.mjs`]),
      tenonInProcess(["list", `${origin}/v1`]),
    ]);
    for (const { code, stdout } of lists) expect({ code, stdout }).toEqual({ code: 0, stdout: OFFICIAL });
  });

  test("reports a server that offers nothing", async () => {
    const script = `process.stdin.on("data", (line) => { const { id, method } = JSON.parse(line); if (id) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(method === "initialize" ? { result: { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "\\u001b]0;title\\u0007mute", version: "0" } } } : { error: { code: -32601, message: "no" } }) })); })`;
    const { code, stdout } = await tenonInProcess(["list", "--", process.execPath, "-e", script]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "]0;titlemute 0 (2024-11-05)\n\nThis server does not offer any tools, resources, or prompts.\n",
    });
  });
});

describe("tenon call", () => {
  test.each<[string, readonly string[], string]>([
    ["converts named arguments to the types in the schema", ["add", "a=1", "b=2.5"], "3.5\n"],
    ["keeps a string that looks like a number", ["echo", "text=007"], "007\n"],
    ["accepts arguments as JSON", ["add", "--args", '{"a":1,"b":2}'], "3\n"],
    ["accepts both, and the pair takes precedence", ["add", "--args", '{"a":1,"b":2}', "b=5"], "6\n"],
    [
      "describes content other than text, and strips control characters",
      ["picture"],
      "[31mred[0m\n[image image/png, 6 bytes]\n",
    ],
  ])("%s", async (_what, args, stdout) => {
    const ended = await tenonInProcess(["call", ...args, "--server", `${origin}/mcp`]);
    expect(ended).toEqual({ code: 0, stdout, stderr: "" });
  });

  test("reads arguments from standard input", async () => {
    const stdin = '{"text":"from a pipe"}';
    const ended = await tenonInProcess(["call", "echo", "--args", "-", "-s", `${origin}/mcp`], { stdin });
    expect(ended).toEqual({ code: 0, stdout: "from a pipe\n", stderr: "" });
  });

  test.each(["2025-06-18", "2026-07-28"])(
    "sends an argument in a header if the schema requires it (%s)",
    async (revision) => {
      const words = [
        "call",
        "regional",
        "region=Zürich ",
        "--revision",
        revision,
        "--server",
        `${origin}/mcp`,
      ];
      expect(await tenonInProcess(words)).toEqual({ code: 0, stdout: "in Zürich \n", stderr: "" });
    },
  );

  test.each(["2025-11-25", "2026-07-28"])("prints progress to stderr (%s)", async (revision) => {
    const words = ["call", "steps", "--revision", revision, "--server", `${origin}/mcp`];
    expect(await tenonInProcess(words)).toEqual({
      code: 0,
      stdout: "done\n",
      stderr: "[1/2] halfway\n[2/2]\n",
    });
  });

  test("prints a tool error's text, and exits with code 1", async () => {
    const ended = await tenonInProcess(["call", "fail", "--server", `${origin}/mcp`]);
    expect(ended).toEqual({ code: 1, stdout: "", stderr: "no such account\n" });
  });

  test("prints a tool error as JSON with --output json, and exits with code 1", async () => {
    const { code, stdout } = await tenonInProcess([
      "call",
      "fail",
      "--output",
      "json",
      "--server",
      `${origin}/mcp`,
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      content: [{ type: "text", text: "no such account" }],
      isError: true,
    });
  });

  test("suggests the closest name for an unknown tool", async () => {
    const ended = await tenonInProcess(["call", "ad", "--server", `${origin}/mcp`]);
    expect(ended).toEqual({
      code: 1,
      stdout: "",
      stderr: 'Unknown tool "ad". Did you mean add? List all tools with: tenon list\n',
    });
  });

  test("calls official SDK servers: one file for each version, and a program", async () => {
    const calls = await Promise.all([
      tenonInProcess(["call", "shout", "text=Hello", "--server", "sdk-v1-instance.mjs"]),
      tenonInProcess(["call", "whisper", "text=HELLO", "--server", "sdk-v2-factory.mjs"]),
      tenonInProcess(["call", "shout", "text=Hello", "--", process.execPath, "sdk-v1-program.mjs"]),
    ]);
    expect(calls.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, "HELLO\n"],
      [0, "hello\n"],
      [0, "HELLO\n"],
    ]);
  });
});

describe("authorization", () => {
  test("reports a server that requires a token", async () => {
    const ended = await tenonInProcess(["list", `${origin}/closed`]);
    expect(ended).toEqual({
      code: 1,
      stdout: "",
      stderr: "The server requires authorization (HTTP 401): who are you? Pass a token with --bearer-env.\n",
    });
  });

  test("sends a token from the environment, and a key from a header", async () => {
    const server = `${origin}/closed`;
    const words = ["call", "add", "a=1", "b=1", "--server", server];
    const env = { MY_TOKEN: "open-sesame" };
    expect((await tenonInProcess([...words, "--bearer-env", "MY_TOKEN"], { env })).stdout).toBe("2\n");
    expect((await tenonInProcess([...words, "--header", "X-Other: x", "--header", "X-Key: k"])).stdout).toBe(
      "2\n",
    );
  });

  test.each<[string, string, string]>([
    ["", "https://example.com/mcp", "Environment variable MY_TOKEN is not set. Set it to the token."],
    [
      "s3cret\n",
      "https://example.com/mcp",
      "Environment variable MY_TOKEN must contain only the token, without spaces or line breaks.",
    ],
    [
      "s3cret",
      "http://example.com/mcp",
      "--bearer-env requires an https URL, unless the server runs on this machine.",
    ],
  ])("does not send the token %j to %s", async (token, server, problem) => {
    const ended = await tenonInProcess(["list", server, "--bearer-env", "MY_TOKEN"], {
      env: { MY_TOKEN: token },
    });
    expect(ended.code).toBe(2);
    expect(ended.stderr).toBe(`${problem}\nRun tenon list --help for usage.\n`);
  });

  test("does not print a token that was passed instead of a variable name", async () => {
    const ended = await tenonInProcess([
      "list",
      "https://example.com/mcp",
      "--bearer-env",
      "eyJhbGciOi.s3cret",
    ]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toContain("--bearer-env must be the name of an environment variable");
    expect(ended.stderr).not.toContain("s3cret");
  });
});

describe("cancellation", () => {
  test.each(["2025-11-25", "2026-07-28"])("Ctrl+C cancels a call over stdio (%s)", async (revision) => {
    const child = startTenon([
      "call",
      "wait",
      "--revision",
      revision,
      "--verbose",
      "--",
      ...program("calculator.mjs"),
    ]);
    let said = "";
    for await (const text of child.stderr.setEncoding("utf8") as AsyncIterable<string>) {
      said += text;
      if (said.endsWith("waiting\n")) child.kill("SIGINT");
    }
    expect(said).toBe("the calculator is loaded\nwaiting\nstopped\nInterrupted.\n");
    expect(child.exitCode ?? (await once(child, "exit"))[0]).toBe(130);
  });

  test.each(["2025-11-25", "2026-07-28"])("Ctrl+C cancels a call over HTTP (%s)", async (revision) => {
    const events = new EventEmitter();
    const waiting = once(events, "waiting");
    const stopped = once(events, "stopped");
    const server = defineServer({ name: "slow", version: "1" }).tool("wait", {
      handler: (_args, call) =>
        new Promise<string>((resolve) => {
          call.signal.addEventListener("abort", () => {
            events.emit("stopped");
            resolve("stopped");
          });
          events.emit("waiting");
        }),
    });
    const running = await serve(server, { transport: { type: "http", port: 0 }, signals: false });
    const child = startTenon(["call", "wait", "--revision", revision, "--server", running.url ?? ""]);
    await waiting;
    child.kill("SIGINT");
    await stopped;
    expect(await once(child, "exit")).toEqual([130, null]);
    await running.close();
  });

  test("a call that takes too long is cancelled on the server", async () => {
    const words = ["call", "wait", "--timeout", "0.5", "--server", "calculator.mjs"];
    expect(await tenon(words)).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "the calculator is loaded\nwaiting\nstopped\nThe server did not respond to tools/call within 0.5 s. Raise --timeout to wait longer.\n",
    });
  });
});

function program(file: string): readonly string[] {
  return [process.execPath, programFile("tenon"), "run", file];
}
