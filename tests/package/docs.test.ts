import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { ROOT } from "../../tools/source-files.js";

const run = promisify(execFile);
const SNIPPETS = `${ROOT}/.tmp/snippets`;
const guides = readdirSync(`${ROOT}/docs`, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".md"))
  .map((file) => `docs/${file}`);
const readmes = readdirSync(`${ROOT}/packages`)
  .flatMap((folder) => [`packages/${folder}/README.md`, `packages/${folder}/ARCHITECTURE.md`])
  .filter((file) => existsSync(`${ROOT}/${file}`));
const pages = [...readdirSync(ROOT).filter((file) => file.endsWith(".md")), ...readmes, ...guides];
const textOf = (page: string) => readFileSync(`${ROOT}/${page}`, "utf8");

/**
 * Writes each of a page's TypeScript blocks to a module inside the project, so that it can import `tenon`. A block that
 * starts with a comment such as `// server.ts` gets that name, so that the page's other blocks can import it.
 */
function writeSnippets(page: string): readonly string[] {
  const folder = `${SNIPPETS}/${page.replaceAll(/\W/g, "-")}`;
  mkdirSync(folder, { recursive: true });
  return [...textOf(page).matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""], index) => {
    const [, name = `${index}.ts`] = /^\/\/ ([\w.-]+\.ts)\n/.exec(code) ?? [];
    const file = `${folder}/${name}`;
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
      include: ["**/*.ts"],
    };
    writeFileSync(`${SNIPPETS}/tsconfig.json`, JSON.stringify(config));
    const { stdout } = await run(`${ROOT}/node_modules/.bin/tsc`, ["-p", SNIPPETS]).catch(
      (failure: { readonly stdout: string }) => failure,
    );
    expect(stdout).toBe("");
  });

  test.each([
    ["docs/testing.md", "0.ts", "[ { type: 'text', text: 'Good day, Grace.' } ]\n"],
    ["docs/guides/grouped-tools.md", "0.ts", "[ { type: 'text', text: 'Banned ada.' } ]\n"],
    ["docs/domain-model.md", "0.ts", "office: ping\noffice.billing.refunds: pay\n"],
    ["docs/tasks.md", "try.ts", /^```\n(working\n[^`]+)^```$/m.exec(textOf("docs/tasks.md"))?.[1] ?? ""],
  ])("the example in %s prints the documented output", async (page, name, printed) => {
    const file = writeSnippets(page).find((path) => path.endsWith(`/${name}`)) ?? "";
    const { stdout } = await run(`${ROOT}/node_modules/.bin/tsx`, [file], { cwd: ROOT });
    expect(stdout).toBe(printed);
  });

  test("every link between pages and files has an existing target", () => {
    const broken = pages.flatMap((page) =>
      linksOf(page)
        .filter((target) => !existsSync(join(ROOT, target)))
        .map((target) => `${page} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test("the README contains the two commands and links to the index and the main guides", () => {
    const readme = textOf("README.md");
    expect(readme).toContain("npm ci && npm start");
    expect(readme).toContain("npm ci && npm test");
    const targets = linksOf("README.md");
    for (const page of ["docs/README.md", "ARCHITECTURE.md", "docs/starting-a-server.md", "docs/tools.md"]) {
      expect(targets).toContain(page);
    }
  });

  test("every page is two clicks from the README", () => {
    const linked = ["README.md", "docs/README.md", "docs/doctor/README.md", "docs/decisions/README.md"];
    const readme = linksOf("README.md");
    expect(linked.slice(1).filter((page) => !readme.includes(page))).toEqual([]);
    const reached = new Set(linked.flatMap(linksOf));
    expect(guides.filter((page) => !reached.has(page))).toEqual([]);
  });
});

/** Returns the targets of a page's links, relative to the root. Web links are omitted. */
function linksOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^https?:/.test(target))
    .map((target) => join(dirname(page), target));
}
