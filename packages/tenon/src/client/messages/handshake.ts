/**
 * @fileoverview Agrees on a protocol revision: a given one, or the newest one that the server supports.
 * @module tenon/client/messages/handshake
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { memoryOf } from "@tenon/internal/json-memory";
import { printable } from "@tenon/internal/text";
import {
  type ClientCapabilities,
  ERRORS,
  type Implementation,
  LATEST_LEGACY,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  type Revision,
  REVISIONS,
  TASKS_EXTENSION,
  TRAITS,
} from "../../protocol/index.js";
import { ClientError, ConnectionError } from "../errors.js";
import type { RequestChannel } from "./request-channel.js";

/** Facts that the client declares in the handshake. */
export interface HandshakeOptions {
  readonly revision: Revision | "latest";
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation;
  /** Declares the Tasks extension in stateless revisions. */
  readonly tasks: boolean;
  /** Receives messages that the server sends on its own. */
  readonly listens: boolean;
  readonly timeoutMs: number | undefined;
}

/** The newest stateless revision. */
const LATEST_STATELESS = MODERN_REVISIONS.at(-1) ?? LATEST_LEGACY;

/** Time limit in milliseconds for the first request, because a legacy server may never respond to it. */
const PROBE_MS = 5_000;

/** Returns the revision that the first request uses. */
export function firstRevision({ revision }: Pick<HandshakeOptions, "revision">): Revision {
  return revision === "latest" ? LATEST_STATELESS : revision;
}

/** Returns the capabilities to declare in a revision. Tasks require a stateless one. */
export function capabilitiesFor(
  revision: Revision,
  { capabilities, tasks }: Pick<HandshakeOptions, "capabilities" | "tasks">,
): ClientCapabilities {
  if (!tasks || !TRAITS[revision].stateless) return capabilities;
  return { ...capabilities, extensions: { ...capabilities.extensions, [TASKS_EXTENSION]: {} } };
}

/** Maximum memory of the result in bytes. Each client keeps it for as long as it is open. */
const MAX_RESULT_BYTES = 1_048_576;

/**
 * Runs the handshake. Returns the result of `server/discover` or `initialize`.
 *
 * @throws {ConnectionError} if the result is too large
 */
export async function shakeHands(channel: RequestChannel, options: HandshakeOptions): Promise<JsonObject> {
  const result = await agree(channel, options);
  // A server in the same process is trusted.
  if (channel.limits.maxMessageBytes === Infinity || memoryOf(result) <= MAX_RESULT_BYTES) return result;
  throw new ConnectionError(
    `The server's description of itself is too large (limit: ${MAX_RESULT_BYTES} bytes).`,
    "protocol",
  );
}

async function agree(channel: RequestChannel, options: HandshakeOptions): Promise<JsonObject> {
  const first = firstRevision(options);
  if (!TRAITS[first].stateless) return initialize(channel, first, options);
  const isProbe = options.revision === "latest";
  try {
    return await discover(channel, first, options);
  } catch (error) {
    const supported = readSupported(error);
    const modern = MODERN_REVISIONS.findLast((one) => supported.includes(one));
    if (modern !== undefined) return discover(channel, modern, options);
    if (!isProbe || !isFromLegacyServer(error)) throw error;
    const legacy = LEGACY_REVISIONS.findLast((one) => supported.includes(one));
    return initialize(channel, legacy ?? LATEST_LEGACY, options);
  }
}

function discover(
  channel: RequestChannel,
  revision: Revision,
  options: HandshakeOptions,
): Promise<JsonObject> {
  channel.useRevision(revision, capabilitiesFor(revision, options));
  const { timeoutMs } = options;
  const isProbe = options.revision === "latest" && timeoutMs !== undefined;
  return channel.request("server/discover", {}, isProbe ? { timeoutMs: Math.min(PROBE_MS, timeoutMs) } : {});
}

async function initialize(
  channel: RequestChannel,
  revision: Revision,
  options: HandshakeOptions,
): Promise<JsonObject> {
  const capabilities = capabilitiesFor(revision, options);
  channel.useRevision(revision, capabilities);
  const result = await channel.request(
    "initialize",
    { protocolVersion: revision, capabilities, clientInfo: options.clientInfo },
    {},
  );
  const { protocolVersion: chosen } = result;
  const agreed = REVISIONS.find((one) => one === chosen);
  if (agreed === undefined || TRAITS[agreed].stateless) {
    const shown = typeof chosen === "string" ? `"${printable(chosen)}"` : "none";
    throw new ConnectionError(
      `The server chose protocol revision ${shown}. This client supports ${REVISIONS.join(", ")}.`,
      "protocol",
    );
  }
  channel.useRevision(agreed, capabilities);
  await channel.notify("notifications/initialized");
  if (options.listens) channel.listen();
  return result;
}

/** Returns the revisions in an error that rejects the requested one. */
function readSupported(error: unknown): readonly unknown[] {
  const isAboutVersion = error instanceof ClientError && error.code === ERRORS.UNSUPPORTED_VERSION.modernRpc;
  const supported = isAboutVersion && isJsonObject(error.data) ? error.data["supported"] : undefined;
  return Array.isArray(supported) ? supported : [];
}

/** HTTP statuses of servers that do not know stateless requests. */
const LEGACY_STATUSES: ReadonlySet<number | undefined> = new Set([400, 404, 405, 406, 415, 422]);

/** Returns true if the failure shows that the server does not support stateless requests. */
function isFromLegacyServer(error: unknown): boolean {
  if (error instanceof ClientError) return true;
  return error instanceof ConnectionError && (error.code === "timeout" || LEGACY_STATUSES.has(error.status));
}
