/**
 * @fileoverview Keeps standard output free for protocol messages: other output of the process, such as `console.log` in
 * a handler, goes to standard error.
 * @module tenon/transport/stdio/protected-stdout
 */
import type { Writable } from "node:stream";
import { protectStderr } from "../default-log.js";

/** Standard output, reserved for protocol messages. */
export interface ProtectedOutput {
  /** Writes a protocol message. */
  readonly write: Writable["write"];
  /** Gives standard output back to the process. */
  readonly release: () => void;
}

interface Protection {
  readonly write: Writable["write"];
  readonly restore: () => void;
  users: number;
}

/** Current protection of `process.stdout`. Several servers in one process share it. */
let protection: Protection | undefined;

/**
 * Reserves an output if it is `process.stdout`. Until `release`, `process.stdout.write` writes to standard error, and
 * `console.log` with it. Other streams are left alone, because only the caller writes to them.
 */
export function protectOutput(output: Writable): ProtectedOutput {
  if (output !== process.stdout) {
    return { write: output.write.bind(output), release: () => {} };
  }
  protection ??= protectStdout();
  const own = protection;
  own.users++;
  let isReleased = false;
  return {
    write: own.write,
    release() {
      if (isReleased) return;
      isReleased = true;
      if (--own.users > 0) return;
      own.restore();
      protection = undefined;
    },
  };
}

function protectStdout(): Protection {
  const { stdout, stderr } = process;
  // Otherwise, a failure would end the process: `console.log` handles only those of standard output.
  protectStderr();
  const replaced = Object.getOwnPropertyDescriptor(stdout, "write");
  const write: Writable["write"] = stdout.write.bind(stdout);
  const redirect: typeof stdout.write = stderr.write.bind(stderr);
  stdout.write = redirect;
  return {
    write,
    users: 0,
    restore() {
      // Code that replaced the function later keeps its own.
      if (stdout.write !== redirect) return;
      if (replaced === undefined) Reflect.deleteProperty(stdout, "write");
      else Object.defineProperty(stdout, "write", replaced);
    },
  };
}
