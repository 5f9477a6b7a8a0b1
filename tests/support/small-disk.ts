/**
 * @fileoverview Small disks for tests, which can be full or read-only. Permissions are not enough for that, because the
 * superuser can write everywhere. A disk is mounted in a namespace of its own, so it disappears with its process.
 * @module tests/support/small-disk
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished, type TestContext } from "vitest";

const OWN_MOUNTS = ["unshare", "-rm"] as const;

/** Reason why this machine cannot mount disks for tests, if it cannot. */
const noDisks = findMissing();

function findMissing(): string | undefined {
  const [program, ...flags] = OWN_MOUNTS;
  const { status, error, stderr } = spawnSync(program, [...flags, "mount", "-t", "tmpfs", "none", "/mnt"]);
  if (status === 0) return undefined;
  return `This machine does not allow mounts: ${error?.message ?? stderr.toString().trim()}`;
}

/** Disk in a mount namespace. */
export interface SmallDisk {
  /** Path for this process. */
  readonly path: string;
  /** Path for processes that are started with `command`. */
  readonly mountPoint: string;
  /** Start of a command line that runs a program where the disk is mounted. */
  readonly command: readonly [string, ...string[]];
  /** Leaves no room for more data, or only the given number of bytes. */
  fill(freeBytes?: number): void;
  /** Makes room again. */
  empty(): void;
  /** Makes the disk read-only, or writable again. No file may be open for writing. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

/** Mounts a disk until the test ends. Skips the test if this machine does not allow it. */
export async function mountDisk(context: Pick<TestContext, "skip">, kilobytes = 256): Promise<SmallDisk> {
  if (noDisks !== undefined) context.skip(noDisks);
  const mountPoint = mkdtempSync(join(tmpdir(), "tenon-disk-"));
  const [program, ...flags] = OWN_MOUNTS;
  const child = spawn(program, [...flags, "sh", "-c", SCRIPT, "disk", mountPoint, `${kilobytes}k`]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    child.stdin.end();
    if (child.exitCode === null) await once(child, "exit");
    rmSync(mountPoint, { recursive: true });
  });
  await next(child, lines);
  const path = `/proc/${child.pid}/root${mountPoint}`;
  const filler = join(path, "filler");
  return {
    path,
    mountPoint,
    command: ["nsenter", "-t", String(child.pid), "-U", "-m", "--preserve-credentials"],
    fill(freeBytes = 0) {
      for (const size of [4_096, 1])
        try {
          for (;;) appendFileSync(filler, Buffer.alloc(size));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
        }
      truncateSync(filler, statSync(filler).size - freeBytes);
    },
    empty: () => rmSync(filler),
    async setReadOnly(isReadOnly) {
      child.stdin.write(`${isReadOnly ? "ro" : "rw"}\n`);
      await next(child, lines);
    },
  };
}

/** Mounts the disk and changes its mode for each line of the input. */
const SCRIPT = `
mount -t tmpfs -o "size=$2,mode=700" none "$1" && echo done || exit 1
while read mode; do mount -o "remount,$mode" "$1" 2>&1 && echo done; done`;

async function next(child: ChildProcessWithoutNullStreams, lines: AsyncIterator<string>): Promise<void> {
  const { value } = await lines.next();
  if (value !== "done") throw new Error(`The disk of process ${child.pid} failed: ${String(value)}`);
}
