/**
 * @fileoverview Shows changes of source files as a diff. Hidden characters are shown as code points.
 * @module cli/doctor/report/diff
 */
import { relative } from "node:path";
import { visible } from "../facts/place.js";
import type { Fix } from "../fix/plan-fixes.js";

/** Line of a file that a change concerns, counted from 1. */
export function lineOf({ file, start }: Fix): number {
  return file.text.slice(0, start).split("\n").length;
}

/** Renders a change in the unified format, without the lines around it. */
export function renderFix(fix: Fix, cwd: string): readonly string[] {
  const { file, start, end, code } = fix;
  const { text } = file;
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const next = text.indexOf("\n", end);
  const to = next === -1 ? text.length : next;
  const before = text.slice(from, to).split("\n");
  const after = (text.slice(from, start) + code + text.slice(end, to)).split("\n");
  const path = relative(cwd, file.path) || file.path;
  const line = lineOf(fix);
  return [
    `--- ${visible(path)}`,
    `+++ ${visible(path)}`,
    `@@ -${line},${before.length} +${line},${after.length} @@`,
    ...before.map((one) => `-${shorten(one)}`),
    ...after.map((one) => `+${shorten(one)}`),
  ];
}

const MAX_LINE = 400;

function shorten(line: string): string {
  const shown = visible(line.replace(/\r$/, ""));
  return shown.length > MAX_LINE ? `${shown.slice(0, MAX_LINE - 1)}…` : shown;
}
