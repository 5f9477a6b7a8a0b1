/**
 * @fileoverview Command-line flags: declaration, parsing, and help text.
 * @module kit/config/flags
 */
import { printable } from "@tenon/internal/text";
import { LOG_LEVELS } from "tenon/protocol";

/** Flag that the application declares in addition to the built-in flags. */
export interface ExtraFlag {
  /** Name in kebab-case, without the leading dashes. */
  readonly name: string;
  /** A string flag takes a value. A boolean flag is false by default and also has a `--no-` form. */
  readonly kind: "string" | "boolean";
  /** Environment variable to read if the flag is absent. For a boolean flag, it must be `true` or `false`. */
  readonly env?: string;
  /** Single-line description for the help text. */
  readonly description: string;
}

/** Options for `parseConfig`. */
export interface ConfigOptions<Extra extends readonly ExtraFlag[] = readonly ExtraFlag[]> {
  /** The application's own flags. @default none */
  readonly extra?: Extra;
}

/** Built-in or application flag. A switch is a boolean flag without a `--no-` form. */
export interface Flag extends Omit<ExtraFlag, "kind"> {
  readonly kind: ExtraFlag["kind"] | "switch";
  /** Placeholder for the value in the help text. @default "text" */
  readonly placeholder?: string;
}

/** Value of a flag. */
export interface Given {
  /** Flag or environment variable that set the value, for error messages. */
  readonly by: string;
  readonly value: string | boolean;
}

/** Values by flag name, and the problems found. */
export interface Reading {
  readonly given: ReadonlyMap<string, Given>;
  readonly problems: readonly string[];
}

const BUILT_IN: readonly Flag[] = [
  { name: "stdio", kind: "switch", description: "Serve over stdio (default if no port is set)" },
  {
    name: "port",
    kind: "string",
    env: "PORT",
    placeholder: "number",
    description: "Serve over HTTP on this port, 0 to 65535; 0 picks a free port",
  },
  {
    name: "host",
    kind: "string",
    env: "HOST",
    placeholder: "address",
    description: "Address to listen on (default: 127.0.0.1)",
  },
  {
    name: "headless",
    kind: "boolean",
    env: "HEADLESS",
    description: "Print sign-in URLs instead of opening a browser (default: false)",
  },
  {
    name: "redirect-uri",
    kind: "string",
    env: "REDIRECT_URI",
    placeholder: "url",
    description: "Redirect URI for sign-in: https, or http on loopback; requires a port",
  },
  {
    name: "log-level",
    kind: "string",
    env: "LOG_LEVEL",
    placeholder: "level",
    description: `One of ${LOG_LEVELS.join(", ")}`,
  },
  { name: "help", kind: "switch", description: "Show this help" },
];

const DESCRIPTION_RULE = "`description` must be a single line of text without leading or trailing spaces";

/**
 * Returns the built-in flags, followed by the application's flags.
 *
 * @throws if a declaration is invalid, or its name or environment variable is already in use
 */
