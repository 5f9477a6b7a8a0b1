/**
 * @fileoverview Tool results that carry data, both as structured content and as text.
 * @module kit/responses
 */

/** Text block. It is mutable, to satisfy the official SDK's types. */
export type TextBlock = { type: "text"; text: string };

/** Result with typed data, so that the compiler can check it against the output schema. */
export type StructuredResult<Data> = { content: TextBlock[]; structuredContent: Data; isError?: false };

/** Result of a failed tool. */
export type ErrorResult = { content: TextBlock[]; isError: true; _meta?: { [key: string]: unknown } };

/** Result of a tool whose user has to log in first. */
export type AuthRequired = {
  readonly type: "auth_required";
  readonly authUrl: string;
  readonly message: string;
};

/**
 * Returns a tool result with a value as data and as JSON text. Both are the JSON form of the value (dates become
 * strings, undefined members are dropped), and neither changes if the value changes later.
 *
 * @throws if the value cannot be written as JSON; the error names the place
 */
export function jsonResult<Data>(value: Data): StructuredResult<Data> {
  const text = toJson(value);
  return {
    content: [{ type: "text", text }],
    structuredContent: JSON.parse(text) as Data, // the same, except for values that JSON cannot represent
  };
}

/**
 * Returns the result of a tool that needs the user to log in. It is not an error: the model shows the URL to the
 * user.
 *
 * @throws if the URL is not http or https, because clients may open it
 */
export function buildAuthResponse(message: string, authUrl: string): StructuredResult<AuthRequired> {
  const protocol = URL.canParse(authUrl) ? new URL(authUrl).protocol : undefined;
  if (protocol !== "https:" && protocol !== "http:") {
    throw new TypeError("`authUrl` must be an http or https URL.");
  }
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { type: "auth_required", authUrl, message },
  };
}

/** Converts a value to JSON text. @throws if JSON cannot represent it; the error names the place */
export function toJson(value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  const { path, problem } = findProblem(value) ?? { path: "", problem: "has no JSON form" };
  const where = path === "" ? "the value" : path;
  throw new TypeError(
    `Cannot convert to JSON: ${where} ${problem}.`,
    cause === undefined ? undefined : { cause },
  );
}

interface Problem {
  readonly path: string;
  readonly problem: string;
}

const MAX_DEPTH = 500;

/** Finds the first value that JSON cannot represent. Called only after a failure. */
function findProblem(value: unknown): Problem | undefined {
  if (value === undefined || typeof value === "function" || typeof value === "symbol") {
    return { path: "", problem: `is of type ${typeof value}` };
  }
  const parents: unknown[] = [];
  const sound = new Set<unknown>();
  const look = (one: unknown, path: string): Problem | undefined => {
    if (typeof one === "bigint") {
      return { path, problem: "is a bigint; convert it to a number or string first" };
    }
    if (typeof one !== "object" || one === null || sound.has(one)) return undefined;
    if (parents.includes(one)) return { path, problem: "is a circular reference" };
    if (parents.length >= MAX_DEPTH) return { path: "", problem: "is nested too deeply" };
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

/** Returns the members to search. Values with `toJSON` and unreadable values have none. */
function membersOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return "toJSON" in value ? [] : Object.entries(value);
  } catch {
    return [];
  }
}
