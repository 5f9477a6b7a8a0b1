/**
 * @fileoverview `npm run metrics`: measures the source and the public API, and prints the places that are too long or
 * identical. `--check` prints only the figures that exceed the limits in tools/metrics/limits.json, and fails if there
 * are any. `--write-limits` makes today's figures the limits. A folder measures another clone.
 * @module scripts/metrics
 */
import { parseArgs } from "node:util";
import { runCommand } from "../tools/command.js";
import { listExceeded, readLimits, writeLimits } from "../tools/metrics/limits.js";
import { type Measured, measurePackages } from "../tools/metrics/measure.js";

await runCommand("metrics", async () => {
  const { values, positionals } = parseArgs({
    options: { check: { type: "boolean" }, "write-limits": { type: "boolean" }, help: { type: "boolean" } },
    allowPositionals: true,
  });
  if (values.help === true) {
    console.log("Usage: npm run metrics [-- --check | --write-limits | FOLDER]");
    return true;
  }
  const measured = measurePackages(positionals[0]);
  if (values["write-limits"] === true) writeLimits(measured.figures);
  if (values.check !== true) {
    print(measured);
    return true;
  }
  const exceeded = listExceeded(measured.figures, readLimits());
  for (const line of exceeded) console.error(line);
  if (exceeded.length > 0)
    console.error("Run npm run metrics for the places. The limits are in tools/metrics/limits.json.");
  return exceeded.length === 0;
});

function print({ figures, mirrored, homonyms, identical, ...places }: Measured): void {
  const row = (title: string, ...cells: readonly (string | number)[]) =>
    console.log(`  ${title.padEnd(20)}${cells.map((cell) => String(cell).padStart(9)).join("")}`);
  console.log("Lines of code, without blank lines and comments");
  for (const [name, lines] of Object.entries(figures.code)) row(name, lines);
  row(
    "total",
    Object.values(figures.code).reduce((sum, lines) => sum + lines, 0),
  );
  console.log(`\nPublic API, without ${mirrored} names that @tenon/sdk mirrors from the official SDK`);
  row("", "values", "types");
  for (const [name, { values, types }] of Object.entries(figures.names)) row(name, values, types);
  row(`${figures.entries} entries`, figures.values, figures.types);
  list(
    "Names with more than one declaration",
    [...homonyms].map(([name, files]) => `${name}: ${files.join(", ")}`),
  );
  list(
    "Pairs of places with six or more identical lines",
    identical.map((pair) => pair.map(({ path, first, last }) => `${path}:${first}-${last}`).join(" = ")),
  );
  list("Functions over 60 lines", places.longFunctions);
  list("Functions with more than three parameters", places.manyParameters);
  list("Files over 300 lines", places.longFiles);
  list("Largest folders", places.folders);
}

function list(title: string, places: readonly string[]): void {
  console.log(`\n${title}: ${places.length}`);
  for (const place of places) console.log(`  ${place}`);
}
