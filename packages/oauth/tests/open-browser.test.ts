import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openBrowser, openerFor } from "@tenon/internal/command-line/open-browser";

const folder = mkdtempSync(join(tmpdir(), "tenon-opener-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HOSTILE = new URL("https://login.example/auth?a=1&b=$(touch%20x);`id`|c&d='\"%00&e=&calc.exe");

/** Writes a program that records its arguments and exits with a code. */
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
  ] as const)("is started on %s by a program, never by a shell", (system, program, args) => {
    expect(openerFor(HOSTILE, system)).toEqual({ program, args });
  });

  test.each(["file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "ms-settings:x", "ftp://a/b"])(
    "does not open %s",
    async (address) => {
      expect(() => openerFor(new URL(address), "linux")).toThrow(
        `Only http and https URLs can be opened in a browser; got "${new URL(address).protocol}".`,
      );
      await expect(openBrowser(new URL(address))).rejects.toThrow("Only http and https URLs");
    },
  );

  test("receives any URL as a single argument", async () => {
    const { program, args } = writeProgram("opener", 0);
    await openBrowser(HOSTILE, { program, args: [HOSTILE.href] });
    expect(args()).toEqual([HOSTILE.href]);
    expect(existsSync("x")).toBe(false);
  });

  test.each([
    ["exits with an error", () => writeProgram("failing", 3).program],
    ["does not exist", () => join(folder, "missing")],
  ])("rejects if the program %s", async (_case, create) => {
    await expect(openBrowser(HOSTILE, { program: create(), args: [] })).rejects.toThrow(
      "Could not open a browser. Open the URL yourself.",
    );
  });
});
