/**
 * @fileoverview Splits bytes into chunks, and streams into lines.
 * @module tools/fuzz/frames/chunks
 */
import { Buffer } from "node:buffer";
import type { Random } from "../../random.js";
import type { Chunking, Frame } from "../block.js";

const NEWLINE = 0x0a;

/** Picks a chunking. Single bytes are rare, because each costs as much as a whole frame. */
export function pickChunking(random: Random): Chunking {
  if (random.chance(0.01)) return "bytes";
  return random.chance(0.4) ? "random" : "whole";
}

/** Splits bytes at random places, after every byte, or not at all. */
export function splitBytes(bytes: Uint8Array, chunking: Chunking, random: Random): readonly Uint8Array[] {
  if (chunking === "whole" || bytes.length === 0) return [bytes];
  const chunks: Uint8Array[] = [];
  const most = chunking === "bytes" ? 1 : random.pick([3, 40, 400, 4_000]);
  for (let at = 0; at < bytes.length;) {
    const end = Math.min(bytes.length, at + random.between(1, most));
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

/** Joins frames to a stream of lines. */
export function joinLines(frames: readonly Frame[]): Uint8Array {
  return Buffer.concat(frames.flatMap(({ bytes }) => [bytes, Uint8Array.of(NEWLINE)]));
}

/** Splits a stream into frames, as a server does: one per line that is not blank, without the line break. */
export function splitLines(stream: Uint8Array): readonly Frame[] {
  const frames: Frame[] = [];
  for (let at = 0; at < stream.length;) {
    const found = stream.indexOf(NEWLINE, at);
    const end = found === -1 ? stream.length : found;
    const line = stream.subarray(at, stream[end - 1] === 0x0d && end > at ? end - 1 : end);
    if (!line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)) frames.push({ bytes: line });
    at = end + 1;
  }
  return frames;
}

/** Encodes text as a frame. */
export function toFrame(text: string): Frame {
  return { bytes: Buffer.from(text) };
}
