/**
 * @fileoverview Findings of `tenon doctor`.
 * @module cli/page-app/components/finding-list
 */
import { Icon } from "@tenon/ui/icons/icon.js";
import type { Finding } from "../../src/page/protocol.js";
import { UntrustedLink } from "./links.js";
import { toLabel } from "../state/text.js";

const ICONS = { error: "error", warning: "warning", info: "info" } as const;
const TONES = { error: "danger", warning: "warning", info: "info" } as const;
const LABELS = { error: "Error", warning: "Warning", info: "Hint" } as const;

/** Lists findings with their fixes. */
export function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) return <p class="t-quiet">No findings</p>;
  return (
    <ul class="p-checks">
      {findings.map(({ rule, severity, place, message, fix, url }, index) => (
        <li key={index} class="p-check" data-tone={TONES[severity]}>
          <Icon name={ICONS[severity]} label={LABELS[severity]} />
          <div>
            <p>
              {toLabel(message, 1_000)}{" "}
              {url === undefined ? <code>{rule}</code> : <UntrustedLink url={url}>{rule}</UntrustedLink>}
            </p>
            {fix !== undefined && <p class="t-quiet">{toLabel(fix, 1_000)}</p>}
            <p class="t-quiet t-mono p-wrap">{toLabel(place, 300)}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
