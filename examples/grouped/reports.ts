/**
 * @fileoverview Reports: described in a TOON table, and answering in TOON.
 * @module examples/grouped/reports
 */
import { createTool, toonSuccess } from "tenon/grouped";
import type { App } from "./app.js";

/** Makes the tool. */
export function createReportsTool() {
  return createTool<App>("reports")
    .description("Figures about users and money")
    .tags("money")
    .toonDescription()
    .action({
      name: "balance",
      description: "What each user has paid and owes",
      readOnly: true,
      handler: ({ users, invoices }) => {
        const rows = [...users.values()].map(({ name, id, banned }) => {
          const own = [...invoices.values()].filter(({ userId }) => userId === id);
          const sum = (paid: boolean) =>
            own.filter((one) => one.paid === paid).reduce((cents, one) => cents + one.cents, 0);
          // A user who was never banned lacks that column: it is null in the table.
          return { name, paid: sum(true), open: sum(false), banned };
        });
        return toonSuccess(rows);
      },
    })
    .action({
      name: "activity",
      description: "What was done, by whom",
      readOnly: true,
      handler: ({ audit }) => toonSuccess({ entries: audit }),
    });
}
