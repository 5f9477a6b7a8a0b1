/**
 * @fileoverview `npm run agent-messages`: generates the table of agent messages in the guide from the message schemas.
 * @module scripts/agent-messages
 */
import { readFileSync, writeFileSync } from "node:fs";
import { format } from "prettier";
import { z } from "zod";
import { SERVER_MESSAGES, USER_MESSAGES } from "../packages/agent/src/messages/built-in-messages.js";

const GUIDE = new URL("../docs/guides/agent.md", import.meta.url);
const BEGIN = "<!-- messages: npm run agent-messages -->";
const END = "<!-- end of messages -->";

/** Returns the guide as it is, and the guide with an up-to-date table. */
export async function renderGuide(): Promise<{ readonly is: string; readonly shouldBe: string }> {
  const is = readFileSync(GUIDE, "utf8");
  const [begin, end] = [is.indexOf(BEGIN), is.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new Error(`docs/guides/agent.md must contain "${BEGIN}" and, after it, "${END}".`);
  const table = [
    "| From | Type | `data` | Description |",
    "| --- | --- | --- | --- |",
    ...USER_MESSAGES.map((schema) => toRow("client", schema)),
    ...SERVER_MESSAGES.map((schema) => toRow("server", schema)),
  ].join("\n");
  const whole = `${is.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${is.slice(end)}`;
  return { is, shouldBe: await format(whole, { parser: "markdown", printWidth: 110 }) };
}

type MessageSchema = (typeof USER_MESSAGES)[number] | (typeof SERVER_MESSAGES)[number];

function toRow(from: string, schema: MessageSchema): string {
  const json = z.toJSONSchema(schema.shape.data, { io: "input" });
  const required = new Set(json.required);
  const fields = Object.entries(json.properties ?? {}).map(
    ([name, property]) => `\`${name}${required.has(name) ? "" : "?"}\` ${describeType(property)}`,
  );
  return `| ${from} | \`${schema.shape.type.value}\` | ${fields.join("<br>")} | ${schema.description ?? ""}. |`;
}

function describeType(property: z.core.JSONSchema._JSONSchema): string {
  if (typeof property === "boolean") return "any";
  const { type, enum: values, items, anyOf } = property;
  if (values !== undefined) return CHOICES.format(values.map((value) => `\`${JSON.stringify(value)}\``));
  if (type === "array") return describeList(Array.isArray(items) || items === undefined ? true : items);
  if (type === "object") return `{ ${Object.keys(property.properties ?? {}).join(", ")} }`;
  if (typeof type === "string") return type === "integer" ? "number" : type;
  return anyOf === undefined ? "any" : "string";
}

const CHOICES = new Intl.ListFormat("en-US", { type: "disjunction" });

function describeList(items: z.core.JSONSchema._JSONSchema): string {
  const element = describeType(items);
  if (element === "any") return "list";
  return `list of ${element}${/\w$/.test(element) ? "s" : ""}`;
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(GUIDE, (await renderGuide()).shouldBe);
}
