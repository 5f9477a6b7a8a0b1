/**
 * @fileoverview Asks the user in a terminal. Prompts go to standard error, because standard output is for results.
 * @module cli/answers/dialog
 */
import { createInterface } from "node:readline";
import type { JsonObject } from "@tenon/internal/json";
import { interrupted, type Terminal } from "@tenon/internal/command-line/command";
import { isTerminal } from "@tenon/internal/command-line/text";
import { oneLine, stripControls } from "@tenon/internal/text";
import type { AnswerAction } from "./given-answers.js";
import { describeField, type FormField, parseField } from "./form-fields.js";

/** Form to fill in. */
export interface FormQuestion {
  readonly message: string;
  readonly fields: readonly FormField[];
}

/** Dialog with the user. */
export interface Dialog {
  /** Asks for the value of every field, and then for the action. */
  askForm(question: FormQuestion): Promise<{ readonly action: AnswerAction; readonly content: JsonObject }>;
  /** Shows a URL for the user to open, and asks for the action. */
  askUrl(message: string, url: string): Promise<AnswerAction>;
}

/** Creates a dialog if the user can answer: standard input and standard error must be terminals. */
export function createDialog(terminal: Terminal): Dialog | undefined {
  const { stdin, stderr } = terminal;
  return isTerminal(stdin) && isTerminal(stderr) ? new TerminalDialog(terminal) : undefined;
}

class TerminalDialog implements Dialog {
  readonly #terminal: Terminal;
  /** Lines that were typed before their prompt appeared. */
  readonly #early: string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async askForm({ message, fields }: FormQuestion) {
    this.#say(`\n${stripControls(message).trim()}`);
    const content: Record<string, unknown> = {};
    for (;;) {
      for (const field of fields) {
        if (!(await this.#askField(field, content))) return { action: "cancel" as const, content: {} };
      }
      const action = await this.#askAction(fields.length === 0 ? CONFIRM : SEND, fields.length > 0);
      if (action !== "edit") return { action, content: action === "accept" ? content : {} };
    }
  }

  async askUrl(message: string, url: string): Promise<AnswerAction> {
    this.#say(`\n${stripControls(message).trim()}\nOpen this URL in a browser: ${oneLine(url, 2_000)}`);
    const action = await this.#askAction(CONFIRM, false);
    return action === "edit" ? "cancel" : action;
  }

  #say(text: string): void {
    this.#terminal.stderr.write(`${text}\n`);
  }

  /** Asks for a field until the value is valid. Resolves to false at the end of the input. */
  async #askField(field: FormField, content: Record<string, unknown>): Promise<boolean> {
    const fallback = Object.hasOwn(content, field.name) ? content[field.name] : field.schema["default"];
    for (const line of describeForUser(field)) this.#say(line);
    for (;;) {
      const line = await this.#readLine(promptFor(field, fallback));
      if (line === undefined) return false;
      const isEmpty = line.trim() === "";
      if (isEmpty && fallback !== undefined) content[field.name] = fallback;
      if (isEmpty && (fallback !== undefined || !field.isRequired)) return true;
      const parsed = isEmpty ? REQUIRED : parseField(field, line);
      if (parsed.ok) {
        content[field.name] = parsed.value;
        return true;
      }
      this.#say(`  ${nameOf(field)} ${parsed.problem}.`);
    }
  }

  async #askAction(prompt: string, canEdit: boolean): Promise<AnswerAction | "edit"> {
    for (;;) {
      const line = await this.#readLine(prompt);
      if (line === undefined) return "cancel";
      const letter = line.trim().toLowerCase()[0] ?? "y";
      const action = letter === "e" && canEdit ? "edit" : ACTIONS.get(letter);
      if (action !== undefined) return action;
      this.#say(canEdit ? "Type y, e, d, or c." : "Type y, d, or c.");
    }
  }

  /** Reads one line. Resolves to `undefined` at the end of the input. */
  #readLine(prompt: string): Promise<string | undefined> {
    const { stdin, stderr, signal } = this.#terminal;
    const next = this.#early.shift();
    if (next !== undefined) return Promise.resolve(next);
    return new Promise((resolve, reject) => {
      // The reader is closed after each line, so that Ctrl+C stops the program between prompts.
      const reader = createInterface({ input: stdin, output: stderr, terminal: true });
      const finish = (settle: () => void) => {
        signal.removeEventListener("abort", onAbort);
        reader.removeListener("close", onEnd);
        reader.close();
        settle();
      };
      const onEnd = () => finish(() => resolve(undefined));
      const onAbort = () => finish(() => reject(interrupted()));
      let answer: string | undefined;
      reader.on("line", (line) => {
        if (answer !== undefined) return void this.#early.push(line);
        answer = line;
        // A chunk of input can contain several lines, which are all emitted before the microtask runs.
        return queueMicrotask(() => finish(() => resolve(line)));
      });
      reader.on("SIGINT", onAbort);
      reader.once("close", onEnd);
      signal.addEventListener("abort", onAbort);
      reader.setPrompt(prompt);
      reader.prompt();
      if (signal.aborted) onAbort();
    });
  }
}

const ACTIONS: ReadonlyMap<string, AnswerAction> = new Map([
  ["y", "accept"],
  ["d", "decline"],
  ["n", "decline"],
  ["c", "cancel"],
]);
const SEND = "Send this answer? (y)es, (e)dit, (d)ecline, (c)ancel [y]: ";
const CONFIRM = "Continue? (y)es, (d)ecline, (c)ancel [y]: ";
const REQUIRED = { ok: false, problem: "is required" } as const;

/** Returns a field's description and its choices, which can be selected by number. */
function describeForUser({ schema, choices = [] }: FormField): readonly string[] {
  const { description } = schema;
  return [
    ...(typeof description === "string" ? [`  ${oneLine(description, 500)}`] : []),
    ...choices.map(({ value, title }, index) => {
      const shown = String(value) === title ? title : `${title} (${String(value)})`;
      return `    ${index + 1}. ${oneLine(shown)}`;
    }),
  ];
}

function promptFor(field: FormField, fallback: unknown): string {
  const { choices, schema, isRequired } = field;
  const type =
    choices === undefined ? describeField(field) : schema["type"] === "array" ? "comma-separated" : "";
  const facts = [type, isRequired ? "" : "optional"].filter((fact) => fact !== "").join(", ");
  const shown =
    fallback === undefined
      ? ""
      : ` [${oneLine(typeof fallback === "string" ? fallback : JSON.stringify(fallback), 80)}]`;
  return `  ${nameOf(field)}${facts === "" ? "" : ` (${facts})`}${shown}: `;
}

function nameOf({ name, schema }: FormField): string {
  const { title } = schema;
  return oneLine(typeof title === "string" ? title : name, 80);
}
