/**
 * @fileoverview Five small tools without external dependencies: notes, a calculator, and a slow countdown.
 * @module examples/agent/tools
 */
import { setTimeout as wait } from "node:timers/promises";
import { McpError } from "tenon";
import { defineTool } from "@tenon/agent";

const MAX_NOTES = 100;

/** Notes by title. Kept in memory, so they are lost when the process exits. */
export type Notes = Map<string, string>;

/** Creates a tool with a long parameter, which shows how parameters stream. */
export function createWriteNote(notes: Notes) {
  return defineTool({
    name: "write_note",
    description: "Saves a note. Replaces a note with the same title",
    whenToUse: "When the user wants to save something",
    params: [
      { name: "title", optional: false, description: "Title of a few words" },
      { name: "text", optional: false, description: "Full text of the note" },
    ],
    useExamples: [
      "<write_note><title>Milk</title><text>Two bottles.\nNot the blue ones.</text></write_note>",
    ],
    async invoke({ params: { title, text } }) {
      if (!notes.has(title) && notes.size >= MAX_NOTES)
        throw new McpError(
          "INVALID_INPUT",
          `Too many notes (limit: ${MAX_NOTES}). Replace an existing note instead.`,
        );
      notes.set(title, text);
      return { message: `Saved "${title}"`, toolResult: { title, words: text.split(/\s+/).length } };
    },
  });
}

/** Creates a tool without parameters. */
export function createListNotes(notes: Notes) {
  return defineTool({
    name: "list_notes",
    description: "Lists the titles of all notes",
    whenToUse: "When the user asks which notes exist",
    params: [],
    useExamples: ["<list_notes></list_notes>"],
    invoke: async () => ({ message: `${notes.size} notes`, toolResult: [...notes.keys()] }),
  });
}

/** Creates a tool that the user must approve. */
export function createDeleteNote(notes: Notes) {
  return defineTool({
    name: "delete_note",
    description: "Deletes a note",
    whenToUse: "When the user no longer needs a note",
    params: [{ name: "title", optional: false, description: "Title of the note" }],
    useExamples: ["<delete_note><title>Milk</title></delete_note>"],
    approval: "ask",
    async invoke({ params: { title } }) {
      if (!notes.delete(title))
        throw new McpError(
          "NOT_FOUND",
          `There is no note with the title ${JSON.stringify(title.slice(0, 80))}.`,
        );
      return { message: `Deleted "${title}"`, toolResult: { title } };
    },
  });
}

/** Tool with number parameters. Reports invalid input to the model. */
export const calculate = defineTool({
  name: "calculate",
  description: "Adds, subtracts, multiplies, or divides two numbers",
  whenToUse: "For every calculation, instead of guessing",
  params: [
    { name: "left", optional: false, description: "First number", type: "number" },
    { name: "operator", optional: false, description: "One of + - * /" },
    { name: "right", optional: false, description: "Second number", type: "number" },
  ],
  useExamples: ["<calculate><left>6</left><operator>*</operator><right>7</right></calculate>"],
  async invoke({ params: { left, operator, right } }) {
    const value = apply(left, operator.trim(), right);
    return { message: `${left} ${operator.trim()} ${right} = ${value}`, toolResult: value };
  },
});

/** Slow tool. Reports its progress, and stops immediately when it is cancelled. */
export const countDown = defineTool({
  name: "count_down",
  description: "Counts down to zero, one step per interval",
  whenToUse: "When the user wants to wait for something",
  params: [
    { name: "from", optional: false, description: "Number to start from, 1 to 60", type: "number" },
    {
      name: "interval",
      optional: true,
      description: "Length of a step in milliseconds, 1 to 5000",
      type: "number",
    },
  ],
  useExamples: ["<count_down><from>5</from></count_down>"],
  async invoke({ params: { from, interval = 700 }, signal, postMessage }) {
    if (!Number.isInteger(from) || from < 1 || from > 60)
      throw new McpError("INVALID_INPUT", `\`from\` must be an integer from 1 to 60; got ${from}.`);
    if (!(interval >= 1 && interval <= 5_000))
      throw new McpError(
        "INVALID_INPUT",
        `\`interval\` must be a number from 1 to 5000 (milliseconds); got ${interval}.`,
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
      if (right === 0) throw new McpError("INVALID_INPUT", "Division by zero. `right` must not be 0.");
      return left / right;
    default:
      throw new McpError(
        "INVALID_INPUT",
        `\`operator\` must be one of + - * /; got ${JSON.stringify(operator.slice(0, 40))}.`,
      );
  }
}
