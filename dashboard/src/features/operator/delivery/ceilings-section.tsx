import type { Reply } from '../../../api.ts'
import { Card } from '../../../ui/page.tsx'
import '../../../ui/table.css'
import '../../../ui/records.css'
import { capitalized } from './capitalized.ts'
import { texts } from './texts.ts'

type Ceilings = Reply<'operator.delivery.destination'>['ceilings']

/** What binds, and which rule says so. */
export function CeilingsSection({ ceilings }: { ceilings: Ceilings }) {
  const { columns, names, origins } = texts.ceilings
  return (
    <Card title={texts.ceilings.title}>
      <p className="muted">{texts.ceilings.note}</p>
      <div className="table-wrap records">
        <table aria-label={texts.ceilings.title}>
          <thead>
            <tr>
              <th scope="col">{columns.name}</th>
              <th scope="col">{columns.value}</th>
              <th scope="col">{columns.layer}</th>
              <th scope="col" className="main">
                {columns.origin}
              </th>
            </tr>
          </thead>
          <tbody>
            {ceilings.map(({ name, value, layer, origin, where }) => (
              <tr key={name}>
                <td data-label={columns.name}>{names[name] ?? name}</td>
                <td data-label={columns.value}>{value}</td>
                <td data-label={columns.layer}>{capitalized(layer)}</td>
                <td className="main" data-label={columns.origin}>
                  {origins[origin] ?? <code>{where}</code>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  )
}
