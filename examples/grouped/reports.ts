/**
 * @fileoverview Reports: a tool with a TOON description and TOON results.
 * @module examples/grouped/reports
 */
import { createTool, toonSuccess } from "tenon/grouped";
import type { App } from "./app.js";

/** Creates the reports tool. */
export function createReportsTool() {
  return createTool<App>("reports")
    .description("Reports about users and payments")
    .tags("money")
    .toonDescription()
    .action({
      name: "balance",
      description: "Paid and unpaid amounts for each user",
      readOnly: true,
      handler: ({ users, invoices }) => {
        const rows = [...users.values()].map(({ name, id, banned }) => {
          const own = [...invoices.values()].filter(({ userId }) => userId === id);
          const sum = (paid: boolean) =>
            own.filter((one) => one.paid === paid).reduce((cents, one) => cents + one.cents, 0);
          // `banned` is missing for users who were never banned. TOON shows it as null.
          return { name, paid: sum(true), open: sum(false), banned };
        });
        return toonSuccess(rows);
      },
    })
    .action({
      name: "activity",
      description: "Audit log of actions and actors",
      readOnly: true,
      handler: ({ audit }) => toonSuccess({ entries: audit }),
    });
}
