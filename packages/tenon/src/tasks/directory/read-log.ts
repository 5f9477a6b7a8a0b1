/**
 * @fileoverview Reads the log of task records. The file can be larger than a string, so it is read in parts.
 * @module tenon/tasks/directory/read-log
 */
import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";
import type { RecordSealer } from "../../core/wire/cluster-link.js";
import { isTaskRecord } from "./check-record.js";
import { LineDecoder, LOG_FORMAT, openLine, PLAIN_FORMAT, readFormat } from "./log-line.js";
import type { LoggedTask } from "./task-log.js";

/** Log to read. */
export interface LogSource {
  readonly path: string;
  readonly file: FileHandle;
  readonly sealer: RecordSealer;
  /** True if the log may have the format of earlier versions, which is not encrypted. */
  readonly acceptsPlain: boolean;
}

/** Content of a log. */
export interface LogContent {
  /** The newest state of each task. */
  readonly tasks: readonly LoggedTask[];
  /** True if the log is not encrypted. */
  readonly isPlain: boolean;
  /** False if a line or a record was skipped. */
  readonly isComplete: boolean;
  /** Size of the complete lines in bytes. */
  readonly size: number;
  /** Size of the file, which includes a last line that was written only in part. */
  readonly fileSize: number;
}

/**
 * Reads a log. Lines and records that cannot be used are skipped and reported together.
 *
 * @throws if the file has a different format, or if it cannot be decrypted at all
 */
export async function readLog(source: LogSource, report: (error: unknown) => void): Promise<LogContent> {
  const reader = new LogReader(source);
  let size = 0;
  let fileSize = 0;
  let rest = Buffer.alloc(0);
  for await (const part of readParts(source.file)) {
    fileSize += part.length;
    let text = rest.length === 0 ? part : Buffer.concat([rest, part]);
    const lines: string[] = [];
    for (let end = text.indexOf(NEWLINE); end !== -1; end = text.indexOf(NEWLINE)) {
      lines.push(text.toString("utf8", 0, end));
      size += end + 1;
      text = text.subarray(end + 1);
    }
    await reader.add(lines);
    rest = text;
  }
  return { ...reader.finish(report), size, fileSize };
}

/** Collects the tasks of a log. */
class LogReader {
  readonly #source: LogSource;
  readonly #decoder = new LineDecoder();
  #isPlain = false;
  #lines = 0;
  #opened = 0;
  #skipped = 0;
  #firstSkipped = 0;

  constructor(source: LogSource) {
    this.#source = source;
  }

  /** Adds the next lines of the file. */
  async add(lines: readonly string[]): Promise<void> {
    const [header] = lines;
    if (this.#lines === 0 && header !== undefined) this.#isPlain = isPlainLog(this.#source, header);
    const records = this.#lines === 0 ? lines.slice(1) : lines;
    const first = this.#lines + lines.length - records.length + 1;
    this.#lines += lines.length;
    const { sealer } = this.#source;
    const texts = this.#isPlain ? records : await Promise.all(records.map((line) => openLine(sealer, line)));
    for (const [index, text] of texts.entries()) {
      if (text !== undefined) this.#opened++;
      if (text === undefined || !this.#decoder.add(text)) this.#skip(first + index);
    }
  }

  finish(report: (error: unknown) => void): Pick<LogContent, "tasks" | "isPlain" | "isComplete"> {
    const { path } = this.#source;
    if (this.#lines > 1 && this.#opened === 0)
      throw new Error(
        `The task log "${path}" cannot be decrypted. Restore the keys that it was written with ` +
          "(`state.keys`, or the file `key` in the directory), or use a different directory.",
      );
    const tasks = this.#decoder.tasks.filter(({ record }) => isTaskRecord(record));
    const odd = this.#decoder.tasks.length - tasks.length;
    if (this.#skipped > 0)
      report(
        new Error(
          `${this.#skipped} of ${this.#lines - 1} lines of the task log "${path}" cannot be read ` +
            `(first: line ${this.#firstSkipped}). They were skipped.`,
        ),
      );
    if (odd > 0)
      report(new Error(`${odd} tasks in the task log "${path}" have invalid records. They were skipped.`));
    return { tasks, isPlain: this.#isPlain, isComplete: this.#skipped + odd === 0 };
  }

  #skip(line: number): void {
    if (this.#skipped === 0) this.#firstSkipped = line;
    this.#skipped++;
  }
}

/** Returns true if a log is not encrypted. @throws if this version cannot read it, or must not */
function isPlainLog({ path, acceptsPlain }: LogSource, header: string): boolean {
  const format = readFormat(header);
  if (format === LOG_FORMAT) return false;
  if (format === PLAIN_FORMAT && acceptsPlain) return true;
  if (format === PLAIN_FORMAT)
    throw new Error(
      `The task log "${path}" is not encrypted, so somebody may have replaced it. Restore it from a backup, or ` +
        "delete it. To keep a log of an earlier version of Tenon, open the directory once without `state.keys` and " +
        "without the file `key`.",
    );
  const got =
    format === undefined ? "does not start with its format" : `has format ${JSON.stringify(format)}`;
  throw new Error(
    `The task log "${path}" ${got}; this version of Tenon reads format ${LOG_FORMAT}. ` +
      "Use the version that wrote it, or a different directory.",
  );
}

const NEWLINE = 0x0a;

const PART_SIZE = 1_048_576;

async function* readParts(file: FileHandle): AsyncIterable<Buffer<ArrayBuffer>> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PART_SIZE), 0, PART_SIZE, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
