import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mountDisk, type SmallDisk } from "../../../../tests/support/small-disk.js";
import { fixtures, programFile } from "../../../../tests/support/program.js";

const CONFIG = '{ "mcpServers": {} }\n';

/** Installs a server for a user whose home folder is on the disk. */
function install({ command, mountPoint }: SmallDisk) {
  const [program, ...flags] = command;
  const server = join(fixtures(), "calculator.mjs");
  const words = [programFile("tenon"), "install", "cursor", server, "--name", "calc"];
  const { status, stderr } = spawnSync(program, [...flags, process.execPath, ...words], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: mountPoint },
  });
  return { status, stderr };
}

const CASES = [
  ["a full disk", "the disk is full", async (disk: SmallDisk) => disk.fill()],
  [
    "a read-only file system",
    "the file system is read-only",
    async (disk: SmallDisk) => disk.setReadOnly(true),
  ],
] as const;

for (const [where, reason, damage] of CASES)
  test(`on ${where}, \`tenon install\` names the file and the reason, and leaves it alone`, async (context) => {
    const disk = await mountDisk(context);
    const file = join(".cursor", "mcp.json");
    mkdirSync(join(disk.path, ".cursor"));
    writeFileSync(join(disk.path, file), CONFIG);
    await damage(disk);
    expect(install(disk)).toEqual({
      status: 1,
      stderr: `Could not change "${join(disk.mountPoint, file)}": ${reason}.\n`,
    });
    expect(readFileSync(join(disk.path, file), "utf8")).toBe(CONFIG);
    expect(readdirSync(join(disk.path, ".cursor"))).toEqual(["mcp.json"]);
  });
