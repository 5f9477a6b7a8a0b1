import { describe, expect, test } from "vitest";
import { compileProgram } from "../../tools/compile-program.js";
import { checkReplies } from "../../tools/fuzz/model/check-replies.js";
import { runFuzz } from "../../tools/fuzz/run-fuzz.js";
import { ROOT } from "../../tools/source-files.js";
import { runProgram } from "./support/run-script.js";

describe("npm run fuzz", () => {
  // All transports run in the system tier.
  test("hostile frames crash nothing, and each ID gets one correct reply", async () => {
    const lines: string[] = [];
    const holds = await runFuzz({
      frames: 5_000,
      histories: 0,
      seed: 1,
      only: "receive",
      isShort: true,
      print: (line) => void lines.push(line),
    });
    expect(holds, lines.join("\n")).toBe(true);
  });

  test.concurrent.each([
    [["--frmes", "3"], "Unknown option '--frmes'"],
    [["--frames", "many"], "--frames must be a non-negative integer; got many."],
    [["--seed", "1", "--only", "tcp"], "--only must be one of regressions, corpus, receive,"],
  ])("the options %j fail with a message", async (options, message) => {
    // The compiled script does not find its data, but starts faster. It must fail before it needs the data.
    const { stderr, code } = await runProgram([compileProgram(`${ROOT}/scripts/fuzz.ts`), ...options]);
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
