/**
 * @fileoverview Validates the parameters of commands.
 * @module cli/page/serve/parse-command
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { type Era, isLogLevel, LOG_LEVELS, type LogLevel } from "tenon/protocol";
import { CommandError } from "../command-error.js";
import type { CommandName, Commands, Nothing } from "../protocol.js";
import { parseRecording } from "../record/recording.js";

/** Functions that read the parameters of each command. @throws {CommandError} if they are not valid */
export const PARSERS: { readonly [Name in CommandName]: (body: JsonObject) => Commands[Name][0] } = {
  call: (body) => {
    const { timeoutMs } = body;
    const limit = timeoutMs === undefined ? {} : { timeoutMs: number(body, "timeoutMs", MAX_TIMEOUT_MS) };
    return { tool: text(body, "tool"), arguments: object(body, "arguments"), era: era(body), ...limit };
  },
  compare: (body) => ({ tool: text(body, "tool"), arguments: object(body, "arguments") }),
  read: (body) => ({ uri: text(body, "uri", MAX_URI), era: era(body) }),
  prompt: (body) => ({ name: text(body, "name"), arguments: texts(body, "arguments"), era: era(body) }),
  cancel: (body) => ({ id: text(body, "id") }),
  repeat: (body) => ({ id: text(body, "id") }),
  validate: (body) =>
    body["question"] === undefined
      ? { tool: text(body, "tool"), arguments: object(body, "arguments") }
      : { question: text(body, "question"), answer: object(body, "answer") },
  complete: (body) => ({
    ref: reference(body),
    argument: text(body, "argument"),
    value: text(body, "value", MAX_TEXT),
    known: texts(body, "known"),
    era: era(body),
  }),
  subscribe: (body) => ({ uri: text(body, "uri", MAX_URI), isOn: flag(body, "isOn") }),
  answer: (body) => ({ id: text(body, "id"), answer: object(body, "answer") }),
  "cancel-task": (body) => ({ id: text(body, "id") }),
  "clear-calls": () => NOTHING,
  "log-level": (body) => ({ level: logLevel(body) }),
  refresh: () => NOTHING,
  export: (body) => (body["ids"] === undefined ? {} : { ids: ids(body) }),
  replay: (body) => ({ recording: parseRecording(body["recording"]) }),
  "cancel-replay": (body) => ({ id: text(body, "id") }),
  "sign-in": () => NOTHING,
  "sign-out": () => NOTHING,
};

/** Empty parameters or result. */
export const NOTHING: Nothing = {};

/** Returns true if a command with this name exists. */
export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(PARSERS, name);
}

const MAX_NAME = 1_000;
const MAX_URI = 8_192;
const MAX_TEXT = 65_536;
const MAX_IDS = 2_000;
const MAX_TIMEOUT_MS = 86_400_000;

function text(body: JsonObject, key: string, limit = MAX_NAME): string {
  const { [key]: value } = body;
  if (typeof value !== "string") throw invalid(key, "a string", value);
  if (value.length > limit)
    throw new CommandError(400, `\`${key}\` is too long (limit: ${limit} characters).`);
  return value;
}

function object(body: JsonObject, key: string): JsonObject {
  const { [key]: value } = body;
  if (!isJsonObject(value)) throw invalid(key, "an object", value);
  return value;
}

function texts(body: JsonObject, key: string): Readonly<Record<string, string>> {
  const entries = Object.entries(object(body, key)).map(([name, value]): [string, string] => {
    if (typeof value !== "string") throw invalid(`${key}.${name}`, "a string", value);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

function flag(body: JsonObject, key: string): boolean {
  const { [key]: value } = body;
  if (typeof value !== "boolean") throw invalid(key, "true or false", value);
  return value;
}

function number(body: JsonObject, key: string, limit: number): number {
  const { [key]: value } = body;
  if (typeof value !== "number" || !(value > 0 && value <= limit))
    throw new CommandError(400, `\`${key}\` must be a number from 1 to ${limit}.`);
  return value;
}

function era(body: JsonObject): Era {
  const { era: value } = body;
  if (value === "legacy" || value === "modern") return value;
  throw new CommandError(400, '`era` must be "legacy" or "modern".');
}

function logLevel(body: JsonObject): LogLevel {
  const { level } = body;
  if (isLogLevel(level)) return level;
  throw new CommandError(400, `\`level\` must be one of ${LOG_LEVELS.join(", ")}.`);
}

function reference(body: JsonObject): Commands["complete"][0]["ref"] {
  const ref = object(body, "ref");
  if (ref["type"] === "prompt") return { type: "prompt", name: text(ref, "name") };
  if (ref["type"] === "resource") return { type: "resource", uri: text(ref, "uri", MAX_URI) };
  throw new CommandError(400, '`ref.type` must be "prompt" or "resource".');
}

function ids(body: JsonObject): readonly string[] {
  const { ids: value } = body;
  if (!Array.isArray(value)) throw invalid("ids", "an array", value);
  if (value.length > MAX_IDS) throw new CommandError(400, `\`ids\` is too long (limit: ${MAX_IDS}).`);
  return value.map((id: unknown) => {
    if (typeof id !== "string") throw invalid("ids", "an array of strings", id);
    return id;
  });
}

function invalid(key: string, expected: string, value: unknown): CommandError {
  return new CommandError(400, `\`${key}\` must be ${expected}; got ${kindOf(value)}.`);
}
