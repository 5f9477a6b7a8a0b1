import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { programFile } from "../../../tests/support/program.js";
import { onTerminal, plain } from "./support/pseudo-terminal.js";
import { createLiveSteps, createSteps, formatDuration, runStep } from "../src/steps.js";

/** Terminal whose output is collected, and a clock that the test advances. */
function stage(stream: object, env: Readonly<Record<string, string>> = {}) {
  const stderr = Object.assign(new PassThrough(), stream);
  let time = 5_000;
  return {
    terminal: { stderr, env },
    now: () => time,
    pass: (ms: number) => void (time += ms),
    printed: () => String(stderr.read() ?? ""),
  };
}

const ERASE = "\r\u001b[2K";

describe("the steps of a command", () => {
  test("are lines with their duration in a pipe", () => {
    const { terminal, now, pass, printed } = stage({});
    const steps = createSteps(terminal, { now, isQuiet: false });
    steps.start("Reading the project");
    pass(340);
    steps.done("12 files");
    steps.start("Packing");
    pass(1_250);
    steps.done();
    steps.start("Uploading");
    pass(65_000);
    steps.fail();
    expect(printed()).toBe(
      "Reading the project: 12 files (340 ms)\nPacking (1.3 s)\nUploading: failed (1 min 5 s)\n",
    );
  });

  test("are one line in a terminal, which each step replaces and the last one removes", () => {
    const { terminal, now, printed } = stage({ isTTY: true, columns: 20 });
    const steps = createSteps(terminal, { now, isQuiet: false });
    steps.start("Reading");
    steps.start("Packing many large files");
    steps.done("12 files");
    expect(printed()).toBe(`${ERASE}Reading…${ERASE}${ERASE}Packing many large…${ERASE}`);
  });

  test("are lines in a terminal without control sequences", () => {
    const { terminal, now, printed } = stage({ isTTY: true, columns: 80 }, { TERM: "dumb" });
    const steps = createSteps(terminal, { now, isQuiet: false });
    steps.start("Reading");
    steps.done();
    expect(printed()).toBe("Reading (0 ms)\n");
  });

  test("of a short command are shown only in a terminal", async () => {
    const [piped, live] = [stage({}), stage({ isTTY: true, columns: 80 })];
    for (const { terminal } of [piped, live])
      expect(await runStep(createLiveSteps(terminal), "Connect", async () => 7)).toBe(7);
    expect(piped.printed()).toBe("");
    expect(live.printed()).toBe(`${ERASE}Connect…${ERASE}`);
  });

  test("are removed from a terminal before an error is printed", async () => {
    const { terminal, printed } = stage({ isTTY: true, columns: 80 });
    const failing = runStep(createLiveSteps(terminal), "Connect", () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    expect(printed()).toBe(`${ERASE}Connect…${ERASE}`);
  });

  test("are not shown with --json", () => {
    const { terminal, now, printed } = stage({ isTTY: true, columns: 80 });
    const steps = createSteps(terminal, { now, isQuiet: true });
    steps.start("Reading");
    steps.done("12 files");
    steps.start("Packing");
    steps.fail();
    expect(printed()).toBe("");
  });

  test("end only once, and a new step ends the one before it", () => {
    const { terminal, now, pass, printed } = stage({});
    const steps = createSteps(terminal, { now, isQuiet: false });
    steps.done("nothing");
    steps.start("Reading");
    pass(10);
    steps.start("Packing");
    steps.done();
    steps.done();
    steps.fail();
    expect(printed()).toBe("Reading (10 ms)\nPacking (0 ms)\n");
  });

  test("do not pass control characters on", () => {
    const { terminal, now, printed } = stage({});
    const steps = createSteps(terminal, { now, isQuiet: false });
    steps.start("Reading \u001b[31mred\n");
    steps.done("\u0007ring");
    expect(printed()).toBe("Reading [31mred: ring (0 ms)\n");
  });

  test.each([
    [-5, "0 ms"],
    [0.6, "1 ms"],
    [999.4, "999 ms"],
    [1_000, "1.0 s"],
    [59_900, "59.9 s"],
    [59_960, "1 min 0 s"],
    [3_600_000, "60 min 0 s"],
  ])("a duration of %d ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe("on a terminal", () => {
  test("tenon tokens shows that it counts, and removes the line", async () => {
    const { code, output } = await onTerminal(["tokens", "calculator.mjs"]);
    expect(code).toBe(0);
    expect(output).toContain(`${ERASE}Count the tokens…${ERASE}`);
    expect(plain(output)).not.toContain("Count the tokens…");
  });

  test("tenon list shows that it starts a program", async () => {
    const args = ["list", "--", process.execPath, programFile("tenon"), "run", "calculator.mjs"];
    const { code, output } = await onTerminal(args, { columns: 400 });
    expect(code).toBe(0);
    expect(output).toContain(`${ERASE}Start ${args.slice(2).join(" ")}…${ERASE}`);
    expect(plain(output)).toMatch(/^calculator 1\.2\.3 /);
  });
});
