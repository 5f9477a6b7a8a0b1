/**
 * @fileoverview Facts that the server tells the page in its HTML document.
 * @module agent/page/page-config
 */
import { isUrl } from "@tenon/internal/security/is-url";

/** Facts that the page needs before it connects. */
export interface PageConfig {
  /** Name of the agent. */
  readonly title: string;
  /** Heading of an empty conversation. */
  readonly greeting: string;
  /** First messages that an empty conversation suggests. */
  readonly suggestions: readonly string[];
  /** Maximum size of a message to the server, in bytes. */
  readonly maxMessageBytes: number;
  /** True if the page asks for a token before it connects. */
  readonly needsToken: boolean;
  /** True if the server accepts only users that it can identify. */
  readonly hasUsers: boolean;
  /** URL or path of the place where users sign in. Absent if they enter a token. */
  readonly signInUrl?: string | undefined;
}

/** Name of the `<meta>` element that contains the facts as JSON. */
export const CONFIG_NAME = "agent-page";

const MAX_URL = 2_000;
/** Origin that stands for the one of the page, which is not known here. */
const OWN_ORIGIN = "http://page.invalid";

/**
 * Returns true for a URL with `http` or `https`, and for a path on the page's own origin. A path such as `//host/` would
 * lead to another one.
 */
export function isSignInUrl(value: unknown): value is string {
  if (typeof value !== "string" || value.length > MAX_URL) return false;
  if (value.startsWith("/"))
    return isUrl(value, OWN_ORIGIN) && new URL(value, OWN_ORIGIN).origin === OWN_ORIGIN;
  const start = value.slice(0, 8).toLowerCase();
  if (!start.startsWith("http://") && start !== "https://") return false;
  if (!isUrl(value)) return false;
  const { username, password } = new URL(value);
  return username === "" && password === "";
}
