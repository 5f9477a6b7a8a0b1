/**
 * @fileoverview Request of a bridge from `node:http` to `fetch`. Headers and body come from Node, because the bridge
 * would have to create a real `Request` for them. The response is a `Response`, so that the application can change it.
 * @module tenon/transport/fetch/bridged-context
 */
import { type Reply, replyText } from "../../core/wire/receive.js";
import type { SseSink } from "../http/http-context.js";
import type { HttpPipeline } from "../http/pipeline.js";
import {
  type BodyTaker,
  type NodeExchange,
  NodeRequestContext,
} from "../node-requests/node-request-context.js";
import {
  afterEarlierResponses,
  createAbandonedResponse,
  sendEmpty,
  sendJson,
  sendStream,
} from "./web-replies.js";

/** Request over `node:http` that receives a `Response`. */
export class BridgedHttpContext<Context> extends NodeRequestContext<Context> {
  readonly #resolve: (response: Response) => void;

  constructor(
    { incoming, outgoing }: NodeExchange,
    endpoint: HttpPipeline<Context>,
    resolve: (response: Response) => void,
  ) {
    super(incoming, outgoing, endpoint);
    this.#resolve = resolve;
  }

  /** A client that disconnects before its body is complete gets a response too, because the application waits for it. */
  protected override readChunks(take: BodyTaker): void {
    const { request } = this;
    super.readChunks(take);
    request.on("close", () => {
      if (!request.readableEnded) this.abandon();
    });
  }

  get isBridged(): boolean {
    return true;
  }

  override reply(status: number, reply: Reply): void {
    sendJson(this, status, replyText(reply));
  }

  override json(status: number, text: string): void {
    sendJson(this, status, text);
  }

  override empty(status: number): void {
    sendEmpty(this, status);
  }

  override stream(): SseSink {
    return sendStream(this);
  }

  override abandon(): void {
    this.#resolve(createAbandonedResponse());
  }

  respond(response: Response): void {
    if (!this.mustWait()) this.#resolve(response);
    else afterEarlierResponses(this.response, this.request.socket, () => this.#resolve(response));
  }
}
