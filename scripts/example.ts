/**
 * @fileoverview `npm run example -- <name>`: runs an example. Without a name, lists the examples.
 * @module scripts/example
 */
import { existsSync, readdirSync } from "node:fs";

const examples = new URL("../examples/", import.meta.url);
const [name = ""] = process.argv.slice(2);
const main = new URL(`${name}/main.ts`, examples);

if (/^[a-z0-9-]+$/.test(name) && existsSync(main)) {
  await import(main.href);
} else {
  const names = readdirSync(examples).filter((entry) => existsSync(new URL(`${entry}/main.ts`, examples)));
  console.error(
    `Usage: npm run example -- <name>\nExamples: ${names.join(", ")}. The showcase runs with npm start.`,
  );
  process.exitCode = 1;
}
