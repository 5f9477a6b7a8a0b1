/**
 * @fileoverview Reads the JSON body of a request, up to a limit.
 * @module cli/page/serve/read-body
 */
import type { IncomingMessage } from "node:http";
import { isJsonObject, type JsonObject } from "@tenon/internal/json";
import { kindOf } from "@tenon/internal/kind-of";
import { parseFrame } from "tenon/protocol";
import { CommandError } from "../command-error.js";

/** Reads a JSON object. @throws {CommandError} if the body is too large or not a JSON object */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<JsonObject> {
  const parsed = parseFrame(await readBytes(request, maxBytes), { ...LIMITS, maxBytes });
  // The parser calls its input "the message".
  if (!parsed.ok) throw new CommandError(400, parsed.reason.replace(/^The message/, "The body"));
  if (isJsonObject(parsed.value)) return parsed.value;
  throw new CommandError(400, `The body must be a JSON object; got ${kindOf(parsed.value)}.`);
}

const LIMITS = { maxDepth: 128, maxValues: 2_000_000, maxBatch: 1 };

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    request.on("data", (chunk: Uint8Array) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      // The rest is read and dropped, so that the browser gets the response.
      chunks.length = 0;
      reject(new CommandError(413, `The body is too large (limit: ${maxBytes} bytes).`));
    });
    request.once("end", () => resolve(join(chunks, size)));
    request.once("error", reject);
    request.once("close", () => reject(new CommandError(400, "The request was interrupted.")));
  });
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
