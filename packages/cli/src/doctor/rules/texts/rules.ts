/**
 * @fileoverview Rules for descriptions and instructions.
 * @module cli/doctor/rules/texts/rules
 */
import { placeOf, listNames } from "../../facts/place.js";
import { toolRule } from "../../item-rule.js";
import type { Problem, Rule } from "../../rule.js";
import type { EntryFact, ToolFact } from "../../facts/facts.js";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { propertiesOf } from "../../facts/schema-nodes.js";

/** Rules for descriptions and instructions, in the order of the documentation. */
export const TEXT_RULES: readonly Rule[] = [
  // Reports tools and prompts without a description.
  {
    id: "description-missing",
    severity: "warning",
    title: "Missing description",
    *check({ tools, prompts }) {
      yield* findBlank(tools, {
        message:
          "The tool has no description. Models decide by the description when to call a tool, and some clients reject the tool.",
        fix: "Describe what the tool does, and when to use it.",
      });
      yield* findBlank(prompts, {
        message: "The prompt has no description, so users see only its name.",
        fix: "Describe what the prompt is for.",
      });
    },
  },
  // Reports descriptions that contain only the words of the name or of the title.
  toolRule({
    id: "description-name",
    severity: "warning",
    title: "Description repeats the name",
    find: ({ name, description = "", raw }) => {
      const words = letters(description);
      return words !== "" && (words === letters(name) || words === letters(raw["title"]));
    },
    place: ({ place }) => placeOf(place, "description"),
    message: "The description repeats the name, so it does not help a model to choose the tool.",
    fix: "Describe what the tool does, what it returns, and when to use it.",
  }),
  // Reports descriptions that several tools share. One finding per description.
  {
    id: "description-duplicate",
    severity: "warning",
    title: "Several tools with the same description",
    *check({ tools }) {
      const groups = new Map<string, ToolFact[]>();
      for (const tool of tools) {
        const text = (tool.description ?? "").trim();
        if (text !== "") groups.set(text, [...(groups.get(text) ?? []), tool]);
      }
      for (const group of groups.values()) {
        const [first, second] = group;
        if (first === undefined || second === undefined || second.name === first.name) continue;
        yield {
          place: placeOf(second.place, "description"),
          message: `The tools ${listNames(group.map(({ name }) => name))} have the same description, so a model cannot choose between them.`,
          fix: "Describe how the tools differ, or merge them into one tool.",
        };
      }
    },
  },
  // Reports descriptions that OpenAI's API rejects or Claude Code cuts off.
  toolRule({
    id: "description-long",
    severity: "warning",
    title: "Description over 1,024 characters",
    find: ({ description = "" }) => description.length > MAX_OPENAI && description.length,
    place: ({ place }) => placeOf(place, "description"),
    message: (_, length) =>
      `The description has ${length} characters (limit: ${MAX_OPENAI}). OpenAI's Chat Completions API rejects it.${length > MAX_CLAUDE_CODE ? CUT_OFF : ""}`,
    fix: "Keep what a model needs to choose the tool, and move the rest to the parameters, a resource, or a prompt.",
  }),
  // Reports parameters without a description. One finding per tool or prompt.
  {
    id: "parameter-undescribed",
    severity: "info",
    title: "Parameter without a description",
    *check({ tools, prompts }) {
      for (const { input, place } of tools) {
        const names = propertiesOf(input).flatMap(([name, schema]) => (isDescribed(schema) ? [] : [name]));
        const [first] = names;
        if (first === undefined) continue;
        yield {
          place: placeOf(place, "inputSchema", "properties", first),
          message: `${describe(names)}, so models guess the meaning from the name.`,
          fix: "Add a `description` with the meaning, the form, and an example. In Zod, use `.describe()`.",
        };
      }
      for (const { raw, place } of prompts) {
        const names = argumentsOf(raw).flatMap(({ name, description }) =>
          typeof name === "string" && !isText(description) ? [name] : [],
        );
        if (names.length === 0) continue;
        yield {
          place: placeOf(place, "arguments"),
          message: `${describe(names)}, so users see only the name.`,
          fix: "Add a `description` to each argument.",
        };
      }
    },
  },
  // Reports instructions that Claude Code cuts off.
  {
    id: "instructions-long",
    severity: "warning",
    title: "Instructions over 2,048 characters",
    *check({ instructions = "" }) {
      if (instructions.length <= MAX_INSTRUCTIONS) return;
      yield {
        place: "instructions",
        message: `The instructions have ${instructions.length} characters (limit: ${MAX_INSTRUCTIONS}). Claude Code cuts off the rest.`,
        fix: "Put the most important rules first, and move details to the descriptions of the tools.",
      };
    },
  },
];

function* findBlank(entries: readonly EntryFact[], text: Omit<Problem, "place">): Iterable<Problem> {
  for (const { description = "", place } of entries)
    if (description.trim() === "") yield { place: placeOf(place, "description"), ...text };
}

/** Returns the letters and digits of a text in lower case. */
function letters(text: unknown): string {
  return typeof text === "string" ? text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "") : "";
}

/** Longest description in OpenAI's Chat Completions API, and longest one that Claude Code passes on. */
const MAX_OPENAI = 1_024;
const MAX_CLAUDE_CODE = 2_048;
const CUT_OFF = ` Claude Code cuts it off after ${MAX_CLAUDE_CODE} characters.`;

function describe(names: readonly string[]): string {
  return names.length === 1
    ? `The parameter ${listNames(names)} has no description`
    : `The parameters ${listNames(names)} have no description`;
}

/** Returns true if the schema explains the parameter: with a description, a list of values, or in the schemas inside. */
function isDescribed(schema: unknown, depth = 0): boolean {
  // A reference can have its description in the definition.
  if (!isJsonObject(schema) || typeof schema["$ref"] === "string" || isText(schema["description"]))
    return true;
  if (Array.isArray(schema["enum"]) || schema["const"] !== undefined) return true;
  if (depth === MAX_DEPTH) return false;
  const { items } = schema;
  const members = propertiesOf(schema);
  return (
    ["anyOf", "oneOf", "allOf"].some((keyword) => isOneDescribed(schema[keyword], depth)) ||
    (isJsonObject(items) && isDescribed(items, depth + 1)) ||
    (members.length > 0 && members.every(([, member]) => isDescribed(member, depth + 1)))
  );
}

/** Maximum number of levels at which descriptions are searched. */
const MAX_DEPTH = 4;

function isOneDescribed(parts: unknown, depth: number): boolean {
  return Array.isArray(parts) && parts.some((part) => isJsonObject(part) && isDescribed(part, depth + 1));
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value.trim() !== "";
}

function argumentsOf(prompt: JsonObject): readonly JsonObject[] {
  const list = prompt["arguments"];
  return Array.isArray(list) ? (list as unknown[]).filter(isJsonObject) : [];
}

/** Longest instructions that Claude Code passes on. */
const MAX_INSTRUCTIONS = 2_048;
