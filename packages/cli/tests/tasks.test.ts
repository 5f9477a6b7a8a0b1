import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toNodeHandler } from "tenon/node";
import { programFile, startTenon, tenonInProcess } from "../../../tests/support/program.js";
import jobs, { stopped } from "./fixtures/jobs.js";

let http: Server;
let origin = "";
/** `Mcp-Method` and `Mcp-Name` of every request. */
const headers: (readonly [unknown, unknown])[] = [];

beforeAll(async () => {
  const handle = toNodeHandler(jobs);
  http = createServer((request, response) => {
    headers.push([request.headers["mcp-method"], request.headers["mcp-name"]]);
    handle(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  origin = `http://127.0.0.1:${(http.address() as { port: number }).port}`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});

const TARGETS: Readonly<Record<string, () => readonly string[]>> = {
  "a file": () => ["--server", "jobs.mjs"],
  "a program": () => ["--", process.execPath, programFile("tenon"), "run", "jobs.mjs"],
  "a URL": () => ["--server", `${origin}/mcp`],
};

describe.each(Object.entries(TARGETS))("tenon call of a task tool on %s", (_kind, target) => {
  test("prints the status messages to stderr and the result to stdout", async () => {
    const ended = await tenonInProcess(["call", "render", "pages=3", ...target()]);
    expect(ended).toEqual({ code: 0, stdout: "3 pages, as a task\n", stderr: "Rendering\n" });
  });

  test("answers the task's questions", async () => {
    const ended = await tenonInProcess(["call", "publish", "--answer", "site=intranet", ...target()]);
    expect(ended).toEqual({ code: 0, stdout: "Published on intranet\n", stderr: "" });
  });

  test("reports the error of a task that failed", async () => {
    const { code, stdout, stderr } = await tenonInProcess(["call", "offline", ...target()]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^The server responded with error -\d+: The printer is offline\.\n$/);
  });

  test("fails before the task exists in a revision that does not have tasks", async () => {
    const { code, stderr } = await tenonInProcess([
      "call",
      "render",
      "pages=3",
      "--revision",
      "2025-11-25",
      ...target(),
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("-32021");
    expect(stderr).toContain('Tool "render" runs only as a task.');
  });
});

describe("a task of tenon call", () => {
  test("ends with exit code 130 on SIGINT, on a file's server", async () => {
    const child = startTenon(["call", "wait", "--server", "jobs.mjs"]);
    child.stderr.once("data", () => child.kill("SIGINT"));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(130);
  });

  test("is cancelled by SIGINT over HTTP", async () => {
    const child = startTenon(["call", "wait", "--server", `${origin}/mcp`]);
    child.stderr.once("data", () => child.kill("SIGINT"));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(130);
    const [, taskId] = headers.find(([method]) => method === "tasks/cancel") ?? [];
    expect(taskId).toEqual(expect.any(String));
    expect(headers).toContainEqual(["tasks/get", taskId]);
    await expect.poll(() => stopped).toEqual([taskId]);
  });

  test("is cancelled if its question cannot be answered", async () => {
    headers.length = 0;
    const { code, stderr } = await tenonInProcess([
      "call",
      "publish",
      "--answer",
      "sit=intranet",
      "--server",
      `${origin}/mcp`,
    ]);
    expect(code).toBe(1);
    expect(stderr).toContain("The server asks: Where should it be published?");
    expect(headers.map(([method]) => method)).toContain("tasks/cancel");
  });
});
