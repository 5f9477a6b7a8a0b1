/**
 * @fileoverview Tool results that carry data as structured content and as text.
 * @module kit/output/responses
 */
import { isUrl } from "@tenon/internal/security/is-url";

/** Text block. It is mutable, as the official SDK's types require. */
export type TextBlock = { type: "text"; text: string };

/** Tool result with typed data, which the compiler checks against the output schema. */
export type StructuredResult<Data> = { content: TextBlock[]; structuredContent: Data; isError?: false };

/** Tool result for a failed call. */
export type ErrorResult = { content: TextBlock[]; isError: true; _meta?: { [key: string]: unknown } };

/** Structured content for a tool whose user must log in first. */
export type AuthRequired = {
  readonly type: "auth_required";
  /** URL at which the user logs in. */
  readonly authUrl: string;
  readonly message: string;
};

/**
 * Returns a tool result with a value as structured content and as JSON text. Both are copies in JSON form: dates become
 * strings, and undefined members are dropped.
 *
 * @throws if JSON cannot represent the value; the message contains the path of the problem
 */
export function jsonResult<Data>(value: Data): StructuredResult<Data> {
  const text = toJson(value);
  return {
    content: [{ type: "text", text }],
    structuredContent: JSON.parse(text) as Data, // Same type, except for values that JSON converts, such as dates
  };
}

/**
 * Returns the tool result for a user who must log in. It is not an error: the model shows the URL to the user.
 *
 * @throws if `authUrl` is not an http or https URL, because clients may open it
 */
export function buildAuthResponse(message: string, authUrl: string): StructuredResult<AuthRequired> {
  const protocol = isUrl(authUrl) ? new URL(authUrl).protocol : undefined;
  if (protocol !== "https:" && protocol !== "http:") {
    // Only the scheme is shown, because the URL may contain a secret.
    const got = protocol === undefined ? "a string that is not a URL" : `a URL that starts with ${protocol}`;
    throw new TypeError(`\`authUrl\` must be an http or https URL; got ${got}.`);
  }
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { type: "auth_required", authUrl, message },
  };
}

/** Converts a value to JSON text. @throws if JSON cannot represent it; the message contains the path of the problem */
export function toJson(value: unknown): string {
  let text: string | undefined;
  let cause: unknown;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    cause = error;
  }
  if (text !== undefined) return text;
  const { path, problem } = findProblem(value) ?? { path: "", problem: "cannot be represented in JSON" };
  const where = path === "" ? "the value" : path;
  throw new TypeError(
    `Could not convert to JSON: ${where} ${problem}.`,
    cause === undefined ? undefined : { cause },
  );
}

interface Problem {
  readonly path: string;
  readonly problem: string;
}

const MAX_DEPTH = 500;

/** Finds the first value that JSON cannot represent. Called only after serialization fails. */
function findProblem(value: unknown): Problem | undefined {
  if (value === undefined || typeof value === "function" || typeof value === "symbol") {
    return {
      path: "",
      problem: `is ${value === undefined ? "undefined" : `a ${typeof value}`}, which JSON cannot represent`,
    };
  }
  const parents: unknown[] = [];
  const sound = new Set<unknown>();
  const look = (one: unknown, path: string): Problem | undefined => {
    if (typeof one === "bigint") {
      return { path, problem: "is a bigint; convert it to a number or string first" };
    }
    if (typeof one !== "object" || one === null || sound.has(one)) return undefined;
    if (parents.includes(one)) return { path, problem: "is a circular reference" };
    if (parents.length >= MAX_DEPTH)
      return { path: "", problem: `is nested deeper than ${MAX_DEPTH} levels` };
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

/** Returns the members to search. Values with a `toJSON` method and unreadable values are skipped. */
function membersOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return "toJSON" in value ? [] : Object.entries(value);
  } catch {
    return [];
  }
}
