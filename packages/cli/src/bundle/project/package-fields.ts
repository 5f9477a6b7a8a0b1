/**
 * @fileoverview Parses members of `package.json` that npm accepts in several forms: author, repository, and URLs.
 * @module cli/bundle/project/package-fields
 */
import { isJsonObject, withoutUndefined } from "@tenon/internal/json";
import { isUrl } from "@tenon/internal/security/is-url";

/** Author of a package. */
export interface Author {
  readonly name: string;
  readonly email?: string;
  readonly url?: string;
}

/** Source repository of a package. */
export interface PackageRepository {
  readonly type: string;
  /** Web address, such as `https://github.com/acme/weather`. */
  readonly url: string;
  /** Folder of the package in the repository. */
  readonly directory?: string;
}

/** Reads `author`: an object, or text such as `Ada <ada@example.com> (https://example.com)`. */
export function readAuthor(value: unknown): Author | undefined {
  const { name, email, url } = isJsonObject(value) ? value : splitAuthor(readText(value) ?? "");
  const given = readText(name);
  if (given === undefined) return undefined;
  return withoutUndefined({ name: given, email: readText(email), url: readUrl(url) });
}

/** Reads `repository`: an object, a URL, or a short form such as `github:acme/weather`. */
export function readRepository(value: unknown): PackageRepository | undefined {
  const given = isJsonObject(value) ? value : { url: value };
  const url = toWebAddress(readText(given["url"]) ?? "");
  if (url === undefined) return undefined;
  const type = readText(given["type"]) ?? "git";
  return withoutUndefined({ type, url, directory: readText(given["directory"]) });
}

/** Returns the trimmed text, or `undefined` if the value is not a string or is blank. */
export function readText(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/** Returns an http or https URL, or `undefined` for any other value. */
export function readUrl(value: unknown): string | undefined {
  const text = readText(value);
  return text !== undefined && /^https?:\/\//.test(text) && isUrl(text) ? text : undefined;
}

const HOSTS: Readonly<Record<string, string>> = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
};

function splitAuthor(text: string) {
  const [name] = text.split(/[<(]/, 1);
  const [, email] = /<([^<>]*)>/.exec(text) ?? [];
  const [, url] = /\(([^()]*)\)/.exec(text) ?? [];
  return { name, email, url };
}

/** Converts a clone address to the address of the repository's web page. */
function toWebAddress(text: string): string | undefined {
  const [, host, path] = /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w./-]+)$/.exec(text) ?? [];
  const address =
    path === undefined
      ? text
          .replace(/^git\+/, "")
          .replace(/^git:\/\//, "https://")
          .replace(/^ssh:\/\/(?:[\w.-]+@)?/, "https://")
          .replace(/^[\w.-]+@([\w.-]+):(?!\/\/)/, "https://$1/")
      : `https://${HOSTS[host ?? "github"] ?? "github.com"}/${path}`;
  const [page = ""] = address.split("#", 1);
  return readUrl(page.replace(/\/$/, "").replace(/\.git$/, ""));
}
