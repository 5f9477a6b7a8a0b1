import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** The modules of Node's own that are loaded once an entry is, and were not before. */
function loadedBy(entry: string): readonly string[] {
  const url = new URL(`../../packages/${entry}/index.js`, import.meta.url).href;
  const script = `
    const before = new Set(process.moduleLoadList);
    await import(${JSON.stringify(url)});
    console.log(JSON.stringify(process.moduleLoadList.filter((name) => !before.has(name))));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
  });
  return JSON.parse(output) as string[];
}

test.each(["tenon/dist/transport/stdio", "tenon/dist/transport/node"])(
  "%s loads nothing of HTTP before it is served, and no files or streams of the web",
  (entry) => {
    const heavy = loadedBy(entry).filter((name) =>
      / (http|_http_\w+|internal\/(blob|file|webstreams\/.*))$/.test(name),
    );
    expect(heavy).toEqual([]);
  },
);

test("what loads HTTP is seen", () => {
  expect(loadedBy("agent/dist").some((name) => / (http|_http_\w+)$/.test(name))).toBe(true);
});
