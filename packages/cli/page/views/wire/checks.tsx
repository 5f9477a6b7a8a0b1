/**
 * @fileoverview Results of the checks of a call.
 * @module cli/page-app/views/wire/checks
 */
import { Icon } from "@tenon/ui/icons/icon.js";
import type { Check } from "../../../src/page/protocol.js";
import { CHECK_FACTS } from "../../state/calls/call-facts.js";

/** Lists checks with their status. */
export function CheckList({ checks }: { readonly checks: readonly Check[] }) {
  if (checks.length === 0) return <p class="t-quiet">No checks yet</p>;
  return (
    <ul class="p-checks">
      {checks.map(({ title, status, detail }, index) => {
        const { label, tone, icon } = CHECK_FACTS[status];
        return (
          <li key={index} class="p-check" data-tone={tone}>
            <Icon name={icon} label={label} />
            <div>
              <p>{title}</p>
              {detail !== undefined && <p class="t-quiet p-wrap">{detail}</p>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
