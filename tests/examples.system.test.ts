import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../tools/source-files.js";

const names = readdirSync(`${ROOT}/examples`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

describe("the examples", () => {
  test("each have a check and, unless `npm start` runs it, a program", () => {
    expect(names).toContain("basic");
    for (const name of names) {
      expect(existsSync(`${ROOT}/examples/${name}/main.ts`)).toBe(name !== "showcase");
      expect(existsSync(`${ROOT}/examples/${name}/check.ts`)).toBe(true);
    }
  });

  test.each(names.filter((name) => name !== "basic"))("%s passes its check", async (name) => {
    await runCheck(name);
  });

  test("R41: basic keeps sessions, responds to notifications with 202, and serves two routes with one server", async () => {
    await runCheck("basic");
  });
});

async function runCheck(name: string): Promise<void> {
  const { check } = (await import(`${ROOT}/examples/${name}/check.ts`)) as { check: () => Promise<void> };
  await check();
}
