/**
 * @fileoverview From the text of a frame to a message that its schema has accepted, or to what is wrong with it; and
 * from a message to the text of a frame.
 * @module agent/frames
 */
import { z } from "zod";
import { exceedsDepth, isJsonObject, readJson } from "@tenon/internal/json";
import { clean } from "@tenon/internal/security/safe-text";
import { messageDataError } from "../shared/errors.js";

/** A message, checked. */
export interface Frame {
  readonly type: string;
  readonly data: unknown;
}

/** A message, or why it is none. The reason may be told to the client that sent it. */
export type FrameCheck =
  { readonly ok: true; readonly frame: Frame } | { readonly ok: false; readonly reason: string };

/** The schema of one kind of message. */
export type FrameSchema = z.ZodObject<{ type: z.ZodLiteral<string>; data: z.ZodType }>;

/** Compiles the check of frames, for one union of messages. Its promise does not reject unless a schema throws. */
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
    // Of a thousand things that are wrong a few are told; the rest is only counted.
    const told = error.issues.slice(0, MAX_TOLD).map(withinData);
    const more = error.issues.length - told.length;
    const reason = messageDataError(read.frame.type, told).message;
    return refuse(more > 0 ? `${reason}; and ${more} more` : reason);
  };
}

/** The text of a frame. @throws where the data is no JSON */
export function toFrame(message: Frame): string {
  return JSON.stringify({ type: message.type, data: message.data });
}

/** Deeper data is an attack on those who walk it. */
const MAX_DEPTH = 64;

/** The name of a message has this many characters at most when it is told back. */
const MAX_SHOWN = 64;

/** How many issues of one message are told. */
const MAX_TOLD = 10;

function readFrame(text: string, known: ReadonlySet<string>): FrameCheck {
  if (exceedsDepth(text, MAX_DEPTH)) return refuse(`A frame must not nest deeper than ${MAX_DEPTH} levels`);
  const value = readJson(text);
  if (!isJsonObject(value)) return refuse('A frame must be a JSON object: { "type": …, "data": … }');
  const { type, data } = value;
  if (typeof type !== "string") return refuse('A frame needs a "type", which is a string');
  if (!known.has(type)) return refuse(`Unknown message type '${clean(type.slice(0, MAX_SHOWN))}'`);
  return { ok: true, frame: { type, data } };
}

/** The text says already that it is about the data. */
function withinData<Issue extends z.core.$ZodIssue>(issue: Issue): Issue {
  return issue.path[0] === "data" ? { ...issue, path: issue.path.slice(1) } : issue;
}

function refuse(reason: string): FrameCheck {
  return { ok: false, reason };
}
