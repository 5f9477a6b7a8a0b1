/**
 * @fileoverview `npm run official-types`: writes the types that `@tenon/sdk` shares with the official SDK. With
 * `--check`, fails if they are out of date.
 * @module scripts/official-types
 */
import { readFileSync, writeFileSync } from "node:fs";
import { OFFICIAL_MODULES } from "../tools/official-types/names.js";
import { writeOfficialModule } from "../tools/official-types/write-module.js";
import { ROOT } from "../tools/source-files.js";

for (const module of OFFICIAL_MODULES) {
  const file = `${ROOT}/packages/sdk/src/${module.path}.ts`;
  const text = writeOfficialModule(module);
  if (!process.argv.includes("--check")) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) {
    console.error(`${module.path}.ts is out of date. Run \`npm run official-types\`.`);
    process.exitCode = 1;
  }
}
