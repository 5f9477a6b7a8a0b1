/**
 * @fileoverview Formats a server's tools with their arguments, its resources, and its prompts.
 * @module cli/describe/offer
 */
import type { JsonObject } from "@tenon/internal/json";
import type { Terminal } from "@tenon/internal/command-line/command";
import { bold, formatColumns, isTerminal, widthOf, wrapText } from "@tenon/internal/command-line/text";
import { oneLine, stripControls } from "@tenon/internal/text";
import type { ListedEntries } from "../client/list-feature.js";
import { type DescribedArgument, describeArguments, describePromptArguments, textOf } from "./arguments.js";

/** A server's tools, resources, and prompts. */
export interface Offer extends ListedEntries {
  readonly server: JsonObject;
  readonly revision: string;
  readonly instructions?: string;
}

/** Formats an offer as text. Wraps it to a terminal's width, and writes one line per entry to a file or a pipe. */
export function describeOffer(offer: Offer, { stdout, env }: Pick<Terminal, "stdout" | "env">): string {
  const page: Page = {
    strong: bold(stdout, env),
    width: widthOf(stdout),
    clean: (text) =>
      isTerminal(stdout) ? stripControls(text).trim().slice(0, MAX_TEXT) : oneLine(text, MAX_TEXT),
  };
  const { server, revision, instructions } = offer;
  const title = `${page.strong(word(server["name"], "(no name)"))} ${word(server["version"], "")}`.trimEnd();
  const sections = [
    ...section("Tools", offer.tools.map(toToolItem), page),
    ...section(
      "Resources",
      offer.resources.map((item) => toResourceItem(item, "uri")),
      page,
    ),
    ...section(
      "Resource templates",
      offer.resourceTemplates.map((item) => toResourceItem(item, "uriTemplate")),
      page,
    ),
    ...section("Prompts", offer.prompts.map(toPromptItem), page),
  ];
  const nothing =
    sections.length === 0 ? ["", "This server does not offer any tools, resources, or prompts."] : [];
  const intro = instructions === undefined ? "" : page.clean(instructions);
  const notes = intro === "" ? [] : ["", ...wrapText(intro, page.width)];
  return [`${title} (${revision})`, ...notes, ...sections, ...nothing, ""].join("\n");
}

/** Maximum length of an entry's description, in characters. */
const MAX_TEXT = 4_000;

interface Page {
  readonly strong: (text: string) => string;
  readonly width: number;
  /** Removes control characters, and line breaks outside a terminal. */
  readonly clean: (text: string) => string;
}

interface Item {
  readonly name: string;
  readonly description: string;
  readonly args: readonly DescribedArgument[];
}

function section(title: string, items: readonly Item[], { strong, width, clean }: Page): readonly string[] {
  if (items.length === 0) return [];
  const size = Math.min(40, Math.max(...items.map(({ name }) => name.length)));
  const lines = items.flatMap(({ name, description, args }) => [
    ...formatColumns([[name.padEnd(size), clean(description)]], { width, indent: 2 }),
    ...formatColumns(
      args.map((one) => [one.name, one.type, clean(one.description)]),
      { width, indent: 6 },
    ),
  ]);
  return ["", strong(`${title} (${items.length})`), ...lines];
}

function toToolItem(tool: JsonObject): Item {
  return {
    name: word(tool["name"], "?"),
    description: textOf(tool["description"]) || textOf(tool["title"]),
    args: describeArguments(tool["inputSchema"]),
  };
}

function toPromptItem(prompt: JsonObject): Item {
  return {
    name: word(prompt["name"], "?"),
    description: textOf(prompt["description"]) || textOf(prompt["title"]),
    args: describePromptArguments(prompt["arguments"]),
  };
}

function toResourceItem(resource: JsonObject, key: "uri" | "uriTemplate"): Item {
  const { name, title, description, mimeType } = resource;
  const about = textOf(description) || textOf(title) || textOf(name);
  const type = textOf(mimeType) === "" ? "" : ` (${textOf(mimeType)})`;
  return { name: word(resource[key], "?"), description: `${about}${type}`.trim(), args: [] };
}

function word(value: unknown, otherwise: string): string {
  return typeof value === "string" ? oneLine(value, 1_000) : otherwise;
}
