/**
 * @fileoverview Reads the body of a `Request`, within the limits of its endpoint.
 * @module tenon/transport/fetch/read-body
 */
import { decodeBody, decodeBytes } from "../decode-body.js";
import type { HttpBody } from "../http/http-context.js";
import { BodyCollector } from "../http/limits/body-collector.js";
import type { MemoryBudget } from "../http/limits/memory-budget.js";

/** Limits for reading a body. */
export interface BodyLimits {
  /** Length that the request declares, in bytes. `NaN` if there is none. */
  readonly length: number;
  /** Maximum length in bytes. */
  readonly limit: number;
  readonly budget: MemoryBudget;
}

/** Maximum declared length of a body that the runtime may collect. A longer body is read in chunks. */
const MAX_WHOLE_BYTES = 65_536;

/**
 * True if this runtime's own server calls fetch functions. It enforces the declared length of a request, and a stream
 * of its body would cost as much as the call.
 */
const HAS_FETCH_SERVER = /^(?:Bun|Deno|Cloudflare-Workers)\b/.test(readUserAgent());

function readUserAgent(): string {
  // Safe: every property is optional.
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return navigator?.userAgent ?? "";
}

/** Reads a body. @throws if the client disconnects before the body is complete */
export function readBody(request: Request, limits: BodyLimits): Promise<HttpBody> {
  return limits.length <= MAX_WHOLE_BYTES && (HAS_FETCH_SERVER || isLightweight(request))
    ? readWhole(request, limits)
    : readChunks(request, limits);
}

/**
 * Returns true for a request that a bridge to Node, such as `@hono/node-server`, creates instead of a real one. It has a
 * fast path for whole bodies, and its server enforces the declared length. A program can create a real `Request` with
 * any length and an endless body.
 */
export function isLightweight(request: Request): boolean {
  return Object.getPrototypeOf(request) !== Request.prototype;
}

/** Reads a body in one piece. Its declared length counts against the budget, because the runtime may hold as much. */
function readWhole(request: Request, { length, limit, budget }: BodyLimits): Promise<HttpBody> {
  return new Promise((resolve, reject) => {
    const holder = { heldBytes: length, waitsForClient: true, drop: () => resolve(null) };
    budget.update(holder, true);
    request.arrayBuffer().then(
      (buffer) => {
        budget.remove(holder);
        // A different bridge, or a program, may not enforce the length.
        resolve(buffer.byteLength > limit ? undefined : decodeBytes(new Uint8Array(buffer)));
      },
      (error: unknown) => {
        budget.remove(holder);
        reject(error);
      },
    );
  });
}

async function readChunks(request: Request, { length, limit, budget }: BodyLimits): Promise<HttpBody> {
  const { body } = request;
  if (body === null) return "";
  // An async iterator would allocate three more promises per chunk.
  const reader = body.getReader();
  let isDropped = false;
  const pieces = new BodyCollector({
    limit,
    budget,
    onDrop: () => {
      isDropped = true;
      giveUp(reader);
    },
  });
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      if (piece.value.length === length) return decodeBytes(piece.value);
      if (!pieces.add(piece.value)) return giveUp(reader);
    }
    return isDropped ? null : decodeBody(pieces.take());
  } finally {
    pieces.discard();
  }
}

/** Cancels the unread part of a body. Ignores failures, because the client may have disconnected already. */
function giveUp(reader: ReadableStreamDefaultReader<unknown>): undefined {
  reader.cancel().catch(() => undefined);
}
