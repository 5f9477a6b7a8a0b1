/**
 * @fileoverview Parses and validates incoming frames, and validates and serializes outgoing messages.
 * @module agent/messages/frames
 */
import { z } from "zod";
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";
import { clean } from "@tenon/internal/security/safe-text";
import { encodeUtf8 } from "@tenon/internal/utf8";
import { messageDataError, toZodIssue } from "../shared/errors.js";
import { showValue } from "@tenon/internal/kind-of";

/** Message with its type and data. */
export interface Frame {
  readonly type: string;
  readonly data: unknown;
}

/** Result of a frame check: the message, or the reason for its rejection, which is sent to the client. */
export type FrameCheck =
  { readonly ok: true; readonly frame: Frame } | { readonly ok: false; readonly reason: string };

/** Schema for one message type. */
export type FrameSchema = z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodType }>;

/** Compiles the frame check for a union of messages. The check rejects only if a schema throws. */
export function compileFrameCheck(
  schemas: readonly [FrameSchema, ...FrameSchema[]],
): (text: string) => Promise<FrameCheck> {
  const union = z.discriminatedUnion("type", schemas);
  const known = new Set(schemas.map(({ shape }) => shape.type.value));
  return async (text) => {
    const read = readFrame(text, known);
    if (!read.ok) return read;
    const { success, data, error } = await union.safeParseAsync(read.frame);
    if (success) return { ok: true, frame: data };
    return refuse(messageDataError(read.frame.type, firstIssues(error.issues)).message);
  };
}

/** Validates an outgoing message and encodes it as the bytes of a frame. */
export type FrameEncoder = (message: Frame) => Uint8Array;

/**
 * Creates the encoder for the messages that a server can send. The encoder throws a `ValidationError` if the data does
 * not match the schema of its type, and an `Error` if the type is not registered.
 */
export function createFrameEncoder(schemas: readonly FrameSchema[]): FrameEncoder {
  const byType = new Map(schemas.map((schema) => [schema.shape.type.value, schema]));
  return (message) => {
    const { type } = message;
    const schema = byType.get(type);
    if (schema === undefined)
      throw new Error(`Message type '${type}' is not registered. Register it with \`registerMessage\`.`);
    const text = toFrame(message);
    // Clients receive the JSON form, in which a `Date` is a string and `undefined` is missing. It is sent as it is,
    // because clients apply defaults and transforms themselves.
    const issues = findIssues(schema, JSON.parse(text));
    if (issues.length > 0) throw messageDataError(type, firstIssues(issues));
    return encodeUtf8(text);
  };
}

type Issues = z.ZodError["issues"];

function findIssues(schema: FrameSchema, message: unknown): Issues {
  try {
    return schema.safeParse(message).error?.issues ?? [];
  } catch (error) {
    if (!(error instanceof z.core.$ZodAsyncError)) throw error;
    return [
      toZodIssue({ path: [], message: "The schema is asynchronous, so the server cannot send the message" }),
    ];
  }
}

/** Returns the first issues and the number of the others. A message can have thousands of issues. */
function firstIssues(issues: Issues): Issues {
  const told = issues.slice(0, MAX_TOLD).map(withinData);
  const more = issues.length - told.length;
  return more > 0 ? [...told, toZodIssue({ path: [], message: `and ${more} more` })] : told;
}

/** Serializes a message as the text of a frame. @throws if the data cannot be serialized as JSON */
export function toFrame(message: Frame): string {
  return JSON.stringify({ type: message.type, data: message.data });
}

/** Maximum nesting depth. Deeper data could overflow the stack of recursive code. */
const MAX_DEPTH = 64;

/** Maximum length of a message type in an error message. */
const MAX_SHOWN = 64;

/** Maximum number of issues in an error message. */
const MAX_TOLD = 10;

function readFrame(text: string, known: ReadonlySet<string>): FrameCheck {
  if (exceedsDepth(text, MAX_DEPTH)) return refuse(`The frame is nested deeper than ${MAX_DEPTH} levels.`);
  const value = readJson(text);
  if (!isJsonObject(value)) return refuse('The frame must be a JSON object: { "type": …, "data": … }.');
  const { type, data } = value;
  if (typeof type !== "string") return refuse(`The frame's "type" must be a string; got ${showValue(type)}.`);
  if (!known.has(type)) {
    const shown = clean(type.slice(0, MAX_SHOWN));
    return refuse(`Unknown message type '${shown}'. Send a built-in user message or a registered message.`);
  }
  return { ok: true, frame: { type, data } };
}

/** Removes `data` from an issue's path, because the error message already mentions the data. */
function withinData<Issue extends z.core.$ZodIssue>(issue: Issue): Issue {
  return issue.path[0] === "data" ? { ...issue, path: issue.path.slice(1) } : issue;
}

function refuse(reason: string): FrameCheck {
  return { ok: false, reason };
}
