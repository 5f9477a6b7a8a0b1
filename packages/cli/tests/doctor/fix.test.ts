import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findLiterals, planFixes, respell } from "../../src/doctor/fix/plan-fixes.js";
import { readOwnFiles } from "../../src/doctor/fix/own-files.js";
import { writeFixes } from "../../src/doctor/fix/write-fixes.js";
import { renderFix } from "../../src/doctor/report/report.js";
import type { Finding } from "../../src/doctor/rule.js";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tenon-doctor-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const finding = (from: string, to: string, place = "tools.a.description"): Finding => ({
  rule: "hidden-characters",
  severity: "error",
  place,
  message: "m",
  fix: "f",
  edit: { from, to },
});

describe("literals", () => {
  const HIDDEN = "Adds\u200b two";

  test.each([
    ["double quotes", `x = "Adds\u200b two"`, '"Adds two"'],
    ["single quotes", `x = 'Adds\u200b two'`, "'Adds two'"],
    ["a template", "x = `Adds\u200b two`", "`Adds two`"],
    ["an escape", String.raw`x = "Adds\u200b two"`, '"Adds two"'],
    ["an escape with capital letters", String.raw`x = "Adds\u200B two"`, '"Adds two"'],
    ["a code point", String.raw`x = "\u{41}dds\u{200b} two"`, String.raw`"\u{41}dds two"`],
    ["another escape that stays", String.raw`x = "\x41dds\u200b two"`, String.raw`"\x41dds two"`],
  ])("in %s are found, and only the characters are removed", (_name, source, expected) => {
    const [literal, ...others] = findLiterals(source, HIDDEN);
    expect(others).toEqual([]);
    const code = literal && respell(literal, HIDDEN, "Adds two");
    expect(source.slice(0, literal?.start) + code + source.slice(literal?.end)).toBe(`x = ${expected}`);
  });

  test.each([
    ["another text", '"Adds two"'],
    ["a part of a literal", '"Adds\u200b two numbers"'],
    ["a composed text", '"Adds\u200b" + " two"'],
    ["different quotes", "\"Adds\u200b two'"],
    ["a template with a variable", "`Adds\u200b ${two}`"],
    ["a line break in quotes", '"Adds\u200b\n two"'],
  ])("%s is not found", (_name, source) => {
    expect(findLiterals(source, HIDDEN)).toEqual([]);
  });

  test("quotes, line breaks, and surrogates in all spellings are found", () => {
    const text = `It's "a"\n\u{1f600}\t\\`;
    for (const source of [
      String.raw`"It's \"a\"\n\ud83d\ude00\t\\"`,
      String.raw`'It\'s "a"\x0a\u{1f600}\u0009\\'`,
      '`It\'s "a"\n\u{1f600}\t\\\\`',
      '`It\'s "a"\r\n\u{1f600}\t\\\\`',
    ]) {
      expect(findLiterals(source, text), source).toHaveLength(1);
    }
  });

  test("a new text is written only if it needs no escape", () => {
    const [literal] = findLiterals('"old"', "old");
    expect(literal && respell(literal, "old", "https://example.com/a#b")).toBe("https://example.com/a#b");
    expect(literal && respell(literal, "old", 'a "quoted" text')).toBeUndefined();
  });
});

describe("the files of a module", () => {
  test("are those of its package that it refers to, without packages and links to other places", async () => {
    const outside = mkdtempSync(join(tmpdir(), "tenon-outside-"));
    writeFileSync(join(outside, "secret.ts"), "export {}");
    write("package.json", "{}");
    const module = write(
      "src/server.ts",
      'import "./tools/add.js"; import x from "../lib/x"; import "zod"; import "./linked.js";\n' +
        'const file = new URL("./tools.json", import.meta.url); import "../node_modules/p/index.js"; "./missing.js"',
    );
    write("src/tools/add.ts", 'import "../server.js"; import "../../../escape.js"');
    write("src/tools.json", "[]");
    write("lib/x/index.ts", "export {}");
    write("lib/unused.ts", "export {}");
    write("node_modules/p/index.js", "");
    symlinkSync(join(outside, "secret.ts"), join(folder, "src/linked.ts"));
    const files = await readOwnFiles(module);
    expect(files.map(({ path }) => path.slice(folder.length + 1)).toSorted()).toEqual([
      "lib/x/index.ts",
      "src/server.ts",
      "src/tools.json",
      "src/tools/add.ts",
    ]);
    rmSync(outside, { recursive: true });
  });

  test("without a package, they are in the module's folder", async () => {
    const module = write("server.mjs", 'import "./a.mjs"; import "../b.mjs"');
    write("a.mjs", "");
    expect(await readOwnFiles(module)).toHaveLength(2);
  });
});

