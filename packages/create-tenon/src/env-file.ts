/**
 * @fileoverview The settings of a new project, from the example that its template has.
 * @module create-tenon/env-file
 */

/** The example with some variables set: where it names one, commented out or not, there; the others at its end. */
export function fillEnvFile(example: string, values: Readonly<Record<string, string>>): string {
  const open = new Map(Object.entries(values));
  const lines = example
    .replace(/\n+$/, "")
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
