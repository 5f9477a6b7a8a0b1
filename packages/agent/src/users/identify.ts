/**
 * @fileoverview Identifies the user of a token, with an authorization or with the application's own function.
 * @module agent/users/identify
 */
import { listOptionProblems } from "@tenon/internal/options/define-options";
import type { MaybePromise } from "@tenon/internal/maybe-promise";
import { safeReport } from "@tenon/internal/security/safe-text";
import type { Auth, Logger } from "tenon";
import type { CredentialLifetime } from "tenon/fetch";
import { showValue } from "@tenon/internal/kind-of";
import { isUserId } from "../storage/task-id.js";
import { createDecideAccess } from "./access.js";
import { hasEnded } from "./lifetime.js";
import {
  type AgentUser,
  type AgentUsers,
  type AuthorizedUsers,
  type ConnectionRequest,
  type CustomUsers,
  USER_OPTIONS,
} from "./user.js";

/** Outcome for a token. `unavailable` means that the token cannot be verified right now. */
export type Identification =
  | { readonly kind: "accepted"; readonly user: AgentUser | undefined; readonly lifetime: CredentialLifetime }
  | { readonly kind: "rejected" }
  | { readonly kind: "unavailable" };

/** Identifies the user of a token. Without a token, the request itself must identify the user. Never rejects. */
export type Identify = (token: string | undefined, request: ConnectionRequest) => Promise<Identification>;

/** Checks the options for users, and returns the functions that use them. @throws if an option is invalid */
export function resolveUsers(users: AgentUsers, logger: Logger | undefined) {
  for (const problem of listOptionProblems(USER_OPTIONS, users, "users")) throw new TypeError(problem);
  assertUsers(users);
  const { cookie, access } = users;
  const find: FindUser =
    users.authorization === undefined ? createCustomFind(users) : createAuthorizedFind(users);
  const identify: Identify = async (token, request) => {
    const log = (problem: string) => logger?.error(`agent: could not identify a user: ${problem}`);
    try {
      return toIdentification(await find(token, request), log);
    } catch (error) {
      log(withoutToken(safeReport(error), token));
      return REJECTED;
    }
  };
  return { identify, cookie, decideAccess: createDecideAccess({ access, logger }) };
}

/**
 * Returns the default user ID. A principal of `@tenon/auth` consists of the issuer, the subject, and the client. The
 * client is left out, because users keep their conversations when they use a different program.
 */
export function toUserId({ principal, subject, clientId }: Auth): string {
  if (subject === undefined || clientId === undefined) return principal;
  const end = `,${JSON.stringify(subject)},${JSON.stringify(clientId)}]`;
  return principal.startsWith("[") && principal.endsWith(end)
    ? `${principal.slice(0, -end.length)},${JSON.stringify(subject)}]`
    : principal;
}

/** Removes a token from a text. The text may have been cut in the middle of the token. */
function withoutToken(text: string, token: string | undefined): string {
  if (token === undefined) return text;
  const rest = text.replaceAll(token, "[token]");
  const at = rest.indexOf(token.slice(0, CUT_TOKEN));
  return token.length <= CUT_TOKEN || at === -1 ? rest : `${rest.slice(0, at)}[token]`;
}

const CUT_TOKEN = 16;

const REJECTED: Identification = { kind: "rejected" };
const UNAVAILABLE: Identification = { kind: "unavailable" };

/** Value that identifies a user and has not been checked yet, `undefined` to reject, or `unavailable`. */
type Found = { readonly user: unknown; readonly lifetime: CredentialLifetime } | "unavailable" | undefined;
type FindUser = (token: string | undefined, request: ConnectionRequest) => MaybePromise<Found>;

function createCustomFind({ identify }: CustomUsers): FindUser {
  return async (token, request) => {
    if (token === undefined) return undefined;
    const user = await identify(token, request);
    return user && { user, lifetime: user };
  };
}

function createAuthorizedFind({
  authorization,
  toUser = (_auth, id) => ({ id }),
}: AuthorizedUsers): FindUser {
  return async (token, request) => {
    const bearer = token === undefined ? undefined : `Bearer ${token}`;
    const outcome = await authorization.authenticate({
      method: "GET",
      url: request.url,
      header: (name) => (name.toLowerCase() === "authorization" ? bearer : readHeader(request, name)),
    });
    if ("status" in outcome) return outcome.status >= 500 ? "unavailable" : undefined;
    const { auth, validUntil = auth?.expiresAt, revoked } = outcome;
    if (auth === undefined) throw new Error(NO_CALLER);
    const user = await toUser(auth, toUserId(auth));
    return user && { user, lifetime: { validUntil, revoked } };
  };
}

const NO_CALLER = 'The authorization does not identify callers. Use a mode other than "none".';

function readHeader({ headers }: ConnectionRequest, name: string): string | undefined {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : value;
}

function toIdentification(found: Found, log: (problem: string) => void): Identification {
  if (found === undefined) return REJECTED;
  if (found === "unavailable") return UNAVAILABLE;
  const { id, canWrite } = Object(found.user) as Partial<Record<keyof AgentUser, unknown>>;
  if (!isUserId(id)) {
    log("the user's ID must be 1 to 1600 printable characters.");
    return REJECTED;
  }
  if (canWrite !== undefined && typeof canWrite !== "boolean") {
    log(`\`canWrite\` must be true or false; got ${showValue(canWrite)}.`);
    return REJECTED;
  }
  const { validUntil, revoked } = found.lifetime;
  if (hasEnded({ validUntil, revoked })) return REJECTED;
  const user = Object.freeze(canWrite === undefined ? { id } : { id, canWrite });
  return { kind: "accepted", user, lifetime: { validUntil, revoked } };
}

function assertUsers({ authorization, identify, toUser }: AgentUsers): void {
  if ((authorization === undefined) === (identify === undefined))
    throw new TypeError("`users` must have either `authorization` or `identify`.");
  if (toUser !== undefined && authorization === undefined)
    throw new TypeError("`users.toUser` requires `users.authorization`.");
}
