/**
 * @fileoverview The official client, version 1, with a record of what it received from an example.
 * @module tools/official-examples/example-client
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { FetchLike, Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  type CreateMessageResult,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import type { StdioCommand } from "./example-process.js";

/** Everything that a client saw of an example, in a form that can be compared. */
export interface ClientRecord {
  readonly initialized: unknown;
  readonly steps: readonly unknown[];
  readonly notifications: readonly unknown[];
  readonly requests: readonly unknown[];
}

/** Client behavior. */
export interface ExampleClientOptions {
  readonly capabilities?: ClientCapabilities;
  /** Responses to elicitation requests, in order. The last one is repeated. */
  readonly elicitation?: readonly ElicitResult[];
  /** Response to every sampling request. */
  readonly sampling?: CreateMessageResult;
  /** Headers of every HTTP request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Transport, and a promise that resolves when it can receive messages outside of responses. */
interface Line {
  readonly transport: Transport;
  readonly isOpen: Promise<unknown>;
}

/** Connects over stdio. */
export function overStdio(command: StdioCommand): Line {
  return { transport: new StdioClientTransport(command), isOpen: Promise.resolve() };
}

/** Connects to a deprecated HTTP+SSE endpoint. */
export function overSse(url: string): Line {
  return { transport: new SSEClientTransport(new URL(url)), isOpen: Promise.resolve() };
}

/**
 * Connects to a Streamable HTTP endpoint. The official server drops messages outside of responses until the client's GET
 * request has arrived, so `isOpen` waits for its response, even if that is an error.
 */
export function overHttp(url: string, headers: Readonly<Record<string, string>> = {}): Line {
  let opened: (() => void) | undefined;
  const isOpen = new Promise<void>((resolve) => (opened = resolve));
  const observed: FetchLike = async (target, init) => {
    const response = await fetch(target, init);
    if (init?.method === "GET") opened?.();
    return response;
  };
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: observed,
    requestInit: { headers },
  });
  return { transport, isOpen };
}

/** A connected client. */
export class ExampleClient {
  readonly client: Client;
  readonly transport: Transport;
  readonly #steps: unknown[] = [];
  readonly #notifications: { readonly method: string; readonly params?: unknown }[] = [];
  readonly #requests: unknown[] = [];
  #initialized: unknown;

  private constructor(line: Line, { capabilities = {}, elicitation = [], sampling }: ExampleClientOptions) {
    this.transport = line.transport;
    this.client = new Client({ name: "example-client", version: "1.0.0" }, { capabilities });
    let asked = 0;
    if (capabilities.elicitation !== undefined) {
      this.client.setRequestHandler(ElicitRequestSchema, () => {
        const reply = elicitation[Math.min(asked++, elicitation.length - 1)];
        if (reply === undefined) throw new Error("The scenario has no response to this elicitation.");
        return reply;
      });
    }
    if (capabilities.sampling !== undefined) {
      this.client.setRequestHandler(CreateMessageRequestSchema, () => {
        if (sampling === undefined) throw new Error("The scenario has no response to this sampling request.");
        return sampling;
      });
    }
    line.transport.onmessage = (message) => this.#receive(message);
  }

  /** Connects, and waits until the server can send messages at any time. */
  static async connect(line: Line, options: ExampleClientOptions = {}): Promise<ExampleClient> {
    const connected = new ExampleClient(line, options);
    await connected.client.connect(line.transport);
    await line.isOpen;
    return connected;
  }

  /** Runs one step, which must succeed, and records its result. */
  async step<Result>(name: string, run: (client: Client) => Promise<Result>): Promise<Result> {
    try {
      const result = await run(this.client);
      this.#steps.push({ name, result });
      return result;
    } catch (error) {
      throw new Error(`Step "${name}" failed: ${(error as Error).message}`, { cause: error });
    }
  }

  /** Runs one step, which must fail, and records its error. */
  async rejected(name: string, run: (client: Client) => Promise<unknown>): Promise<void> {
    const outcome = await run(this.client).then(
      (result) => ({ result }),
      (error: { readonly code?: unknown; readonly message: string; readonly data?: unknown }) => ({ error }),
    );
    if (!("error" in outcome))
      throw new Error(`Step "${name}" must fail; got ${JSON.stringify(outcome.result)}`);
    const { code, message, data } = outcome.error;
    this.#steps.push({ name, error: { code, message, data } });
  }

  /** Calls a tool as one step. A result that reports an error counts as a success. */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.step(`${name} ${JSON.stringify(args)}`, (client) =>
      client.callTool({ name, arguments: args }),
    );
  }

  /** Waits until the client has received a number of notifications. */
  async receives(method: string, count: number): Promise<void> {
    const deadline = Date.now() + WAIT_MS;
    const received = () => this.#notifications.filter((one) => one.method === method).length;
    while (received() < count) {
      if (Date.now() > deadline)
        throw new Error(`Received ${received()} of ${count} ${method} notifications.`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Steps so far. */
  get steps(): readonly unknown[] {
    return this.#steps;
  }

  /** Closes the connection and returns the record. */
  async close(): Promise<ClientRecord> {
    await this.client.close();
    return {
      initialized: this.#initialized,
      steps: this.#steps,
      notifications: this.#notifications,
      requests: this.#requests,
    };
  }

  #receive(message: object): void {
    if (!("method" in message)) {
      this.#initialized ??= (message as { readonly result?: unknown }).result;
      return;
    }
    const { method, params } = message as { readonly method: string; readonly params?: unknown };
    if ("id" in message) return void this.#requests.push({ method, params });
    // Empty parameters mean the same as none.
    const isEmpty = JSON.stringify(params) === "{}";
    this.#notifications.push(isEmpty ? { method } : { method, params });
  }
}

const WAIT_MS = 30_000;
