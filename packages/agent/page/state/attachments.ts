/**
 * @fileoverview Files that the user attaches to a message. Their number and size are limited by the server.
 * @module agent/page-app/state/attachments
 */
import type { AgentFile } from "@tenon/agent/client";
import { toBase64 } from "@tenon/internal/base64";
import { normalizeType } from "@tenon/ui/content/media.js";
import { formatBytes } from "@tenon/ui/support/format.js";

/** Files of one message at most. */
export const MAX_FILES = 16;

/** Part of `File` that attachments need. */
export interface ChosenFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly arrayBuffer: () => Promise<ArrayBuffer>;
}

/** File that is ready to be sent. */
export interface Attachment {
  readonly id: number;
  readonly name: string;
  readonly bytes: number;
  readonly file: AgentFile;
}

/** Attachments that a message has, and the limit of the message. */
export interface AttachmentRoom {
  readonly present: readonly Attachment[];
  /** Maximum size of a message in bytes. */
  readonly maxMessageBytes: number;
}

const MAX_NAME = 200;
/** Bytes that the text and the names of a message need besides the files. */
const RESERVED = 65_536;

/** Returns the bytes of files that fit into a message. Base64 needs four bytes for three. */
export function fileCapacity(maxMessageBytes: number): number {
  const room = Math.max(maxMessageBytes - RESERVED, maxMessageBytes / 2);
  return Math.floor((room * 3) / 4);
}

/** Reads files that fit into a message. Returns them, and the reasons why others were not added. */
export async function addFiles(files: readonly ChosenFile[], room: AttachmentRoom) {
  const limit = fileCapacity(room.maxMessageBytes);
  let free = limit - room.present.reduce((sum, { bytes }) => sum + bytes, 0);
  const attachments: Attachment[] = [];
  const problems: string[] = [];
  for (const chosen of files) {
    const name = shortName(chosen.name);
    const count = room.present.length + attachments.length;
    const problem = findProblem(chosen, { name, free, limit, count });
    if (problem !== undefined) {
      problems.push(problem);
      continue;
    }
    const bytes = await chosen.arrayBuffer().catch(() => undefined);
    if (bytes === undefined) {
      problems.push(`“${name}” could not be read.`);
      continue;
    }
    free -= chosen.size;
    const id = (room.present.at(-1)?.id ?? 0) + attachments.length + 1;
    const file = { mediaType: toMediaType(chosen.type), data: toBase64(new Uint8Array(bytes)), name };
    attachments.push({ id, name, bytes: chosen.size, file });
  }
  return { attachments, problems };
}

interface Space {
  readonly name: string;
  readonly free: number;
  readonly limit: number;
  readonly count: number;
}

function findProblem({ size }: ChosenFile, { name, free, limit, count }: Space): string | undefined {
  if (count >= MAX_FILES) return `“${name}” was not added: a message can have ${MAX_FILES} files.`;
  if (size === 0) return `“${name}” is empty.`;
  if (size > limit) return `“${name}” is too large: ${formatBytes(size)} (limit: ${formatBytes(limit)}).`;
  if (size > free)
    return `“${name}” was not added: the files of a message are too large together (limit: ${formatBytes(limit)}).`;
  return undefined;
}

/** Returns a media type that the server accepts. */
export function toMediaType(type: string): string {
  const normal = normalizeType(type);
  return /^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(normal) ? normal : "application/octet-stream";
}

/** Shortens a name, and keeps its extension. */
function shortName(name: string): string {
  if (name === "") return "file";
  if (name.length <= MAX_NAME) return name;
  const dot = name.lastIndexOf(".");
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : "";
  return name.slice(0, MAX_NAME - extension.length) + extension;
}

/** Returns the text of a message that consists of files only. The server requires a text. */
export function describeFiles(attachments: readonly Attachment[]): string {
  return `Attached: ${attachments.map(({ name }) => name).join(", ")}`;
}
