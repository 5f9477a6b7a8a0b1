/**
 * @fileoverview Reads the log of task records. The file can be larger than a string, so it is read in parts.
 * @module tasks/directory/read-log
 */
import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { isJsonObject } from "@tenon/internal/json";
import { LineDecoder, LOG_FORMAT, readFormat } from "./log-line.js";
import type { LoggedTask } from "./task-log.js";

/** Content of a log. */
export interface LogContent {
  /** The newest state of each task. */
  readonly tasks: readonly LoggedTask[];
  /** Size of the complete lines in bytes. */
  readonly size: number;
  /** Size of the file, which includes a last line that was written only in part. */
  readonly fileSize: number;
}

/**
 * Reads a log. Lines that cannot be read are reported and skipped. A missing file is an empty log.
 *
 * @throws if the file has a different format
 */
export async function readLog(path: string, report: (error: unknown) => void): Promise<LogContent> {
  const decoder = new LineDecoder();
  let number = 0;
  let size = 0;
  let fileSize = 0;
  let rest = Buffer.alloc(0);
  for await (const part of readParts(path)) {
    fileSize += part.length;
    let text = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE)) {
      number++;
      const line = text.toString("utf8", 0, end);
      if (number === 1) assertFormat(path, line);
      else if (!decoder.add(line))
        report(new Error(`Line ${number} of the task log cannot be read. It was skipped.`));
      size += end + 1;
      text = text.subarray(end + 1);
    }
    rest = text;
  }
  return { tasks: decoder.tasks, size, fileSize };
}

function assertFormat(path: string, firstLine: string): void {
  const format = readFormat(firstLine);
  if (format === LOG_FORMAT) return;
  const got =
    format === undefined ? "does not start with its format" : `has format ${JSON.stringify(format)}`;
  throw new Error(
    `The task log "${path}" ${got}; this version of Tenon reads format ${LOG_FORMAT}. ` +
      "Use the version that wrote it, or a different directory.",
  );
}

const NEWLINE = 0x0a;

const PART_SIZE = 1_048_576;

async function* readParts(path: string): AsyncIterable<Buffer<ArrayBuffer>> {
  const file = await open(path, "r").catch(ignoreMissing);
  if (file === undefined) return;
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PART_SIZE), 0, PART_SIZE);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (isJsonObject(error) && error["code"] === "ENOENT") return undefined;
  throw error;
}
