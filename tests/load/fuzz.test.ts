import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { compileProgram } from "../../tools/compile-program.js";
import { checkReplies } from "../../tools/fuzz/model/check-replies.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

const SCRIPT = "scripts/fuzz.ts";

/** Runs the command and returns its output and exit code. */
async function fuzz(command: readonly string[], options: readonly string[]) {
  const run = promisify(execFile)(process.execPath, [...command, ...options], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  });
  const { stdout, stderr, code } = await run.then(
    (output) => ({ ...output, code: 0 }),
    (error: { readonly stdout: string; readonly stderr: string; readonly code: number }) => error,
  );
  return { stdout, stderr, code };
}

describe("npm run fuzz", () => {
  test(
    "10,000 hostile frames over every transport crash nothing, and each ID gets one correct reply (full run: npm run fuzz)",
    { timeout: 600_000 },
    async () => {
      const { stdout, stderr, code } = await fuzz(["--import", "tsx", SCRIPT], ["--short", "--seed", "1"]);
      expect(
        stdout.split("\n").filter((line) => line.includes("FAIL")),
        stdout,
      ).toEqual([]);
      expect(stdout, stderr).toContain("All promises hold.");
      expect(code).toBe(0);
    },
  );

  test.concurrent.each([
    [["--frmes", "3"], "Unknown option '--frmes'"],
    [["--frames", "many"], "--frames must be a non-negative integer; got many."],
    [["--seed", "1", "--only", "tcp"], "--only must be one of regressions, corpus, receive,"],
  ])("%j fails with a message", async (options, message) => {
    // The compiled script does not find its data, but starts faster. It must fail before it needs the data.
    const { stderr, code } = await fuzz([compileProgram(join(root, SCRIPT))], options);
    expect(stderr).toContain(message);
    expect(stderr).toContain("npm run fuzz -- --help");
    expect(code).toBe(2);
  });
});

describe("the check of replies", () => {
  const subscribe = { id: "0", result: false, codes: [-32002, -32600] };
  const list = { id: "0", result: true, codes: [-32600] };
  const frames = [subscribe, list].map((rule) => ({ isBatch: false, replies: [rule] }));
  const error = (code: number) => JSON.stringify({ jsonrpc: "2.0", id: 0, error: { code, message: "" } });
  const result = JSON.stringify({ jsonrpc: "2.0", id: 0, result: {} });

  test.each([
    [[error(-32600), error(-32002)]],
    [[error(-32002), error(-32600)]],
    [[result, error(-32600)]],
    [[error(-32600), result]],
  ])("accepts correct replies to requests with the same ID in any order: %j", (lines) => {
    expect(checkReplies(frames, lines)).toEqual([]);
  });

  test.each([
    [[error(-32002), error(-32002)], "wrong"],
    [[result, result], "wrong"],
    [[result], "missing"],
    [[result, error(-32002), result], "extra"],
  ])("finds a wrong, missing, or repeated reply: %j", (lines, promise) => {
    expect(checkReplies(frames, lines)).toEqual([expect.objectContaining({ promise })]);
  });
});
