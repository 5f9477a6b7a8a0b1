/**
 * @fileoverview The page's connections to the server: one client for each era that the server supports. The first client
 * uses the newest revision that the server supports.
 * @module cli/page/workbench/connections/connections
 */
import { type Client, ConnectionError, type RemoteClientOptions } from "tenon/client";
import {
  type Era,
  type Implementation,
  type JsonRpcNotification,
  LATEST_LEGACY,
  type LogLevel,
  type Revision,
  TRAITS,
} from "tenon/protocol";
import { CommandError } from "../../command-error.js";
import type { ConnectionState } from "../../protocol.js";
import type { InspectedServer } from "../inspected-server.js";
import type { Questions } from "../questions.js";
import { type CallContext, ClientTrack, type ResultListener } from "./call-context.js";
import { oneLine } from "@tenon/internal/text";
import { messageOf } from "@tenon/internal/thrown";

/** Client of one era. */
export interface EraClient {
  readonly key: string;
  readonly era: Era;
  readonly client: Client;
  readonly track: ClientTrack;
}

/** Settings for `Connections`. */
export interface ConnectionSettings {
  readonly server: InspectedServer;
  readonly clientInfo: Implementation;
  readonly context: CallContext;
  readonly questions: Questions;
  readonly onResult: ResultListener;
  readonly onState: (state: ConnectionState) => void;
  readonly onNotification: (era: Era, notification: JsonRpcNotification) => void;
  /** Called when the first client has connected, also again. */
  readonly onConnected: (primary: EraClient) => void;
}

/** Delays before further attempts in milliseconds. The last one is repeated. */
const DELAYS_MS = [200, 500, 1_000, 2_000, 5_000, 10_000];
/** Maximum number of attempts to start a program again. */
const MAX_PROGRAM_ATTEMPTS = 5;
/** Time in milliseconds after which a connection is stable, so that a later failure is not counted with earlier ones. */
const STABLE_MS = 10_000;
/** Time in milliseconds after which the user is told that the server has not responded. */
const SLOW_MS = 3_000;
/** Time limit in milliseconds for requests of the page that are not calls. */
const TIMEOUT_MS = 60_000;

