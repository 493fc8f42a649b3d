import { useState } from 'react'
import { call, type Item } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/locale.ts'
import { Facts } from '../../ui/page.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import '../../ui/table.css'
import './import-dialog.css'
import { texts } from './texts.ts'

type Row = Item<'contacts.imports.errors.list'>

/** Of the table; the file has all of them. */
const SHOWN_ROWS = 100

/** What became of an import: how many, and which rows failed and why. */
export function ImportResults({ id, onClose }: { id: string; onClose: () => void }) {
  const imported = useCall('contacts.imports.get', { id })
  const errors = useCall('contacts.imports.errors.list', { id, limit: SHOWN_ROWS })
  return (
    <Dialog title={texts.importResults.title} isOpen onClose={onClose} isWide>
      {imported.isPending && <Loading />}
      {imported.isError && <Failed error={imported.error} />}
      {imported.data && (
        <Facts
          facts={[
            [texts.importResults.facts.status, <Badge key="status" word={imported.data.status} />],
            [texts.importResults.facts.started, <Time key="started" at={imported.data.created_at} exact />],
            [texts.importResults.facts.rows, formatNumber(imported.data.counts.total)],
            [texts.importResults.facts.result, resultText(imported.data.counts)],
          ]}
        />
      )}
      {errors.isError && <Failed error={errors.error} />}
      {errors.data && errors.data.data.length > 0 && (
        <FailedRows id={id} rows={errors.data.data} failed={imported.data?.counts.failed ?? 0} />
      )}
    </Dialog>
  )
}

const resultText = ({ created, updated, skipped, failed }: Item<'contacts.imports.list'>['counts']) =>
  texts.importResults.counts({
    created: formatNumber(created),
    updated: formatNumber(updated),
    skipped: formatNumber(skipped),
    failed: formatNumber(failed),
  })

function FailedRows({ id, rows, failed }: { id: string; rows: readonly Row[]; failed: number }) {
  const [isBusy, setBusy] = useState(false)
  const download = async () => {
    setBusy(true)
    try {
      save(csvOf(await allRows(id)), 'failed-rows.csv')
    } catch (error) {
      toast((error as Error).message, { isError: true })
    }
    setBusy(false)
  }
  return (
    <section className="failed-rows" aria-labelledby="failed-rows">
      <h3 id="failed-rows">{texts.importResults.failedRows.title}</h3>
      <div className="table-wrap">
        <table aria-label={texts.importResults.failedRows.label}>
          <thead>
            <tr>
              <th scope="col">{texts.importResults.failedRows.columns.row}</th>
              <th scope="col">{texts.importResults.failedRows.columns.column}</th>
              <th scope="col">{texts.importResults.failedRows.columns.value}</th>
              <th scope="col" className="main">
                {texts.importResults.failedRows.columns.reason}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id: key, row, column, value, reason }) => (
              <tr key={key}>
                <td>{formatNumber(row)}</td>
                <td>{column ?? '–'}</td>
                <td>{value || '–'}</td>
                <td className="main">{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {failed > rows.length && (
        <p className="muted">{texts.importResults.failedRows.shown(formatNumber(rows.length), formatNumber(failed))}</p>
      )}
      <div className="actions">
        <Button icon="down" isBusy={isBusy} onClick={download}>
          {texts.importResults.failedRows.download}
        </Button>
      </div>
    </section>
  )
}

async function allRows(id: string): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const after = rows.at(-1)?.id
    const page = await call('contacts.imports.errors.list', { id, limit: 100, ...(after && { after }) })
    rows.push(...page.data)
    if (!page.has_more || page.data.length === 0) return rows
  }
}

/** The rows as they were, with two columns more: to be corrected and imported again. */
export function csvOf(rows: readonly Pick<Row, 'row' | 'reason' | 'record'>[]): string {
  const names = [...new Set(rows.flatMap(({ record }) => Object.keys(record)))]
  const lines = rows.map(({ row, reason, record }) => [...names.map((name) => record[name] ?? ''), String(row), reason])
  return [[...names, texts.importResults.failedRows.csv.row, texts.importResults.failedRows.csv.error], ...lines]
    .map((cells) => cells.map(quoted).join(','))
    .join('\r\n')
}

/** A spreadsheet takes what begins like this for a formula. */
const FORMULA = /^[=+\-@\t\r]/

const quoted = (cell: string) => `"${(FORMULA.test(cell) ? `'${cell}` : cell).replaceAll('"', '""')}"`

function save(text: string, name: string) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}
