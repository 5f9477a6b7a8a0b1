/**
 * @fileoverview Reserves standard output for the program, because output of the user's module would break the protocol.
 * @module cli/load/claim-stdout
 */
import process from "node:process";
import { Writable } from "node:stream";

/** Standard output, reserved for one writer. */
export interface ClaimedStdout {
  readonly output: Writable;
  /** Ends the reservation. */
  release(): void;
}

/** Reserves standard output. All other output goes to standard error until `release`. */
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