export function listFlags(extra: readonly ExtraFlag[]): readonly Flag[] {
  const flags = [...BUILT_IN];
  const problems: string[] = [];
  for (const flag of extra) {
    const owner = flags.find(({ env }) => env !== undefined && env === flag.env);
    const what = `Extra flag --${printable(flag.name)}`;
    if (!/^(?!no-)[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(flag.name)) {
      problems.push(`${what}: the name must be in kebab-case and must not start with "no-".`);
    }
    if (BUILT_IN.some(({ name }) => name === flag.name))
      problems.push(`${what} is a built-in flag. Choose a different name.`);
    else if (flags.some(({ name }) => name === flag.name))
      problems.push(`${what} is already defined. Names must be unique.`);
    else if (owner !== undefined)
      problems.push(`${what}: ${flag.env} is already used by --${owner.name}. Choose a different variable.`);
    if (flag.env !== undefined && !/^[A-Z_][A-Z0-9_]*$/.test(flag.env)) {
      const got = JSON.stringify(printable(flag.env));
      problems.push(`${what}: \`env\` must be an environment variable name such as LOG_LEVEL; got ${got}.`);
    }
    if (!/^\S(.*\S)?$/.test(flag.description)) {
      const got = JSON.stringify(printable(flag.description));
      problems.push(`${what}: ${DESCRIPTION_RULE}; got ${got}.`);
    }
    flags.push(flag);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return flags;
}

/** Parses the arguments, then reads the environment for absent flags. Empty variables are treated as unset. */
export function readSettings(
  flags: readonly Flag[],
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Reading {
  const { given: fromArgs, problems: wrong, seen } = readArguments(flags, args);
  const given = new Map(fromArgs);
  const problems = [...wrong];
  for (const flag of flags) {
    if (flag.env === undefined || seen.has(flag)) continue;
    const value = env[flag.env];
    if (value === undefined || value === "") continue;
    if (flag.kind === "string") given.set(flag.name, { by: flag.env, value });
    else if (value === "true" || value === "false")
      given.set(flag.name, { by: flag.env, value: value === "true" });
    else problems.push(`${flag.env} must be true or false${shownFor(flag, value)}.`);
  }
  return { given, problems };
}

/** Shows the value of a built-in flag. The application's values may be secret. */
function shownFor(flag: Flag, value: string): string {
  return BUILT_IN.includes(flag) ? `; got "${printable(value)}"` : "";
}

function readArguments(
  flags: readonly Flag[],
  args: readonly string[],
): Reading & { readonly seen: ReadonlySet<Flag> } {
  const spellings = new Map(flags.flatMap((flag) => spell(flag).map((form, at) => [form, { flag, at }])));
  const given = new Map<string, Given>();
  const seen = new Set<Flag>();
  const problems = new Set<string>();
  let isOver = false; // true after `--`
  for (let index = 0; index < args.length; index++) {
    const [form = "", inline] = splitOnce(args[index] ?? "");
    const next = args[index + 1];
    const hasNext = inline === undefined && !(next ?? "--").startsWith("--");
    if (isOver || !/^-./s.test(form)) {
      // The text is omitted, because it may be a secret that belongs to a mistyped flag.
      problems.add(`Unexpected argument at position ${index + 1}. Only flags are accepted.`);
      continue;
    }
    if (form === "--" && inline === undefined) {
      isOver = true;
      continue;
    }
    const known = spellings.get(form);
    if (known === undefined) {
      problems.add(`Unknown flag ${printable(form)}. Use --help to list the flags.`);
      if (hasNext) index++; // skips its likely value
      continue;
    }
    const { flag, at } = known;
    if (flag.kind === "string" && hasNext) index++;
    const value = flag.kind === "string" ? (hasNext ? next : inline) : at === 0;
    const forms = spell(flag).join(" or ");
    if (seen.has(flag)) problems.add(`${forms} can be given only once.`);
    else if (value === undefined || value === "") problems.add(`${form} requires a value.`);
    else if (flag.kind !== "string" && inline !== undefined)
      problems.add(`${form} does not take a value. Use ${forms}.`);
    else given.set(flag.name, { by: form, value });
    seen.add(flag);
  }
  return { given, problems: [...problems], seen };
}

/** Returns the help text, with one line per flag that shows its environment variable and meaning. */
export function configHelp(options: ConfigOptions = {}): string {
  const rows = listFlags(options.extra ?? []).map((flag) => {
    const value = flag.kind === "string" ? ` <${flag.placeholder ?? "text"}>` : "";
    return [`${spell(flag).join(", ")}${value}`, flag.env ?? "", flag.description] as const;
  });
  const table = [["Flag", "Environment", "Meaning"] as const, ...rows];
  const [first, second] = [0, 1].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map(
    ([flag, env, meaning]) => `  ${flag.padEnd(first ?? 0)}  ${env.padEnd(second ?? 0)}  ${meaning}`,
  );
  return ["A flag takes precedence over its environment variable.", "", ...lines].join("\n");
}

function spell({ name, kind }: Flag): readonly string[] {
  return kind === "boolean" ? [`--${name}`, `--no-${name}`] : [`--${name}`];
}

function splitOnce(text: string): readonly string[] {
  const at = text.indexOf("=");
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
