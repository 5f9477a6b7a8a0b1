/**
 * @fileoverview Keeps standard output for what the program itself says: a module that prints would break the wire.
 * @module cli/load/claim-stdout
 */
import process from "node:process";
import { Writable } from "node:stream";

/** Standard output, for one user only. */
export interface ClaimedStdout {
  readonly output: Writable;
  /** Gives it back. */
  release(): void;
}

/** From here on, everybody else's output goes to standard error. */
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
