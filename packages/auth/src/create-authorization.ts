/**
 * @fileoverview Creates the authorization for an HTTP endpoint: none, a development bypass, or bearer tokens.
 * @module auth/create-authorization
 */
import type { Auth } from "tenon";
import { frozenCopy } from "@tenon/internal/deep-freeze";
import { kindOf } from "@tenon/internal/kind-of";
import { withPorts } from "@tenon/internal/ports";
import type { Authenticated, Authorization } from "tenon/fetch";
import { readBearer } from "./tokens/bearer.js";
import { challengeHeaders, type ChallengeParts } from "./tokens/challenge.js";
import { principalOf } from "./tokens/claims.js";
import { parseAuthorization } from "./check-options.js";
import type {
  AuthorizationEvent,
  AuthorizationOptions,
  AuthorizationSettings,
  TokenOptions,
} from "./options.js";
import { TOKEN_PROBLEMS } from "./tokens/problems.js";
import { describeResource } from "./resource-metadata.js";
import { createVerifier, type Verified, type VerifiedToken } from "./verifier.js";

/**
 * Creates the authorization for an endpoint. Pass it to `serve`, `toNodeHandler`, `toFetch`, or a router.
 *
 * @example createAuthorization({ mode: "oauth", issuer: "https://id.example.com", resource: "https://mcp.example.com/mcp" })
 * @throws CONFIGURATION_ERROR listing every invalid option
 */
export function createAuthorization(options: AuthorizationOptions): Authorization<never> {
  const settings = parseAuthorization(options);
  switch (settings.mode) {
    case "none":
      return { authenticate: () => ({}), challenge: (scopes) => forbid(NO_PARTS, scopes) };
    case "development":
      return createBypass(settings);
    default:
      return createTokenAuthorization(settings);
  }
}

/** Sent with status 401 if the bearer token is missing or malformed. */
const BEARER_REQUIRED = "Missing or invalid Authorization header. Bearer scheme required.";
const UNAVAILABLE = "The access token cannot be verified right now. Try again later.";

const NO_PARTS: ChallengeParts = { realm: undefined, metadataUrl: undefined };

function createBypass({ clientId, scopes }: AuthorizationSettings<"development">) {
  const principal = principalOf(undefined, undefined, clientId);
  const auth: Auth = frozenCopy({ principal, scopes, clientId });
  return {
    authenticate: () => ({ auth }),
    challenge: (required: readonly string[]) => forbid(NO_PARTS, required),
  };
}

function createTokenAuthorization(options: AuthorizationSettings<"jwt" | "oauth">): Authorization<never> {
  const { requiredScopes: required, onEvent, revocation } = options;
  const metadata = options.mode === "oauth" ? describeResource(options) : undefined;
  const parts: ChallengeParts = { realm: options.realm, metadataUrl: metadata?.url };
  const verify = createVerifier(options, withPorts(options.ports));
  const refuse = (reason: Refusal): Authenticated<never> => {
    onEvent?.({ type: "refused", reason });
    return toRefusal(reason, parts, required);
  };
  return {
    async authenticate({ header }) {
      const token = readBearer(header("authorization"));
      if (token === undefined) return refuse("missing");
      let verified: Verified;
      let revoked: AbortSignal | undefined;
      try {
        verified = await verify(token);
        if (verified.ok && revocation !== undefined) revoked = await findRevocation(revocation, verified);
      } catch (error) {
        onEvent?.({ type: "failed", error });
        throw error;
      }
      if (!verified.ok) return refuse(verified.problem);
      if (revoked?.aborted === true) return refuse("revoked");
      const { auth, until: validUntil } = verified;
      return required.every((scope) => auth.scopes.includes(scope))
        ? { auth, validUntil, revoked }
        : refuse("scope");
    },
    challenge: (scopes) => forbid(parts, [...required, ...scopes]),
    metadata,
  };
}

/** Returns the signal for a token. @throws if the `revocation` option returns anything else */
async function findRevocation(
  revocation: NonNullable<TokenOptions["revocation"]>,
  { auth, claims }: VerifiedToken,
): Promise<AbortSignal | undefined> {
  const signal: unknown = await revocation(auth, claims);
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  throw new TypeError(
    `createAuthorization: \`revocation\` must return an AbortSignal or undefined; got ${kindOf(signal)}. ` +
      "For a token that has been revoked, return `AbortSignal.abort()`.",
  );
}

type Refusal = Extract<AuthorizationEvent, { type: "refused" }>["reason"];

function toRefusal(reason: Refusal, parts: ChallengeParts, scopes: readonly string[]): Authenticated<never> {
  switch (reason) {
    case "missing":
      // Without a token in the request, the challenge must not contain an error code (RFC 6750, section 3.1).
      return { status: 401, headers: challengeHeaders(parts, { scopes }), message: BEARER_REQUIRED };
    case "scope":
      return { status: 403, headers: forbid(parts, scopes), message: describeScopes(scopes) };
    case "unavailable":
      return { status: 503, headers: { "retry-after": "10" }, message: UNAVAILABLE };
    default: {
      const description = TOKEN_PROBLEMS[reason];
      const headers = challengeHeaders(parts, { error: "invalid_token", description, scopes });
      return { status: 401, headers, message: description };
    }
  }
}

function describeScopes(scopes: readonly string[]): string {
  return `The access token is missing a required scope. Request a token with these scopes: ${scopes.join(" ")}.`;
}

function forbid(parts: ChallengeParts, scopes: readonly string[]) {
  return challengeHeaders(parts, { error: "insufficient_scope", scopes });
}
