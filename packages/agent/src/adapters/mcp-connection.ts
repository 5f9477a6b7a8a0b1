/**
 * @fileoverview Connection to an MCP server that survives restarts of the server. A lost connection is opened again for
 * the next call, and in the background with growing delays. The tools are then listed again.
 * @module agent/adapters/mcp-connection
 */
import { setTimeout as wait } from "node:timers/promises";
import type { JsonObject } from "@tenon/internal/json";
import type { Client } from "tenon/client";
import type { ToolResult } from "tenon/protocol";
import type { ToolInvokeContext } from "../tools/define-tool.js";
import type { McpToolLike } from "./agent-tool.js";
import { callRemoteTool, isRepeatable, listRemoteTools, LostCallError } from "./mcp-calls.js";
import { McpSession } from "./mcp-session.js";
import { executionError } from "./mcp-tools.js";

/** Options for `McpConnection`. */
export interface McpConnectionOptions {
  /** Opens a client. Its notifications must be passed to `onNotification`. */
  readonly open: () => Promise<Client>;
  /** Called with the server's tools after they were listed. */
  readonly onTools: (tools: readonly McpToolLike[]) => void;
  /** Time limit for a call, in milliseconds. */
  readonly timeoutMs: number | undefined;
}

/** Delays in milliseconds before a lost connection is opened again. Each one is twice as long as the one before. */
const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 60_000;
/** Shortest interval between two lists of the tools, in milliseconds. A server may report changes all the time. */
const LIST_INTERVAL_MS = 1_000;
/** Delays in milliseconds before a call is repeated. */
const REPEAT_DELAYS_MS = [100, 1_000, 3_000];

/** Connection that is opened again if it is lost. */
export class McpConnection {
  readonly #options: McpConnectionOptions;
  readonly #closing = new AbortController();
  /** Current session, or the attempt to open one, which all calls share. */
  #session: Promise<McpSession> | undefined;
  #current: McpSession | undefined;
  /** Every open session: the current one, and those that wait for their last call. */
  readonly #sessions = new Set<McpSession>();
  /** True while a lost connection is opened again, or the tools are listed again. */
  #isRecovering = false;
  #hasChanged = false;
  /** Number of streams of changes that ended soon after they were opened. */
  #shortStreams = 0;

  constructor(options: McpConnectionOptions) {
    this.#options = options;
  }

  /** Opens the connection if necessary, and lists the tools. @throws if the server cannot be reached */
  async list(): Promise<void> {
    const session = await this.#open();
    this.#hasChanged = false;
    const tools = await session.use(listRemoteTools);
    session.takeReconnection();
    const startedAt = Date.now();
    session.listen(() => this.#endStream(startedAt));
    if (!this.#closing.signal.aborted) this.#options.onTools(tools);
  }

  /**
   * Calls a tool. A call that was lost is repeated only if it cannot have reached the server, or if the tool's hints
   * allow it.
   *
   * @throws {McpError} if the call failed; the message is for the model
   */
  async call(
    definition: McpToolLike,
    args: JsonObject,
    context: Pick<ToolInvokeContext, "signal" | "postMessage">,
  ): Promise<ToolResult> {
    const { signal } = context;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#callOnce({ definition, args }, context);
      } catch (error) {
        signal?.throwIfAborted();
        const delay = REPEAT_DELAYS_MS[attempt];
        const isLost = error instanceof LostCallError && !this.#closing.signal.aborted;
        if (!isLost || delay === undefined) throw error;
        if (!error.isUnsent && !isRepeatable(definition)) throw error;
        await wait(delay, undefined, signal === undefined ? {} : { signal });
      }
    }
  }

  /** Lists the tools again soon, because the server has reported a change. */
  noteChange(): void {
    this.#hasChanged = true;
    this.#recover(LIST_INTERVAL_MS);
  }

  /** Closes the connection. Calls in flight and later calls fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(Array.from(this.#sessions, (session) => session.close()));
  }

  /** Lists the tools and opens the stream of changes again. Delays grow if the server keeps ending the stream. */
  #endStream(startedAt: number): void {
    this.#shortStreams = Date.now() - startedAt > MAX_DELAY_MS ? 0 : this.#shortStreams + 1;
    this.#recover(growingDelay(FIRST_DELAY_MS, this.#shortStreams - 1));
  }

  async #callOnce(
    call: { readonly definition: McpToolLike; readonly args: JsonObject },
    context: Pick<ToolInvokeContext, "signal" | "postMessage">,
  ): Promise<ToolResult> {
    const session = await this.#open().catch((error: unknown) => {
      if (this.#closing.signal.aborted) throw error;
      this.#recover(FIRST_DELAY_MS);
      throw new LostCallError(true);
    });
    if (session.isRetired) throw new LostCallError(true);
    const { timeoutMs } = this.#options;
    try {
      const result = await session.use((client) => callRemoteTool(client, { ...call, timeoutMs }, context));
      // A server that has restarted may have other tools.
      if (session.takeReconnection()) this.noteChange();
      return result;
    } catch (error) {
      if (error instanceof LostCallError) this.#drop(session);
      throw error;
    }
  }

  /** Returns the current session, or opens one. */
  #open(): Promise<McpSession> {
    if (this.#closing.signal.aborted) {
      return Promise.reject(executionError("The connection to the MCP server is closed."));
    }
    if (this.#session !== undefined) return this.#session;
    const session = this.#openSession();
    this.#session = session;
    session.catch(() => {
      if (this.#session === session) this.#session = undefined;
    });
    return session;
  }

  async #openSession(): Promise<McpSession> {
    const client = await this.#options.open();
    const session = new McpSession(client, (closed) => this.#sessions.delete(closed));
    this.#sessions.add(session);
    this.#current = session;
    // The connection was closed in the meantime.
    if (this.#closing.signal.aborted) session.retire();
    return session;
  }

  /** Replaces a session whose connection was lost. Its other calls may still get their results. */
  #drop(session: McpSession): void {
    if (this.#current === session) {
      this.#current = undefined;
      this.#session = undefined;
    }
    session.retire();
    if (!this.#closing.signal.aborted) this.#recover(FIRST_DELAY_MS);
  }

  /** Lists the tools in the background, and repeats that with growing delays until the server responds. */
  #recover(firstDelay: number): void {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    void this.#listInBackground(firstDelay).finally(() => {
      this.#isRecovering = false;
      // The server has reported a change while its tools were listed.
      if (this.#hasChanged && !this.#closing.signal.aborted) this.#recover(LIST_INTERVAL_MS);
    });
  }

  async #listInBackground(firstDelay: number): Promise<void> {
    const { signal } = this.#closing;
    for (let attempt = 0; !signal.aborted; attempt++) {
      // The timer does not keep the process running. It rejects if the connection is closed.
      await wait(growingDelay(firstDelay, attempt), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        return await this.list();
      } catch {
        // The connection was lost again, so a new session is needed.
        if (this.#current !== undefined) this.#drop(this.#current);
      }
    }
  }
}

/** Returns a delay in milliseconds that doubles with every attempt. */
function growingDelay(first: number, attempt: number): number {
  return Math.min(first * 2 ** Math.max(0, Math.min(attempt, 20)), MAX_DELAY_MS);
}
