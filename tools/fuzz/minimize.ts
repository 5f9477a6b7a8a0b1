/**
 * @fileoverview Reduces a block that breaks a promise to the frames and bytes that are necessary to break it.
 * @module tools/fuzz/minimize
 */
import { Buffer } from "node:buffer";
import type { Block, Frame } from "./block.js";

/** Sends a block and returns true if it still breaks the promise. */
export type Breaks = (block: Block) => Promise<boolean>;

/** Reduces a block for at most `budgetMs` milliseconds. The result breaks the promise too. */
export async function minimize(block: Block, breaks: Breaks, budgetMs: number): Promise<Block> {
  const end = performance.now() + budgetMs;
  const isOver = () => performance.now() > end;
  const frames = await reduce(block.frames, (kept) => breaks({ ...block, frames: kept }), isOver);
  const reduced = [...frames];
  for (const [index, frame] of reduced.slice(0, 3).entries()) {
    const bytes = await reduce(
      [...frame.bytes],
      (kept) => breaks({ ...block, frames: reduced.with(index, { ...frame, bytes: Buffer.from(kept) }) }),
      isOver,
    );
    reduced[index] = { ...frame, bytes: Buffer.from(bytes) };
  }
  return { ...block, frames: reduced };
}

/** Shows a frame for people: as text if it is UTF-8, otherwise one character per byte. */
export function showFrame({ bytes, isBinary = false }: Frame): string {
  const buffer = Buffer.from(bytes);
  const text = buffer.toString();
  const isText = Buffer.from(text).equals(buffer);
  const shown = JSON.stringify(isText ? text : buffer.toString("latin1"));
  const kind = isBinary ? "binary, " : "";
  return `${shown.length > 500 ? `${shown.slice(0, 500)}…` : shown} (${kind}${isText ? "UTF-8" : "bytes"})`;
}

/** Removes ranges of items, from halves to single items, as long as the rest still breaks the promise. */
async function reduce<T>(
  items: readonly T[],
  breaks: (kept: readonly T[]) => Promise<boolean>,
  isOver: () => boolean,
): Promise<readonly T[]> {
  let kept = items;
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length;) {
      if (isOver()) return kept;
      const rest = kept.toSpliced(at, size);
      if (rest.length > 0 && (await breaks(rest))) kept = rest;
      else at += size;
    }
  }
  return kept;
}