describe("fixes", () => {
  test("a literal that occurs once is changed in one step, with a backup, and the mode stays", async () => {
    const file = write("server.mjs", 'a\n  description: "Adds\u200b two",\nb\n');
    chmodSync(file, 0o640);
    const { fixes, unfixed } = planFixes([finding("Adds\u200b two", "Adds two")], await readOwnFiles(file));
    expect(unfixed).toEqual([]);
    expect(fixes.flatMap((fix) => renderFix(fix, folder))).toEqual([
      "--- server.mjs",
      "+++ server.mjs",
      "@@ -2,1 +2,1 @@",
      '-  description: "Adds<U+200B> two",',
      '+  description: "Adds two",',
    ]);
    expect(await writeFixes(fixes)).toEqual([{ path: file, backup: `${file}.bak` }]);
    expect(readFileSync(file, "utf8")).toBe('a\n  description: "Adds two",\nb\n');
    expect(readFileSync(`${file}.bak`, "utf8")).toContain("\u200b");
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(folder).toSorted()).toEqual(["server.mjs", "server.mjs.bak"]);
  });

  test("several changes of one file are made together, and one change can fix several findings", async () => {
    const file = write("server.mjs", '["a\u200b", "b\u200b\u200b", "c"]');
    const findings = [
      finding("a\u200b", "a", "x"),
      finding("b\u200b\u200b", "b", "y"),
      finding("a\u200b", "a", "z"),
    ];
    const { fixes } = planFixes(findings, await readOwnFiles(file));
    expect(fixes.map((fix) => fix.findings.map(({ place }) => place))).toEqual([["x", "z"], ["y"]]);
    await writeFixes(fixes);
    expect(readFileSync(file, "utf8")).toBe('["a", "b", "c"]');
  });

  test.each([
    ["not a literal", "const a = 1;", /^The text is not one literal in the module's own files\./],
    ["twice in the source", '["a\u200b", "a\u200b"]', "The text occurs 2 times in the module's own files."],
    ["in a compiled file", '"a\u200b"\n//# sourceMappingURL=x.js.map', /^The file is compiled\./],
  ])("a text that is %s is left alone", async (_name, source, reason) => {
    const file = write("server.mjs", source);
    const { fixes, unfixed } = planFixes([finding("a\u200b", "a")], await readOwnFiles(file));
    expect(fixes).toEqual([]);
    expect(unfixed.map((one) => one.reason)).toEqual([expect.stringMatching(reason) as string]);
  });

  test("a finding without an edit is neither fixed nor listed", () => {
    const { edit: _, ...rest } = finding("a", "b");
    expect(planFixes([rest], [])).toEqual({ fixes: [], unfixed: [] });
  });

  test("a backup is never overwritten, and a file that has changed is left alone", async () => {
    const file = write("server.mjs", '"a\u200b"');
    const { fixes } = planFixes([finding("a\u200b", "a")], await readOwnFiles(file));
    write("server.mjs.bak", "old");
    await expect(writeFixes(fixes)).rejects.toThrow(/server\.mjs\.bak" exists already\./);
    expect(readFileSync(`${file}.bak`, "utf8")).toBe("old");
    rmSync(`${file}.bak`);
    write("server.mjs", '"a\u200b" + 1');
    await expect(writeFixes(fixes)).rejects.toThrow(/has changed since it was read/);
    expect(readFileSync(file, "utf8")).toBe('"a\u200b" + 1');
  });
});
