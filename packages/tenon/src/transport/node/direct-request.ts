/**
 * @fileoverview A request of `node:http` whose body can be taken from the parser directly. A stream needs four ticks and
 * a dozen events to pass it on, a tenth of the cost of a call over HTTP. This relies on behavior that Node does not
 * document, so it is checked for, and such a request can be read as a plain stream at any time.
 * @module transport/node/direct-request
 */
import { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** Receives a body: each part of it, then `null`. */
export type BodyTaker = (chunk: Uint8Array | null) => void;

/** An ordinary request, until its body is taken directly. */
export class DirectRequest extends IncomingMessage {
  private taker: BodyTaker | undefined = undefined;
  private hasBegun = false;

  /**
   * Hands the body to `taker` as it arrives. Returns false if the body can be read as a stream only: part of it has
   * arrived already, or this runtime's parser works in another way.
   */
  takeBody(taker: BodyTaker): boolean {
    if (this.hasBegun || this.readableFlowing !== null || !isParsed(this)) return false;
    this.taker = taker;
    return true;
  }

  /** Receives what Node's parser has read. */
  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (this.taker === undefined) {
      this.hasBegun = true;
      return super.push(chunk, encoding);
    }
    const { taker } = this;
    // Node may keep a request until the next one on its connection: what was read must not stay with it.
    if (chunk === null) this.taker = NOTHING_LEFT;
    taker(chunk);
    return true;
  }

  /** True once the body has ended. Node releases a request then; a body that was taken never ends as a stream. */
  // @ts-expect-error Node's types have a property where Node has this accessor.
  override get readableEnded(): boolean {
    // @ts-expect-error the same
    return this.taker === NOTHING_LEFT || super.readableEnded;
  }

  /** Discards a body that nobody has read, as Node does after the response. A body that was taken has nothing left. */
  override resume(): this {
    return this.taker === undefined ? super.resume() : this;
  }
}

const NOTHING_LEFT: BodyTaker = () => {};

/** Returns true if this runtime's requests have the methods of Node's streams that `DirectRequest` overrides. */
export function supportsDirectRequests(): boolean {
  const { prototype: request } = IncomingMessage;
  const { prototype: stream } = Readable;
  return (
    request.push === stream.push &&
    request.resume === stream.resume &&
    !Object.hasOwn(request, "readableEnded") &&
    Object.getOwnPropertyDescriptor(stream, "readableEnded")?.get !== undefined
  );
}

/** Returns true if a parser of Node's kind is reading this request: only that parser calls `push` without being asked. */
function isParsed(request: IncomingMessage): boolean {
  // Node's types do not declare the parser.
  const { parser } = request.socket as { readonly parser?: { readonly incoming?: unknown } | null };
  return parser?.incoming === request;
}
