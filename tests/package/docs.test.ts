import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { ROOT } from "../support/source-files.js";

const run = promisify(execFile);
const SNIPPETS = `${ROOT}/.tmp/snippets`;
const guides = readdirSync(`${ROOT}/docs`, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);
const readmes = readdirSync(`${ROOT}/packages`)
  .map((folder) => `packages/${folder}/README.md`)
  .filter((file) => existsSync(`${ROOT}/${file}`));
const pages = [...readdirSync(ROOT).filter((file) => file.endsWith(".md")), ...readmes, ...guides];
const textOf = (page: string) => readFileSync(`${ROOT}/${page}`, "utf8");

/** The TypeScript of a page, each block a module of its own inside the project, so that it can import `tenon`. */
function writeSnippets(page: string): readonly string[] {
  mkdirSync(SNIPPETS, { recursive: true });
  return [...textOf(page).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""], index) => {
    const file = `${SNIPPETS}/${page.replaceAll(/\W/g, "-")}-${index}.ts`;
    writeFileSync(file, `${code}\nexport {};\n`);
    return file;
  });
}

afterAll(() => rmSync(SNIPPETS, { recursive: true, force: true }));

describe("the documentation", () => {
  test("every TypeScript example compiles against the built package", async () => {
    const files = pages.flatMap(writeSnippets);
    expect(files.length).toBeGreaterThan(10);
    const config = {
      extends: "../../tsconfig.base.json",
      compilerOptions: { noUnusedLocals: false },
      include: ["*.ts"],
    };
    writeFileSync(`${SNIPPETS}/tsconfig.json`, JSON.stringify(config));
    const { stdout } = await run(`${ROOT}/node_modules/.bin/tsc`, ["-p", SNIPPETS]).catch(
      (failure: { readonly stdout: string }) => failure,
    );
    expect(stdout).toBe("");
  });

  test.each([
    ["README.md", "19\n"],
    ["docs/testing.md", "[ { type: 'text', text: 'Good day, Grace.' } ]\n"],
    ["docs/guides/grouped-tools.md", "[ { type: 'text', text: 'ada is out.' } ]\n"],
    ["docs/domain-model.md", "office: ping\noffice.billing.refunds: pay\n"],
  ])("the example of %s prints what it says", async (page, printed) => {
    const [file = ""] = writeSnippets(page);
    const { stdout } = await run(`${ROOT}/node_modules/.bin/tsx`, [file], { cwd: ROOT });
    expect(stdout).toBe(printed);
  });

  test("every link between pages and files leads somewhere", () => {
    const broken = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map(([, target = ""]) => target)
        .filter((target) => !/^https?:/.test(target) && !existsSync(join(ROOT, dirname(page), target)))
        .map((target) => `${page} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("the README shows the two commands at its top, and every guide in one click", () => {
    const readme = textOf("README.md");
    expect(readme.slice(0, 700)).toContain("npm ci && npm start");
    expect(readme.slice(0, 700)).toContain("npm ci && npm test");
    for (const page of guides) expect(readme).toContain(page);
  });
});
