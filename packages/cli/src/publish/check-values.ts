/**
 * @fileoverview Checks of single values in `server.json`. Each returns the problems as ends of sentences.
 * @module cli/publish/check-values
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import { isLoopbackHost } from "@tenon/internal/security/loopback";
import { isUrl } from "@tenon/internal/security/is-url";

/** Length limits of a text, in characters. */
export interface TextLimits {
  readonly min: number;
  readonly max: number;
}

/** Checks a text and its length. */
export function checkText(path: string, value: unknown, { min, max }: TextLimits): readonly string[] {
  if (typeof value !== "string") return [`${path} must be a string; got ${kindOf(value)}.`];
  // The registry counts code points.
  const { length } = Array.from(value);
  if (length > max) return [`${path} must have at most ${max} characters; got ${length}.`];
  if (length === 0) return [`${path} must not be empty.`];
  if (length < min) return [`${path} must have at least ${min} characters; got ${length}.`];
  return value.trim() === "" ? [`${path} must not be blank.`] : [];
}

/** Checks the name of a server: a reverse domain name, one slash, and a name. */
export function checkServerName(path: string, value: unknown): readonly string[] {
  const lengths = checkText(path, value, { min: 3, max: 200 });
  if (lengths.length > 0 || typeof value !== "string") return lengths;
  const form = `must have the form io.github.user/server; got ${showValue(value)}`;
  const [namespace = "", name = "", ...more] = value.split("/");
  if (name === "" || namespace === "" || more.length > 0)
    return [`${path} ${form}. It needs exactly one slash.`];
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])$/.test(namespace))
    return [
      `${path} ${form}. Before the slash, use letters, digits, dots, and hyphens, with a letter or digit at both ends.`,
    ];
  if (!/^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])$/.test(name))
    return [
      `${path} ${form}. After the slash, use letters, digits, and . _ -, with a letter or digit at both ends.`,
    ];
  return [];
}

/** Checks a version: it must be exact. */
export function checkVersion(path: string, value: unknown): readonly string[] {
  const lengths = checkText(path, value, { min: 1, max: 255 });
  if (lengths.length > 0 || typeof value !== "string") return lengths;
  if (value.trim().toLowerCase() === "latest")
    return [`${path} must be an exact version, such as 1.0.0; got "latest".`];
  if (isRange(value.trim()))
    return [`${path} must be an exact version, such as 1.0.0; got the range ${showValue(value)}.`];
  // The registry takes any `x` in such a version for a wildcard, even in `1.0.0-next.1`.
  const [, suffix = ""] = /^v?\d+(?:\.\d+){1,2}-([\w.-]*)$/i.exec(value.trim()) ?? [];
  return suffix.toLowerCase().includes("x")
    ? [
        `${path} must not contain the letter x after the hyphen, because the registry takes it for a range; got ${showValue(value)}.`,
      ]
    : [];
}

/** Checks an https URL that everyone can reach. */
export function checkPublicUrl(path: string, value: unknown): readonly string[] {
  if (typeof value !== "string") return [`${path} must be a string; got ${kindOf(value)}.`];
  // The URL may contain a secret, so messages do not repeat it.
  if (/[\s"'<>\\^`\p{Cc}]/u.test(value))
    return [`${path} must not contain spaces, quotes, or other characters that a URL must encode.`];
  if (!isUrl(value)) return [`${path} must be an absolute https URL.`];
  const url = new URL(value);
  if (url.protocol !== "https:") return [`${path} must be an https URL; got the scheme ${url.protocol}`];
  if (url.username !== "" || url.password !== "")
    return [`${path} must not contain a user name or a password.`];
  return isLoopbackHost(url.hostname) || url.hostname.endsWith(".localhost")
    ? [`${path} must be reachable from other machines; got the host ${url.hostname}.`]
    : [];
}

/** Checks that a value is one of several texts. */
export function checkChoice(path: string, value: unknown, choices: readonly string[]): readonly string[] {
  return typeof value === "string" && choices.includes(value)
    ? []
    : [`${path} must be one of ${choices.join(", ")}; got ${showValue(value)}.`];
}

/** Checks that a value is a list, and checks its items. An absent list is valid. */
export function checkList(
  path: string,
  value: unknown,
  check: (path: string, item: JsonObject) => readonly string[],
): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return [`${path} must be an array; got ${kindOf(value)}.`];
  if (value.length > MAX_ITEMS) return [`${path} has too many items (limit: ${MAX_ITEMS}).`];
  return value.flatMap((item: unknown, index) => {
    const at = `${path}[${index}]`;
    return isJsonObject(item) ? check(at, item) : [`${at} must be an object; got ${kindOf(item)}.`];
  });
}

/** Returns the names of the variables in a URL template: `{host}` is the variable `host`. */
export function templateVariables(url: string): readonly string[] {
  return [...url.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name);
}

/** Replaces the variables in a URL template, so that the rest can be checked. */
export function withoutVariables(url: string): string {
  return url.replaceAll(/:\{[^{}]+\}(?=\/|$)/g, ":8080").replaceAll(/\{[^{}]+\}/g, "placeholder");
}

const MAX_ITEMS = 1_000;

/** Recognizes version ranges as npm writes them: `^1.2.3`, `>=1`, `1.x`, `1.0.0 - 2.0.0`, and `1 || 2`. */
function isRange(version: string): boolean {
  if (/^[\^~<>=]/.test(version) || version.includes("||")) return true;
  if (/^v?\d[\w.+-]*\s+-\s*v?\d/.test(version)) return true;
  const [numbers = ""] = version.split("-", 1);
  return /^v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,3}$/.test(numbers) && /[xX*]/.test(numbers);
}
