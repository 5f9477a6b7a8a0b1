/**
 * @fileoverview Writes the start of a large value as JSON, without the cost of writing all of it.
 * @module cli/page/record/bounded-json
 */
import { isJsonObject } from "@tenon/internal/json";

/** Writes a value from a parsed message as JSON. Stops after about `limit` characters, so the text can be incomplete. */
export function toBoundedJson(value: unknown, limit: number): string {
  const parts: string[] = [];
  let left = limit;
  const write = (text: string) => {
    parts.push(text);
    left -= text.length;
  };
  const writeValue = (current: unknown): void => {
    if (left <= 0) return;
    if (Array.isArray(current)) {
      write("[");
      for (const [index, item] of current.entries()) {
        if (left <= 0) return;
        if (index > 0) write(",");
        writeValue(item);
      }
      write("]");
    } else if (isJsonObject(current)) {
      write("{");
      let isFirst = true;
      for (const key in current) {
        if (left <= 0) return;
        write(`${isFirst ? "" : ","}${JSON.stringify(key.slice(0, left))}:`);
        isFirst = false;
        writeValue(current[key]);
      }
      write("}");
    } else write(JSON.stringify(typeof current === "string" ? current.slice(0, left) : current) ?? "null");
  };
  writeValue(value);
  return parts.join("");
}
