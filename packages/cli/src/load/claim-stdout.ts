/**
 * @fileoverview Reserves standard output for protocol messages. Output from the user's module goes to standard error.
 * @module cli/load/claim-stdout
 */
import process from "node:process";
import { Writable } from "node:stream";

/** Standard output, reserved for one writer. */
export interface ClaimedStdout {
  /** The only stream that still writes to standard output. */
  readonly output: Writable;
  /** Restores `process.stdout`. */
  release(): void;
}

/** Reserves standard output. Until `release`, everything written to `process.stdout` goes to standard error. */
export function claimStdout(): ClaimedStdout {
  const { stdout, stderr } = process;
  const own = stdout.write.bind(stdout);
  const write = own as (chunk: Uint8Array | string, done: (error?: Error | null) => void) => boolean;
  const output = new Writable({
    decodeStrings: false,
    write(chunk: Uint8Array | string, _encoding, done) {
      write(chunk, done);
    },
  });
  stdout.write = stderr.write.bind(stderr);
  return {
    output,
    release() {
      stdout.write = own;
    },
  };
}
