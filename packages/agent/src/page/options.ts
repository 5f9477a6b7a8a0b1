/**
 * @fileoverview Options of the page, and their defaults.
 * @module agent/page/options
 */
import { showValue } from "../shared/show-value.js";
import { isSignInUrl, type PageConfig } from "./page-config.js";

/** Options that describe the page. */
export interface AgentPageText {
  /** Name of the agent, shown at the top and in the title of the tab. @default "Agent" */
  readonly title?: string;
  /** Heading of an empty conversation. @default "How can I help?" */
  readonly greeting?: string;
  /** First messages that an empty conversation suggests, at most 8. @default none */
  readonly suggestions?: readonly string[];
  /**
   * Place where users sign in, as a URL with `http` or `https`, or as a path such as `/login`. A visitor whom the server
   * does not know sees a link to it instead of the form for a token. Use it with the option `cookie` of `users`.
   * @default the page asks for a token
   */
  readonly signInUrl?: string;
}

/** Options for `createAgentPage`. */
export interface AgentPageOptions extends AgentPageText {
  /**
   * Origins of the page, such as `https://app.example`. Requests for other host names are rejected, which stops DNS
   * rebinding. Use the same list as for `AmigoServer.start`.
   * @default every loopback origin, on any port
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Maximum message size of the server, in bytes. The page checks files against it.
   * @default 1048576
   */
  readonly maxPayload?: number;
  /** True if the page asks for a token before it connects. @default false */
  readonly needsToken?: boolean;
  /**
   * True if the server accepts only users that it can identify, by a token or a cookie. The page then offers the sign-in
   * if the server does not accept a connection within a second.
   * @default true if `needsToken` or `signInUrl` is set
   */
  readonly hasUsers?: boolean;
}

const MAX_TITLE = 100;
const MAX_GREETING = 200;
const MAX_SUGGESTION = 500;
const MAX_SUGGESTIONS = 8;

/** Applies the defaults. @throws if an option is invalid */
export function toPageConfig({
  title = "Agent",
  greeting = "How can I help?",
  suggestions = [],
  maxPayload = 1_048_576,
  needsToken = false,
  signInUrl,
  hasUsers = needsToken || signInUrl !== undefined,
}: AgentPageOptions): PageConfig {
  checkText("title", title, MAX_TITLE);
  checkText("greeting", greeting, MAX_GREETING);
  if (suggestions.length > MAX_SUGGESTIONS)
    throw new Error(
      `\`suggestions\` must contain at most ${MAX_SUGGESTIONS} texts; got ${suggestions.length}.`,
    );
  suggestions.forEach((text, index) => checkText(`suggestions[${index}]`, text, MAX_SUGGESTION));
  checkSignIn(signInUrl, needsToken);
  return {
    title,
    greeting,
    suggestions: [...suggestions],
    maxMessageBytes: maxPayload,
    needsToken,
    hasUsers,
    ...(signInUrl !== undefined && { signInUrl }),
  };
}

function checkSignIn(signInUrl: unknown, needsToken: boolean): void {
  if (signInUrl === undefined) return;
  if (!isSignInUrl(signInUrl))
    throw new Error(
      `\`signInUrl\` must be a URL such as "https://app.example/login", or a path such as "/login"; got ${showValue(signInUrl)}.`,
    );
  if (needsToken)
    throw new Error(
      "`signInUrl` and `needsToken` cannot be combined: the page shows the link instead of the form for a token.",
    );
}

function checkText(name: string, text: unknown, limit: number): void {
  if (typeof text === "string" && text.trim() !== "" && text.length <= limit) return;
  throw new Error(`\`${name}\` must be a text of 1 to ${limit} characters; got ${showValue(text)}.`);
}
