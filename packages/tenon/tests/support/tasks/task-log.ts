/**
 * @fileoverview Reads the log of a task directory in tests.
 * @module tests/tenon/support/tasks/task-log
 */
import { existsSync, readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { systemPorts } from "@tenon/internal/ports";
import { KeyRing } from "../../../src/core/call/key-ring.js";
import { createRecordSealer } from "../../../src/core/call/record-sealer.js";
import type { RecordSealer } from "../../../src/core/wire/cluster-link.js";
import { type LogContent, readLog } from "../../../src/tasks/directory/read-log.js";

/** Sealer that does not encrypt, so that tests can read and change the lines of a log. */
export const PLAIN: RecordSealer = { seal: async (text) => text, open: async (text) => text };

/** Reads a log. */
export async function readTaskLog(
  path: string,
  report: (error: unknown) => void,
  sealer: RecordSealer = PLAIN,
): Promise<LogContent> {
  const file = await open(path);
  try {
    return await readLog({ path, file, sealer, acceptsPlain: false }, report);
  } finally {
    await file.close();
  }
}

/** Returns a sealer with the secret of a directory. */
export function createDirectorySealer(directory: string): RecordSealer {
  const used = join(directory, "key");
  const secret = readFileSync(existsSync(used) ? used : `${used}.next`, "latin1").trim();
  return createRecordSealer(new KeyRing(systemPorts, [secret]));
}
