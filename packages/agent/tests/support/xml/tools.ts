/**
 * @fileoverview Tools for the XML tests, and a helper that parses text.
 * @module tests/agent/support/xml/tools
 */
import { defineTool, type AgentToolDescription } from "../../../src/tools/define-tool.js";
import {
  type ToolCall,
  type ToolCallEvent,
  ToolCallStream,
  type ToolCallStreamOptions,
} from "../../../src/xml/tool-call-stream.js";

const done = async () => ({ message: "Done", toolResult: undefined });

/** Tool with string, number, boolean, and array parameters. */
export const search = defineTool({
  name: "search",
  description: "Searches",
  whenToUse: "When something is to be found",
  params: [
    { name: "query", optional: false, description: "What to look for" },
    { name: "limit", optional: true, description: "How many", type: "number" },
    { name: "exact", optional: true, description: "Whether words must match", type: "boolean" },
    {
      name: "filters",
      optional: true,
      description: "Where to look",
      type: "array",
      params: [{ name: "filter", optional: false, description: "One place" }],
    },
  ],
  useExamples: ["<search><query>cats</query></search>"],
  invoke: done,
});

/** Tool with two string parameters, one of which often contains code. */
export const writeFile = defineTool({
  name: "write_file",
  description: "Writes a file",
  whenToUse: "When a file is to be written",
  params: [
    { name: "path", optional: true, description: "Where" },
    { name: "content", optional: false, description: "What" },
  ],
  useExamples: [],
  invoke: done,
});

/** Tool with nested arrays and objects. */
export const plan = defineTool({
  name: "plan",
  description: "Plans work",
  whenToUse: "When there is much to do",
  params: [
    {
      name: "steps",
      optional: false,
      description: "What to do",
      type: "array",
      params: [
        {
          name: "step",
          optional: false,
          description: "One thing",
          type: "object",
          params: [
            { name: "title", optional: false, description: "Its name" },
            { name: "minutes", optional: true, description: "How long", type: "number" },
            {
              name: "tags",
              optional: true,
              description: "Words",
              type: "array",
              params: [{ name: "tag", optional: false, description: "A word" }],
            },
          ],
        },
      ],
    },
    {
      name: "owner",
      optional: true,
      description: "Who",
      type: "object",
      params: [
        { name: "name", optional: false, description: "Name" },
        { name: "grade", optional: true, description: "Grade", type: "number" },
      ],
    },
  ],
  useExamples: [],
  invoke: done,
});

/** Tool without parameters. */
export const ping = defineTool({
  name: "ping",
  description: "Pings",
  whenToUse: "When in doubt",
  params: [],
  useExamples: ["<ping></ping>"],
  invoke: done,
});

/** All tools in this file. */
export const TOOLS: readonly AgentToolDescription[] = [search, writeFile, plan, ping];

/** Result of parsing: the calls and the text around them. */
export interface Reading {
  readonly calls: readonly ToolCall[];
  readonly text: string;
  readonly events: readonly ToolCallEvent[];
}

/** Parses a text that arrives in pieces. */
export function read(
  pieces: readonly string[],
  tools: Iterable<AgentToolDescription> = TOOLS,
  options: ToolCallStreamOptions = {},
): Reading {
  const stream = new ToolCallStream(tools, options);
  const events = [...pieces.flatMap((piece) => stream.feed(piece)), ...stream.finish()];
  return {
    calls: events.flatMap((event) => (event.type === "call" ? event.call : [])),
    text: events.map((event) => (event.type === "text" ? event.text : "")).join(""),
    events,
  };
}
