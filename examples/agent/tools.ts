/**
 * @fileoverview Four small tools without external dependencies: notes, a calculator, and a slow countdown.
 * @module examples/agent/tools
 */
import { setTimeout as wait } from "node:timers/promises";
import { McpError } from "tenon";
import { defineTool } from "@tenon/agent";

const MAX_NOTES = 100;

/** Notes by title. They are lost when the process ends. */
export type Notes = Map<string, string>;

/** Has a long parameter, to show how it streams. */
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
        throw new McpError("INVALID_INPUT", `Note limit reached (${MAX_NOTES}).`);
      notes.set(title, text);
      return { message: `Kept "${title}"`, toolResult: { title, words: text.split(/\s+/).length } };
    },
  });
}

/** Has no parameters. */
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

/** Has number parameters, and reports invalid input to the model. */
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

/** Runs slowly, reports its progress, and stops immediately when it is cancelled. */
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
      throw new McpError("INVALID_INPUT", `\`from\` must be an integer from 1 to 60; got ${from}.`);
    if (!(interval >= 1 && interval <= 5_000))
      throw new McpError(
        "INVALID_INPUT",
        `\`interval\` must be from 1 to 5000 (milliseconds); got ${interval}.`,
      );
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
      if (right === 0) throw new McpError("INVALID_INPUT", "Division by zero.");
      return left / right;
    default:
      throw new McpError(
        "INVALID_INPUT",
        `\`operator\` must be one of + - * /; got ${JSON.stringify(operator.slice(0, 40))}.`,
      );
  }
}
