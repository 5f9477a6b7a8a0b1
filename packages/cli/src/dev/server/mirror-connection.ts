/**
 * @fileoverview Copy of a client's connection in a server process. The client itself is connected to the command.
 * @module cli/dev/server/mirror-connection
 */
import type { Exchange, McpResponse } from "tenon";
import { Connection, errorResponse, type HostedServer } from "tenon/host";
import { type JsonRpcMessage, McpError, salvageId } from "tenon/protocol";
import { isPromise, type MaybePromise } from "@tenon/internal/maybe-promise";
import { messageOf } from "@tenon/internal/thrown";
import type { ConnectionFacts, ServerReply } from "../messages/messages.js";
import type { LoadedModule } from "./load-module.js";

/** Parts of a mirror. */
export interface MirrorParts {
  readonly id: number;
  readonly facts: ConnectionFacts;
  readonly module: LoadedModule;
  /** Called with each server before its first message. */
  readonly onOpened: (server: HostedServer<unknown>) => void;
  /** Sends a message of the server that does not belong to a call. */
  readonly notify: NonNullable<Exchange["notify"]>;
}

/** Connection on one server. Messages wait until the server is open. */
export class MirrorConnection {
  readonly id: number;
  readonly connection: Connection;
  readonly #context: unknown;
  readonly #server: MaybePromise<HostedServer<unknown>>;
  #detach: (() => void) | undefined;
  #isClosed = false;
  #reported: string;

  constructor({ id, facts, module, onOpened, notify }: MirrorParts) {
    this.id = id;
    this.connection = createConnection(facts);
    this.#context = module.context;
    this.#reported = this.#negotiated;
    const open = (server: HostedServer<unknown>) => {
      onOpened(server);
      this.#detach = server.attach(this.connection, notify);
      if (this.#isClosed) this.#detach();
      return server;
    };
    const { server } = module;
    this.#server = server.type === "shared" ? open(server.server) : server.open(`tenon-dev-${id}`).then(open);
    // A failure is reported to each request.
    if (isPromise(this.#server)) this.#server.catch(() => undefined);
  }

  /** Handles a message. Never throws or rejects. */
  handle(message: JsonRpcMessage, exchange: Exchange): MaybePromise<McpResponse> {
    const server = this.#server;
    if (!isPromise(server)) return server.handle(message, this.#context, exchange);
    return server.then(
      (opened) => opened.handle(message, this.#context, exchange),
      (error: unknown) => refuse(message, error, this.connection),
    );
  }

  /** Returns the era and the revision if they have changed since the last call. */
  takeNegotiated(): ServerReply["negotiated"] {
    if (this.#reported === this.#negotiated) return undefined;
    this.#reported = this.#negotiated;
    const { era, revision } = this.connection;
    return { era, revision };
  }

  /** Closes the connection. Cancels its calls, and closes its server if no other connection uses it. */
  close(): void {
    this.#isClosed = true;
    this.#detach?.();
    this.connection.close();
  }

  get #negotiated(): string {
    return `${this.connection.era} ${this.connection.revision}`;
  }
}

/** Creates a connection with the facts of the client's own. */
export function createConnection({ era, ...facts }: ConnectionFacts): Connection {
  return new Connection({ ...facts, ...(era === undefined ? {} : { era }) });
}

function refuse(message: JsonRpcMessage, error: unknown, { era = "legacy" }: Connection): McpResponse {
  const text = messageOf(error) ?? "unknown error";
  return errorResponse(salvageId(message), {
    error: error instanceof McpError ? error.code : "INTERNAL_ERROR",
    message: error instanceof McpError ? text : `Could not create a server for this session: ${text}`,
    era,
  });
}
