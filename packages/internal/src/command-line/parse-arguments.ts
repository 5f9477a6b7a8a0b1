/**
 * @fileoverview Parses a command's arguments. Reports unknown, missing, and repeated arguments before the command runs.
 * @module internal/command-line/parse-arguments
 */
import { parseArgs } from "node:util";
import { closestName } from "../names/closest-name.js";
import { expectedOf, type Option } from "../options/define-options.js";
import { oneLine } from "../text.js";
import { type Command, type Invocation, type Terminal, usageError } from "./command.js";
import { type Flag, type Flags, toCamelCase } from "./flags.js";

/** Parses a command's arguments. @throws {CliError} for the first invalid argument */
export function parseArguments<Args extends Flags>(
  command: Command<Args>,
  raw: readonly string[],
  env: Terminal["env"] = {},
): Invocation<Args> {
  const end = raw.indexOf("--");
  const own = end === -1 ? [...raw] : raw.slice(0, end);
  const program = end === -1 ? undefined : raw.slice(end + 1);
  if (program !== undefined && command.takesProgram !== true) {
    throw usageError(`${command.usage} does not take arguments after "--".`);
  }
  if (program?.length === 0) throw usageError('Add a program after "--".');
  const { flags, positionals } = parseTokens(command, own);
  const named = Object.entries(command.args).filter(([, { type }]) => type === "positional");
  assertPositionals(command, named, positionals);
  for (const [index, [name]] of named.entries()) {
    const word = positionals[index];
    if (word !== undefined) flags.set(name, [word]);
  }
  const values = Object.entries(command.args).map(([name, flag]) => [
    toCamelCase(name),
    toValue(name, flag, { flags, env }),
  ]);
  const extra = { rest: positionals.slice(named.length), program };
  return { ...Object.fromEntries(values), ...extra } as Invocation<Args>; // Safe: one value for each flag
}

/** Flags and arguments as written on the command line, by name. */
type GivenFlags = ReadonlyMap<string, readonly string[]>;

interface Sources {
  readonly flags: GivenFlags;
  readonly env: Terminal["env"];
}

/** Returns the value of a flag: from the command line, an environment variable, or its default. */
function toValue(name: string, flag: Flag, { flags, env }: Sources): unknown {
  const given = flags.get(name);
  const { requires, excludes, option } = flag;
  const isIdle = requires !== undefined && !flags.has(requires);
  if (isIdle && given !== undefined) throw usageError(`--${name} requires --${requires}.`);
  if (given !== undefined && excludes !== undefined && flags.has(excludes))
    throw usageError(`--${excludes} cannot be combined with --${name}. Remove one of them.`);
  if (flag.isRepeatable === true) return given ?? [];
  if (flag.type === "boolean") {
    if (given !== undefined) return given[0] === "true";
    return flag.isAuto === true ? undefined : flag.default === true;
  }
  const variable = isIdle ? undefined : option?.env;
  const text = given?.[0] ?? (variable === undefined ? undefined : env[variable]?.trim() || undefined);
  if (option === undefined) return text;
  return text === undefined
    ? option.default
    : parseText(given ? `--${name}` : String(variable), option, text);
}

function parseText(label: string, option: Option, text: string): unknown {
  const parsed = option.fromText === undefined ? text : option.fromText(text);
  if (option.accepts(parsed)) return parsed;
  // A secret passed by mistake must not appear in the message.
  const got = option.isSecret === true ? "" : `; got "${oneLine(text, 40)}"`;
  const fix = option.fix?.(parsed);
  throw usageError(
    `${label} must be ${expectedOf(label, option)}${got}.${fix === undefined ? "" : ` ${fix}`}`,
  );
}

interface Tokens {
  readonly flags: Map<string, readonly string[]>;
  readonly positionals: readonly string[];
}

