/**
 * @fileoverview Collects the license texts of bundled packages, which most licenses require in a distribution.
 * @module cli/bundle/compile/licenses
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BundledPackage } from "./bundled-packages.js";

/** Returns the license texts of packages, in their order. Packages without a license file are skipped. */
export async function collectLicenses(packages: readonly BundledPackage[]): Promise<string> {
  const notices = await Promise.all(packages.map(readNotice));
  return notices.filter((notice) => notice !== "").join("\n---\n\n");
}

const MAX_LENGTH = 100_000;

async function readNotice({ name, folder }: BundledPackage): Promise<string> {
  const names = await readdir(folder).catch((): string[] => []);
  const file = names.toSorted().find((one) => /^(?:licen[cs]e|copying)(?:[.-]|$)/i.test(one));
  if (file === undefined) return "";
  const text = await readFile(join(folder, file), "utf8").catch(() => "");
  const notice = text.replaceAll("\r\n", "\n").trim().slice(0, MAX_LENGTH);
  return notice === "" ? "" : `${name}\n\n${notice}\n`;
}
