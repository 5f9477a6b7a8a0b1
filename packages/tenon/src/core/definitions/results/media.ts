/**
 * @fileoverview Creates content blocks for images, audio, and resources.
 * @module tenon/core/definitions/results/media
 */
import { toBase64 } from "@tenon/internal/base64";
import { kindOf, showValue } from "@tenon/internal/kind-of";
import type {
  Annotations,
  AudioContent,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
} from "../../../protocol/index.js";
import type { JsonObject } from "@tenon/internal/json";

/** Binary data: bytes, or text that is already base64-encoded. */
export type MediaData = Uint8Array | ArrayBuffer | string;

/** Optional members of a content block. */
export interface MediaOptions {
  readonly annotations?: Annotations;
  readonly _meta?: JsonObject;
}

/** Resource for `embedded`: its URI, and its content as text or bytes. */
export type EmbeddedContent = MediaOptions & {
  readonly uri: string;
  readonly mimeType?: string;
} & ({ readonly text: string } | { readonly bytes: MediaData });

/**
 * Creates an image block.
 *
 * @param data bytes, or base64 text
 * @example handler: async () => image(await readFile("chart.png"), "image/png")
 * @throws {TypeError} if the data or the MIME type is invalid
 */
export function image(data: MediaData, mimeType: string, options: MediaOptions = {}): ImageContent {
  return { type: "image", data: encode("image", data), mimeType: checkType("image", mimeType), ...options };
}

/**
 * Creates an audio block. Clients of revisions without audio receive a line of text instead.
 *
 * @param data bytes, or base64 text
 * @throws {TypeError} if the data or the MIME type is invalid
 */
export function audio(data: MediaData, mimeType: string, options: MediaOptions = {}): AudioContent {
  return { type: "audio", data: encode("audio", data), mimeType: checkType("audio", mimeType), ...options };
}

/**
 * Creates a link to a resource that the client can read.
 *
 * @example resourceLink({ uri: "notes://today", name: "Today's notes" })
 * @throws {TypeError} if the URI or the name is missing
 */
export function resourceLink(link: Omit<ResourceLink, "type">): ResourceLink {
  checkText("resourceLink", "uri", link.uri);
  checkText("resourceLink", "name", link.name);
  return { type: "resource_link", ...link };
}

/**
 * Creates a block that contains a resource with its content.
 *
 * @example embedded({ uri: "report://q3", mimeType: "application/pdf", bytes: await readFile("q3.pdf") })
 * @throws {TypeError} if the URI or the content is missing
 */
export function embedded(content: EmbeddedContent): EmbeddedResource {
  const { uri, mimeType, annotations, _meta } = content;
  checkText("embedded", "uri", uri);
  const type = mimeType === undefined ? {} : { mimeType: checkType("embedded", mimeType) };
  const body =
    "bytes" in content
      ? { blob: encode("embedded", content.bytes) }
      : { text: checkText("embedded", "text", content.text, true) };
  return {
    type: "resource",
    resource: { uri, ...type, ...body },
    ...(annotations === undefined ? {} : { annotations }),
    ...(_meta === undefined ? {} : { _meta }),
  };
}

function encode(helper: string, data: MediaData): string {
  if (data instanceof Uint8Array) return toBase64(data);
  if (data instanceof ArrayBuffer) return toBase64(new Uint8Array(data));
  if (typeof data === "string" && data.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(data)) return data;
  const got = typeof data === "string" ? "text that is not base64" : kindOf(data);
  throw new TypeError(
    `${helper}: the data must be a Uint8Array, an ArrayBuffer, or base64 text; got ${got}.`,
  );
}

function checkType(helper: string, mimeType: string): string {
  if (typeof mimeType === "string" && /^[\w.+-]+\/[\w.+-]+/.test(mimeType)) return mimeType;
  throw new TypeError(
    `${helper}: \`mimeType\` must be a MIME type such as "image/png"; got ${showValue(mimeType)}.`,
  );
}

// oxlint-disable-next-line max-params -- a private check with one flag
function checkText(helper: string, name: string, text: unknown, mayBeEmpty = false): string {
  if (typeof text === "string" && (mayBeEmpty || text !== "")) return text;
  throw new TypeError(
    `${helper}: \`${name}\` must be a ${mayBeEmpty ? "" : "non-empty "}string; got ${kindOf(text)}.`,
  );
}
