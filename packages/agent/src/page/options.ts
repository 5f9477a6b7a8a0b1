/**
 * @fileoverview Options of the page, and their defaults.
 * @module agent/page/options
 */
import { defineOptions, type OptionsOf, parseOptions } from "@tenon/internal/options/define-options";
import { custom, flag } from "@tenon/internal/options/option-rows";
import { START_OPTIONS } from "../socket/options.js";
import { isSignInUrl, type PageConfig } from "./page-config.js";

/** Options that describe the page. */
export const PAGE_TEXT = {
  /** Name of the agent, shown at the top and in the title of the tab. @default "Agent" */
  title: custom<string>({ default: "Agent", ...shortText(100) }),
  /** Heading of an empty conversation. @default "How can I help?" */
  greeting: custom<string>({ default: "How can I help?", ...shortText(200) }),
  /** First messages that an empty conversation suggests, at most 8. @default none */
  suggestions: custom<readonly string[]>({
    default: [],
    expected: "an array of at most 8 texts of 1 to 500 characters",
    accepts: (value) =>
      Array.isArray(value) && value.length <= 8 && value.every((one) => shortText(500).accepts(one)),
  }),
  /**
   * Place where users sign in, as a URL with `http` or `https`, or as a path such as `/login`. A visitor whom the server
   * does not know sees a link to it instead of the form for a token. Use it with the option `cookie` of `users`.
   * @default the page asks for a token
   */
  signInUrl: custom<string>({
    expected: 'a URL such as "https://app.example/login", or a path such as "/login"',
    accepts: isSignInUrl,
    aliases: ["loginUrl", "signIn"],
  }),
} as const;

/** Options for `createAgentPage`. */
export const PAGE_OPTIONS = /* @__PURE__ */ defineOptions("createAgentPage", {
  ...PAGE_TEXT,
  /**
   * Origins of the page, such as `https://app.example`. Requests for other host names are rejected, which stops DNS
   * rebinding. Use the same list as for `AgentServer.start`.
   * @default every loopback origin, on any port
   */
  allowedOrigins: START_OPTIONS.rows.allowedOrigins,
  /**
   * Maximum message size of the server, in bytes. The page checks files against it.
   * @default 1048576
   */
  maxPayload: START_OPTIONS.rows.maxPayload,
  /** True if the page asks for a token before it connects. @default false */
  needsToken: flag({ default: false }),
  /**
   * True if the server accepts only users that it can identify, by a token or a cookie. The page then offers the sign-in
   * if the server does not accept a connection within a second.
   * @default true if `needsToken` or `signInUrl` is set
   */
  hasUsers: flag(),
});

/** Options for `createAgentPage`. */
export interface AgentPageOptions extends OptionsOf<typeof PAGE_OPTIONS> {}

/** Applies the defaults. @throws {TypeError} if an option is invalid */
export function toPageConfig(options: AgentPageOptions): PageConfig {
  const parsed = parseOptions(PAGE_OPTIONS, options);
  const { allowedOrigins: _, maxPayload, hasUsers, ...config } = parsed;
  const { needsToken, signInUrl } = config;
  if (signInUrl !== undefined && needsToken)
    throw new TypeError(
      "`signInUrl` and `needsToken` cannot be combined: the page shows the link instead of the form for a token.",
    );
  const needsUser = hasUsers ?? (needsToken || signInUrl !== undefined);
  return { ...config, maxMessageBytes: maxPayload, hasUsers: needsUser };
}

function shortText(limit: number): {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
} {
  return {
    expected: `a text of 1 to ${limit} characters`,
    accepts: (value) => typeof value === "string" && value.trim() !== "" && value.length <= limit,
  };
}
