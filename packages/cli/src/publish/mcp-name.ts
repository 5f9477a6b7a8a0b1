/**
 * @fileoverview Adds `mcpName` to the text of a `package.json` without changing its other lines.
 * @module cli/publish/mcp-name
 */
import { canonicalJson, type JsonObject } from "@tenon/internal/json";

/** Adds `mcpName` after `name`. If the text has an unusual form, it is written anew. */
export function addMcpName(text: string, members: JsonObject, mcpName: string): string {
  const wanted = { ...members, mcpName };
  const line = `"mcpName": ${JSON.stringify(mcpName)},`;
  const edited = text.replace(
    /^([ \t]+)"name"\s*:\s*"[^"\n]*",(\r?\n)/m,
    (found, indent: string, end: string) => {
      return `${found}${indent}${line}${end}`;
    },
  );
  if (isJson(edited, wanted)) return edited;
  const [, indent = "  "] = /^([ \t]+)"/m.exec(text) ?? [];
  return `${JSON.stringify(wanted, null, indent)}\n`;
}

/** Returns true if a text is JSON with the expected value. `name` of the author may be the first one in the text. */
function isJson(text: string, expected: JsonObject): boolean {
  try {
    return canonicalJson(JSON.parse(text)) === canonicalJson(expected);
  } catch {
    return false;
  }
}
