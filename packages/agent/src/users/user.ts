/**
 * @fileoverview Users of an agent server, and the options that say how they are identified.
 * @module agent/users/user
 */
import type { IncomingHttpHeaders } from "node:http";
import { defineOptions, type OptionsOf } from "@tenon/internal/options/define-options";
import { callback, custom } from "@tenon/internal/options/option-rows";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import type { Auth } from "tenon";
import type { Authorization, CredentialLifetime } from "tenon/fetch";
import { COOKIE_NAME_RULE } from "./credentials.js";

/** User of an agent server. Every task belongs to the user who started it. */
export interface AgentUser {
  /**
   * Unique ID, compared exactly: 1 to 1,600 characters, without control and format characters, line separators, and lone
   * surrogates.
   */
  readonly id: string;
  /**
   * False for a user who can only watch tasks.
   * @default true
   */
  readonly canWrite?: boolean | undefined;
}

/** Access to a task. `write` includes `watch`. */
export type TaskAccess = "write" | "watch";

/** Task that an access rule decides about. For a subtask, it is the task at the top. */
export interface AccessTask {
  readonly taskId: string;
  /** ID of the user who started the task. `undefined` if the server did not identify users at that time. */
  readonly owner: string | undefined;
}

/** Returns a user's access to a task. A task for which it returns `undefined` does not exist for the user. */
export type AccessRule = (user: AgentUser, task: AccessTask) => TaskAccess | undefined;

/** User that a token identifies, and the time for which the token is valid. */
export interface IdentifiedUser extends AgentUser, CredentialLifetime {}

/** Request that opened a connection. */
export interface ConnectionRequest {
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Path and query of the request. */
  readonly url: string;
  /** Address of the client, or of the proxy in front of the server. */
  readonly remoteAddress: string | undefined;
}

/** Options for the users of a server. Set either `authorization` or `identify`. */
export const USER_OPTIONS = /* @__PURE__ */ defineOptions("users", {
  /** Verifies tokens. */
  authorization: custom<Authorization>({
    expected: "an authorization, such as one from `createAuthorization` of @tenon/auth",
    accepts: (value) => typeof Reflect.get(Object(value) as object, "authenticate") === "function",
    fix: (value) => (value instanceof Promise ? "Await it first." : undefined),
    aliases: ["auth"],
  }),
  /**
   * Returns the user for a verified token, or `undefined` to reject it. `id` is the default user ID.
   * @default a user whose ID consists of the token's issuer and subject, and who can write
   */
  toUser: callback<(auth: Auth, id: string) => MaybePromise<AgentUser | undefined>>(),
  /** Returns the user for a token, or `undefined` to reject it. If it throws, the token is rejected too. */
  identify:
    callback<(token: string, request: ConnectionRequest) => MaybePromise<IdentifiedUser | undefined>>(),
  /**
   * Name of a cookie that contains the token, for web pages. Connections with the cookie must have an allowed origin.
   * @default tokens in cookies are not accepted
   */
  cookie: custom<string>({ ...COOKIE_NAME_RULE, aliases: ["cookieName"] }),
  /**
   * Decides about a user's access to a task. Must not return a promise: it is called for every task of a list.
   * @default the owner can write, and nobody else can see the task
   */
  access: callback<AccessRule>(),
});

type AllUserOptions = OptionsOf<typeof USER_OPTIONS>;

/** Options for the users of a server. Set either `authorization` or `identify`. */
export type AgentUsers = AuthorizedUsers | CustomUsers;

/** Options that do not depend on how users are identified. */
export interface UserOptions extends Pick<AllUserOptions, "cookie" | "access"> {}

/** Users that an authorization identifies, such as one created by `createAuthorization` from `@tenon/auth`. */
export interface AuthorizedUsers extends UserOptions, Pick<AllUserOptions, "toUser"> {
  /** Verifies tokens. */
  readonly authorization: Authorization;
  readonly identify?: undefined;
}

/** Users that your own function identifies. */
export interface CustomUsers extends UserOptions {
  /** Returns the user for a token, or `undefined` to reject it. If it throws, the token is rejected too. */
  readonly identify: NonNullable<AllUserOptions["identify"]>;
  readonly authorization?: undefined;
  readonly toUser?: undefined;
}
