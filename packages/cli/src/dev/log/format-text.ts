/**
 * @fileoverview Formats events for people, with colors if the terminal has them.
 * @module cli/dev/log/format-text
 */
import { countOf } from "@tenon/internal/command-line/text";
import { oneLine, stripControls } from "@tenon/internal/text";
import { formatNumber } from "../../tokens/format.js";
import type {
  CallEvent,
  DevEvent,
  FailedEvent,
  Problem,
  ReloadedEvent,
  StartedEvent,
  ToolsEvent,
} from "./events.js";

/** Formats an event as lines, each with a line break. */
export function formatText(event: DevEvent, time: Date, style: Style): string {
  const lines = toLines(event, style.dim(formatTime(time)), style);
  return lines.map((line) => `${line}\n`).join("");
}

function toLines(event: DevEvent, time: string, style: Style): readonly string[] {
  switch (event.event) {
    case "started":
      return formatStarted(event, style);
    case "tools":
      return formatTools(event, style);
    case "reloaded":
      return formatReloaded(event, time, style);
    case "call":
      return [formatCall(event, time, style)];
    case "output":
      return [`${style.dim("|")} ${stripControls(event.text)}`];
    case "note":
      return [`${time}  ${stripControls(event.text)}`];
    default:
      return formatFailed(event, time, style);
  }
}

function formatStarted(
  { name, version, url, page, files }: StartedEvent,
  { bold, cyan, dim }: Style,
): readonly string[] {
  const server = [oneLine(name, 80), oneLine(version, 40)].filter((word) => word !== "").join(" ");
  const where = url === undefined ? "over stdio" : `on ${cyan(url)}`;
  return [
    ...(page === undefined ? [] : [`Open ${cyan(page)} to try the server in a browser`]),
    `Serving ${bold(server)} ${where}`,
    ...(url === undefined ? [] : [dim(`To add it to a client: npx tenon install claude-code ${url}`)]),
    dim(`Watching ${countOf(files, "file")}. Press Ctrl+C to stop.`),
  ];
}

function formatTools(
  { tools, tokens, resources, prompts }: ToolsEvent,
  { bold, dim }: Style,
): readonly string[] {
  const names = tools.map(({ name }) => oneLine(name, MAX_NAME));
  const counts = tools.map((tool) => (tool.tokens === undefined ? "" : formatNumber(tool.tokens)));
  const total = tokens === undefined ? "" : formatNumber(tokens);
  const label = [countOf(tools.length, "tool"), countOf(resources, "resource"), countOf(prompts, "prompt")]
    .filter((part, index) => index === 0 || !part.startsWith("0 "))
    .join(", ");
  const nameWidth = Math.max(...[...names, label, "Tool"].map((text) => text.length));
  const countWidth = Math.max(...[...counts, total, "Tokens"].map((text) => text.length));
  const row = (name: string, cost: string) =>
    `  ${name.padEnd(nameWidth)}  ${cost.padStart(countWidth)}`.trimEnd();
  return [
    "",
    dim(row("Tool", tokens === undefined ? "" : "Tokens")),
    ...names.map((name, index) => row(name, counts[index] ?? "")),
    bold(row(label, total)),
    "",
  ];
}

function formatReloaded({ ms, changes }: ReloadedEvent, time: string, style: Style): readonly string[] {
  const signs = { "+": style.green, "~": style.yellow, "-": style.red } as const;
  return [
    `${time}  ${style.green("reloaded")} in ${ms} ms`,
    ...changes.map(({ sign, noun, name, tokens }) => {
      const cost = tokens === undefined ? "" : `  ${style.dim(`${formatNumber(tokens)} tokens`)}`;
      return `${INDENT}${signs[sign](sign)} ${noun} ${oneLine(name, MAX_NAME)}${cost}`;
    }),
  ];
}

function formatCall(call: CallEvent, time: string, style: Style): string {
  const { method, name, ms, outcome, code, message } = call;
  const label = oneLine(name === undefined ? method : `${method} ${name}`, MAX_NAME);
  const color = { ok: style.green, "tool-error": style.red, error: style.red, cancelled: style.yellow }[
    outcome
  ];
  const shown = outcome === "tool-error" ? "error" : outcome;
  const detail = [code, message === undefined ? undefined : oneLine(message, MAX_MESSAGE)]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
  const duration = `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return `${time}  ${label.padEnd(32)}  ${duration.padStart(8)}  ${color(shown)}${detail === "" ? "" : `  ${detail}`}`;
}

const TITLES: Readonly<Record<FailedEvent["event"], string>> = {
  "build-failed": "The code could not be compiled",
  "load-failed": "The module could not be loaded",
  crashed: "The server crashed",
  "handler-failed": "failed",
};

function formatFailed(
  { event, name, problems, next, page }: FailedEvent,
  time: string,
  style: Style,
): readonly string[] {
  const title = name === undefined ? TITLES[event] : `${oneLine(name, MAX_NAME)} ${TITLES[event]}`;
  return [
    `${time}  ${style.red(title)}`,
    ...problems.slice(0, MAX_PROBLEMS).flatMap((problem, index) => formatProblem(problem, index > 0, style)),
    ...(problems.length > MAX_PROBLEMS ? [`${INDENT}${problems.length - MAX_PROBLEMS} more errors`] : []),
    ...(next === undefined ? [] : [`${INDENT}${style.dim(next)}`]),
    ...(page === undefined ? [] : [`${INDENT}Open ${style.cyan(page)} to see errors in a browser`]),
  ];
}

function formatProblem(problem: Problem, isFurther: boolean, style: Style): readonly string[] {
  const { message, file, line, column, frame = [], stack = [], hint } = problem;
  return [
    ...(isFurther ? [""] : []),
    `${INDENT}${style.bold(message)}`,
    ...(file === undefined ? [] : [`${INDENT}${style.cyan(`${file}:${line}:${column}`)}`]),
    ...frame.map((text) => `${INDENT}${text.startsWith(">") ? style.red(text) : style.dim(text)}`),
    ...stack.map((place) => `${INDENT}${style.dim(`called from ${place}`)}`),
    ...(hint === undefined ? [] : [`${INDENT}${hint}`]),
  ];
}

const INDENT = "    ";
const MAX_NAME = 80;
const MAX_MESSAGE = 200;
const MAX_PROBLEMS = 5;

function formatTime(time: Date): string {
  const two = (number: number) => String(number).padStart(2, "0");
  const milliseconds = String(time.getMilliseconds()).padStart(3, "0");
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${milliseconds}`;
}

/** Functions that color a text, or return it unchanged. */
type Style = Readonly<Record<"bold" | "dim" | "red" | "green" | "yellow" | "cyan", (text: string) => string>>;

/** Creates a style. */
export function createStyle(hasColors: boolean): Style {
  const code = (start: number, end: number) => (text: string) =>
    hasColors ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return {
    bold: code(1, 22),
    dim: code(2, 22),
    red: code(31, 39),
    green: code(32, 39),
    yellow: code(33, 39),
    cyan: code(36, 39),
  };
}
