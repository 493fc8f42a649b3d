import type { Static } from 'typebox'
import type { DnsRecord } from '../../../../src/features/domains/schema.ts'
import { Badge } from '../../ui/badge.tsx'
import { Copyable } from '../../ui/copy.tsx'
import '../../ui/table.css'

/** The records to set, each part ready to be copied. */
export const RecordTable = ({ records }: { records: readonly Static<typeof DnsRecord>[] }) => (
  <div className="table-wrap">
    <table aria-label="DNS records">
      <thead>
        <tr>
          <th scope="col">For</th>
          <th scope="col">Type</th>
          <th scope="col">Name</th>
          <th scope="col" className="main">
            Value
          </th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {records.map(({ record, type, name, value, priority, status }) => (
          <tr key={`${type} ${name} ${value}`}>
            <td>{record}</td>
            <td>{type}</td>
            <td>
              <Copyable text={name} what="the name" />
            </td>
            <td className="main">
              <Copyable text={value} what="the value" />
              {priority !== undefined && <span className="muted"> priority {priority}</span>}
            </td>
            <td>
              <Badge word={status} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
