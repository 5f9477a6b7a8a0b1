import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type * as Tenon from "tenon";

const shared = new URL("../../packages/tenon/dist/shared/", import.meta.url);

test("stack traces contain function names, although the build removes whitespace and comments", async () => {
  const url = new URL("../../packages/tenon/dist/index.js", import.meta.url).href;
  const { defineServer } = (await import(url)) as typeof Tenon;
  const builder = defineServer({ name: "a", version: "1" }).tool("", { handler: () => "" });
  let stack = "";
  try {
    builder.build();
  } catch (error) {
    stack = error instanceof Error ? (error.stack ?? "") : "";
  }
  expect(stack).toMatch(/at assertName .*at compileAll .*at createSnapshot .*at ServerBuilder\.build /s);
});

test("built lines are short enough that a line number locates an error", () => {
  const files = readdirSync(shared).filter((name) => name.endsWith(".js"));
  expect(files.length).toBeGreaterThan(3);
  for (const name of files) {
    const lines = readFileSync(new URL(name, shared), "utf8").split("\n");
    const size = lines.reduce((sum, line) => sum + line.length, 0);
    expect(size / lines.length, name).toBeLessThan(160);
  }
});
