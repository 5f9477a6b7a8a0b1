/**
 * @fileoverview Model of the HTTP endpoint: the headers of a frame, and the reply that the request must get.
 * @module tools/fuzz/model/http-model
 */
import { Buffer } from "node:buffer";
import { META } from "tenon/protocol";
import type { Random } from "../../random.js";
import type { Frame } from "../block.js";
import { CODES, type Fields, isFields, parseStrictly } from "./json-rules.js";
import { only } from "./method-rules.js";
import {
  envelopeProblem,
  type FrameRule,
  hasEnvelope,
  kindOf,
  nullReply,
  rejection,
  salvagedId,
  ServerModel,
  single,
} from "./server-model.js";

const MODERN = "2026-07-28";

/** Headers that must match the body of a stateless request. */
export interface McpHeaders {
  readonly version?: string | undefined;
  readonly method?: string | undefined;
  readonly name?: string | undefined;
}

/** Client of an HTTP endpoint whose replies are predicted. */
export class HttpModel {
  /** Revision of the client. */
  readonly revision: string;
  readonly #session: ServerModel;

  constructor(revision: string) {
    this.revision = revision;
    this.#session = new ServerModel({ era: "legacy", revision });
  }

  /** Returns the headers for a frame. A few are missing or wrong on purpose. */
  headersFor({ bytes }: Frame, random: Random): McpHeaders {
    if (this.revision !== MODERN) return { version: this.revision };
    const parsed = parseStrictly(bytes);
    if (!parsed.ok || !isFields(parsed.value)) return { version: MODERN };
    const { method } = parsed.value;
    const name = namedIn(parsed.value);
    const isWrong = random.chance(0.05);
    return {
      version: MODERN,
      method: isWrong ? "tools/list" : isHeaderText(method) ? method : undefined,
      name: typeof name === "string" && !random.chance(0.03) ? toHeader(name) : undefined,
    };
  }

  /** Returns the reply that a frame must get. */
  expect(frame: Frame, headers: McpHeaders): FrameRule {
    const parsed = parseStrictly(frame.bytes);
    if (!parsed.ok) return rejection(parsed);
    const { value } = parsed;
    const claimsModern = headers.version === MODERN;
    const kind = kindOf(value);
    if (kind === "request") return this.#request(value as Fields, headers); // Safe: the kind was checked
    if (Array.isArray(value)) {
      const items: readonly unknown[] = value;
      const isMixed = items.some((item) => isFields(item) && hasEnvelope(item));
      if (isMixed || claimsModern) return single(nullReply(CODES.invalidRequest));
      return this.#session.expectValue(value);
    }
    if (kind === "invalid") return single({ id: salvagedId(value), ...only(CODES.invalidRequest) });
    // A response cannot belong to a stateless client, because the server sends it no requests.
    if (kind === "response" && claimsModern) return single(nullReply(CODES.invalidRequest));
    return single(undefined);
  }

  #request(message: Fields, headers: McpHeaders): FrameRule {
    const id = JSON.stringify(message["id"]);
    const claimsModern = headers.version === MODERN;
    const isOpening = message["method"] === "initialize" && envelopeProblem(metaOf(message)) !== undefined;
    if (isOpening) return single({ id, ...only(claimsModern ? CODES.headerMismatch : CODES.invalidRequest) });
    if (!hasEnvelope(message))
      return single(
        claimsModern ? { id, ...only(CODES.invalidParams) } : this.#session.request(message, "legacy"),
      );
    const code = modernProblem(message, headers);
    return single(
      code === undefined
        ? new ServerModel({ era: "modern" }).request(message, "modern")
        : { id, ...only(code) },
    );
  }
}

/** Returns the code with which a stateless request is rejected because of its envelope or its headers. */
function modernProblem(message: Fields, headers: McpHeaders): number | undefined {
  const meta = metaOf(message);
  const version = isFields(meta) ? meta[META.protocolVersion] : undefined;
  if (typeof version === "string" && headers.version !== undefined && headers.version !== version)
    return CODES.headerMismatch;
  const broken = envelopeProblem(meta);
  if (broken !== undefined) return broken;
  if (headers.version !== version || headers.method !== message["method"]) return CODES.headerMismatch;
  const name = namedIn(message);
  if (typeof name !== "string") return undefined;
  const expected = toHeader(name);
  return expected === undefined || headers.name !== expected ? CODES.headerMismatch : undefined;
}

function metaOf({ params }: Fields): unknown {
  return isFields(params) ? params["_meta"] : undefined;
}

/** Returns the member of `params` that the `Mcp-Name` header repeats. */
function namedIn({ method, params }: Fields): unknown {
  if (!isFields(params)) return undefined;
  if (method === "tools/call" || method === "prompts/get") return params["name"];
  return method === "resources/read" ? params["uri"] : undefined;
}

/** Returns true for text that a header can carry unchanged. */
function isHeaderText(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,4000}$/.test(value);
}

/** Encodes a name for a header. Returns `undefined` for names that no header can carry. */
function toHeader(name: string): string | undefined {
  if (name.length > 4_000 || Buffer.from(name).toString() !== name) return undefined;
  return /^[\w./:-]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString("base64")}?=`;
}
