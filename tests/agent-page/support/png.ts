/**
 * @fileoverview Creates small PNG images.
 * @module tests/agent-page/support/png
 */
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";

/** Color: red, green, and blue. */
export type Color = readonly [number, number, number];

/** Creates an image from a function that returns the color of each pixel. Returns it as base64. */
export function createPng(width: number, height: number, colorAt: (x: number, y: number) => Color): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per channel, three channels.
  header.set([8, 2], 8);
  const rows = Array.from({ length: height }, (_, y) => [
    0,
    ...Array.from({ length: width }, (_pixel, x) => colorAt(x, y)).flat(),
  ]);
  const chunks = [
    toChunk("IHDR", header),
    toChunk("IDAT", deflateSync(Buffer.from(rows.flat()))),
    toChunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...chunks]).toString(
    "base64",
  );
}

function toChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}
