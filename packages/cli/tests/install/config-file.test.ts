import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../tests/support/program.js";
import {
  changeConfigFile,
  type ChangeOptions,
  listBackups,
  readConfigFile,
} from "../../src/install/config-file.js";

const NOON = Date.UTC(2030, 0, 2, 12, 0, 0);
const OPTIONS: ChangeOptions = {
  createFolder: false,
  hasSecrets: false,
  now: () => NOON,
  wait: () => Promise.resolve(),
};

/** Creates a folder with a file. */
function fileWith(content: string | Uint8Array, name = "mcp.json"): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;
const namesBeside = (path: string) => readdirSync(join(path, "..")).toSorted();

describe("a change", () => {
  test("replaces the content, keeps the mode, and makes a private backup first", async () => {
    const path = fileWith("old");
    chmodSync(path, 0o640);
    const { backup } = await changeConfigFile(path, OPTIONS, ({ text }) => `${text} and new`);
    expect(readFileSync(path, "utf8")).toBe("old and new");
    expect(modeOf(path)).toBe(0o640);
    expect(backup).toBe(`${path}.20300102T120000Z.bak`);
    expect(readFileSync(backup ?? "", "utf8")).toBe("old");
    expect(modeOf(backup ?? "")).toBe(0o600);
    expect(namesBeside(path)).toEqual(["mcp.json", "mcp.json.20300102T120000Z.bak"]);
  });

  test("never overwrites a backup", async () => {
    const path = fileWith("1");
    for (const text of ["2", "3", "4"]) await changeConfigFile(path, OPTIONS, () => text);
    const backups = await listBackups(path);
    expect(backups.map((backup) => readFileSync(backup, "utf8")).toSorted()).toEqual(["1", "2", "3"]);
  });

  test("without a difference leaves everything as it is", async () => {
    const path = fileWith("same");
    const { ino, mtimeMs } = statSync(path);
    expect(await changeConfigFile(path, OPTIONS, ({ text }) => text)).toEqual({ backup: undefined });
    expect(statSync(path)).toMatchObject({ ino, mtimeMs });
    expect(namesBeside(path)).toEqual(["mcp.json"]);
  });

  test("writes a new file instead of changing the old one in place", async () => {
    const path = fileWith("old");
    const { ino } = statSync(path);
    await changeConfigFile(path, OPTIONS, () => "new");
    expect(statSync(path).ino).not.toBe(ino);
  });

  test("keeps a symbolic link, and changes its target", async () => {
    const target = fileWith("old", "real.json");
    const link = join(temporaryFolder(), "mcp.json");
    symlinkSync(target, link);
    const { backup } = await changeConfigFile(link, OPTIONS, () => "new");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toBe("new");
    expect(backup).toBe(`${target}.20300102T120000Z.bak`);
  });

  test("keeps a byte order mark", async () => {
    const path = fileWith("\ufeffold");
    await changeConfigFile(path, OPTIONS, ({ text }) => text.replace("old", "new"));
    expect(readFileSync(path, "utf8")).toBe("\ufeffnew");
    const [backup = ""] = await listBackups(path);
    expect(readFileSync(backup, "utf8")).toBe("\ufeffold");
  });

  test.each([
    [true, 0o600],
    [false, 0o666 & ~process.umask()],
  ])("with secrets: %s, creates a new file with mode %s and no backup", async (hasSecrets, mode) => {
    const path = join(temporaryFolder(), "new", "mcp.json");
    const options = { ...OPTIONS, hasSecrets, createFolder: true };
    expect(await changeConfigFile(path, options, () => "{}")).toEqual({ backup: undefined });
    expect(readFileSync(path, "utf8")).toBe("{}");
    expect(modeOf(path)).toBe(mode);
  });
});

