/**
 * @fileoverview Describes the options of a function once. Types, defaults, checks, spelling hints, environment
 * variables, and the reference page come from this description.
 * @module internal/options/define-options
 */
import { kindOf, showValue } from "../kind-of.js";
import { closestName } from "../names/closest-name.js";
import { printable } from "../text.js";

/** Presence of an option: the caller must set it, it has a default, or it may be missing. */
export type Presence = "required" | "default" | "optional";

/** One option: the check of its value, and facts for messages and the reference. */
export interface Option<Value = unknown, When extends Presence = Presence> extends OptionFacts<Value> {
  /** Phrase that follows "must be" in error messages, such as `a positive integer`. May depend on the option's name. */
  readonly expected: string | ((name: string) => string);
  readonly accepts: (value: unknown) => boolean;
  /** Converts the text of an environment variable. Text that does not fit becomes a value that `accepts` rejects. */
  readonly fromText?: ((text: string) => unknown) | undefined;
  /** Options inside this one. */
  readonly members?: OptionTable | undefined;
  /** Carries the types. Never set. */
  readonly type?: { readonly value: Value; readonly when: When };
}

/** Facts about an option that do not depend on its type. */
export interface OptionFacts<Value = unknown> {
  readonly default?: Value;
  readonly required?: true;
  /** Names that users try instead, such as those of other libraries. */
  readonly aliases?: readonly string[];
  /** Environment variable that sets the option. */
  readonly env?: string;
  /** Leaves the value out of messages, because it may be a secret. */
  readonly isSecret?: true;
  /** Describes an invalid value in messages. @default the value, or its kind if it may be a secret */
  readonly got?: (value: unknown) => string;
  /** Sentence that says how to fix an invalid value. */
  readonly fix?: (value: unknown) => string | undefined;
}

/** Options by name. */
export type OptionRows = Readonly<Record<string, Option>>;

/** Options of one function, as `defineOptions` returns them. */
export interface OptionTable<Rows = OptionRows> {
  /** Name of the function, which starts error messages. */
  readonly label: string;
  /** Phrase for the whole object in error messages, such as `an object such as { port: 80 }`. */
  readonly expected: string;
  readonly rows: Rows;
  readonly aliases: Readonly<Record<string, string>>;
  readonly defaults: Readonly<Record<string, unknown>>;
}

/** Type of the options that a caller passes. Comments on the rows of the table show up in editors. */
export type OptionsOf<Table> =
  Table extends OptionTable<infer Rows>
    ? { readonly [Name in keyof Rows as NameIf<Rows, Name, "required">]: ValueOf<Rows[Name]> } & {
        readonly [Name in keyof Rows as NameIf<Rows, Name, "default" | "optional">]?:
          ValueOf<Rows[Name]> | undefined;
      }
    : never;

/** Type of the options with their defaults. */
export type ParsedOptions<Table> =
  Table extends OptionTable<infer Rows>
    ? {
        readonly [Name in keyof Rows as NameIf<Rows, Name, "required" | "default">]: ParsedValue<Rows[Name]>;
      } & {
        readonly [Name in keyof Rows as NameIf<Rows, Name, "optional">]: ParsedValue<Rows[Name]> | undefined;
      }
    : never;

type NameIf<Rows, Name extends keyof Rows, When extends Presence> =
  Rows[Name] extends Option<infer _, infer Is> ? (Is extends When ? Name : never) : never;

type ValueOf<Row> = Row extends { readonly type?: { readonly value: infer Value } } ? Value : never;

type ParsedValue<Row> = Row extends { readonly members: infer Members }
  ? ParsedOptions<Members>
  : ValueOf<Row>;

/**
 * Describes the options of a function. The comment of each row is its documentation.
 *
 * @example
 * const LISTEN = defineOptions("listen", {
 *   /** Port to listen on. 0 picks a free port. *\/
 *   port: integer({ min: 0, max: 65_535, required: true }),
 *   /** Address to listen on. @default "127.0.0.1" *\/
 *   host: text({ default: "127.0.0.1", aliases: ["hostname"] }),
 * });
 * type ListenOptions = OptionsOf<typeof LISTEN>;
 * const { port, host } = parseOptions(LISTEN, options);
 */
export function defineOptions<Rows extends OptionRows>(
  label: string,
  rows: Rows,
  expected = "an object",
): OptionTable<Rows> {
  const entries = Object.entries(rows);
  return {
    label,
    expected,
    rows,
    aliases: Object.fromEntries(
      entries.flatMap(([name, { aliases = [] }]) => aliases.map((alias) => [alias, name])),
    ),
    defaults: Object.fromEntries(
      entries.map(([name, row]) => [name, row.members === undefined ? row.default : row.members.defaults]),
    ),
  };
}

/** Checks the options and sets the defaults. @throws {TypeError} with the first problem; it starts with `label` */
export function parseOptions<Rows extends OptionRows>(
  table: OptionTable<Rows>,
  options: OptionsOf<OptionTable<NoInfer<Rows>>>,
  label: string = table.label,
): ParsedOptions<OptionTable<Rows>> {
  assertOptions(table, options, label);
  return withDefaults(table, options) as ParsedOptions<OptionTable<Rows>>; // Safe: checked against the same table
}

/** Checks the options. @throws {TypeError} with the first problem; it starts with `label` */
export function assertOptions(table: OptionTable, options: unknown, label: string = table.label): void {
  // Some applications create servers for every request, and almost all options are valid.
  if (hasValidOptions(table, options)) return;
  for (const problem of listOptionProblems(table, options)) throw new TypeError(`${label}: ${problem}`);
}

