/**
 * @fileoverview Reads and writes lists of reviewed exceptions and earlier results.
 * @module tools/attack/data/read-data
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The project's root folder, without a trailing slash. */
export const ROOT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** Reads a JSON file in this folder. */
export function readData(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), "utf8"));
}

/** Writes a JSON file in this folder. Returns true if its content has changed. */
export function writeData(name: string, value: unknown): boolean {
  const text = `${JSON.stringify(value, undefined, 2)}\n`;
  const file = new URL(name, import.meta.url);
  if (readFileSync(file, "utf8") === text) return false;
  writeFileSync(file, text);
  return true;
}
