/**
 * @fileoverview Results of tools that carry data: the data itself, and the same as text.
 * @module kit/responses
 */

/** Text in a result. What is made here can be changed, so that it suits the official SDK's types too. */
export type TextBlock = { type: "text"; text: string };

/** A result whose data is known by type, so that it is held against the output schema when it is compiled. */
export type StructuredResult<Data> = { content: TextBlock[]; structuredContent: Data; isError?: false };

/** A result that tells of a failure. */
export type ErrorResult = { content: TextBlock[]; isError: true; _meta?: { [key: string]: unknown } };

/** Result of a tool whose user has to log in first. */
export type AuthRequired = {
  readonly type: "auth_required";
  readonly authUrl: string;
  readonly message: string;
};

/**
 * The result of a tool: a value as data, and the same JSON as text. Both are what JSON makes of it (a date is text,
 * members without a value are gone), and neither changes when the value does later.
 *
 * @throws where the value cannot be written as JSON, naming the place
 */
export function jsonResult<Data>(value: Data): StructuredResult<Data> {
  const text = toJson(value);
  return {
    content: [{ type: "text", text }],
    structuredContent: JSON.parse(text) as Data, // the same but for what JSON cannot hold
  };
}

/**
 * The result of a tool that needs the user to log in. It is no failure: the model hands the address to the user.
 *
 * @throws where the address is not one of the web: clients may open it
 */
export function buildAuthResponse(message: string, authUrl: string): StructuredResult<AuthRequired> {
  const protocol = URL.canParse(authUrl) ? new URL(authUrl).protocol : undefined;
  if (protocol !== "https:" && protocol !== "http:") {
    throw new TypeError("buildAuthResponse needs an http or https address");
  }
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { type: "auth_required", authUrl, message },
  };
}

/** JSON text. @throws naming the place that JSON cannot hold */
export function toJson(value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  const { path, problem } = findProblem(value) ?? { path: "", problem: "cannot be written" };
  const where = path === "" ? "the value" : path;
  throw new TypeError(`As JSON, ${where} ${problem}`, cause === undefined ? undefined : { cause });
}

interface Problem {
  readonly path: string;
  readonly problem: string;
}

const MAX_DEPTH = 500;

/** The first place that JSON cannot hold; looked for only once something went wrong. */
function findProblem(value: unknown): Problem | undefined {
  if (value === undefined || typeof value === "function" || typeof value === "symbol") {
    return { path: "", problem: `is ${typeof value}, which JSON does not have` };
  }
  const parents: unknown[] = [];
  const sound = new Set<unknown>();
  const look = (one: unknown, path: string): Problem | undefined => {
    if (typeof one === "bigint") {
      return { path, problem: "is a bigint: turn it into a number or text first" };
    }
    if (typeof one !== "object" || one === null || sound.has(one)) return undefined;
    if (parents.includes(one)) return { path, problem: "refers back to what it is part of" };
    if (parents.length >= MAX_DEPTH) return { path: "", problem: "is nested too deep" };
    parents.push(one);
    for (const [key, member] of membersOf(one)) {
      const found = look(member, path === "" ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    sound.add(parents.pop());
    return undefined;
  };
  return look(value, "");
}

/** What has a JSON form of its own speaks for itself, and what cannot be read has no members. */
function membersOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return "toJSON" in value ? [] : Object.entries(value);
  } catch {
    return [];
  }
}
