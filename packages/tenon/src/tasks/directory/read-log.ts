/**
 * @fileoverview Reads the log of task records. The file can be larger than a string, so it is read in parts.
 * @module tasks/directory/read-log
 */
import { Buffer } from "node:buffer";
import { open } from "node:fs/promises";
import { isJsonObject } from "@tenon/internal/json";
import type { TaskRecord, TaskRequest } from "../state/record.js";
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

/** Reads a log. Lines that cannot be read are reported and skipped. A missing file is an empty log. */
export async function readLog(path: string, report: (error: unknown) => void): Promise<LogContent> {
  const tasks = new Map<string, LoggedTask>();
  let number = 0;
  let size = 0;
  let fileSize = 0;
  let rest = Buffer.alloc(0);
  for await (const part of readParts(path)) {
    fileSize += part.length;
    let text = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE)) {
      number++;
      if (!addLine(tasks, text.toString("utf8", 0, end)))
        report(new Error(`Line ${number} of the task log cannot be read. It was skipped.`));
      size += end + 1;
      text = text.subarray(end + 1);
    }
    rest = text;
  }
  return { tasks: [...tasks.values()], size, fileSize };
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

/** Adds the task of a line. Returns false if the line cannot be read. */
function addLine(tasks: Map<string, LoggedTask>, line: string): boolean {
  const task = readLine(line);
  if (task === undefined) return false;
  const known = tasks.get(task.record.taskId);
  // A line without a request continues the task of an earlier line.
  const request = task.record.request ?? known?.record.request;
  if (request === undefined) return false;
  if (known === undefined || known.version < task.version)
    tasks.set(task.record.taskId, { version: task.version, record: { ...task.record, request } });
  return true;
}

/** Line of the log. The request is absent if an earlier line has it. */
interface Line {
  readonly version: number;
  readonly record: Omit<TaskRecord, "request"> & { readonly request?: TaskRequest };
}

function readLine(line: string): Line | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isTask =
      isJsonObject(value) &&
      Number.isSafeInteger(value["version"]) &&
      isJsonObject(value["record"]) &&
      typeof value["record"]["taskId"] === "string" &&
      typeof value["record"]["status"] === "string" &&
      isJsonObject(value["record"]["journal"]);
    return isTask ? (value as unknown as Line) : undefined; // Safe: only the log writes the file
  } catch {
    return undefined;
  }
}
