/**
 * @fileoverview Answers a server's requests for input with `--answer` values, or by asking the user in a terminal.
 * @module cli/answers/answerer
 */
import type { JsonObject } from "@tenon/internal/json";
import { closestName } from "@tenon/internal/names/closest-name";
import { cliError, type Terminal } from "@tenon/internal/command-line/command";
import { repeated } from "@tenon/internal/command-line/flags";
import { oneLine } from "@tenon/internal/text";
import type { UserAnswer } from "tenon/client";
import { createDialog, type Dialog } from "./dialog.js";
import { describeField, type FormField, parseField, readFields } from "./form-fields.js";
import { type GivenAnswers, parseAnswers } from "./given-answers.js";

/** Flags for answers to a server's requests for input. */
export const ANSWER_ARGS = {
  answer: repeated(
    "name=value",
    "Answer to a request for input: name=value, a JSON object, accept, decline, or cancel",
  ),
};

/** Answers requests for input, and tracks which answers were used. */
export interface Answerer {
  /** Answers one request. If it cannot be answered, `signal` aborts with the error. */
  readonly input: (params: JsonObject) => Promise<UserAnswer>;
  /** Stops the call when a request cannot be answered. */
  readonly signal: AbortSignal;
  /** Returns the names in `--answer` that the server did not ask for. */
  unused(): readonly string[];
}

/**
 * Creates an answerer. Returns `undefined` without answers and without a terminal. The client then does not declare
 * that it supports elicitation. `beforeQuestion` runs before the user is asked.
 *
 * @throws {CliError} if an answer is malformed
 */
export function createAnswerer(
  words: readonly string[],
  terminal: Terminal,
  beforeQuestion: () => void,
): Answerer | undefined {
  const given = parseAnswers(words);
  const dialog = createDialog(terminal);
  if (words.length === 0 && dialog === undefined) return undefined;
  const used = new Set<string>();
  // Servers may send multiple requests at once. The user answers them one at a time.
  let last: Promise<unknown> = Promise.resolve();
  const failed = new AbortController();
  const answer = (params: JsonObject) =>
    params["mode"] === "url" || typeof params["url"] === "string"
      ? answerUrl(params, given, dialog)
      : answerForm(params, { given, dialog, used });
  return {
    signal: failed.signal,
    async input(params) {
      const next = last.then(() => {
        beforeQuestion();
        return answer(params);
      });
      last = next.catch(() => undefined);
      try {
        return await next;
      } catch (error) {
        failed.abort(error);
        return { action: "cancel" };
      }
    },
    unused: () => [...given.texts.keys(), ...Object.keys(given.values)].filter((name) => !used.has(name)),
  };
}

/** Warns about answers that the server did not ask for, because their names may be misspelled. */
export function warnUnused(answerer: Answerer | undefined, { stderr }: Terminal): void {
  for (const name of answerer?.unused() ?? []) {
    stderr.write(`--answer ${oneLine(name, 60)} was not used: the server did not ask for it.\n`);
  }
}

interface FormContext {
  readonly given: GivenAnswers;
  readonly dialog: Dialog | undefined;
  /** Names of the answers that were used. */
  readonly used: Set<string>;
}

async function answerForm(params: JsonObject, { given, dialog, used }: FormContext): Promise<UserAnswer> {
  const { action } = given;
  if (action === "decline" || action === "cancel") return { action };
  const fields = readFields(params["requestedSchema"]);
  const message = typeof params["message"] === "string" ? params["message"] : "";
  const content = Object.fromEntries(
    fields.flatMap((field) => {
      const value = valueFor(field, given);
      if (value === undefined) return [];
      used.add(field.name);
      return [[field.name, value]];
    }),
  );
  const withDefaults = action === "accept" ? { ...defaultsOf(fields), ...content } : content;
  const isAnswered = action === "accept" || Object.keys(content).length > 0;
  const open = fields.filter(({ name }) => !Object.hasOwn(withDefaults, name));
  const missing = open.filter(({ isRequired }) => isRequired);
  if (isAnswered && missing.length === 0) return { action: "accept", content: withDefaults };
  if (dialog === undefined) throw unanswered(message, { fields, missing, given });
  const asked = await dialog.askForm({ message, fields: isAnswered ? missing : fields });
  return asked.action === "accept"
    ? { action: "accept", content: { ...withDefaults, ...asked.content } }
    : { action: asked.action };
}

async function answerUrl(
  params: JsonObject,
  { action }: GivenAnswers,
  dialog: Dialog | undefined,
): Promise<UserAnswer> {
  if (action !== undefined) return { action };
  const url = typeof params["url"] === "string" ? params["url"] : "";
  const message = typeof params["message"] === "string" ? params["message"] : "";
  // Other schemes could start a program on the user's machine.
  if (!/^https?:\/\//i.test(url))
    throw cliError("The server asked to open a URL that does not start with http:// or https://.");
  if (dialog !== undefined) return { action: await dialog.askUrl(message, url) };
  throw cliError(
    `The server asks to open a URL: ${oneLine(message)} ${oneLine(url, 2_000)}\n` +
      "Open it, and repeat the command with --answer accept. To decline, use --answer decline.",
  );
}

/** Returns the value of a field from the flags. @throws {CliError} if it is not valid */
function valueFor(field: FormField, { texts, values }: GivenAnswers): unknown {
  const text = texts.get(field.name);
  if (text === undefined) return Object.hasOwn(values, field.name) ? values[field.name] : undefined;
  const parsed = parseField(field, text);
  if (parsed.ok) return parsed.value;
  const name = oneLine(field.name, 60);
  throw cliError(`--answer ${name}=${oneLine(text, 60)} is not valid: ${name} ${parsed.problem}.`);
}

function defaultsOf(fields: readonly FormField[]): JsonObject {
  return Object.fromEntries(
    fields.flatMap(({ name, schema }) =>
      schema["default"] === undefined ? [] : [[name, schema["default"]]],
    ),
  );
}

interface Unanswered {
  readonly fields: readonly FormField[];
  readonly missing: readonly FormField[];
  readonly given: GivenAnswers;
}

function unanswered(message: string, { fields, missing, given }: Unanswered) {
  const needed = missing.length > 0 ? missing : fields;
  const flags = needed.map((field) => `--answer ${oneLine(field.name, 60)}=<${describeField(field)}>`);
  const names = fields.map(({ name }) => name);
  const typos = [...given.texts.keys(), ...Object.keys(given.values)].flatMap((name) => {
    const meant = names.includes(name) ? undefined : closestName(name, names);
    return meant === undefined
      ? []
      : [` Did you mean ${oneLine(meant, 60)} instead of ${oneLine(name, 60)}?`];
  });
  const how = flags.length === 0 ? "--answer accept" : flags.join(" ");
  return cliError(`The server asks: ${oneLine(message, 500)}\nAnswer with ${how}.${typos.join("")}`);
}
