/**
 * @fileoverview Generates projects that define servers with many tools, as the documentation shows it.
 * @module tools/type-cost/project
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";

/** Form of a server: one chain of `.tool()` calls, or ten files with functions for `.with()`. */
export type Layout = "chain" | "files";

/** Forms that are measured. */
export const LAYOUTS: readonly Layout[] = ["chain", "files"];

/** Size and form of a generated project. */
export interface ProjectOptions {
  readonly layout: Layout;
  readonly tools: number;
}

/** Writes a project to a folder. Removes the folder's earlier content. */
export function writeProject(folder: string, { layout, tools }: ProjectOptions): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const numbers = Array.from({ length: tools }, (_, index) => index);
  const files = layout === "chain" ? writeChain(numbers) : writeFiles(numbers);
  for (const [name, text] of Object.entries({ ...files, ...CONFIGURATION }))
    writeFileSync(`${folder}/${name}`, text);
}

const FILES = 10;

const CONFIGURATION = {
  "package.json": JSON.stringify({ type: "module" }),
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      target: "es2023",
      lib: ["es2023"],
      types: ["node"],
      module: "nodenext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      noEmit: true,
    },
    include: ["*.ts"],
  }),
};

type Sources = Readonly<Record<string, string>>;

function writeChain(numbers: readonly number[]): Sources {
  return {
    "main.ts": `import { defineServer } from "tenon";
import { createClient } from "tenon/testing";
import { z } from "zod";
const server = defineServer({ name: "generated", version: "1.0.0" })${numbers.map(toTool).join("")}.build();
${callLast(numbers)}`,
  };
}

function writeFiles(numbers: readonly number[]): Sources {
  const size = Math.ceil(numbers.length / FILES);
  const parts = Array.from({ length: FILES }, (_, part) => numbers.slice(part * size, (part + 1) * size));
  const sources = parts.map((own, part) => [`part${part}.ts`, writePart(part, own)] as const);
  const names = parts.map((_, part) => part);
  return {
    ...Object.fromEntries(sources),
    "main.ts": `import { defineServer } from "tenon";
import { createClient } from "tenon/testing";
${names.map((part) => `import { add${part} } from "./part${part}.js";`).join("\n")}
const server = defineServer({ name: "generated", version: "1.0.0" })
  ${names.map((part) => `.with(add${part})`).join("\n  ")}
  .build();
${callLast(numbers)}`,
  };
}

function writePart(part: number, numbers: readonly number[]): string {
  return `import type { ServerBuilder } from "tenon";
import { z } from "zod";
export function add${part}(builder: ServerBuilder) {
  return builder${numbers.map(toTool).join("")};
}
`;
}

/** Returns a tool with four arguments and an output schema. No two tools have the same types. */
function toTool(number: number): string {
  return `
  .tool("tool_${number}", {
    description: "Tool ${number}",
    input: z.object({
      name${number}: z.string().min(1),
      count: z.number().int().min(0).max(100),
      active: z.boolean().optional(),
      level: z.enum(["low", "high", "level${number}"]).default("low"),
    }),
    output: z.object({ id${number}: z.string(), total: z.number() }),
    handler: ({ name${number}, count, level }) => ({ id${number}: name${number} + level, total: count }),
  })`;
}

/** Returns a typed call of the last tool. It compiles only if the server's type includes that tool. */
function callLast(numbers: readonly number[]): string {
  const last = numbers.length - 1;
  return `const client = await createClient(server);
const { structuredContent } = await client.callTool("tool_${last}", { name${last}: "a", count: 1 });
export const total: number | undefined = structuredContent?.total;
`;
}
