/**
 * @fileoverview Reads code without comments: its lines, and the functions in it.
 * @module tools/metrics/code
 */
import { parseSync, Visitor } from "oxc-parser";

/** Line of code, without indentation. */
export interface CodeLine {
  readonly text: string;
  /** Line number in the file, from 1. */
  readonly line: number;
  /** True for a line of an import, or of a re-export. */
  readonly isImport: boolean;
}

/** Function with its size. */
export interface MeasuredFunction {
  /** Line number of its start, from 1. */
  readonly line: number;
  /** Number of lines, including blank lines and comments. */
  readonly lines: number;
  readonly parameters: number;
}

/** Code of a file. */
export interface Code {
  /** Lines that are neither blank nor part of a comment. */
  readonly lines: readonly CodeLine[];
  /** Functions with a body. */
  readonly functions: readonly MeasuredFunction[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface FunctionNode extends Span {
  readonly params: readonly unknown[];
  readonly body: unknown;
}

/** Parses a file. @throws if its syntax is invalid */
export function readCode(path: string, text: string): Code {
  const { comments, program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path}: ${error.message}`);
  const starts = lineStarts(text);
  const imports = program.body.filter(
    (node) =>
      node.type === "ImportDeclaration" ||
      node.type === "ExportAllDeclaration" ||
      (node.type === "ExportNamedDeclaration" && node.source !== null),
  );
  const isImport = (offset: number) => imports.some(({ start, end }) => start <= offset && offset < end);
  const lines = blank(text, comments)
    .split("\n")
    .map((line, index) => ({
      text: line.trim(),
      line: index + 1,
      isImport: isImport(firstOf(line, starts[index])),
    }))
    .filter((line) => line.text !== "");
  return { lines, functions: findFunctions(program, starts) };
}

/** Replaces the characters of comments by spaces. Keeps line breaks. */
function blank(text: string, comments: readonly Span[]): string {
  let [code, end] = ["", 0];
  for (const comment of comments) {
    code += text.slice(end, comment.start) + text.slice(comment.start, comment.end).replace(/[^\n]/g, " ");
    end = comment.end;
  }
  return code + text.slice(end);
}

/** Returns the offset of the first character of a line that is not a space. */
function firstOf(line: string, start = 0): number {
  return start + line.search(/\S|$/);
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (const { index } of text.matchAll(/\n/g)) starts.push(index + 1);
  return starts;
}

function findFunctions(program: Parameters<Visitor["visit"]>[0], starts: readonly number[]) {
  const lineOf = (offset: number) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
  const found: MeasuredFunction[] = [];
  const note = ({ start, end, params, body }: FunctionNode) => {
    if (body === null) return; // an overload
    const line = lineOf(start);
    found.push({ line, lines: lineOf(end) - line + 1, parameters: params.length });
  };
  new Visitor({
    FunctionDeclaration: note,
    FunctionExpression: note,
    ArrowFunctionExpression: note,
  }).visit(program);
  return found;
}
