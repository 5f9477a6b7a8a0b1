/**
 * @fileoverview Creates a new project's `.env` file from the template's `.env.example`.
 * @module create-tenon/env-file
 */
import { trimEndOf } from "@tenon/internal/text";

/** Sets variables in an example file. Replaces each variable's line, or adds one at the end of the file. */
export function fillEnvFile(example: string, values: Readonly<Record<string, string>>): string {
  const open = new Map(Object.entries(values));
  const lines = trimEndOf(example, "\n")
    .split("\n")
    .map((line) => {
      const [, name = ""] = /^(?:#\s*)?([A-Z][A-Z0-9_]*)=/.exec(line) ?? [];
      const value = open.get(name);
      if (value === undefined) return line;
      open.delete(name);
      return `${name}=${value}`;
    });
  const added = [...open].map(([name, value]) => `${name}=${value}`);
  return `${[...(example.trim() === "" ? [] : lines), ...added].join("\n")}\n`;
}
