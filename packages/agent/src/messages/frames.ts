/**
 * @fileoverview Parses and validates the text of frames, and serializes messages to frames.
 * @module agent/frames
 */
import { z } from "zod";
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";
import { clean } from "@tenon/internal/security/safe-text";
import { messageDataError } from "../shared/errors.js";

/** A validated message. */
export interface Frame {
  readonly type: string;
  readonly data: unknown;
}

/** Result of the check: a message, or the reason why it is rejected. The reason can be sent to the client. */
export type FrameCheck =
  { readonly ok: true; readonly frame: Frame } | { readonly ok: false; readonly reason: string };

/** Schema of one message type. */
export type FrameSchema = z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodType }>;

/** Compiles the check of frames for a union of messages. Its promise rejects only if a schema throws. */
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
    // Only the first issues are listed, because a message can have thousands.
    const told = error.issues.slice(0, MAX_TOLD).map(withinData);
    const more = error.issues.length - told.length;
    const reason = messageDataError(read.frame.type, told).message;
    return refuse(more > 0 ? `${reason}; and ${more} more` : reason);
  };
}

/** Serializes a frame. @throws if the data cannot be serialized as JSON */
export function toFrame(message: Frame): string {
  return JSON.stringify({ type: message.type, data: message.data });
}

/** Maximum nesting depth. Deeper data could overflow the stack of code that walks it. */
const MAX_DEPTH = 64;

/** Maximum length of a message type that is repeated in an error. */
const MAX_SHOWN = 64;

/** Maximum number of issues in one error. */
const MAX_TOLD = 10;

function readFrame(text: string, known: ReadonlySet<string>): FrameCheck {
  if (exceedsDepth(text, MAX_DEPTH)) return refuse(`The frame is nested deeper than ${MAX_DEPTH} levels.`);
  const value = readJson(text);
  if (!isJsonObject(value))
    return refuse('The frame is not a JSON object. Expected { "type": …, "data": … }.');
  const { type, data } = value;
  if (typeof type !== "string") return refuse('The "type" of the frame must be a string.');
  if (!known.has(type)) return refuse(`Unknown message type '${clean(type.slice(0, MAX_SHOWN))}'.`);
  return { ok: true, frame: { type, data } };
}

/** Removes `data` from the path, because the error text already says that it is about the data. */
function withinData<Issue extends z.core.$ZodIssue>(issue: Issue): Issue {
  return issue.path[0] === "data" ? { ...issue, path: issue.path.slice(1) } : issue;
}

function refuse(reason: string): FrameCheck {
  return { ok: false, reason };
}
