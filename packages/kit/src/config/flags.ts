/**
 * @fileoverview The flags of a server's command line: which there are, how they are read, and their help text.
 * @module kit/flags
 */
import { printable } from "@tenon/internal/text";
import { LOG_LEVELS } from "tenon/protocol";

/** A flag of the application's own. */
export interface ExtraFlag {
  /** In kebab-case, without the dashes. */
  readonly name: string;
  /** A boolean flag has a `--no-` form too, and is false unless said. */
  readonly kind: "string" | "boolean";
  /** The environment variable that counts where the flag is absent; a boolean's is `true` or `false`. */
  readonly env?: string;
  /** One line of the help text. */
  readonly description: string;
}

/** Flags of a command line beside the built-in ones. */
export interface ConfigOptions<Extra extends readonly ExtraFlag[] = readonly ExtraFlag[]> {
  readonly extra?: Extra;
}

/** A flag to be read; a switch is a boolean without its `--no-` form. */
export interface Flag extends Omit<ExtraFlag, "kind"> {
  readonly kind: ExtraFlag["kind"] | "switch";
  /** What the help text calls its value. */
  readonly placeholder?: string;
}

/** A setting, and whether the flag or the environment variable made it. */
export interface Given {
  readonly by: string;
  readonly value: string | boolean;
}

/** Settings by the flag's name, and the problems with them. */
export interface Reading {
  readonly given: ReadonlyMap<string, Given>;
  readonly problems: readonly string[];
}

const BUILT_IN: readonly Flag[] = [
  { name: "stdio", kind: "switch", description: "Serve on stdin and stdout (default without a port)" },
  {
    name: "port",
    kind: "string",
    env: "PORT",
    placeholder: "number",
    description: "Serve over HTTP on this port, 0 to 65535; 0 takes any free one",
  },
  {
    name: "host",
    kind: "string",
    env: "HOST",
    placeholder: "address",
    description: "Listen on this address (default 127.0.0.1)",
  },
  {
    name: "headless",
    kind: "boolean",
    env: "HEADLESS",
    description: "Show sign-in addresses instead of opening a browser (default false)",
  },
  {
    name: "redirect-uri",
    kind: "string",
    env: "REDIRECT_URI",
    placeholder: "url",
    description: "Where a sign-in returns to: https, or http on loopback; needs a port",
  },
  {
    name: "log-level",
    kind: "string",
    env: "LOG_LEVEL",
    placeholder: "level",
    description: `One of ${LOG_LEVELS.join(", ")}`,
  },
  { name: "help", kind: "switch", description: "Show this text" },
];

/**
 * All flags: the built-in ones, then the application's.
 *
 * @throws where a declaration is malformed or claims a name that is taken
 */
export function listFlags(extra: readonly ExtraFlag[]): readonly Flag[] {
  const flags = [...BUILT_IN];
  const problems: string[] = [];
  for (const flag of extra) {
    const owner = flags.find(({ env }) => env !== undefined && env === flag.env);
    const what = `Extra flag --${printable(flag.name)}`;
    if (!/^(?!no-)[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(flag.name)) {
      problems.push(`${what}: a name is in kebab-case and does not begin with no-`);
    }
    if (BUILT_IN.some(({ name }) => name === flag.name)) problems.push(`${what} is built in`);
    else if (flags.some(({ name }) => name === flag.name)) problems.push(`${what} is declared twice`);
    else if (owner !== undefined) problems.push(`${what}: ${flag.env} belongs to --${owner.name}`);
    if (flag.env !== undefined && !/^[A-Z_][A-Z0-9_]*$/.test(flag.env)) {
      problems.push(`${what}: an environment variable has a name like LOG_LEVEL`);
    }
    if (!/^\S(.*\S)?$/.test(flag.description)) problems.push(`${what}: a description is one line of text`);
    flags.push(flag);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return flags;
}

/** Reads the arguments, then the environment for flags that are absent from them; an empty variable is absent. */
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
    else problems.push(`${flag.env} must be true or false`);
  }
  return { given, problems };
}

function readArguments(
  flags: readonly Flag[],
  args: readonly string[],
): Reading & { readonly seen: ReadonlySet<Flag> } {
  const spellings = new Map(flags.flatMap((flag) => spell(flag).map((form, at) => [form, { flag, at }])));
  const given = new Map<string, Given>();
  const seen = new Set<Flag>();
  const problems = new Set<string>();
  let isOver = false; // after `--`
  for (let index = 0; index < args.length; index++) {
    const [form = "", inline] = splitOnce(args[index] ?? "");
    const next = args[index + 1];
    const hasNext = inline === undefined && !(next ?? "--").startsWith("--");
    if (isOver || !/^-./s.test(form)) {
      // Its text stays out: it may be the secret that a mistyped flag was meant to carry.
      problems.add(`Unexpected argument ${index + 1}: only flags are taken`);
      continue;
    }
    if (form === "--" && inline === undefined) {
      isOver = true;
      continue;
    }
    const known = spellings.get(form);
    if (known === undefined) {
      problems.add(`Unknown flag ${printable(form)}`);
      if (hasNext) index++; // most likely its value
      continue;
    }
    const { flag, at } = known;
    if (flag.kind === "string" && hasNext) index++;
    const value = flag.kind === "string" ? (hasNext ? next : inline) : at === 0;
    const forms = spell(flag).join(" or ");
    if (seen.has(flag)) problems.add(`${forms} is given more than once`);
    else if (value === undefined || value === "") problems.add(`${form} needs a value`);
    else if (flag.kind !== "string" && inline !== undefined)
      problems.add(`${form} takes no value: say ${forms}`);
    else given.set(flag.name, { by: form, value });
    seen.add(flag);
  }
  return { given, problems: [...problems], seen };
}

/** The help text: a line for every flag, with its environment variable and its meaning. */
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
  return ["A flag beats its environment variable.", "", ...lines].join("\n");
}

function spell({ name, kind }: Flag): readonly string[] {
  return kind === "boolean" ? [`--${name}`, `--no-${name}`] : [`--${name}`];
}

function splitOnce(text: string): readonly string[] {
  const at = text.indexOf("=");
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
