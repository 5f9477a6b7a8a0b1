import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Returns the Node.js built-in modules that importing an entry point loads. */
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
  "importing %s does not load HTTP, cluster, file system, or web stream modules",
  (entry) => {
    const heavy = loadedBy(entry).filter((name) =>
      / (http|_http_\w+|net|cluster|child_process|os|timers\/promises|internal\/(blob|file|cluster\/.*|webstreams\/.*))$/.test(
        name,
      ),
    );
    expect(heavy).toEqual([]);
  },
);

test("the check detects a module that loads HTTP", () => {
  expect(loadedBy("agent/dist").some((name) => / (http|_http_\w+)$/.test(name))).toBe(true);
});
