import { expect, test } from "vitest";
import { tenonInProcess } from "../../../../tests/support/program.js";
import { onTerminal, plain } from "../support/pseudo-terminal.js";

const OFFER = `shop 1.0.0 (2026-07-28)

Sells pizza.

Tools (7)
  order     Orders a pizza. It asks for the address.
      pizza   "margherita" | "funghi", required  Kind of pizza
      count   integer, default 1
      extras  string[]
  pay       Asks the user to open a URL
  boom      Throws
  circular  Returns a circular object
  nested    Asks with a form that is not flat
  owner     Returns the context
  steps     Reports progress

Resources (2)
  menu://today  The menu (text/plain)
  menu://logo   logo (image/png)

Resource templates (1)
  menu://pizza/{kind}  One pizza

Prompts (1)
  review  Reviews a pizza
      kind  string, required  Kind of pizza
      tone  string
`;

test("first-run-e: `list` shows arguments, descriptions, resources, templates, and prompts", async () => {
  expect(await tenonInProcess(["list", "shop.mjs"])).toEqual({ code: 0, stdout: OFFER, stderr: "" });
});

test("first-run-e: `list` wraps text to the terminal's width, and keeps line breaks", async () => {
  const { code, output } = await onTerminal(["list", "shop.mjs"], { columns: 48 });
  expect(code).toBe(0);
  const lines = plain(output).split("\n");
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(48);
  expect(lines).toContain("  order     Orders a pizza.");
  expect(lines).toContain("            It asks for the address.");
  expect(output).toContain("\u001b[1mTools (7)");
});

test("first-run-e: `list` uses no colors in a terminal if NO_COLOR is set", async () => {
  const { output } = await onTerminal(["list", "shop.mjs"], { env: { NO_COLOR: "1" } });
  expect(output).not.toContain("\u001b[1m");
});