/** Connections of the page. */
export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #clients = new Map<Era, EraClient>();
  readonly #tracks = new Map<string, ClientTrack>();
  #primary: EraClient | undefined;
  #logLevel: LogLevel = "info";
  #lastKey = 0;
  /** Number of the current attempt. The outcome of an earlier one is ignored. */
  #attempt = 0;
  /** Number of the attempt that is in progress. */
  #connecting: number | undefined;
  /** Number of failed attempts and lost connections since a connection was stable. */
  #failures = 0;
  /** Starts the next attempt or, while connected, resets the number of failures. */
  #timer: NodeJS.Timeout | undefined;
  #status: ConnectionState["status"] | undefined;
  #isClosed = false;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
    settings.server.onSignIn?.((url) => this.#publish("sign-in", { message: SIGN_IN, signInUrl: url.href }));
  }

  /** Client that definitions come from. */
  get primary(): EraClient | undefined {
    return this.#primary;
  }

  /** Eras that the server supports, as far as they are known. */
  get eras(): readonly Era[] {
    return [...this.#clients.keys()];
  }

  /** Connects, or connects again. */
  start(): void {
    this.#failures = 0;
    void this.#connect(++this.#attempt);
  }

  /** Connects, unless the page is connected or connecting. */
  ensure(): void {
    if (this.#primary === undefined && this.#connecting !== this.#attempt) this.start();
  }

  /** Returns the client of an era. @throws {CommandError} if there is none */
  get(era: Era): EraClient {
    const found = this.#clients.get(era);
    if (found !== undefined) return found;
    if (this.#primary === undefined) throw new CommandError(409, "The page is not connected to the server.");
    throw new CommandError(409, `The server does not support the ${era} era.`);
  }

  /** Returns the messages of a client by its key. */
  findTrack(key: string): ClientTrack | undefined {
    return this.#tracks.get(key);
  }

  /** Connects again if the error of a request shows that the connection is lost. */
  reportFailure({ key }: EraClient, error: unknown): void {
    const isCurrent = [...this.#clients.values()].some((one) => one.key === key);
    if (!isCurrent || this.#isClosed || !isTemporary(error)) return;
    // A server that is slow is still connected.
    if ((error as { readonly code?: unknown }).code === "timeout") return;
    void this.#reconnect(error);
  }

  /** Changes the minimum level of the server's log messages. */
  async setLogLevel(level: LogLevel): Promise<void> {
    this.#logLevel = level;
    const legacy = this.#clients.get("legacy");
    if (legacy !== undefined) await legacy.client.request("logging/setLevel", { level });
    const modern = this.#clients.get("modern");
    if (modern === undefined) return;
    // Stateless requests carry the level, which is fixed for a client.
    const next = await this.#open(modern.client.revision);
    this.#clients.set("modern", next);
    if (this.#primary === modern) {
      this.#primary = next;
      this.#settings.onConnected(next);
    }
    await this.#close(modern);
  }

  /** Closes the connections, and opens them again only with `start`. */
  async stop(message: string): Promise<void> {
    await this.release();
    this.#publish("sign-in", { message });
  }

  /** Closes the connections until `start`, without a change of the state. */
  async release(): Promise<void> {
    this.#attempt++;
    clearTimeout(this.#timer);
    await this.#closeAll();
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.release();
  }

  async #connect(attempt: number): Promise<void> {
    clearTimeout(this.#timer);
    this.#connecting = attempt;
    if (this.#failures === 0) this.#publish("connecting");
    const slow = setTimeout(() => this.#onSlow(attempt), SLOW_MS).unref();
    try {
      await this.#closeAll();
      const primary = await this.#open("latest");
      if (attempt !== this.#attempt) return await this.#close(primary);
      this.#clients.set(primary.era, primary);
      this.#primary = primary;
      this.#publish("ready");
      this.#timer = setTimeout(() => (this.#failures = 0), STABLE_MS).unref();
      this.#settings.onConnected(primary);
      if (primary.era === "modern") await this.#openLegacy(attempt);
    } catch (error) {
      if (attempt === this.#attempt && !this.#isClosed) this.#onFailed(error, attempt);
    } finally {
      clearTimeout(slow);
      if (this.#connecting === attempt) this.#connecting = undefined;
    }
  }

  /** Tells the user that the server does not respond, unless the user must sign in first. */
  #onSlow(attempt: number): void {
    const { slowMessage: message } = this.#settings.server;
    if (message !== undefined && attempt === this.#attempt && this.#status === "connecting")
      this.#publish("connecting", { message });
  }

  /** Connects the second client. A server that rejects it does not support the era. */
  async #openLegacy(attempt: number): Promise<void> {
    const legacy = await this.#open(LATEST_LEGACY).catch(() => undefined);
    if (legacy === undefined) return;
    if (attempt !== this.#attempt || legacy.era !== "legacy") return this.#close(legacy);
    this.#clients.set("legacy", legacy);
    this.#publish("ready");
  }

  #onFailed(error: unknown, attempt: number): void {
    this.#publish("failed", { message: describeFailure(error) });
    const ms = DELAYS_MS[Math.min(this.#failures, DELAYS_MS.length - 1)];
    this.#failures++;
    const isLast = this.#settings.server.isProgram && this.#failures >= MAX_PROGRAM_ATTEMPTS;
    if (isLast || !isTemporary(error)) return;
    this.#timer = setTimeout(() => void this.#connect(attempt), ms).unref();
  }

  /** Connects again: at once after the first failure, and later with delays. */
  async #reconnect(reason: unknown): Promise<void> {
    const attempt = ++this.#attempt;
    clearTimeout(this.#timer);
    if (this.#failures > 0) {
      await this.#closeAll();
      if (attempt === this.#attempt && !this.#isClosed) this.#onFailed(reason, attempt);
      return;
    }
    this.#failures = 1;
    this.#publish("connecting", { message: describeFailure(reason) });
    await this.#connect(attempt);
  }

  /** Opens a client. Its messages are recorded only if they belong to a call. */
  async #open(revision: Revision | "latest"): Promise<EraClient> {
    const { server, clientInfo, context, questions, onResult, onNotification } = this.#settings;
    const key = String(++this.#lastKey);
    const track = new ClientTrack(context, onResult);
    this.#tracks.set(key, track);
    let era: Era = revision === "latest" ? "modern" : TRAITS[revision].era;
    const find = () => ({ era, record: track.findCurrent(), requestId: track.lastRequestId });
    const options: RemoteClientOptions = {
      ...questions.handlers(find),
      revision,
      clientInfo,
      timeoutMs: TIMEOUT_MS,
      logLevel: this.#logLevel,
      // The page keeps notifications itself.
      limits: { maxNotificationBytes: 0 },
      onNotification: (notification) => onNotification(era, notification),
      trace: (message) => track.take(message),
    };
    try {
      const client = await context.outside(() => server.connect(options, key));
      era = TRAITS[client.revision].era;
      return { key, era, client, track };
    } catch (error) {
      this.#tracks.delete(key);
      throw error;
    }
  }

  async #close({ key, client }: EraClient): Promise<void> {
    this.#tracks.delete(key);
    await client.close().catch(() => undefined);
  }

  async #closeAll(): Promise<void> {
    const open = [...this.#clients.values()];
    this.#clients.clear();
    this.#primary = undefined;
    await Promise.all(open.map((one) => this.#close(one)));
  }

  #publish(
    status: ConnectionState["status"],
    more: Pick<ConnectionState, "message" | "signInUrl"> = {},
  ): void {
    const revisions = Object.fromEntries(
      [...this.#clients.values()].map(({ era, client }) => [era, client.revision]),
    );
    this.#status = status;
    this.#settings.onState({ status, revisions, ...more });
  }
}

const SIGN_IN = "The server requires a sign-in. Open the URL, and come back to this page afterwards.";

/** Describes an error of a connection. */
function describeFailure(error: unknown): string {
  return oneLine(messageOf(error) ?? "The connection failed for an unknown reason.", 2_000);
}

/** Returns true if the server may become reachable again without a change by the user. */
function isTemporary(error: unknown): boolean {
  return error instanceof ConnectionError && TEMPORARY.has(error.code);
}

const TEMPORARY: ReadonlySet<string> = new Set(["unreachable", "closed", "session-expired", "timeout"]);
