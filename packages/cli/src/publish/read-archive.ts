/**
 * @fileoverview Reads a `.mcpb` file before its release: its hash, and the version in its manifest.
 * @module cli/publish/read-archive
 */
import { readFile, stat } from "node:fs/promises";
import { relative } from "node:path";
import { isJsonObject, readJson } from "@tenon/internal/json";
import { showValue } from "@tenon/internal/kind-of";
import { readFromArchive } from "../bundle/archive.js";
import { sha256Of } from "../bundle/outputs.js";

/** Hash of a `.mcpb` file, and its problems. */
export interface ArchiveReading {
  readonly sha256: string | undefined;
  readonly problems: readonly string[];
}

/** Expected contents of a `.mcpb` file. */
export interface ArchiveExpectation {
  /** Version in `package.json`. */
  readonly version: unknown;
  /** Folder that paths in messages are relative to. */
  readonly cwd: string;
}

/** Reads a `.mcpb` file. */
export async function readArchive(
  path: string,
  { version, cwd }: ArchiveExpectation,
): Promise<ArchiveReading> {
  const shown = relative(cwd, path) || path;
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() !== true) {
    const problem = `The file "${shown}" does not exist. Create it with tenon bundle, or pass its path with --mcpb-file.`;
    return { sha256: undefined, problems: [problem] };
  }
  if (found.size > MAX_BYTES)
    return { sha256: undefined, problems: [`"${shown}" is too large (limit: ${MAX_BYTES} bytes).`] };
  const content = new Uint8Array(await readFile(path));
  const own = readVersion(content);
  const sha256 = sha256Of(content);
  if (own === undefined)
    return { sha256, problems: [`"${shown}" is not a .mcpb file: it has no valid manifest.json.`] };
  if (own === version) return { sha256, problems: [] };
  const problem = `"${shown}" has version ${showValue(own)}, but package.json has ${showValue(version)}. Run tenon bundle again.`;
  return { sha256, problems: [problem] };
}

const MAX_BYTES = 268_435_456;
const MAX_MANIFEST_BYTES = 4_194_304;

function readVersion(content: Uint8Array): unknown {
  try {
    const bytes = readFromArchive(content, "manifest.json", MAX_MANIFEST_BYTES);
    const manifest = bytes === undefined ? undefined : readJson(new TextDecoder().decode(bytes));
    return isJsonObject(manifest) ? manifest["version"] : undefined;
  } catch {
    return undefined; // not a zip archive
  }
}
