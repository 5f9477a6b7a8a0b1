/**
 * @fileoverview One connection to an MCP server. It is closed when it is no longer used and its last call has ended.
 * @module agent/adapters/mcp-session
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { type Client, ClientError } from "tenon/client";
import { TRAITS } from "tenon/protocol";

/** Open client, with the number of its calls in flight. */
export class McpSession {
  readonly client: Client;
  readonly #onClose: (session: McpSession) => void;
  #inFlight = 0;
  #isRetired = false;
  /** Ends the stream of changes. Set while the stream is open, or if the server does not support it. */
  #stream: AbortController | undefined;
  /** Result of the last handshake that was noticed. A client that reconnects replaces it. */
  #handshake: JsonObject;

  /** @param onClose called when the client is closed */
  constructor(client: Client, onClose: (session: McpSession) => void) {
    this.client = client;
    this.#onClose = onClose;
    this.#handshake = client.server;
  }

  /** True if the session must not be used for further calls. */
  get isRetired(): boolean {
    return this.#isRetired;
  }

  /** Returns true once after the client has connected again by itself. */
  takeReconnection(): boolean {
    const { server } = this.client;
    if (server === this.#handshake) return false;
    this.#handshake = server;
    return true;
  }

  /** Runs a task with the client. */
  async use<T>(task: (client: Client) => Promise<T>): Promise<T> {
    this.#inFlight++;
    try {
      return await task(this.client);
    } finally {
      this.#inFlight--;
      if (this.#isRetired && this.#inFlight === 0) await this.close();
    }
  }

  /**
   * Subscribes to changes of the tool list, if the server reports them in a stream of their own. Does nothing if the
   * stream is open already.
   *
   * @param onEnd called when the stream has ended, unless the server does not support it
   */
  listen(onEnd: () => void): void {
    if (this.#stream !== undefined || this.#isRetired || !reportsChanges(this.client)) return;
    const stream = new AbortController();
    this.#stream = stream;
    const end = () => {
      this.#stream = undefined;
      if (!this.#isRetired) onEnd();
    };
    // `client.listen` would open the stream again by itself, and changes in between would go unnoticed.
    const notifications = { toolsListChanged: true };
    const options = { signal: stream.signal, timeoutMs: Number.POSITIVE_INFINITY };
    this.client.request("subscriptions/listen", { notifications }, options).then(end, (error: unknown) => {
      // An error response means that a further attempt would fail too.
      if (!(error instanceof ClientError)) end();
    });
  }

  /** Closes the client after its last call. */
  retire(): void {
    this.#isRetired = true;
    this.#stream?.abort();
    if (this.#inFlight === 0) void this.close();
  }

  /** Closes the client, and ends its calls in flight. */
  async close(): Promise<void> {
    this.#isRetired = true;
    this.#stream?.abort();
    this.#onClose(this);
    // The connection may be lost already.
    await this.client.close().catch(() => undefined);
  }
}

function reportsChanges({ server, revision }: Client): boolean {
  const { capabilities } = server;
  const tools = isJsonObject(capabilities) ? capabilities["tools"] : undefined;
  return TRAITS[revision].stateless && isJsonObject(tools) && tools["listChanged"] === true;
}
