/**
 * @fileoverview JSON-defined server: definitions in two JSON files, handlers in code.
 * @module examples/basic/server
 */
import { FnToolHandler, McpError, textResult } from "tenon";
import { NodeServer } from "tenon/node";

/** Request data from the HTTP layer. The server passes it to handlers unchanged. */
export interface Context {
  readonly user?: string;
}

const CONTACTS = [
  { email: "ada@example.com", first: "Ada", last: "Lovelace" },
  { email: "alan@example.com", first: "Alan", last: "Turing" },
];

export const server = NodeServer.builder<Context>()
  .serverInfo("basic", "1.0.0")
  .toolsFile(new URL("tools.json", import.meta.url))
  .resourcesFile(new URL("resources.json", import.meta.url))
  .build()
  .handleTool("echo", new FnToolHandler(({ text }) => textResult(String(text))))
  .handleTool("whoami", new FnToolHandler((_args, { user }: Context) => textResult(user ?? "anonymous")))
  .handleTool("find_contact", {
    call({ email, first, last }) {
      const found = CONTACTS.find((one) => one.email === email || (one.first === first && one.last === last));
      if (found === undefined) throw new McpError("NOT_FOUND", "No contact matches these arguments.");
      return textResult(`${found.first} ${found.last} <${found.email}>`);
    },
  })
  .handleResource("readme", { call: () => "# Basic\n\nA server defined in JSON." });