describe("changes at the same time", () => {
  test("an edit by another program between reading and writing is detected", async () => {
    const path = fileWith("old");
    const change = changeConfigFile(path, OPTIONS, () => {
      writeFileSync(path, "by another program");
      return "new";
    });
    await expect(change).rejects.toThrow(
      `"${path}" was changed by another program at the same time. Nothing was written. Run the command again.`,
    );
    expect(readFileSync(path, "utf8")).toBe("by another program");
    expect(namesBeside(path)).toEqual(["mcp.json"]);
  });

  test("a file that another program creates is detected", async () => {
    const path = join(temporaryFolder(), "mcp.json");
    const change = changeConfigFile(path, OPTIONS, () => {
      writeFileSync(path, "");
      return "new";
    });
    await expect(change).rejects.toThrow("was changed by another program");
    expect(readFileSync(path, "utf8")).toBe("");
  });

  test("several commands wait for each other, and no change is lost", async () => {
    const path = fileWith("");
    const wait = () => new Promise<void>((resolve) => void setTimeout(resolve, 5));
    const letters = ["a", "b", "c", "d", "e", "f"];
    await Promise.all(
      letters.map((letter) =>
        changeConfigFile(path, { ...OPTIONS, wait }, async ({ text }) => {
          await wait();
          return text + letter;
        }),
      ),
    );
    expect(readFileSync(path, "utf8").split("").toSorted()).toEqual(letters);
  });

  test("a lock that stays is reported with the file to delete", async () => {
    const path = fileWith("old");
    writeFileSync(`${path}.tenon-new`, "");
    await expect(changeConfigFile(path, OPTIONS, () => "new")).rejects.toThrow(
      `Another tenon command is changing "${path}". If none is running, delete "${path}.tenon-new".`,
    );
    expect(readFileSync(path, "utf8")).toBe("old");
    expect(existsSync(`${path}.tenon-new`)).toBe(true);
  });

  test("a failed edit leaves no temporary file", async () => {
    const path = fileWith("old");
    const change = changeConfigFile(path, OPTIONS, () => {
      throw new Error("no");
    });
    await expect(change).rejects.toThrow("no");
    expect(namesBeside(path)).toEqual(["mcp.json"]);
  });
});

describe("files that cannot be used are rejected", () => {
  test("text that is not UTF-8", async () => {
    const path = fileWith(Uint8Array.of(0xff, 0xfe, 0x7b, 0x00));
    await expect(readConfigFile(path)).rejects.toThrow(`"${path}" is not UTF-8 text.`);
  });

  test("a folder", async () => {
    const path = temporaryFolder();
    await expect(readConfigFile(path)).rejects.toThrow(`"${path}" is not a file.`);
  });

  test("a named pipe, without waiting for it", async () => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    await expect(readConfigFile(path)).rejects.toThrow(`"${path}" is not a file.`);
  });

  test("a link to a missing file", async () => {
    const path = join(temporaryFolder(), "mcp.json");
    symlinkSync("/nowhere/at/all", path);
    await expect(readConfigFile(path)).rejects.toThrow("is a symbolic link to a file that does not exist.");
  });

  test("a missing folder", async () => {
    const path = join(temporaryFolder(), "none", "mcp.json");
    await expect(changeConfigFile(path, OPTIONS, () => "x")).rejects.toThrow(
      `Could not change "${path}": it or its folder does not exist.`,
    );
  });

  test("a path through a file", async () => {
    const path = join(fileWith("x"), "mcp.json");
    await expect(readConfigFile(path)).rejects.toThrow(
      `Could not read "${path}": a part of the path is not a folder.`,
    );
  });

  test("a missing file has an empty text", async () => {
    const path = join(temporaryFolder(), "mcp.json");
    expect(await readConfigFile(path)).toEqual({
      path,
      text: "",
      hasByteOrderMark: false,
      status: undefined,
    });
  });
});

test("backups are listed newest first, and other files are ignored", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "x"));
  for (const name of ["20300101T000000Z", "20310101T000000Z", "20300101T000000Z-2", "old"])
    writeFileSync(join(folder, `mcp.json.${name}.bak`), "");
  expect(await listBackups(join(folder, "mcp.json"))).toEqual(
    ["20310101T000000Z", "20300101T000000Z.bak", "20300101T000000Z-2"].map((name) =>
      join(folder, `mcp.json.${name.replace(".bak", "")}.bak`),
    ),
  );
});
