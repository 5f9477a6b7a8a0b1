/**
 * @fileoverview Detects requests whose last headers Node.js has dropped. Checks of the remaining headers would miss a
 * foreign Origin or a second Host among them.
 * @module internal/security/header-count
 */

/** Subset of Node's `IncomingMessage` that is used here. */
export interface CountedRequest {
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly socket: object;
}

/** Outcome of checking the number of a request's headers. */
export type HeaderCountCheck = { readonly ok: true } | { readonly ok: false; readonly limit: number };

/**
 * Checks that Node has kept all headers of a request. Node silently drops headers beyond the `maxHeadersCount` of its
 * server. It adds them in groups and stops after the group that reaches the limit, so a request with exactly as many
 * headers as the limit may have lost others. Such a request is rejected too.
 */
export function checkHeaderCount({ rawHeaders, socket }: CountedRequest): HeaderCountCheck {
  const limit = headerLimit(socket);
  return rawHeaders.length < limit || limit <= 0 ? PASS : { ok: false, limit: limit / 2 - 1 };
}

const PASS: HeaderCountCheck = { ok: true };

/** Explains a rejection to the client. */
export function describeHeaderCount(limit: number): string {
  return `The request has too many headers (limit: ${limit}).`;
}

/** Number of names and values that Node keeps by default. Its documentation counts them as 2,000 headers. */
const DEFAULT_LIMIT = 2_000;

/** Returns the number of names and values that Node keeps on a connection. 0 or less means all. */
function headerLimit(socket: object): number {
  // Safe: every property is optional, and its type is checked where it matters.
  const { parser, server } = socket as NodeSocket;
  if (typeof parser?.maxHeaderPairs === "number") return parser.maxHeaderPairs;
  // The parser is gone after an upgrade.
  const count = server?.maxHeadersCount;
  return typeof count === "number" ? count * 2 : DEFAULT_LIMIT;
}

/** Properties of a socket that Node's HTTP server sets. Node's types do not declare them. */
interface NodeSocket {
  readonly parser?: { readonly maxHeaderPairs?: unknown } | null;
  readonly server?: { readonly maxHeadersCount?: unknown };
}
