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
  const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  console.error(`Usage: npm run example -- <name>\nExamples: ${names.map((entry) => entry.name).join(", ")}`);
  process.exitCode = 1;
}
