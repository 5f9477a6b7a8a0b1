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
  MODERN_REVISIONS,
  type Revision,
  REVISIONS,
  TRAITS,
} from "../../protocol/index.js";
import type { Fakes } from "./fakes.js";

/** Test client options, including the fakes that respond to server requests. */
export interface ClientOptions<Context> extends Fakes {
  /**
   * Protocol revision to use.
   * @default the latest revision that starts with `initialize`, or the stateless revision with `tasks`
   */
  readonly revision?: Revision;
  /**
   * Declares the Tasks extension. Tools with a `task` option then run as tasks, which `callTool` follows to their end.
   * Requires a stateless revision.
   * @default false
   */
  readonly tasks?: boolean;
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

/** Options for one request. */
export interface RequestOptions {
  /** Cancels the request when it aborts. */
  readonly signal?: AbortSignal;
  /** Called with progress updates. */
  readonly onProgress?: (progress: {
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  }) => void;
}

/** Asserts that every option is known and the revision is supported. @throws {TypeError} with a suggestion */
export function assertClientOptions(options: ClientOptions<unknown>): void {
  assertKnownOptions(options, { label: "createClient", names: NAMES, aliases: ALIASES });
  const { revision, tasks = false } = options;
  if (revision !== undefined && !REVISIONS.includes(revision)) {
    throw new TypeError(
      `createClient: \`revision\` must be one of ${REVISIONS.join(", ")}; got ${showValue(revision)}.`,
    );
  }
  if (typeof tasks !== "boolean")
    throw new TypeError(`createClient: \`tasks\` must be true or false; got ${showValue(tasks)}.`);
  if (!tasks || revision === undefined || TRAITS[revision].stateless) return;
  throw new TypeError(
    `createClient: \`tasks\` requires revision ${MODERN_REVISIONS.join(" or ")}, because older revisions do not ` +
      `have the Tasks extension; got ${showValue(revision)}.`,
  );
}

const NAMES: OptionNames<ClientOptions<unknown>> = {
  revision: true,
  tasks: true,
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
  task: "tasks",
};
