/**
 * @fileoverview Tools with large results. The values are created once: the cost of a call is the cost of sending them.
 * @module bench/servers/large/tools
 */
import { z } from "zod";
import {
  largeImage,
  type LargeName,
  largeRecords,
  largeText,
  largeUnicode,
} from "../../lib/large-results.js";

/** A tool that returns text, an image, or records that it has an output schema for. */
export type LargeTool = {
  readonly name: LargeName;
  readonly description: string;
} & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "image"; readonly data: string }
  | { readonly kind: "records"; readonly value: { readonly records: readonly object[] } }
);

/** Input of every tool. */
export const LARGE_INPUT = z.object({});

/** Type of every image. */
export const IMAGE_TYPE = "image/png";

/** Output of the tool with records. */
export const RECORDS = z.object({
  records: z.array(
    z.object({
      id: z.number().int().min(0),
      name: z.string().min(1),
      price: z.number().min(0),
      inStock: z.boolean(),
      tags: z.array(z.string()),
    }),
  ),
});

/** Creates the tools. */
export function largeTools(): readonly LargeTool[] {
  return [
    { name: "text_1mb", description: "Returns 1 MB of text", kind: "text", text: largeText() },
    { name: "unicode_1mb", description: "Returns 1 MB of text", kind: "text", text: largeUnicode() },
    {
      name: "structured_1mb",
      description: "Returns 1 MB of records",
      kind: "records",
      value: { records: largeRecords() },
    },
    { name: "image_5mb", description: "Returns an image of 5 MB", kind: "image", data: largeImage() },
  ];
}
