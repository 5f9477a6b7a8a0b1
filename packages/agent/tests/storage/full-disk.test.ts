import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ROOT } from "../../../../tests/support/source-files.js";
import { makeFolder } from "./folders.js";

const CHILD = fileURLToPath(new URL("full-disk-child.ts", import.meta.url));

/** Runs the child from a script of bash, which has the folder as $1 and the command from $2 on. */
function run(script: string, [program, ...flags]: readonly [string, ...string[]] = ["bash"]) {
  const folder = makeFolder();
  const command = [process.execPath, "--import", "tsx", CHILD, folder];
  return spawnSync(program, [...flags, "-c", script, "full-disk", folder, ...command], {
    cwd: ROOT,
    encoding: "utf8",
    timeout: 15_000,
  });
}

/** A disk of its own, in a space of names that ends with the process; not every system allows it. */
const TMPFS = 'mount -t tmpfs -o size=512k none "$1"';
const OWN_MOUNTS = ["unshare", "-rm", "bash"] as const;
const hasOwnMounts = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;

const FULL = "This message could not be saved: the server's disk is full; its operator must free some space";

test.runIf(process.platform !== "win32")(
  "where files may grow no more, what was written in part is taken back, and what fits is saved",
  () => {
    const { stdout, stderr } = run('ulimit -f 512; shift; exec "$@"');
    expect([stderr, JSON.parse(stdout)]).toEqual([
      "",
      {
        failure: FULL,
        cause: expect.stringMatching(/^EFBIG/),
        refused: 10,
        saved: expect.any(Number),
        found: true,
      },
    ]);
    expect((JSON.parse(stdout) as { saved: number }).saved).toBeGreaterThan(100);
  },
);

test.runIf(hasOwnMounts)("on a disk that is full it is the same", () => {
  const { stdout, stderr } = run(`${TMPFS}; shift; exec "$@"`, OWN_MOUNTS);
  expect([stderr, JSON.parse(stdout)]).toEqual([
    "",
    {
      failure: FULL,
      cause: expect.stringMatching(/^ENOSPC/),
      refused: 10,
      saved: expect.any(Number),
      found: true,
    },
  ]);
});
