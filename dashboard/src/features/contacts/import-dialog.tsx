import { type FormEvent, useState } from 'react'
import { CONTACT_COLUMNS } from '../../../../src/features/contacts/imports/schema.ts'
import { upload } from '../../api.ts'
import { useAct } from '../../ui/act.ts'
import { inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { guess, readColumns } from './csv-head.ts'
import './import-dialog.css'

/** Choose a file, say what its columns are, go. */
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [columns, setColumns] = useState<readonly string[]>([])
  const segments = useChoices('segments.list')
  const begin = useAct({
    run: (form: FormData) => upload('contacts.imports.create', form),
    refresh: ['contacts'],
    done: 'The import has begun',
  })
  const close = () => {
    setColumns([])
    onClose()
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    begin.mutate(requestOf(new FormData(event.currentTarget), columns), { onSuccess: close })
  }
  return (
    <Dialog title="Import contacts" isOpen={isOpen} onClose={close}>
      <form className="form" onSubmit={submit}>
        <div className="field">
          <label htmlFor="import-file">CSV file</label>
          <input
            id="import-file"
            name="file"
            type="file"
            accept=".csv,text/csv"
            required
            onChange={async (event) => {
              const file = event.currentTarget.files?.[0]
              setColumns(file ? await readColumns(file) : [])
            }}
          />
        </div>
        {columns.length > 0 && <ColumnChoices columns={columns} />}
        <div className="field">
          <label htmlFor="import-segment">Into the segment</label>
          <select id="import-segment" name="segment">
            <option value="">–</option>
            {segments.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="import-conflict">Contacts that are there already</label>
          <select id="import-conflict" name="on_conflict">
            <option value="upsert">take over what the file says</option>
            <option value="skip">leave as they are</option>
          </select>
        </div>
        <div className="actions">
          <Button type="submit" look="primary" isBusy={begin.isPending}>
            Import
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const ColumnChoices = ({ columns }: { columns: readonly string[] }) => (
  <fieldset className="mapping">
    <legend>What the columns are</legend>
    {columns.map((column, index) => (
      <div key={column}>
        <label htmlFor={`column-${index}`}>{column}</label>
        <select id={`column-${index}`} name={`column ${index}`} defaultValue={guess(column)}>
          <option value="">leave out</option>
          {CONTACT_COLUMNS.map((name) => (
            <option key={name} value={name}>
              {inWords(name)}
            </option>
          ))}
          <option value="string">a property (text)</option>
          <option value="number">a property (number)</option>
        </select>
      </div>
    ))}
  </fieldset>
)

function requestOf(form: FormData, columns: readonly string[]): FormData {
  const map: Record<string, unknown> = {}
  const properties: Record<string, { column: string; type: string }> = {}
  for (const [index, column] of columns.entries()) {
    const meaning = String(form.get(`column ${index}`))
    if (meaning === 'string' || meaning === 'number') properties[keyOf(column)] = { column, type: meaning }
    else if (meaning) map[meaning] = column
  }
  const request = new FormData()
  request.set('column_map', JSON.stringify({ ...map, ...(Object.keys(properties).length > 0 && { properties }) }))
  request.set('on_conflict', String(form.get('on_conflict')))
  if (form.get('segment')) request.set('segments', JSON.stringify([{ id: form.get('segment') }]))
  request.set('file', form.get('file') as File) // last: the server reads the other parts first
  return request
}

/** A property's key has letters, digits and underscores only. */
const keyOf = (column: string) => column.trim().toLowerCase().replace(/\W+/g, '_').slice(0, 50)
