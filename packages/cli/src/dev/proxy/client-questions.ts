/**
 * @fileoverview Requests from servers to one client. Two generations can use the same ID, so each request gets a new one,
 * and the client's response goes back to the generation that asked.
 * @module cli/dev/proxy/client-questions
 */
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { messageOf } from "@tenon/internal/thrown";
import type { Connection } from "tenon/host";
import { isRequestId, type JsonRpcMessage, type JsonRpcRequest, type RequestId } from "tenon/protocol";
import type { Generation } from "../generation/generation.js";

/** Request that the client has not responded to. */
interface Asked {
  readonly generation: Generation;
  /** ID that the server chose. */
  readonly id: RequestId;
  /** Progress token that the server chose. */
  readonly token: RequestId | undefined;
  readonly controller: AbortController;
}

/** Request, and the functions that deliver it and its response. */
export interface ServerQuestion {
  readonly generation: Generation;
  readonly message: JsonRpcRequest;
  /** Sends a message to the client. */
  readonly send: (message: JsonRpcRequest) => unknown;
  /** Passes the client's response to the server. */
  readonly reply: (message: JsonRpcMessage) => void;
}

/** Requests to one client. */
export class ClientQuestions {
  readonly #connection: Connection;
  readonly #asked = new Map<RequestId, Asked>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Sends a request to the client, and the client's response to the server. Never throws. */
  async ask({ generation, message, send, reply }: ServerQuestion): Promise<void> {
    const { id, method, params = {} } = message;
    if (id === undefined) return;
    const controller = new AbortController();
    try {
      const question = this.#connection.ask({ method, params }, controller.signal);
      const { id: own } = question.message;
      if (own === undefined) return;
      const token = tokenOf(params);
      this.#asked.set(own, { generation, id, token, controller });
      // The response removes the request, so that a late progress notification is not passed on.
      void question.answer.catch(() => undefined).finally(() => this.#asked.delete(own));
      await send({ ...question.message, params: token === undefined ? params : withToken(params, own) });
      reply({ jsonrpc: "2.0", id, result: await question.answer });
    } catch (error) {
      if (!controller.signal.aborted) reply({ jsonrpc: "2.0", id, error: toRpcError(error) });
    }
  }

  /** Stops waiting for a response. Returns the ID that the client knows, or `undefined` if it has responded. */
  forget(generation: Generation, id: RequestId): RequestId | undefined {
    for (const [own, asked] of this.#asked) {
      if (asked.generation !== generation || asked.id !== id) continue;
      this.#asked.delete(own);
      asked.controller.abort();
      return own;
    }
    return undefined;
  }

  /** Stops waiting for responses to a generation that has ended. */
  forgetAll(generation: Generation): void {
    for (const { generation: asking, id } of this.#asked.values())
      if (asking === generation) this.forget(generation, id);
  }

  /** Translates a client's progress notification for the generation that asked. */
  findProgress(
    params: JsonObject,
  ): { readonly generation: Generation; readonly params: JsonObject } | undefined {
    const { progressToken } = params;
    const asked = isRequestId(progressToken) ? this.#asked.get(progressToken) : undefined;
    return asked && { generation: asked.generation, params: { ...params, progressToken: asked.token } };
  }
}

function tokenOf({ _meta: meta }: JsonObject): RequestId | undefined {
  const token = isJsonObject(meta) ? meta["progressToken"] : undefined;
  return isRequestId(token) ? token : undefined;
}

function withToken(params: JsonObject, progressToken: RequestId): JsonObject {
  const { _meta: meta } = params;
  return { ...params, _meta: { ...(isJsonObject(meta) ? meta : {}), progressToken } };
}

/** Returns the client's own error, which `Connection` keeps as the cause, or describes why the request was not sent. */
function toRpcError(error: unknown) {
  const cause = error instanceof Error && isJsonObject(error.cause) ? error.cause : {};
  const { code, message, data } = cause;
  return {
    code: typeof code === "number" ? code : INTERNAL_ERROR,
    message: typeof message === "string" ? message : (messageOf(error) ?? "The request failed."),
    ...(data === undefined ? {} : { data }),
  };
}

const INTERNAL_ERROR = -32603;
