/**
 * @fileoverview Options for the in-memory test client.
 * @module transport/memory/client-options
 */
import { showValue } from "@tenon/internal/kind-of";
import { assertKnownOptions, type OptionNames } from "@tenon/internal/names/known-options";
import type { Auth } from "../../core/wire/exchange.js";
import {
  type ClientCapabilities,
  type JsonRpcNotification,
  type LogLevel,
  type Revision,
  REVISIONS,
} from "../../protocol/index.js";
import type { Fakes } from "./fakes.js";

/** Test client options, including the fakes that respond to server requests. */
export interface ClientOptions<Context> extends Fakes {
  /**
   * Protocol revision to use.
   * @default the latest revision that starts with `initialize`
   */
  readonly revision?: Revision;
  /** Overrides the capabilities derived from the fakes. */
  readonly capabilities?: ClientCapabilities;
  /** Application context for every request. */
  readonly context?: Context;
  /** Authenticated caller of every request. */
  readonly auth?: Auth;
  /** Log level sent with every stateless request. */
  readonly logLevel?: LogLevel;
  /** Called with every notification. */
  readonly onNotification?: (notification: JsonRpcNotification) => void;
}

/** Asserts that every option is known and the revision is supported. @throws {TypeError} with a suggestion */
export function assertClientOptions(options: ClientOptions<unknown>): void {
  assertKnownOptions(options, { label: "createClient", names: NAMES, aliases: ALIASES });
  const { revision } = options;
  if (revision === undefined || REVISIONS.includes(revision)) return;
  throw new TypeError(
    `createClient: \`revision\` must be one of ${REVISIONS.join(", ")}; got ${showValue(revision)}.`,
  );
}

const NAMES: OptionNames<ClientOptions<unknown>> = {
  revision: true,
  capabilities: true,
  context: true,
  auth: true,
  logLevel: true,
  onNotification: true,
  input: true,
  sample: true,
  roots: true,
};

/** Names that users try, and the option that they mean. */
const ALIASES: Readonly<Record<string, string>> = {
  protocolVersion: "revision",
  version: "revision",
  elicit: "input",
  elicitation: "input",
  onElicitation: "input",
  sampling: "sample",
  authorization: "auth",
  ctx: "context",
};