function parseTokens(command: Command, own: string[]): Tokens {
  const defined = Object.entries(command.args).filter(([, { type }]) => type !== "positional");
  const options = Object.fromEntries(
    defined.map(([name, definition]) => [
      name,
      {
        type: definition.type === "boolean" ? ("boolean" as const) : ("string" as const),
        ...("alias" in definition && typeof definition.alias === "string" ? { short: definition.alias } : {}),
      },
    ]),
  );
  const { tokens } = parseArgs({ args: own, options, strict: false, allowPositionals: true, tokens: true });
  const flags = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const { name, value } = parseFlag(command, token);
    const before = flags.get(name);
    if (before === undefined) flags.set(name, [value]);
    else if (command.args[name]?.isRepeatable === true) before.push(value);
    else throw usageError(`--${name} can be given only once.`);
  }
  return { flags, positionals };
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function parseFlag(
  { args, hints = {} }: Command,
  token: OptionToken,
): { readonly name: string; readonly value: string } {
  const { rawName, value, inlineValue } = token;
  const positive = token.name.startsWith("no-") ? token.name.slice("no-".length) : token.name;
  const name = Object.hasOwn(args, token.name) ? token.name : positive;
  const definition = Object.hasOwn(args, name) ? args[name] : undefined;
  const hint = Object.hasOwn(hints, token.name) ? hints[token.name] : undefined;
  if (definition === undefined || definition.type === "positional") {
    throw unknownFlag(args, rawName, hint);
  }
  if (definition.type === "boolean") {
    if (value !== undefined) {
      throw usageError(`${rawName} does not take a value. ${hint ?? `Use --${name} or --no-${name}.`}`);
    }
    return { name, value: String(name === token.name) };
  }
  if (name !== token.name) throw unknownFlag(args, rawName, hint);
  const looksLikeFlag = inlineValue !== true && value !== undefined && /^-./.test(value);
  if (value === undefined || value === "" || looksLikeFlag) throw usageError(`${rawName} requires a value.`);
  assertChoice({ rawName, definition, hint }, value);
  return { name, value };
}

interface ChoiceRule {
  readonly rawName: string;
  readonly definition: Flag;
  /** Advice for this flag. */
  readonly hint: string | undefined;
}

function assertChoice({ rawName, definition, hint }: ChoiceRule, value: string): void {
  const options = definition.type === "enum" ? (definition.options ?? []) : [];
  if (options.length === 0 || options.includes(value)) return;
  const got = JSON.stringify(oneLine(value, 40));
  const advice = hint === undefined ? suggestion(value, options) : `. ${hint}`;
  throw usageError(`${rawName} must be one of ${options.join(", ")}; got ${got}${advice}`);
}

function unknownFlag(args: Flags, rawName: string, hint: string | undefined) {
  if (hint !== undefined) return usageError(`Unknown flag ${oneLine(rawName, 40)}. ${hint}`);
  const known = Object.entries(args).flatMap(([name, { type }]) =>
    type === "positional" ? [] : type === "boolean" ? [`--${name}`, `--no-${name}`] : [`--${name}`],
  );
  return usageError(`Unknown flag ${oneLine(rawName, 40)}${suggestion(rawName, [...known, "--help"])}`);
}

/** Returns the end of an error message: a period, followed by the candidate closest to `word`, if any. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const known = [...candidates];
  const closest = closestName(word, known) ?? completionOf(word, known);
  return closest === undefined ? "." : `. Did you mean ${oneLine(closest, 80)}?`;
}

/** Returns the only candidate that starts with `word`, such as `--bearer-env` for `--bearer`. */
function completionOf(word: string, candidates: readonly string[]): string | undefined {
  const start = word.toLowerCase();
  const longer = candidates.filter((name) => name.toLowerCase().startsWith(start));
  return start.replaceAll("-", "").length >= MIN_COMPLETED && longer.length === 1 ? longer[0] : undefined;
}

const MIN_COMPLETED = 3;

function assertPositionals(
  command: Command,
  named: readonly (readonly [string, Flag])[],
  positionals: readonly string[],
): void {
  const missing = named.find(
    ([, { required }], index) => required !== false && positionals[index] === undefined,
  );
  if (missing !== undefined) throw usageError(`${command.usage} requires the argument <${missing[0]}>.`);
  if (positionals.length > named.length && command.takesRest !== true) {
    throw usageError(`Unexpected argument "${oneLine(positionals[named.length] ?? "", 40)}".`);
  }
}
