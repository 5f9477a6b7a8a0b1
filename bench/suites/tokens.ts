/**
 * @fileoverview Counts the tokens of a tool list: as many tools, and as the actions of one tool.
 * @module bench/suites/tokens
 */
import { INITIALIZE, makeCase } from "../lib/cases.js";
import { BUILD } from "../lib/paths.js";
import { absentRow, type Row } from "../lib/result.js";
import type { Suite } from "../lib/suite.js";
import type { Adapter } from "../servers/contract.js";

const COUNTS = [10, 100, 1_000];

/** The tokens suite. */
export const tokens: Suite = {
  name: "tokens",
  title: "Tokens",
  async *run() {
    const { encode } = await import("gpt-tokenizer");
    for (const tools of COUNTS) {
      const rows: Row[] = [];
      for (const server of ["tenon", "tenon-grouped"]) {
        try {
          const text = await readTools(server, tools);
          rows.push({ server, figures: { tokens: encode(text).length, bytes: text.length } });
        } catch (error) {
          rows.push(absentRow(server, error));
        }
      }
      yield {
        id: `${tools}`,
        title: `Tokens of tools/list for ${tools.toLocaleString("en")} operations`,
        metric: "tokens",
        floor: "tenon",
        columns: { tokens: "tokens", bytes: "bytes" },
        rows,
      };
    }
  },
};

/** Returns the tool list, as a client receives it. */
async function readTools(server: string, tools: number): Promise<string> {
  const file = `${BUILD}/servers-${server}.js`;
  const { adapter } = (await import(file)) as { readonly adapter: Adapter };
  const answer = await adapter.inProcess?.({ mode: "session", tools });
  if (answer === undefined) throw new Error(`${server} does not support in-process calls.`);
  await answer(INITIALIZE);
  const [list] = makeCase("list", "session", tools, 1).variants;
  const { result } = JSON.parse(await answer(list?.text ?? "")) as {
    readonly result: { readonly tools: unknown };
  };
  return JSON.stringify(result.tools);
}
