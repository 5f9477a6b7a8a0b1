import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readPublicApi } from "../support/public-api.js";
import { ROOT } from "../support/source-files.js";

/** Names that each entry point exported before the split into packages. */
const OLD = JSON.parse(readFileSync(new URL("old-exports.json", import.meta.url), "utf8")) as Readonly<
  Record<string, readonly string[]>
>;
const page = readFileSync(`${ROOT}/docs/old-imports.md`, "utf8");
const rows = [...page.matchAll(/^\|(.+)\|$/gm)].map(([, row = ""]) =>
  row.split("|").map((cell) => cell.trim().replaceAll("`", "")),
);
const entries = new Map(
  rows.filter((row) => row.length === 3).map(([old = "", now = ""]): [string, string] => [old, now]),
);
const names = new Map(
  rows
    .filter((row) => row.length === 4)
    .map(([entry = "", name = "", newEntry = "", newName = ""]): [string, readonly [string, string]] => [
      `${entry} ${name}`,
      [newEntry, newName],
    ]),
);
const api = new Set(readPublicApi().map(({ entry, name }) => `${entry} ${name}`));

describe("docs/old-imports.md", () => {
  test.each(Object.entries(OLD))("maps every name in %s to an existing one", (entry, all) => {
    const lost = all.filter((name) => {
      const [newEntry, newName] = names.get(`${entry} ${name}`) ?? [entries.get(entry) ?? "", name];
      return newEntry !== "–" && !api.has(`${newEntry} ${newName}`);
    });
    expect(lost).toEqual([]);
  });

  test("lists only names that existed, and does not mark public names as removed", () => {
    const listed = [...names].filter(([key]) => key.startsWith("tenon"));
    expect(listed.length).toBeGreaterThan(50);
    const unknown = listed.filter(([key]) => {
      const [entry = "", name = ""] = key.split(" ");
      return OLD[entry]?.includes(name) !== true;
    });
    expect(unknown).toEqual([]);
    const stillPublic = listed.filter(([key, [newEntry]]) => {
      const [entry = "", name = ""] = key.split(" ");
      return newEntry === "–" && api.has(`${entries.get(entry)} ${name}`);
    });
    expect(stillPublic).toEqual([]);
  });
});
