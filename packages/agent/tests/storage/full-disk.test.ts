import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compileProgram } from "../../../../tools/compile-program.js";
import { ROOT } from "../../../../tools/source-files.js";
import { makeFolder } from "../support/storage/folders.js";

const CHILD = fileURLToPath(new URL("../support/storage/full-disk-child.ts", import.meta.url));

/** Runs the child from a bash script, in which $1 is the folder and the command starts at $2. */
function run(script: string, [program, ...flags]: readonly [string, ...string[]] = ["bash"]) {
  const folder = makeFolder();
  const command = [process.execPath, compileProgram(CHILD), folder];
  return spawnSync(program, [...flags, "-c", script, "full-disk", folder, ...command], {
    cwd: ROOT,
    encoding: "utf8",
    timeout: 60_000,
  });
}

/** Mounts a small file system in a private mount namespace. Not every system allows it. */
const TMPFS = 'mount -t tmpfs -o size=512k none "$1"';
const OWN_MOUNTS = ["unshare", "-rm", "bash"] as const;
const hasOwnMounts = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

const FULL = "Could not save this message: the server's disk is full. Ask the operator to free disk space.";

test.runIf(process.platform !== "win32")(
  "at the file size limit, a partial write is rolled back, and smaller entries are still stored",
  () => {
    const { stdout, stderr } = run('ulimit -f 512; shift; exec "$@"');
    expect([stderr, JSON.parse(stdout)]).toEqual([
      "",
      {
        failure: FULL,
        cause: expect.stringMatching(/^Could not write to ".+log\.jsonl": the file would be too large\.$/),
        refused: 10,
        saved: expect.any(Number),
        found: true,
      },
    ]);
    expect((JSON.parse(stdout) as { saved: number }).saved).toBeGreaterThan(100);
  },
);

test.runIf(hasOwnMounts)("on a full disk, the result is the same", () => {
  const { stdout, stderr } = run(`${TMPFS}; shift; exec "$@"`, OWN_MOUNTS);
  expect([stderr, JSON.parse(stdout)]).toEqual([
    "",
    {
      failure: FULL,
      cause: expect.stringMatching(/^Could not write to ".+log\.jsonl": the disk is full\.$/),
      refused: 10,
      saved: expect.any(Number),
      found: true,
    },
  ]);
});
