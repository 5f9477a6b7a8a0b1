/**
 * @fileoverview Structured content of a result, as a JSON tree or a table.
 * @module ui/content/structured-content
 */
import { useMemo, useState } from "preact/hooks";
import { Table } from "../components/collections/table.js";
import { Segments } from "../components/navigation/tabs.js";
import { JsonView } from "../json/json-view.js";
import { findRows } from "./detect.js";

const LABEL = "Structured content";

/** Shows a JSON value. An array of objects, or an object with only one such member, is also offered as a table. */
export function StructuredContent({ value }: { readonly value: unknown }) {
  const rows = useMemo(() => findRows(value), [value]);
  const [isTable, setIsTable] = useState(false);
  if (rows === undefined) return <JsonView label={LABEL} value={value} />;
  return (
    <div class="t-content__text">
      <Segments
        label={`View of ${LABEL}`}
        options={[
          { id: "json", label: "JSON" },
          { id: "table", label: "Table" },
        ]}
        selectedId={isTable ? "table" : "json"}
        onSelect={(id) => setIsTable(id === "table")}
      />
      {isTable ? <Table label={LABEL} rows={rows} /> : <JsonView label={LABEL} value={value} />}
    </div>
  );
}
