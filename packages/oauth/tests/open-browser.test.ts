import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openBrowser, openerFor } from "../src/login/open-browser.js";

const folder = mkdtempSync(join(tmpdir(), "tenon-opener-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOSTILE = new URL("https://login.example/auth?a=1&b=$(touch%20x);`id`|c&d='\"%00&e=&calc.exe");

/** A program that writes its arguments down, and then ends with a code. */
function writeProgram(
  name: string,
  code: number,
): { readonly program: string; readonly args: () => string[] } {
  const program = join(folder, name);
  const said = `${program}.args`;
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${said}'\nexit ${code}\n`);
  chmodSync(program, 0o700);
  return { program, args: () => readFileSync(said, "utf8").trimEnd().split("\n") };
}

describe("the system's browser", () => {
  test.each([
    ["darwin", "open", [HOSTILE.href]],
    ["linux", "xdg-open", [HOSTILE.href]],
    ["freebsd", "xdg-open", [HOSTILE.href]],
    ["win32", "rundll32", ["url.dll,FileProtocolHandler", HOSTILE.href]],
  ] as const)("is asked for on %s by a program, never by a shell", (system, program, args) => {
    expect(openerFor(HOSTILE, system)).toEqual({ program, args });
  });

  test.each(["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ms-settings:x", "ftp://a/b"])(
    "is not asked to open %s",
    async (address) => {
      expect(() => openerFor(new URL(address), "linux")).toThrow(
        "Only http and https addresses are opened in a browser",
      );
      await expect(openBrowser(new URL(address))).rejects.toThrow("Only http and https addresses");
    },
  );

  test("gets the address as one argument, whatever is in it", async () => {
    const { program, args } = writeProgram("opener", 0);
    await openBrowser(HOSTILE, { program, args: [HOSTILE.href] });
    expect(args()).toEqual([HOSTILE.href]);
    expect(existsSync("x")).toBe(false);
  });

  test.each([
    ["ends with a failure", () => writeProgram("failing", 3).program],
    ["is not there", () => join(folder, "missing")],
  ])("that %s is said to be none", async (_case, create) => {
    await expect(openBrowser(HOSTILE, { program: create(), args: [] })).rejects.toThrow(
      "No browser could be opened",
    );
  });
});
