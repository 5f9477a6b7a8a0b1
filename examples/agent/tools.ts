/**
 * @fileoverview Four small tools that need nothing but this machine: notes, a sum, and a countdown that takes its time.
 * @module examples/agent/tools
 */
import { setTimeout as wait } from "node:timers/promises";
import { McpError } from "tenon";
import { defineTool } from "@tenon/agent";

const MAX_NOTES = 100;

/** Notes, by title. They live as long as the process. */
export type Notes = Map<string, string>;

/** A long parameter, so that one can watch it being written. */
export function createWriteNote(notes: Notes) {
  return defineTool({
    name: "write_note",
    description: "Writes a note down, or over the one of the same title",
    whenToUse: "When the user wants something kept",
    params: [
      { name: "title", optional: false, description: "A few words" },
      { name: "text", optional: false, description: "The whole note" },
    ],
    useExamples: [
      "<write_note><title>Milk</title><text>Two bottles.\nNot the blue ones.</text></write_note>",
    ],
    async invoke({ params: { title, text } }) {
      if (!notes.has(title) && notes.size >= MAX_NOTES)
        throw new McpError("INVALID_INPUT", `There are ${MAX_NOTES} notes already`);
      notes.set(title, text);
      return { message: `Kept "${title}"`, toolResult: { title, words: text.split(/\s+/).length } };
    },
  });
}

/** No parameters at all. */
export function createListNotes(notes: Notes) {
  return defineTool({
    name: "list_notes",
    description: "Lists the titles of all notes",
    whenToUse: "When the user asks what was kept",
    params: [],
    useExamples: ["<list_notes></list_notes>"],
    invoke: async () => ({ message: `${notes.size} notes`, toolResult: [...notes.keys()] }),
  });
}

/** Numbers are numbers, and a mistake is told. */
export const calculate = defineTool({
  name: "calculate",
  description: "Calculates with two numbers",
  whenToUse: "For every sum, instead of guessing",
  params: [
    { name: "left", optional: false, description: "The first number", type: "number" },
    { name: "operator", optional: false, description: "One of + - * /" },
    { name: "right", optional: false, description: "The second number", type: "number" },
  ],
  useExamples: ["<calculate><left>6</left><operator>*</operator><right>7</right></calculate>"],
  async invoke({ params: { left, operator, right } }) {
    const value = apply(left, operator.trim(), right);
    return { message: `${left} ${operator.trim()} ${right} = ${value}`, toolResult: value };
  },
});

/** Slow: it says how far it is, and stops at once when nobody wants it any more. */
export const countDown = defineTool({
  name: "count_down",
  description: "Counts down to zero, a step in each interval",
  whenToUse: "When the user wants to wait for something",
  params: [
    { name: "from", optional: false, description: "Where to begin, 1 to 60", type: "number" },
    { name: "interval", optional: true, description: "Milliseconds of a step, 1 to 5000", type: "number" },
  ],
  useExamples: ["<count_down><from>5</from></count_down>"],
  async invoke({ params: { from, interval = 700 }, signal, postMessage }) {
    if (!Number.isInteger(from) || from < 1 || from > 60)
      throw new McpError("INVALID_INPUT", "from must be 1 to 60");
    if (!(interval >= 1 && interval <= 5_000))
      throw new McpError("INVALID_INPUT", "interval must be 1 to 5000");
    for (let left = from; left > 0; left--) {
      postMessage?.(`${left}…`);
      await wait(interval, undefined, signal === undefined ? {} : { signal });
    }
    return { message: "Zero!", toolResult: { counted: from } };
  },
});

function apply(left: number, operator: string, right: number): number {
  switch (operator) {
    case "+":
      return left + right;
    case "-":
      return left - right;
    case "*":
      return left * right;
    case "/":
      if (right === 0) throw new McpError("INVALID_INPUT", "Nothing can be divided by zero");
      return left / right;
    default:
      throw new McpError("INVALID_INPUT", `operator must be one of + - * /, not ${JSON.stringify(operator)}`);
  }
}
