/**
 * @fileoverview Formats numbers and bars for the tables of `tenon tokens`.
 * @module cli/tokens/format
 */
import type { Terminal } from "@tenon/internal/command-line/command";
import { isTerminal } from "@tenon/internal/command-line/text";

/** Formats a number with thousands separators. */
export function formatNumber(number: number): string {
  return number.toLocaleString("en-US");
}

/** Formats a change with its sign: `+1,200`, `-30`, or `0`. */
export function formatChange(change: number): string {
  return change > 0 ? `+${formatNumber(change)}` : formatNumber(change);
}

/** Formats a share as a percentage with one decimal place. */
export function formatShare(part: number, whole: number): string {
  return whole === 0 ? "0.0%" : `${((part / whole) * 100).toFixed(1)}%`;
}

/** Characters of a bar: a full cell, and partial cells from the smallest to the largest. */
export interface BarStyle {
  readonly full: string;
  readonly partial: readonly string[];
}

/** Bars with block characters, at a resolution of one eighth of a cell. */
export const BLOCKS: BarStyle = { full: "█", partial: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"] };

/** Bars for files and for terminals without UTF-8. */
export const HASHES: BarStyle = { full: "#", partial: [] };

/** Returns the style for a terminal: blocks if it shows UTF-8. */
export function barStyleOf({ stdout, env }: Pick<Terminal, "stdout" | "env">): BarStyle {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((value) => (value ?? "") !== "") ?? "";
  // Windows Terminal always shows UTF-8, and Windows does not set a locale.
  const isUtf8 = /utf-?8/i.test(locale) || (env["WT_SESSION"] ?? "") !== "";
  return isTerminal(stdout) && isUtf8 && env["TERM"] !== "dumb" ? BLOCKS : HASHES;
}

/** Draws a bar for a share from 0 to 1. Every share above 0 is visible. */
export function drawBar(share: number, cells: number, { full, partial }: BarStyle): string {
  const steps = partial.length + 1;
  const length = Math.round(Math.min(1, Math.max(0, share)) * cells * steps);
  const shown = share > 0 ? Math.max(1, length) : 0;
  return full.repeat(Math.floor(shown / steps)) + (partial[(shown % steps) - 1] ?? "");
}
