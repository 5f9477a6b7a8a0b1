import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let fixture = "";
const children: ChildProcess[] = [];

beforeAll(() => {
  fixture = join(mkdtempSync(join(tmpdir(), "tenon-application-")), "fixture.mjs");
  const source = fileURLToPath(import.meta.resolve("../support/config/application-fixture.ts"));
  const banner = {
    js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);",
  };
  buildSync({
    entryPoints: [source],
    outfile: fixture,
    bundle: true,
    platform: "node",
    format: "esm",
    banner,
  });
});
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(dirname(fixture), { recursive: true });
});

type Line = readonly [kind: string, message?: string, context?: { readonly error?: string }];

/** Runs the fixture, calls `onLine` for each line, and returns all lines and the exit code. */
function run(mode: string, onLine: (line: Line, child: ChildProcess) => unknown = () => undefined) {
  const child = spawn(process.execPath, [fixture, mode], { stdio: ["pipe", "pipe", "pipe"] });
  children.push(child);
  const lines: Line[] = [];
  createInterface(child.stderr).on("line", (text) => {
    let line: Line;
    try {
      line = JSON.parse(text) as Line;
    } catch {
      line = ["stderr", text];
    }
    lines.push(line);
    onLine(line, child);
  });
  return new Promise<{ code: number | null; lines: readonly Line[] }>((resolve) => {
    child.on("close", (code) => resolve({ code, lines }));
  });
}
const isStarted = ([, message]: Line) => message === "Application started.";
const textsOf = (lines: readonly Line[]) => lines.map(([kind, message]) => message ?? kind);

describe("runApplication", () => {
  test.each(["SIGTERM", "SIGINT"] as const)(
    "T5: shuts down gracefully with exit code 0 on %s",
    async (signal) => {
      const { code, lines } = await run("idle", (line, child) => isStarted(line) && child.kill(signal));
      expect(textsOf(lines)).toEqual([
        "logger",
        "start",
        "Application started.",
        `Received ${signal}; shutting down.`,
        "close",
        "Shutdown complete.",
        "flush",
      ]);
      expect(code).toBe(0);
    },
  );

  test.each([
    ["throws", "Uncaught exception", "a bug"],
    ["rejects", "Unhandled rejection", "a lost promise"],
  ])("T5: closes an application that %s, with exit code 1", async (mode, what, cause) => {
    const { code, lines } = await run(mode);
    expect(textsOf(lines)).toEqual([
      "logger",
      "start",
      "Application started.",
      `${what}.`,
      `${what}; shutting down.`,
      "close",
      "Shutdown complete.",
      "flush",
    ]);
    expect(lines[3]?.[2]?.error).toContain(cause);
    expect(code).toBe(1);
  });

  test("T5: logs a failed start without secrets and exits with code 1", async () => {
    const { code, lines } = await run("fails to start");
    expect(textsOf(lines)).toEqual([
      "logger",
      "start",
      "Application failed.",
      "Application failed; shutting down.",
      "Shutdown complete.",
      "flush",
    ]);
    expect(lines[2]?.[2]?.error).toContain("no database");
    expect(JSON.stringify(lines)).not.toContain("hunter2");
    expect(code).toBe(1);
  });

  test("exits with code 1 if closing fails", async () => {
    const { code, lines } = await run(
      "fails to close",
      (line, child) => isStarted(line) && child.kill("SIGTERM"),
    );
    expect(textsOf(lines)).toContain("Shutdown failed.");
    expect(code).toBe(1);
  });

  test("T5: exits with code 1 if closing exceeds the deadline", async () => {
    const { code, lines } = await run(
      "never closes",
      (line, child) => isStarted(line) && child.kill("SIGTERM"),
    );
    expect(textsOf(lines).at(-1)).toBe("Shutdown took longer than 300 ms. Exiting with code 1.");
    expect(code).toBe(1);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("a second signal, %s, exits immediately with code %i", async (signal, expected) => {
    const { code } = await run("never closes", (line, child) => {
      if (isStarted(line)) child.kill("SIGTERM");
      if (line[0] === "close") child.kill(signal);
    });
    expect(code).toBe(expected);
  });

  test("a second error during shutdown exits immediately", async () => {
    const { code, lines } = await run("throws twice");
    expect(lines.filter(([, message]) => message === "Uncaught exception.")).toHaveLength(2);
    expect(code).toBe(1);
  });

  test("a signal during startup is handled once startup has finished", async () => {
    const { code, lines } = await run(
      "slow start",
      ([kind], child) => kind === "start" && child.kill("SIGTERM"),
    );
    expect(textsOf(lines).filter((text) => text !== "Application started.")).toEqual([
      "logger",
      "start",
      "Received SIGTERM; shutting down.",
      "close",
      "Shutdown complete.",
      "flush",
    ]);
    expect(code).toBe(0);
  });

  test("reports a logger that cannot be initialized on stderr and starts nothing", async () => {
    const { code, lines } = await run("no log");
    expect(lines).toHaveLength(2);
    expect(lines[1]?.[1]).toContain("Could not initialize the logger: Error: the log's folder is missing");
    expect(code).toBe(1);
  });

  test("T5: a stdio server exits with code 0 when its client disconnects", async () => {
    const { code, lines } = await run("stdio", (line, child) => isStarted(line) && child.stdin?.end());
    expect(textsOf(lines)).toEqual([
      "logger",
      "start",
      "Application started.",
      "Application ended; shutting down.",
      "Shutdown complete.",
      "flush",
    ]);
    expect(code).toBe(0);
  });

  test("T5: an HTTP server exits with code 0 on a signal", async () => {
    let status = 0;
    const { code } = await run("http", async ([kind, url], child) => {
      if (kind !== "url") return;
      status = (await fetch(new URL("/healthz", url))).status;
      child.kill("SIGTERM");
    });
    expect([status, code]).toEqual([200, 0]);
  });
});
