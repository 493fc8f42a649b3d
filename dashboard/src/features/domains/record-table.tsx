import type { Static } from 'typebox'
import type { DnsRecord } from '../../../../src/features/domains/schema.ts'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import '../../ui/table.css'
import './record-table.css'
import { texts } from './texts.ts'

/** The records to set, each part ready to be copied. On a narrow page the parts stand below each other. */
export const RecordTable = ({ records }: { records: readonly Static<typeof DnsRecord>[] }) => (
  <div className="table-wrap records">
    <table aria-label={texts.dnsRecords}>
      <thead>
        <tr>
          <th scope="col">{texts.purpose}</th>
          <th scope="col">{texts.type}</th>
          <th scope="col">{texts.name}</th>
          <th scope="col" className="main">
            {texts.value}
          </th>
          <th scope="col">{texts.status}</th>
        </tr>
      </thead>
      <tbody>
        {records.map(({ record, type, name, value, priority, status }) => (
          <tr key={`${type} ${name} ${value}`}>
            <td data-label="Purpose">{record}</td>
            <td data-label="Type">{type}</td>
            <td data-label="Name">
              <Copyable text={name} what="name" />
            </td>
            <td className="main" data-label="Value">
              <Copyable text={value} what="value" />
              {priority !== undefined && <span className="muted">{texts.priority(priority)}</span>}
            </td>
            <td data-label="Status">
              <Badge word={status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
