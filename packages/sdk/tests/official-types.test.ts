import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OFFICIAL_MODULES } from "../../../tools/official-types/names.js";
import { writeOfficialModule } from "../../../tools/official-types/write-module.js";
import { readSourceFiles, ROOT } from "../../../tools/source-files.js";

test.each(OFFICIAL_MODULES)("$path.ts is what `npm run official-types` writes", (module) => {
  const text = readFileSync(`${ROOT}/packages/sdk/src/${module.path}.ts`, "utf8");
  expect(text).toBe(writeOfficialModule(module));
});

test("only one comment hides type errors: the one before the imports of the official SDK", () => {
  const own = readSourceFiles().filter((file) => file.package === "sdk");
  const hiding = own.flatMap(({ path, text }) =>
    (text.match(/@ts-(?:ignore|expect-error|nocheck)/g) ?? []).map(() => path),
  );
  expect(hiding).toEqual(["sdk/official-packages.d.ts"]);
});
