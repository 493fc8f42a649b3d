import type { Static } from 'typebox'
import type { DnsRecord } from '../../../../src/features/domains/schema.ts'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { formatNumber } from '../../ui/locale.ts'
import '../../ui/table.css'
import '../../ui/records.css'
import { texts } from './texts.ts'

/** The records to set, each part ready to be copied. On a narrow page the parts stand below each other. */
export const RecordTable = ({ records }: { records: readonly Static<typeof DnsRecord>[] }) => (
  <div className="table-wrap records">
    <table aria-label={texts.records.title}>
      <thead>
        <tr>
          <th scope="col">{texts.records.columns.purpose}</th>
          <th scope="col">{texts.records.columns.type}</th>
          <th scope="col">{texts.records.columns.name}</th>
          <th scope="col" className="main">
            {texts.records.columns.value}
          </th>
          <th scope="col">{texts.records.columns.status}</th>
        </tr>
      </thead>
      <tbody>
        {records.map(({ record, suggestion, type, name, value, priority, status }) => (
          <tr key={`${type} ${name} ${value}`}>
            <td data-label={texts.records.columns.purpose}>{suggestion ?? record}</td>
            <td data-label={texts.records.columns.type}>{type}</td>
            <td data-label={texts.records.columns.name}>
              <Copyable text={name} what={texts.copied.name} />
            </td>
            <td className="main" data-label={texts.records.columns.value}>
              <Copyable text={value} what={texts.copied.value} />
              {priority !== undefined && (
                <span className="muted"> {texts.records.priority(formatNumber(priority))}</span>
              )}
            </td>
            <td data-label={texts.records.columns.status}>
              <Badge word={status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
