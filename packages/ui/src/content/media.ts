/**
 * @fileoverview Decides which images and sounds are shown. Their content comes from the server, so only types that browsers
 * decode without scripts are allowed. SVG is not one of them.
 * @module ui/content/media
 */
import { formatBytes } from "../support/format.js";

const IMAGES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
]);
const SOUNDS: ReadonlySet<string> = new Set([
  "audio/wav",
  "audio/mpeg",
  "audio/ogg",
  "audio/webm",
  "audio/mp4",
]);
const ALIASES: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "audio/mp3": "audio/mpeg",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/x-m4a": "audio/mp4",
};

/** Media that can be shown, or the reason why it is not. */
export type Media =
  | { readonly ok: true; readonly kind: "image" | "audio"; readonly url: string; readonly bytes: number }
  | { readonly ok: false; readonly reason: string };

/** Base64 characters of a medium. */
export const MAX_MEDIA_LENGTH = 28_000_000;

/** Returns a data URL for base64 content of an allowed type. */
export function toMedia(data: unknown, mediaType: unknown): Media {
  const type = typeof mediaType === "string" ? normalizeType(mediaType) : "";
  const kind = IMAGES.has(type) ? "image" : SOUNDS.has(type) ? "audio" : undefined;
  if (kind === undefined) {
    return {
      ok: false,
      reason: `The page does not show the type "${type === "" ? "unknown" : type.slice(0, 60)}".`,
    };
  }
  if (typeof data !== "string" || data === "") return { ok: false, reason: "The content has no data." };
  if (data.length > MAX_MEDIA_LENGTH) {
    const sizes = `${formatBytes(byteLength(data))} (limit: ${formatBytes((MAX_MEDIA_LENGTH / 4) * 3)})`;
    return { ok: false, reason: `The content is too large: ${sizes}.` };
  }
  if (!isBase64(data)) return { ok: false, reason: "The data is not valid base64." };
  return { ok: true, kind, url: `data:${type};base64,${data}`, bytes: byteLength(data) };
}

/** Returns a media type in lower case, without parameters, and by its common name. */
export function normalizeType(mediaType: string): string {
  const type = mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return Object.hasOwn(ALIASES, type) ? (ALIASES[type] ?? type) : type;
}

/** Returns true if a text is padded base64. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Returns the number of bytes that a base64 text encodes. */
export function byteLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
