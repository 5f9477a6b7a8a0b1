/**
 * @fileoverview Prints tool calls in the XML format that models write.
 * @module agent/xml/print-tool-call
 */
import { isJsonObject } from "@tenon/internal/json";
import type { ToolDefinition } from "../tools/define-tool.js";
import type { ToolParam } from "../tools/tool-param.js";
import { parseToolParams } from "../tools/tool-schema.js";
import { escapeText } from "./entities.js";

/**
 * Prints a call to a tool. Parsing the text returns the same parameters.
 *
 * @throws {ValidationError} if the parameters do not match the tool
 */
export function printToolCall<TParams>(tool: ToolDefinition<string, TParams>, params: TParams): string {
  const checked: unknown = parseToolParams(tool, params);
  return printMembers(tool.name, tool.params, { value: checked, indent: "" });
}

interface Place {
  readonly value: unknown;
  readonly indent: string;
}

function printParam({ name, type, format, params = [] }: ToolParam, { value, indent }: Place): string {
  if (format === "json") return `${indent}<${name}>${escapeText(JSON.stringify(value))}</${name}>`;
  if (type === "object") return printMembers(name, params, { value, indent });
  if (type !== "array") return `${indent}<${name}>${escapeText(print(value))}</${name}>`;
  const [item] = params;
  const values: readonly unknown[] = Array.isArray(value) && item !== undefined ? value : [];
  const elements = values.map((element) =>
    item === undefined ? "" : printParam(item, { value: element, indent: `${indent}  ` }),
  );
  return wrap(name, elements, indent);
}

function printMembers(name: string, params: readonly ToolParam[], { value, indent }: Place): string {
  const members = isJsonObject(value) ? value : {};
  const inner = params
    .filter((param) => members[param.name] !== undefined)
    .map((param) => printParam(param, { value: members[param.name], indent: `${indent}  ` }));
  return wrap(name, inner, indent);
}

function wrap(name: string, inner: readonly string[], indent: string): string {
  if (inner.length === 0) return `${indent}<${name}></${name}>`;
  return `${indent}<${name}>\n${inner.join("\n")}\n${indent}</${name}>`;
}

/** Prints a value. Negative zero keeps its sign, which `String` would drop. */
function print(value: unknown): string {
  return Object.is(value, -0) ? "-0" : String(value);
}
