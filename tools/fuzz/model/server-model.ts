/**
 * @fileoverview Model of a connection: the replies that each frame must get, in each era and revision.
 * @module tools/fuzz/model/server-model
 */
import { META } from "tenon/protocol";
import type { Frame } from "../block.js";
import { CODES, type Fields, isFields, type Parsed, parseStrictly } from "./json-rules.js";
import { type Allowed, allowedFor, type Era, LOG_LEVELS, only } from "./method-rules.js";

/** Reply that a frame must get. The ID is JSON text. */
export interface ReplyRule extends Allowed {
  readonly id: string;
}

/** Replies that a frame must get. A batch gets them in one array. */
export interface FrameRule {
  readonly replies: readonly ReplyRule[];
  readonly isBatch: boolean;
}

/** Maximum number of messages in a batch. */
const MAX_BATCH = 100;

const LEGACY = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const MODERN = "2026-07-28";

/** Revision in which batches exist. It is also assumed before `initialize`. */
const BATCHES = "2025-03-26";

/** State of a connection before its first frame. */
export interface ConnectionState {
  readonly era?: Era | undefined;
  readonly revision?: string | undefined;
  /**
   * False if messages arrive without a connection.
   * @default true
   */
  readonly hasConnection?: boolean;
}

/** Connection whose replies are predicted. Each frame can change its state. */
export class ServerModel {
  era: Era | undefined;
  #revision: string;
  readonly #hasConnection: boolean;
  /** IDs that requests have used. A call whose ID is in flight is rejected. */
  readonly #used = new Set<string>();

  constructor({ era, revision = BATCHES, hasConnection = true }: ConnectionState = {}) {
    this.era = hasConnection ? era : "legacy";
    this.#revision = revision;
    this.#hasConnection = hasConnection;
  }

  /** Returns the replies that a frame must get, and changes the state as the frame does. */
  expect(frame: Frame): FrameRule {
    const parsed = parseStrictly(frame.bytes);
    return parsed.ok ? this.expectValue(parsed.value) : rejection(parsed);
  }

  /** Returns the replies that a parsed frame must get. */
  expectValue(value: unknown): FrameRule {
    if (!Array.isArray(value)) return single(this.#message(value));
    const takesBatches = !this.#hasConnection || (this.era === "legacy" && this.#revision === BATCHES);
    if (!takesBatches || value.length === 0 || value.length > MAX_BATCH)
      return single(nullReply(CODES.invalidRequest));
    const replies = value.map((item) => this.#message(item)).filter((rule) => rule !== undefined);
    return { replies, isBatch: true };
  }

  /** Returns the reply that a request of a known era must get. */
  request(message: Fields, era: Era): ReplyRule {
    const id = JSON.stringify(message["id"]);
    return { id, ...this.#allowed(message, era, id) };
  }

  #message(message: unknown): ReplyRule | undefined {
    switch (kindOf(message)) {
      case "request":
        return this.request(message as Fields, this.#eraOf(message as Fields)); // Safe: the kind was checked
      case "invalid":
        return { id: salvagedId(message), ...only(CODES.invalidRequest) };
      default:
        return undefined;
    }
  }

  /** The first request other than `server/discover` sets the era of the connection. */
  #eraOf(message: Fields): Era {
    if (this.era !== undefined) return this.era;
    const era = eraOf(message);
    if (message["method"] !== "server/discover") this.era = era;
    return era;
  }

  #allowed(message: Fields, era: Era, id: string): Allowed {
    const { params } = message;
    const isRepeated = this.#used.has(id);
    this.#used.add(id);
    if (params !== undefined && !isFields(params)) return only(CODES.invalidParams);
    const problem = era === "modern" ? envelopeProblem(params?.["_meta"]) : undefined;
    if (problem !== undefined) return only(problem);
    const method = String(message["method"]);
    if (era === "legacy" && method === "initialize" && this.#hasConnection)
      this.#revision = negotiate(params?.["protocolVersion"]);
    const allowed = allowedFor(method, { era, hasConnection: this.#hasConnection, params });
    return isRepeated ? { ...allowed, codes: [...allowed.codes, CODES.invalidRequest] } : allowed;
  }
}

/** Kind of a JSON-RPC message. */
export type Kind = "request" | "notification" | "response" | "invalid";

/** Classifies a parsed value. */
export function kindOf(value: unknown): Kind {
  if (!isFields(value) || value["jsonrpc"] !== "2.0") return "invalid";
  const { id, method, result, error } = value;
  const hasId = typeof id === "string" || Number.isSafeInteger(id);
  if (typeof method === "string") return id === undefined ? "notification" : hasId ? "request" : "invalid";
  if (method !== undefined) return "invalid";
  if (isFields(error) && (hasId || id === undefined || id === null)) return "response";
  return hasId && result !== undefined ? "response" : "invalid";
}

/** Returns the ID that the error for an invalid message must have, as JSON text. */
export function salvagedId(value: unknown): string {
  const id = isFields(value) ? value["id"] : undefined;
  return typeof id === "string" || Number.isSafeInteger(id) ? JSON.stringify(id) : "null";
}

/** Returns the rule for a frame that cannot be parsed. */
export function rejection({ codes }: Parsed & { readonly ok: false }): FrameRule {
  return single(nullReply(...codes));
}

/** Returns the rule for an error without an ID. */
export function nullReply(...codes: readonly number[]): ReplyRule {
  return { id: "null", ...only(...codes) };
}

/** Returns the rule for a frame that gets at most one reply. */
export function single(reply: ReplyRule | undefined): FrameRule {
  return { replies: reply === undefined ? [] : [reply], isBatch: false };
}

/** Returns true if a message has a part of the stateless envelope. */
export function hasEnvelope({ params }: Fields): boolean {
  const meta = isFields(params) ? params["_meta"] : undefined;
  return (
    isFields(meta) &&
    (meta[META.protocolVersion] !== undefined || meta[META.clientCapabilities] !== undefined)
  );
}

/** Returns the code for an invalid envelope, or `undefined` if it is valid. */
export function envelopeProblem(meta: unknown): number | undefined {
  if (!isFields(meta)) return CODES.invalidParams;
  const version = meta[META.protocolVersion];
  if (typeof version !== "string") return CODES.invalidParams;
  if (version !== MODERN) return CODES.unsupportedVersion;
  const info = meta[META.clientInfo];
  const level = meta[META.logLevel];
  const isValid =
    isFields(meta[META.clientCapabilities]) &&
    (info === undefined || isFields(info)) &&
    (level === undefined || LOG_LEVELS.has(level));
  return isValid ? undefined : CODES.invalidParams;
}

function eraOf(message: Fields): Era {
  const { method, params } = message;
  const meta = isFields(params) ? params["_meta"] : undefined;
  if (method === "initialize" && envelopeProblem(meta) !== undefined) return "legacy";
  return hasEnvelope(message) ? "modern" : "legacy";
}

function negotiate(requested: unknown): string {
  if (requested === undefined) return BATCHES;
  return typeof requested === "string" && LEGACY.includes(requested) ? requested : "2025-11-25";
}
