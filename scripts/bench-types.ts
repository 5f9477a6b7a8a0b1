/**
 * @fileoverview `npm run bench:types`: measures the cost of type-checking servers with many tools. `--help` lists the
 * options.
 * @module scripts/bench-types
 */
import { parseArgs } from "node:util";
import { readCount, runCommand } from "../tools/command.js";
import { checkBudget } from "../tools/type-cost/budget.js";
import { COMPILERS, measureTypes, type TypeCost } from "../tools/type-cost/measure.js";
import { LAYOUTS } from "../tools/type-cost/project.js";

const HELP = `npm run bench:types -- [options]

  --tools N     number of tools; can be repeated (default: 10, 100, 400, and 1000)
  --ts VERSION  version of TypeScript; can be repeated: ${COMPILERS.join(", ")} (default: all)
  --help        prints this text`;

await runCommand("bench:types", async () => {
  const { values } = parseArgs({
    options: {
      tools: { type: "string", multiple: true, default: ["10", "100", "400", "1000"] },
      ts: { type: "string", multiple: true, default: [...COMPILERS] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return true;
  }
  const sizes = values.tools.map((text) => readCount("tools", text)).toSorted((one, other) => one - other);
  if (sizes.some((size) => size < 1)) throw new TypeError("--tools must be at least 1; got 0.");
  const unknown = values.ts.filter((version) => !COMPILERS.some((known) => known === version));
  if (unknown.length > 0)
    throw new TypeError(`--ts must be one of ${COMPILERS.join(", ")}; got ${unknown.join(", ")}.`);
  console.log("TypeScript  Layout  Tools  Instantiations  Per tool    Types  Check time  Memory");
  const problems: string[] = [];
  for (const compiler of COMPILERS.filter((version) => values.ts.includes(version))) {
    for (const layout of LAYOUTS) {
      const costs: TypeCost[] = [];
      for (const tools of sizes) {
        const cost = await measureTypes(compiler, { layout, tools });
        costs.push(cost);
        console.log(toRow(cost));
      }
      for (const [index, large] of costs.entries()) {
        const small = costs[index - 1];
        if (small === undefined || small.tools === large.tools) continue;
        problems.push(...checkBudget({ small, large }).map((text) => `TypeScript ${compiler}, ${text}`));
      }
    }
  }
  console.log(problems.length === 0 ? "All limits hold." : problems.join("\n"));
  return problems.length === 0;
});

function toRow({
  compiler,
  layout,
  tools,
  instantiations,
  types,
  checkSeconds,
  megabytes,
}: TypeCost): string {
  return [
    compiler.padEnd(10),
    layout.padEnd(6),
    format(tools).padStart(5),
    format(instantiations).padStart(14),
    format(instantiations / tools).padStart(8),
    format(types).padStart(7),
    `${checkSeconds.toFixed(2)} s`.padStart(10),
    `${format(megabytes)} MB`.padStart(8),
  ].join("  ");
}

function format(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
