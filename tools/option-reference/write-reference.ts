/**
 * @fileoverview Writes the reference of options as Markdown, and finds rows whose comments are missing or wrong.
 * @module tools/option-reference/write-reference
 */
import {
  expectedOf,
  type Option,
  type OptionTable,
} from "../../packages/internal/src/options/define-options.js";
import type { FoundTables } from "./read-tables.js";

/** Text of the reference, and everything that is wrong with the tables. */
export interface OptionReference {
  readonly text: string;
  readonly problems: readonly string[];
}

/** Writes the reference. Tables whose rows are all part of a larger table are left out. */
export function writeReference({ tables, commentOf }: FoundTables): OptionReference {
  const problems: string[] = [];
  const all = tables.map(({ table }) => table);
  const whole = tables.filter(({ table }) => !all.some((other) => other !== table && contains(other, table)));
  const sections = whole
    .map(({ package: folder, table }) => ({
      folder,
      label: table.label,
      rows: [...listRows(table, "")].map(([name, row, own]) => {
        const comment = commentOf(row);
        if (comment === undefined) problems.push(`${folder}: ${table.label}: \`${name}\` has no comment.`);
        return toRow({ name, row, own, comment: comment ?? "", problems });
      }),
    }))
    .toSorted((one, other) => compare(one.folder, other.folder) || compare(one.label, other.label));
  const folders = [...new Set(sections.map(({ folder }) => folder))];
  const text = folders.flatMap((folder) => [
    `## ${folder === "tenon" ? "`tenon`" : `\`@tenon/${folder}\``}\n`,
    ...sections
      .filter((one) => one.folder === folder)
      .map(({ label, rows }) => `### ${label}\n\n${HEAD}\n${rows.join("\n")}\n`),
  ]);
  return { text: `${INTRODUCTION}\n${text.join("\n")}`, problems };
}

const INTRODUCTION = `# Options

All options, with the values that they accept and their defaults. This page is generated from the code by \`npm run options\`. An unknown option or an invalid value fails at startup, with a suggestion.
`;

const HEAD = "| Option | Values | Default | Variable | Description |\n| --- | --- | --- | --- | --- |";

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Returns true if a table has all rows of another one, or has it as the members of an option. */
function contains(outer: OptionTable, inner: OptionTable): boolean {
  const rows = new Set<unknown>(Object.values(outer.rows));
  if (Object.values(outer.rows).some(({ members }) => members === inner)) return true;
  const own = Object.values(inner.rows);
  return own.length < rows.size && own.every((row) => rows.has(row));
}

/** Lists the rows of a table with their paths, and the rows of options inside them. */
function* listRows({ rows }: OptionTable, at: string): Generator<readonly [string, Option, string]> {
  for (const [own, row] of Object.entries(rows)) {
    yield [`${at}${own}`, row, own];
    if (row.members !== undefined) yield* listRows(row.members, `${at}${own}.`);
  }
}

interface RowFacts {
  readonly name: string;
  readonly row: Option;
  readonly own: string;
  readonly comment: string;
  readonly problems: string[];
}

function toRow({ name, row, own, comment, problems }: RowFacts): string {
  const [described = "", ...tags] = comment.split(/(?:^|\s)@/);
  const [, written] = /^default\s+([\s\S]*)$/.exec(tags.find((tag) => tag.startsWith("default")) ?? "") ?? [];
  const fixed = plain(row.default);
  if (
    written !== undefined &&
    fixed !== undefined &&
    isLiteral(written) &&
    literal(written) !== literal(fixed)
  )
    problems.push(`\`${name}\`: the comment says @default ${written}, but the default is ${fixed}.`);
  const expected = row.members === undefined ? expectedOf(own, row) : "an object";
  const cells = [
    `\`${name}\``,
    expected === "valid" ? "" : expected,
    row.required === true ? "required" : (written ?? fixed ?? ""),
    row.env === undefined ? "" : `\`${row.env}\``,
    described,
  ];
  return `| ${cells.map((cell) => cell.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").trim()).join(" | ")} |`;
}

/** Shows a default that is a plain value. */
function plain(value: unknown): string | undefined {
  if (typeof value === "string") return `"${value}"`;
  return typeof value === "number" || typeof value === "boolean" || value === null
    ? String(value)
    : undefined;
}

/** Returns true if a default in a comment is a value, not a description. */
function isLiteral(text: string): boolean {
  return /^(?:["`].*["`]|[\d,_.]+(?: [KMG]iB)?|true|false|null)$/.test(text.trim());
}

/** Reads a value without quotes and separators. Sizes become bytes. */
function literal(text: string): string {
  const [, count = "", unit = ""] = /^([\d,_.]+) ([KMG])iB$/.exec(text.trim()) ?? [];
  if (count !== "") return String(Number(count) * 1_024 ** " KMG".indexOf(unit));
  return text.replaceAll(/["'`_,\s]/g, "");
}
