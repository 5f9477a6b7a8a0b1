/**
 * @fileoverview `npm run options`: writes `docs/reference/options.md` from the option tables. With `--check`, fails if
 * the page is out of date, or if a row has no comment or a wrong `@default`.
 * @module scripts/options
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { format } from "prettier";
import { readTables } from "../tools/option-reference/read-tables.js";
import { writeReference } from "../tools/option-reference/write-reference.js";
import { ROOT } from "../tools/source-files.js";

const PAGE = `${ROOT}/docs/reference/options.md`;

const { text, problems } = writeReference(await readTables());
const formatted = await format(text, { parser: "markdown", printWidth: 110 });
for (const problem of problems) console.error(problem);
if (process.argv.includes("--check")) {
  const isCurrent = readFileSync(PAGE, "utf8") === formatted;
  if (!isCurrent) console.error("docs/reference/options.md is out of date. Run `npm run options`.");
  process.exitCode = isCurrent && problems.length === 0 ? 0 : 1;
} else {
  mkdirSync(`${ROOT}/docs/reference`, { recursive: true });
  writeFileSync(PAGE, formatted);
}