/** Returns true if the options are valid. Takes a fraction of the time of `listOptionProblems`. */
export function hasValidOptions({ rows }: OptionTable, options: unknown): boolean {
  if (typeof options !== "object" || options === null || Array.isArray(options)) return false;
  for (const name of Object.keys(options)) if (!Object.hasOwn(rows, name)) return false;
  for (const name in rows) {
    const row = rows[name];
    const value: unknown = Reflect.get(options, name);
    if (row === undefined || (value === undefined && row.required !== true)) continue;
    if (value === undefined) return false;
    if (row.members === undefined ? !row.accepts(value) : !hasValidOptions(row.members, value)) return false;
  }
  return true;
}

/** Lists everything that is wrong with the options, each as a sentence. `at` is the path of the options. */
export function* listOptionProblems(table: OptionTable, options: unknown, at = ""): Generator<string> {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    yield `${at === "" ? "the options" : `\`${at}\``} must be ${table.expected}; got ${kindOf(options)}.`;
    return;
  }
  for (const name of listUnknownNames(table, options))
    yield `${at === "" ? "" : `\`${at}\`: `}${describeUnknownOption(name, table)}`;
  for (const [name, row] of Object.entries(table.rows)) {
    const value: unknown = Reflect.get(options, name);
    const path = at === "" ? name : `${at}.${name}`;
    if (value !== undefined && row.members !== undefined) yield* listOptionProblems(row.members, value, path);
    else yield* listValueProblems(`\`${path}\``, [name, row], value);
  }
}

/** Lists the names that are neither in the table nor declared as someone else's. */
export function listUnknownNames({ rows }: OptionTable, options: object): readonly string[] {
  const others: unknown = Reflect.get(options, OTHER_OPTIONS);
  const isOther = (name: string) => Array.isArray(others) && others.includes(name);
  return Object.keys(options).filter((name) => !Object.hasOwn(rows, name) && !isOther(name));
}

/** Lists everything that is wrong with the environment variables of a table, each as a sentence. */
export function* listEnvProblems(table: OptionTable, env: Env): Generator<string> {
  const options = optionsFromEnv(table, env);
  for (const [name, row] of Object.entries(table.rows)) {
    if (row.env !== undefined) yield* listValueProblems(row.env, [name, row], options[name]);
  }
}

function* listValueProblems(
  shown: string,
  [name, row]: readonly [string, Option],
  value: unknown,
): Generator<string> {
  if (value === undefined ? row.required !== true : row.accepts(value)) return;
  const got = (row.got ?? (row.isSecret === true ? kindOf : showValue))(value);
  const expected = expectedOf(name, row);
  const problem =
    value === undefined ? `is required. Set it to ${expected}` : `must be ${expected}; got ${got}`;
  yield [`${shown} ${problem}.`, row.fix?.(value) ?? ""].join(" ").trimEnd();
}

/** Returns the phrase for the values that an option accepts. */
export function expectedOf(name: string, { expected }: Option): string {
  return typeof expected === "string" ? expected : expected(name);
}

/** Environment variables, such as `process.env`. */
export type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the options that environment variables set. Blank variables and empty lists count as unset. Secrets keep
 * spaces around them. The values are not checked.
 */
export function optionsFromEnv<Rows extends OptionRows>(
  { rows }: OptionTable<Rows>,
  env: Env,
): Partial<OptionsOf<OptionTable<Rows>>> {
  const found = Object.entries(rows).flatMap(([name, { env: variable, fromText, isSecret }]) => {
    const raw = variable === undefined ? "" : (env[variable] ?? "");
    const text = raw.trim();
    const value = text === "" ? [] : (fromText?.(text) ?? (isSecret === true ? raw : text));
    const isBlank = Array.isArray(value) && value.length === 0;
    return isBlank ? [] : [[name, value]];
  });
  return Object.fromEntries(found) as Partial<OptionsOf<OptionTable<Rows>>>; // Safe: a caller checks the values
}

/** Returns those options that belong to the table and are set. */
export function pickOptions<Rows extends OptionRows>(
  { rows }: OptionTable<Rows>,
  options: object,
): SetOptions<Rows> {
  const own = Object.entries(options).filter(
    ([name, value]) => value !== undefined && Object.hasOwn(rows, name),
  );
  return Object.fromEntries(own) as SetOptions<Rows>; // Safe: names of the table
}

/** Options that are set. Others are missing, not `undefined`. */
type SetOptions<Rows> = { readonly [Name in keyof Rows]?: ValueOf<Rows[Name]> };

/**
 * Member of an options object that lists names which belong to someone else. They are not reported as unknown, so that
 * one object can configure several functions.
 */
export const OTHER_OPTIONS = Symbol.for("tenon.otherOptions");

function withDefaults({ rows, defaults }: OptionTable, options: object): Readonly<Record<string, unknown>> {
  const parsed: Record<string, unknown> = { ...defaults };
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (value === undefined) continue;
    const members = rows[name]?.members;
    parsed[name] = members === undefined ? value : withDefaults(members, value as object); // Safe: checked
  }
  return parsed;
}

/** Describes an unknown option and its fix: ``unknown option `audiences`. Did you mean `audience`?``. */
function describeUnknownOption(
  name: string,
  {
    rows,
    aliases,
  }: { readonly rows: Readonly<Record<string, unknown>>; readonly aliases: Readonly<Record<string, string>> },
): string {
  const known = Object.keys(rows);
  const meant = Object.hasOwn(aliases, name) ? aliases[name] : closestName(name, known);
  const fix =
    meant === undefined
      ? `Known options: ${known.map((one) => `\`${one}\``).join(", ")}.`
      : `Did you mean \`${meant}\`?`;
  return `unknown option \`${printable(name)}\`. ${fix}`;
}
