/**
 * @fileoverview Lists the commands that publish a server. Tenon does not run them, because a published version cannot
 * be changed or removed.
 * @module cli/publish/next-steps
 */

/** Facts that the commands depend on. */
export interface PublishFacts {
  /** Name in the registry. */
  readonly name: string;
  /** Name of the npm package, or `undefined` if it is not published. */
  readonly npmName: string | undefined;
  /** Path and download address of the `.mcpb` file. */
  readonly archive: { readonly path: string; readonly url: string } | undefined;
  /** Path of `server.json`, relative to the current folder. */
  readonly file: string;
}

/** Returns the next steps, in their order. */
export function listNextSteps({ name, npmName, archive, file }: PublishFacts): readonly string[] {
  return [
    // npm makes the first version of a package with a scope private by default.
    ...(npmName === undefined ? [] : [`npm publish${npmName.startsWith("@") ? " --access public" : ""}`]),
    ...(archive === undefined
      ? []
      : [`Upload ${archive.path} to the release, so that it has the address ${archive.url}`]),
    loginCommand(name),
    `mcp-publisher publish ${file}`,
  ];
}

function loginCommand(name: string): string {
  const [namespace = ""] = name.split("/", 1);
  if (namespace.startsWith("io.github.")) return "mcp-publisher login github";
  const domain = namespace.split(".").toReversed().join(".");
  return `mcp-publisher login dns --domain ${domain} --private-key <key>`;
}
